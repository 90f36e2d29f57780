//! The closed list of reason codes (SEMANTICS 18). Each has a page under `docs/reasons/`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        /// Why an act was refused, or why what it asked for failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Reason {
            $($(#[doc = $doc])+ #[serde(rename = $code)] $name,)+
        }

        impl Reason {
            /// Every reason there is.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The code, as it stands in envelopes, metrics and page names.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code),+ }
            }

            /// One sentence that tells what happened.
            #[must_use]
            pub fn sentence(self) -> &'static str {
                // A doc comment keeps the space after its slashes.
                match self { $(Self::$name => concat!($($doc),+).trim_start()),+ }
            }
        }
    };
}

reasons! {
    /// The key was used before with other content.
    KeyReused = "key-reused";
    /// No agent of that name can be discovered by the sender.
    UnknownRecipient = "unknown-recipient";
    /// An agent cannot delegate to itself.
    ToOneself = "to-oneself";
    /// The same agent is at work on the same thing above, and nothing new was learnt since.
    Loop = "loop";
    /// The ancestor to be consulted is remote and cannot answer from its conversation.
    CannotFold = "cannot-fold";
    /// The agent that was re-entered has no handler for consultations.
    NoConsult = "no-consult";
    /// A consultation is read-only: it may answer, decline, fail, ask and read.
    ReadOnly = "read-only";
    /// The chain of hops is too deep, or the root has too many open tasks.
    Fuse = "fuse";
    /// Policy denies the act.
    Policy = "policy";
    /// The chain above does not grant the authority that the act needs.
    Authority = "authority";
    /// The recipient does not accept this contract.
    ContractMismatch = "contract-mismatch";
    /// An equivalent request is already committed to, or was answered and nothing new was learnt since.
    AlreadyCommitted = "already-committed";
    /// The budget does not cover the act.
    Budget = "budget";
    /// The recipient's mailbox is full.
    MailboxFull = "mailbox-full";
    /// The fan-out has too many branches, or none.
    Breadth = "breadth";
    /// The task has made too many steps.
    TooManySteps = "too-many-steps";
    /// The task has asked and consulted too often.
    TooManyRounds = "too-many-rounds";
    /// The act does not answer what stands before it.
    IllegalAct = "illegal-act";
    /// An agent's credential opens no root without a hop token.
    NoRoot = "no-root";
    /// The conversation is closed.
    ConversationClosed = "conversation-closed";
    /// The conversation has other participants.
    NotAParticipant = "not-a-participant";
    /// The conversation still has open tasks.
    OpenTasks = "open-tasks";
    /// The task waited past its deadline and was never begun.
    Expired = "expired";
    /// The task was begun and its deadline came before its end.
    Deadline = "deadline";
    /// Every attempt at the task was lost.
    AttemptsExhausted = "attempts-exhausted";
    /// An attempt was lost and nobody can tell how far it came.
    OutcomeUnknown = "outcome-unknown";
    /// The task, or one above it, was cancelled.
    Cancelled = "cancelled";
    /// The task above ended and closed what it had delegated.
    ParentSettled = "parent-settled";
    /// The group had what it waited for, and the rest of it was closed.
    GroupFired = "group-fired";
    /// The task has its answer already.
    AlreadyAnswered = "already-answered";
    /// The root has ended.
    RootClosed = "root-closed";
    /// The ask is no longer open.
    AskClosed = "ask-closed";
    /// Nobody answered the ask in time.
    AskExpired = "ask-expired";
    /// Several asks are open and the answer names none of them.
    AmbiguousAnswer = "ambiguous-answer";
    /// Parking here would wait for a child that waits for this task's answer.
    WouldDeadlock = "would-deadlock";
    /// The result does not hold to its contract.
    ResultInvalid = "result-invalid";
    /// The agent gave the task up.
    GaveUp = "gave-up";
    /// The agent does not take this on.
    Declined = "declined";
    /// The remote peer cancelled the task unasked.
    PeerCancelled = "peer-cancelled";
    /// The remote peer answered what no protocol of ours allows.
    PeerNonsense = "peer-nonsense";
    /// The remote peer refused the task.
    PeerRefused = "peer-refused";
    /// The remote peer failed the task.
    PeerFailed = "peer-failed";
    /// The remote peer could not be reached.
    PeerUnreachable = "peer-unreachable";
    /// Nobody is named who could approve the act.
    NoApprover = "no-approver";
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Text that is no reason code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no reason code: see `tertulia explain` for the list")]
pub struct UnknownReason(String);

impl FromStr for Reason {
    type Err = UnknownReason;
    fn from_str(text: &str) -> Result<Self, UnknownReason> {
        Self::ALL
            .iter()
            .copied()
            .find(|reason| reason.code() == text)
            .ok_or_else(|| UnknownReason(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_read_back() {
        for (i, reason) in Reason::ALL.iter().enumerate() {
            assert_eq!(reason.code().parse::<Reason>().unwrap(), *reason);
            assert!(
                Reason::ALL[i + 1..]
                    .iter()
                    .all(|other| other.code() != reason.code())
            );
            assert!(reason.sentence().ends_with('.'), "{reason} has no sentence");
        }
    }
}
