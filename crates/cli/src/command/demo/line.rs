//! An act of the demo on a line: when, what kind, who to whom, about what; further to the right the deeper it is.

use tertulia_worker::wire::{Act, Performative};

use crate::output::{BAD, FAINT, PARTY, Room, WAITING, act, painted, safe, task};

/// What a line tells beside the act itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Setting {
    /// Hops above the task that the act is about.
    pub(super) depth: u32,
    /// Whether it opens a consultation.
    pub(super) folds: bool,
    /// The contract that it is asked under, and that of the result.
    pub(super) contract: Option<(String, String)>,
}

/// The act on its line.
pub(super) fn of(said: &Act, setting: &Setting, room: &Room) -> String {
    let indent = "  ".repeat(usize::try_from(setting.depth).unwrap_or(0));
    let kind = format!("{:<8}", said.performative.name());
    let mut text = format!(
        "{}  {indent}{}  {} → {}",
        painted(FAINT, &safe(act::clock(said.at.as_deref()))),
        painted(act::style(said.performative), &kind),
        painted(PARTY, &short(&said.sender)),
        painted(PARTY, &short(&said.recipient)),
    );
    if let Some(reason) = &said.reason {
        text.extend(["  ", &painted(BAD.bold(), &safe(reason))]);
    }
    let mut behind = String::new();
    let mut add = |more: String| behind.extend(["  ", &more]);
    if setting.folds {
        add(painted(
            WAITING,
            "[folded: a read-only consultation, since it is at work above]",
        ));
    }
    if let Some((name, result)) = &setting.contract {
        add(painted(
            FAINT,
            &format!("[{} → {}]", safe(name), safe(result)),
        ));
    }
    for artifact in &said.artifacts {
        let digest = safe(&task::short_digest(&artifact.digest));
        add(painted(
            FAINT,
            &format!("[{} {digest}]", safe(&artifact.name)),
        ));
    }
    let about = about(said);
    if !about.is_empty() {
        text.push_str("  ");
        let about = room.behind(&text, &about);
        text.push_str(&about);
    }
    text.push_str(&behind);
    text
}

/// A party without what goes without saying here.
fn short(party: &str) -> String {
    safe(party.strip_prefix("agent:").unwrap_or(party))
}

/// What it says: words before data, and the engine's reason before both.
fn about(said: &Act) -> String {
    if let (Some(message), true) = (&said.message, said.reason.is_some()) {
        return message.clone();
    }
    if said.performative == Performative::Agree {
        return String::new();
    }
    act::topic(said)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn plain(said: Value, setting: &Setting) -> String {
        let said: Act = serde_json::from_value(said).unwrap();
        anstream::adapter::strip_str(&of(&said, setting, &Room::whole())).to_string()
    }

    #[test]
    fn a_deep_request_stands_to_the_right_with_its_contract() {
        let said = json!({
            "performative": "request", "sender": "agent:coordinator", "recipient": "agent:logs",
            "at": "2026-11-12T14:03:22.123Z", "parts": [{"text": "when?"}, {"data": {"n": 3}}],
        });
        let setting = Setting {
            depth: 1,
            contract: Some(("a/v1".to_owned(), "b/v1".to_owned())),
            ..Setting::default()
        };
        assert_eq!(
            plain(said, &setting),
            "14:03:22.123    request   coordinator → logs  when?  [a/v1 → b/v1]"
        );
    }

    #[test]
    fn folds_and_refusals_are_marked() {
        let refused = json!({"performative": "refuse", "sender": "engine", "recipient": "agent:a",
                             "reason": "already-committed", "message": "Read its result.", "parts": []});
        let expected = "-  refuse    engine → a  already-committed  Read its result.";
        assert_eq!(plain(refused, &Setting::default()), expected);
        let folded = json!({"performative": "query", "sender": "agent:a", "recipient": "agent:b",
                            "parts": [{"text": "what is known?"}]});
        let setting = Setting {
            folds: true,
            ..Setting::default()
        };
        assert!(plain(folded, &setting).contains("what is known?  [folded: "));
    }

    #[test]
    fn an_artifact_is_named_with_its_shortened_digest() {
        let said = json!({"performative": "inform", "sender": "agent:a", "recipient": "agent:b", "parts": [],
                          "artifacts": [{"digest": "sha256:0123456789abcdef", "name": "r.json"}]});
        assert!(plain(said, &Setting::default()).ends_with("[r.json 0123456789]"));
    }
}
