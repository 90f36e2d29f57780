//! The logs specialist: what a log window shows about the errors of one service.
//!
//! Pure rules over a [`LogWindow`]. The report keeps to what the lines show; why it happened is for
//! the diagnosis.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::evidence::{Citation, Finding, Findings, Missing};
use crate::investigation::{Investigation, Window};
use crate::log_window::{Entry, LogWindow};
use crate::onset::{self, Beginning, Onset, Rate};
use crate::signature::{self, Cluster};

/// The name of the agent.
pub const AGENT: &str = "logs";
/// Signatures that the report lists.
const TOP_SIGNATURES: usize = 5;
/// A service with fewer events says nothing about whether its errors rose.
const NEIGHBOUR_EVENTS_MIN: usize = 20;
/// Errors of a neighbour rose if they became so many times as frequent.
const NEIGHBOUR_RISE: u32 = 3;
/// Evidence that begins this much after the time asked for leaves a hole.
const HOLE: SignedDuration = SignedDuration::from_mins(3);

/// What the logs specialist hands back: `incident-findings/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogReport {
    /// The incident.
    pub incident: String,
    /// Facts with their lines.
    pub findings: Vec<Finding>,
    /// What the log should hold and does not.
    pub missing_data: Vec<Missing>,
    /// The same in values that the diagnosis reasons with.
    pub logs: LogFacts,
}

/// The values behind the findings of a [`LogReport`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogFacts {
    /// From the first to the last event; absent if nothing was readable.
    pub covers: Option<Window>,
    /// How the errors of the service began.
    pub beginning: Beginning,
    /// The finding that states it.
    pub beginning_finding: Option<String>,
    /// The most frequent errors of the service.
    pub top_signatures: Vec<SignatureCount>,
    /// Other services, and whether their errors rose when those of the service began.
    pub neighbours: Vec<Neighbour>,
    /// Versions of the service that started in the window.
    pub starts: Vec<VersionStart>,
    /// Settings that the service printed when it started, with the finding that cites them.
    pub printed_settings: Vec<PrintedSettings>,
    /// Hosts whose clock is wrong.
    pub wrong_clocks: Vec<WrongClock>,
}

/// An error signature and how often it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureCount {
    /// The text in common.
    pub signature: String,
    /// How often.
    pub count: u32,
    /// The first.
    pub first_seen: Timestamp,
    /// The line of the first.
    pub first_line: u32,
}

/// Another service around the onset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// Its name.
    pub service: String,
    /// Its errors before the onset.
    pub before: Rate,
    /// Its errors after.
    pub after: Rate,
    /// Whether they rose.
    pub rose: bool,
    /// The finding that states it.
    pub finding: String,
}

/// A version that started on hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionStart {
    /// The version.
    pub version: String,
    /// The hosts.
    pub hosts: Vec<String>,
    /// The first start.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
    /// The finding that states it.
    pub finding: String,
}

/// Settings in effect as the service itself printed them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedSettings {
    /// Names and values.
    pub settings: BTreeMap<String, String>,
    /// The finding that states it.
    pub finding: String,
}

/// A host whose clock is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongClock {
    /// The host.
    pub host: String,
    /// How far ahead, in seconds; negative means behind.
    pub seconds_ahead: i64,
    /// The finding that states it.
    pub finding: String,
}

/// Examines a log window for the errors of `question.service` within `question.window`.
pub fn investigate(window: &LogWindow, question: &Investigation) -> LogReport {
    let mut findings = Findings::of(AGENT);
    let covers = window
        .covers()
        .and_then(|covers| overlap(covers, question.window));
    let mut facts = LogFacts {
        covers,
        beginning: Beginning::NotSeen,
        beginning_finding: None,
        top_signatures: Vec::new(),
        neighbours: Vec::new(),
        starts: Vec::new(),
        printed_settings: Vec::new(),
        wrong_clocks: Vec::new(),
    };
    if let Some(covers) = covers {
        let scene = Scene {
            window,
            service: &question.service,
            covers,
        };
        let errors = scene.entries().filter(|entry| entry.is_error());
        let clusters = signature::cluster(errors);
        facts.beginning = onset::find(&clusters, covers);
        facts.beginning_finding = scene.beginning(&facts.beginning, &clusters, &mut findings);
        facts.top_signatures = top(&clusters);
        if let Some(onset) = facts.beginning.onset() {
            scene.gateway(onset, &mut findings);
            facts.neighbours = scene.neighbours(onset, &mut findings);
        }
        facts.starts = scene.starts(&mut findings);
        facts.printed_settings = scene.printed_settings(&mut findings);
        facts.wrong_clocks = scene.clocks(&mut findings);
    }
    let missing_data = missing(covers, question, &facts.beginning);
    LogReport {
        incident: question.incident.clone(),
        findings: findings.into_vec(),
        missing_data,
        logs: facts,
    }
}

fn overlap(a: Window, b: Window) -> Option<Window> {
    let window = Window {
        from: a.from.max(b.from),
        to: a.to.min(b.to),
    };
    (window.from <= window.to).then_some(window)
}

