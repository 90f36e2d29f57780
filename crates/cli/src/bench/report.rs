//! What was measured, as numbers and as lines.

use std::{io, io::Write, time::Duration};

use serde_json::{Value, json};

/// What the load measured.
pub(crate) struct Measured {
    /// Clients at once.
    pub(crate) clients: u32,
    /// Exchanges that were counted.
    pub(crate) exchanges: u64,
    /// How long they took together.
    pub(crate) elapsed: Duration,
    /// Processor time of the server meanwhile.
    pub(crate) processor: Duration,
    /// How long each took, the shortest first.
    pub(crate) latencies: Vec<Duration>,
}

impl Measured {
    /// The latency that so many of a thousand exchanges did not exceed.
    fn quantile(&self, per_mille: usize) -> Duration {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies
            .get(last * per_mille / 1000)
            .copied()
            .unwrap_or_default()
    }
}

/// A report of one run.
pub(crate) struct Report {
    /// Of what server.
    pub(crate) name: String,
    /// What the load measured.
    pub(crate) measured: Measured,
    /// Memory before the load, in bytes.
    pub(crate) idle_bytes: Option<u64>,
    /// Memory after the load, in bytes.
    pub(crate) resident_bytes: u64,
    /// Commands that shared an fsync.
    pub(crate) per_fsync: Option<f64>,
}

#[expect(
    clippy::cast_precision_loss,
    reason = "figures for people; none is near 2^52"
)]
impl Report {
    fn rate(&self) -> f64 {
        self.measured.exchanges as f64 / self.measured.elapsed.as_secs_f64()
    }

    fn cost(&self) -> f64 {
        self.measured.processor.as_secs_f64() * 1e6 / (self.measured.exchanges.max(1) as f64)
    }

    fn millis(span: Duration) -> f64 {
        (span.as_secs_f64() * 1e5).round() / 100.0
    }

    /// As a value.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "server": self.name,
            "clients": self.measured.clients,
            "exchanges": self.measured.exchanges,
            "seconds": Self::millis(self.measured.elapsed) / 1000.0,
            "per_second": self.rate().round(),
            "p50_ms": Self::millis(self.measured.quantile(500)),
            "p99_ms": Self::millis(self.measured.quantile(990)),
            "server_cpu_us": self.cost().round(),
            "requests_per_fsync": self.per_fsync.map(|n| (n * 10.0).round() / 10.0),
            "rss_mb": (self.resident_bytes as f64 / 1e5).round() / 10.0,
            "rss_idle_mb": self.idle_bytes.map(|bytes| (bytes as f64 / 1e5).round() / 10.0),
        })
    }

    /// As lines for people.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}, {} clients: {:.0} exchanges/s, p50 {:.2} ms, p99 {:.2} ms, {:.0} µs of server CPU each{}, {:.1} MB",
            self.name,
            self.measured.clients,
            self.rate(),
            Self::millis(self.measured.quantile(500)),
            Self::millis(self.measured.quantile(990)),
            self.cost(),
            self.per_fsync
                .map_or_else(String::new, |n| format!(", {n:.1} requests per fsync")),
            self.resident_bytes as f64 / 1e6,
        )?;
        if let Some(idle) = self.idle_bytes {
            writeln!(out, "  idle before it: {:.1} MB", idle as f64 / 1e6)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_from_what_was_measured() {
        let report = Report {
            name: "x".into(),
            measured: Measured {
                clients: 2,
                exchanges: 1000,
                elapsed: Duration::from_secs(2),
                processor: Duration::from_millis(250),
                latencies: (1..=1000).map(Duration::from_millis).collect(),
            },
            idle_bytes: None,
            resident_bytes: 10_000_000,
            per_fsync: Some(4.25),
        };
        let json = report.to_json();
        assert_eq!(json["per_second"], 500.0);
        assert_eq!(json["server_cpu_us"], 250.0);
        assert_eq!(json["p50_ms"], 500.0);
        assert_eq!(json["p99_ms"], 990.0);
        assert_eq!(json["rss_mb"], 10.0);
    }
}
