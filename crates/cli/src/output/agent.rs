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
                    |health| {
                        let served = if health.worker { "" } else { ", no worker" };
                        format!("{} open, {} leased{served}", health.open, health.leased)
                    },
                ),
                agent.description.clone(),
            ]
        })
        .collect();
    table(&["agent", "owner", "work", "what it does"], rows, room)
}
