//! What a draft finds by its key.

use super::{Draft, Need, Stop};
use crate::{
    agent::{Agent, Version, Workload},
    artifact::Artifact,
    ask::Ask,
    commitment::Commitment,
    conversation::Conversation,
    digest::{Digest, Hash16},
    envelope::Act,
    group::Group,
    hop::Hop,
    ids::{ActId, AskId, CommitmentId, ConversationId, GroupId, HopId, RootId, TaskId, TenantId},
    inbox::Inbox,
    lease::Lease,
    party::Party,
    receipt::Receipt,
    root::Root,
    slot::Slot,
    task::Task,
    tenant::{ApiKey, Principal, Tenant},
};

impl Draft<'_> {
    /// The tenant.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn tenant(&self, id: TenantId) -> Result<Option<Tenant>, Stop> {
        self.find(&id, || Need::Tenant(id))
    }

    /// The principal.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn principal(&self, tenant: TenantId, party: &Party) -> Result<Option<Principal>, Stop> {
        self.find(&(tenant, party.clone()), || {
            Need::Principal(tenant, party.clone())
        })
    }

    /// The key.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn api_key(&self, digest: Digest) -> Result<Option<ApiKey>, Stop> {
        self.find(&digest, || Need::ApiKey(digest))
    }

    /// The agent, if it stands in the catalogue.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn agent(&self, tenant: TenantId, name: &str) -> Result<Option<Agent>, Stop> {
        self.find(&(tenant, name.to_owned()), || {
            Need::Agent(tenant, name.to_owned())
        })
    }

    /// An agent's workload; none is an empty one.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn workload(&self, tenant: TenantId, name: &str) -> Result<Workload, Stop> {
        let found = self.find(&(tenant, name.to_owned()), || {
            Need::Agent(tenant, name.to_owned())
        })?;
        Ok(found.unwrap_or_else(|| Workload {
            tenant,
            agent: name.to_owned(),
            leased: 0,
            open: 0,
        }))
    }

    /// A version of an agent.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn version(
        &self,
        tenant: TenantId,
        agent: &str,
        digest: Digest,
    ) -> Result<Option<Version>, Stop> {
        self.find(&(tenant, agent.to_owned(), digest), || {
            Need::Version(tenant, agent.to_owned(), digest)
        })
    }

    /// A root.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn root(&self, id: RootId) -> Result<Root, Stop> {
        self.must(&id, || Need::Root(id))
    }

    /// A conversation.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_conversation(&self, id: ConversationId) -> Result<Option<Conversation>, Stop> {
        self.find(&id, || Need::Conversation(id))
    }

    /// A conversation that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn conversation(&self, id: ConversationId) -> Result<Conversation, Stop> {
        self.must(&id, || Need::Conversation(id))
    }

    /// An act.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn act(&self, id: ActId) -> Result<Act, Stop> {
        self.must(&id, || Need::Act(id))
    }

    /// A task.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_task(&self, id: TaskId) -> Result<Option<Task>, Stop> {
        self.find(&id, || Need::Task(id))
    }

    /// A task that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn task(&self, id: TaskId) -> Result<Task, Stop> {
        self.must(&id, || Need::Task(id))
    }

    /// A hop that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn hop(&self, id: HopId) -> Result<Hop, Stop> {
        self.must(&id, || Need::Hop(id))
    }

    /// The lease of a token.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_lease(&self, token: Digest) -> Result<Option<Lease>, Stop> {
        self.find(&token, || Need::Token(token))
    }

    /// A lease that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn lease(&self, token: Digest) -> Result<Lease, Stop> {
        self.must(&token, || Need::Token(token))
    }

    /// The slot of an agent in a conversation, if it had one.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn slot(&self, agent: &str, conversation: ConversationId) -> Result<Option<Slot>, Stop> {
        self.find(&(agent.to_owned(), conversation), || {
            Need::Slot(agent.to_owned(), conversation)
        })
    }

    /// A receipt.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn receipt(&self, key: Hash16) -> Result<Option<Receipt>, Stop> {
        self.find(&key, || Need::Receipt(key))
    }

    /// An ask.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_ask(&self, id: AskId) -> Result<Option<Ask>, Stop> {
        self.find(&id, || Need::Ask(id))
    }

    /// A group.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_group(&self, id: GroupId) -> Result<Option<Group>, Stop> {
        self.find(&id, || Need::Group(id))
    }

    /// A commitment that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn commitment(&self, id: CommitmentId) -> Result<Commitment, Stop> {
        self.must(&id, || Need::Commitment(id))
    }

    /// The head of a principal's inbox.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn inbox(&self, tenant: TenantId, principal: &Party) -> Result<Inbox, Stop> {
        let found = self.find(&(tenant, principal.clone()), || {
            Need::Inbox(tenant, principal.clone())
        })?;
        Ok(found.unwrap_or_else(|| Inbox {
            tenant,
            principal: principal.clone(),
            last: 0,
        }))
    }

    /// An artifact of the root.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn artifact(&self, root: RootId, digest: Digest) -> Result<Option<Artifact>, Stop> {
        self.find(&(root, digest), || Need::Artifact(root, digest))
    }
}
