//! What reads return: rows and small sets of them. No protocol's types.

use tertulia_acts::{
    agent::{Agent, Version, Workload},
    ask::Ask,
    conversation::Conversation,
    envelope::Act,
    event::Event,
    group::Group,
    hop::Hop,
    ids::{ConversationId, RootId, TaskId, TenantId},
    inbox::InboxEntry,
    party::Party,
    root::Root,
    task::Task,
    time::Timestamp,
};

/// Up to what number a total is counted (SEMANTICS 17).
pub const COUNTED_MOST: u32 = 10_000;

/// How many there are, counted to [`COUNTED_MOST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// How many.
    pub n: u32,
    /// Whether there are more than that.
    pub more: bool,
}

impl Total {
    /// The total of a count that stopped at one above [`COUNTED_MOST`].
    #[must_use]
    pub(crate) fn counted(n: u32) -> Self {
        Self {
            n: n.min(COUNTED_MOST),
            more: n > COUNTED_MOST,
        }
    }
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T, C> {
    /// Its rows.
    pub rows: Vec<T>,
    /// Where the next page begins; none after the last.
    pub next: Option<C>,
    /// How many rows all pages have.
    pub total: Total,
}

/// An agent as the catalogue shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRead {
    /// The agent.
    pub agent: Agent,
    /// Its current version.
    pub version: Version,
    /// What it has to do.
    pub workload: Workload,
}

/// A task with what people and peers are shown of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRead {
    /// The task.
    pub task: Task,
    /// The root of its tree.
    pub root: Root,
    /// The act that asked it.
    pub opening: Act,
    /// The act that ended it.
    pub result: Option<Act>,
    /// The question that it is parked on, with the act that asks it.
    pub open_ask: Option<(Ask, Act)>,
    /// Its activations, in their order.
    pub hops: Vec<Hop>,
    /// The number of the act that ended it; while it is open, of the last in its conversation. What was said after that
    /// belongs to a later state than this one.
    pub last_seq: u32,
}

/// Which tasks to list. What is not named is not asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskFilter {
    /// In this conversation. (An alias is resolved first, by [`Reader::conversation_by_alias`](crate::Reader).)
    pub conversation: Option<ConversationId>,
    /// In one of these states, by name.
    pub states: Vec<&'static str>,
    /// Of those that await a clarification, only those that the viewer may answer, or only the others.
    pub asks_viewer: Option<bool>,
    /// Called so by the sender's business.
    pub work_id: Option<String>,
    /// Only root tasks that the viewer asked.
    pub own_roots: bool,
    /// Asked of this party.
    pub debtor: Option<Party>,
    /// Whose state changed after this.
    pub changed_after: Option<Timestamp>,
}

/// A place in a listing of tasks, which goes from the last changed to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskCursor {
    /// When the last one shown changed.
    pub changed: Timestamp,
    /// Which it was.
    pub id: TaskId,
}

/// The tree of a root, as far as the viewer may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The root.
    pub root: Root,
    /// Its tasks, in the order in which they were made.
    pub tasks: Vec<Task>,
    /// Their activations, in the order in which they were made.
    pub hops: Vec<Hop>,
    /// Their fan-outs.
    pub groups: Vec<Group>,
    /// Their conversations.
    pub conversations: Vec<Conversation>,
}

/// Which commitments to list. What is not named is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitmentFilter {
    /// Under this root.
    pub root: Option<RootId>,
    /// Of this status, by name.
    pub status: Option<String>,
    /// Owed by this agent, by name.
    pub debtor: Option<String>,
}

/// An entry of an inbox with what it brings.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxRead {
    /// The entry.
    pub entry: InboxEntry,
    /// The act that it brings.
    pub act: Act,
    /// The ask that it is about, as it stands now.
    pub ask: Option<Ask>,
}

/// Entries from a cursor on.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries {
    /// The entries, in their order.
    pub entries: Vec<InboxRead>,
    /// The number of the last one there is.
    pub last: u32,
}

/// Events from a cursor on.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    /// The events, in their order.
    pub events: Vec<Event>,
    /// The number of the last one there is.
    pub last: u32,
}

/// What is measured in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metrics {
    /// The mailboxes that are not empty.
    pub mailboxes: Vec<MailboxMetrics>,
    /// Dead letters that were not sent again.
    pub dead_letters: u64,
    /// Tasks that have not ended.
    pub open_tasks: u64,
}

/// What is measured of a mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailboxMetrics {
    /// Whose it is.
    pub tenant: TenantId,
    /// The agent, by name.
    pub agent: String,
    /// Deliveries that wait.
    pub pending: u64,
    /// Deliveries that were taken and not settled.
    pub taken: u64,
    /// When the oldest that waits was asked.
    pub oldest: Option<Timestamp>,
}
