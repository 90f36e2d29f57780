//! `tertulia`: the command line, and the one binary. It speaks HTTP to a server like any other client; `dev` and `serve`
//! are that server. Standard output is data, standard error is everything else (docs/cli.md).

mod api;
mod arguments;
mod bench;
mod command;
mod configuration;
mod embedded;
mod exit;
mod failure;
mod house;
mod output;
mod residents;
mod span;

use std::{panic, process::ExitCode};

use clap::Parser as _;

use crate::{
    arguments::{Arguments, Color, Global},
    exit::Exit,
    failure::Failure,
    output::Output,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(&error),
    };
    colour(&arguments.global);
    let output = Output {
        json: arguments.global.json,
        full: arguments.global.full,
    };
    tell_of_panics(output);
    match panic::catch_unwind(|| run(arguments, output)) {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            if failure.exit != Exit::Done {
                output.failure(&failure);
            }
            failure.exit.into()
        }
        // The hook has told of it.
        Err(_) => Exit::Internal.into(),
    }
}

/// Tells what cannot be read of what was typed, or the help that was asked for. What asked for JSON gets its errors so,
/// although no more than that may be understood of it.
fn not_understood(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if !json || !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut failure = Failure::usage(message);
    failure.help = (!help.is_empty()).then(|| help.to_owned());
    Output { json, full: false }.failure(&failure);
    failure.exit.into()
}

fn run(arguments: Arguments, output: Output) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal("the threads cannot be started").because(&error))?;
    let exit = runtime.block_on(command::run(arguments, output));
    // Reads of standard input that nobody waits for any more would keep the program from ending.
    runtime.shutdown_background();
    exit
}

fn colour(global: &Global) {
    match global.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// A panic is an error of the program: it is told like one, with its place for the report.
fn tell_of_panics(output: Output) {
    panic::set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let text = panic.payload_as_str().unwrap_or("no message");
        output.failure(&Failure::internal(format!("panicked at {place}: {text}")));
    }));
}
