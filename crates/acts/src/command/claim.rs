//! Claiming: a worker asks for work (SEMANTICS 3, 6). Resumed activations and consultations go before new work; capacity
//! counts leased activations alone.

use super::{
    Answer, Caller, Grant,
    grant::{grant, granted},
    may_serve,
};
use crate::{
    digest::{ClaimSecret, Digest},
    envelope::Refusal,
    facts::{Draft, Fault, Need, Stop},
    ids::ConversationId,
    lease::LeaseState,
    limits::{CLAIM_KEPT, CLAIM_SPARE},
    reason::Reason,
    receipt::{Outcome, Receipt, Scope},
    slot::{Class, Head, Slot},
    task::Task,
    transition::ended_above,
};

/// A request for work.
#[derive(Debug, Clone)]
pub struct Claim {
    /// For this agent, by name.
    pub agent: String,
    /// So many leases, at most.
    pub max: u32,
    /// Of these versions; of any, if none is named.
    pub versions: Vec<Digest>,
    /// What the worker calls this request, so that it can repeat it.
    pub request: String,
    /// What the worker drew with it.
    pub secret: ClaimSecret,
    /// What the worker calls itself.
    pub worker: String,
}

impl Claim {
    pub(super) fn needs(&self, caller: &Caller) -> Vec<Need> {
        vec![
            Need::Tenant(caller.tenant),
            Need::Agent(caller.tenant, self.agent.clone()),
            Need::Receipt(Receipt::key_of_claim(
                caller.tenant,
                &caller.party,
                &self.agent,
                &self.request,
            )),
            self.ready(caller),
        ]
    }

    fn ready(&self, caller: &Caller) -> Need {
        Need::Ready {
            tenant: caller.tenant,
            agent: self.agent.clone(),
            versions: self.versions.clone(),
            limit: self.looks_at(),
        }
    }

    /// How many heads of each class it looks at: some of those at the front may turn out to be over.
    const fn looks_at(&self) -> u32 {
        self.max.saturating_add(CLAIM_SPARE)
    }

    fn serves(&self, version: Digest) -> bool {
        self.versions.is_empty() || self.versions.contains(&version)
    }

    fn content(&self) -> Digest {
        let max = self.max.to_be_bytes();
        Digest::of_all(
            [&max[..]]
                .into_iter()
                .chain(self.versions.iter().map(|version| &version.0[..])),
        )
    }
}

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, claim: &Claim) -> Result<Answer, Stop> {
    if !may_serve(d, caller, &claim.agent)? {
        let message = format!(
            "agent:{} that you serve: claim with its own key, or with its owner's",
            claim.agent
        );
        return Err(Fault::NotFound(message).into());
    }
    let scope = Scope::Claim {
        tenant: caller.tenant,
        party: caller.party.clone(),
        agent: claim.agent.clone(),
    };
    if let Some(receipt) = d.receipt(scope.key(&claim.request))?
        && receipt.is_kept(d.now)
    {
        return repeat(d, claim, &receipt).map(Answer::Granted);
    }
    let grants = grant_ready(d, caller, claim)?;
    // An empty claim stores nothing: a repeat of it is a new one.
    if !grants.is_empty() {
        let leases = grants
            .iter()
            .map(|grant| (grant.lease, grant.hop))
            .collect();
        let mut receipt = Receipt::new(
            scope,
            &claim.request,
            claim.content(),
            Outcome::Claimed { leases },
            d.now,
        );
        receipt.expires = Some(d.now.after(CLAIM_KEPT));
        d.put(receipt);
    }
    Ok(Answer::Granted(grants))
}

/// Grants what is ready, in its order: of each class as much as there is capacity for, and no more than is asked.
fn grant_ready(d: &mut Draft<'_>, caller: &Caller, claim: &Claim) -> Result<Vec<Grant>, Stop> {
    d.need(claim.ready(caller))?;
    let mut grants = Vec::new();
    for class in Class::ALL {
        if grants.len() >= claim.max as usize {
            break;
        }
        // Capacity comes first: a version that has none is not looked at.
        let heads = d.ready(
            caller.tenant,
            &claim.agent,
            class,
            claim.looks_at() as usize,
            |version| Ok(claim.serves(version) && has_room(d, caller, claim, class, version)?),
        )?;
        match grant_each(d, caller, claim, &heads, &mut grants) {
            // What is missing for one is missing for those behind it: all of it is asked for at once.
            Err(Stop::Missing(needs)) => {
                foresee(d, claim, &heads)?;
                return Err(Stop::Missing(needs));
            }
            granted => granted?,
        }
    }
    Ok(grants)
}

