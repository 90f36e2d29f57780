//! Bodies that nobody reads: a call may be answered before its body was read, by who calls or what it says of itself. Were
//! the rest dropped there, the connection would be reset under the caller's hands, often before it has read the answer.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, HttpBody},
    extract::Request,
};
use bytes::Bytes;
use http::header;
use http_body::Frame;
use http_body_util::{BodyExt, Limited};
use tertulia_acts::limits::REQUEST_BYTES;

use crate::problem::{Code, Problem};

/// So many bytes are read on at most: of a body that was refused for its size, too.
const READ_ON_BYTES: usize = 4 * REQUEST_BYTES;
/// How long the rest of a body is read on.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sees to it that the body of a call is read on where its handler does not read it.
///
/// # Errors
/// The body is compressed, which is not read here.
pub(crate) async fn read_on(request: Request) -> Result<Request, Problem> {
    let encoding = request.headers().get(header::CONTENT_ENCODING);
    let plain = encoding.is_none_or(|name| name.as_bytes().eq_ignore_ascii_case(b"identity"));
    let request = request.map(|body| {
        if body.is_end_stream() {
            return body;
        }
        Body::new(ReadOn { body: Some(body) })
    });
    if plain {
        return Ok(request);
    }
    let detail = "the body is compressed (`Content-Encoding`); send it as it is";
    Err(Problem::new(Code::UnsupportedMediaType, detail))
}

/// A body that is read on when it is dropped before its end.
struct ReadOn {
    /// None once it has ended.
    body: Option<Body>,
}

impl HttpBody for ReadOn {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let none = || http_body::SizeHint::with_exact(0);
        self.body.as_ref().map_or_else(none, HttpBody::size_hint)
    }
}

impl Drop for ReadOn {
    fn drop(&mut self) {
        let rest = self.body.take().filter(|body| !body.is_end_stream());
        if let (Some(rest), Ok(runtime)) = (rest, tokio::runtime::Handle::try_current()) {
            runtime.spawn(drain(rest));
        }
    }
}

/// Reads a body to its end, as far as one may go and not for long; what is left then ends with the connection.
async fn drain(body: Body) {
    let mut rest = Limited::new(body, READ_ON_BYTES);
    let read = async { while let Some(Ok(_)) = rest.frame().await {} };
    if tokio::time::timeout(PATIENCE, read).await.is_err() {
        tracing::debug!("a caller did not end its body in time");
    }
}
