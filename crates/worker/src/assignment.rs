//! What a handler is given to work on.

use serde::de::DeserializeOwned;

use crate::wire::{Act, AgentVersion, Ancestor, Lease, Task, Turn};

/// What there is to do: a task, with what its worker needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The lease.
    pub lease: String,
    /// The hop.
    pub hop: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Whether the hop was parked or released before.
    pub resumed: bool,
    /// Whether an earlier attempt may have had effects outside that must be looked for first.
    pub reconcile: bool,
    /// A key for effects outside that is the same in every attempt.
    pub effect_key: String,
    /// Who is at work, in which version.
    pub agent: AgentVersion,
    /// The task.
    pub task: Task,
    /// The act that asked it.
    pub act: Act,
    /// That act as the engine renders it for a model: programs that build prompts take this and nothing else.
    pub prompt: Vec<String>,
    /// Earlier turns of the conversation or, in a consultation, of the conversation that is consulted.
    pub history: Vec<Turn>,
    /// The hops above, the oldest first.
    pub genealogy: Vec<Ancestor>,
}

impl Assignment {
    /// Takes what the handler may know out of a lease: all but the token, the steps and the questions.
    pub(crate) fn of(lease: &mut Lease) -> Self {
        Self {
            lease: lease.lease.clone(),
            hop: lease.hop.clone(),
            attempt: lease.attempt,
            resumed: lease.resumed,
            reconcile: lease.reconcile,
            effect_key: std::mem::take(&mut lease.effect_key),
            agent: lease.agent.clone(),
            task: lease.task.clone(),
            act: lease.act.clone(),
            prompt: std::mem::take(&mut lease.prompt),
            history: std::mem::take(&mut lease.history),
            genealogy: std::mem::take(&mut lease.genealogy),
        }
    }

    /// The text of the request: untrusted.
    pub fn text(&self) -> String {
        self.act.text()
    }

    /// The data of the request, read as a `T`; none if it has none.
    pub fn data<T: DeserializeOwned>(&self) -> Option<Result<T, serde_json::Error>> {
        self.act.data()
    }
}
