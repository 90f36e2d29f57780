//! Foreign text on its way to a person: what could steer the terminal, or hide and reorder text, is shown as what it is.
//! Whatever others wrote goes through here, wherever it is printed for people.

use std::fmt::Write as _;

use serde_json::Value;

/// Foreign text that stands in a line: nothing in it breaks the line or steers the terminal.
pub(crate) fn safe(text: &str) -> String {
    visible(text, |c| steers(c) || c == '\n' || c == '\t')
}

/// Foreign text that stands by itself: its line breaks and tabs stay.
pub(crate) fn safe_lines(text: &str) -> String {
    visible(&text.replace("\r\n", "\n"), steers)
}

/// Foreign text on one line: white space is one space.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let words: Vec<&str> = text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    safe(&words.join(" "))
}

/// The same, not longer than `most` characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    shortened(one_line(text), most)
}

/// Text of one line, not longer than `most` characters.
pub(super) fn shortened(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{cut}…")
}

/// A value as JSON on one line, which a terminal can show as it is: what steers is escaped, as JSON allows anywhere in
/// its strings, and nowhere else can it stand.
pub(crate) fn json(value: &Value) -> String {
    let text = value.to_string();
    if !text.contains(steers) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

/// What a terminal obeys instead of showing it, and what shows nothing but changes what is read: controls, marks of
/// direction, letters without width, separators of lines, tags. The joiners that scripts and emoji are made with stay.
fn steers(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn visible(text: &str, hidden: impl Fn(char) -> bool) -> String {
    if !text.contains(&hidden) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Clears the screen, names the window, rings, goes back in the line, turns the direction, hides.
    const HOSTILE: &str =
        "a\u{1b}[2J\u{1b}]0;t\u{7}b\rc\u{9b}1md\u{202e}e\u{2066}f\u{feff}g\u{e0041}h";

    #[test]
    fn foreign_text_cannot_steer_a_terminal() {
        let shown = r"a\u{1b}[2J\u{1b}]0;t\u{7}b\rc\u{9b}1md\u{202e}e\u{2066}f\u{feff}g\u{e0041}h";
        assert_eq!(safe(HOSTILE), shown);
        assert_eq!(safe_lines(HOSTILE), shown);
        assert_eq!(one_line(HOSTILE), shown);
        assert_eq!(safe("grüße 👩‍🚀 نص"), "grüße 👩‍🚀 نص");
    }

    #[test]
    fn only_text_that_stands_by_itself_breaks_lines() {
        assert_eq!(safe("a\n\tb"), r"a\n\tb");
        assert_eq!(safe_lines("a\r\n\tb\rc"), "a\n\tb\\rc");
        assert_eq!(one_line(" a\r\n  b\t c"), "a b c");
    }

    #[test]
    fn a_line_is_of_bounded_length() {
        assert_eq!(line("a\n  b\t c", 10), "a b c");
        assert_eq!(line("abcdef", 4), "abc…");
    }

    #[test]
    fn json_is_the_same_value_without_what_steers() {
        let value = json!({"text": HOSTILE, "n": ["grüße", 1]});
        let shown = json(&value);
        assert!(!shown.contains(steers), "{shown}");
        assert!(shown.contains("grüße"), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
