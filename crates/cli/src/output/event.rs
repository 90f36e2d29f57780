//! Events of a stream, one a line.

use serde_json::Value;
use tertulia_worker::wire::Event;

use super::{FAINT, Room, STRONG, WAITING, act, painted, safe, task};

/// An event on one line: its number, what happened, and the act that it tells of or what it names.
pub(crate) fn on_a_line(event: &Event, room: &Room) -> String {
    let number = format!("{}  ", painted(FAINT, &format!("{:>4}", event.n)));
    let said = event
        .act
        .as_ref()
        .filter(|_| event.kind == "conversation.act");
    if let Some(said) = said {
        return act::on_a_line(&number, said, room);
    }
    let mut text = format!(
        "{number}{}  {}",
        painted(FAINT, &safe(act::clock(event.at.as_deref()))),
        painted(STRONG, &safe(&event.kind)),
    );
    if let Some(failed) = failed_attempt(event) {
        text.push_str("  ");
        let failed = room.behind(&text, &failed);
        text.push_str(&painted(WAITING, &failed));
        return text;
    }
    if let Value::Object(members) = &event.detail {
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text.extend(["  ", &safe(name), "="]);
            // Ids and codes are copied, so they are whole; words are shortened like others.
            let value = if value.contains(char::is_whitespace) {
                room.behind(&text, &value)
            } else {
                safe(&value)
            };
            text.push_str(&value);
        }
    }
    text
}

/// That an attempt was lost, which is no end: what went wrong, and when the next may begin.
fn failed_attempt(event: &Event) -> Option<String> {
    if event.kind != "mailbox.lease_lost" {
        return None;
    }
    let attempt = event.detail["attempt"].as_u64()?;
    let error = event.detail["error"].as_str().unwrap_or_default();
    let due = event.detail["due"].as_str();
    Some(task::attempt_failed(attempt, error, due))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_act_stands_for_the_event_that_it_was_said() {
        let event = |kind: &str| -> Event {
            serde_json::from_value(json!({
                "n": 2, "kind": kind, "at": "2026-11-12T14:03:22.123Z", "detail": {"state": "done"},
                "act": {"performative": "agree", "sender": "agent:a", "recipient": "user:b",
                        "at": "2026-11-12T14:03:22.123Z"},
            }))
            .unwrap()
        };
        let plain = |event: &Event| {
            anstream::adapter::strip_str(&on_a_line(event, &Room::whole())).to_string()
        };
        assert_eq!(
            plain(&event("conversation.act")),
            "   2  14:03:22.123  agree      agent:a → user:b"
        );
        assert_eq!(
            plain(&event("task.state")),
            "   2  14:03:22.123  task.state  state=done"
        );
    }

    #[test]
    fn what_an_event_names_stands_behind_it() {
        let event: Event = serde_json::from_value(json!({
            "n": 7, "kind": "task.state", "conversation": "conv_1", "at": "2026-11-12T14:03:22.123Z",
            "detail": {"state": "done", "reason": null, "hop": "hop_1"},
        }))
        .unwrap();
        let plain = anstream::adapter::strip_str(&on_a_line(&event, &Room::whole())).to_string();
        assert_eq!(
            plain,
            "   7  14:03:22.123  task.state  hop=hop_1  state=done"
        );
        let narrow = Room::of(20);
        let shown = anstream::adapter::strip_str(&on_a_line(&event, &narrow)).to_string();
        assert_eq!(shown, plain, "an id is never cut");
    }

    #[test]
    fn a_lost_attempt_is_told_with_what_comes_next() {
        let event = |detail: Value| -> Event {
            serde_json::from_value(json!({
                "n": 7, "kind": "mailbox.lease_lost", "at": "2026-11-12T14:03:22.123Z", "detail": detail,
            }))
            .unwrap()
        };
        let plain = |event: &Event| {
            anstream::adapter::strip_str(&on_a_line(event, &Room::whole())).to_string()
        };
        let again = json!({"attempt": 1, "error": "no\nspace", "hop": "hop_1", "due": "2026-11-12T14:03:23.123Z"});
        assert_eq!(
            plain(&event(again)),
            "   7  14:03:22.123  mailbox.lease_lost  attempt 1 failed: no space; tries again at 14:03:23.123"
        );
        let last = json!({"attempt": 5, "error": "no space", "hop": "hop_1"});
        assert_eq!(
            plain(&event(last)),
            "   7  14:03:22.123  mailbox.lease_lost  attempt 5 failed: no space"
        );
    }
}
