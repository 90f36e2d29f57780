//! Claims that found nothing and stand in line: the writer lets them be decided in the batch that brings work, so that
//! whoever waits is granted it by the same commit that stored it, and not by one more.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tertulia_acts::{
    command::{Answer, Caller, Claim, Command},
    digest::Ids,
    ids::TenantId,
};
use tokio::sync::oneshot;

use crate::{
    core::{Follow, Job, News, Undone},
    error::{Answered, EngineError},
};

/// So many claims that stand in line are decided with one batch, at most: the others have their turn with the next, or by
/// themselves.
const CLAIMS_PER_BATCH: usize = 256;

/// An agent of a tenant, by name.
type Agent = (TenantId, String);

/// The lines of all agents, whoever has stood longest first.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    lines: Mutex<HashMap<Agent, VecDeque<Claimant>>>,
    stood: AtomicU64,
}

/// A claim that stands in line; the writer takes it out while it is decided.
#[derive(Debug)]
struct Claimant {
    number: u64,
    caller: Caller,
    claim: Claim,
    reply: oneshot::Sender<Answered>,
    /// Whether whoever waits has turned away while it was decided.
    left: Arc<AtomicBool>,
}

/// A place in line, as whoever waits has it. Dropped, it is given up.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    standing: &'a Standing,
    agent: Agent,
    number: u64,
    answer: oneshot::Receiver<Answered>,
    left: Arc<AtomicBool>,
}

impl Standing {
    fn lines(&self) -> MutexGuard<'_, HashMap<Agent, VecDeque<Claimant>>> {
        // Nothing panics while it holds this lock.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stands in line for work.
    pub(crate) fn stand(&self, caller: &Caller, claim: &Claim) -> Place<'_> {
        let number = self.stood.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let left = Arc::new(AtomicBool::new(false));
        let claimant = Claimant {
            number,
            caller: caller.clone(),
            claim: claim.clone(),
            reply,
            left: Arc::clone(&left),
        };
        let agent = claimant.agent();
        let mut lines = self.lines();
        lines.entry(agent.clone()).or_default().push_back(claimant);
        drop(lines);
        Place {
            standing: self,
            agent,
            number,
            answer,
            left,
        }
    }

    /// Takes the first out of line who stands for an agent.
    fn take(&self, agent: &Agent) -> Option<Claimant> {
        let mut lines = self.lines();
        let line = lines.get_mut(agent)?;
        let first = line.pop_front();
        if line.is_empty() {
            lines.remove(agent);
        }
        first
    }

    /// Puts those back to the front who were granted nothing; one who has turned away meanwhile is told so.
    fn put_back(&self, claimants: impl DoubleEndedIterator<Item = Claimant>) {
        let mut lines = self.lines();
        for claimant in claimants.rev() {
            if claimant.left.load(Ordering::Relaxed) {
                claimant.answer(Ok(Answer::Granted(Vec::new())));
            } else {
                let line = lines.entry(claimant.agent()).or_default();
                line.push_front(claimant);
            }
        }
    }

    /// How many stand in line.
    pub(crate) fn len(&self) -> usize {
        self.lines().values().map(VecDeque::len).sum()
    }
}

impl Claimant {
    fn agent(&self) -> Agent {
        (self.caller.tenant, self.claim.agent.clone())
    }

    /// Whether nothing is left for who stands behind it, after it was granted so much. Of other versions there may be.
    fn leaves_nothing(&self, granted: usize) -> bool {
        let max = usize::try_from(self.claim.max).unwrap_or(usize::MAX);
        granted < max && self.claim.versions.is_empty()
    }

    fn answer(self, answer: Answered) {
        // Whoever hung up claims again with the same request and gets the same leases.
        let _gone = self.reply.send(answer);
    }
}

/// How many leases an answer grants.
fn granted(answer: &Result<Answer, Undone>) -> Option<usize> {
    match answer {
        Ok(Answer::Granted(grants)) => Some(grants.len()),
        _ => None,
    }
}

/// Those in line whose turn it is with one batch. Dropped, it puts all back whom it did not answer.
pub(crate) struct Serving<'a> {
    standing: &'a Standing,
    /// Agents that may have work, from the first batch's news; the last is being served.
    agents: Option<Vec<Agent>>,
    decided: Vec<Claimant>,
    /// Agents that have nothing left for anybody who stands in line.
    exhausted: Vec<Agent>,
}

impl<'a> Serving<'a> {
    pub(crate) const fn new(standing: &'a Standing) -> Self {
        Self {
            standing,
            agents: None,
            decided: Vec::new(),
            exhausted: Vec::new(),
        }
    }

