//! Acts, as lines.

use anstyle::Style;
use tertulia_worker::wire::{Act, Part, Performative};

use super::{BAD, FAINT, GOOD, PARTY, Room, STRONG, WAITING, painted, safe};

/// The style of a performative.
pub(crate) fn style(performative: Performative) -> Style {
    match performative {
        Performative::Request | Performative::Query | Performative::Cfp => STRONG,
        Performative::Inform
        | Performative::Agree
        | Performative::Propose
        | Performative::AcceptProposal => GOOD,
        Performative::Refuse | Performative::Failure | Performative::RejectProposal => BAD,
        Performative::Cancel => WAITING,
        Performative::NoComment | Performative::Unknown => FAINT,
    }
}

/// An act on one line behind `before`: when, what, who, to whom, why, about what.
pub(crate) fn on_a_line(before: &str, act: &Act, room: &Room) -> String {
    let performative = format!("{:<9}", act.performative.name());
    let mut text = format!(
        "{before}{}  {}  {} → {}",
        painted(FAINT, &safe(clock(act.at.as_deref()))),
        painted(style(act.performative), &performative),
        painted(PARTY, &safe(&act.sender)),
        painted(PARTY, &safe(&act.recipient)),
    );
    if let Some(reason) = &act.reason {
        text.push_str("  ");
        text.push_str(&painted(BAD, &safe(reason)));
    }
    let said = match &act.message {
        Some(message) if act.reason.is_some() => message.clone(),
        _ => summary(&act.parts),
    };
    if !said.is_empty() {
        text.push_str("  ");
        let said = room.behind(&text, &said);
        text.push_str(&said);
    }
    text
}

/// Parts as one text.
pub(crate) fn summary(parts: &[Part]) -> String {
    let texts: Vec<String> = parts
        .iter()
        .map(
            |part| match (part.as_text(), part.as_data(), part.as_file()) {
                (Some(text), _, _) => text.to_owned(),
                (_, Some(data), _) => data.to_string(),
                (_, _, Some(file)) => format!(
                    "[file {}]",
                    file.name.as_deref().unwrap_or("without a name")
                ),
                _ => "[a part of another version]".to_owned(),
            },
        )
        .collect();
    texts.join(" ")
}

/// What an act is about, where many are looked over: its words, and its data only where it has none.
pub(crate) fn topic(act: &Act) -> String {
    let words = act.text();
    if words.trim().is_empty() {
        summary(&act.parts)
    } else {
        words
    }
}

/// What an act says in full: texts as they are, data as JSON.
pub(crate) fn full(act: &Act) -> String {
    let texts: Vec<String> = act
        .parts
        .iter()
        .filter_map(|part| match (part.as_text(), part.as_data()) {
            (Some(text), _) => Some(text.to_owned()),
            // Data always has a JSON form.
            (_, Some(data)) => serde_json::to_string_pretty(data).ok(),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// The time of day of an instant as the server writes it; the whole of it where it is written otherwise.
pub(crate) fn clock(at: Option<&str>) -> &str {
    let at = at.unwrap_or("-");
    at.split_once('T')
        .and_then(|(_, time)| time.strip_suffix('Z'))
        .unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn act(value: serde_json::Value) -> Act {
        serde_json::from_value(value).unwrap()
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn an_act_fits_a_line() {
        let act = act(json!({
            "performative": "request", "sender": "user:ana", "recipient": "agent:logs",
            "at": "2026-11-12T14:03:22.123Z",
            "parts": [{"text": "find\nwhen"}, {"data": {"n": 3}}, {"file": {"name": "x.log"}}],
        }));
        assert_eq!(
            plain(&on_a_line("", &act, &Room::whole())),
            "14:03:22.123  request    user:ana → agent:logs  find when {\"n\":3} [file x.log]"
        );
        assert_eq!(full(&act), "find\nwhen\n{\n  \"n\": 3\n}");
        assert_eq!(topic(&act), "find\nwhen");
    }

    #[test]
    fn a_refuse_tells_its_reason() {
        let act = act(json!({
            "performative": "refuse", "sender": "engine:tertulia", "recipient": "agent:a", "reason": "loop",
            "message": "The same agent is at work above.", "parts": [],
        }));
        assert_eq!(
            plain(&on_a_line("", &act, &Room::whole())),
            "-  refuse     engine:tertulia → agent:a  loop  The same agent is at work above."
        );
    }

    #[test]
    fn words_are_whole_unless_a_terminal_is_too_narrow_for_them() {
        let words = "when did it begin? ".repeat(20);
        let act = act(json!({
            "performative": "query", "sender": "user:ana", "recipient": "agent:logs",
            "parts": [{"text": words}],
        }));
        assert!(plain(&on_a_line("", &act, &Room::whole())).ends_with(words.trim_end()));
        let room = Room::of(80);
        let shown = plain(&on_a_line("   1  ", &act, &room));
        assert_eq!(shown.chars().count(), 80, "{shown}");
        assert!(shown.ends_with('…') && room.was_short(), "{shown}");
    }

    #[test]
    fn an_act_cannot_steer_the_terminal_that_shows_it() {
        let hostile = "\u{1b}[2J\u{7}\r\u{202e}x";
        let act = act(json!({
            "performative": "inform", "sender": hostile, "recipient": hostile, "at": hostile, "reason": hostile,
            "parts": [{"text": hostile}, {"data": {hostile: hostile}}, {"file": {"name": hostile}}],
        }));
        let shown = on_a_line("", &act, &Room::whole());
        assert_eq!(shown.matches("[2J").count(), 8, "{shown}");
        for steers in ["\u{1b}[2J", "\u{7}", "\r", "\u{202e}"] {
            assert!(!shown.contains(steers), "{shown}");
        }
        let shown = crate::output::safe_lines(&full(&act));
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']),
            "{shown}"
        );
    }
}
