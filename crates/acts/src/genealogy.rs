//! The list of hops above an act. It is built in one function only, [`Genealogy::below`].

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    fingerprint::Fingerprint,
    ids::{ConversationId, HopId, TaskId},
};

/// One hop above an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The agent that was at work.
    pub agent: String,
    /// The version of it that was pinned.
    pub version: Digest,
    /// Its hop.
    pub hop: HopId,
    /// The conversation it was at work in.
    pub conversation: ConversationId,
    /// The task it was at work on.
    pub task: TaskId,
    /// That task's fingerprint.
    pub fingerprint: Fingerprint,
    /// The root's evidence counter when the hop was claimed (SEMANTICS 5).
    pub evidence: u32,
}

/// The hops above an act, the oldest first. Empty for what a principal sends outside a hop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Genealogy(Vec<Ancestor>);

impl Genealogy {
    /// The genealogy of what `author` makes, at work on a task whose own genealogy is `above`.
    #[must_use]
    pub fn below(above: &Self, author: Ancestor) -> Self {
        let mut hops = above.0.clone();
        hops.push(author);
        Self(hops)
    }

    /// The hops, the oldest first.
    #[must_use]
    pub fn hops(&self) -> &[Ancestor] {
        &self.0
    }

    /// How many hops stand above: the depth (SEMANTICS 3).
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// The nearest hop above of the agent called `name`, in any version.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&Ancestor> {
        self.0.iter().rev().find(|hop| hop.agent == name)
    }
}
