//! States both ways, exactly as the table of SEMANTICS 2.

use tertulia_acts::{
    ask::{Addressee, Ask},
    performative::Performative,
    reason::Reason,
    task::TaskState as Engine,
    viewer::Viewer,
};
use tertulia_engine::read::TaskRead;

use crate::wire::TaskState;

/// Whether an ask waits for this viewer: it is the principal that is asked, or at work on the task that is asked.
pub(crate) fn is_asked(viewer: &Viewer, ask: &Ask) -> bool {
    match &ask.addressee {
        Addressee::Principal(party) => *party == viewer.party,
        Addressee::Task(task) => viewer.task == Some(*task),
    }
}

/// The state of a task as the viewer is shown it. Only the one who is asked sees `INPUT_REQUIRED`; for others the task
/// is at work.
pub fn shown(viewer: &Viewer, read: &TaskRead) -> TaskState {
    match &read.task.now.state {
        Engine::Queued => TaskState::Submitted,
        Engine::Working | Engine::Uncertain | Engine::Cancelling => TaskState::Working,
        Engine::AwaitingClarification { .. } => match &read.open_ask {
            Some((ask, _)) if is_asked(viewer, ask) => TaskState::InputRequired,
            _ => TaskState::Working,
        },
        Engine::AwaitingApproval { .. } | Engine::AwaitingAuthorization => TaskState::AuthRequired,
        Engine::Done { .. } => TaskState::Completed,
        Engine::Refused { .. } => TaskState::Rejected,
        Engine::Failed { .. } => TaskState::Failed,
        Engine::Cancelled { .. } => TaskState::Canceled,
    }
}

/// Which tasks a listing by state asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The engine's states, by name; none is any.
    pub states: Vec<&'static str>,
    /// Of those that await a clarification, only those that wait for the viewer, or only the others.
    pub asks_viewer: Option<bool>,
}

/// The engine's states whose image for the viewer is `state`.
pub fn listed(state: TaskState) -> Listed {
    let (states, asks_viewer): (&[&'static str], _) = match state {
        TaskState::Unspecified | TaskState::Other(_) => (&[], None),
        TaskState::Submitted => (&["queued"], None),
        TaskState::Working => (
            &[
                "working",
                "uncertain",
                "cancelling",
                "awaiting-clarification",
            ],
            Some(false),
        ),
        TaskState::InputRequired => (&["awaiting-clarification"], Some(true)),
        TaskState::AuthRequired => (&["awaiting-approval", "awaiting-authorization"], None),
        TaskState::Completed => (&["done"], None),
        TaskState::Rejected => (&["refused"], None),
        TaskState::Failed => (&["failed"], None),
        TaskState::Canceled => (&["cancelled"], None),
    };
    Listed {
        states: states.to_vec(),
        asks_viewer,
    }
}

/// What the state of a task at a peer means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It goes on there.
    GoesOn,
    /// The peer asks for input.
    Asks,
    /// The peer waits for a credential, out of band.
    NeedsCredential,
    /// It has its result.
    Result,
    /// It ended without one.
    Ended {
        /// As a refuse or a failure.
        performative: Performative,
        /// Why.
        reason: Reason,
    },
}

/// A peer's state, read: REJECTED is a refuse, FAILED a failure, CANCELED unasked a failure, and what no version of
/// the protocol allows is nonsense.
pub fn heard(state: TaskState) -> Heard {
    let failure = |reason| Heard::Ended {
        performative: Performative::Failure,
        reason,
    };
    match state {
        TaskState::Submitted | TaskState::Working => Heard::GoesOn,
        TaskState::InputRequired => Heard::Asks,
        TaskState::AuthRequired => Heard::NeedsCredential,
        TaskState::Completed => Heard::Result,
        TaskState::Rejected => Heard::Ended {
            performative: Performative::Refuse,
            reason: Reason::PeerRefused,
        },
        TaskState::Failed => failure(Reason::PeerFailed),
        TaskState::Canceled => failure(Reason::PeerCancelled),
        TaskState::Unspecified | TaskState::Other(_) => failure(Reason::PeerNonsense),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_peer_is_told_apart() {
        let ended = |performative, reason| Heard::Ended {
            performative,
            reason,
        };
        for (state, expected) in [
            (TaskState::Submitted, Heard::GoesOn),
            (TaskState::Working, Heard::GoesOn),
            (TaskState::InputRequired, Heard::Asks),
            (TaskState::AuthRequired, Heard::NeedsCredential),
            (TaskState::Completed, Heard::Result),
            (
                TaskState::Rejected,
                ended(Performative::Refuse, Reason::PeerRefused),
            ),
            (
                TaskState::Failed,
                ended(Performative::Failure, Reason::PeerFailed),
            ),
            (
                TaskState::Canceled,
                ended(Performative::Failure, Reason::PeerCancelled),
            ),
            (
                TaskState::Unspecified,
                ended(Performative::Failure, Reason::PeerNonsense),
            ),
            (
                TaskState::Other(42),
                ended(Performative::Failure, Reason::PeerNonsense),
            ),
        ] {
            assert_eq!(heard(state), expected, "{state:?}");
        }
    }

    #[test]
    fn every_state_of_the_engine_is_listed_under_its_images() {
        let under = |state| listed(state).states;
        let clarification = "awaiting-clarification";
        assert!(under(TaskState::Working).contains(&clarification));
        assert_eq!(under(TaskState::InputRequired), [clarification]);
        let all = [
            TaskState::Submitted,
            TaskState::Working,
            TaskState::InputRequired,
            TaskState::AuthRequired,
            TaskState::Completed,
            TaskState::Rejected,
            TaskState::Failed,
            TaskState::Canceled,
        ];
        let mut names: Vec<_> = all.into_iter().flat_map(under).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 11, "{names:?}");
        assert!(under(TaskState::Unspecified).is_empty());
    }
}
