//! What ending many tasks at once will read, asked for together: a store then loads it in few rounds (SEMANTICS 14).

use crate::{
    facts::{Draft, Need, Stop},
    hop::Activation,
    task::Task,
};

/// Asks for what the end of each of `tasks` reads.
pub(crate) fn foresee_ends(d: &Draft<'_>, tasks: &[Task]) -> Result<(), Stop> {
    d.foresee(tasks.iter().flat_map(of_task))?;
    let mut hops = Vec::new();
    let mut leases = Vec::new();
    for task in tasks {
        if let Some(hop) = task.now.hop
            && let Activation::Leased { token, .. } = d.hop(hop)?.state
        {
            leases.push(Need::Token(token));
        }
        // The slot's next head is looked for among those that wait with it.
        let queue = d.queue(task.made.debtor.name(), task.made.conversation)?;
        hops.extend(queue.iter().filter_map(|next| next.now.hop).map(Need::Hop));
    }
    d.foresee(leases.into_iter().chain(hops))
}

fn of_task(task: &Task) -> Vec<Need> {
    let made = &task.made;
    let agent = made.debtor.name().to_owned();
    let mut needs = vec![
        Need::Agent(made.tenant, agent.clone()),
        Need::Conversation(made.conversation),
        Need::Slot(agent.clone(), made.conversation),
        Need::Queue(agent, made.conversation),
        Need::Children(task.id()),
    ];
    if task.now.rounds > 0 {
        needs.push(Need::AsksOf(task.id()));
    }
    needs.extend(task.now.hop.map(Need::Hop));
    needs.extend(made.parent.map(Need::Task));
    needs.extend(made.key.map(Need::Receipt));
    needs.extend(made.commitment.map(Need::Commitment));
    needs.extend(task.requests().flatten().map(Need::Group));
    needs
}
