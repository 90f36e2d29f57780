//! What tests say: opening acts and operations, in few words.

use tertulia_acts::{
    body::{Body, NewArtifact},
    command::{
        Answer, AnswerAsk, AskUp, Cancel, Command, Decline, DelegateAll, Fail, Grant, HopOperation,
        Opening, Progress, Reply, Send, Words,
    },
    contract::Contract,
    group::GroupMode,
    hop::Wait,
    ids::{AskId, GroupId, TaskId},
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    time::Millis,
};

use crate::world::{World, accepted, outcome, party};

pub(crate) fn request(to: &str, text: &str) -> Opening {
    opening(Performative::Request, to, text)
}

pub(crate) fn opening(performative: Performative, to: &str, text: &str) -> Opening {
    let to = if to.contains(':') {
        party(to)
    } else {
        party(&format!("agent:{to}"))
    };
    Opening::new(performative, to, Body::text(text), Contract::default())
}

pub(crate) fn within(mut opening: Opening, span: Millis) -> Opening {
    opening.within = Some(span);
    opening
}

pub(crate) fn delegate(opening: Opening) -> HopOperation {
    HopOperation::Delegate(Box::new(opening))
}

pub(crate) fn all(mode: GroupMode, branches: Vec<Opening>) -> DelegateAll {
    DelegateAll {
        branches,
        mode,
        within: None,
        keep_rest: false,
    }
}

pub(crate) fn reply(text: &str) -> HopOperation {
    HopOperation::Reply(Reply {
        body: Body::text(text),
        artifacts: Vec::new(),
    })
}

pub(crate) fn reply_with(text: &str, artifact: &str) -> HopOperation {
    HopOperation::Reply(Reply {
        body: Body::text(text),
        artifacts: vec![artifact_of(artifact)],
    })
}

pub(crate) fn artifact_of(text: &str) -> NewArtifact {
    NewArtifact::new(text.into(), "text/plain".into(), text.as_bytes().to_vec())
}

pub(crate) fn progress(text: &str) -> HopOperation {
    HopOperation::Progress(Progress {
        body: Body::text(text),
        needs_credential: false,
    })
}

pub(crate) fn needs_credential(text: &str) -> HopOperation {
    HopOperation::Progress(Progress {
        body: Body::text(text),
        needs_credential: true,
    })
}

pub(crate) fn decline() -> HopOperation {
    HopOperation::Decline(Decline {
        reason: Reason::Declined,
        body: Body::text("not mine"),
    })
}

pub(crate) fn fail(retry: bool) -> HopOperation {
    HopOperation::Fail(Fail {
        retry,
        reason: Reason::GaveUp,
        error: "it did not work".into(),
        body: Body::text("sorry"),
    })
}

pub(crate) fn ask(text: &str) -> HopOperation {
    HopOperation::Ask(AskUp {
        body: Body::text(text),
        within: None,
    })
}

pub(crate) fn ask_within(text: &str, span: Millis) -> HopOperation {
    HopOperation::Ask(AskUp {
        body: Body::text(text),
        within: Some(span),
    })
}

pub(crate) fn record(value: serde_json::Value) -> HopOperation {
    HopOperation::Record(value)
}

pub(crate) fn answer_to(ask: AskId, text: &str) -> AnswerAsk {
    AnswerAsk {
        ask: Some(ask),
        task: None,
        words: Words::Inform(Body::text(text)),
        key: None,
    }
}

pub(crate) fn answer(ask: AskId, text: &str) -> HopOperation {
    HopOperation::Answer(answer_to(ask, text))
}

pub(crate) fn park_on(tasks: &[TaskId]) -> HopOperation {
    HopOperation::Park(Wait::Tasks {
        tasks: tasks.to_vec(),
    })
}

pub(crate) fn park_on_group(group: GroupId, seen: u32) -> HopOperation {
    HopOperation::Park(Wait::Group { group, seen })
}

pub(crate) fn cancel(task: TaskId) -> Cancel {
    Cancel {
        task,
        token: None,
        body: Body::text("no longer wanted"),
    }
}

impl World {
    pub(crate) fn send_as(&mut self, who: &str, opening: Opening, key: Option<&str>) -> Answer {
        let send = Send {
            opening,
            key: key.map(Into::into),
        };
        let caller = self.caller(who);
        self.run(&Command::Send(caller, Box::new(send)))
    }

    /// Ana sends it, and it is accepted.
    pub(crate) fn send(&mut self, opening: Opening) -> TaskId {
        accepted(&outcome(self.send_as("user:ana", opening, None)))
    }

    /// The task that is delegated, accepted.
    pub(crate) fn delegates(&mut self, grant: &Grant, opening: Opening) -> TaskId {
        accepted(&self.does(grant, delegate(opening)))
    }

    /// The group that is made, and the tasks of its branches, accepted or not.
    pub(crate) fn fans_out(&mut self, grant: &Grant, all: DelegateAll) -> (GroupId, Vec<TaskId>) {
        match self.does(grant, HopOperation::DelegateAll(all)) {
            Outcome::FannedOut { group, branches } => {
                (group, branches.iter().map(crate::world::made).collect())
            }
            other => panic!("no fan-out: {other:?}"),
        }
    }

    pub(crate) fn asks(&mut self, grant: &Grant, operation: HopOperation) -> AskId {
        match self.does(grant, operation) {
            Outcome::Asked { ask, .. } => ask,
            other => panic!("no ask: {other:?}"),
        }
    }

    pub(crate) fn answers(&mut self, who: &str, ask: AskId, text: &str) -> Answer {
        let caller = self.caller(who);
        self.run(&Command::Answer(caller, answer_to(ask, text)))
    }

    pub(crate) fn cancels(&mut self, who: &str, task: TaskId) -> Answer {
        let caller = self.caller(who);
        self.run(&Command::Cancel(caller, cancel(task)))
    }

    pub(crate) fn replies(&mut self, grant: &Grant, text: &str) {
        let outcome = self.does(grant, reply(text));
        assert!(matches!(outcome, Outcome::Settled { .. }), "{outcome:?}");
    }

    pub(crate) fn parks(&mut self, grant: &Grant, on: &[TaskId]) {
        assert_eq!(self.does(grant, park_on(on)), Outcome::Parked);
    }
}
