//! The catalogue's entrance: definitions of agents as people write them (DESIGN 2).
//!
//! A definition is a Markdown file: YAML front matter with the fields of [`Definition`], and below it the
//! instructions. Over the API it may also come as JSON, with the instructions as a field. Both are foreign text: they
//! are bounded ([`limits`](tertulia_acts::limits)), read strictly, and refused with the place that is wrong.
//!
//! ```
//! let definition = tertulia_engine::catalog::parse_definition(
//!     "---\nname: logs\ndescription: Reads logs.\nowner: user:ana\n---\n\nYou read logs.\n",
//! )?;
//! assert_eq!(definition.instructions, "You read logs.");
//! # Ok::<(), tertulia_engine::catalog::CatalogError>(())
//! ```

mod definition;
mod folder;
mod front_matter;
mod write;

use std::{
    fmt::{self, Write as _},
    io,
    path::PathBuf,
};

pub use definition::parse_definition_json;
pub use folder::{read_file, read_folder};
pub use front_matter::parse_definition;
use tertulia_acts::limits::DEFINITION_BYTES;
pub use write::to_markdown;

#[cfg(doc)]
use tertulia_acts::agent::Definition;

/// Why a definition was not read. The text says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// A definition says something that it cannot say. 400.
    #[error("{place}{what}")]
    Wrong {
        /// Where in the definition.
        place: Place,
        /// What is wrong there, and what would be right.
        what: String,
    },
    /// A definition is larger than any may be. 413.
    #[error("the definition has {bytes} bytes, at most {DEFINITION_BYTES} are read: shorten it")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// One of the files of a folder is wrong.
    #[error("{}", in_file(file, error))]
    InFile {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        #[source]
        error: Box<Self>,
    },
    /// Two files of a folder define the same agent.
    #[error("{} and {} both define the agent `{name}`: rename one or take it away", first.display(), second.display())]
    DefinedTwice {
        /// The agent.
        name: String,
        /// The file that comes first by name.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// A file or folder cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// More than one thing is wrong in a folder.
    #[error("{}", each_on_its_line(.0))]
    Several(Vec<Self>),
}

impl CatalogError {
    fn wrong(field: impl Into<String>, what: impl AsRef<str>) -> Self {
        let place = Place {
            field: field.into(),
            ..Place::default()
        };
        Self::Wrong {
            place,
            what: printable(what.as_ref()),
        }
    }
}

/// A place in a definition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The line of the file, from 1, where it is known.
    pub line: Option<u64>,
    /// The column of that line, from 1, where it is known.
    pub column: Option<u64>,
    /// The path of the field, such as `skills[0].id`; empty for the definition as a whole.
    pub field: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}")?;
            f.write_str(if self.field.is_empty() { ": " } else { ", " })?;
        }
        if self.field.is_empty() {
            return Ok(());
        }
        write!(f, "`{}`: ", self.field)
    }
}

/// `file:line:column: …`, which editors and terminals can jump to.
fn in_file(file: &std::path::Path, error: &CatalogError) -> String {
    let mut text = file.display().to_string();
    let CatalogError::Wrong { place, what } = error else {
        return format!("{text}: {error}");
    };
    for number in [place.line, place.column].into_iter().flatten() {
        // Writing into a string does not fail.
        let _ = write!(text, ":{number}");
    }
    let field = Place {
        line: None,
        ..place.clone()
    };
    format!("{text}: {field}{what}")
}

fn each_on_its_line(errors: &[CatalogError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Foreign text for a message: no line breaks or control characters, so that it cannot imitate other output, and
/// bounded.
fn printable(text: &str) -> String {
    const MOST: usize = 600;
    let mut shown = String::with_capacity(text.len().min(MOST));
    for c in text.chars() {
        if shown.len() >= MOST {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}
