//! One physical line of a log: which of the formats it is in, and what it says.
//!
//! Lines are foreign and damaged. Reading one never fails: what cannot be read is a
//! [`Line::Other`], and a line that was cut gives the fields that were complete before the cut.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use serde_json::Value;

/// How grave the writer of a line thought it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For developers.
    Debug,
    /// The ordinary course.
    Info,
    /// Unusual and survivable.
    Warn,
    /// Something failed.
    Error,
}

/// What one line turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The beginning (and mostly the whole) of an event.
    Event(Event),
    /// Part of a stack trace: belongs to the event with a trace that began before it.
    Continuation(String),
    /// Empty, a remark of the collector, or unreadable.
    Other,
}

/// The fields of an event as its first line gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// By the clock of the host that wrote it.
    pub at: Option<Timestamp>,
    /// Absent in access logs and syslog lines.
    pub level: Option<Level>,
    /// The service that wrote it.
    pub service: String,
    /// The host that wrote it.
    pub host: String,
    /// The text.
    pub message: String,
    /// The exception that came with it on the same line.
    pub cause: Option<String>,
    /// Everything else, by name.
    pub attributes: BTreeMap<String, String>,
    /// A stack trace may follow on the next lines.
    pub may_have_trace: bool,
    /// The line was cut on its way.
    pub cut: bool,
}

/// Reads one line. `year` completes syslog dates, which carry none.
pub fn read(raw: &str, year: i16) -> Line {
    let text = strip_colour(raw.trim_start_matches('\u{feff}').trim_end_matches('\r'));
    let line = text.as_str();
    if line.starts_with('{') {
        return read_json(line).map_or(Line::Other, Line::Event);
    }
    if line.starts_with("ts=") {
        return Line::Event(read_logfmt(line));
    }
    if is_continuation(line) {
        return Line::Continuation(line.trim().to_owned());
    }
    read_access(line)
        .or_else(|| read_java(line))
        .or_else(|| read_plain(line))
        .or_else(|| read_syslog(line, year))
        .map_or(Line::Other, Line::Event)
}

/// Stack frames, causes, and a qualified exception name at the very start of a line.
fn is_continuation(line: &str) -> bool {
    if line.starts_with("\tat ") || line.starts_with("\t... ") || line.starts_with("Caused by: ") {
        return true;
    }
    let head = line.split(':').next().unwrap_or_default();
    head.matches('.').count() >= 2
        && head
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '$' | '_'))
        && head
            .rsplit('.')
            .next()
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn read_level(text: &str) -> Option<Level> {
    match text.to_ascii_lowercase().as_str() {
        "trace" | "debug" => Some(Level::Debug),
        "info" | "notice" => Some(Level::Info),
        "warn" | "warning" => Some(Level::Warn),
        "error" | "fatal" | "critical" => Some(Level::Error),
        _ => None,
    }
}

/// The service of a host, by the house rule `<service>-<number>`.
fn service_of_host(host: &str) -> String {
    match host.rsplit_once('-') {
        Some((service, number)) if number.chars().all(|c| c.is_ascii_digit()) => service.to_owned(),
        _ => host.to_owned(),
    }
}

fn read_json(line: &str) -> Option<Event> {
    let whole = serde_json::from_str::<BTreeMap<String, Value>>(line);
    let cut = whole.is_err();
    let fields: BTreeMap<String, String> = match whole {
        Ok(map) => map
            .into_iter()
            .map(|(key, value)| (key, plain(value)))
            .collect(),
        Err(_) => fields_before_the_cut(line),
    };
    let event = event_from_fields(fields, cut);
    (event.at.is_some() || !event.message.is_empty()).then_some(event)
}

fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Takes the fields out of an object whose end is missing. A value that the cut goes through is
/// kept as far as it reaches.
fn fields_before_the_cut(line: &str) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let mut rest = line.trim_start_matches('{');
    while let Some((key, after_key)) = take_string(rest) {
        let after_colon = after_key.trim_start().trim_start_matches(':').trim_start();
        let (value, after_value) = if after_colon.starts_with('"') {
            take_string(after_colon).unwrap_or_default()
        } else {
            let end = after_colon.find([',', '}']).unwrap_or(after_colon.len());
            (after_colon[..end].to_owned(), &after_colon[end..])
        };
        if !key.is_empty() && !value.is_empty() {
            fields.insert(key, value);
        }
        rest = after_value.trim_start_matches([',', ' ', '}']);
    }
    fields
}

