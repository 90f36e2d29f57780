//! How much of a line there is for words. What is piped, or asked for with `--full`, is whole; a terminal shows what fits.

use std::cell::Cell;

use super::foreign::{one_line, shortened};

/// Characters that words get at least, on a terminal however narrow.
const LEAST: usize = 24;

/// How long a line may be, and whether one was too long for it.
#[derive(Debug)]
pub(crate) struct Room {
    most: Option<usize>,
    short: Cell<Short>,
}

/// Whether words were too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Short {
    No,
    Yes,
    Told,
}

impl Room {
    /// Words are whole.
    pub(crate) const fn whole() -> Self {
        Self {
            most: None,
            short: Cell::new(Short::No),
        }
    }

    /// A line has so many columns.
    pub(crate) const fn of(columns: usize) -> Self {
        Self {
            most: Some(columns),
            short: Cell::new(Short::No),
        }
    }

    /// Foreign words on one line, behind `before`, which is there already and may have styles.
    pub(crate) fn behind(&self, before: &str, words: &str) -> String {
        let taken = anstream::adapter::strip_str(before)
            .to_string()
            .chars()
            .count();
        self.beside(taken, words)
    }

    /// The same, where so many columns are taken.
    pub(super) fn beside(&self, taken: usize, words: &str) -> String {
        let words = one_line(words);
        let Some(most) = self.most.map(|most| most.saturating_sub(taken).max(LEAST)) else {
            return words;
        };
        if words.chars().count() > most && self.short.get() == Short::No {
            self.short.set(Short::Yes);
        }
        shortened(words, most)
    }

    /// Whether it is to be told that words were shortened, which is told once.
    pub(crate) fn was_short(&self) -> bool {
        let short = self.short.get() == Short::Yes;
        if short {
            self.short.set(Short::Told);
        }
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{STRONG, painted};

    #[test]
    fn words_are_whole_where_no_terminal_is() {
        let room = Room::whole();
        let words = "long ".repeat(1_000);
        assert_eq!(room.behind("", &words).len(), 4_999);
        assert!(!room.was_short());
    }

    #[test]
    fn a_terminal_shows_what_fits_and_it_is_told_once() {
        let room = Room::of(40);
        let before = painted(STRONG, "0123456789");
        assert_eq!(room.behind(&before, &"x".repeat(30)), "x".repeat(30));
        assert!(!room.was_short());
        let shown = room.behind(&before, &"x".repeat(31));
        assert_eq!(shown, format!("{}…", "x".repeat(29)));
        assert!(room.was_short());
        room.behind(&before, &"x".repeat(31));
        assert!(!room.was_short());
    }

    #[test]
    fn a_narrow_terminal_shows_some_words_all_the_same() {
        assert_eq!(
            Room::of(10).behind("0123456789", "0123456789"),
            "0123456789"
        );
        assert_eq!(
            Room::of(10).beside(8, &"x".repeat(99)).chars().count(),
            LEAST
        );
    }
}
