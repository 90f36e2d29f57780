//! A file holds one concept (STYLE): over 600 lines it asks for a reason, over 1,000 it is split.

use std::path::Path;

use anyhow::Result;

use super::{Finding, names};
use crate::workspace::Workspace;

const WARN_ABOVE: usize = 600;
const FAIL_ABOVE: usize = 1000;

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in workspace.files(&names::FOLDERS, &names::EXTENSIONS)? {
        findings.extend(judge(&file, workspace.read(&file)?.lines().count()));
    }
    Ok(findings)
}

fn judge(file: &Path, lines: usize) -> Option<Finding> {
    let file = file.display();
    if lines > FAIL_ABOVE {
        return Some(Finding::Error(format!(
            "{file} has {lines} lines: split it by concept"
        )));
    }
    (lines > WARN_ABOVE)
        .then(|| Finding::Warning(format!("{file} has {lines} lines, more than {WARN_ABOVE}")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_limits_belong_to_the_smaller_side() {
        let file = Path::new("x.rs");
        assert_eq!(judge(file, 600), None);
        assert!(matches!(judge(file, 601), Some(Finding::Warning(_))));
        assert!(matches!(judge(file, 1000), Some(Finding::Warning(_))));
        assert!(matches!(judge(file, 1001), Some(Finding::Error(_))));
    }

    #[test]
    fn files_are_found_in_the_crates_and_build_results_are_not_ours() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["crates/a/src", "crates/a/target"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(
                root.path().join(folder).join("long.rs"),
                "//\n".repeat(1001),
            )
            .unwrap();
        }
        let findings = check(&Workspace::at(root.path())).unwrap();
        let expected = "crates/a/src/long.rs has 1001 lines: split it by concept";
        assert_eq!(findings, [Finding::Error(expected.to_owned())]);
    }
}
