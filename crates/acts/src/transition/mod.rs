//! What happens to rows when something is said. Each move stands here once, and every command is made of them.

mod end;
mod foresee;
mod lose;
mod slots;
mod speak;
mod wake;

pub(crate) use self::{
    end::{End, EndedBy, end_task},
    foresee::foresee_ends,
    lose::lose,
    slots::{free, refresh},
    speak::{About, Speech, agree_first, log, notify, say, speak},
    wake::{fire, is_met, wake},
};
