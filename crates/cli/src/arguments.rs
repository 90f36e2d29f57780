//! What can be typed.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{exit, span};

/// Where a server is expected where nobody says otherwise.
pub(crate) const URL: &str = "http://127.0.0.1:7300";

/// The durable, accountable meeting place of agents.
#[derive(Debug, Parser)]
#[command(
    name = "tertulia",
    version,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    after_help = after_help(),
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

fn after_help() -> String {
    format!(
        "Begin:\n  tertulia dev                        a server on this machine, without configuration\n  \
         tertulia agents add agents/*.md     tell it which agents there are\n  \
         tertulia delegate NAME 'what to do' ask one of them\n\n\
         Standard output is data, standard error is everything else.\n\n{}",
        exit::list()
    )
}

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "For every command")]
pub(crate) struct Global {
    /// Print JSON, one value a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show long words whole on a terminal too, as they are when piped
    #[arg(long, global = true)]
    pub(crate) full: bool,
    /// The server to call
    #[arg(long, global = true, env = "TERTULIA_URL", default_value = URL, value_name = "URL")]
    pub(crate) url: String,
    /// The key to call it with; `dev` takes calls without
    #[arg(
        long,
        global = true,
        env = "TERTULIA_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    pub(crate) key: Option<String>,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a server for development: loopback only, no configuration, no keys
    Dev(Dev),
    /// Write a configuration and an example agent to begin with
    Init(Init),
    /// Run a server as tertulia.toml says
    Serve(Serve),
    /// Watch three agents explain an incident, and read their diagnosis
    Demo(Demo),
    /// List, show, add, find and remove agents
    #[command(subcommand)]
    Agents(Agents),
    /// Ask an agent to do something, and wait for its reply
    Delegate(Delegate),
    /// Answer a question that a task asks you
    Answer(Answer),
    /// Watch a task or a conversation as it happens
    Watch(Watch),
    /// Show a task, a conversation, a mailbox, your inbox or what you are asked
    Show(Showing),
    /// List dead letters and send them again
    #[command(subcommand)]
    Dead(Dead),
    /// Cancel a task and all below it
    Cancel(Cancel),
    /// List who has committed to what
    Commitments(Commitments),
    /// Add and list the people and services of a server
    #[command(subcommand)]
    Principals(Principals),
    /// Make, list and revoke keys
    #[command(subcommand)]
    Keys(Keys),
    /// Explain a reason code, a status or a performative
    Explain(Explain),
    /// Measure the whole path under load, on this machine
    Bench(Bench),
    /// Print completions for a shell
    Completions(Completions),
}

