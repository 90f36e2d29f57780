//! Connections: how many there are, how long a call may take to come, and how they end.

use std::{
    future::Future,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    BoxError, Router,
    body::{Body, HttpBody},
    extract::ConnectInfo,
};
use bytes::Bytes;
use http::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tertulia_acts::{
    limits::{BODY_WITHIN, CALLS_PER_CONNECTION, CONNECTIONS, HEADERS_WITHIN},
    time::Millis,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Sleep, sleep, timeout},
};
use tower::ServiceExt;

use crate::problem::{Code, Problem};

/// What connections may do. By default, what `limits` says.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How many there are at once.
    pub connections: usize,
    /// How long the head of a call may take, from when it is awaited.
    pub headers_within: Duration,
    /// How long the body of a call may take after that.
    pub body_within: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        let span = |millis: Millis| Duration::from_millis(millis.0.unsigned_abs());
        Self {
            connections: CONNECTIONS,
            headers_within: span(HEADERS_WITHIN),
            body_within: span(BODY_WITHIN),
        }
    }
}

/// How long nothing is accepted after that failed: there are no more files, most likely.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How soon it is looked whether more of that has come.
const PREFACE_STEP: Duration = Duration::from_millis(50);
/// How long a peer on HTTP/2 may be silent before it is asked whether it lives, and how long it may take to say so.
const PING_EVERY: Duration = Duration::from_secs(30);
const PONG_WITHIN: Duration = Duration::from_secs(20);
/// Connections beyond the bound that are told so at once; others are just closed.
const TOLD_AT_ONCE: usize = 64;
/// How long a connection that is turned away may take to read why.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// Serves until `shutdown` is over, then lets the calls end that have begun. Drain the engine first: it ends the calls
/// that wait, and the streams.
///
/// # Errors
/// None: where a connection cannot be accepted, it tries again.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_within(listener, router, Bounds::default(), shutdown).await
}

/// The same, with bounds of one's own.
///
/// # Errors
/// See [`serve`].
pub async fn serve_within(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let door = Door {
        // Made ready once and not for each call.
        router: router.with_state(()),
        bounds,
    };
    let seats = Arc::new(Semaphore::new(bounds.connections));
    let told = Arc::new(Semaphore::new(TOLD_AT_ONCE));
    let (stop, stopping) = watch::channel(());
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, peer)) => match Arc::clone(&seats).try_acquire_owned() {
                Ok(seat) => {
                    let door = door.clone();
                    tokio::spawn(door.connection(stream, peer, seat, stopping.clone()));
                }
                Err(_) => turn_away(stream, bounds.connections, &told),
            },
            Err(error) if is_of_the_peer(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted; trying again");
                sleep(AFTER_FAILURE).await;
            }
        }
    }
    drop(listener);
    drop(stopping);
    // It fails where nobody is left to be told.
    let _nobody = stop.send(());
    stop.closed().await;
    Ok(())
}

fn is_of_the_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// What every connection is served by.
#[derive(Clone)]
struct Door {
    router: Router,
    bounds: Bounds,
}

impl Door {
    async fn connection(
        self,
        stream: TcpStream,
        peer: SocketAddr,
        _seat: OwnedSemaphorePermit,
        mut stopping: watch::Receiver<()>,
    ) {
        // Answers are small and wait for nobody.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        let Bounds {
            headers_within,
            body_within,
            ..
        } = self.bounds;
        let begun = tokio::select! {
            begun = timeout(headers_within, begin(&stream)) => matches!(begun, Ok(Ok(()))),
            _ = stopping.changed() => false,
        };
        if !begun {
            return;
        }
        let router = self.router;
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(|body| Body::new(Timely::new(body, body_within)));
            request.extensions_mut().insert(ConnectInfo(peer));
            router.clone().oneshot(request)
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(headers_within);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PONG_WITHIN)
            .max_concurrent_streams(CALLS_PER_CONNECTION);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = stopping.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(error, "a connection broke off");
        }
    }
}

/// Waits until enough has come to tell which HTTP is spoken. What tells it further on waits without end.
async fn begin(stream: &TcpStream) -> io::Result<()> {
    let mut seen = [0; PREFACE.len()];
    loop {
        let n = stream.peek(&mut seen).await?;
        if n == 0 || n == seen.len() || seen[..n] != PREFACE[..n] {
            return Ok(());
        }
        sleep(PREFACE_STEP).await;
    }
}

/// Says why, and closes.
fn turn_away(mut stream: TcpStream, most: usize, told: &Arc<Semaphore>) {
    let Ok(one_of_few) = Arc::clone(told).try_acquire_owned() else {
        return;
    };
    let detail = format!(
        "{most} connections are open, as many as this server has at once; close those that you do not need, and connect \
         again in a moment"
    );
    let problem = Problem::new(Code::Overloaded, detail).view();
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    tokio::spawn(async move {
        let _one_of_few = one_of_few;
        // Until the peer closes: what it sent and nobody read would take the answer back.
        let tell = async {
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await?;
            let mut rest = [0; 1024];
            while stream.read(&mut rest).await? > 0 {}
            io::Result::Ok(())
        };
        if !matches!(timeout(TOLD_WITHIN, tell).await, Ok(Ok(()))) {
            tracing::debug!("a connection that was turned away did not hear why");
        }
    });
}

/// A body that comes in time, or breaks off.
struct Timely {
    body: Incoming,
    within: Duration,
    /// Set when it first has to be waited for: most bodies are there with their head.
    until: Option<Pin<Box<Sleep>>>,
}

impl Timely {
    const fn new(body: Incoming, within: Duration) -> Self {
        Self {
            body,
            within,
            until: None,
        }
    }
}

impl HttpBody for Timely {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        let within = self.within;
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(within)));
        ready!(until.as_mut().poll(cx));
        let what = format!(
            "it did not come within {} ms of its head; send it without a pause",
            within.as_millis()
        );
        Poll::Ready(Some(Err(what.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
