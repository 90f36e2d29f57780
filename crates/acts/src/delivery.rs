//! Where the delivery of a task's opening act stands (SEMANTICS 6). There is one per task, in the task's row.

use serde::{Deserialize, Serialize};

use crate::{reason::Reason, time::Timestamp};

/// The state of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "delivery", rename_all = "kebab-case")]
pub enum Delivery {
    /// There is none: the act was refused at the gates.
    None,
    /// It waits to be claimed.
    Pending {
        /// Not before this.
        due: Timestamp,
    },
    /// It waits for an approval.
    Held,
    /// An activation has it, parked or not.
    Taken,
    /// It was processed.
    Processed,
    /// It is dead.
    Dead {
        /// Why.
        reason: Reason,
        /// Since when.
        at: Timestamp,
    },
}

/// A change that the rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a delivery that is {from:?} cannot be {to}")]
pub struct InvalidDelivery {
    from: Delivery,
    to: &'static str,
}

impl Delivery {
    /// Whether it is still to be processed.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Pending { .. } | Self::Held | Self::Taken)
    }

    /// An activation takes it.
    ///
    /// # Errors
    /// It is not pending.
    pub fn take(self) -> Result<Self, InvalidDelivery> {
        match self {
            Self::Pending { .. } => Ok(Self::Taken),
            from => Err(InvalidDelivery { from, to: "taken" }),
        }
    }

    /// The activation that had it was lost; it waits for the next.
    ///
    /// # Errors
    /// It is not taken.
    pub fn retry(self, due: Timestamp) -> Result<Self, InvalidDelivery> {
        match self {
            Self::Taken => Ok(Self::Pending { due }),
            from => Err(InvalidDelivery {
                from,
                to: "pending",
            }),
        }
    }

    /// It was processed, or is no longer wanted.
    ///
    /// # Errors
    /// It is not open.
    pub fn process(self) -> Result<Self, InvalidDelivery> {
        if self.is_open() {
            Ok(Self::Processed)
        } else {
            Err(InvalidDelivery {
                from: self,
                to: "processed",
            })
        }
    }

    /// It will not be tried again.
    ///
    /// # Errors
    /// It is not open.
    pub fn die(self, reason: Reason, at: Timestamp) -> Result<Self, InvalidDelivery> {
        if self.is_open() {
            Ok(Self::Dead { reason, at })
        } else {
            Err(InvalidDelivery {
                from: self,
                to: "dead",
            })
        }
    }
}
