//! The seats of gates 7, 8, 9 and 11. **They permit for now**: policy, authority, contracts and budgets come with their
//! own issues, and only these four functions will change. Who may do what is until then decided by identity alone.

use super::{Asked, Verdict};

/// Gate 7: policy.
pub(super) const fn policy(_asked: &Asked<'_>) -> Verdict {
    Verdict::Pass
}

/// Gate 8: authority never widens down a chain (I11); as long as none is granted, none can widen.
pub(super) const fn authority(_asked: &Asked<'_>) -> Verdict {
    Verdict::Pass
}

/// Gate 9: whether the recipient accepts the contract.
pub(super) const fn contract(_asked: &Asked<'_>) -> Verdict {
    Verdict::Pass
}

/// Gate 11: budget.
pub(super) const fn budget(_asked: &Asked<'_>) -> Verdict {
    Verdict::Pass
}
