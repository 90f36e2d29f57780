use super::{GateColumn, OnCommitment, Opens, Performative, Rule, Who, rule::rule};

rule! {
    /// # inform
    ///
    /// Tells something. As an answer it is progress or a result; where nothing stands before it,
    /// it is a notification.
    ///
    /// A notification to an agent makes a task that the agent ends with `acknowledge`; nothing
    /// else is due, and nothing else is legal. A notification to a person or service is an entry
    /// of its inbox.
    ///
    /// A task has one result. What comes after it is kept as a late result and changes nothing.
    /// The result of a request satisfies the commitment, or its acceptance does where the contract
    /// asks for one.
    Inform {
        opens: Opens::Event,
        answers: &[],
        said_by: &[Who::Anyone, Who::Recipient],
        commitment: OnCommitment::Satisfies,
        gates: GateColumn::Notice,
        room_turn: true,
    }
}
