//! `tertulia show`.

use std::{
    io::{self, Write},
    path::Path,
};

use serde_json::{Value, json};
use tertulia_worker::wire::{Ask, Conversation, InboxEntry, Task, TreeTask};

use crate::{
    api::{self, Api},
    arguments::Show,
    embedded::Embedded,
    exit::Exit,
    failure::Failure,
    output::{FAINT, Output, PARTY, Room, STRONG, act, painted, safe, safe_lines, table, task},
};

pub(super) async fn run(api: &Api, show: Show, output: Output) -> Result<Exit, Failure> {
    match show {
        Show::Task { id, tree: false } => one_task(api, &id, output).await,
        Show::Task { id, tree: true } => tree(api, &id, output).await,
        Show::Conversation { id } => conversation(api, &id, output).await,
        Show::Mailbox { agent } => mailbox(api, &agent, output).await,
        Show::Inbox { after } => inbox(api, after, output).await,
        Show::Asks => asks(api, output).await,
        Show::Tasks {
            agent,
            state,
            conversation,
            work_id,
            idempotency_key,
        } => {
            let query = [
                ("agent", agent),
                ("state", state),
                ("conversation", conversation),
                ("work_id", work_id),
                ("key", idempotency_key),
            ];
            tasks(api, &query, output).await
        }
    }
}

/// The same, out of a folder that no server runs on: one is started for it in this process.
pub(super) async fn of_folder(folder: &Path, show: Show, output: Output) -> Result<Exit, Failure> {
    if !folder.is_dir() {
        return Err(
            Failure::usage(format!("there is no folder {}", folder.display()))
                .help("name the folder that `tertulia demo` or `tertulia dev --data` named"),
        );
    }
    let server = Embedded::start(folder).await?;
    let shown = match Api::new(server.url(), None) {
        Ok(api) => run(&api, show, output).await,
        Err(failure) => Err(failure),
    };
    server.stop().await;
    shown
}

async fn one_task(api: &Api, id: &str, output: Output) -> Result<Exit, Failure> {
    let value = api.get(&["tasks", id]).value().await?;
    let read: Task = api::read(&value)?;
    let room = output.room();
    output.data(&value, |out| {
        task::in_full(&read, &room, out)?;
        let Some(reply) = &read.reply else {
            return Ok(());
        };
        if let (Some(reason), Some(message)) = (&reply.reason, &reply.message) {
            writeln!(out, "\n{}: {}", safe(reason), safe_lines(message))?;
        }
        if !reply.parts.is_empty() {
            writeln!(out, "\n{}", safe_lines(&act::full(reply)))?;
        }
        Ok(())
    })?;
    output.shortened(&room);
    Ok(Exit::Done)
}

async fn tree(api: &Api, id: &str, output: Output) -> Result<Exit, Failure> {
    let value = api.get(&["tasks", id, "tree"]).value().await?;
    let tasks: Vec<TreeTask> = api::read(&value["tasks"])?;
    let room = output.room();
    output.data(&value, |out| task::tree(&tasks, &room, out))?;
    output.shortened(&room);
    Ok(Exit::Done)
}

/// A conversation whole: its pages are read to the end.
async fn conversation(api: &Api, id: &str, output: Output) -> Result<Exit, Failure> {
    let page = async |after: Option<String>| {
        let call = api.get(&["conversations", id]).query(&[("after", after)]);
        call.value().await
    };
    let mut value = page(None).await?;
    let mut next = cursor(&value);
    while let Some(after) = next {
        let mut more = page(Some(after.clone())).await?;
        next = cursor(&more).filter(|next| *next != after);
        if let (Some(acts), Some(further)) =
            (value["acts"].as_array_mut(), more["acts"].as_array_mut())
        {
            acts.append(further);
        }
    }
    if let Some(members) = value.as_object_mut() {
        members.remove("next");
    }
    let read: Conversation = api::read(&value)?;
    let room = output.room();
    output.data(&value, |out| conversation_in_full(&read, &room, out))?;
    output.shortened(&room);
    Ok(Exit::Done)
}

/// Where the next page begins, as a query parameter.
fn cursor(page: &Value) -> Option<String> {
    match &page["next"] {
        Value::Null => None,
        Value::String(next) => Some(next.clone()),
        other => Some(other.to_string()),
    }
}

