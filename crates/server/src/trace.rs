//! Traces of calls: one span each, with the request id and the caller's W3C trace context (DESIGN 7).

use axum::{body::Body, extract::MatchedPath};
use http::{HeaderMap, Request};
use tower_http::{
    classify::{ServerErrorsAsFailures, SharedClassifier},
    trace::{DefaultOnResponse, MakeSpan, TraceLayer},
};
use tracing::{Level, Span, field};

/// Opens the span of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfCall;

impl MakeSpan<Body> for OfCall {
    fn make_span(&mut self, request: &Request<Body>) -> Span {
        let path = request.extensions().get::<MatchedPath>();
        let header = |name: &str| {
            request
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let span = tracing::info_span!(
            "call",
            method = %request.method(),
            // The route, not the address: ids in an address say whose it is.
            route = path.map_or("", MatchedPath::as_str),
            request_id = header("x-request-id").unwrap_or_default(),
            trace_id = field::Empty,
            parent_id = field::Empty,
        );
        if let Some((trace, parent)) = context(request.headers()) {
            span.record("trace_id", trace);
            span.record("parent_id", parent);
        }
        span
    }
}

/// The layer that traces calls.
pub(crate) fn layer() -> TraceLayer<SharedClassifier<ServerErrorsAsFailures>, OfCall> {
    TraceLayer::new_for_http()
        .make_span_with(OfCall)
        .on_response(DefaultOnResponse::new().level(Level::DEBUG))
}

/// The trace and the span of `traceparent`, if it is one (W3C Trace Context, version 00).
fn context(headers: &HeaderMap) -> Option<(&str, &str)> {
    let text = headers.get("traceparent")?.to_str().ok()?;
    let mut fields = text.split('-');
    let (version, trace, parent, flags) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    let is_hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_id = |text: &str, digits| is_hex(text, digits) && text.bytes().any(|b| b != b'0');
    let known = version != "00" || fields.next().is_none();
    let well = is_hex(version, 2) && version != "ff" && is_hex(flags, 2) && known;
    (well && is_id(trace, 32) && is_id(parent, 16)).then_some((trace, parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String)> {
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", text.parse().unwrap());
        context(&headers).map(|(trace, parent)| (trace.to_owned(), parent.to_owned()))
    }

    #[test]
    fn a_trace_context_is_taken_if_it_is_one() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let parent = "00f067aa0ba902b7";
        let expected = Some((trace.to_owned(), parent.to_owned()));
        assert_eq!(read(&format!("00-{trace}-{parent}-01")), expected);
        assert_eq!(read(&format!("01-{trace}-{parent}-01-more")), expected);
        for wrong in [
            format!("00-{trace}-{parent}-01-more"),
            format!("ff-{trace}-{parent}-01"),
            format!("00-{}-{parent}-01", "0".repeat(32)),
            format!("00-{}-{parent}-01", trace.to_uppercase()),
            format!("00-{trace}-{parent}"),
            "nonsense".to_owned(),
        ] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
    }
}
