//! What comes from a peer: its words as parts, its end as an outcome.

use serde_json::{Map, json};
use tertulia_a2a::{
    map::{Heard, SPEECH_ACT, heard},
    wire::{self as a2a, Message, PartContent, Task},
};
use tertulia_acts::{
    digest::Digest,
    limits::{ARTIFACT_BYTES, ARTIFACTS, PART_BYTES, PARTS},
    performative::Performative,
    reason::Reason,
};
use tertulia_worker::{
    Outcome,
    wire::{ArtifactIn, FileRef, Part},
};

use super::failed;

/// What a peer says, as far as it is within the limits of the house.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) parts: Vec<Part>,
    pub(super) artifacts: Vec<ArtifactIn>,
    digests: Vec<Digest>,
}

/// A peer says more than the house takes in.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub(super) struct TooMuch(String);

impl Words {
    /// The words of a message.
    pub(super) fn of_message(message: &Message) -> Result<Self, TooMuch> {
        let mut words = Self::default();
        words.take(&message.parts)?;
        Ok(words)
    }

    /// The result of a task: what its artifacts hold or, without any, what its last status says.
    fn of_result(task: &Task) -> Result<Self, TooMuch> {
        let mut words = Self::default();
        for artifact in &task.artifacts {
            words.take(&artifact.parts)?;
        }
        if task.artifacts.is_empty()
            && let Some(message) = &task.status.message
        {
            words.take(&message.parts)?;
        }
        Ok(words)
    }

    fn take(&mut self, parts: &[a2a::Part]) -> Result<(), TooMuch> {
        for part in parts {
            let taken = self.part(part)?;
            self.parts.push(taken);
        }
        if self.parts.len() > PARTS {
            let most = PARTS;
            return Err(TooMuch(format!(
                "the peer's answer has more than {most} parts"
            )));
        }
        Ok(())
    }

    fn part(&mut self, part: &a2a::Part) -> Result<Part, TooMuch> {
        let name = Some(part.filename.clone()).filter(|name| !name.is_empty());
        let mut taken = match &part.content {
            Some(PartContent::Text(text)) => {
                small(text.len(), PART_BYTES)?;
                Part::text(text.as_str())
            }
            Some(PartContent::Data(data)) => {
                small(data.to_string().len(), PART_BYTES)?;
                Part::data(data.clone())
            }
            Some(PartContent::Url(url)) => Part::file(FileRef {
                url: Some(url.clone()),
                name,
                ..FileRef::default()
            }),
            Some(PartContent::Raw(bytes)) => self.file(part, bytes, name)?,
            // A part without content says nothing.
            None => Part::data(json!(null)),
        };
        if !part.media_type.is_empty() {
            taken = taken.typed(part.media_type.as_str());
        }
        if !part.metadata.is_empty() {
            taken.metadata = Some(part.metadata.clone());
        }
        Ok(taken)
    }

    fn file(
        &mut self,
        part: &a2a::Part,
        bytes: &[u8],
        name: Option<String>,
    ) -> Result<Part, TooMuch> {
        small(bytes.len(), ARTIFACT_BYTES)?;
        let digest = Digest::of(bytes);
        if !self.digests.contains(&digest) {
            let kind = match part.media_type.as_str() {
                "" => "application/octet-stream",
                kind => kind,
            };
            let artifact = ArtifactIn::bytes(name.as_deref().unwrap_or("file"), kind, bytes);
            self.artifacts.push(artifact);
            self.digests.push(digest);
        }
        if self.artifacts.len() > ARTIFACTS {
            let most = ARTIFACTS;
            return Err(TooMuch(format!(
                "the peer's answer has more than {most} files"
            )));
        }
        Ok(Part::file(FileRef {
            digest: Some(digest.to_string()),
            name,
            ..FileRef::default()
        }))
    }

    /// Without files, which only results bring.
    pub(super) fn bare(mut self) -> Vec<Part> {
        self.parts
            .retain(|part| part.as_file().is_none_or(|file| file.digest.is_none()));
        self.parts
    }
}

fn small(bytes: usize, most: usize) -> Result<(), TooMuch> {
    if bytes <= most {
        return Ok(());
    }
    Err(TooMuch(format!(
        "a part of the peer's answer has {bytes} bytes; at most {most} are taken"
    )))
}

/// How a task that has ended at the peer ends here. A peer that rejects what it had begun has failed it: nothing that
/// was agreed to is refused any more (SEMANTICS 1).
pub(super) fn outcome(task: &Task, agreed: bool) -> Outcome {
    match heard(task.status.state) {
        Heard::Result => match Words::of_result(task) {
            Ok(Words {
                parts, artifacts, ..
            }) => Outcome::Reply { parts, artifacts },
            Err(too_much) => failed(Reason::PeerNonsense.code(), too_much.to_string()),
        },
        Heard::Ended {
            performative,
            reason,
        } => ended(task, performative, reason, agreed),
        Heard::GoesOn | Heard::Asks | Heard::NeedsCredential => {
            let state = task.status.state;
            let why = format!("the peer said that the task had ended, and then {state:?}");
            failed(Reason::PeerNonsense.code(), why)
        }
    }
}

