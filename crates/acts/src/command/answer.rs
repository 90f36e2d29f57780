//! Answering an ask: by the task that it is addressed to, or by the principal (SEMANTICS 8).

use serde_json::json;

use super::{Answer, Caller, holder::Holder, key::once};
use crate::{
    ask::{Addressee, Ask, AskState},
    body::Body,
    digest::Digest,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Fault, Stop},
    hop::Hop,
    ids::{AskId, TaskId},
    party::Party,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    transition::{Speech, climb, log, say, wake},
};

/// An answer to an ask.
#[derive(Debug, Clone)]
pub struct AnswerAsk {
    /// Which ask; without it, the one open ask of `task`.
    pub ask: Option<AskId>,
    /// The task that asked, where the ask is not named.
    pub task: Option<TaskId>,
    /// The answer, or that there will be none.
    pub words: Words,
    /// The key that makes it safe to repeat, outside a hop.
    pub key: Option<String>,
}

/// What is answered.
#[derive(Debug, Clone)]
pub enum Words {
    /// This.
    Inform(Body),
    /// Nothing: the addressee declines to answer.
    Refuse(Body),
}

impl Words {
    /// What an act of this performative answers with.
    ///
    /// # Errors
    /// No other than inform and refuse answers a question (SEMANTICS 1).
    pub fn of(performative: Performative, body: Body) -> Result<Self, Refusal> {
        match performative {
            Performative::Inform => Ok(Self::Inform(body)),
            Performative::Refuse => Ok(Self::Refuse(body)),
            other => {
                let message =
                    format!("a question is answered with inform or refuse, not with {other}");
                Err(Refusal::saying(Reason::IllegalAct, message))
            }
        }
    }

    const fn said(&self) -> (Performative, &Body) {
        match self {
            Self::Inform(body) => (Performative::Inform, body),
            Self::Refuse(body) => (Performative::Refuse, body),
        }
    }
}

impl AnswerAsk {
    /// The digest of what makes a repeat under the same key the same answer, whatever protocol brings it: what it names,
    /// and what it says.
    #[must_use]
    pub fn content(&self) -> Digest {
        let (performative, body) = self.words.said();
        let named = match (&self.ask, &self.task) {
            (Some(ask), _) => ask.to_string(),
            (None, Some(task)) => task.to_string(),
            (None, None) => String::new(),
        };
        Digest::of_all([
            b"answer",
            named.as_bytes(),
            performative.name().as_bytes(),
            // A body holds strings, numbers and maps with string keys: it always has a JSON form.
            &serde_json::to_vec(body).unwrap_or_default(),
        ])
    }

    /// About how many bytes it holds.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.words.said().1.weight()
    }
}

/// By a principal.
pub(super) fn decide(
    d: &mut Draft<'_>,
    caller: &Caller,
    answer: &AnswerAsk,
) -> Result<Answer, Stop> {
    let content = answer.content();
    once(d, caller, answer.key.as_deref(), content, |d| {
        let addressee = Addressee::Principal(caller.party.clone());
        let ask = find(d, answer, &addressee, caller)?;
        give(d, ask, &answer.words, &caller.party, None)
    })
}

/// By an agent at work on the task that it is addressed to.
pub(super) fn under_hop(
    d: &mut Draft<'_>,
    holder: &Holder,
    answer: &AnswerAsk,
) -> Result<Outcome, Stop> {
    let addressee = Addressee::Task(holder.task.id());
    let ask = find(d, answer, &addressee, &holder.caller)?;
    give(
        d,
        ask,
        &answer.words,
        &holder.task.made.debtor,
        Some(&holder.hop),
    )
}

/// The ask that is answered, if `addressee` may answer it; one addressed to others looks absent.
fn find(
    d: &Draft<'_>,
    answer: &AnswerAsk,
    addressee: &Addressee,
    caller: &Caller,
) -> Result<Ask, Stop> {
    let absent = |what: String| Stop::Fault(Fault::NotFound(what));
    if let Some(id) = answer.ask {
        return d
            .find_ask(id)?
            .filter(|ask| ask.tenant == caller.tenant && ask.addressee == *addressee)
            .filter(|ask| answer.task.is_none_or(|task| task == ask.asker))
            .ok_or_else(|| absent(format!("ask {id} addressed to you")));
    }
    let Some(task) = answer.task else {
        return Err(Fault::Invalid("name the ask, or the task that asked".into()).into());
    };
    let mut open: Vec<Ask> = d.asks_of(task)?;
    open.retain(|ask| ask.tenant == caller.tenant && ask.addressee == *addressee);
    match open.len() {
        0 => Err(asks_nothing(d, task, addressee, caller)?),
        1 => Ok(open.remove(0)),
        _ => {
            let ids: Vec<AskId> = open.iter().map(|ask| ask.id).collect();
            let message = "several asks are open; name the one that you answer";
            Err(Refusal::saying(Reason::AmbiguousAnswer, message)
                .with("asks", ids)
                .into())
        }
    }
}

