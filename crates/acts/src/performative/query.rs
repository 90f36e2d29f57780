use super::{
    Answer, GateColumn, OnCommitment, Opens, Performative, Rule, Sense, When, Who, rule::rule,
};

rule! {
    /// # query
    ///
    /// Asks a question. Where nothing stands before it, it makes a task; as an answer it is a
    /// clarification, and the one who asks waits for what comes back.
    ///
    /// A question is answered by one **inform**. Before that the recipient may ask what is meant
    /// (**query**). It may always **refuse**, because a question makes no commitment, and it may
    /// say that it failed (**failure**). There is nothing to agree to, and no progress: what is
    /// worth progress is a request.
    ///
    /// A consultation, which is what becomes of a delegation to an agent that is still at work
    /// above, is a query too, and is answered like one.
    Query {
        opens: Opens::Task,
        answers: &[
            Answer::always(Performative::Query, Sense::Clarification),
            Answer::always(Performative::Inform, Sense::Result),
            Answer::plain(Performative::Refuse, When::Always),
            Answer::plain(Performative::Failure, When::Always),
        ],
        said_by: &[Who::Anyone, Who::Recipient],
        commitment: OnCommitment::Untouched,
        gates: GateColumn::Question,
        room_turn: true,
    }
}
