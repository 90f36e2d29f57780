//! `cargo xtask tidy`: what the compiler does not check. Each rule has one file.

mod arrows;
mod names;
mod purity;
mod sizes;
mod sql;

use std::fmt;

use anyhow::{Result, bail};

use crate::report;
use crate::workspace::Workspace;

/// Something that a rule found.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// To be considered; does not fail the task.
    Warning(String),
    /// To be mended; fails the task.
    Error(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warning(text) => write!(formatter, "warning: {text}"),
            Self::Error(text) => write!(formatter, "error: {text}"),
        }
    }
}

/// Applies every rule and prints what it finds; fails if anything has to be mended.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let metadata = workspace.metadata()?;
    let mut findings = arrows::check(&metadata)?;
    findings.extend(purity::check(workspace, &metadata)?);
    findings.extend(sizes::check(workspace)?);
    findings.extend(names::check(workspace)?);
    findings.extend(sql::check(workspace)?);

    for finding in &findings {
        report::line(&finding.to_string());
    }
    let errors = findings
        .iter()
        .filter(|finding| matches!(finding, Finding::Error(_)))
        .count();
    if errors > 0 {
        bail!("tidy found {errors} to be mended");
    }
    Ok(())
}
