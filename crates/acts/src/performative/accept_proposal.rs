use super::{
    Answer, GateColumn, OnCommitment, Opens, Performative, Rule, Sense, When, Who, rule::rule,
};

rule! {
    /// # accept-proposal
    ///
    /// Takes a proposal: a delegation to the winner, through every gate. It makes the bid's
    /// commitment active, so that the winner stands where the recipient of a request stands after
    /// it agreed.
    ///
    /// The winner may ask what is meant (**query**), tell progress and a result (**inform**), and
    /// may fail (**failure**). It may no longer refuse, and it has nothing left to agree to.
    AcceptProposal {
        opens: Opens::Never,
        answers: &[
            Answer::always(Performative::Query, Sense::Clarification),
            Answer::always(Performative::Inform, Sense::Progress),
            Answer::always(Performative::Inform, Sense::Result),
            Answer::plain(Performative::Failure, When::Always),
        ],
        said_by: &[Who::Requester],
        commitment: OnCommitment::Activates,
        gates: GateColumn::Delegation,
        room_turn: false,
    }
}