fn ended(task: &Task, performative: Performative, reason: Reason, agreed: bool) -> Outcome {
    let said = task.status.message.as_deref();
    let words = said.map(Words::of_message).and_then(Result::ok);
    let mut parts = words.unwrap_or_default().bare();
    let why = declared(said).unwrap_or_else(|| reason.sentence().to_owned());
    if parts.is_empty() {
        parts.push(Part::text(why.as_str()));
    }
    match performative {
        Performative::Refuse if !agreed => Outcome::Decline {
            parts,
            reason: Some(reason.code().to_owned()),
        },
        Performative::Refuse => Outcome::Fail {
            retry: false,
            parts,
            error: Some(format!("the peer rejected what it had begun: {why}")),
            reason: Some(Reason::PeerFailed.code().to_owned()),
        },
        _ => Outcome::Fail {
            retry: false,
            parts,
            error: Some(why),
            reason: Some(reason.code().to_owned()),
        },
    }
}

/// What a peer that speaks the extension gives as its reason.
fn declared(message: Option<&Message>) -> Option<String> {
    let declared = message?.metadata.get(SPEECH_ACT)?;
    let code: Reason = declared.get("reason")?.as_str()?.parse().ok()?;
    Some(format!("the peer says {code}: {}", code.sentence()))
}

/// What a peer answers without a task: its words or, if it says so in the extension, a refuse.
pub(super) fn direct(message: &Message) -> Outcome {
    let empty = Map::new();
    let declared_act = message
        .metadata
        .get(SPEECH_ACT)
        .and_then(serde_json::Value::as_object)
        .unwrap_or(&empty);
    let refused = declared_act.get("performative") == Some(&json!("refuse"));
    match Words::of_message(message) {
        Ok(words) if refused => Outcome::Decline {
            parts: words.bare(),
            reason: Some(Reason::PeerRefused.code().to_owned()),
        },
        Ok(Words {
            parts, artifacts, ..
        }) => Outcome::Reply { parts, artifacts },
        Err(too_much) => failed(Reason::PeerNonsense.code(), too_much.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use tertulia_a2a::wire::{Artifact, Role, TaskState, TaskStatus};

    use super::*;

    fn message(text: &str) -> Message {
        Message {
            message_id: "m".into(),
            role: Role::Agent,
            parts: vec![a2a::Part::text(text)],
            ..Message::default()
        }
    }

    fn task(state: TaskState, text: Option<&str>) -> Task {
        Task {
            id: "t".into(),
            status: TaskStatus {
                state,
                message: text.map(|text| Box::new(message(text))),
                timestamp: None,
            },
            ..Task::default()
        }
    }

    fn reason(outcome: &Outcome) -> (&str, &str) {
        match outcome {
            Outcome::Decline { reason, .. } => ("decline", reason.as_deref().unwrap()),
            Outcome::Fail { reason, retry, .. } => {
                assert!(!retry);
                ("fail", reason.as_deref().unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_end_has_its_outcome() {
        for (state, agreed, expected) in [
            (TaskState::Rejected, false, ("decline", "peer-refused")),
            (TaskState::Rejected, true, ("fail", "peer-failed")),
            (TaskState::Failed, false, ("fail", "peer-failed")),
            (TaskState::Canceled, true, ("fail", "peer-cancelled")),
            (TaskState::Other(9), false, ("fail", "peer-nonsense")),
            (TaskState::Unspecified, false, ("fail", "peer-nonsense")),
            (TaskState::Working, false, ("fail", "peer-nonsense")),
        ] {
            let outcome = outcome(&task(state, Some("because")), agreed);
            assert_eq!(reason(&outcome), expected, "{state:?}");
        }
    }

    #[test]
    fn a_result_is_what_the_artifacts_hold() {
        let mut done = task(TaskState::Completed, Some("status"));
        let Outcome::Reply { parts, .. } = outcome(&done, true) else {
            panic!("no reply")
        };
        assert_eq!(parts, [Part::text("status")]);
        let raw = a2a::Part {
            filename: "a.bin".into(),
            media_type: "image/png".into(),
            ..PartContent::Raw(vec![1, 2]).into()
        };
        done.artifacts = vec![
            Artifact {
                artifact_id: "a".into(),
                parts: vec![a2a::Part::text("one"), raw.clone()],
                ..Artifact::default()
            },
            Artifact {
                artifact_id: "b".into(),
                parts: vec![a2a::Part::data(json!({"n": 1})), raw],
                ..Artifact::default()
            },
        ];
        let Outcome::Reply { parts, artifacts } = outcome(&done, true) else {
            panic!("no reply")
        };
        assert_eq!(
            artifacts,
            [ArtifactIn::bytes("a.bin", "image/png", &[1, 2])]
        );
        assert_eq!(parts.len(), 4);
        assert_eq!(parts[0], Part::text("one"));
        assert_eq!(parts[2], Part::data(json!({"n": 1})));
        let digest = Digest::of(&[1, 2]).to_string();
        for file in [&parts[1], &parts[3]] {
            assert_eq!(file.as_file().unwrap().digest.as_ref(), Some(&digest));
            assert_eq!(file.media_type.as_deref(), Some("image/png"));
        }
    }

    #[test]
    fn more_than_the_house_takes_in_is_nonsense() {
        let mut done = task(TaskState::Completed, None);
        done.artifacts = vec![Artifact {
            parts: vec![a2a::Part::text("x".repeat(PART_BYTES + 1))],
            ..Artifact::default()
        }];
        assert_eq!(reason(&outcome(&done, true)), ("fail", "peer-nonsense"));
    }

    #[test]
    fn a_direct_answer_is_a_result_unless_it_declares_a_refuse() {
        assert_eq!(direct(&message("hello")), Outcome::text("hello"));
        let mut refuse = message("no");
        let declared = json!({"performative": "refuse", "reason": "policy"});
        refuse.metadata.insert(SPEECH_ACT.into(), declared);
        assert_eq!(reason(&direct(&refuse)), ("decline", "peer-refused"));
    }
}
