//! What happens to rows when something is said. Each move stands here once, and every command is made of them.

mod end;
mod lose;
mod slots;
mod speak;
mod wake;

pub(crate) use self::{
    end::{End, EndedBy, end_task},
    lose::lose,
    slots::{free, refresh},
    speak::{About, Speech, agree_first, log, notify, say, speak},
    wake::{fire, is_met, wake},
};
