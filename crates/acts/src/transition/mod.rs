//! What happens to rows when something is said. Each move stands here once, and every command is made of them.

mod authorization;
mod bring;
mod end;
mod foresee;
mod late;
mod lose;
mod sever;
mod slots;
mod speak;
mod wake;

pub(crate) use self::{
    authorization::{authorize, climb},
    bring::{bring, bring_late},
    end::{End, EndedBy, end_task},
    foresee::foresee_ends,
    late::{Late, keep_late},
    lose::lose,
    sever::{closed_for, ended_above, severed},
    slots::{free, refresh},
    speak::{About, Speech, agree_first, log, notify, say, speak},
    wake::{fire, is_met, wake},
};
