//! `tertulia.toml`: read strictly, refused with the place that is wrong.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use serde::Deserialize;
use tertulia_acts::allowance::{Allowance, PrivateHosts};

use crate::failure::Failure;

/// What a server is told.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Configuration {
    /// Where it listens.
    pub(crate) listen: SocketAddr,
    /// Where its data lies.
    pub(crate) data: PathBuf,
    /// Where definitions of agents lie.
    pub(crate) agents: Option<PathBuf>,
    /// The address under which others reach it.
    pub(crate) public_url: Option<String>,
    /// The agent whose card stands at the well-known path.
    pub(crate) default_agent: Option<String>,
    /// Who may call.
    pub(crate) authentication: Authentication,
    /// Whether A2A cards are shown to callers without a key.
    pub(crate) public_cards: bool,
    /// Variables of the environment that definitions of remote agents may name, each with the origin it is sent to.
    pub(crate) remote_tokens: BTreeMap<String, String>,
    /// Hosts at private addresses that remote agents may be at.
    pub(crate) private_hosts: BTreeSet<String>,
}

/// Who may call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Authentication {
    /// Whoever has a key.
    #[default]
    Keys,
    /// Everybody on this machine.
    None,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7300)),
            data: PathBuf::from("data"),
            agents: None,
            public_url: None,
            default_agent: None,
            authentication: Authentication::default(),
            public_cards: false,
            remote_tokens: BTreeMap::new(),
            private_hosts: BTreeSet::new(),
        }
    }
}

impl Configuration {
    /// Reads the configuration in `file`. Its paths are relative to the file's folder.
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("cannot read the configuration {}", file.display()))
                .because(&error)
                .help("`tertulia init` writes one; `tertulia dev` needs none")
        })?;
        let mut configuration = Self::parse(&text, file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        configuration.data = folder.join(configuration.data);
        configuration.agents = configuration.agents.map(|agents| folder.join(agents));
        Ok(configuration)
    }

    fn parse(text: &str, file: &Path) -> Result<Self, Failure> {
        let wrong = |path: &str, error: &toml::de::Error| wrong(text, file, path, error);
        let deserializer = toml::Deserializer::parse(text).map_err(|error| wrong("", &error))?;
        let configuration: Self = serde_path_to_error::deserialize(deserializer)
            .map_err(|error| wrong(&error.path().to_string(), error.inner()))?;
        configuration.check(file)?;
        Ok(configuration)
    }

    fn check(&self, file: &Path) -> Result<(), Failure> {
        let wrong = |field: &str, what: &str| {
            Err(Failure::usage(format!(
                "{}: `{field}`: {what}",
                file.display()
            )))
        };
        if let Some(url) = &self.public_url
            && !url.starts_with("https://")
            && !url.starts_with("http://")
        {
            return wrong(
                "public_url",
                "is no address: expected https://HOST… or http://HOST…",
            );
        }
        if let Some(name) = &self.default_agent
            && !tertulia_acts::party::is_name(name)
        {
            return wrong("default_agent", "is no name of an agent");
        }
        let origin = |url: &str| {
            let rest = ["https://", "http://"]
                .iter()
                .find_map(|scheme| url.strip_prefix(scheme));
            rest.is_some_and(|rest| {
                !rest.is_empty() && !rest.contains(['/', '?', '#', '@', '\\', ' '])
            })
        };
        if let Some((variable, url)) = self.remote_tokens.iter().find(|(_, url)| !origin(url)) {
            let what = format!(
                "`{url}` for {variable} is no origin: expected https://HOST or https://HOST:PORT"
            );
            return wrong("remote_tokens", &what);
        }
        if let Some(host) = self
            .private_hosts
            .iter()
            .find(|host| host.contains('/') || host.is_empty())
        {
            let what = format!(
                "`{host}` is no host: expected a name or an address, without scheme and port"
            );
            return wrong("private_hosts", &what);
        }
        Ok(())
    }

    /// What definitions of remote agents may use.
    pub(crate) fn allowance(&self) -> Allowance {
        Allowance {
            tokens: self.remote_tokens.clone(),
            private_hosts: PrivateHosts::Named(self.private_hosts.clone()),
        }
    }

    /// Refuses what would leave the door open to others than are on this machine.
    pub(crate) fn check_door(&self) -> Result<(), Failure> {
        if self.authentication == Authentication::None && !self.listen.ip().is_loopback() {
            return Err(Failure::usage(format!(
                "refusing to listen on {} without authentication: everybody who reaches it could act as user:admin",
                self.listen
            ))
            .help("set authentication = \"keys\", or listen on 127.0.0.1"));
        }
        Ok(())
    }
}

