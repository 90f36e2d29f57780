//! No SQL leaves the store (DESIGN 5).

use std::path::Path;

use anyhow::Result;

use super::Finding;
use crate::workspace::Workspace;

/// Beginnings of statements, in the capitals in which the project writes them.
const STATEMENTS: [&str; 7] = [
    "SELECT ",
    "INSERT INTO ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "ALTER TABLE ",
    "PRAGMA ",
    "rusqlite::",
];

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in workspace.files(&["crates", "examples"], &["rs"])? {
        let in_sources = file.components().any(|part| part.as_os_str() == "src");
        if in_sources && !file.starts_with("crates/store") {
            findings.extend(judge(&file, &workspace.read(&file)?));
        }
    }
    Ok(findings)
}

/// Finds the first statement of a file; comments may speak of SQL.
fn judge(file: &Path, text: &str) -> Option<Finding> {
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        if let Some(statement) = STATEMENTS
            .iter()
            .find(|statement| line.contains(*statement))
        {
            return Some(Finding::Error(format!(
                "{}:{}: `{}` outside of crates/store (DESIGN 5)",
                file.display(),
                index + 1,
                statement.trim_end()
            )));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_statement_outside_of_the_store_is_found_with_its_line() {
        let root = tempfile::tempdir().unwrap();
        for owner in ["engine", "store"] {
            let folder = root.path().join("crates").join(owner).join("src");
            fs::create_dir_all(&folder).unwrap();
            fs::write(
                folder.join("a.rs"),
                "//! SELECT is allowed here\nq(\"SELECT 1\");\n",
            )
            .unwrap();
        }
        let findings = check(&Workspace::at(root.path())).unwrap();
        let expected = "crates/engine/src/a.rs:2: `SELECT` outside of crates/store (DESIGN 5)";
        assert_eq!(findings, [Finding::Error(expected.to_owned())]);
    }

    #[test]
    fn prose_is_no_statement() {
        assert_eq!(
            judge(
                Path::new("a.rs"),
                "say(\"select one, then delete from the list\");"
            ),
            None
        );
    }
}