/// A task that asks nothing takes no answer: an act that its state does not allow. To whom it is not, it looks absent.
fn asks_nothing(
    d: &Draft<'_>,
    id: TaskId,
    addressee: &Addressee,
    caller: &Caller,
) -> Result<Stop, Stop> {
    let absent = Stop::Fault(Fault::NotFound(format!("task {id}")));
    let Some(task) = d
        .find_task(id)?
        .filter(|task| task.made.tenant == caller.tenant)
    else {
        return Ok(absent);
    };
    let own = match addressee {
        Addressee::Principal(party) => {
            task.made.requester == *party || d.root(id.root)?.principal == *party
        }
        Addressee::Task(above) => task.made.parent == Some(*above),
    };
    if !own {
        return Ok(absent);
    }
    let state = task.now.state.name();
    let message = format!(
        "{id} is {state} and asks you nothing; wait for it, cancel it, or send a new act in its conversation"
    );
    let refusal = Refusal::saying(Reason::IllegalAct, message)
        .with("task", id)
        .with("state", state);
    Ok(refusal.into())
}

/// The answer is said in the conversation of the ask, and its asker goes on.
fn give(
    d: &mut Draft<'_>,
    mut ask: Ask,
    words: &Words,
    by: &Party,
    hop: Option<&Hop>,
) -> Result<Outcome, Stop> {
    let mut task = d.task(ask.asker)?;
    if ask.state != AskState::Open || !task.is_open() || d.now >= ask.deadline {
        let state = if ask.state == AskState::Open {
            "expired"
        } else {
            ask.state.name()
        };
        let message = format!("{} is {state}; an answer changes nothing any more", ask.id);
        return Err(Refusal::saying(Reason::AskClosed, message)
            .with("ask", ask.id)
            .with("state", state)
            .into());
    }
    let (performative, body) = words.said();
    let mut speech = Speech::new(
        performative,
        by.clone(),
        task.made.debtor.clone(),
        body.clone(),
    );
    speech.hop = hop.map(|hop| hop.id);
    speech.in_reply_to = Some(ask.query);
    speech.ask = Some(ask.id);
    if performative == Performative::Refuse {
        speech.refusal = Some(Refusal::new(Reason::Declined));
    }
    let act = say(d, &mut task, speech)?;
    ask.state = match performative {
        Performative::Inform => AskState::Answered { answer: act },
        _ => AskState::Refused { answer: act },
    };
    let id = ask.id;
    if performative == Performative::Inform {
        // An answered ask is something learnt (SEMANTICS 5).
        let mut root = d.root(task.id().root)?;
        root.evidence += 1;
        d.put(root);
    }
    let detail = json!({"ask": id, "state": ask.state.name(), "act": act});
    d.put(ask);
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::AskEnded,
        detail,
    )?;
    resume_asker(d, task)?;
    Ok(Outcome::Answered { ask: id, act })
}

/// The asker's task works again, unless another ask of it is open; its activation is ready if it waits for this one.
pub(super) fn resume_asker(d: &mut Draft<'_>, mut task: crate::task::Task) -> Result<(), Stop> {
    let before = task.now.state.clone();
    task.now.state = match d.asks_of(task.id())?.last() {
        Some(ask) => task.now.state.ask(ask.id)?,
        None => task.now.state.work()?,
    };
    task.now.changed = d.now;
    if task.now.state.name() != before.name() {
        let detail = json!({"state": task.now.state.name()});
        log(
            d,
            task.made.conversation,
            Some(&mut task),
            EventKind::TaskState,
            detail,
        )?;
    }
    let id = task.id();
    d.put(task);
    // A credential may be missing below by now.
    climb(d, Some(id))?;
    wake(d, id)
}
