//! Agents, as a table.

use tertulia_worker::wire::Agent;

use super::{line, safe, table};

/// Agents, one a line.
pub(crate) fn list(agents: &[Agent]) -> String {
    let rows = agents
        .iter()
        .map(|agent| {
            let health = agent.health.as_ref();
            vec![
                safe(&agent.name),
                safe(agent.owner.as_deref().unwrap_or("-")),
                health.map_or_else(
                    || "-".to_owned(),
                    |health| format!("{} open, {} leased", health.open, health.leased),
                ),
                line(&agent.description, 80),
            ]
        })
        .collect();
    table(&["agent", "owner", "work", "what it does"], rows)
}
