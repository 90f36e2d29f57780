//! Cards: what an agent says about itself, for those who look for it.

use std::{collections::HashSet, net::IpAddr, sync::Arc};

use axum::{extract::State, response::Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts, uri::Authority};
use jiff::fmt::rfc2822::DateTimePrinter;
use tertulia_acts::{digest::Digest, ids::TenantId};

use super::{House, failure, operation::caller, reply};
use crate::{
    map,
    wire::{A2aError, ErrorKind},
};

/// How long a card may be kept without asking again.
const CACHE: &str = "max-age=60";

/// The card of the default agent, at the origin.
pub(super) async fn at_origin(
    State(house): State<Arc<House>>,
    request: axum::extract::Request,
) -> Response {
    let (parts, _) = request.into_parts();
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return reply::not_allowed(&parts.headers, "GET, HEAD");
    }
    match house.settings.default_agent.clone() {
        Some(agent) => of_agent(&house, &parts, &agent),
        None => reply::rest_error(
            &parts.headers,
            &absent(
                "no agent is served at the origin; cards are at /a2a/{agent}/.well-known/agent-card.json",
            ),
        ),
    }
}

/// The card of an agent.
pub(super) fn of_agent(house: &House, parts: &Parts, agent: &str) -> Response {
    match card(house, parts, agent) {
        Ok(response) => response,
        Err(error) => reply::rest_error(&parts.headers, &error),
    }
}

fn absent(what: &str) -> A2aError {
    A2aError::new(ErrorKind::MethodNotFound, what)
}

fn card(house: &House, parts: &Parts, agent: &str) -> Result<Response, A2aError> {
    let tenant = tenant(house, parts)?;
    let read = house
        .engine
        .reader()
        .agent(tenant, agent)
        .map_err(failure::engine)?
        .filter(|read| !read.agent.retired)
        .ok_or_else(|| absent("there is no agent of this name that you may see"))?;
    let url = format!("{}/a2a/{agent}", base(house, parts)?);
    let body =
        serde_json::to_vec(&map::card::card(&read.version, &url)).map_err(failure::internal)?;
    let tag = format!("\"{}\"", hex(&Digest::of(&body)));
    let mut response = if matches_tag(&parts.headers, &tag) {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let mut response = Response::new(body.into());
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHE));
    let vary = HeaderValue::from_static("Authorization, X-API-Key, Host");
    headers.insert(header::VARY, vary);
    headers.insert(header::ETAG, text(&tag)?);
    let made = jiff::Timestamp::from_millisecond(read.version.made.0).map_err(failure::internal)?;
    let made = DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&made)
        .map_err(failure::internal)?;
    headers.insert(header::LAST_MODIFIED, text(&made)?);
    Ok(response)
}

fn text(value: &str) -> Result<HeaderValue, A2aError> {
    value.parse().map_err(failure::internal)
}

fn hex(digest: &Digest) -> String {
    digest.to_string().trim_start_matches("sha256:").to_owned()
}

fn matches_tag(headers: &HeaderMap, tag: &str) -> bool {
    let known: HashSet<&str> = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|value| value.trim().trim_start_matches("W/"))
        .collect();
    known.contains(tag) || known.contains("*")
}

/// Whose agents are looked at: the caller's tenant's or, without a credential, those of the public one.
fn tenant(house: &House, parts: &Parts) -> Result<TenantId, A2aError> {
    let denied = match caller(house, parts) {
        Ok(caller) => return Ok(caller.tenant),
        Err(denied) => denied,
    };
    let (ErrorKind::Unauthenticated, Some(name)) = (denied.kind, &house.settings.public_tenant)
    else {
        return Err(denied);
    };
    house
        .engine
        .reader()
        .tenant_by_name(name)
        .map_err(failure::engine)?
        .map(|tenant| tenant.id)
        .ok_or(denied)
}

/// The address under which peers reach this server.
fn base(house: &House, parts: &Parts) -> Result<String, A2aError> {
    if let Some(base) = &house.settings.base_url {
        return Ok(base.trim_end_matches('/').to_owned());
    }
    let named = parts.headers.get(header::HOST);
    let named = named.and_then(|host| host.to_str().ok());
    let host = parts.uri.authority().map(Authority::as_str).or(named);
    match host.filter(|host| is_loopback(host)) {
        Some(host) => Ok(format!("http://{host}")),
        None => Err(absent(
            "this server does not know its own address; whoever runs it sets the public base url",
        )),
    }
}

/// Whether a Host is this machine's own loopback.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_machine_is_loopback() {
        for host in [
            "localhost",
            "localhost:4242",
            "127.0.0.1:1",
            "127.8.8.8",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org",
            "10.0.0.1:80",
            "[::2]:80",
            "",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
