//! Agents, as a table.

use tertulia_worker::wire::Agent;

use super::{Room, safe, table};

/// Agents, one a line.
pub(crate) fn list(agents: &[Agent], room: &Room) -> String {
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
                room.cell(&agent.description),
            ]
        })
        .collect();
    table(&["agent", "owner", "work", "what it does"], rows)
}
