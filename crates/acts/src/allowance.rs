//! What the operator of a house lets definitions of remote agents use. Whoever may write a definition can name a variable
//! of the server's environment and an address: without this, any of them could have any secret of the server sent
//! anywhere, or call what only the server reaches.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
};

use crate::agent::{Definition, RemoteAgent, Runner};

/// What definitions of remote agents may use; nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Variables of the environment that `token_env` may name, each with the origin that its value may be sent to
    /// (`https://HOST` or `https://HOST:PORT`).
    pub tokens: BTreeMap<String, String>,
    /// Hosts at private addresses that may be called.
    pub private_hosts: PrivateHosts,
}

/// Hosts at private addresses that may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivateHosts {
    /// These, without their ports.
    Named(BTreeSet<String>),
    /// This machine, by a loopback name.
    Loopback,
}

impl Default for PrivateHosts {
    fn default() -> Self {
        Self::Named(BTreeSet::new())
    }
}

impl Allowance {
    /// What `dev` allows: peers on this machine, and no tokens.
    #[must_use]
    pub fn loopback() -> Self {
        Self {
            tokens: BTreeMap::new(),
            private_hosts: PrivateHosts::Loopback,
        }
    }

    /// Judges what a definition asks for.
    ///
    /// # Errors
    /// It asks for more; told with the field and what the operator can do.
    pub fn judge(&self, definition: &Definition) -> Result<(), NotAllowed> {
        match &definition.runner {
            Runner::A2a(remote) => self.judge_remote(remote),
            Runner::Worker => Ok(()),
        }
    }

    /// Judges what the definition of a remote agent asks for.
    ///
    /// # Errors
    /// See [`judge`](Self::judge).
    pub fn judge_remote(&self, remote: &RemoteAgent) -> Result<(), NotAllowed> {
        let (origin, host) = origin(&remote.url).ok_or_else(|| {
            let what = format!("the url `{}` names no host", remote.url);
            NotAllowed::new("runner.a2a.url", what)
        })?;
        if let Some(variable) = &remote.token_env {
            let to = self.tokens.get(variable);
            if !to.is_some_and(|to| to.trim_end_matches('/').eq_ignore_ascii_case(origin)) {
                let what = match to {
                    None => format!(
                        "the variable {variable} of the server is not to be sent to agents; whoever runs the server can \
                         allow it with remote_tokens = {{ {variable} = \"{origin}\" }} in tertulia.toml"
                    ),
                    Some(to) => format!("the variable {variable} is sent to {to}, not to {origin}"),
                };
                return Err(NotAllowed::new("runner.a2a.token_env", what));
            }
        }
        let named = match &self.private_hosts {
            PrivateHosts::Named(hosts) => {
                hosts.iter().any(|named| named.eq_ignore_ascii_case(host))
            }
            PrivateHosts::Loopback => is_loopback(host),
        };
        if remote.allow_private && !named {
            let what = format!(
                "{host} is not among the hosts at private addresses that may be called; whoever runs the server can \
                 allow it with private_hosts = [\"{host}\"] in tertulia.toml"
            );
            return Err(NotAllowed::new("runner.a2a.allow_private", what));
        }
        Ok(())
    }
}

/// What a definition may not use here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {what}")]
pub struct NotAllowed {
    /// The field that asks for it.
    pub field: &'static str,
    /// What it asks for, and who can allow it.
    pub what: String,
}

impl NotAllowed {
    const fn new(field: &'static str, what: String) -> Self {
        Self { field, what }
    }
}

/// The origin of an address, and its host without the port. None where somebody could read it in two ways.
fn origin(url: &str) -> Option<(&str, &str)> {
    let authority_at = url.find("://")? + 3;
    let rest = &url[authority_at..];
    let length = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = &rest[..length];
    if authority.is_empty() || authority.contains('@') || rest[length..].starts_with('\\') {
        return None;
    }
    let host = match authority.strip_prefix('[') {
        Some(inner) => &authority[..inner.find(']')? + 2],
        None => authority.split(':').next()?,
    };
    Some((&url[..authority_at + length], host))
}

fn is_loopback(host: &str) -> bool {
    let number = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || number
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(url: &str, token: Option<&str>, private: bool) -> RemoteAgent {
        RemoteAgent {
            url: url.into(),
            token_env: token.map(Into::into),
            allow_private: private,
            headers: serde_json::Map::new(),
        }
    }

    fn named() -> Allowance {
        Allowance {
            tokens: [("LOGS".to_owned(), "https://logs.example".to_owned())].into(),
            private_hosts: PrivateHosts::Named(["10.0.0.7".to_owned()].into()),
        }
    }

    #[test]
    fn by_default_no_variable_and_no_private_host_may_be_used() {
        let none = Allowance::default();
        let judge = |token, private| none.judge_remote(&remote("https://h", token, private));
        assert_eq!(judge(None, false), Ok(()));
        let token = judge(Some("AWS_SECRET"), false).unwrap_err();
        assert_eq!(token.field, "runner.a2a.token_env");
        assert!(token.what.contains("remote_tokens"), "{token}");
        let private = judge(None, true).unwrap_err();
        assert_eq!(private.field, "runner.a2a.allow_private");
        assert!(private.what.contains("private_hosts"), "{private}");
    }

    #[test]
    fn a_token_is_for_its_own_origin_alone() {
        let judge = |url: &str| {
            named()
                .judge_remote(&remote(url, Some("LOGS"), false))
                .is_ok()
        };
        assert!(judge("https://logs.example"));
        assert!(judge("https://LOGS.example/agents/a?x#y"));
        for url in [
            "http://logs.example",
            "https://logs.example:8443",
            "https://logs.example.evil.org/",
            "https://logs.example@evil.org/",
            "https://logs.example\\@evil.org/",
            "https://evil.org/https://logs.example",
        ] {
            assert!(!judge(url), "{url}");
        }
    }

    #[test]
    fn private_hosts_are_named_without_their_ports() {
        let judge = |allowance: &Allowance, url: &str| {
            allowance.judge_remote(&remote(url, None, true)).is_ok()
        };
        assert!(judge(&named(), "http://10.0.0.7:8080/a"));
        assert!(!judge(&named(), "http://10.0.0.70/"));
        assert!(!judge(&named(), "http://169.254.169.254/"));
        let dev = Allowance::loopback();
        for url in [
            "http://localhost:1/",
            "http://127.0.0.1/",
            "http://[::1]:80",
        ] {
            assert!(judge(&dev, url), "{url}");
        }
        for url in [
            "http://localhost.evil.org/",
            "http://10.0.0.7/",
            "http://[fe80::1]/",
        ] {
            assert!(!judge(&dev, url), "{url}");
        }
    }
}
