use super::{
    Answer, GateColumn, OnCommitment, Opens, Performative, Rule, Sense, When, Who, rule::rule,
};

rule! {
    /// # request
    ///
    /// Asks an agent to do something. It makes a task, in a conversation that stands or that it
    /// opens, and passes every gate.
    ///
    /// The recipient may **agree**, ask what is meant (**query**), tell how far it is (**inform**,
    /// any number of times), and ends the task with its result (**inform**), with **refuse** as
    /// long as it has not agreed, or with **failure** once it has. Delegating work onwards or
    /// telling progress means to agree: the engine writes the agree first.
    ///
    /// A request that passes the gates makes a conditional commitment: the recipient owes an
    /// answer. An equivalent request under the same root is not a second debt; it is attached to
    /// the first or refused with `already-committed`.
    Request {
        opens: Opens::Task,
        answers: &[
            Answer::plain(Performative::Agree, When::UntilAgreed),
            Answer::always(Performative::Query, Sense::Clarification),
            Answer::always(Performative::Inform, Sense::Progress),
            Answer::always(Performative::Inform, Sense::Result),
            Answer::plain(Performative::Refuse, When::UntilAgreed),
            Answer::plain(Performative::Failure, When::OnceAgreed),
        ],
        said_by: &[Who::Anyone],
        commitment: OnCommitment::Makes,
        gates: GateColumn::Delegation,
        room_turn: true,
    }
}
