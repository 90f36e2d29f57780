//! Tasks: one with what is shown of it, listings, trees.

use std::fmt::Write as _;

use rusqlite::{Connection, ToSql};
use tertulia_acts::{
    ask::{Ask, AskState},
    digest::Digest,
    hop::Hop,
    ids::{ConversationId, GroupId, HopId, TaskId},
    lease::Lease,
    limits::PAGE_BYTES,
    receipt::Receipt,
    root::Root,
    task::{Task, TaskState},
    time::Timestamp,
    viewer::Viewer,
};

use super::{Reader, and_one, conversation::act_that_is, page, total};
use crate::{
    StoreError,
    read::{Page, TaskCursor, TaskFilter, TaskRead, Tree},
    sqlite::{
        query::{self, all, doc, one},
        row::{
            ROOT_COLUMNS, conversation_columns, hop_columns, lease_columns, read_conversation,
            read_hop, read_lease, read_root, root_columns,
        },
    },
    visibility::{Eyes, ask_is_own, roots_in_sight, task_is_visible},
};

/// A task, if `eyes` may see it.
pub(super) fn seen(conn: &Connection, eyes: &Eyes, id: TaskId) -> Result<Option<Task>, StoreError> {
    let query = concat!(
        "SELECT t.made, t.now FROM task t WHERE t.root = ?5 AND t.n = ?6 AND ",
        task_is_visible!()
    );
    one(
        conn,
        query,
        &eyes.and(&[id.root.as_bytes(), &id.n]),
        |row| query::task(row, 0),
    )
}

fn root_of(conn: &Connection, id: TaskId) -> Result<Root, StoreError> {
    let query = concat!("SELECT ", root_columns!(), " FROM root r WHERE r.id = ?1");
    let found = one(conn, query, &[id.root.as_bytes()], read_root)?;
    found.ok_or_else(|| StoreError::Corrupt(format!("{} is absent", id.root)))
}

/// A task that is seen, with what is shown of it.
fn whole(conn: &Connection, task: Task, root: Root) -> Result<TaskRead, StoreError> {
    let id = task.id();
    let opening = act_that_is(conn, task.made.opening)?;
    let result = task
        .now
        .state
        .result()
        .map(|act| act_that_is(conn, act))
        .transpose()?;
    let open_ask = match &task.now.state {
        TaskState::AwaitingClarification { ask } | TaskState::AwaitingApproval { ask } => {
            let query = "SELECT doc FROM ask WHERE root = ?1 AND n = ?2";
            let ask: Option<Ask> = one(conn, query, &[ask.root.as_bytes(), &ask.n], |row| {
                doc(row, 0)
            })?;
            ask.filter(|ask| ask.state == AskState::Open)
                .map(|ask| act_that_is(conn, ask.query).map(|act| (ask, act)))
                .transpose()?
        }
        _ => None,
    };
    let hops = concat!(
        "SELECT ",
        hop_columns!(),
        " FROM hop h WHERE h.root = ?1 AND h.task = ?2 ORDER BY h.n"
    );
    let hops = all(conn, hops, &[id.root.as_bytes(), &id.n], read_hop)?;
    let last_seq = if let Some(result) = &result {
        result.envelope.id.seq
    } else {
        let query = "SELECT last_seq FROM conversation WHERE root = ?1 AND n = ?2";
        let ConversationId { root, n } = task.made.conversation;
        let found = one(conn, query, &[root.as_bytes(), &n], |row| Ok(row.get(0)?))?;
        found.ok_or_else(|| StoreError::Corrupt(format!("{} is absent", task.made.conversation)))?
    };
    Ok(TaskRead {
        task,
        root,
        opening,
        result,
        open_ask,
        hops,
        last_seq,
    })
}

/// The `FROM … WHERE …` of a listing, with parameters from `?5` on.
struct Listing {
    from: String,
    own: Vec<Box<dyn ToSql>>,
}

impl Listing {
    fn of(filter: &TaskFilter) -> Self {
        let from = concat!("FROM task t WHERE ", task_is_visible!()).to_owned();
        let mut listing = Self {
            from,
            own: Vec::new(),
        };
        if let Some(ConversationId { root, n }) = filter.conversation {
            listing.and(" AND t.conversation_root = ", *root.as_bytes());
            listing.and(" AND t.conversation = ", n);
        }
        if let Some(work_id) = &filter.work_id {
            listing.and(" AND t.work_id = ", work_id.clone());
        }
        if let Some(debtor) = &filter.debtor {
            listing.and(" AND t.debtor = ", debtor.to_string());
        }
        if let Some(after) = filter.changed_after {
            listing.and(" AND t.changed > ", after.0);
        }
        if filter.own_roots {
            listing
                .from
                .push_str(" AND t.parent IS NULL AND t.tenant = ?1 AND t.requester = ?2");
        }
        let narrow = filter.conversation.is_some() || filter.work_id.is_some();
        if !narrow && !filter.own_roots {
            listing
                .from
                .push_str(concat!(" AND t.root IN (", roots_in_sight!(), ")"));
        }
        for (place, state) in filter.states.iter().enumerate() {
            listing.and(
                if place == 0 {
                    " AND t.state IN ("
                } else {
                    ", "
                },
                *state,
            );
        }
        if !filter.states.is_empty() {
            listing.from.push(')');
        }
        if let Some(asked) = filter.asks_viewer {
            let not = if asked { "" } else { "NOT " };
            let asks_viewer = concat!(
                "EXISTS (SELECT 1 FROM ask q WHERE q.root = t.root AND q.asker = t.n AND q.open = 1 AND ",
                ask_is_own!(),
                "))"
            );
            let other = "t.state <> 'awaiting-clarification'";
            let _ = write!(listing.from, " AND ({other} OR {not}{asks_viewer}");
        }
        listing
    }

