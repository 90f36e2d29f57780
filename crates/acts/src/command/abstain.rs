//! `abstain`: a turn in a room is passed over. There are no rooms yet, so there is no turn.

use crate::{envelope::Refusal, facts::Stop, reason::Reason, receipt::Outcome};

pub(super) fn decide() -> Result<Outcome, Stop> {
    let message = "only a turn in a room can be passed over; reply, decline or fail";
    Err(Refusal::saying(Reason::IllegalAct, message).into())
}
