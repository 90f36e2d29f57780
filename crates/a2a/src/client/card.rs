//! The card of a peer, kept as long as it says.

use std::{path::Path, time::Duration};

use http::{HeaderMap, StatusCode, header};
use reqwest::Url;
use tokio::time::Instant;

use super::{Error, Peer, transport};
use crate::wire::{AgentCard, parse_json};

/// Where a card stands at its origin.
const WELL_KNOWN: &str = ".well-known/agent-card.json";
/// How long a card is kept that does not say.
const KEEP: Duration = Duration::from_mins(1);
/// How long one is kept at most.
const KEEP_MOST: Duration = Duration::from_hours(1);
/// Bytes of a card.
const CARD_BYTES: usize = 1024 * 1024;

/// A card that was fetched.
#[derive(Debug, Clone)]
pub struct Known {
    card: AgentCard,
    tag: Option<String>,
    until: Instant,
}

impl Known {
    /// The card.
    pub const fn card(&self) -> &AgentCard {
        &self.card
    }

    pub(super) fn is_fresh(&self) -> bool {
        Instant::now() < self.until
    }
}

/// The address of the card that a definition names.
pub(super) fn address(url: &str) -> Result<Url, Error> {
    let wrong = |what: &str| Error::Setup(format!("url `{url}`: {what}"));
    let mut address = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(address.scheme(), "http" | "https") {
        return Err(wrong("expected http: or https:"));
    }
    let names_a_card = Path::new(address.path())
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if !names_a_card {
        let path = address.path().trim_end_matches('/');
        let path = format!("{path}/{WELL_KNOWN}");
        address.set_path(&path);
    }
    Ok(address)
}

/// Fetches the card, or learns that the one that is known still holds.
pub(super) async fn fetch(peer: &Peer, known: Option<&Known>) -> Result<Known, Error> {
    let mut request = peer.http.get(peer.card_url.clone()).timeout(peer.timeout);
    if let Some(tag) = known.and_then(|known| known.tag.as_deref()) {
        request = request.header(header::IF_NONE_MATCH, tag);
    }
    let response = request.send().await.map_err(|error| Error::of(&error))?;
    let until = Instant::now() + keep(response.headers());
    if let (StatusCode::NOT_MODIFIED, Some(known)) = (response.status(), known) {
        return Ok(Known {
            until,
            ..known.clone()
        });
    }
    let tag = response
        .headers()
        .get(header::ETAG)
        .and_then(|tag| tag.to_str().ok())
        .map(str::to_owned);
    let status = response.status();
    let body = transport::body(response, CARD_BYTES).await?;
    if !status.is_success() {
        return Err(Error::Unreachable(format!(
            "its card at {} is not there: HTTP {}",
            peer.card_url,
            status.as_u16()
        )));
    }
    let card = parse_json(&body, CARD_BYTES)
        .map_err(|error| Error::Nonsense(format!("its card cannot be read: {error}")))?;
    Ok(Known { card, tag, until })
}

/// How long a card may be kept.
fn keep(headers: &HeaderMap) -> Duration {
    let control = headers
        .get(header::CACHE_CONTROL)
        .and_then(|control| control.to_str().ok())
        .unwrap_or_default();
    let mut keep = KEEP;
    for directive in control.split(',') {
        let directive = directive.trim().to_ascii_lowercase();
        if directive == "no-store" || directive == "no-cache" {
            return Duration::ZERO;
        }
        if let Some(seconds) = directive.strip_prefix("max-age=") {
            keep = seconds.parse().map_or(KEEP, Duration::from_secs);
        }
    }
    keep.min(KEEP_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_where_the_definition_says_or_at_the_well_known_path() {
        for (url, expected) in [
            ("http://h:1", "http://h:1/.well-known/agent-card.json"),
            ("http://h:1/", "http://h:1/.well-known/agent-card.json"),
            (
                "https://h/a2a/echo",
                "https://h/a2a/echo/.well-known/agent-card.json",
            ),
            ("https://h/cards/echo.json", "https://h/cards/echo.json"),
        ] {
            assert_eq!(address(url).unwrap().as_str(), expected);
        }
        for url in ["", "echo", "ftp://h/", "file:///etc/passwd.json"] {
            assert!(address(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_card_is_kept_as_long_as_it_says_and_not_for_ever() {
        let kept = |control: &str| {
            let headers = [(header::CACHE_CONTROL, control.parse().unwrap())];
            keep(&HeaderMap::from_iter(headers))
        };
        assert_eq!(keep(&HeaderMap::new()), KEEP);
        assert_eq!(kept("public, Max-Age=5"), Duration::from_secs(5));
        assert_eq!(kept("max-age=99999999"), KEEP_MOST);
        assert_eq!(kept("no-store, max-age=5"), Duration::ZERO);
        assert_eq!(kept("max-age=soon"), KEEP);
    }
}
