//! What calls are answered: rows of the store in the shapes of the API. Nothing is decided here.

pub(crate) mod act;
pub(crate) mod agent;
pub(crate) mod ask;
pub(crate) mod commitment;
pub(crate) mod conversation;
pub(crate) mod event;
pub(crate) mod group;
pub(crate) mod hop;
pub(crate) mod inbox;
pub(crate) mod instant;
pub(crate) mod late;
pub(crate) mod lease;
pub(crate) mod listing;
pub(crate) mod prompt;
pub(crate) mod receipt;
pub(crate) mod task;
