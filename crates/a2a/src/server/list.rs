//! `ListTasks`: the tasks of this agent that the caller may see, the last changed first.

use tertulia_acts::{
    ids::{ConversationId, TaskId},
    time::Timestamp,
};
use tertulia_engine::read::{Page, TaskCursor, TaskFilter, TaskRead};

use super::{
    call::Call,
    failure,
    present::{self, Extent},
};
use crate::{
    map::{self, Listed},
    wire::{A2aError, FieldViolation, ListTasksRequest, ListTasksResponse},
};

/// `ListTasks`.
pub(super) fn list(call: &Call, request: &ListTasksRequest) -> Result<ListTasksResponse, A2aError> {
    let page_size = request.page_size_or_default();
    let page = page(call, request, page_size)?;
    let extent = Extent::listed(request.history_length, request.include_artifacts);
    let tasks = page
        .rows
        .iter()
        .map(|read| present::task(call, read, extent))
        .collect::<Result<_, _>>()?;
    Ok(ListTasksResponse {
        tasks,
        next_page_token: page.next.map_or_else(String::new, write_token),
        page_size,
        total_size: i32::try_from(page.total.n).unwrap_or(i32::MAX),
    })
}

fn page(
    call: &Call,
    request: &ListTasksRequest,
    page_size: i32,
) -> Result<Page<TaskRead, TaskCursor>, A2aError> {
    let cursor = read_token(&request.page_token)?;
    let Some(conversation) = conversation(call, &request.context_id)? else {
        return Ok(Page {
            rows: Vec::new(),
            next: None,
            total: tertulia_engine::read::Total { n: 0, more: false },
        });
    };
    let Listed {
        states,
        asks_viewer,
    } = map::listed(request.status);
    let filter = TaskFilter {
        conversation,
        states,
        asks_viewer,
        debtor: Some(call.agent.clone()),
        // At that instant or later; the store asks for later than the one before.
        changed_after: request
            .status_timestamp_after
            .map(|at| Timestamp(at.as_millis().saturating_sub(1))),
        ..TaskFilter::default()
    };
    let limit = usize::try_from(page_size).unwrap_or_default();
    let reader = call.house.engine.reader();
    reader
        .tasks(&call.viewer, &filter, cursor, limit)
        .map_err(failure::engine)
}

/// The conversation that a context names: `Some(None)` if none is named, `None` if there is no such one.
#[expect(
    clippy::option_option,
    reason = "not asked for and not there are different answers"
)]
fn conversation(call: &Call, context: &str) -> Result<Option<Option<ConversationId>>, A2aError> {
    if context.is_empty() {
        return Ok(Some(None));
    }
    if let Some(row) = present::given(call, context)? {
        return Ok(Some(Some(row.id)));
    }
    let reader = call.house.engine.reader();
    let found = reader
        .conversation_by_alias(&call.viewer, &call.agent, context)
        .map_err(failure::engine)?;
    Ok(found.map(|row| Some(row.id)))
}

fn write_token(cursor: TaskCursor) -> String {
    format!("{}.{}", cursor.changed.0, cursor.id)
}

fn read_token(token: &str) -> Result<Option<TaskCursor>, A2aError> {
    if token.is_empty() {
        return Ok(None);
    }
    let parsed = token.split_once('.').and_then(|(changed, id)| {
        let changed = Timestamp(changed.parse().ok()?);
        let id: TaskId = id.parse().ok()?;
        Some(TaskCursor { changed, id })
    });
    match parsed {
        Some(cursor) => Ok(Some(cursor)),
        None => Err(A2aError::invalid_params(vec![FieldViolation {
            field: "pageToken".to_owned(),
            description: "is no nextPageToken of this server".to_owned(),
        }])),
    }
}
