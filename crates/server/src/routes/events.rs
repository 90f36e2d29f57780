//! Streams of events: cursors over a log without gaps (SEMANTICS 15). They read in pages, hold no transaction, and
//! read on only when the client has taken what was read, so that a slow one costs a page and no more.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::response::sse::{Event as Message, KeepAlive, Sse};
use futures_util::{Stream, stream};
use http::HeaderMap;
use serde::Deserialize;
use tertulia_acts::{
    event::Event,
    ids::{ConversationId, TaskId},
    limits::PAGE,
    viewer::Viewer,
};
use tertulia_engine::{Seat, StoreError, Watch, read::Events};
use utoipa::IntoParams;

use crate::{
    body::{Asked, Named},
    problem::Problem,
    sight::Sight,
    view::event::{EventView, act_of},
};

/// How often a client hears that the stream lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often a stream looks by itself, beside being woken.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Bytes of messages that are read ahead of a slow client; the one that goes over it is the last.
const BYTES_AHEAD: usize = 256 * 1024;

/// Where a stream begins.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct From {
    /// After the event of this number; `Last-Event-ID` goes before it.
    after: Option<u32>,
}

/// What is watched.
#[derive(Debug, Clone, Copy)]
enum Watched {
    Task(TaskId),
    Conversation(ConversationId),
}

impl Watched {
    fn page(self, sight: &Sight, after: u32, limit: usize) -> Result<Option<Events>, StoreError> {
        let reader = sight.engine.reader();
        match self {
            Self::Task(id) => reader.events_of_task(&sight.viewer, id, after, limit),
            Self::Conversation(id) => {
                reader.events_of_conversation(&sight.viewer, id, after, limit)
            }
        }
    }

    fn watch(self, sight: &Sight) -> Watch {
        match self {
            Self::Task(id) => sight.engine.watch_task(id),
            Self::Conversation(id) => sight.engine.watch_conversation(id),
        }
    }

    const fn number(self, event: &Event) -> u32 {
        match self {
            Self::Task(_) => event.task_n,
            Self::Conversation(_) => event.n,
        }
    }

    fn absent(self) -> Problem {
        match self {
            Self::Task(id) => Problem::not_found(format_args!("task {id}")),
            Self::Conversation(id) => Problem::not_found(format_args!("conversation {id}")),
        }
    }
}

/// The events of a task.
#[utoipa::path(
    get, path = "/v1/tasks/{id}/events", tag = "principals",
    params(("id" = String, Path), From, ("Last-Event-ID" = Option<u32>, Header), ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "Server-sent events; each one's data is an Event",
        content_type = "text/event-stream", body = EventView)),
)]
pub(crate) async fn of_task(
    sight: Sight,
    Named(id): Named<TaskId>,
    Asked(from): Asked<From>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Message, Infallible>>>, Problem> {
    follow(sight, Watched::Task(id), cursor(&headers, &from)?)
}

/// The events of a conversation.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/events", tag = "principals",
    params(("id" = String, Path), From, ("Last-Event-ID" = Option<u32>, Header), ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "Server-sent events; each one's data is an Event",
        content_type = "text/event-stream", body = EventView)),
)]
pub(crate) async fn of_conversation(
    sight: Sight,
    Named(id): Named<ConversationId>,
    Asked(from): Asked<From>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Message, Infallible>>>, Problem> {
    follow(sight, Watched::Conversation(id), cursor(&headers, &from)?)
}

fn cursor(headers: &HeaderMap, from: &From) -> Result<u32, Problem> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(from.after.unwrap_or(0));
    };
    let number = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| Problem::malformed("last-event-id", "expected the number of an event"))
}

/// A stream between two messages.
struct Following {
    _seat: Seat,
    sight: Sight,
    watched: Watched,
    watch: Watch,
    after: u32,
    read: VecDeque<Message>,
}

fn follow(
    sight: Sight,
    watched: Watched,
    after: u32,
) -> Result<Sse<impl Stream<Item = Result<Message, Infallible>>>, Problem> {
    // The watch begins before the first look, so that nothing falls between.
    let watch = watched.watch(&sight);
    let first = watched
        .page(&sight, after, 0)?
        .ok_or_else(|| watched.absent())?;
    if after > first.last {
        let what = format!(
            "the last event is {}, and the cursor stands behind it",
            first.last
        );
        return Err(Problem::malformed("last-event-id", what));
    }
    let Viewer { tenant, party, .. } = &sight.viewer;
    let following = Following {
        _seat: sight.engine.seat(*tenant, party)?,
        sight,
        watched,
        watch,
        after,
        read: VecDeque::new(),
    };
    let messages = stream::unfold(following, |mut following| async {
        let message = following.next().await?;
        Some((Ok(message), following))
    });
    Ok(Sse::new(messages).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

impl Following {
    /// The next message; none when the server shuts down, or the log cannot be read: the client comes again with its
    /// cursor.
    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            match self.look() {
                Ok(true) if !self.read.is_empty() => {}
                Ok(true) if !self.sight.engine.draining() => {
                    let _looks_anyway =
                        tokio::time::timeout(LOOK_EVERY, self.watch.changed()).await;
                }
                Ok(_) => return None,
                Err(problem) => {
                    tracing::warn!(%problem, "a stream of events broke off");
                    return None;
                }
            }
        }
    }

    /// Reads a page; whether what is watched is still seen.
    fn look(&mut self) -> Result<bool, Problem> {
        self.sight.holds()?;
        let Some(page) = self.watched.page(&self.sight, self.after, PAGE)? else {
            return Ok(false);
        };
        let mut bytes = 0;
        for event in page.events {
            let n = self.watched.number(&event);
            let act = match act_of(&event) {
                Some(id) => self.sight.engine.reader().act(&self.sight.viewer, id)?,
                None => None,
            };
            let kind = event.kind.name();
            let view = EventView::new(event, n, act);
            let data = serde_json::to_string(&view).map_err(Problem::internal)?;
            bytes += data.len();
            self.read
                .push_back(Message::default().id(n.to_string()).event(kind).data(data));
            self.after = n;
            if bytes > BYTES_AHEAD {
                break;
            }
        }
        Ok(true)
    }
}
