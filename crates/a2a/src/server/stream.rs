//! `SendStreamingMessage` and `SubscribeToTask`: cursors over the task's event log. A stream begins with the task as it
//! stands, or goes on after the last event that its reader has seen; closing one changes nothing.

use std::collections::VecDeque;

use futures_util::{Stream, stream};
use tertulia_acts::{event::Event, ids::TaskId, limits::PAGE};
use tertulia_engine::{Seat, Watch, read::TaskRead};

use super::{
    call::{Call, LAST_EVENT_ID, wrong_header},
    failure,
    present::{self, Extent},
    send::{Sent, submit},
    wait::{Woken, news},
};
use crate::{
    map::{self, Files, Shown, Teller, Told},
    wire::{
        A2aError, ErrorKind, SendMessageRequest, StreamResponse, SubscribeToTaskRequest, TaskState,
    },
};

/// One event of a stream.
pub(super) struct Frame {
    /// The number to go on after, with the last frame of what it numbers.
    pub(super) number: Option<u32>,
    /// What is told, or why the stream breaks off.
    pub(super) told: Result<StreamResponse, A2aError>,
}

/// When a stream ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the end of the task.
    End,
    /// There, or when it asks its caller something.
    Question,
}

impl Until {
    fn reached(self, state: TaskState) -> bool {
        state.is_terminal() || (self == Self::Question && state == TaskState::InputRequired)
    }
}

/// `SendStreamingMessage`: until the task has ended or asks its caller something.
pub(super) async fn send(
    call: Call,
    request: SendMessageRequest,
) -> Result<impl Stream<Item = Frame> + Send + use<>, A2aError> {
    let history = request
        .configuration
        .as_ref()
        .and_then(|configuration| configuration.history_length);
    // Taken before anything is stored.
    let seat = call.seat()?;
    match submit(&call, request).await? {
        Sent::Task(id, _) => {
            let watch = call.house.engine.watch_task(id);
            let read = call.read(id)?;
            let mut follow = Follow::new(call, seat, watch, &read, Until::Question)?;
            follow.begin(&read, Extent::of(history))?;
            Ok(follow.frames())
        }
        Sent::Refused(message) => {
            let told = Ok(StreamResponse::Message(*message));
            let mut follow = Follow::idle(call);
            follow.queue.push_back(Frame { number: None, told });
            Ok(follow.frames())
        }
    }
}

/// `SubscribeToTask`: until the task has ended, also across questions.
pub(super) fn subscribe(
    call: Call,
    request: &SubscribeToTaskRequest,
) -> Result<impl Stream<Item = Frame> + Send + use<>, A2aError> {
    let id: TaskId = request
        .id
        .parse()
        .map_err(|_| failure::no_task(&request.id))?;
    let watch = call.house.engine.watch_task(id);
    let read = call.read(id)?;
    let last = read.task.now.last_event;
    if call.seen.is_some_and(|seen| seen > last) {
        let what = format_args!("is beyond the last event of the task, {last}");
        return Err(wrong_header(LAST_EVENT_ID, what));
    }
    let seen = call.seen;
    let seat = call.seat()?;
    let mut follow = Follow::new(call, seat, watch, &read, Until::End)?;
    match seen {
        // One that goes on gets what it missed, also of a task that has ended since.
        Some(seen) => follow.go_on_after(seen),
        None if !read.task.is_open() => {
            let message = format!(
                "task {id} has ended ({}); read it with GetTask",
                read.task.now.state.name()
            );
            return Err(A2aError::new(ErrorKind::UnsupportedOperation, message));
        }
        None => follow.begin(&read, Extent::of(None))?,
    }
    Ok(follow.frames())
}

/// A cursor over the events of a task.
struct Follow {
    call: Call,
    _seat: Option<Seat>,
    task: Option<(TaskId, Watch)>,
    context: String,
    until: Until,
    teller: Teller,
    after: u32,
    queue: VecDeque<Frame>,
    over: bool,
}

impl Follow {
    fn new(
        call: Call,
        seat: Seat,
        watch: Watch,
        read: &TaskRead,
        until: Until,
    ) -> Result<Self, A2aError> {
        let context = present::context(&call, read)?;
        Ok(Self {
            call,
            _seat: Some(seat),
            task: Some((read.task.id(), watch)),
            context,
            until,
            teller: Teller::after(TaskState::Submitted),
            after: 0,
            queue: VecDeque::new(),
            over: false,
        })
    }