/// Grants those of `heads` that may be worked on, while there is room.
fn grant_each(
    d: &mut Draft<'_>,
    caller: &Caller,
    claim: &Claim,
    heads: &[(Head, ConversationId)],
    grants: &mut Vec<Grant>,
) -> Result<(), Stop> {
    for (head, conversation) in heads {
        if grants.len() >= claim.max as usize {
            break;
        }
        if let Some(slot) = candidate(d, claim, *head, *conversation)?
            && has_room(d, caller, claim, head.class, slot.version)?
            && let Some(task) = workable(d, *head)?
        {
            grants.push(grant(d, claim, slot, task)?);
        }
    }
    Ok(())
}

/// Whether the agent's capacity lets a version of it begin or go on with one more (SEMANTICS 6).
fn has_room(
    d: &Draft<'_>,
    caller: &Caller,
    claim: &Claim,
    class: Class,
    version: Digest,
) -> Result<bool, Stop> {
    if !class.takes_capacity() {
        return Ok(true);
    }
    let workload = d.workload(caller.tenant, &claim.agent)?;
    let most = d
        .version(caller.tenant, &claim.agent, version)?
        .ok_or_else(|| Stop::Broken("a slot is pinned to a version that is absent".into()))?
        .definition
        .limits
        .max_concurrent_conversations;
    Ok(workload.leased < most)
}

/// Asks for what granting so many reads.
fn foresee(d: &Draft<'_>, claim: &Claim, heads: &[(Head, ConversationId)]) -> Result<(), Stop> {
    d.foresee(heads.iter().flat_map(|(head, conversation)| {
        [
            Need::Slot(claim.agent.clone(), *conversation),
            Need::Task(head.task),
            Need::Root(head.task.root),
            Need::Conversation(*conversation),
        ]
    }))?;
    let mut needs = Vec::new();
    for (head, _) in heads {
        let task = d.task(head.task)?;
        let above = task.made.genealogy.hops().iter();
        needs.extend(above.map(|hop| Need::Task(hop.task)));
        needs.extend(task.now.hop.map(Need::Hop));
        if task.now.steps > 0 {
            needs.push(Need::Steps(task.id()));
        }
    }
    d.foresee(needs)
}

/// The slot of a candidate, if it still is one.
fn candidate(
    d: &Draft<'_>,
    claim: &Claim,
    head: Head,
    conversation: ConversationId,
) -> Result<Option<Slot>, Stop> {
    let slot = d.slot(&claim.agent, conversation)?;
    Ok(slot.filter(|slot| slot.leased.is_none() && slot.head == Some(head)))
}

/// The task at the head of a slot, if it may be worked on (SEMANTICS 5, *At claim*). One that is over, by its deadline
/// or because one above it has ended, is passed by: upkeep closes it.
fn workable(d: &Draft<'_>, head: Head) -> Result<Option<Task>, Stop> {
    let task = d.task(head.task)?;
    let over = d.now >= task.made.deadline || ended_above(d, &task)?.is_some();
    Ok((!over).then_some(task))
}

/// The leases that the same request got, as far as they live.
fn repeat(d: &Draft<'_>, claim: &Claim, receipt: &Receipt) -> Result<Vec<Grant>, Stop> {
    let Outcome::Claimed { leases } = &receipt.outcome else {
        return Err(Stop::Broken(
            "the receipt of a claim holds no leases".into(),
        ));
    };
    let mut grants = Vec::new();
    for (lease, hop) in leases {
        let token = claim.secret.token(lease);
        let Some(row) = d.find_lease(token.hash())? else {
            let message =
                "this request_id was used with another secret; draw both anew for each claim";
            return Err(Refusal::saying(Reason::KeyReused, message).into());
        };
        if row.state != LeaseState::Live {
            continue;
        }
        let hop = d.hop(*hop)?;
        let task = d.task(row.task)?;
        // A lease is numbered before the hop that it mints, and after one that it takes up.
        let resumed = hop.id.n < lease.n;
        grants.push(granted(d, &token, *lease, &hop, task, row.until, resumed)?);
    }
    Ok(grants)
}