/// `file:line:column: …`.
fn wrong(text: &str, file: &Path, path: &str, error: &toml::de::Error) -> Failure {
    let mut place = file.display().to_string();
    if let Some(span) = error.span() {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        place = format!("{place}:{line}:{column}");
    }
    let field = match path {
        "" | "." => String::new(),
        path => format!("`{}`: ", path.trim_end_matches(".?").trim_end_matches('?')),
    };
    // Messages of the parser go over several lines.
    let what: Vec<&str> = error.message().lines().map(str::trim).collect();
    Failure::usage(format!("{place}: {field}{}", what.join(", ")))
        .help("docs/cli.md and `tertulia init` show what a configuration may say")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Configuration, Failure> {
        Configuration::parse(text, Path::new("tertulia.toml"))
    }

    #[track_caller]
    fn refused(text: &str, message: &str) {
        let failure = parse(text).unwrap_err();
        assert!(failure.message.starts_with(message), "{failure}");
    }

    #[test]
    fn what_init_writes_says_what_is_so_without_it() {
        let written = parse(include_str!("command/init/tertulia.toml")).unwrap();
        let expected = Configuration {
            agents: Some(PathBuf::from("agents")),
            ..Configuration::default()
        };
        assert_eq!(written, expected);
        assert_eq!(parse("").unwrap(), Configuration::default());
    }

    #[test]
    fn everything_that_init_mentions_can_be_said() {
        let text = include_str!("command/init/tertulia.toml");
        let field = |line: &&str| {
            let name = line.split(" = ").next().unwrap_or_default();
            line.contains(" = ") && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        };
        let all: Vec<&str> = text
            .lines()
            .map(|line| line.strip_prefix("# ").filter(field).unwrap_or(line))
            .collect();
        let configuration = parse(&all.join("\n")).unwrap();
        assert_eq!(
            configuration.public_url.as_deref(),
            Some("https://tertulia.example.org")
        );
        assert_eq!(configuration.default_agent.as_deref(), Some("example"));
        assert!(configuration.public_cards);
        assert_eq!(
            configuration.remote_tokens["TRANSLATOR_TOKEN"],
            "https://agents.example.org"
        );
        assert!(configuration.private_hosts.contains("10.0.0.7"));
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        refused(
            "listen = \"127.0.0.1:1\"\nlistn = 1\n",
            "tertulia.toml:2:1: `listn`: unknown field `listn`, expected one of",
        );
        refused(
            "listen = \"here\"\n",
            "tertulia.toml:1:10: `listen`: invalid socket address",
        );
        refused(
            "authentication = \"password\"\n",
            "tertulia.toml:1:18: `authentication`: unknown variant `password`",
        );
        refused("data = \n", "tertulia.toml:1:");
        refused("[server]\n", "tertulia.toml:1:");
        refused(
            "public_url = \"example.org\"\n",
            "tertulia.toml: `public_url`: is no address",
        );
        refused(
            "remote_tokens = { A = \"https://h/x\" }\n",
            "tertulia.toml: `remote_tokens`: `https://h/x` for A is no origin",
        );
        refused(
            "private_hosts = [\"http://h\"]\n",
            "tertulia.toml: `private_hosts`: `http://h` is no host",
        );
        refused(
            "default_agent = \"A b\"\n",
            "tertulia.toml: `default_agent`: is no name",
        );
    }

    #[test]
    fn without_authentication_only_this_machine_is_let_in() {
        let open = parse("listen = \"0.0.0.0:7300\"\nauthentication = \"none\"\n").unwrap();
        let failure = open.check_door().unwrap_err();
        assert!(
            failure
                .message
                .contains("refusing to listen on 0.0.0.0:7300"),
            "{failure}"
        );
        assert!(
            parse("listen = \"[::]:7300\"\nauthentication = \"none\"\n")
                .unwrap()
                .check_door()
                .is_err()
        );
        assert!(
            parse("listen = \"[::1]:7300\"\nauthentication = \"none\"\n")
                .unwrap()
                .check_door()
                .is_ok()
        );
        assert!(
            parse("listen = \"0.0.0.0:7300\"\n")
                .unwrap()
                .check_door()
                .is_ok()
        );
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tertulia.toml");
        fs::write(&file, "data = \"d\"\nagents = \"/a\"\n").unwrap();
        let configuration = Configuration::read(&file).unwrap();
        assert_eq!(configuration.data, folder.path().join("d"));
        assert_eq!(configuration.agents.as_deref(), Some(Path::new("/a")));
    }
}
