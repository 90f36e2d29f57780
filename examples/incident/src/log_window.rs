//! A log window: the events of many services, with repeats dropped, stack traces joined to their
//! events and wrong clocks corrected.

use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};

use crate::investigation::{Source, Window};
use crate::log_line::{self, Event, Level, Line};

/// A line that occurs again within so many lines was sent twice by the collector.
const REPEAT_WITHIN: usize = 60;
/// A stack trace belongs to an event that began at most so many lines before.
const TRACE_WITHIN: u32 = 40;
/// Neighbours on each side that tell what time it was when a line was received.
const NEIGHBOURS: usize = 20;
/// A clock this far off its neighbours is wrong; anything less is delay on the way.
const WRONG_CLOCK: SignedDuration = SignedDuration::from_secs(20);

/// One event of the window.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The line it begins on, from 1.
    pub line: u32,
    /// Further lines that belong to it.
    pub trace: Vec<u32>,
    /// The line of the stack trace that gave the cause, if it did not come with the event.
    pub cause_line: Option<u32>,
    /// When it happened: the host's time, corrected if its clock is wrong.
    pub at: Timestamp,
    /// What the line said. Its `at` is the uncorrected time; a cause from the trace is filled in.
    pub event: Event,
}

impl Entry {
    /// Whether the writer called it an error.
    pub fn is_error(&self) -> bool {
        self.event.level == Some(Level::Error)
    }
}

/// The readable events of a log window in the order in which they were received.
#[derive(Clone, Debug)]
pub struct LogWindow {
    /// The file they are from.
    pub source: Source,
    /// The events.
    pub entries: Vec<Entry>,
    /// Lines that repeat an earlier one and were not counted again.
    pub repeated: Vec<u32>,
    /// Lines that say nothing readable: empty, remarks of the collector, orphaned traces.
    pub unreadable: Vec<u32>,
    /// How far the clocks of hosts are off; positive means ahead. Only wrong ones are listed.
    pub wrong_clocks: BTreeMap<String, SignedDuration>,
}

impl LogWindow {
    /// Reads a log. Never fails: what cannot be read is listed in `unreadable`.
    pub fn read(source: Source, text: &str) -> Self {
        let mut reader = Reader::new(year_of(text));
        for (number, raw) in (1..).zip(text.split('\n')) {
            reader.line(number, raw);
        }
        let mut window = Self {
            source,
            entries: reader.entries,
            repeated: reader.repeated,
            unreadable: reader.unreadable,
            wrong_clocks: BTreeMap::new(),
        };
        window.correct_clocks();
        window
    }

    /// From the first to the last event, if there is any.
    pub fn covers(&self) -> Option<Window> {
        let from = self.entries.iter().map(|entry| entry.at).min()?;
        let to = self.entries.iter().map(|entry| entry.at).max()?;
        Some(Window { from, to })
    }

    /// The events that one service wrote.
    pub fn of<'a>(&'a self, service: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries
            .iter()
            .filter(move |entry| entry.event.service == service)
    }

    fn correct_clocks(&mut self) {
        // The first estimate still counts wrong clocks among the witnesses; the second does not.
        let estimate = self.estimate_wrong_clocks(&BTreeMap::new());
        let wrong = self.estimate_wrong_clocks(&estimate);
        for entry in &mut self.entries {
            if let Some(offset) = wrong.get(&entry.event.host) {
                // A time that cannot be corrected stays as it was written.
                entry.at = entry.at.checked_sub(*offset).unwrap_or(entry.at);
            }
        }
        self.wrong_clocks = wrong;
    }

    /// Compares each host's times with those of the lines around, leaving out its own and those of
    /// `distrusted` hosts.
    fn estimate_wrong_clocks(
        &self,
        distrusted: &BTreeMap<String, SignedDuration>,
    ) -> BTreeMap<String, SignedDuration> {
        let mut offsets: BTreeMap<&str, Vec<SignedDuration>> = BTreeMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let host = entry.event.host.as_str();
            let end = self.entries.len().min(index + NEIGHBOURS + 1);
            let near = self.entries[index.saturating_sub(NEIGHBOURS)..end].iter();
            let witnesses = near
                .map(|other| (other.event.host.as_str(), other.at))
                .filter(|(other, _)| *other != host && !distrusted.contains_key(*other));
            if let Some(usual) = median(witnesses.map(|(_, at)| at).collect()) {
                let offset = entry.at.duration_since(usual);
                offsets.entry(host).or_default().push(offset);
            }
        }
        offsets
            .into_iter()
            .filter_map(|(host, offsets)| Some((host.to_owned(), median(offsets)?)))
            .filter(|(_, offset)| offset.abs() >= WRONG_CLOCK)
            .map(|(host, offset)| (host, whole_seconds(offset)))
            .collect()
    }
}

