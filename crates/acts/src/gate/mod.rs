//! The gates (SEMANTICS 5): every delegation, by whatever protocol, passes the same ones in the same order. The order
//! is that of reasons: the first gate that refuses names the reason.

mod commitment;
mod fuse;
mod oneself;
mod recipient;
mod reentry;
mod seats;

use crate::{
    agent::Agent,
    command::Opening,
    envelope::Refusal,
    facts::{Draft, Stop},
    genealogy::{Ancestor, Genealogy},
    ids::{RootId, TaskId, TenantId},
    party::Party,
    performative::GateColumn,
    task::Task,
};
use recipient::Recipient;

/// The gates, in their order. The key is judged before a command comes here, since it decides whether there is anything
/// to judge; the fingerprint is no judgement but what gates 5 and 10 compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// 1: the key says whether this was answered before.
    Key,
    /// 2: the recipient, as the sender may discover it.
    Recipient,
    /// 3: nobody delegates to itself.
    Oneself,
    /// 4: the fingerprint.
    Fingerprint,
    /// 5: a loop, or a fold.
    Reentry,
    /// 6: depth and breadth of the tree.
    Fuse,
    /// 7: policy.
    Policy,
    /// 8: authority.
    Authority,
    /// 9: whether the recipient takes such contracts.
    Contract,
    /// 10: whether the same is owed already.
    Commitment,
    /// 11: budget.
    Budget,
}

impl Gate {
    /// The order of the gates.
    pub const ORDER: [Self; 11] = [
        Self::Key,
        Self::Recipient,
        Self::Oneself,
        Self::Fingerprint,
        Self::Reentry,
        Self::Fuse,
        Self::Policy,
        Self::Authority,
        Self::Contract,
        Self::Commitment,
        Self::Budget,
    ];

    /// Whether acts of this column pass the gate: the table of SEMANTICS 5.
    #[must_use]
    pub const fn stands_before(self, column: GateColumn) -> bool {
        match self {
            Self::Key | Self::Policy => true,
            Self::Recipient | Self::Oneself | Self::Fuse | Self::Authority | Self::Budget => {
                !matches!(column, GateColumn::Answer)
            }
            Self::Fingerprint | Self::Reentry => {
                matches!(column, GateColumn::Delegation | GateColumn::Question)
            }
            Self::Contract | Self::Commitment => matches!(column, GateColumn::Delegation),
        }
    }
}

/// What is asked, as the gates see it.
pub(crate) struct Asked<'a> {
    pub(crate) tenant: TenantId,
    pub(crate) sender: &'a Party,
    pub(crate) root: RootId,
    /// The sender's own task, if it is an agent at work.
    pub(crate) under: Option<&'a Task>,
    /// The hops above the act, the sender's included.
    pub(crate) genealogy: &'a Genealogy,
    pub(crate) opening: &'a Opening,
}

/// What a gate says.
pub(crate) enum Verdict {
    Pass,
    /// The act becomes a consultation of this ancestor.
    Fold(Ancestor),
    /// The same task asked the same before: it gets what it asked.
    Attach(TaskId),
    Refuse(Refusal),
}

/// How an act comes through the gates.
pub(crate) enum Passage {
    /// As it is, to this agent.
    Mailbox(Agent),
    /// As it is, to a principal.
    Inbox,
    /// As a consultation of this ancestor.
    Fold(Ancestor),
    /// It was asked before, by the same task.
    Attach(TaskId),
    /// Not.
    Refused {
        refusal: Refusal,
        /// The recipient, if it is an agent that the sender may discover.
        agent: Option<Agent>,
    },
}

/// Judges an opening act, gate by gate.
pub(crate) fn pass(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Passage, Stop> {
    let recipient = match recipient::find(d, asked)? {
        Ok(recipient) => recipient,
        Err(refusal) => {
            let agent = None;
            return Ok(Passage::Refused { refusal, agent });
        }
    };
    let mut column = asked.opening.performative.gate_column(true);
    let mut fold = None;
    for gate in Gate::ORDER {
        if !gate.stands_before(column) {
            continue;
        }
        let verdict = match gate {
            Gate::Key | Gate::Recipient | Gate::Fingerprint => Verdict::Pass,
            Gate::Oneself => oneself::judge(asked),
            Gate::Reentry => reentry::judge(d, asked)?,
            Gate::Fuse => fuse::judge(d, asked)?,
            Gate::Policy => seats::policy(asked),
            Gate::Authority => seats::authority(asked),
            Gate::Contract => seats::contract(asked),
            Gate::Commitment => commitment::judge(d, asked)?,
            Gate::Budget => seats::budget(asked),
        };
        match verdict {
            Verdict::Pass => {}
            Verdict::Fold(ancestor) => {
                column = GateColumn::Fold;
                fold = Some(ancestor);
            }
            Verdict::Attach(task) => return Ok(Passage::Attach(task)),
            Verdict::Refuse(refusal) => {
                let agent = recipient.agent();
                return Ok(Passage::Refused { refusal, agent });
            }
        }
    }
    let agent = match (fold, recipient) {
        (Some(ancestor), _) => return Ok(Passage::Fold(ancestor)),
        (None, Recipient::Principal) => return Ok(Passage::Inbox),
        (None, Recipient::Agent(agent)) => agent,
    };
    // The last limit is the recipient's own: it holds for what takes a place in its mailbox.
    Ok(match recipient::has_room(d, asked)? {
        None => Passage::Mailbox(agent),
        Some(refusal) => Passage::Refused {
            refusal,
            agent: Some(agent),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(column: GateColumn) -> String {
        Gate::ORDER
            .iter()
            .map(|gate| if gate.stands_before(column) { 'x' } else { '-' })
            .collect()
    }

    #[test]
    fn the_table_of_gates_is_that_of_the_rules() {
        assert_eq!(row(GateColumn::Delegation), "xxxxxxxxxxx");
        assert_eq!(row(GateColumn::Question), "xxxxxxxx--x");
        assert_eq!(row(GateColumn::Notice), "xxx--xxx--x");
        assert_eq!(row(GateColumn::Fold), "xxx--xxx--x");
        assert_eq!(row(GateColumn::Answer), "x-----x----");
    }
}
