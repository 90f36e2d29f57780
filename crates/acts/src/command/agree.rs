//! `agree`: the debtor takes the request on; its commitment becomes active.

use super::holder::Holder;
use crate::{
    facts::{Draft, Stop},
    receipt::Outcome,
    transition::agree_first,
};

pub(super) fn decide(d: &mut Draft<'_>, holder: &mut Holder) -> Result<Outcome, Stop> {
    // The table of answers let it through, so it has not been said before.
    match agree_first(d, &mut holder.task, holder.hop.id)? {
        Some(act) => Ok(Outcome::Said { act }),
        None => Err(Stop::Broken("an agree was legal and not made".into())),
    }
}
