use super::{GateColumn, OnCommitment, Opens, Performative, Rule, Who, rule::rule};

rule! {
    /// # reject-proposal
    ///
    /// Does not take a proposal. The bidder's conditional commitment is released. Nothing answers
    /// it.
    RejectProposal {
        opens: Opens::Never,
        answers: &[],
        said_by: &[Who::Requester],
        commitment: OnCommitment::Releases,
        gates: GateColumn::Answer,
        room_turn: false,
    }
}