fn top(clusters: &[Cluster<'_>]) -> Vec<SignatureCount> {
    let counts = clusters.iter().take(TOP_SIGNATURES).filter_map(|cluster| {
        let first = cluster.members.iter().min_by_key(|entry| entry.at)?;
        Some(SignatureCount {
            signature: cluster.text.clone(),
            count: u32::try_from(cluster.members.len()).unwrap_or(u32::MAX),
            first_seen: first.at,
            first_line: first.line,
        })
    });
    counts.collect()
}

fn missing(
    covers: Option<Window>,
    question: &Investigation,
    beginning: &Beginning,
) -> Vec<Missing> {
    let service = &question.service;
    let asked = question.window;
    let mut missing = Vec::new();
    let mut hole = |from: Timestamp, to: Timestamp, why: String| {
        missing.push(Missing {
            what: format!("log lines of {service} from {from} to {to}"),
            why_it_matters: why,
            where_to_look: "older log files, backups or another collector of the same hosts"
                .to_owned(),
        });
    };
    let Some(covers) = covers else {
        hole(
            asked.from,
            asked.to,
            format!("nothing of {service} in the time asked for can be read"),
        );
        return missing;
    };
    if covers.from.duration_since(asked.from) > HOLE {
        let why = if matches!(beginning, Beginning::BeforeTheEvidence { .. }) {
            format!(
                "the errors of {service} were already coming when the log begins, so their onset is unknown"
            )
        } else {
            "what happened then is unknown".to_owned()
        };
        hole(asked.from, covers.from, why);
    } else if matches!(beginning, Beginning::BeforeTheEvidence { .. }) {
        hole(
            asked.from,
            asked.from,
            format!("the errors of {service} began before the time asked for"),
        );
    }
    if asked.to.duration_since(covers.to) > HOLE {
        hole(
            covers.to,
            asked.to,
            "whether the errors ended is unknown".to_owned(),
        );
    }
    missing
}

/// The first lines of a signature from `from` on, each with the line that holds its text.
fn first_lines(clusters: &[Cluster<'_>], signature: &str, from: Timestamp) -> Vec<u32> {
    let cluster = clusters.iter().find(|cluster| cluster.text == signature);
    let members = cluster
        .into_iter()
        .flat_map(|cluster| cluster.members.iter());
    let mut first: Vec<&Entry> = members.copied().filter(|entry| entry.at >= from).collect();
    first.sort_by_key(|entry| (entry.at, entry.line));
    let shown = first.into_iter().take(4);
    shown
        .flat_map(|entry| [Some(entry.line), entry.cause_line])
        .flatten()
        .collect()
}

/// The lines of one service in the time that the log covers.
struct Scene<'a> {
    window: &'a LogWindow,
    service: &'a str,
    covers: Window,
}

impl<'a> Scene<'a> {
    fn entries(&self) -> impl Iterator<Item = &'a Entry> {
        let covers = self.covers;
        self.window
            .of(self.service)
            .filter(move |entry| covers.contains(entry.at))
    }

    fn cite(&self, lines: impl IntoIterator<Item = u32>) -> Citation {
        Citation::lines(&self.window.source, lines)
    }

    fn beginning(
        &self,
        beginning: &Beginning,
        clusters: &[Cluster<'_>],
        findings: &mut Findings,
    ) -> Option<String> {
        let service = self.service;
        match beginning {
            Beginning::Seen(onset) => Some(findings.add(
                format!(
                    "errors of {service} began at {} on {} with \"{}\": {} before, {} after",
                    onset.at, onset.host, onset.signature, onset.before, onset.after
                ),
                self.cite(first_lines(clusters, &onset.signature, onset.at)),
                onset.at,
            )),
            Beginning::BeforeTheEvidence { signature, evidence_from, rate } => Some(findings.add(
                format!("errors of {service} were already coming when the log begins at {evidence_from}: \"{signature}\", {rate}"),
                self.cite(first_lines(clusters, signature, *evidence_from)),
                *evidence_from,
            )),
            Beginning::NotSeen => None,
        }
    }

    /// Requests to the service that the gateway answered with a server error.
    fn gateway(&self, onset: &Onset, findings: &mut Findings) {
        let to_service = |entry: &&Entry| {
            let upstream = entry.event.attributes.get("upstream");
            upstream.is_some_and(|host| {
                host.rsplit_once('-')
                    .is_some_and(|(name, _)| name == self.service)
            })
        };
        let failed = |entry: &&Entry| {
            entry
                .event
                .attributes
                .get("status")
                .is_some_and(|status| status.len() == 3 && status.starts_with('5'))
        };
        let failures: Vec<&Entry> = self
            .window
            .of("gateway")
            .filter(to_service)
            .filter(failed)
            .collect();
        let (before, after) = self.around(onset.at, failures.iter().map(|entry| entry.at));
        let later: Vec<&&Entry> = failures
            .iter()
            .filter(|entry| entry.at >= onset.at)
            .collect();
        if let Some(first) = later.first() {
            findings.add(
                format!("the gateway answered requests to {} with a server error: {before} before the onset, {after} after", self.service),
                self.cite(later.iter().take(4).map(|entry| entry.line)),
                first.at,
            );
        }
    }

    fn around(
        &self,
        onset: Timestamp,
        instants: impl Iterator<Item = Timestamp> + Clone,
    ) -> (Rate, Rate) {
        let just_before = onset
            .checked_sub(SignedDuration::from_millis(1))
            .unwrap_or(onset);
        let before = Rate::of(
            instants.clone(),
            Window {
                from: self.covers.from,
                to: just_before,
            },
        );
        let after = Rate::of(
            instants,
            Window {
                from: onset,
                to: self.covers.to,
            },
        );
        (before, after)
    }

    fn neighbours(&self, onset: &Onset, findings: &mut Findings) -> Vec<Neighbour> {
        let levelled = self
            .window
            .entries
            .iter()
            .filter(|entry| entry.event.level.is_some());
        let names: BTreeSet<&str> = levelled.map(|entry| entry.event.service.as_str()).collect();
        let mut neighbours = Vec::new();
        for service in names.into_iter().filter(|name| *name != self.service) {
            let all: Vec<&Entry> = self
                .window
                .of(service)
                .filter(|entry| self.covers.contains(entry.at))
                .collect();
            // A service that writes access lines reports its failures as statuses, not as errors.
            let only_levels = all.iter().all(|entry| entry.event.level.is_some());
            if !only_levels || all.len() < NEIGHBOUR_EVENTS_MIN {
                continue;
            }
            let errors: Vec<&Entry> = all
                .iter()
                .copied()
                .filter(|entry| entry.is_error())
                .collect();
            let (before, after) = self.around(onset.at, errors.iter().map(|entry| entry.at));
            let rose = after.events > 1 && after.at_least(NEIGHBOUR_RISE, before);
            // Without an error to show, the first and last events show that the service was heard.
            let shown = if errors.is_empty() {
                vec![all[0], all[all.len() - 1]]
            } else {
                errors
            };
            let verb = if rose { "rose" } else { "did not rise" };
            let finding = findings.add(
                format!("errors of {service} {verb} with those of {}: {before} before the onset, {after} after, of {} events", self.service, all.len()),
                self.cite(shown.iter().map(|entry| entry.line)),
                onset.at,
            );
            neighbours.push(Neighbour {
                service: service.to_owned(),
                before,
                after,
                rose,
                finding,
            });
        }
        neighbours
    }

    fn starts(&self, findings: &mut Findings) -> Vec<VersionStart> {
        let mut by_version: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in self
            .entries()
            .filter(|entry| entry.event.message == "service started")
        {
            if let Some(version) = entry.event.attributes.get("version") {
                by_version.entry(version).or_default().push(entry);
            }
        }
        let starts = by_version.into_iter().filter_map(|(version, entries)| {
            let first = entries.iter().map(|entry| entry.at).min()?;
            let last = entries.iter().map(|entry| entry.at).max()?;
            let hosts: BTreeSet<String> = entries
                .iter()
                .map(|entry| entry.event.host.clone())
                .collect();
            let hosts: Vec<String> = hosts.into_iter().collect();
            let finding = findings.add(
                format!(
                    "{} {version} started on {} from {first} to {last}",
                    self.service,
                    hosts.join(", ")
                ),
                self.cite(entries.iter().map(|entry| entry.line)),
                first,
            );
            Some(VersionStart {
                version: version.to_owned(),
                hosts,
                first,
                last,
                finding,
            })
        });
        starts.collect()
    }

    fn printed_settings(&self, findings: &mut Findings) -> Vec<PrintedSettings> {
        let mut by_settings: BTreeMap<&BTreeMap<String, String>, Vec<&Entry>> = BTreeMap::new();
        for entry in self
            .entries()
            .filter(|entry| entry.event.message.ends_with(" configured"))
        {
            by_settings
                .entry(&entry.event.attributes)
                .or_default()
                .push(entry);
        }
        let printed = by_settings.into_iter().filter_map(|(settings, entries)| {
            let first = entries.first()?;
            let listed: Vec<String> = settings
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let finding = findings.add(
                format!(
                    "{} printed \"{}\" with {}",
                    self.service,
                    first.event.message,
                    listed.join(" ")
                ),
                self.cite(entries.iter().map(|entry| entry.line)),
                first.at,
            );
            Some(PrintedSettings {
                settings: settings.clone(),
                finding,
            })
        });
        printed.collect()
    }

    fn clocks(&self, findings: &mut Findings) -> Vec<WrongClock> {
        let hosts = self.window.wrong_clocks.iter().filter_map(|(host, offset)| {
            let example = self.window.entries.iter().find(|entry| entry.event.host == *host)?;
            let seconds = offset.as_secs().unsigned_abs();
            let side = if offset.is_negative() { "behind" } else { "ahead" };
            let finding = findings.add(
                format!("the clock of {host} is about {seconds} s {side}; times of its lines are corrected here"),
                self.cite([example.line]),
                example.at,
            );
            Some(WrongClock { host: host.clone(), seconds_ahead: offset.as_secs(), finding })
        });
        hosts.collect()
    }
}
