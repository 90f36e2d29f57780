//! Metrics, as Prometheus text (DESIGN 7).

use std::{collections::HashMap, fmt::Write as _, net::SocketAddr};

use axum::{
    extract::{ConnectInfo, State},
    response::IntoResponse,
};
use http::{Extensions, HeaderMap, header};
use tertulia_acts::{event::EventKind, ids::TenantId, reason::Reason, time::Timestamp};
use tertulia_engine::{
    Snapshot,
    read::{MailboxMetrics, Metrics},
};

use crate::{
    app::App,
    auth::is_loopback,
    problem::{Code, Problem},
};

/// Whether a call from loopback was made there: not handed on by a proxy, and not by a page in a browser.
fn is_direct(headers: &HeaderMap) -> bool {
    let named = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let handed_on = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];
    named.is_some_and(is_loopback)
        && !headers.contains_key(header::ORIGIN)
        && !handed_on.iter().any(|name| headers.contains_key(*name))
}

/// Counters, gauges and histograms, as Prometheus text. They tell of all tenants, so they are for the operator, and
/// shown to loopback only.
#[utoipa::path(
    get, path = "/metrics", tag = "operators", security(()),
    responses((status = 200, description = "The metrics", body = String, content_type = "text/plain")),
)]
pub(crate) async fn show(
    State(app): State<App>,
    extensions: Extensions,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let peer = extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|info| info.0);
    let near = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    if !near || !is_direct(&headers) {
        let detail = "metrics are shown to programs on this machine that call by a loopback name, and not through a \
                      proxy or from a page; let a collector here ask http://127.0.0.1";
        return Err(Problem::new(Code::Forbidden, detail));
    }
    let reader = app.engine.reader();
    let tenants = reader
        .tenants()?
        .into_iter()
        .map(|tenant| (tenant.id, tenant.name))
        .collect();
    let text = render(
        &app.engine.metrics().snapshot(),
        &reader.metrics()?,
        app.engine.claims_waiting(),
        &tenants,
        app.engine.now(),
    );
    Ok((
        [(
            header::CONTENT_TYPE,
            "text/plain; version=0.0.4; charset=utf-8",
        )],
        text,
    ))
}

/// Text that is being written. Writing to a string does not fail.
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A sample. Names of labels and their values are ours, or names whose letters need no escape.
    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        self.0.push_str(name);
        for (i, (label, text)) in labels.iter().enumerate() {
            let _ = write!(
                self.0,
                "{}{label}=\"{text}\"",
                if i == 0 { '{' } else { ',' }
            );
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }
}

fn render(
    counted: &Snapshot,
    stored: &Metrics,
    waiting: usize,
    tenants: &HashMap<TenantId, String>,
    now: Timestamp,
) -> String {
    let mut text = Text(String::with_capacity(8 * 1024));
    text.single(
        "tertulia_claims_waiting",
        "gauge",
        "Claims that found nothing and wait for work.",
        waiting,
    );
    text.family("tertulia_acts_total", "counter", "Acts that were stored.");
    for (performative, n) in &counted.acts {
        text.sample(
            "tertulia_acts_total",
            &[("performative", performative.name())],
            n,
        );
    }
    text.family(
        "tertulia_reasons_total",
        "counter",
        "Refusals, failures and cancels that were stored, by reason.",
    );
    for reason in Reason::ALL {
        let n = counted.reasons.get(reason).copied().unwrap_or(0);
        text.sample("tertulia_reasons_total", &[("reason", reason.code())], n);
    }
    text.family("tertulia_events_total", "counter", "Events, by kind.");
    for kind in EventKind::ALL {
        let n = counted.events.get(kind).copied().unwrap_or(0);
        text.sample("tertulia_events_total", &[("kind", kind.name())], n);
    }
    let event = |kind: EventKind| counted.events.get(&kind).copied().unwrap_or(0);
    let fuse = counted.reasons.get(&Reason::Fuse).copied().unwrap_or(0);
    text.single(
        "tertulia_folds_total",
        "counter",
        "Consultations.",
        counted.folds,
    );
    text.single(
        "tertulia_fuse_total",
        "counter",
        "Acts refused by the fuse.",
        fuse,
    );
    let lost = event(EventKind::MailboxLeaseLost);
    text.single(
        "tertulia_leases_lost_total",
        "counter",
        "Leases that were lost.",
        lost,
    );
    writer(&mut text, counted);
    mailboxes(&mut text, &stored.mailboxes, tenants, now);
    text.single(
        "tertulia_dead_letters",
        "gauge",
        "Dead letters that were not sent again.",
        stored.dead_letters,
    );
    text.single(
        "tertulia_open_tasks",
        "gauge",
        "Tasks that have not ended.",
        stored.open_tasks,
    );
    text.0
}

