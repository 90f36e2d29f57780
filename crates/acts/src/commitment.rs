//! Commitments: who owes what to whom (SEMANTICS 5; I10).

use serde::{Deserialize, Serialize};

use crate::{
    fingerprint::Fingerprint,
    ids::{CommitmentId, TaskId, TenantId},
    party::Party,
    time::Timestamp,
};

/// A commitment. Unique while conditional or active per (root, debtor, fingerprint).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commitment {
    /// Its id; its root is the context.
    pub id: CommitmentId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The agent that owes, by name.
    pub debtor: String,
    /// Who is owed.
    pub creditor: Party,
    /// The task in which it is owed to; none for a root task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creditor_task: Option<TaskId>,
    /// What is owed.
    pub fingerprint: Fingerprint,
    /// The task in which it is worked on.
    pub task: TaskId,
    /// Where it stands.
    pub status: CommitmentStatus,
    /// When it was made.
    pub made: Timestamp,
    /// When its status last changed.
    pub changed: Timestamp,
}

/// Where a commitment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum CommitmentStatus {
    /// Asked for, or bid, and not agreed to.
    Conditional,
    /// Agreed to.
    Active,
    /// Done.
    Satisfied {
        /// The root's evidence counter then: while it has not risen, an equivalent request would learn nothing.
        evidence: u32,
    },
    /// Begun and not brought to its end.
    Violated,
    /// Withdrawn by whoever made it.
    Cancelled,
    /// The debtor is free of it: refused, expired or cancelled by the creditor.
    Released,
    /// Another owes it now.
    Transferred,
}

/// A change that the rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a commitment that is {from} cannot become {to}")]
pub struct InvalidCommitment {
    from: &'static str,
    to: &'static str,
}

impl CommitmentStatus {
    /// The status's name, as it stands in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conditional => "conditional",
            Self::Active => "active",
            Self::Satisfied { .. } => "satisfied",
            Self::Violated => "violated",
            Self::Cancelled => "cancelled",
            Self::Released => "released",
            Self::Transferred => "transferred",
        }
    }

    /// Whether it binds: conditional or active.
    #[must_use]
    pub const fn binds(self) -> bool {
        matches!(self, Self::Conditional | Self::Active)
    }

    fn to(self, next: Self, legal: bool) -> Result<Self, InvalidCommitment> {
        if legal {
            Ok(next)
        } else {
            Err(InvalidCommitment {
                from: self.name(),
                to: next.name(),
            })
        }
    }

    /// The debtor agrees.
    ///
    /// # Errors
    /// It is not conditional.
    pub fn agree(self) -> Result<Self, InvalidCommitment> {
        self.to(Self::Active, self == Self::Conditional)
    }

    /// The result is there. A result without an agree before it agrees by itself.
    ///
    /// # Errors
    /// It does not bind.
    pub fn satisfy(self, evidence: u32) -> Result<Self, InvalidCommitment> {
        self.to(Self::Satisfied { evidence }, self.binds())
    }

    /// The debtor gives up, fails or misses the deadline.
    ///
    /// # Errors
    /// It does not bind.
    pub fn violate(self) -> Result<Self, InvalidCommitment> {
        self.to(Self::Violated, self.binds())
    }

    /// The debtor refuses, the act expires, or the creditor cancels.
    ///
    /// # Errors
    /// It does not bind.
    pub fn release(self) -> Result<Self, InvalidCommitment> {
        self.to(Self::Released, self.binds())
    }

    /// Another debtor has agreed to it. A rule without a command yet: nobody hands over so far.
    ///
    /// # Errors
    /// It does not bind.
    pub fn transfer(self) -> Result<Self, InvalidCommitment> {
        self.to(Self::Transferred, self.binds())
    }

    /// A bidder withdraws its proposal. A rule without a command yet: bids come later.
    ///
    /// # Errors
    /// It is not conditional.
    pub fn withdraw(self) -> Result<Self, InvalidCommitment> {
        self.to(Self::Cancelled, self == Self::Conditional)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_longer_binds_never_changes() {
        for end in [
            CommitmentStatus::Satisfied { evidence: 1 },
            CommitmentStatus::Violated,
            CommitmentStatus::Cancelled,
            CommitmentStatus::Released,
            CommitmentStatus::Transferred,
        ] {
            assert!(end.agree().is_err() && end.satisfy(2).is_err() && end.violate().is_err());
            assert!(end.release().is_err() && end.transfer().is_err() && end.withdraw().is_err());
        }
        assert_eq!(
            CommitmentStatus::Conditional.agree().unwrap(),
            CommitmentStatus::Active
        );
        assert!(CommitmentStatus::Active.agree().is_err());
        assert!(CommitmentStatus::Active.withdraw().is_err());
    }
}
