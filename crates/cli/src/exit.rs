//! How the program ends: every exit code, with its meaning. `tertulia --help` and docs/cli.md list the same.

use std::process::ExitCode;

macro_rules! exits {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        /// How the program ends.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Exit { $($(#[doc = $doc])+ $name,)+ }

        impl Exit {
            /// Every way to end.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),+];

            /// The code that the shell sees.
            pub(crate) const fn code(self) -> u8 {
                match self { $(Self::$name => $code),+ }
            }

            /// What it means.
            pub(crate) fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_start()),+ }
            }
        }
    };
}

exits! {
    /// It was done.
    Done = 0;
    /// The work ended refused, failed or cancelled, or an act was refused.
    Ended = 1;
    /// The arguments, the configuration or a file that was given are wrong.
    Usage = 2;
    /// The server cannot be reached.
    Unreachable = 3;
    /// It is not allowed, or it does not exist; the two are not told apart.
    Absent = 4;
    /// The storage is in use by another process, full, or cannot be read or written.
    Storage = 5;
    /// The task asks something and waits for the answer.
    Asks = 6;
    /// The server is overloaded, busy or stopping; the same command may be repeated.
    Busy = 7;
    /// An error of the program itself.
    Internal = 70;
    /// The disk did not confirm a write, so the server ended at once.
    Disk = 74;
    /// It was interrupted; a task that was sent goes on.
    Interrupted = 130;
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The list for `--help`.
pub(crate) fn list() -> String {
    let lines: Vec<String> = Exit::ALL
        .iter()
        .map(|exit| format!("  {:>3}  {}", exit.code(), exit.meaning()))
        .collect();
    format!("Exit codes:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_command_line_lists_the_same() {
        let page = include_str!("../../../docs/cli.md");
        for exit in Exit::ALL {
            let row = format!("| {} | {} |", exit.code(), exit.meaning());
            assert!(page.contains(&row), "docs/cli.md lacks: {row}");
        }
        let rows = page
            .lines()
            .filter(|line| {
                line.strip_prefix("| ")
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
            .count();
        assert_eq!(rows, Exit::ALL.len());
    }
}
