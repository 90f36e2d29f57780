//! Streams of events that go on where they stopped (SEMANTICS 15).

use std::{collections::VecDeque, time::Duration};

use http::{HeaderName, StatusCode};
use reqwest::Response;
use tokio::time::timeout;

use super::Client;
use crate::{
    problem::Error,
    sse::{Message, Parser, TooLarge},
    wire::{Event, Gap, Watched},
};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Without a byte for so long, the connection is taken for dead and the stream opened again.
const SILENCE: Duration = Duration::from_mins(1);
/// The wait before a stream that the server closed is opened again.
const PAUSE: Duration = Duration::from_millis(500);

impl Client {
    /// The events of a task after number `after`, those to come included.
    pub fn task_events(&self, task: &str, after: u64) -> EventStream {
        EventStream::new(self.clone(), ["tasks", task, "events"], after)
    }

    /// The events of a conversation after number `after`, those to come included.
    pub fn conversation_events(&self, conversation: &str, after: u64) -> EventStream {
        EventStream::new(
            self.clone(),
            ["conversations", conversation, "events"],
            after,
        )
    }
}

/// A stream of events. It is opened again from its cursor when a connection is lost, so nothing is missed and nothing
/// comes twice; it has no end of its own unless the server says so.
#[derive(Debug)]
pub struct EventStream {
    client: Client,
    path: [String; 3],
    cursor: u64,
    connection: Option<(Response, Parser)>,
    ready: VecDeque<Message>,
}

impl EventStream {
    fn new(client: Client, path: [&str; 3], after: u64) -> Self {
        Self {
            client,
            path: path.map(str::to_owned),
            cursor: after,
            connection: None,
            ready: VecDeque::new(),
        }
    }

    /// The number of the last event that was handed out: what to go on from in another run.
    pub const fn cursor(&self) -> u64 {
        self.cursor
    }

    /// The next event; none if the server says that there will be no more. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The stream cannot be opened, for longer than the client's patience, or brings what cannot be read.
    pub async fn next(&mut self) -> Result<Option<Watched>, Error> {
        loop {
            while let Some(message) = self.ready.pop_front() {
                if let Some(watched) = self.take(&message)? {
                    return Ok(Some(watched));
                }
            }
            if self.connection.is_none() && !self.connect().await? {
                return Ok(None);
            }
            self.receive().await?;
        }
    }

    /// Opens the stream from the cursor; false if there is nothing more to come.
    async fn connect(&mut self) -> Result<bool, Error> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let cursor = self.cursor.to_string();
        let call = self.client.get(&path).header(LAST_EVENT_ID, &cursor);
        let response = call.endless().open().await?;
        if response.status() == StatusCode::NO_CONTENT {
            return Ok(false);
        }
        self.connection = Some((response, Parser::default()));
        Ok(true)
    }

    /// Reads what comes next from the connection, or gives it up.
    async fn receive(&mut self) -> Result<(), Error> {
        let Some((response, parser)) = &mut self.connection else {
            return Ok(());
        };
        match timeout(SILENCE, response.chunk()).await {
            Ok(Ok(Some(chunk))) => {
                let mut messages = Vec::new();
                parser.feed(&chunk, &mut messages).map_err(|TooLarge| {
                    Error::Stream("one event is larger than any event is".to_owned())
                })?;
                self.ready.extend(messages);
                return Ok(());
            }
            Ok(Ok(None)) => tracing::debug!("the server closed the stream; opening it again"),
            Ok(Err(error)) => tracing::debug!(%error, "the stream was lost; opening it again"),
            Err(_) => tracing::debug!("the stream is silent; opening it again"),
        }
        self.connection = None;
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    fn take(&mut self, message: &Message) -> Result<Option<Watched>, Error> {
        let nonsense = |source| Error::Nonsense {
            call: format!("GET /v1/{}", self.path.join("/")),
            source,
        };
        if message.event == "gap" {
            let gap: Gap = serde_json::from_str(&message.data).map_err(nonsense)?;
            self.cursor = self.cursor.max(gap.to);
            return Ok(Some(Watched::Gap(gap)));
        }
        if message.id.is_empty() {
            // What has no number is no event of the log, for example a snapshot after a gap.
            return Ok(None);
        }
        let event: Event = serde_json::from_str(&message.data).map_err(nonsense)?;
        if event.n <= self.cursor {
            return Ok(None);
        }
        self.cursor = event.n;
        Ok(Some(Watched::Event(Box::new(event))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, event: &str, data: &str) -> Message {
        Message {
            id: id.to_owned(),
            event: event.to_owned(),
            data: data.to_owned(),
        }
    }

    #[test]
    fn the_cursor_follows_events_and_gaps_and_nothing_comes_twice() {
        let client = Client::new("http://127.0.0.1:1", None).unwrap();
        let mut stream = client.task_events("task_1", 4);
        let repeated = message("4", "task.state", r#"{"n":4,"kind":"task.state"}"#);
        assert_eq!(stream.take(&repeated).unwrap(), None);
        let next = message(
            "5",
            "task.state",
            r#"{"n":5,"kind":"task.state","detail":{}}"#,
        );
        let Some(Watched::Event(event)) = stream.take(&next).unwrap() else {
            panic!("no event")
        };
        assert_eq!((event.n, stream.cursor()), (5, 5));
        let gap = message("", "gap", r#"{"from":6,"to":9}"#);
        assert_eq!(
            stream.take(&gap).unwrap(),
            Some(Watched::Gap(Gap { from: 6, to: 9 }))
        );
        assert_eq!(stream.cursor(), 9);
        assert!(stream.take(&message("10", "x", "no json")).is_err());
    }
}
