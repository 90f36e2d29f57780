//! What is told when a command fails, in two tiers: errors that the person can do something about, with what, and
//! errors of the program itself, with where to report them. Neither shows a backtrace.

use std::{fmt, io};

use serde_json::{Value, json};

use crate::exit::Exit;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How the program ends.
    pub(crate) exit: Exit,
    /// A lower-case fragment.
    pub(crate) message: String,
    /// What lies beneath it, outermost first.
    pub(crate) causes: Vec<String>,
    /// What to do.
    pub(crate) help: Option<String>,
}

impl Failure {
    /// A failure that ends with `exit`.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            causes: Vec::new(),
            help: None,
        }
    }

    /// Something that was given is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// An error of the program itself.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Exit::Internal, message)
            .help("this is an error of tertulia: please report it, with the command and this text")
    }

    /// The same, with what lies beneath.
    pub(crate) fn because(mut self, error: &dyn std::error::Error) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            let text = error.to_string();
            // Some errors repeat their source in their own text.
            let known = self.message.contains(&text)
                || self.causes.iter().any(|cause| cause.contains(&text));
            if !known {
                self.causes.push(text);
            }
            next = error.source();
        }
        self
    }

    /// The same, with what to do.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// As a value, for `--json`.
    pub(crate) fn to_json(&self) -> Value {
        json!({"error": {
            "message": self.message,
            "causes": self.causes,
            "help": self.help,
            "exit": self.exit.code(),
        }})
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What is printed cannot be written. A reader that went away, such as `head`, is no failure to speak of; `main` ends
/// quietly.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let exit = if error.kind() == io::ErrorKind::BrokenPipe {
            Exit::Done
        } else {
            Exit::Storage
        };
        Self::new(exit, "the output cannot be written").because(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_once_each() {
        let inner = io::Error::other("disk on fire");
        let outer = io::Error::other(inner);
        let failure = Failure::usage("cannot read x").because(&outer);
        assert_eq!(failure.causes, ["disk on fire"]);
        assert_eq!(failure.to_json()["error"]["exit"], 2);
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit, Exit::Done);
    }
}
