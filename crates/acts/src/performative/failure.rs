use super::{GateColumn, OnCommitment, Opens, Performative, Rule, Who, rule::rule};

rule! {
    /// # failure
    ///
    /// Begun, and not brought to its end. The recipient says it once it agreed; the engine says it
    /// when a task expires, meets its deadline, has used up its attempts, has a result that its
    /// contract does not allow, or has an outcome that nobody knows.
    ///
    /// A task that expired in the mailbox was never begun; it is a failure all the same, by
    /// convention, so that silence always ends in a failure and never in a refuse. A failure
    /// violates the commitment. Nothing answers it.
    Failure {
        opens: Opens::Never,
        answers: &[],
        said_by: &[Who::Recipient, Who::Engine],
        commitment: OnCommitment::Violates,
        gates: GateColumn::Answer,
        room_turn: true,
    }
}