fn conversation_in_full(read: &Conversation, room: &Room, out: &mut dyn Write) -> io::Result<()> {
    let state = read.state.as_deref().unwrap_or("-");
    writeln!(out, "{}  {}", painted(STRONG, &safe(&read.id)), safe(state))?;
    for participant in &read.participants {
        write!(out, "  {}", painted(PARTY, &safe(&participant.party)))?;
        if let Some(version) = &participant.version {
            write!(out, "  {}", painted(FAINT, &safe(version)))?;
        }
        writeln!(out)?;
    }
    if let Some(consulted) = &read.consults {
        writeln!(out, "  a consultation of {}", safe(consulted))?;
    }
    for said in &read.acts {
        let number = said
            .seq
            .map_or_else(|| "-".to_owned(), |seq| seq.to_string());
        let before = format!("{number:>4}  ");
        writeln!(out, "{}", act::on_a_line(&before, said, room))?;
    }
    Ok(())
}

async fn mailbox(api: &Api, agent: &str, output: Output) -> Result<Exit, Failure> {
    let name = agent.strip_prefix("agent:").unwrap_or(agent);
    let value = api.get(&["agents", name, "mailbox"]).value().await?;
    let deliveries: Vec<Task> = api::read(&value["deliveries"])?;
    let room = output.room();
    output.data(&value, |out| {
        writeln!(out, "{}", task::list(&deliveries, &room))
    })?;
    output.shortened(&room);
    if deliveries.is_empty() {
        output.note(&format!("agent:{} has nothing to do", safe(name)));
    }
    Ok(Exit::Done)
}

async fn tasks(
    api: &Api,
    query: &[(&str, Option<String>)],
    output: Output,
) -> Result<Exit, Failure> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let mut query = query.to_vec();
        query.push(("cursor", after));
        let mut page = api.get(&["tasks"]).query(&query).value().await?;
        after = cursor(&page);
        if let Some(tasks) = page["tasks"].as_array_mut() {
            all.append(tasks);
        }
        if after.is_none() || all.len() >= MOST {
            break;
        }
    }
    let value = json!({"tasks": all, "next": after});
    let tasks: Vec<Task> = api::read(&value["tasks"])?;
    let room = output.room();
    output.data(&value, |out| writeln!(out, "{}", task::list(&tasks, &room)))?;
    output.shortened(&room);
    if after.is_some() {
        output.warn(&format!(
            "there are more than {}: narrow the list down",
            tasks.len()
        ));
    }
    Ok(Exit::Done)
}

/// Tasks that one listing shows.
const MOST: usize = 1_000;

async fn inbox(api: &Api, after: u64, output: Output) -> Result<Exit, Failure> {
    let value = api
        .get(&["inbox"])
        .query(&[("after", Some(after.to_string()))])
        .value()
        .await?;
    let entries: Vec<InboxEntry> = api::read(&value["entries"])?;
    let room = output.room();
    output.data(&value, |out| {
        for entry in &entries {
            let before = format!("{:>4}  ", entry.n);
            writeln!(out, "{}", act::on_a_line(&before, &entry.act, &room))?;
        }
        Ok(())
    })?;
    output.shortened(&room);
    match entries.last() {
        Some(last) => output.note(&format!(
            "what comes later: tertulia show inbox --after {}",
            last.n
        )),
        None => output.note("there is nothing new in your inbox"),
    }
    Ok(Exit::Done)
}

async fn asks(api: &Api, output: Output) -> Result<Exit, Failure> {
    let value = api.get(&["asks"]).value().await?;
    let asks: Vec<Ask> = api::read(&value["asks"])?;
    let room = output.room();
    let rows = asks
        .iter()
        .map(|ask| {
            vec![
                safe(&ask.id),
                safe(&ask.question.sender),
                safe(ask.deadline.as_deref().unwrap_or("-")),
                act::summary(&ask.question.parts),
            ]
        })
        .collect();
    output.data(&value, |out| {
        writeln!(
            out,
            "{}",
            table(&["ask", "from", "until", "question"], rows, &room)
        )
    })?;
    output.shortened(&room);
    if asks.is_empty() {
        output.note("nobody asks you anything");
    } else {
        output.note("answer with: tertulia answer ASK TEXT");
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_handed_on_as_it_came() {
        assert_eq!(cursor(&json!({"next": 7})).as_deref(), Some("7"));
        assert_eq!(cursor(&json!({"next": "abc"})).as_deref(), Some("abc"));
        assert_eq!(cursor(&json!({"next": null})), None);
        assert_eq!(cursor(&json!({})), None);
    }
}
