//! Gate 3: nobody addresses itself.

use super::{Asked, Verdict};
use crate::{envelope::Refusal, reason::Reason};

/// Refuses an act to its own sender.
pub(super) fn judge(asked: &Asked<'_>) -> Verdict {
    if asked.opening.to == *asked.sender {
        let message = if asked.opening.to.is_principal() {
            "nobody informs itself; name another principal, or an agent"
        } else {
            "an agent cannot delegate to itself; do the work in this activation, or name another agent"
        };
        Verdict::Refuse(Refusal::saying(Reason::ToOneself, message))
    } else {
        Verdict::Pass
    }
}
