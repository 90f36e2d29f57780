//! Tasks.

use serde::Serialize;
use tertulia_acts::{
    ask::{Addressee, Ask},
    delivery::Delivery,
    digest::Digest,
    envelope::Act,
    ids::{AskId, ConversationId, GroupId, RootId, TaskId},
    party::Party,
    performative::Performative,
    reason::Reason,
    task::Task,
};
use tertulia_engine::read::TaskRead;
use utoipa::ToSchema;

use super::{act::ActView, hop::HopView, instant::Instant, late::LateView};
use crate::wire::contract::ContractIn;

/// A task: what was asked, and where it stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Task)]
pub(crate) struct TaskView {
    /// Its id.
    #[schema(value_type = String)]
    id: TaskId,
    /// The root that it is under.
    #[schema(value_type = String)]
    root: RootId,
    /// Whom that root belongs to. Left out where only the mailbox may be seen, not the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    root_principal: Option<Party>,
    /// The task that delegated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    parent: Option<TaskId>,
    /// Where it was asked.
    #[schema(value_type = String)]
    conversation: ConversationId,
    /// The kind of act that asked it.
    #[schema(value_type = String)]
    performative: Performative,
    /// Who asked it.
    #[schema(value_type = String)]
    requester: Party,
    /// Whom it was asked of: `agent:NAME`.
    #[schema(value_type = String)]
    agent: Party,
    /// The version of that agent that is pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    version: Option<Digest>,
    /// Where it stands.
    state: &'static str,
    /// While queued, if it cannot be claimed now: `capacity` or `no-worker`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting: Option<&'static str>,
    /// Why it ended as it did, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    reason: Option<Reason>,
    /// Whether the agent agreed.
    agreed: bool,
    /// Attempts that were claimed.
    attempts: u32,
    /// Where its delivery stands: `none`, `pending`, `held`, `taken`, `processed` or `dead`.
    delivery: &'static str,
    /// While it waits for another attempt: not before this.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<Instant>,
    /// Why the attempt was lost that was lost last, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    /// Whether it is a read-only consultation.
    fold: bool,
    /// The task whose conversation it consults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    folded_on: Option<TaskId>,
    /// What the sender's business calls the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    work_id: Option<String>,
    /// What the sender's business calls the work that it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_work_id: Option<String>,
    /// The fan-out that it is a branch of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    group: Option<GroupId>,
    /// The dead letter that it sends again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    redrive_of: Option<TaskId>,
    /// The task that sends its dead letter again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    redriven_as: Option<TaskId>,
    /// Its terms.
    #[schema(value_type = ContractIn)]
    contract: tertulia_acts::contract::Contract,
    /// When it must be done.
    deadline: Instant,
    /// When it was asked.
    created_at: Instant,
    /// When its state last changed.
    changed_at: Instant,
    /// Hops above it.
    depth: usize,
    /// Whether its result was accepted, which is another thing than that it is there.
    acceptance: &'static str,
    /// The act that asked it. Left out in a lease, which has it beside the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<ActView>,
    /// The act that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply: Option<ActView>,
    /// That act, rendered for a model; in receipts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply_prompt: Option<Vec<String>>,
    /// What came too late: kept, and not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) late: Vec<LateView>,
    /// The question that it waits on.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<QuestionView>,
    /// Its hops, the first attempt first; in trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hops: Option<Vec<HopView>>,
}

/// A question that a task waits on.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Question)]
pub(crate) struct QuestionView {
    /// The ask.
    #[schema(value_type = String)]
    ask: AskId,
    /// Who may answer: a task above, or a principal.
    addressee: String,
    /// The query.
    act: ActView,
}

/// Who may answer an ask, as text: a task id or a party.
pub(crate) fn addressee(addressee: &Addressee) -> String {
    match addressee {
        Addressee::Task(task) => task.to_string(),
        Addressee::Principal(party) => party.to_string(),
    }
}

impl From<(Ask, Act)> for QuestionView {
    fn from((ask, act): (Ask, Act)) -> Self {
        Self {
            ask: ask.id,
            addressee: addressee(&ask.addressee),
            act: act.into(),
        }
    }
}

impl From<TaskRead> for TaskView {
    fn from(read: TaskRead) -> Self {
        let mut view = Self::from(read.task);
        view.root_principal = Some(read.root.principal);
        view.act = Some(read.opening.into());
        view.reply = read.result.map(ActView::from);
        view.reason = view
            .reply
            .as_ref()
            .and_then(ActView::reason)
            .or(view.reason);
        view.question = read.open_ask.map(QuestionView::from);
        view
    }
}

impl From<Task> for TaskView {
    /// The row alone, without the acts.
    fn from(Task { made, now }: Task) -> Self {
        let (delivery, not_before, reason) = match &now.delivery {
            Delivery::None => ("none", None, None),
            Delivery::Pending { due } => {
                ("pending", (now.attempts > 0).then_some(Instant(*due)), None)
            }
            Delivery::Held => ("held", None, None),
            Delivery::Taken => ("taken", None, None),
            Delivery::Processed => ("processed", None, None),
            Delivery::Dead { reason, .. } => ("dead", None, Some(*reason)),
        };
        Self {
            id: made.id,
            root: made.id.root,
            root_principal: None,
            parent: made.parent,
            conversation: made.conversation,
            performative: made.performative,
            requester: made.requester.clone(),
            agent: made.debtor.clone(),
            version: made.version,
            state: now.state.name(),
            waiting: None,
            reason,
            agreed: now.agreed,
            attempts: now.attempts,
            delivery,
            not_before,
            last_error: now.last_error.clone(),
            fold: made.folded_on.is_some(),
            folded_on: made.folded_on,
            work_id: made.work_id.clone(),
            parent_work_id: made.parent_work_id.clone(),
            group: made.group,
            redrive_of: made.redrive_of,
            redriven_as: now.redriven_as,
            contract: made.contract.clone(),
            deadline: Instant(made.deadline),
            created_at: Instant(made.at),
            changed_at: Instant(now.changed),
            depth: made.genealogy.depth(),
            acceptance: "not-required",
            act: None,
            reply: None,
            reply_prompt: None,
            late: Vec::new(),
            question: None,
            hops: None,
        }
    }
}

impl TaskView {
    /// The row alone, under a root whose owner is known.
    pub(crate) fn under(task: Task, root_principal: Party) -> Self {
        Self {
            root_principal: Some(root_principal),
            ..Self::from(task)
        }
    }
}
