//! What the program prints. Standard output is data; everything else goes to standard error. Colour disappears where no
//! terminal reads, and where `NO_COLOR` asks for that.

pub(crate) mod act;
pub(crate) mod agent;
pub(crate) mod event;
mod foreign;
pub(crate) mod page;
pub(crate) mod progress;
mod room;
pub(crate) mod task;

use std::io::{self, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use serde_json::Value;

pub(crate) use self::{
    foreign::{line, one_line, safe, safe_lines},
    room::Room,
};
use crate::failure::Failure;

/// What is right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What waits.
pub(crate) const WAITING: Style = AnsiColor::Yellow.on_default();
/// Who speaks.
pub(crate) const PARTY: Style = AnsiColor::Cyan.on_default();
/// What matters less.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// What matters more.
pub(crate) const STRONG: Style = Style::new().bold();

/// Columns between two of a table.
const BETWEEN: usize = 2;

/// How this run prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// One JSON value a line instead of text for people.
    pub(crate) json: bool,
    /// Words whole, on a terminal too.
    pub(crate) full: bool,
}

impl Output {
    /// Prints data: the value on one line with `--json`, else what `text` writes.
    pub(crate) fn data(
        self,
        value: &Value,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{}", foreign::json(value))?;
        } else {
            text(&mut out)?;
        }
        Ok(out.flush()?)
    }

    /// Prints what an agent wrote, with a line break at its end: safe on a terminal, to a program as it is.
    pub(crate) fn body(self, value: &Value, text: &str) -> Result<(), Failure> {
        if self.json || io::stdout().is_terminal() {
            return self.data(value, |out| {
                writeln!(out, "{}", safe_lines(text.trim_end_matches('\n')))
            });
        }
        // Not through the stream that takes styles away: it would take parts of the body with them.
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }

    /// Prints text that is data, with a line break at its end.
    pub(crate) fn text(text: &str) -> Result<(), Failure> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }

    /// How much of a line there is for words: all that it takes, unless a terminal shows it.
    pub(crate) fn room(self) -> Room {
        if self.full || self.json || !io::stdout().is_terminal() {
            return Room::whole();
        }
        // Some terminals do not know how wide they are.
        columns().map_or(Room::whole(), |columns| Room::of(columns.into()))
    }

    /// Tells where words were shortened for a terminal, and how all of them are seen.
    pub(crate) fn shortened(self, room: &Room) {
        if room.was_short() {
            let text = "some words are shortened to fit the terminal: --full shows them whole";
            self.note(&painted(FAINT, text));
        }
    }

    /// Tells the person something beside the data. Nothing is told with `--json`, whose readers are programs.
    pub(crate) fn note(self, text: &str) {
        if !self.json {
            to_stderr(text);
        }
    }

    /// Tells the person something that must not be missed, also with `--json`.
    pub(crate) fn warn(self, text: &str) {
        if self.json {
            to_stderr(&foreign::json(&serde_json::json!({"warning": text})));
        } else {
            let warning = painted(WAITING.bold(), "warning");
            to_stderr(&format!("{warning}: {}", safe_lines(text)));
        }
    }

    /// Tells why a command failed.
    pub(crate) fn failure(self, failure: &Failure) {
        if self.json {
            to_stderr(&foreign::json(&failure.to_json()));
            return;
        }
        let mut lines = vec![format!(
            "{}: {}",
            painted(BAD.bold(), "error"),
            safe_lines(&failure.message)
        )];
        for cause in &failure.causes {
            lines.push(format!(
                "  {}: {}",
                painted(FAINT, "cause"),
                safe_lines(cause)
            ));
        }
        if let Some(help) = &failure.help {
            lines.push(format!("  {}: {}", painted(GOOD, "help"), safe_lines(help)));
        }
        to_stderr(&lines.join("\n"));
    }

    /// A spinner on standard error; silent where no terminal reads it.
    pub(crate) fn spinner(self, text: &str) -> progress::Spinner {
        progress::Spinner::new(!self.json && io::stderr().is_terminal(), text)
    }
}

fn to_stderr(text: &str) {
    // There is nowhere left to tell that standard error cannot be written.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// `text` in a style, which goes away where no terminal reads.
pub(crate) fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// How wide the terminal is that reads standard output; none where it is none, or does not know.
fn columns() -> Option<u16> {
    comfy_table::Table::new().width()
}

/// A table without borders, whose last column is words and gets what room the others leave: ids and names are copied,
/// so they are never broken. Cells hold no styles, which have no width.
pub(crate) fn table(heads: &[&str], mut rows: Vec<Vec<String>>, room: &Room) -> String {
    let last = heads.len().saturating_sub(1);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|cell| cell.chars().count());
        widths
            .chain([heads[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let taken = (0..last).map(|column| width(column) + BETWEEN).sum();
    for row in &mut rows {
        if let Some(words) = row.get_mut(last) {
            *words = room.beside(taken, words);
        }
    }
    let mut table = comfy_table::Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_header(heads);
    for row in rows {
        table.add_row(row);
    }
    let lines: Vec<String> = table
        .to_string()
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned())
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_breaks_no_id_and_gives_words_what_is_left() {
        let rows = || {
            vec![
                vec![
                    "task_1".to_owned(),
                    "when did it begin, and how?".to_owned(),
                ],
                vec!["task_22".to_owned(), "why\n?".to_owned()],
            ]
        };
        let room = Room::of(33);
        assert_eq!(
            table(&["task", "about"], rows(), &room),
            "task     about\ntask_1   when did it begin, and …\ntask_22  why ?"
        );
        assert!(room.was_short());
        assert_eq!(
            table(&["task", "about"], rows(), &Room::whole()),
            "task     about\ntask_1   when did it begin, and how?\ntask_22  why ?"
        );
    }
}
