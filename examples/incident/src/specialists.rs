//! From a question to a report: finds the evidence a question refers to, reads it and applies the
//! rules of the specialist.

use jiff::Timestamp;
use thiserror::Error;

use crate::cases::{Archive, CaseError};
use crate::deployments::{self, DeploymentReport, Scope};
use crate::history::{History, HistoryError};
use crate::investigation::{Investigation, Source, SourceKind};
use crate::log_window::LogWindow;
use crate::logs::{self, LogReport};
use crate::onset::WINDOW_MAX;

/// Why a specialist cannot answer a question.
#[derive(Debug, Error)]
pub enum SpecialistError {
    /// The question refers to no evidence of the kind that is needed.
    #[error("the question refers to no {0}; add a reference to one under `evidence`")]
    NoEvidence(&'static str),
    /// The time asked for is too long to search.
    #[error("the window is longer than {} days; ask for a shorter one", WINDOW_MAX.as_hours() / 24)]
    WindowTooLong,
    /// The evidence cannot be had.
    #[error(transparent)]
    Evidence(#[from] CaseError),
    /// The evidence is not what the reference says it is.
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// Reads the evidence of one kind that a question refers to, in the version that it refers to.
pub fn read<'a>(
    archive: &Archive,
    question: &'a Investigation,
    kind: SourceKind,
) -> Result<(&'a Source, String), SpecialistError> {
    let name = match kind {
        SourceKind::LogWindow => "log window",
        SourceKind::DeploymentHistory => "deployment history",
    };
    let source = question
        .source(kind)
        .ok_or(SpecialistError::NoEvidence(name))?;
    Ok((source, archive.read(source)?))
}

/// Answers a question to the logs specialist.
pub fn logs(archive: &Archive, question: &Investigation) -> Result<LogReport, SpecialistError> {
    if question.window.to.duration_since(question.window.from) > WINDOW_MAX {
        return Err(SpecialistError::WindowTooLong);
    }
    let (source, text) = read(archive, question, SourceKind::LogWindow)?;
    Ok(logs::investigate(
        &LogWindow::read(source.clone(), &text),
        question,
    ))
}

/// Answers a question to the deployments specialist, once the dependencies are known.
pub fn deployments(
    archive: &Archive,
    question: &Investigation,
    dependencies: Vec<String>,
    onset: Option<Timestamp>,
) -> Result<DeploymentReport, SpecialistError> {
    let (source, text) = read(archive, question, SourceKind::DeploymentHistory)?;
    let history = History::read(source.clone(), &text)?;
    Ok(deployments::investigate(
        &history,
        &Scope::with(question, dependencies),
        onset,
    ))
}