/// The string that `text` begins with, without its quotes, and what follows it.
fn take_string(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut out = String::new();
    let mut escaped = false;
    for (index, c) in inner.char_indices() {
        match c {
            _ if escaped => {
                out.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some((out, &inner[index + 1..])),
            _ => out.push(c),
        }
    }
    Some((out, ""))
}

/// Teams name the same things differently; these are the names in use.
fn event_from_fields(mut fields: BTreeMap<String, String>, cut: bool) -> Event {
    let mut take = |names: [&str; 2]| names.iter().find_map(|name| fields.remove(*name));
    let at = take(["ts", "time"]).and_then(|text| read_instant(&text));
    let level = take(["level", "lvl"]).and_then(|text| read_level(&text));
    let host = take(["host", "node"]).unwrap_or_default();
    let service = take(["service", "svc"]).unwrap_or_else(|| service_of_host(&host));
    let message = take(["msg", "message"]).unwrap_or_default();
    let cause = take(["exception", "error"]);
    Event {
        at,
        level,
        service,
        host,
        message,
        cause,
        attributes: fields,
        may_have_trace: false,
        cut,
    }
}

/// RFC 3339, or milliseconds since 1970.
fn read_instant(text: &str) -> Option<Timestamp> {
    match text.parse::<i64>() {
        Ok(milliseconds) => Timestamp::from_millisecond(milliseconds).ok(),
        Err(_) => text.parse().ok(),
    }
}

fn read_logfmt(line: &str) -> Event {
    let mut fields = BTreeMap::new();
    let mut cut = false;
    let mut rest = line.trim_start();
    while let Some((key, after)) = rest.split_once('=') {
        let value;
        if after.starts_with('"') {
            let (text, following) = take_string(after).unwrap_or_default();
            cut |= following.is_empty() && !after.ends_with('"');
            (value, rest) = (text, following);
        } else {
            let end = after.find(' ').unwrap_or(after.len());
            (value, rest) = (after[..end].to_owned(), &after[end..]);
        }
        fields.insert(key.trim().to_owned(), value);
    }
    event_from_fields(fields, cut)
}

/// `10.0.0.1 - - [12/Nov/2026:14:07:31 +0000] "GET / HTTP/1.1" 200 17 "-" "agent" rt=0.1 host=h upstream=u`
fn read_access(line: &str) -> Option<Event> {
    let (client, rest) = line.split_once(" - - [")?;
    let (stamp, rest) = rest.split_once("] ")?;
    let at = read_access_instant(stamp)?;
    let mut attributes = BTreeMap::from([("client".to_owned(), client.to_owned())]);
    let (request, rest) = take_string(rest).unwrap_or_default();
    let mut words = rest.split_whitespace();
    if let Some(status) = words.next() {
        attributes.insert("status".to_owned(), status.to_owned());
    }
    // What the client calls itself stands in quotes and is skipped: only what the gateway wrote
    // after the last quote is read.
    let tail = rest.rsplit_once('"').map_or("", |(_, tail)| tail);
    for pair in tail.split_whitespace() {
        if let Some((key, value)) = pair.split_once('=') {
            attributes.insert(key.to_owned(), value.to_owned());
        }
    }
    let cut = !attributes.contains_key("upstream");
    let host = attributes.remove("host").unwrap_or_default();
    Some(Event {
        at: Some(at),
        service: "gateway".to_owned(),
        host,
        message: request,
        attributes,
        cut,
        ..Event::default()
    })
}

fn read_access_instant(stamp: &str) -> Option<Timestamp> {
    let (date, rest) = stamp.split_once(':')?;
    let (clock, offset) = rest.split_once(' ')?;
    let mut parts = date.split('/');
    let (day, name, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = month(name)?;
    let (hours, minutes) = offset.split_at_checked(3)?;
    format!("{year}-{month:02}-{day}T{clock}{hours}:{minutes}")
        .parse()
        .ok()
}

fn month(name: &str) -> Option<i8> {
    let names = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    (1..)
        .zip(names)
        .find(|(_, known)| *known == name)
        .map(|(number, _)| number)
}

/// `2026-11-12 14:05:55,204 ERROR [http-33] checkout-3 o.t.checkout.PaymentStep - text`
fn read_java(line: &str) -> Option<Event> {
    let stamp = line.get(..23)?;
    let at = stamp
        .replace(',', ".")
        .parse::<DateTime>()
        .ok()
        .and_then(in_utc)?;
    let mut words = line.get(24..)?.splitn(4, ' ');
    let level = read_level(words.next()?)?;
    let _thread = words.next()?;
    let host = words.next()?.to_owned();
    let (logger, message) = words.next()?.split_once(" - ")?;
    Some(Event {
        at: Some(at),
        level: Some(level),
        service: service_of_host(&host),
        host,
        message: message.to_owned(),
        attributes: BTreeMap::from([("logger".to_owned(), logger.to_owned())]),
        may_have_trace: true,
        ..Event::default()
    })
}

/// `WARN 2026-11-12T14:20:31.002Z recommendations recs-3 text`
fn read_plain(line: &str) -> Option<Event> {
    let mut words = line.splitn(5, ' ');
    let level = read_level(words.next()?)?;
    let at = words.next()?.parse().ok()?;
    let (service, host) = (words.next()?.to_owned(), words.next()?.to_owned());
    let message = words.next().unwrap_or_default().to_owned();
    Some(Event {
        at: Some(at),
        level: Some(level),
        service,
        host,
        message,
        ..Event::default()
    })
}

/// `Nov 12 14:00:01 batch-1 CRON[2211]: text`: no year, no level, no zone; the hosts run on UTC.
fn read_syslog(line: &str, year: i16) -> Option<Event> {
    let mut words = line.split_whitespace();
    let month = month(words.next()?)?;
    let day = words.next()?.parse().ok()?;
    let clock: jiff::civil::Time = words.next()?.parse().ok()?;
    let (host, program) = (words.next()?, words.next()?);
    let (_, message) = line.split_once(": ")?;
    let at = in_utc(Date::new(year, month, day).ok()?.to_datetime(clock))?;
    let service = program.split(['[', ':']).next().unwrap_or(program);
    Some(Event {
        at: Some(at),
        service: service.to_owned(),
        host: host.to_owned(),
        message: message.to_owned(),
        ..Event::default()
    })
}

fn in_utc(moment: DateTime) -> Option<Timestamp> {
    Offset::UTC.to_timestamp(moment).ok()
}

/// Removes the escape sequences that colour a terminal.
fn strip_colour(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.find('m').map_or("", |end| &after[end + 1..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(line: &str) -> Event {
        match read(line, 2026) {
            Line::Event(event) => event,
            other => panic!("{line} was read as {other:?}"),
        }
    }

    #[test]
    fn the_same_moment_is_read_from_every_format() {
        let moment: Timestamp = "2026-11-12T14:07:31Z".parse().unwrap();
        for (line, service) in [
            (
                r#"{"ts":"2026-11-12T14:07:31.000Z","level":"ERROR","service":"checkout","host":"checkout-1","msg":"no"}"#,
                "checkout",
            ),
            (
                r#"{"time": 1794492451000, "lvl": "info", "svc": "inventory", "node": "inventory-1", "message": "reserved"}"#,
                "inventory",
            ),
            (
                r#"ts=2026-11-12T14:07:31Z level=info service=cart host=cart-1 msg="a \"b\" c" items=3"#,
                "cart",
            ),
            (
                r#"10.1.2.3 - - [12/Nov/2026:15:07:31 +0100] "GET / HTTP/1.1" 502 9 "-" "x status=200" rt=0.2 host=gateway-1 upstream=checkout-2"#,
                "gateway",
            ),
            (
                "2026-11-12 14:07:31,000 ERROR [http-3] checkout-3 o.t.X - broken",
                "checkout",
            ),
            (
                "\u{1b}[33mWARN\u{1b}[0m 2026-11-12T14:07:31Z recommendations recs-1 old field",
                "recommendations",
            ),
            (
                "Nov 12 14:07:31 batch-1 CRON[99]: (reports) CMD (x)",
                "CRON",
            ),
        ] {
            let event = event(line);
            assert_eq!(event.at, Some(moment), "{line}");
            assert_eq!(event.service, service, "{line}");
            assert!(!event.cut, "{line}");
        }
    }

    #[test]
    fn a_cut_line_gives_what_was_complete_before_the_cut() {
        let event = event(
            r#"{"ts":"2026-11-12T14:07:31Z","level":"ERROR","service":"checkout","host":"checkout-1","msg":"payment failed","order":7,"exception":"a.b.C: no conn"#,
        );
        assert!(event.cut);
        assert_eq!(event.level, Some(Level::Error));
        assert_eq!(event.message, "payment failed");
        assert_eq!(event.cause.as_deref(), Some("a.b.C: no conn"));
    }

    #[test]
    fn a_client_cannot_write_the_gateways_fields() {
        let event = event(
            r#"10.1.2.3 - - [12/Nov/2026:14:07:31 +0000] "GET / HTTP/1.1" 200 9 "-" "upstream=inventory-1 host=evil" rt=0.2 host=gateway-1 upstream=checkout-2"#,
        );
        assert_eq!(event.host, "gateway-1");
        assert_eq!(event.attributes["upstream"], "checkout-2");
        assert_eq!(event.attributes["status"], "200");
    }

    #[test]
    fn traces_are_told_from_events_and_remarks() {
        assert!(matches!(
            read("\tat a.b.C.d(C.java:1)", 2026),
            Line::Continuation(_)
        ));
        assert!(matches!(
            read("org.tienda.X.PaymentFailed: no", 2026),
            Line::Continuation(_)
        ));
        assert_eq!(
            read("--- collector: connection lost ---", 2026),
            Line::Other
        );
        assert_eq!(read("", 2026), Line::Other);
        assert_eq!(read("{", 2026), Line::Other);
        assert_eq!(read("ünïcödé \u{202e} ☃", 2026), Line::Other);
    }

    #[test]
    fn a_line_cut_anywhere_is_read_without_a_panic_and_never_as_a_graver_one() {
        let log = include_str!("../evidence/inc-42/checkout.log");
        for raw in log.split('\n').skip(2200).take(120) {
            let level = |line: &str| match read(line, 2026) {
                Line::Event(event) => event.level,
                _ => None,
            };
            let whole = level(raw);
            for (end, _) in raw.char_indices() {
                let part = level(&raw[..end]);
                assert!(part.is_none() || part == whole, "{}", &raw[..end]);
            }
        }
    }
}
