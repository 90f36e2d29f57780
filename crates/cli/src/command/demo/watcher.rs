//! Watching the work on a root: the streams of all its conversations say that there is something new, and what there is
//! is read in cuts, so that acts of different conversations are told in the order in which they were said.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use tertulia_worker::{
    Client,
    wire::{Act, Task, TreeTask},
};

use super::{
    line::{self, Setting},
    wait::Streams,
};
use crate::{
    api::{self, Api},
    failure::Failure,
    output::{Output, Room, WAITING, one_line, painted, safe, task},
};

/// Where an act stands among those of all conversations: its instant, its conversation's number under the root, its
/// number in the conversation.
type Place = (String, u64, u64);

/// What has been read of a conversation.
#[derive(Debug, Default)]
struct Read {
    after: u64,
}

/// Follows the conversations under one root task.
pub(super) struct Watcher<'a> {
    api: Api,
    root: String,
    streams: Streams,
    conversations: HashMap<String, Read>,
    /// The tasks that are known, by id.
    tasks: HashMap<String, Task>,
    /// Acts that were read and not told yet.
    pending: BTreeMap<Place, Value>,
    /// The instant of the latest act that was read.
    latest: String,
    /// How many lost attempts of each task were told.
    lost: HashMap<String, u32>,
    room: &'a Room,
    ended: bool,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(api: Api, client: Client, root: &Task, room: &'a Room) -> Self {
        Self {
            api,
            root: root.id.clone(),
            streams: Streams::new(client),
            conversations: HashMap::new(),
            tasks: HashMap::new(),
            pending: BTreeMap::new(),
            latest: String::new(),
            lost: HashMap::new(),
            room,
            ended: false,
        }
    }

    /// Tells the acts as they are said, until the root task has ended.
    pub(super) async fn follow(&mut self, output: Output) -> Result<(), Failure> {
        loop {
            // Commits are in the order of their instants. So whatever was said up to an instant that was read before
            // this look has been read after it, and can be told in its order.
            let cut = self.latest.clone();
            let found = self.look(output).await?;
            self.tell(&cut, output)?;
            if found > 0 {
                continue;
            }
            if self.ended {
                return Ok(());
            }
            self.streams.news(output).await?;
        }
    }

    /// Reads what is new, and says how many acts that is.
    async fn look(&mut self, output: Output) -> Result<usize, Failure> {
        let tree = self.api.get(&["tasks", &self.root, "tree"]).value().await?;
        let tasks: Vec<TreeTask> = api::read(&tree["tasks"])?;
        let mut found = 0;
        for TreeTask { task, .. } in tasks {
            if task.id == self.root {
                self.ended = task.state.is_terminal();
            }
            self.tell_lost(&task, output);
            let conversation = task.conversation.clone();
            self.tasks.insert(task.id.clone(), task);
            found += self.read(&conversation).await?;
        }
        Ok(found)
    }

    /// Tells that an attempt was lost, once for each: the work goes on.
    fn tell_lost(&mut self, of: &Task, output: Output) {
        let told = self.lost.entry(of.id.clone()).or_default();
        let lost = task::lost_attempts(of);
        if let Some(failed) = task::lost_attempt(of)
            && lost > *told
        {
            *told = lost;
            let text = format!("{}: {}", safe(&of.agent), one_line(&failed));
            output.note(&painted(WAITING, &text));
        }
    }

    /// Reads what is new in a conversation, to its end.
    async fn read(&mut self, conversation: &str) -> Result<usize, Failure> {
        if !self.conversations.contains_key(conversation) {
            self.streams.open(conversation);
        }
        let read = self
            .conversations
            .entry(conversation.to_owned())
            .or_default();
        let mut found = 0;
        loop {
            let call = self.api.get(&["conversations", conversation]);
            let page = call
                .query(&[("after", Some(read.after.to_string()))])
                .value()
                .await?;
            let acts = page["acts"].as_array().map_or(&[][..], Vec::as_slice);
            for value in acts {
                let act: Act = api::read(value)?;
                let place = place(&act);
                read.after = read.after.max(place.2);
                if place.0 > self.latest {
                    self.latest.clone_from(&place.0);
                }
                self.pending.insert(place, value.clone());
            }
            found += acts.len();
            if page["next"].is_null() || acts.is_empty() {
                return Ok(found);
            }
        }
    }

    /// Tells the acts up to an instant.
    fn tell(&mut self, cut: &str, output: Output) -> Result<(), Failure> {
        while let Some(first) = self.pending.first_entry() {
            if first.key().0.as_str() > cut {
                break;
            }
            let value = first.remove();
            let said: Act = api::read(&value)?;
            let setting = self.setting(&said);
            let shown = json!({"act": value, "depth": setting.depth, "folds": setting.folds});
            output.data(&shown, |out| {
                writeln!(out, "{}", line::of(&said, &setting, self.room))
            })?;
        }
        Ok(())
    }

    fn setting(&self, said: &Act) -> Setting {
        let Some(task) = said.task.as_ref().and_then(|task| self.tasks.get(task)) else {
            return Setting::default();
        };
        let opens = task
            .act
            .as_ref()
            .is_some_and(|act| act.id.is_some() && act.id == said.id);
        let contract = |member: &str| task.contract[member].as_str().map(str::to_owned);
        Setting {
            depth: task.depth,
            folds: opens && task.fold,
            contract: contract("name").zip(contract("result")).filter(|_| opens),
        }
    }
}

fn place(act: &Act) -> Place {
    let conversation = act.conversation.as_deref().unwrap_or_default();
    let number = conversation.rsplit('_').next().and_then(|n| n.parse().ok());
    (
        act.at.clone().unwrap_or_default(),
        number.unwrap_or_default(),
        act.seq.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(at: &str, conversation: u32, seq: u64) -> Place {
        place(&serde_json::from_value(json!({
            "performative": "inform", "at": at, "seq": seq, "conversation": format!("conv_0198_{conversation}"),
        }))
        .unwrap())
    }

    #[test]
    fn acts_are_in_the_order_of_their_instants_and_then_as_their_conversations_were_opened() {
        let early = act("2026-11-12T14:03:22.123Z", 30, 9);
        let late = act("2026-11-12T14:03:22.124Z", 2, 1);
        assert!(early < late);
        // What one commit said: an agree in the conversation above, then a request in one that it opened.
        assert!(act("2026-11-12T14:03:22.123Z", 2, 7) < act("2026-11-12T14:03:22.123Z", 11, 1));
    }
}
