//! `tertulia completions`.

use clap::CommandFactory as _;
use clap_complete::{generate, shells};

use crate::{
    arguments::{Arguments, Completions, Shell},
    exit::Exit,
    failure::Failure,
    output::Output,
};

pub(super) fn run(completions: &Completions) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    let mut script = Vec::new();
    let name = "tertulia";
    match completions.shell {
        Shell::Bash => generate(shells::Bash, &mut command, name, &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut command, name, &mut script),
        Shell::Fish => generate(shells::Fish, &mut command, name, &mut script),
    }
    Output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
