//! Facts, drafts and changes (DESIGN 5). A store loads facts by [`Need`]; a command is decided on a [`Draft`] over
//! them; the draft's [`Change`]s are applied to the facts, so that the next command of the batch sees them, and are
//! written by the store. A change is a whole row as it shall stand: to apply it and to write and reload it are the same.

mod change;
mod draft;
mod need;
mod rows;
mod sets;
mod stop;
mod table;
mod working_set;

pub use self::{
    change::{Change, Row, Tables},
    draft::Draft,
    need::Need,
    stop::{Fault, Stop},
    table::{Entry, Standing, Table},
    working_set::Facts,
};