#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// Keep the data in this folder; without it, the data goes with the server
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Listen on this port; 0 takes any that is free
    #[arg(long, default_value_t = 7300)]
    pub(crate) port: u16,
    /// Load the definitions of agents in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) agents: Option<PathBuf>,
    /// The agent whose card stands at the well-known path
    #[arg(long, value_name = "NAME")]
    pub(crate) default_agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder to write to; it is made if it is not there
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The configuration
    #[arg(long, short, default_value = "tertulia.toml", value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Listen here instead of where the configuration says
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Keep the data here instead of where the configuration says
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Make another key for user:admin, and print it
    #[arg(long)]
    pub(crate) admin_key: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The incident that is explained
    #[arg(long, default_value = "INC-42", value_parser = tertulia_incident::cases::INCIDENTS, value_name = "INCIDENT")]
    pub(crate) case: String,
    /// Keep the data in this folder, and go on with what is in it; without it, in a new one among the temporary files
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Serve on after the diagnosis, until interrupted
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Agents {
    /// List the agents that there are
    List,
    /// Print the definition of an agent, as the file that it could be added from
    Show {
        /// The agent
        name: String,
        /// This version instead of the current one; its first digits are enough
        #[arg(long = "version", value_name = "DIGEST")]
        version_digest: Option<String>,
    },
    /// Add or change agents from their Markdown files
    Add {
        /// Files, or folders of them
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Find agents by what they can do
    Find {
        /// Words of names, descriptions and skills
        #[arg(value_name = "TEXT")]
        text: Vec<String>,
        /// With a skill of this tag
        #[arg(long)]
        tag: Option<String>,
        /// With a skill that reads this media type
        #[arg(long, value_name = "MEDIA TYPE")]
        input_mode: Option<String>,
        /// With a skill that writes this media type
        #[arg(long, value_name = "MEDIA TYPE")]
        output_mode: Option<String>,
    },
    /// Take an agent out of the catalogue: it is asked nothing new, in old conversations neither, and ends the tasks
    /// that it has; adding it again brings it back
    Remove {
        /// The agent
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Delegate {
    /// Whom to ask: the name of an agent
    pub(crate) agent: String,
    /// What to do; `-` reads it from standard input
    #[arg(required_unless_present = "data", value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Send JSON along, or `@FILE` with JSON in it
    #[arg(long, value_name = "JSON")]
    pub(crate) data: Option<String>,
    /// The contract that the request holds to
    #[arg(long, value_name = "NAME/VERSION")]
    pub(crate) contract: Option<String>,
    /// The contract that the result must hold to
    #[arg(long, value_name = "NAME/VERSION")]
    pub(crate) result: Option<String>,
    /// Ask to be told something instead of having it done
    #[arg(long)]
    pub(crate) query: bool,
    /// Follow up in this conversation
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Be done within this time, such as 90s, 10m or 2h
    #[arg(long, value_parser = span::parse, value_name = "TIME")]
    pub(crate) deadline: Option<Duration>,
    /// What your own business calls the work
    #[arg(long, value_name = "ID")]
    pub(crate) work_id: Option<String>,
    /// Makes it safe to repeat: the same key with the same content is the same task
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Print the task and do not wait
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Answer {
    /// The ask
    pub(crate) ask: String,
    /// The answer; `-` reads it from standard input
    #[arg(required_unless_present = "refuse", value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Decline to answer
    #[arg(long)]
    pub(crate) refuse: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The kind of what to watch; may be left out, since ids tell it
    #[arg(value_name = "task|conversation")]
    pub(crate) first: String,
    /// Its id
    #[arg(value_name = "ID")]
    pub(crate) second: Option<String>,
    /// Begin after the event of this number
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) after: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Showing {
    /// Read the data in this folder, as user:dev, instead of calling a server; none may run on it
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) what: Show,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Show {
    /// A task
    Task {
        /// Its id
        id: String,
        /// All tasks under it, with their hops
        #[arg(long)]
        tree: bool,
    },
    /// A conversation with its acts
    Conversation {
        /// Its id
        id: String,
    },
    /// The open deliveries of an agent
    Mailbox {
        /// The agent
        agent: String,
    },
    /// What was said to you
    Inbox {
        /// After the entry of this number
        #[arg(long, default_value_t = 0, value_name = "N")]
        after: u64,
    },
    /// The questions that wait for your answer
    Asks,
    /// Tasks
    Tasks {
        /// Of this agent
        #[arg(long)]
        agent: Option<String>,
        /// In this state
        #[arg(long)]
        state: Option<String>,
        /// In this conversation
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Of this work id
        #[arg(long, value_name = "ID")]
        work_id: Option<String>,
        /// Sent with this idempotency key
        #[arg(long, value_name = "KEY")]
        idempotency_key: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Dead {
    /// List them
    List,
    /// Send one again, as a new task
    Redrive {
        /// The task that is dead
        task: String,
        /// Be done within this time, such as 90s, 10m or 2h
        #[arg(long, value_parser = span::parse, value_name = "TIME")]
        deadline: Option<Duration>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The task
    pub(crate) task: String,
    /// Why
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Commitments {
    /// Under this root
    #[arg(long, value_name = "ID")]
    pub(crate) root: Option<String>,
    /// Of this status
    #[arg(long)]
    pub(crate) status: Option<String>,
    /// Of this agent
    #[arg(long)]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Principals {
    /// Add a person or a service, or change who answers for it; for administrators
    Add {
        /// user:NAME or service:NAME
        party: String,
        /// The person that answers for what a service starts: user:NAME
        #[arg(long, value_name = "PARTY")]
        responsible: Option<String>,
        /// Let it add principals and make keys for them
        #[arg(long)]
        administers: bool,
    },
    /// List them; whoever is no administrator sees itself
    List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Make a key; it is shown once
    Create {
        /// For whom it speaks: an agent by its name, or user:NAME or service:NAME
        party: String,
        /// What to call it
        #[arg(long, default_value = "command line")]
        label: String,
    },
    /// List keys, without what they are
    List,
    /// Let a key speak for nobody any more
    Revoke {
        /// Its id; its first digits are enough
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A reason code, the code of a status, or a performative; without one, all are listed
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Clients at once; a run for each number
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "16,256",
        value_name = "N,N"
    )]
    pub(crate) clients: Vec<u32>,
    /// How long each run is measured
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) seconds: u32,
    /// Measure this A2A server, which runs already, instead of one of our own
    #[arg(long, requires = "peer_pid", value_name = "URL")]
    pub(crate) peer: Option<String>,
    /// Its process
    #[arg(long, requires = "peer", value_name = "PID")]
    pub(crate) peer_pid: Option<u32>,
    /// What to call it
    #[arg(long, requires = "peer", value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

/// A shell with completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_key_of_the_environment_is_not_shown() {
        let help = Arguments::command().render_long_help().to_string();
        assert!(
            help.contains("TERTULIA_KEY") && !help.contains("TERTULIA_KEY="),
            "{help}"
        );
    }
}
