//! `tertulia init`: a configuration and an example agent to begin with.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{arguments::Init, exit::Exit, failure::Failure, output::Output};

const CONFIGURATION: &str = include_str!("init/tertulia.toml");
const AGENT: &str = include_str!("init/example.md");

pub(super) fn run(init: &Init, output: Output) -> Result<Exit, Failure> {
    let folder = &init.folder;
    let files = [
        (folder.join("tertulia.toml"), CONFIGURATION),
        (folder.join("agents").join("example.md"), AGENT),
    ];
    // Of what is there already, the innermost must be a folder.
    if let Some(there) = folder.ancestors().find(|path| path.exists())
        && !there.is_dir()
    {
        return Err(Failure::usage(format!(
            "{} is a file, and `init` writes into a folder",
            there.display()
        ))
        .help("name a folder, which is made if it is not there: tertulia init DIR"));
    }
    if let Some((there, _)) = files.iter().find(|(file, _)| file.exists()) {
        return Err(taken(there));
    }
    for (file, text) in &files {
        write_new(file, text)?;
    }
    let written: Vec<&PathBuf> = files.iter().map(|(file, _)| file).collect();
    output.data(&json!({"written": written}), |out| {
        for file in &written {
            writeln!(out, "{}", file.display())?;
        }
        Ok(())
    })?;
    let configuration = files[0].0.display();
    output.note(&format!(
        "\nNext:\n  tertulia serve --config {configuration}\n      starts the server; its first start prints the key of user:admin\n  \
         export TERTULIA_KEY=…\n  tertulia agents list\n  \
         tertulia delegate example 'say hello'\n      waits until a worker for `example` takes it\n\
         \nTo try things out without keys: tertulia dev"
    ));
    Ok(Exit::Done)
}

/// Writes a file that is not there; one that came meanwhile is left as it is.
fn write_new(file: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error: &std::io::Error| {
        Failure::new(Exit::Storage, format!("cannot write {}", file.display()))
            .because(error)
            .help("check who may write to the folder")
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
    }
    let mut handle = match fs::File::create_new(file) {
        Ok(handle) => handle,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(taken(file)),
        Err(error) => return Err(cannot(&error)),
    };
    handle
        .write_all(text.as_bytes())
        .map_err(|error| cannot(&error))
}

fn taken(file: &Path) -> Failure {
    Failure::usage(format!(
        "{} is there already, and nothing is overwritten",
        file.display()
    ))
    .help("name another folder: tertulia init DIR")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_agent_can_be_read() {
        let definition = tertulia_engine::catalog::parse_definition(AGENT).unwrap();
        assert_eq!(definition.name, "example");
        assert_eq!(definition.owner.to_string(), "user:admin");
        assert_eq!(
            definition.instructions.trim(),
            "You greet whoever asks, in one sentence, and repeat what was asked."
        );
    }
}
