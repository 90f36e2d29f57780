//! Who calls: the credential tells, and nothing else (SEMANTICS 13; I3). Whatever else a call says about its sender is
//! not read.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use http::{HeaderMap, header, request::Parts, uri::Authority};
use tertulia_acts::command::Caller;
use tertulia_engine::Engine;

use crate::{
    app::{App, Auth},
    problem::{Code, Problem},
};

/// The caller, as its credential proved.
#[derive(Debug, Clone)]
pub(crate) struct Authenticated(pub(crate) Caller);

impl FromRequestParts<App> for Authenticated {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map(|info| info.0);
        let host = parts.uri.authority().map(Authority::as_str);
        identify(&app.engine, &app.settings.auth, &parts.headers, host, peer).map(Self)
    }
}

/// Who calls, in whatever protocol: by `Authorization: Bearer` or `X-API-Key`, and in `dev` also without, from loopback.
/// `host` is the authority of the request's address, where it has one; else the `Host` header is read.
///
/// # Errors
/// No valid credential, or two different ones; without one, not from loopback.
pub fn identify(
    engine: &Engine,
    auth: &Auth,
    headers: &HeaderMap,
    host: Option<&str>,
    peer: Option<SocketAddr>,
) -> Result<Caller, Problem> {
    if let Some(key) = credential(headers)? {
        return engine.authenticate(key)?.ok_or_else(|| {
            Problem::new(Code::Unauthenticated, "the key is unknown or was revoked")
        });
    }
    let Auth::DevUser { tenant, party } = auth else {
        let detail = "send a key: `Authorization: Bearer <key>` or `X-API-Key: <key>`";
        return Err(Problem::new(Code::Unauthenticated, detail));
    };
    from_loopback(peer, host, headers)?;
    let caller = engine.trusted(tenant, party)?;
    caller.ok_or_else(|| Problem::internal("the tenant of `dev` was not made"))
}

/// The key that a call brings, if it brings one.
fn credential(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut found: Option<&str> = None;
    let bearer = headers.get_all(header::AUTHORIZATION).iter().map(|value| {
        let text = value.to_str().ok();
        let key = text.and_then(|text| {
            let (scheme, key) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
        });
        key.ok_or_else(|| {
            let detail = "the `Authorization` header is none of the form `Bearer <key>`";
            Problem::new(Code::Unauthenticated, detail)
        })
    });
    let api_key = headers.get_all("x-api-key").iter().map(|value| {
        let detail = "the `X-API-Key` header is no text";
        value
            .to_str()
            .map_err(|_| Problem::new(Code::Unauthenticated, detail))
    });
    for key in bearer.chain(api_key) {
        let key = key?;
        if found.is_some_and(|other| other != key) {
            let what = "the call brings two different keys; send one";
            return Err(Problem::malformed("headers", what));
        }
        found = Some(key);
    }
    Ok(found)
}

/// Without a credential, `dev` takes calls that a program on this machine makes knowingly: not from elsewhere, not by a
/// name that somebody's DNS points here, and not from a page in a browser.
fn from_loopback(
    peer: Option<SocketAddr>,
    host: Option<&str>,
    headers: &HeaderMap,
) -> Result<(), Problem> {
    let forbidden = |detail: &str| Err(Problem::new(Code::Forbidden, detail));
    if !peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback()) {
        return forbidden("without a key, `dev` takes calls from loopback only; send a key");
    }
    let named = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = host.or(named);
    if !host.is_some_and(is_loopback) {
        let detail =
            "without a key, `dev` is called by a loopback name: localhost, 127.0.0.1 or [::1]";
        return forbidden(detail);
    }
    if headers.contains_key(header::ORIGIN) {
        return forbidden(
            "without a key, `dev` takes no calls from pages in a browser; send a key",
        );
    }
    Ok(())
}

/// Whether a `Host` names this machine by itself.
pub(crate) fn is_loopback(host: &str) -> bool {
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, "")) => address,
            Some((address, port)) if port.strip_prefix(':').is_some_and(is_port) => address,
            _ => return false,
        },
        None => match host.split_once(':') {
            None => host,
            Some((name, port)) if is_port(port) => name,
            // What looks like a port may be the user of another host.
            Some(_) => return false,
        },
    };
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| {
                (
                    name.parse::<header::HeaderName>().unwrap(),
                    value.parse().unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn a_key_comes_in_either_header_and_in_both_if_they_agree() {
        for pairs in [
            &[("authorization", "Bearer k1")][..],
            &[("authorization", "bearer k1")],
            &[("x-api-key", "k1")],
            &[("authorization", "Bearer k1"), ("x-api-key", "k1")],
        ] {
            assert_eq!(
                credential(&headers(pairs)).unwrap(),
                Some("k1"),
                "{pairs:?}"
            );
        }
        assert_eq!(credential(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn two_different_keys_are_refused_and_other_schemes_are_no_key() {
        let two = headers(&[("authorization", "Bearer k1"), ("x-api-key", "k2")]);
        assert_eq!(credential(&two).unwrap_err().code, Code::Malformed);
        let basic = headers(&[("authorization", "Basic azE6")]);
        assert_eq!(credential(&basic).unwrap_err().code, Code::Unauthenticated);
    }

    #[test]
    fn loopback_names_are_told_from_others() {
        for host in [
            "localhost",
            "LocalHost:7777",
            "127.0.0.1:1",
            "127.8.8.8",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "localhost:x@evil.example",
            "10.0.0.1",
            "[::2]",
            "[::1]x",
            "::1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn dev_is_called_from_loopback_by_programs_only() {
        let peer = Some("127.0.0.1:5000".parse().unwrap());
        let host = headers(&[("host", "localhost:7777")]);
        assert!(from_loopback(peer, None, &host).is_ok());
        assert!(from_loopback(Some("[::ffff:127.0.0.1]:5".parse().unwrap()), None, &host).is_ok());
        let elsewhere = Some("192.0.2.1:5000".parse().unwrap());
        assert!(from_loopback(elsewhere, None, &host).is_err());
        assert!(from_loopback(None, None, &host).is_err());
        assert!(from_loopback(peer, None, &headers(&[("host", "evil.example")])).is_err());
        assert!(from_loopback(peer, None, &HeaderMap::new()).is_err());
        let page = headers(&[("host", "localhost"), ("origin", "http://localhost")]);
        assert!(from_loopback(peer, None, &page).is_err());
    }
}
