//! Tasks: read, listed, as trees; cancelled and redriven.

use axum::{Json, extract::State};
use tertulia_acts::{
    command::{Cancel, Command, Redrive},
    hop::Hop,
    ids::TaskId,
};

use super::{Answered, Waits, outcome, receipted};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Asked, Given, Named},
    headers::Token,
    problem::Problem,
    sight::Sight,
    view::{
        listing::{Counted, TasksView, TreeView},
        receipt::Receipted,
        task::TaskView,
    },
    wire::task::{CancelIn, RedriveIn, TaskQuery, next},
};

/// A task as it stands.
#[utoipa::path(
    get, path = "/v1/tasks/{id}", tag = "principals",
    params(("id" = String, Path), Waits, ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "The task", body = TaskView)),
)]
pub(crate) async fn get(
    State(app): State<App>,
    sight: Sight,
    Named(id): Named<TaskId>,
    Asked(waits): Asked<Waits>,
) -> Answered<TaskView> {
    let _seat = waits.seat(&app, sight.viewer.tenant, &sight.viewer.party)?;
    let read = match waits.span() {
        Some(wait) => app.engine.ended(&sight.viewer, id, wait).await?,
        None => app.engine.reader().task(&sight.viewer, id)?,
    };
    sight.holds()?;
    let read = read.ok_or_else(|| absent(id))?;
    Ok(Json(sight.show(read)?))
}

fn absent(id: TaskId) -> Problem {
    Problem::not_found(format_args!("task {id}"))
}

/// Tasks, the last changed first.
#[utoipa::path(
    get, path = "/v1/tasks", tag = "principals",
    params(TaskQuery, ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "A page of them", body = TasksView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    sight: Sight,
    Asked(query): Asked<TaskQuery>,
) -> Answered<TasksView> {
    let (filter, cursor, limit) = (query.filter()?, query.cursor()?, query.limit()?);
    let reader = app.engine.reader();
    if let Some(key) = &query.key {
        let found = reader.task_by_key(&sight.viewer, key, app.engine.now())?;
        let fits = found.filter(|read| query.admits(&filter, &read.task));
        let tasks = fits.map(|read| sight.show(read)).transpose()?;
        let tasks: Vec<TaskView> = tasks.into_iter().collect();
        let total = u32::from(!tasks.is_empty());
        return Ok(Json(TasksView {
            tasks,
            total,
            total_is_more: false,
            next: None,
        }));
    }
    let page = reader.tasks(&sight.viewer, &filter, cursor, limit)?;
    let tasks = page.rows.into_iter().map(|read| sight.show(read));
    let Counted {
        total,
        total_is_more,
    } = page.total.into();
    Ok(Json(TasksView {
        tasks: tasks.collect::<Result<_, _>>()?,
        total,
        total_is_more,
        next: page.next.map(next),
    }))
}

/// The tree that a task is in, as far as the caller sees it.
#[utoipa::path(
    get, path = "/v1/tasks/{id}/tree", tag = "principals",
    params(("id" = String, Path), ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "Its tasks with their hops", body = TreeView)),
)]
pub(crate) async fn tree(
    State(app): State<App>,
    sight: Sight,
    Named(id): Named<TaskId>,
) -> Answered<TreeView> {
    let tree = app
        .engine
        .reader()
        .tree(&sight.viewer, id)?
        .ok_or_else(|| absent(id))?;
    let mut hops: Vec<Hop> = tree.hops;
    let mut tasks = Vec::with_capacity(tree.tasks.len());
    for task in tree.tasks {
        let (waiting, late) = (sight.waiting(&task)?, sight.late(&task)?);
        let (of_it, others): (Vec<Hop>, Vec<Hop>) =
            hops.into_iter().partition(|hop| hop.task == task.id());
        hops = others;
        let mut view = match app.engine.reader().task(&sight.viewer, task.id())? {
            Some(read) => TaskView::from(read),
            None => TaskView::under(task, tree.root.principal.clone()),
        };
        (view.waiting, view.late) = (waiting, late);
        view.hops = Some(of_it.into_iter().map(Into::into).collect());
        tasks.push(view);
    }
    Ok(Json(TreeView { tasks }))
}

/// Cancels a task and all below it.
#[utoipa::path(
    post, path = "/v1/tasks/{id}/cancel", tag = "principals",
    request_body = CancelIn,
    params(("id" = String, Path), ("Hop-Token" = Option<String>, Header, description = "Of an agent at work above it")),
    responses((status = 200, description = "What came of it", body = Receipted)),
)]
pub(crate) async fn cancel(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Token(token): Token,
    Named(task): Named<TaskId>,
    Given(given): Given<CancelIn>,
) -> Answered<Receipted> {
    let cancel = Cancel {
        task,
        token,
        body: given.into_body()?,
    };
    let command = Command::Cancel(caller.clone(), cancel);
    let Some(token) = token else {
        return receipted(&app, &caller, command).await;
    };
    let (outcome, replayed) = outcome(&app, command).await?;
    let (sight, _) = Sight::under(&app.engine, &caller, &token)?;
    Ok(Json(Receipted {
        receipt: sight.receipt(outcome, None)?,
        replayed,
    }))
}

/// Sends a dead letter again, as a new task with a new deadline. Twice gives the same receipt.
#[utoipa::path(
    post, path = "/v1/tasks/{id}/redrive", tag = "principals",
    request_body = RedriveIn,
    params(("id" = String, Path)),
    responses((status = 200, description = "What came of it", body = Receipted)),
)]
pub(crate) async fn redrive(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(task): Named<TaskId>,
    Given(given): Given<RedriveIn>,
) -> Answered<Receipted> {
    let command = Command::Redrive(
        caller.clone(),
        Redrive {
            task,
            within: given.within()?,
        },
    );
    receipted(&app, &caller, command).await
}
