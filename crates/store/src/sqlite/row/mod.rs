//! Rows that are written often, as columns: what is read of each, so that no column is named in two places.
//!
//! Each `columns!` names the columns of its table under one alias; the function beside it reads them from a row that
//! selects nothing before them.

mod commitment;
mod conversation;
mod hop;
mod inbox;
mod lease;
mod root;

pub(super) use self::{
    commitment::{commitment_columns, read_commitment},
    conversation::{conversation_columns, kind_name, read_conversation},
    hop::{hop_columns, read_hop},
    inbox::{entry_columns, read_entry},
    lease::{end_name, lease_columns, read_lease},
    root::{ROOT_COLUMNS, read_root, root_columns},
};
