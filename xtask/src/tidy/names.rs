//! A file is named after the concept it holds; some names are none (STYLE).

use std::path::Path;

use anyhow::Result;

use super::Finding;
use crate::workspace::Workspace;

/// Where code of ours lies.
pub(super) const FOLDERS: [&str; 6] =
    ["crates", "examples", "xtask", "clients", "console", "tests"];
/// What code of ours is written in.
pub(super) const EXTENSIONS: [&str; 4] = ["rs", "py", "ts", "tsx"];

const NO_CONCEPT: [&str; 7] = [
    "common", "helper", "helpers", "manager", "misc", "util", "utils",
];

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let files = workspace.files(&FOLDERS, &EXTENSIONS)?;
    Ok(files.iter().filter_map(|file| judge(file)).collect())
}

/// Looks at each word of each folder's and of the file's name.
fn judge(file: &Path) -> Option<Finding> {
    let stem = file.with_extension("");
    let words = stem
        .iter()
        .filter_map(|part| part.to_str())
        .flat_map(|part| part.split(['_', '-']));
    let word = words.into_iter().find(|word| NO_CONCEPT.contains(word))?;
    Some(Finding::Error(format!(
        "{}: `{word}` is no concept; name it after what it holds (STYLE)",
        file.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_concept_is_an_error_anywhere_in_the_path() {
        for file in [
            "crates/a/src/utils.rs",
            "crates/a/tests/common/mod.rs",
            "crates/a/src/task_manager.rs",
            "clients/python/src/tertulia/_util.py",
        ] {
            assert!(judge(Path::new(file)).is_some(), "{file}");
        }
    }

    #[test]
    fn other_names_are_free() {
        for file in [
            "crates/acts/src/commonwealth.rs",
            "crates/acts/src/utility.rs",
        ] {
            assert_eq!(judge(Path::new(file)), None, "{file}");
        }
    }
}