/// Offsets are estimates: fractions of a second would pretend to more.
fn whole_seconds(offset: SignedDuration) -> SignedDuration {
    let half = SignedDuration::from_millis(if offset.is_negative() { -500 } else { 500 });
    SignedDuration::from_secs(offset.saturating_add(half).as_secs())
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// The year of the first line that carries one.
fn year_of(text: &str) -> i16 {
    let dated = text
        .split('\n')
        .find_map(|raw| match log_line::read(raw, 1970) {
            Line::Event(event) => event
                .at
                .map(|at| jiff::tz::Offset::UTC.to_datetime(at).year())
                .filter(|year| *year != 1970),
            _ => None,
        });
    dated.unwrap_or(1970)
}

struct Reader<'a> {
    year: i16,
    recent: VecDeque<&'a str>,
    /// The entry that a stack trace would belong to, unless its beginning was a repeat.
    traced: Option<usize>,
    entries: Vec<Entry>,
    repeated: Vec<u32>,
    unreadable: Vec<u32>,
}

impl<'a> Reader<'a> {
    fn new(year: i16) -> Self {
        Self {
            year,
            recent: VecDeque::new(),
            traced: None,
            entries: Vec::new(),
            repeated: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    fn line(&mut self, number: u32, raw: &'a str) {
        match log_line::read(raw, self.year) {
            Line::Event(event) => self.event(number, raw, event),
            Line::Continuation(text) => self.continuation(number, &text),
            Line::Other if raw.is_empty() => {}
            Line::Other => self.unreadable.push(number),
        }
        self.recent.push_back(raw);
        if self.recent.len() > REPEAT_WITHIN {
            self.recent.pop_front();
        }
    }

    fn event(&mut self, number: u32, raw: &str, event: Event) {
        if self.recent.contains(&raw) {
            self.repeated.push(number);
            if event.may_have_trace {
                self.traced = None;
            }
            return;
        }
        let Some(at) = event.at else {
            self.unreadable.push(number);
            return;
        };
        if event.may_have_trace {
            self.traced = Some(self.entries.len());
        }
        self.entries.push(Entry {
            line: number,
            trace: Vec::new(),
            cause_line: None,
            at,
            event,
        });
    }

    fn continuation(&mut self, number: u32, text: &str) {
        let entry = self.traced.and_then(|index| self.entries.get_mut(index));
        match entry {
            Some(entry) if number - entry.line <= TRACE_WITHIN => {
                entry.trace.push(number);
                if let Some(cause) = text.strip_prefix("Caused by: ") {
                    entry.event.cause = Some(cause.to_owned());
                    entry.cause_line = Some(number);
                } else if entry.event.cause.is_none()
                    && !text.starts_with("at ")
                    && !text.starts_with("... ")
                {
                    entry.event.cause = Some(text.to_owned());
                    entry.cause_line = Some(number);
                }
            }
            _ => self.unreadable.push(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{self, Archive};
    use crate::investigation::SourceKind;

    fn read(text: &str) -> LogWindow {
        let source = Source {
            kind: SourceKind::LogWindow,
            uri: "x.log".to_owned(),
            digest: "sha256:0".to_owned(),
        };
        LogWindow::read(source, text)
    }

    #[test]
    fn a_trace_finds_its_event_across_a_foreign_line_and_gives_the_deepest_cause() {
        let window = read(
            "2026-11-12 14:00:00,000 ERROR [t] checkout-1 o.t.X - failed\n\
             org.tienda.a.Failed: outer\n\
             ts=2026-11-12T14:00:01Z level=info service=cart host=cart-1 msg=saved\n\
             \tat a.b.C.d(C.java:1)\n\
             Caused by: org.tienda.b.Empty: inner\n",
        );
        assert_eq!(window.entries.len(), 2);
        assert_eq!(window.entries[0].trace, [2, 4, 5]);
        assert_eq!(
            window.entries[0].event.cause.as_deref(),
            Some("org.tienda.b.Empty: inner")
        );
        assert!(window.unreadable.is_empty());
    }

    #[test]
    fn a_repeated_line_counts_once_and_so_does_its_trace() {
        let event =
            "2026-11-12 14:00:00,000 ERROR [t] checkout-1 o.t.X - failed\n\tat a.b.C.d(C.java:1)\n";
        let window = read(&event.repeat(2));
        assert_eq!(window.entries.len(), 1);
        assert_eq!(window.repeated, [3]);
        assert_eq!(window.entries[0].trace, [2]);
        assert_eq!(window.unreadable, [4]);
    }

    #[test]
    fn the_wrong_clocks_of_inc_42_are_found_and_corrected() {
        let request = cases::request("INC-42").unwrap();
        let source = request.source(SourceKind::LogWindow).unwrap().clone();
        let text = Archive::Bundled.read(&source).unwrap();
        let window = LogWindow::read(source, &text);
        let hosts: Vec<&str> = window.wrong_clocks.keys().map(String::as_str).collect();
        assert_eq!(hosts, ["checkout-3", "payments-2"]);
        assert!(
            (-97..=-95).contains(&window.wrong_clocks["checkout-3"].as_secs()),
            "{:?}",
            window.wrong_clocks
        );
        assert!(
            (40..=42).contains(&window.wrong_clocks["payments-2"].as_secs()),
            "{:?}",
            window.wrong_clocks
        );
        let covers = window.covers().unwrap();
        assert!(
            request.window.contains(covers.from) && request.window.contains(covers.to),
            "{covers:?}"
        );
        assert!(window.repeated.len() > 20, "{}", window.repeated.len());
        assert!(
            window
                .entries
                .iter()
                .filter(|entry| entry.event.cut)
                .count()
                > 10
        );
        assert!(window.unreadable.len() < 40, "{:?}", window.unreadable);
    }
}
