//! Gate 3: nobody delegates to itself.

use super::{Asked, Verdict};
use crate::{envelope::Refusal, reason::Reason};

/// Refuses an act to its own sender.
pub(super) fn judge(asked: &Asked<'_>) -> Verdict {
    if asked.opening.to == *asked.sender {
        let message = "an agent cannot delegate to itself; do the work in this activation, or name another agent";
        Verdict::Refuse(Refusal::saying(Reason::ToOneself, message))
    } else {
        Verdict::Pass
    }
}
