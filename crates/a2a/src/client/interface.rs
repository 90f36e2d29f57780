//! Which of a card's interfaces is used.

use reqwest::Url;

use super::Error;
use crate::wire::AgentCard;

/// How requests travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    JsonRpc,
    HttpJson,
}

/// An interface that is spoken here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interface {
    pub(super) binding: Binding,
    pub(super) url: Url,
    /// What each request must carry.
    pub(super) tenant: String,
}

impl Interface {
    /// The first that is spoken here, in the card's own order of preference.
    pub(super) fn choose(card: &AgentCard, card_url: &Url) -> Result<Self, Error> {
        for offered in &card.supported_interfaces {
            let binding = match offered.protocol_binding.as_str() {
                "JSONRPC" => Binding::JsonRpc,
                "HTTP+JSON" => Binding::HttpJson,
                _ => continue,
            };
            if !is_one(&offered.protocol_version) {
                continue;
            }
            let url = Url::parse(&offered.url).map_err(|error| {
                Error::Nonsense(format!(
                    "its card names the address `{}`: {error}",
                    offered.url
                ))
            })?;
            match (card_url.scheme(), url.scheme()) {
                ("http", "http") | (_, "https") => {}
                ("https", "http") => {
                    let what = "its card was read over https and leads to http";
                    return Err(Error::Nonsense(what.to_owned()));
                }
                (_, other) => {
                    return Err(Error::Nonsense(format!("its card leads to {other}:")));
                }
            }
            return Ok(Self {
                binding,
                url,
                tenant: offered.tenant.clone(),
            });
        }
        let what = "its card offers neither JSONRPC nor HTTP+JSON of version 1";
        Err(Error::Nonsense(what.to_owned()))
    }
}

fn is_one(version: &str) -> bool {
    version.split('.').next() == Some("1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::AgentInterface;

    fn choose(from: &str, offered: &[(&str, &str, &str)]) -> Result<Interface, Error> {
        let interface = |(binding, version, url): &(&str, &str, &str)| AgentInterface {
            url: (*url).into(),
            protocol_binding: (*binding).into(),
            tenant: "t".into(),
            protocol_version: (*version).into(),
        };
        let card = AgentCard {
            supported_interfaces: offered.iter().map(interface).collect(),
            ..AgentCard::default()
        };
        Interface::choose(&card, &from.parse().unwrap())
    }

    #[test]
    fn the_first_that_is_spoken_here_is_taken() {
        let chosen = choose(
            "http://h/",
            &[
                ("GRPC", "1.0", "h:1"),
                ("JSONRPC", "0.3", "http://h/old"),
                ("HTTP+JSON", "1.0", "http://h/rest"),
                ("JSONRPC", "1.0", "http://h/rpc"),
            ],
        )
        .unwrap();
        assert_eq!(chosen.binding, Binding::HttpJson);
        assert_eq!(chosen.url.as_str(), "http://h/rest");
        assert_eq!(chosen.tenant, "t");
    }

    #[test]
    fn what_leads_nowhere_is_nonsense() {
        for (from, offered) in [
            ("http://h/", vec![]),
            ("http://h/", vec![("GRPC", "1.0", "h:1")]),
            ("http://h/", vec![("JSONRPC", "2.0", "http://h/")]),
            ("http://h/", vec![("JSONRPC", "1.0", "/relative")]),
            ("https://h/", vec![("JSONRPC", "1.0", "http://h/")]),
            ("https://h/", vec![("JSONRPC", "1.0", "file:///etc/passwd")]),
        ] {
            let error = choose(from, &offered).unwrap_err();
            assert!(matches!(error, Error::Nonsense(_)), "{offered:?}: {error}");
        }
    }
}