fn writer(text: &mut Text, counted: &Snapshot) {
    let name = "tertulia_commit_seconds";
    text.family(name, "histogram", "Time that a batch takes to be stored.");
    let bucket = format!("{name}_bucket");
    for (most, n) in &counted.latency {
        text.sample(&bucket, &[("le", &seconds(*most))], n);
    }
    text.sample(&bucket, &[("le", "+Inf")], counted.commits);
    text.sample(&format!("{name}_sum"), &[], seconds(counted.latency_sum));
    text.sample(&format!("{name}_count"), &[], counted.commits);
    text.single(
        "tertulia_commands_total",
        "counter",
        "Commands that were answered in batches; by the batches stored, it is the commands per fsync.",
        counted.commands,
    );
    text.single(
        "tertulia_writer_queue",
        "gauge",
        "Commands that wait for the writer.",
        counted.queue,
    );
    text.single(
        "tertulia_overloaded_total",
        "counter",
        "Commands that were turned away because the writer had too many.",
        counted.overloaded,
    );
    text.single(
        "tertulia_timer_lag_seconds",
        "gauge",
        "How late the last timer fired.",
        seconds(counted.timer_lag.saturating_mul(1000)),
    );
}

fn mailboxes(
    text: &mut Text,
    mailboxes: &[MailboxMetrics],
    tenants: &HashMap<TenantId, String>,
    now: Timestamp,
) {
    let labels = |mailbox: &MailboxMetrics| {
        let tenant = tenants.get(&mailbox.tenant).cloned().unwrap_or_default();
        (tenant, mailbox.agent.clone())
    };
    text.family(
        "tertulia_mailbox_depth",
        "gauge",
        "Deliveries that are open.",
    );
    for mailbox in mailboxes {
        let (tenant, agent) = labels(mailbox);
        for (state, n) in [("pending", mailbox.pending), ("taken", mailbox.taken)] {
            let labels = [("tenant", &*tenant), ("agent", &*agent), ("state", state)];
            text.sample("tertulia_mailbox_depth", &labels, n);
        }
    }
    let name = "tertulia_mailbox_oldest_seconds";
    text.family(
        name,
        "gauge",
        "How long the oldest delivery that is pending has been there.",
    );
    for mailbox in mailboxes {
        let Some(oldest) = mailbox.oldest else {
            continue;
        };
        let (tenant, agent) = labels(mailbox);
        let age = u64::try_from(now.since(oldest).0).unwrap_or(0);
        let age = seconds(age.saturating_mul(1000));
        text.sample(name, &[("tenant", &tenant), ("agent", &agent)], age);
    }
}

/// Microseconds as seconds.
fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

#[cfg(test)]
mod tests {
    use tertulia_acts::performative::Performative;

    use super::*;

    #[test]
    fn metrics_are_prometheus_text() {
        let counted = Snapshot {
            acts: [(Performative::Request, 3)].into(),
            reasons: [(Reason::Fuse, 2)].into(),
            events: [(EventKind::MailboxLeaseLost, 1)].into(),
            folds: 4,
            latency: vec![(250, 1), (500, 5)],
            latency_sum: 1_500_000,
            commits: 6,
            commands: 60,
            timer_lag: 20,
            queue: 7,
            overloaded: 0,
        };
        let mailbox = MailboxMetrics {
            tenant: TenantId(1),
            agent: "logs".into(),
            pending: 2,
            taken: 1,
            oldest: Some(Timestamp(1_000)),
        };
        let stored = Metrics {
            mailboxes: vec![mailbox],
            dead_letters: 9,
            open_tasks: 3,
        };
        let tenants = [(TenantId(1), "acme".to_owned())].into();
        let text = render(&counted, &stored, 5, &tenants, Timestamp(3_500));
        for line in [
            "# TYPE tertulia_acts_total counter",
            "tertulia_acts_total{performative=\"request\"} 3",
            "tertulia_reasons_total{reason=\"fuse\"} 2",
            "tertulia_reasons_total{reason=\"loop\"} 0",
            "tertulia_fuse_total 2",
            "tertulia_leases_lost_total 1",
            "tertulia_commit_seconds_bucket{le=\"0.000500\"} 5",
            "tertulia_commit_seconds_bucket{le=\"+Inf\"} 6",
            "tertulia_commit_seconds_sum 1.500000",
            "tertulia_commands_total 60",
            "tertulia_claims_waiting 5",
            "tertulia_timer_lag_seconds 0.020000",
            "tertulia_mailbox_depth{tenant=\"acme\",agent=\"logs\",state=\"pending\"} 2",
            "tertulia_mailbox_oldest_seconds{tenant=\"acme\",agent=\"logs\"} 2.500000",
            "tertulia_dead_letters 9",
        ] {
            assert!(
                text.lines().any(|found| found == line),
                "no line `{line}` in:\n{text}"
            );
        }
    }
}
