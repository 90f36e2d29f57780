//! `tertulia agents`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tertulia_acts::agent::Definition;
use tertulia_engine::catalog::{CatalogError, read_file, read_folder, to_markdown};
use tertulia_worker::wire::Agent;

use crate::{
    api::{self, Api},
    arguments::Agents,
    exit::Exit,
    failure::Failure,
    output::{Output, agent, safe},
};

pub(super) async fn run(api: &Api, agents: Agents, output: Output) -> Result<Exit, Failure> {
    match agents {
        Agents::List => find(api, &[], output).await,
        Agents::Find {
            text,
            tag,
            input_mode,
            output_mode,
        } => {
            let q = (!text.is_empty()).then(|| text.join(" "));
            let query = [
                ("q", q),
                ("tag", tag),
                ("input_mode", input_mode),
                ("output_mode", output_mode),
            ];
            find(api, &query, output).await
        }
        Agents::Show {
            name,
            version_digest,
        } => show(api, bare(&name), version_digest, output).await,
        Agents::Add { files } => add(api, &files, output).await,
        Agents::Remove { name } => {
            let name = bare(&name);
            let answer = api.delete(&["agents", name]).value().await?;
            output.data(&answer, |_| Ok(()))?;
            output.note(&format!(
                "agent:{} is asked nothing new; it ends the tasks that it has, if its worker keeps running",
                safe(name)
            ));
            Ok(Exit::Done)
        }
    }
}

/// The name of an agent, whether it was typed as a party or not.
fn bare(name: &str) -> &str {
    name.strip_prefix("agent:").unwrap_or(name)
}

async fn find(
    api: &Api,
    query: &[(&str, Option<String>)],
    output: Output,
) -> Result<Exit, Failure> {
    let value = api.get(&["agents"]).query(query).value().await?;
    let agents: Vec<Agent> = api::read(&value["agents"])?;
    let room = output.room();
    output.data(&value, |out| {
        writeln!(out, "{}", agent::list(&agents, &room))
    })?;
    output.shortened(&room);
    if agents.is_empty() {
        output.note("there are none; add some with `tertulia agents add FILE`");
    }
    Ok(Exit::Done)
}

async fn show(
    api: &Api,
    name: &str,
    version: Option<String>,
    output: Output,
) -> Result<Exit, Failure> {
    let mut value = api.get(&["agents", name]).value().await?;
    let read: Agent = api::read(&value)?;
    let version = version.or(read.version).unwrap_or_default();
    let mut answer = api
        .get(&["agents", name, "versions", &version])
        .value()
        .await?;
    let version = answer["digest"].as_str().unwrap_or(&version).to_owned();
    let definition = answer["definition"].take();
    let text = to_markdown(&api::read::<Definition>(&definition)?);
    if let Some(members) = value.as_object_mut() {
        members.insert("digest".to_owned(), json!(version));
        members.insert("definition".to_owned(), definition);
    }
    output.body(&value, &text)?;
    let work = read.health.map_or_else(String::new, |health| {
        format!(", {} open, {} leased", health.open, health.leased)
    });
    output.note(&format!("version {}{work}", safe(&version)));
    Ok(Exit::Done)
}

/// Reads every file before the first is sent, so that a wrong one adds nothing.
async fn add(api: &Api, files: &[PathBuf], output: Output) -> Result<Exit, Failure> {
    let mut definitions = Vec::new();
    for file in files {
        if file.is_dir() {
            definitions.extend(read_folder(file).map_err(|error| wrong(&error))?);
        } else {
            let definition = read_file(file).map_err(|error| wrong(&error))?;
            definitions.push((file.clone(), definition));
        }
    }
    let mut added = Vec::new();
    for (file, definition) in &definitions {
        added.push(put(api, file, definition).await?);
    }
    output.data(&json!({"agents": added}), |out| {
        for agent in &added {
            let name = agent["name"].as_str().unwrap_or("-");
            let version = agent["version"].as_str().unwrap_or("-");
            let what = if agent["changed"] == true {
                "new version"
            } else {
                "unchanged"
            };
            writeln!(out, "{}  {what}  {}", safe(name), safe(version))?;
        }
        Ok(())
    })?;
    if added.is_empty() {
        output.warn("no file that ends in .md was found");
    }
    Ok(Exit::Done)
}

async fn put(api: &Api, file: &Path, definition: &Definition) -> Result<Value, Failure> {
    let body = serde_json::to_value(definition)
        .map_err(|error| Failure::internal("a definition has no JSON form").because(&error))?;
    let put = api
        .put(&["agents", &definition.name])
        .json(&body)
        .value()
        .await;
    put.map_err(|failure| Failure {
        message: format!("{}: {}", file.display(), failure.message),
        ..failure
    })
}

/// A file that is wrong, or cannot be read.
pub(crate) fn wrong(error: &CatalogError) -> Failure {
    let failure = Failure::usage(error.to_string());
    // What is wrong in a file stands in the error's own text, with its place; why one cannot be read stands beneath.
    let failure = match error {
        CatalogError::Unreadable { source, .. } => failure.because(source),
        _ => failure,
    };
    failure.help(
        "an agent is a Markdown file with YAML front matter; `tertulia init DIR` writes an example",
    )
}
