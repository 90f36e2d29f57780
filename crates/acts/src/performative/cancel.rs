use super::{
    Answer, GateColumn, OnCommitment, Opens, Performative, Rule, Sense, When, Who, rule::rule,
};

rule! {
    /// # cancel
    ///
    /// Takes a task back, with all that was delegated below it. Who made the task may say it, an
    /// agent at work above it, and the principal that the root belongs to.
    ///
    /// From the moment it is accepted, everything below is revoked: acts, reservations and results
    /// made there are refused with `cancelled`. What became of each piece of work is told
    /// afterwards, as **inform** or, where work could not be stopped, as **failure**; those reports
    /// move no task. A result that was committed first has won, and the cancel finds the task
    /// ended.
    Cancel {
        opens: Opens::Never,
        answers: &[
            Answer::always(Performative::Inform, Sense::Report),
            Answer::plain(Performative::Failure, When::Always),
        ],
        said_by: &[Who::Requester, Who::AncestorDebtor, Who::RootPrincipal],
        commitment: OnCommitment::Releases,
        gates: GateColumn::Answer,
        room_turn: false,
    }
}