    /// Answers those that were decided, and tells how many. Who was granted nothing stands in line again. What is left in
    /// the news is for those who are about to stand in line.
    pub(crate) fn answer(mut self, answers: Vec<Result<Answer, Undone>>, news: &mut News) -> usize {
        let mut answered = 0;
        let mut back = Vec::new();
        let mut answers = answers.into_iter();
        for claimant in self.decided.drain(..) {
            match answers.next() {
                None => back.push(claimant),
                Some(answer) if granted(&answer) == Some(0) => back.push(claimant),
                Some(answer) => {
                    if let Some(more) = news.agents.get_mut(&claimant.agent()) {
                        *more = more.saturating_sub(granted(&answer).unwrap_or(0));
                    }
                    answered += 1;
                    claimant.answer(answer.map_err(EngineError::from));
                }
            }
        }
        self.decided = back;
        for agent in &self.exhausted {
            news.agents.remove(agent);
        }
        answered
    }
}

impl Follow for Serving<'_> {
    fn next(&mut self, news: &News, last: Option<&Result<Answer, Undone>>) -> Option<Job> {
        let agents = self
            .agents
            .get_or_insert_with(|| news.agents.keys().cloned().collect());
        if let (Some(claimant), Some(granted)) = (self.decided.last(), last.and_then(granted))
            && claimant.leaves_nothing(granted)
        {
            self.exhausted.extend(agents.pop());
        }
        while let Some(agent) = agents.last() {
            if self.decided.len() >= CLAIMS_PER_BATCH {
                return None;
            }
            if let Some(claimant) = self.standing.take(agent) {
                let command = Command::Claim(claimant.caller.clone(), claimant.claim.clone());
                self.decided.push(claimant);
                let ids = Ids::new(rand::random());
                return Some(Job { command, ids });
            }
            agents.pop();
        }
        None
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.standing.put_back(self.decided.drain(..));
    }
}

impl Place<'_> {
    /// What the claim is answered. It stands in line until then.
    pub(crate) async fn answered(&mut self) -> Answered {
        (&mut self.answer)
            .await
            .unwrap_or(Err(EngineError::Draining))
    }

    /// Turns away. False where the claim is being decided: it will be answered then, whatever it is granted.
    pub(crate) fn leave(&self) -> bool {
        let mut lines = self.standing.lines();
        self.left.store(true, Ordering::Relaxed);
        let Some(line) = lines.get_mut(&self.agent) else {
            return false;
        };
        let Some(place) = line.iter().position(|one| one.number == self.number) else {
            return false;
        };
        line.remove(place);
        if line.is_empty() {
            lines.remove(&self.agent);
        }
        true
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use tertulia_acts::{digest::ClaimSecret, party::Party};

    use super::*;

    fn stand<'a>(standing: &'a Standing, agent: &str) -> Place<'a> {
        let caller = Caller {
            tenant: TenantId(1),
            party: Party::agent(agent).unwrap(),
            epoch: 1,
            credential: None,
        };
        let claim = Claim {
            agent: agent.into(),
            max: 2,
            versions: Vec::new(),
            request: "r".into(),
            secret: ClaimSecret::new(vec![7; 16]).unwrap(),
            worker: "w".into(),
        };
        standing.stand(&caller, &claim)
    }

    /// News of so much work for the agent `logs`.
    fn news(more: usize) -> News {
        let mut news = News::default();
        news.agents.insert((TenantId(1), "logs".into()), more);
        news
    }

    fn nothing() -> Answer {
        Answer::Granted(Vec::new())
    }

    #[test]
    fn who_goes_in_vain_stands_in_front_again_and_sends_nobody_else() {
        let standing = Standing::default();
        let _places = [
            stand(&standing, "logs"),
            stand(&standing, "logs"),
            stand(&standing, "metrics"),
        ];
        let mut serving = Serving::new(&standing);
        let mut news = news(1);
        assert!(serving.next(&news, None).is_some());
        assert_eq!(standing.len(), 2);
        assert!(serving.next(&news, Some(&Ok(nothing()))).is_none());
        assert_eq!(serving.answer(vec![Ok(nothing())], &mut news), 0);
        assert!(news.agents.is_empty(), "{news:?}");
        assert_eq!(standing.len(), 3);
        let first = standing.take(&(TenantId(1), "logs".into())).unwrap();
        assert_eq!(first.number, 0);
    }

    #[test]
    fn who_was_not_decided_stands_in_line_again() {
        let standing = Standing::default();
        let _place = stand(&standing, "logs");
        let mut serving = Serving::new(&standing);
        let mut news = news(1);
        assert!(serving.next(&news, None).is_some());
        assert_eq!(serving.answer(Vec::new(), &mut news), 0);
        assert_eq!(standing.len(), 1);
        assert_eq!(news.agents.len(), 1, "whoever looks next is woken");
    }

    #[tokio::test]
    async fn who_turns_away_is_not_taken_or_is_told_what_it_was_granted() {
        let standing = Standing::default();
        let gone = stand(&standing, "logs");
        assert!(gone.leave());
        drop(stand(&standing, "logs"));
        assert_eq!(standing.len(), 0);
        let mut deciding = stand(&standing, "logs");
        let mut serving = Serving::new(&standing);
        assert!(serving.next(&news(1), None).is_some());
        assert!(!deciding.leave());
        drop(serving);
        assert_eq!(deciding.answered().await, Ok(nothing()));
        assert_eq!(standing.len(), 0);
    }
}
