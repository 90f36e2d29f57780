//! The closed list of rows, and so of changes.

use crate::{
    agent::{Agent, Version, Workload},
    artifact::{Artifact, LateResult},
    ask::Ask,
    commitment::Commitment,
    conversation::Conversation,
    digest::{Digest, Hash16},
    envelope::Act,
    event::Event,
    facts::Table,
    group::Group,
    hop::{Hop, LedgerEntry},
    ids::{ActId, AskId, CommitmentId, ConversationId, GroupId, HopId, RootId, TaskId, TenantId},
    inbox::{Inbox, InboxEntry},
    lease::Lease,
    party::Party,
    receipt::Receipt,
    root::Root,
    slot::Slot,
    task::Task,
    tenant::{ApiKey, Principal, Tenant},
    time::Timestamp,
};

impl Change {
    /// When the engine must look next, without being asked, at what shall stand so (SEMANTICS 14).
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        match self {
            Self::Task(task) => task.next_due(),
            Self::Lease(lease) => lease.next_due(),
            Self::Ask(ask) => ask.next_due(),
            Self::Group(group) => group.next_due(),
            _ => None,
        }
    }
}

/// A row of the working set.
pub trait Row: Clone + Sized {
    /// What it is found by.
    type Key: Ord + Clone;
    /// What it is found by.
    fn key(&self) -> Self::Key;
    /// The change that makes it stand.
    fn into_change(self) -> Change;
    /// Its table.
    fn table(tables: &Tables) -> &Table<Self::Key, Self>;
    /// Its table.
    fn table_mut(tables: &mut Tables) -> &mut Table<Self::Key, Self>;
}

macro_rules! rows {
    ($($row:ident, $table:ident, $key:ty, $value:ident => $make:expr;)+) => {
        /// A change: a row as it shall stand.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Change {
            $(
                #[doc = concat!("The ", stringify!($row), " of this key shall stand so.")]
                $row($row),
            )+
        }

        /// The tables of the working set.
        #[derive(Debug, Clone, Default)]
        pub struct Tables {
            $(
                #[doc = concat!("The ", stringify!($table), ".")]
                pub $table: Table<$key, $row>,
            )+
        }

        impl Tables {
            /// Takes in a changed row.
            pub(crate) fn put(&mut self, change: Change) {
                match change { $(Change::$row(row) => self.$table.put(row.key(), row),)+ }
            }

            /// The changed rows as changes, table by table, taken out.
            pub(crate) fn take_changes(&mut self) -> Vec<Change> {
                let count = [$(self.$table.changed()),+].iter().sum();
                let mut changes = Vec::with_capacity(count);
                $(changes.extend(self.$table.take_unwritten().map(Change::$row));)+
                changes
            }

            /// The store has written every change.
            pub(crate) fn written(&mut self) {
                $(self.$table.written();)+
            }

            /// How many rows are here.
            pub(crate) fn len(&self) -> usize {
                [$(self.$table.len()),+].iter().sum()
            }
        }

        $(
            impl Row for $row {
                type Key = $key;
                fn key(&self) -> $key {
                    let $value = self;
                    $make
                }
                fn into_change(self) -> Change {
                    Change::$row(self)
                }
                fn table(tables: &Tables) -> &Table<$key, Self> {
                    &tables.$table
                }
                fn table_mut(tables: &mut Tables) -> &mut Table<$key, Self> {
                    &mut tables.$table
                }
            }
        )+
    };
}

rows! {
    Tenant, tenants, TenantId, row => row.id;
    Principal, principals, (TenantId, Party), row => (row.tenant, row.party.clone());
    ApiKey, keys, Digest, row => row.digest;
    Agent, agents, (TenantId, String), row => (row.tenant, row.name.clone());
    Workload, workloads, (TenantId, String), row => (row.tenant, row.agent.clone());
    Version, versions, (TenantId, String, Digest), row => (row.tenant, row.agent.clone(), row.digest);
    Root, roots, RootId, row => row.id;
    Conversation, conversations, ConversationId, row => row.id;
    Act, acts, ActId, row => row.envelope.id;
    Task, tasks, TaskId, row => row.made.id;
    Hop, hops, HopId, row => row.id;
    LedgerEntry, ledger, (HopId, u32), row => (row.hop, row.n);
    Lease, leases, Digest, row => row.token;
    Slot, slots, (String, ConversationId), row => (row.agent.clone(), row.conversation);
    Ask, asks, AskId, row => row.id;
    Group, groups, GroupId, row => row.id;
    Commitment, commitments, CommitmentId, row => row.id;
    Receipt, receipts, Hash16, row => row.key;
    Event, events, (ConversationId, u32), row => (row.conversation, row.n);
    Inbox, inboxes, (TenantId, Party), row => (row.tenant, row.principal.clone());
    InboxEntry, inbox_entries, (TenantId, Party, u32), row => (row.tenant, row.principal.clone(), row.n);
    Artifact, artifacts, (RootId, Digest), row => (row.root, row.digest);
    LateResult, late_results, (TaskId, u32), row => (row.task, row.n);
}
