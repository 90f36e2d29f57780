//! The events of a task at a peer, as they come.

use std::{pin::Pin, time::Duration};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use reqwest::Response;

use super::{Binding, Error, sse::Reader, transport::ANSWER_BYTES};
use crate::wire::{StreamResponse, jsonrpc, parse_json};

/// How long a stream may be silent. Peers that live send comments more often than this.
const SILENCE: Duration = Duration::from_mins(1);

/// The events of a task.
pub struct Events {
    chunks: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    reader: Reader,
    binding: Binding,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events")
            .field("binding", &self.binding)
            .finish_non_exhaustive()
    }
}

impl Events {
    pub(super) fn new(response: Response, binding: Binding) -> Self {
        Self {
            chunks: Box::pin(response.bytes_stream()),
            reader: Reader::default(),
            binding,
        }
    }

    /// The next event; none once the peer has closed the stream.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn next(&mut self) -> Result<Option<StreamResponse>, Error> {
        loop {
            let found = self.reader.next(ANSWER_BYTES).map_err(|_| {
                Error::Nonsense(format!("an event has more than {ANSWER_BYTES} bytes"))
            })?;
            if let Some(data) = found {
                return self.read(&data).map(Some);
            }
            let chunk = tokio::time::timeout(SILENCE, self.chunks.next()).await;
            match chunk {
                Ok(Some(Ok(chunk))) => self.reader.feed(&chunk),
                Ok(Some(Err(error))) => return Err(Error::of(&error)),
                Ok(None) => return Ok(None),
                Err(_) => {
                    let seconds = SILENCE.as_secs();
                    return Err(Error::Broken(format!(
                        "the stream was silent for {seconds} s"
                    )));
                }
            }
        }
    }

    fn read(&self, data: &[u8]) -> Result<StreamResponse, Error> {
        match self.binding {
            Binding::HttpJson => {
                parse_json(data, ANSWER_BYTES).map_err(|error| Error::Nonsense(error.message))
            }
            Binding::JsonRpc => match jsonrpc::parse_response(data, ANSWER_BYTES) {
                Ok(response) => response.outcome.map_err(Error::Peer),
                Err(error) => Err(Error::Nonsense(error.message)),
            },
        }
    }
}