    /// One that follows nothing.
    fn idle(call: Call) -> Self {
        Self {
            call,
            _seat: None,
            task: None,
            context: String::new(),
            until: Until::End,
            teller: Teller::after(TaskState::Unspecified),
            after: 0,
            queue: VecDeque::new(),
            over: true,
        }
    }

    /// Begins with the task as it stands.
    fn begin(&mut self, read: &TaskRead, extent: Extent) -> Result<(), A2aError> {
        let task = present::task_in(&self.call, read, &self.context, extent)?;
        let state = task.status.state;
        self.after = read.task.now.last_event;
        self.teller = Teller::after(state);
        self.over = self.until.reached(state);
        self.queue.push_back(Frame {
            number: Some(self.after),
            told: Ok(StreamResponse::Task(task)),
        });
        Ok(())
    }

    fn go_on_after(&mut self, seen: u32) {
        self.after = seen;
    }

    fn frames(self) -> impl Stream<Item = Frame> + Send {
        stream::unfold(self, |mut follow| async move {
            follow.next().await.map(|frame| (frame, follow))
        })
    }

    async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.queue.pop_front() {
                return Some(frame);
            }
            if self.over {
                return None;
            }
            match self.look() {
                Ok(true) => {}
                Ok(false) => {
                    let (_, watch) = self.task.as_mut()?;
                    if news(&self.call, watch, None).await != Woken::News {
                        return None;
                    }
                }
                Err(error) => {
                    self.over = true;
                    return Some(Frame {
                        number: None,
                        told: Err(error),
                    });
                }
            }
        }
    }

    /// Takes in a page of events, and tells whether there was one.
    fn look(&mut self) -> Result<bool, A2aError> {
        let Some((id, _)) = &self.task else {
            return Ok(false);
        };
        let id = *id;
        self.call
            .house
            .engine
            .holds(&self.call.caller)
            .map_err(failure::engine)?;
        let reader = self.call.house.engine.reader();
        let page = reader
            .events_of_task(&self.call.viewer, id, self.after, PAGE)
            .map_err(failure::engine)?
            .ok_or_else(|| failure::no_task(&id.to_string()))?;
        // Read after its events: an end that they tell of is there.
        let read = self.call.read(id)?;
        if page.events.is_empty() {
            // One that goes on after the end has nothing more to come.
            self.over = !read.task.is_open() && read.task.now.last_event <= self.after;
            return Ok(self.over);
        }
        for event in &page.events {
            let told = self.tell(&read, event)?;
            let last = told.len().saturating_sub(1);
            self.queue
                .extend(told.into_iter().enumerate().map(|(n, told)| Frame {
                    number: (n == last).then_some(event.task_n),
                    told: Ok(told),
                }));
            self.after = event.task_n;
            if self.until.reached(self.teller.last()) {
                self.over = true;
                break;
            }
        }
        Ok(true)
    }

    fn tell(&mut self, read: &TaskRead, event: &Event) -> Result<Vec<StreamResponse>, A2aError> {
        let reader = self.call.house.engine.reader();
        let viewer = &self.call.viewer;
        let shown = |files| Shown {
            read,
            viewer,
            context: &self.context,
            history: &[],
            artifacts: true,
            files,
        };
        let files = |act| present::files(&self.call, read.root.id, act);
        match Teller::needs(event) {
            Told::Nothing => Ok(Vec::new()),
            Told::Act(id) => match reader.act(viewer, id).map_err(failure::engine)? {
                Some(act) => {
                    let files: Files = files(vec![&act])?;
                    self.teller.act(&shown(&files), event, &act)
                }
                None => Ok(Vec::new()),
            },
            Told::Ask(id) => match reader.ask(viewer, id).map_err(failure::engine)? {
                Some((ask, query)) => {
                    let files: Files = files(vec![&query])?;
                    self.teller.ask(&shown(&files), event, &ask, &query)
                }
                None => Ok(Vec::new()),
            },
            Told::Task => {
                let files: Files = files(map::acts_shown(viewer, read))?;
                self.teller.state(&shown(&files), event)
            }
        }
    }
}
