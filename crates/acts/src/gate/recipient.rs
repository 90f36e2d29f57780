//! Gate 2: the recipient, resolved through what the sender may discover; what it may not discover is unknown.

use super::Asked;
use crate::{
    agent::Agent,
    envelope::Refusal,
    facts::{Draft, Stop},
    limits::OPEN_DELIVERIES_PER_AGENT,
    reason::Reason,
};

/// Who is addressed.
pub(super) enum Recipient {
    Agent(Agent),
    Principal,
}

impl Recipient {
    /// The agent, if it is one.
    pub(super) fn agent(self) -> Option<Agent> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Principal => None,
        }
    }
}

/// Who is addressed, or a refusal that names the agents that may have been meant.
pub(super) fn find(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Result<Recipient, Refusal>, Stop> {
    let to = &asked.opening.to;
    if to.is_principal() {
        let found = d.principal(asked.tenant, to)?;
        return Ok(found.map(|_| Recipient::Principal).ok_or_else(|| {
            let message = format!(
                "there is no {to} here; see how it is written, as `user:<name>` or `service:<name>`"
            );
            Refusal::saying(Reason::UnknownRecipient, message)
        }));
    }
    let name = to.name();
    if let Some(agent) = d.agent(asked.tenant, name)?.filter(|agent| !agent.retired) {
        return Ok(Ok(Recipient::Agent(agent)));
    }
    let mut names = d.directory(asked.tenant)?;
    names.sort_by_key(|candidate| (distance(candidate, name), candidate.clone()));
    let candidates: Vec<String> = names
        .into_iter()
        .filter(|candidate| {
            distance(candidate, name) <= 3
                || candidate.contains(name)
                || name.contains(candidate.as_str())
        })
        .take(5)
        .map(|candidate| format!("agent:{candidate}"))
        .collect();
    let message = if candidates.is_empty() {
        format!("there is no agent:{name}; `GET /v1/agents` lists those that you may address")
    } else {
        format!(
            "there is no agent:{name}; did you mean {}?",
            candidates.join(", ")
        )
    };
    Ok(Err(
        Refusal::saying(Reason::UnknownRecipient, message).with("candidates", candidates)
    ))
}

/// A refusal, if the recipient's mailbox is full.
pub(super) fn has_room(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Option<Refusal>, Stop> {
    let name = asked.opening.to.name();
    let open = d.workload(asked.tenant, name)?.open;
    Ok((open >= OPEN_DELIVERIES_PER_AGENT).then(|| {
        let message = format!(
            "agent:{name} has {open} open deliveries; send again when it has worked some off"
        );
        Refusal::saying(Reason::MailboxFull, message)
            .with("open", open)
            .with("limit", OPEN_DELIVERIES_PER_AGENT)
    }))
}

/// The edit distance of two names, which are short and ASCII.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_of_names() {
        assert_eq!(distance("logs", "logs"), 0);
        assert_eq!(distance("logs", "log"), 1);
        assert_eq!(distance("logs", "slog"), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