    fn and(&mut self, sql: &str, param: impl ToSql + 'static) {
        self.own.push(Box::new(param));
        // Writing to a string does not fail.
        let _ = write!(self.from, "{sql}?{}", self.own.len() + 4);
    }

    fn params<'a>(&'a self, eyes: &'a Eyes) -> Vec<&'a dyn ToSql> {
        let own: Vec<&dyn ToSql> = self.own.iter().map(|param| &**param).collect();
        eyes.and(&own)
    }
}

impl Reader {
    /// A task, with what is shown of it.
    pub fn task(&self, viewer: &Viewer, id: TaskId) -> Result<Option<TaskRead>, StoreError> {
        let query = concat!(
            "SELECT ",
            root_columns!(),
            ", t.made, t.now FROM task t JOIN root r ON r.id = t.root WHERE t.root = ?5 AND t.n = ?6 AND ",
            task_is_visible!()
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n];
            let found = one(conn, query, &eyes.and(params), |row| {
                Ok((query::task(row, ROOT_COLUMNS)?, read_root(row)?))
            })?;
            found
                .map(|(task, root)| whole(conn, task, root))
                .transpose()
        })
    }

    /// Whether a task is at rest: it has ended, or waits for somebody's answer. A short look for those who wait.
    pub fn is_at_rest(&self, viewer: &Viewer, id: TaskId) -> Result<Option<bool>, StoreError> {
        let query = concat!(
            "SELECT t.state FROM task t WHERE t.root = ?5 AND t.n = ?6 AND ",
            task_is_visible!()
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n];
            one(conn, query, &eyes.and(params), |row| {
                Ok(!TaskState::ON_THE_WAY.contains(&row.get_ref(0)?.as_str()?))
            })
        })
    }

    /// Tasks, from the last changed to the first; fewer than `limit` where they weigh more than a page may.
    pub fn tasks(
        &self,
        viewer: &Viewer,
        filter: &TaskFilter,
        cursor: Option<TaskCursor>,
        limit: usize,
    ) -> Result<Page<TaskRead, TaskCursor>, StoreError> {
        let eyes = Eyes::of(viewer);
        let mut listing = Listing::of(filter);
        self.read(|conn| {
            let total = total(conn, &listing.from, &listing.params(&eyes))?;
            if let Some(TaskCursor { changed, id }) = cursor {
                listing.and(" AND (t.changed, t.root, t.n) < (", changed.0);
                listing.and(", ", *id.root.as_bytes());
                listing.and(", ", id.n);
                listing.from.push(')');
            }
            listing
                .from
                .push_str(" ORDER BY t.changed DESC, t.root DESC, t.n DESC");
            listing.and(" LIMIT ", and_one(limit));
            let sql = format!("SELECT t.made, t.now {}", listing.from);
            let tasks = all(conn, &sql, &listing.params(&eyes), |row| {
                query::task(row, 0)
            })?;
            let cursor = |task: &Task| TaskCursor {
                changed: task.now.changed,
                id: task.id(),
            };
            let Page {
                rows: tasks,
                next,
                total,
            } = page(tasks, limit, total, cursor);
            let (mut rows, mut bytes) = (Vec::with_capacity(tasks.len()), 0_usize);
            for task in tasks {
                if bytes >= PAGE_BYTES {
                    let next = rows.last().map(|read: &TaskRead| cursor(&read.task));
                    return Ok(Page { rows, next, total });
                }
                let root = root_of(conn, task.id())?;
                let read = whole(conn, task, root)?;
                bytes += read.opening.body.weight();
                bytes += read.result.as_ref().map_or(0, |act| act.body.weight());
                rows.push(read);
            }
            Ok(Page { rows, next, total })
        })
    }

    /// What the viewer's own key was answered, if it is still kept at `now`.
    pub fn receipt_by_key(
        &self,
        viewer: &Viewer,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Receipt>, StoreError> {
        let key = Receipt::key_of_key(viewer.tenant, &viewer.party, key);
        let query = "SELECT doc FROM receipt WHERE key = ?1 AND tenant = ?2";
        let found = self.read(|conn| {
            one(conn, query, &[&key.0, &viewer.tenant.0], |row| {
                doc::<Receipt>(row, 0)
            })
        })?;
        Ok(found.filter(|receipt| receipt.is_kept(now)))
    }

    /// The task that the viewer's own key made or attached to.
    pub fn task_by_key(
        &self,
        viewer: &Viewer,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<TaskRead>, StoreError> {
        let receipt = self.receipt_by_key(viewer, key, now)?;
        match receipt.and_then(|receipt| receipt.outcome.opened()) {
            Some(task) => self.task(viewer, task),
            None => Ok(None),
        }
    }

    /// The tree that a task is in, as far as the viewer may see it.
    pub fn tree(&self, viewer: &Viewer, task: TaskId) -> Result<Option<Tree>, StoreError> {
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            if seen(conn, &eyes, task)?.is_none() {
                return Ok(None);
            }
            let params = eyes.and(&[task.root.as_bytes()]);
            let rows = |select: &str, join: &str, order: &str| {
                let is_visible = task_is_visible!();
                format!(
                    "SELECT {select} FROM task t {join} WHERE t.root = ?5 AND {is_visible} {order}"
                )
            };
            let tasks = rows("t.made, t.now", "", "ORDER BY t.n");
            let hops = "JOIN hop h ON h.root = t.root AND h.task = t.n";
            let hops = rows(hop_columns!(), hops, "ORDER BY h.n");
            let groups = "JOIN task_group g ON g.root = t.root AND g.owner = t.n";
            let groups = rows("g.doc", groups, "ORDER BY g.n");
            let at = "JOIN conversation c ON c.root = t.conversation_root AND c.n = t.conversation";
            let at = rows(
                concat!("DISTINCT ", conversation_columns!()),
                at,
                "ORDER BY c.root, c.n",
            );
            Ok(Some(Tree {
                root: root_of(conn, task)?,
                tasks: all(conn, &tasks, &params, |row| query::task(row, 0))?,
                hops: all(conn, &hops, &params, read_hop)?,
                groups: all(conn, &groups, &params, |row| doc(row, 0))?,
                conversations: all(conn, &at, &params, read_conversation)?,
            }))
        })
    }

    /// The tasks whose parent is this one, as far as the viewer may see them, in the order in which they were made.
    pub fn children(&self, viewer: &Viewer, task: TaskId) -> Result<Option<Vec<Task>>, StoreError> {
        let query = concat!(
            "SELECT t.made, t.now FROM task t WHERE t.root = ?5 AND t.parent = ?6 AND ",
            task_is_visible!(),
            " ORDER BY t.n"
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            if seen(conn, &eyes, task)?.is_none() {
                return Ok(None);
            }
            let params = eyes.and(&[task.root.as_bytes(), &task.n]);
            all(conn, query, &params, |row| query::task(row, 0)).map(Some)
        })
    }

    /// A fan-out group.
    pub fn group(
        &self,
        viewer: &Viewer,
        id: GroupId,
    ) -> Result<Option<tertulia_acts::group::Group>, StoreError> {
        let query = concat!(
            "SELECT g.doc FROM task_group g JOIN task t ON t.root = g.root AND t.n = g.owner
                WHERE g.root = ?5 AND g.n = ?6 AND ",
            task_is_visible!()
        );
        let eyes = Eyes::of(viewer);
        let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n];
        self.read(|conn| one(conn, query, &eyes.and(params), |row| doc(row, 0)))
    }

    /// A hop.
    pub fn hop(&self, viewer: &Viewer, id: HopId) -> Result<Option<Hop>, StoreError> {
        let query = concat!(
            "SELECT ",
            hop_columns!(),
            " FROM hop h JOIN task t ON t.root = h.root AND t.n = h.task
                WHERE h.root = ?5 AND h.n = ?6 AND ",
            task_is_visible!()
        );
        let eyes = Eyes::of(viewer);
        let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n];
        self.read(|conn| one(conn, query, &eyes.and(params), read_hop))
    }

    /// The lease of a hop token's digest, ended or not, with its hop: what proves who is at work on what.
    pub fn hop_by_token(&self, token: Digest) -> Result<Option<(Lease, Hop)>, StoreError> {
        self.read(|conn| {
            let query = concat!(
                "SELECT ",
                lease_columns!(),
                " FROM lease l WHERE l.token = ?1"
            );
            let Some(lease) = one(conn, query, &[&token.0], read_lease)? else {
                return Ok(None);
            };
            let query = concat!(
                "SELECT ",
                hop_columns!(),
                " FROM hop h WHERE h.root = ?1 AND h.n = ?2"
            );
            let id = lease.hop;
            let hop = one(conn, query, &[id.root.as_bytes(), &id.n], read_hop)?;
            Ok(hop.map(|hop| (lease, hop)))
        })
    }
}
