//! Events of a stream, one a line.

use serde_json::Value;
use tertulia_worker::wire::Event;

use super::{FAINT, STRONG, act, line, painted, safe};

/// An event on one line: its number, what happened, and the act that it tells of or what it names.
pub(crate) fn on_a_line(event: &Event) -> String {
    let number = painted(FAINT, &format!("{:>4}", event.n));
    let said = event
        .act
        .as_ref()
        .filter(|_| event.kind == "conversation.act");
    if let Some(said) = said {
        return format!("{number}  {}", act::on_a_line(said));
    }
    let mut text = format!(
        "{number}  {}  {}",
        painted(FAINT, act::clock(event.at.as_deref())),
        painted(STRONG, &safe(&event.kind)),
    );
    if let Value::Object(members) = &event.detail {
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text.extend(["  ", &safe(name), "=", &line(&value, 80)]);
        }
    }
    text
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
        let plain = |event: &Event| anstream::adapter::strip_str(&on_a_line(event)).to_string();
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
        let plain = anstream::adapter::strip_str(&on_a_line(&event)).to_string();
        assert_eq!(
            plain,
            "   7  14:03:22.123  task.state  hop=hop_1  state=done"
        );
    }
}
