//! The law of Tertulia: which act may open, which may answer, who may be asked what, and what changes when something is
//! said. Pure rules: no I/O, clock, randomness or async; `now`, ids and facts are handed in.
//!
//! A [`command`] is decided by [`decide`](decide::decide) over [`facts`], and yields changes and an answer.

pub mod agent;
pub mod allowance;
pub mod answers;
pub mod artifact;
pub mod ask;
pub mod body;
pub mod command;
pub mod commitment;
pub mod contract;
pub mod conversation;
pub mod decide;
pub mod delivery;
pub mod digest;
pub mod envelope;
pub mod event;
pub mod facts;
pub mod fingerprint;
pub mod framing;
pub mod gate;
pub mod genealogy;
pub mod group;
pub mod hop;
pub mod ids;
pub mod inbox;
pub mod lease;
pub mod limits;
pub mod party;
pub mod performative;
pub mod reason;
pub mod receipt;
pub mod root;
pub mod slot;
pub mod task;
pub mod tenant;
pub mod time;
mod transition;
pub mod viewer;
