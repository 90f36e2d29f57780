//! The closed list of what a command can need to know.

use crate::{
    digest::{Digest, Hash16},
    fingerprint::Fingerprint,
    ids::{ActId, AskId, CommitmentId, ConversationId, GroupId, HopId, RootId, TaskId, TenantId},
    party::Party,
};

/// Facts to be loaded. A store may load more with them, where it knows what is wanted next; after that they are known,
/// and a row that is not there is known to be absent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// The tenant.
    Tenant(TenantId),
    /// The principal.
    Principal(TenantId, Party),
    /// The key of this digest.
    ApiKey(Digest),
    /// The agent, its workload and its current version.
    Agent(TenantId, String),
    /// A version of an agent.
    Version(TenantId, String, Digest),
    /// The agents of a tenant.
    Directory(TenantId),
    /// The root.
    Root(RootId),
    /// The conversation.
    Conversation(ConversationId),
    /// The open conversation of kind `standing` under a root in which the two take part, in either order.
    Standing(RootId, Party, Party),
    /// The conversation that `creator` opened with `other` and calls by this alias.
    Alias {
        /// Whose it is.
        tenant: TenantId,
        /// Who opened it.
        creator: Party,
        /// With whom.
        other: Party,
        /// What the creator calls it.
        alias: String,
    },
    /// The act.
    Act(ActId),
    /// The task.
    Task(TaskId),
    /// The hop.
    Hop(HopId),
    /// The lease of this token digest, and its hop, task, root, conversation and slot.
    Token(Digest),
    /// The slot of an agent in a conversation.
    Slot(String, ConversationId),
    /// All tasks that wait in that slot: delivery pending, or activation ready.
    Queue(String, ConversationId),
    /// Slots of an agent with a head and no lease: of each class the first `limit` by due, among the versions named
    /// (any, if none is).
    Ready {
        /// Whose it is.
        tenant: TenantId,
        /// The agent.
        agent: String,
        /// Versions that the worker serves.
        versions: Vec<Digest>,
        /// How many of each class.
        limit: u32,
    },
    /// The receipt.
    Receipt(Hash16),
    /// All steps of a task.
    Steps(TaskId),
    /// The ask.
    Ask(AskId),
    /// The open asks addressed to a task.
    AsksTo(TaskId),
    /// The open asks that a task made.
    AsksOf(TaskId),
    /// The group.
    Group(GroupId),
    /// The commitment.
    Commitment(CommitmentId),
    /// All commitments of (root, debtor, fingerprint).
    Commitments(RootId, String, Fingerprint),
    /// The open tasks whose parent is this one.
    Children(TaskId),
    /// The head of a principal's inbox.
    Inbox(TenantId, Party),
    /// The artifact.
    Artifact(RootId, Digest),
}

impl Need {
    /// The number under its root of what it names, or of what the set that it names hangs on. While the root has not
    /// come to that number, nothing is there.
    #[must_use]
    pub const fn number(&self) -> Option<(RootId, u32)> {
        match self {
            Self::Conversation(id) | Self::Slot(_, id) | Self::Queue(_, id) => {
                Some((id.root, id.n))
            }
            Self::Task(id)
            | Self::Steps(id)
            | Self::AsksTo(id)
            | Self::AsksOf(id)
            | Self::Children(id) => Some((id.root, id.n)),
            Self::Hop(id) => Some((id.root, id.n)),
            Self::Ask(id) => Some((id.root, id.n)),
            Self::Group(id) => Some((id.root, id.n)),
            Self::Commitment(id) => Some((id.root, id.n)),
            _ => None,
        }
    }

    /// The root under which it lies wholly, if there is one: what lies under a root made since the facts were last
    /// forgotten is known. Acts and artifacts are let go at each commit and so are never known by their root.
    #[must_use]
    pub fn root(&self) -> Option<RootId> {
        match self {
            Self::Root(root) | Self::Standing(root, ..) | Self::Commitments(root, ..) => {
                Some(*root)
            }
            Self::Conversation(id) | Self::Slot(_, id) | Self::Queue(_, id) => Some(id.root),
            Self::Task(id)
            | Self::Steps(id)
            | Self::AsksTo(id)
            | Self::AsksOf(id)
            | Self::Children(id) => Some(id.root),
            Self::Hop(id) => Some(id.root),
            Self::Ask(id) => Some(id.root),
            Self::Group(id) => Some(id.root),
            Self::Commitment(id) => Some(id.root),
            Self::Tenant(_)
            | Self::Principal(..)
            | Self::ApiKey(_)
            | Self::Agent(..)
            | Self::Version(..)
            | Self::Directory(_)
            | Self::Alias { .. }
            | Self::Token(_)
            | Self::Act(_)
            | Self::Artifact(..)
            | Self::Ready { .. }
            | Self::Receipt(_)
            | Self::Inbox(..) => None,
        }
    }
}
