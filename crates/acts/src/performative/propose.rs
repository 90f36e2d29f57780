use super::{Answer, GateColumn, OnCommitment, Opens, Performative, Rule, When, Who, rule::rule};

rule! {
    /// # propose
    ///
    /// Offers to do what was called for, on the terms that it states. It is a conditional
    /// commitment of the bidder, and it ends the task of the call.
    ///
    /// Who called answers with **accept-proposal** or **reject-proposal**.
    Propose {
        opens: Opens::Never,
        answers: &[
            Answer::plain(Performative::AcceptProposal, When::Always),
            Answer::plain(Performative::RejectProposal, When::Always),
        ],
        said_by: &[Who::Recipient],
        commitment: OnCommitment::Makes,
        gates: GateColumn::Answer,
        room_turn: false,
    }
}
