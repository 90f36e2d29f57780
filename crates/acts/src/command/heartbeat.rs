//! Heartbeats: a worker says that it lives, for all its leases at once. One that comes late revives a lease that was not
//! swept yet (SEMANTICS 3).

use super::{Answer, Caller, may_serve};
use crate::{
    digest::HopToken,
    facts::{Draft, Need, Stop},
    lease::{LeaseEnd, LeaseState},
    limits::LEASE,
    time::Timestamp,
};

/// Where one lease stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pulse {
    /// It lives.
    Live {
        /// Until when it is not swept.
        until: Timestamp,
        /// Open questions addressed to its task.
        questions: u32,
        /// The task's deadline.
        deadline: Timestamp,
    },
    /// It has ended.
    Ended(LeaseEnd),
    /// There is no such lease, or it is another's.
    Unknown,
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    caller: &Caller,
    tokens: &[HopToken],
) -> Result<Answer, Stop> {
    d.foresee(tokens.iter().map(|token| Need::Token(token.hash())))?;
    let mut leases = Vec::with_capacity(tokens.len());
    for token in tokens {
        leases.extend(d.find_lease(token.hash())?);
    }
    d.foresee(leases.iter().flat_map(|lease| {
        let asks = Need::AsksTo(lease.task);
        [Need::Hop(lease.hop), Need::Task(lease.task), asks]
    }))?;
    if caller.party.is_principal() {
        // One who owns agents may beat for many of them.
        let mut agents = Vec::with_capacity(leases.len());
        for lease in &leases {
            agents.push(Need::Agent(caller.tenant, d.hop(lease.hop)?.agent));
        }
        d.foresee(agents)?;
    }
    tokens
        .iter()
        .map(|token| beat(d, caller, token))
        .collect::<Result<_, _>>()
        .map(Answer::Pulses)
}

fn beat(d: &mut Draft<'_>, caller: &Caller, token: &HopToken) -> Result<Pulse, Stop> {
    let Some(mut lease) = d.find_lease(token.hash())? else {
        return Ok(Pulse::Unknown);
    };
    let hop = d.hop(lease.hop)?;
    if lease.tenant != caller.tenant || !may_serve(d, caller, &hop.agent)? {
        return Ok(Pulse::Unknown);
    }
    if let LeaseState::Ended { by, .. } = lease.state {
        return Ok(Pulse::Ended(by));
    }
    let task = d.task(lease.task)?;
    lease.until = d.now.after(LEASE);
    let pulse = Pulse::Live {
        until: lease.until,
        questions: u32::try_from(d.asks_to(task.id())?.len()).unwrap_or(u32::MAX),
        deadline: task.made.deadline,
    };
    d.put(lease);
    Ok(pulse)
}
