//! Commitments.

use serde::Serialize;
use tertulia_acts::{
    commitment::Commitment,
    ids::{CommitmentId, RootId, TaskId},
    party::Party,
};
use utoipa::ToSchema;

use super::instant::Instant;

/// A commitment: who owes what to whom.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Commitment)]
pub(crate) struct CommitmentView {
    /// Its id.
    #[schema(value_type = String)]
    id: CommitmentId,
    /// Its context: the root.
    #[schema(value_type = String)]
    root: RootId,
    /// Who owes: `agent:NAME`.
    debtor: String,
    /// Who is owed.
    #[schema(value_type = String)]
    creditor: Party,
    /// The task in which it is owed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    creditor_task: Option<TaskId>,
    /// What is owed, as a fingerprint.
    fingerprint: String,
    /// The task in which it is worked on.
    #[schema(value_type = String)]
    task: TaskId,
    /// `conditional`, `active`, `satisfied`, `violated`, `cancelled`, `released` or `transferred`.
    status: &'static str,
    /// When it was made.
    created_at: Instant,
    /// When its status last changed.
    changed_at: Instant,
}

impl From<Commitment> for CommitmentView {
    fn from(row: Commitment) -> Self {
        Self {
            id: row.id,
            root: row.id.root,
            debtor: format!("agent:{}", row.debtor),
            creditor: row.creditor,
            creditor_task: row.creditor_task,
            fingerprint: row.fingerprint.digest.to_string(),
            task: row.task,
            status: row.status.name(),
            created_at: Instant(row.made),
            changed_at: Instant(row.changed),
        }
    }
}
