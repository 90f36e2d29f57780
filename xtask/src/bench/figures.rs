//! The figures of one run, and the aims they are held against.

use std::fmt;

use anyhow::{Context, Result};
use serde_json::Value;

/// What `tertulia bench --json` prints for one number of clients.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) server: String,
    pub(super) clients: u64,
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// Processor time of the server for one exchange, in microseconds.
    pub(super) server_cpu_us: f64,
    pub(super) requests_per_fsync: Option<f64>,
    /// Memory under load, in megabytes.
    pub(super) rss_mb: f64,
    /// Memory before the load.
    pub(super) rss_idle_mb: Option<f64>,
}

impl Figures {
    /// Reads one line of the bench.
    pub(super) fn read(value: &Value) -> Result<Self> {
        let number = |name: &str| {
            value[name]
                .as_f64()
                .with_context(|| format!("the bench's report has no number {name}: {value}"))
        };
        Ok(Self {
            server: value["server"]
                .as_str()
                .context("the bench's report names no server")?
                .to_owned(),
            clients: value["clients"]
                .as_u64()
                .context("the bench's report has no clients")?,
            per_second: number("per_second")?,
            p50_ms: number("p50_ms")?,
            p99_ms: number("p99_ms")?,
            server_cpu_us: number("server_cpu_us")?,
            requests_per_fsync: value["requests_per_fsync"].as_f64(),
            rss_mb: number("rss_mb")?,
            rss_idle_mb: value["rss_idle_mb"].as_f64(),
        })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} with {} clients: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms, {:.0} µs of CPU each, {:.1} MB",
            self.server,
            self.clients,
            self.per_second,
            self.p50_ms,
            self.p99_ms,
            self.server_cpu_us,
            self.rss_mb
        )
    }
}

/// What is aimed for, and what was measured.
#[derive(Debug, PartialEq)]
pub(super) struct Aim {
    pub(super) what: &'static str,
    /// The bound.
    pub(super) bound: &'static str,
    /// The figure in words; none if the run does not have it.
    pub(super) measured: Option<String>,
    pub(super) met: bool,
}

impl Aim {
    fn new(what: &'static str, bound: &'static str, figure: Option<(String, bool)>) -> Self {
        let met = figure.as_ref().is_some_and(|(_, met)| *met);
        let measured = figure.map(|(measured, _)| measured);
        Self {
            what,
            bound,
            measured,
            met,
        }
    }

    pub(super) fn verdict(&self) -> &'static str {
        match (&self.measured, self.met) {
            (None, _) => "not measured",
            (Some(_), true) => "met",
            (Some(_), false) => "missed",
        }
    }
}

/// The aims, held against a run of ours and one of the peer.
pub(super) fn aims(ours: &[Figures], theirs: &[Figures]) -> Vec<Aim> {
    let at = |clients| ours.iter().find(|run| run.clients == clients);
    let highest = |figures: Vec<f64>| figures.into_iter().reduce(f64::max);
    let memory =
        |found: Option<f64>, most: f64| found.map(|mb| (format!("{mb:.1} MB"), mb <= most));
    let idle = ours.iter().filter_map(|run| run.rss_idle_mb).collect();
    let ratio = ours
        .iter()
        .filter_map(|run| {
            let peer = theirs.iter().find(|peer| peer.clients == run.clients)?;
            (run.server_cpu_us > 0.0).then(|| peer.server_cpu_us / run.server_cpu_us)
        })
        .reduce(f64::min);
    vec![
        Aim::new(
            "server CPU of a delegation, 256 clients",
            "≤ 250 µs",
            at(256).map(|run| {
                let cpu = run.server_cpu_us;
                (format!("{cpu:.0} µs"), cpu <= 250.0)
            }),
        ),
        Aim::new(
            "delegations, 256 clients",
            "≥ 5,000/s",
            at(256).map(|run| (format!("{:.0}/s", run.per_second), run.per_second >= 5000.0)),
        ),
        Aim::new(
            "p50, 16 clients",
            "≤ 5 ms",
            at(16).map(|run| (format!("{:.2} ms", run.p50_ms), run.p50_ms <= 5.0)),
        ),
        Aim::new(
            "memory under load",
            "≤ 150 MB",
            memory(highest(ours.iter().map(|run| run.rss_mb).collect()), 150.0),
        ),
        Aim::new("memory when idle", "≤ 30 MB", memory(highest(idle), 30.0)),
        Aim::new(
            "CPU of the peer for one of ours",
            "≥ 10 times",
            ratio.map(|ratio| (format!("{ratio:.1} times"), ratio >= 10.0)),
        ),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) fn figures(server: &str, clients: u64, cpu: f64) -> Figures {
        Figures {
            server: server.to_owned(),
            clients,
            per_second: 6000.0,
            p50_ms: 2.5,
            p99_ms: 9.0,
            server_cpu_us: cpu,
            requests_per_fsync: None,
            rss_mb: 80.0,
            rss_idle_mb: None,
        }
    }

    #[test]
    fn a_line_of_the_bench_is_read() {
        let line = json!({
            "server": "tertulia", "clients": 16, "exchanges": 100, "seconds": 1.0, "per_second": 100.0,
            "p50_ms": 1.5, "p99_ms": 3.0, "server_cpu_us": 200.0, "requests_per_fsync": 4.5,
            "rss_mb": 40.0, "rss_idle_mb": 20.0
        });
        let read = Figures::read(&line).unwrap();
        assert_eq!(
            (read.clients, read.p99_ms, read.requests_per_fsync),
            (16, 3.0, Some(4.5))
        );
        assert_eq!(
            read.to_string(),
            "tertulia with 16 clients: 100/s, p50 1.50 ms, p99 3.00 ms, 200 µs of CPU each, 40.0 MB"
        );
        let error = Figures::read(&json!({"server": "x", "clients": 1})).unwrap_err();
        assert!(error.to_string().contains("per_second"), "{error}");
    }

    fn verdicts(ours: &[Figures], theirs: &[Figures]) -> Vec<&'static str> {
        aims(ours, theirs).iter().map(Aim::verdict).collect()
    }

    #[test]
    fn an_aim_is_met_at_its_edge_and_missed_beyond() {
        let mut ours = [
            figures("tertulia", 16, 200.0),
            figures("tertulia", 256, 250.0),
        ];
        ours[0].rss_idle_mb = Some(30.0);
        ours[0].p50_ms = 5.0;
        ours[1].per_second = 5000.0;
        ours[1].rss_mb = 150.0;
        let theirs = [figures("sdk", 16, 2600.0), figures("sdk", 256, 2500.0)];
        assert_eq!(verdicts(&ours, &theirs), ["met"; 6]);
        ours[0].rss_idle_mb = Some(30.1);
        ours[0].p50_ms = 5.01;
        ours[1].per_second = 4999.0;
        ours[1].rss_mb = 150.1;
        ours[1].server_cpu_us = 251.0;
        assert_eq!(verdicts(&ours, &theirs), ["missed"; 6]);
    }

    #[test]
    fn what_a_run_does_not_have_is_not_measured() {
        let found = verdicts(&[figures("tertulia", 8, 200.0)], &[]);
        assert_eq!(
            found,
            [
                "not measured",
                "not measured",
                "not measured",
                "met",
                "not measured",
                "not measured"
            ]
        );
    }
}
