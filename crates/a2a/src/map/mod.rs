//! The map between engine rows and A2A: pure, with golden files (`tests/golden-map`).
//!
//! Outwards, a task with its acts becomes a [`Task`](crate::wire::Task) and its events become updates, as the caller
//! that looks may see them; inwards, a message becomes an opening act or an answer. Nothing is flattened: a refuse is
//! REJECTED with its reason, and the declared force of every act leaves in the [`extension`] (DESIGN 6).

pub mod card;
pub mod extension;
mod opening;
mod part;
mod state;
mod task;
mod update;

pub use self::{
    extension::{Claimed, SPEECH_ACT},
    opening::{Said, Unfit, answer, opening},
    part::{Files, inlined, named, parts_in},
    state::{Heard, Listed, heard, listed, shown},
    task::{Shown, acts_shown, artifacts, message, refusal, task},
    update::{Teller, Told},
};
