//! The commands, one file each.

mod agents;
mod answer;
mod cancel;
mod commitments;
mod completions;
mod dead;
mod delegate;
mod demo;
mod dev;
mod explain;
mod init;
mod keys;
mod principals;
mod serve;
mod show;
mod watch;

pub(crate) use agents::wrong as wrong_agent;

use std::io::Read as _;

use serde_json::{Value, json};
use tertulia_worker::wire::Act;

use crate::{
    api::{self, Api},
    arguments::{Arguments, Command, Showing},
    exit::Exit,
    failure::Failure,
    output::{self, Output},
};

/// Bytes of text that are read from standard input; a part may have no more.
const STDIN_BYTES: u64 = 1024 * 1024;

/// Runs what was typed.
pub(crate) async fn run(arguments: Arguments, output: Output) -> Result<Exit, Failure> {
    let global = arguments.global;
    // A variable of the environment that is empty names no key.
    let key = global.key.as_deref().filter(|key| !key.is_empty());
    let api = || Api::new(&global.url, key);
    match arguments.command {
        Command::Dev(dev) => dev::run(&dev, output).await,
        Command::Serve(serve) => serve::run(&serve, output).await,
        Command::Init(init) => init::run(&init, output),
        Command::Demo(demo) => demo::run(&demo, output).await,
        Command::Agents(agents) => agents::run(&api()?, agents, output).await,
        Command::Delegate(delegate) => delegate::run(&api()?, delegate, output).await,
        Command::Answer(answer) => answer::run(&api()?, answer, output).await,
        Command::Watch(watch) => watch::run(&api()?, watch, output).await,
        Command::Show(Showing { what, data: None }) => show::run(&api()?, what, output).await,
        Command::Show(Showing {
            what,
            data: Some(data),
        }) => show::of_folder(&data, what, output).await,
        Command::Dead(dead) => dead::run(&api()?, dead, output).await,
        Command::Cancel(cancel) => cancel::run(&api()?, cancel, output).await,
        Command::Commitments(which) => commitments::run(&api()?, which, output).await,
        Command::Principals(principals) => principals::run(&api()?, principals, output).await,
        Command::Keys(keys) => keys::run(&api()?, keys, output).await,
        Command::Explain(explain) => explain::run(&explain, output),
        Command::Bench(bench) => crate::bench::run(bench, output).await,
        Command::Completions(completions) => completions::run(&completions),
    }
}

/// The words of an argument as one text; `-` alone stands for standard input.
fn text(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    std::io::stdin()
        .take(STDIN_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::usage("standard input cannot be read as text").because(&error))?;
    if text.len() as u64 > STDIN_BYTES {
        return Err(Failure::usage(format!(
            "standard input holds more than {STDIN_BYTES} bytes: send less, or a reference to where it lies"
        )));
    }
    Ok(text)
}

/// A party as it was typed; a name alone is that of an agent.
fn party(name: &str) -> String {
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("agent:{name}")
    }
}

/// A text as the parts of an act.
fn parts(text: &str) -> Value {
    if text.is_empty() {
        return json!([]);
    }
    json!([{"text": text}])
}

/// The receipt of an answer, and the refuse in it if that is what the act came to.
fn refusal(answer: &Value) -> Result<Option<Act>, Failure> {
    let receipt = &answer["receipt"];
    if receipt["outcome"] == "refused" {
        return api::read(&receipt["act"]).map(Some);
    }
    Ok(None)
}

/// Tells of a refuse, and where its reason is explained.
fn tell_refusal(act: &Act, output: Output) -> Exit {
    let code = act.reason_code();
    let message = act.message.clone().unwrap_or_else(|| act.text());
    output.note(&format!(
        "{}: {}",
        output::painted(
            output::BAD.bold(),
            &format!("{} ({})", act.performative.name(), output::safe(code))
        ),
        output::safe_lines(&message),
    ));
    if act.reason.is_some() {
        output.note(&format!("  see `tertulia explain {}`", output::safe(code)));
    }
    Exit::Ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_text_and_no_words_are_no_part() {
        let words = ["find".to_owned(), "it".to_owned()];
        assert_eq!(text(&words).unwrap(), "find it");
        assert_eq!(parts("find it"), json!([{"text": "find it"}]));
        assert_eq!(parts(""), json!([]));
    }

    #[test]
    fn only_a_refused_receipt_has_a_refuse() {
        let refused = json!({"receipt": {"outcome": "refused", "task": null,
                                         "act": {"performative": "refuse", "reason": "loop"}}});
        assert_eq!(refusal(&refused).unwrap().unwrap().reason_code(), "loop");
        assert!(
            refusal(&json!({"receipt": {"outcome": "notified", "act": "a"}}))
                .unwrap()
                .is_none()
        );
    }
}
