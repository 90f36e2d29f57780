//! The headers that calls of workers and repeats bring.

use axum::extract::FromRequestParts;
use http::{HeaderMap, request::Parts};
use tertulia_acts::{digest::HopToken, ids::AskId, limits::STEPS_PER_TASK};

use crate::{problem::Problem, wire::line};

/// The key that makes a call safe to repeat; under a hop token the step's name.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The lease that a worker works under.
pub(crate) const HOP_TOKEN: &str = "hop-token";
/// The ask in whose handling a step is made.
pub(crate) const HANDLING: &str = "handling";
/// The recorded steps that the run has come to, by ordinal.
pub(crate) const STEPS_READ: &str = "steps-read";

/// `Idempotency-Key`, if it is there.
#[derive(Debug)]
pub(crate) struct Key(pub(crate) Option<String>);

/// `Hop-Token`, if it is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token(pub(crate) Option<HopToken>);

/// What comes with a step.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) name: Option<String>,
    pub(crate) handling: Option<AskId>,
    pub(crate) read: Vec<u32>,
}

/// The text of a header that may be there once; several that agree are one.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Problem> {
    let mut found = None;
    for value in headers.get_all(name) {
        let value = value
            .to_str()
            .map_err(|_| Problem::malformed(name, "the header is no text"))?;
        if found.is_some_and(|other| other != value) {
            return Err(Problem::malformed(
                name,
                "the header is there twice and differs",
            ));
        }
        found = Some(value);
    }
    Ok(found)
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let key = text(headers, IDEMPOTENCY_KEY)?;
    key.map(|key| line(IDEMPOTENCY_KEY, key).map(|()| key.to_owned()))
        .transpose()
}

fn token(headers: &HeaderMap) -> Result<Option<HopToken>, Problem> {
    let token = text(headers, HOP_TOKEN)?;
    token
        .map(|token| {
            token
                .parse()
                .map_err(|error| Problem::malformed(HOP_TOKEN, error))
        })
        .transpose()
}

fn ordinals(list: &str) -> Result<Vec<u32>, Problem> {
    let items = list
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    let read: Vec<u32> = items
        .map(|item| {
            let wrong = |_| Problem::malformed(STEPS_READ, "expected ordinals separated by commas");
            item.parse().map_err(wrong)
        })
        .collect::<Result<_, _>>()?;
    if read.len() > STEPS_PER_TASK as usize {
        let what = format!("at most {STEPS_PER_TASK} ordinals are taken");
        return Err(Problem::malformed(STEPS_READ, what));
    }
    Ok(read)
}

impl<S: Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        key(&parts.headers).map(Self)
    }
}

impl<S: Sync> FromRequestParts<S> for Token {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        token(&parts.headers).map(Self)
    }
}

impl<S: Sync> FromRequestParts<S> for Step {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let headers = &parts.headers;
        let handling = text(headers, HANDLING)?
            .map(|ask| {
                ask.parse()
                    .map_err(|error| Problem::malformed(HANDLING, error))
            })
            .transpose()?;
        let read = text(headers, STEPS_READ)?
            .map(ordinals)
            .transpose()?
            .unwrap_or_default();
        Ok(Self {
            name: key(headers)?,
            handling,
            read,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_a_list_of_numbers() {
        assert_eq!(ordinals("1, 2,3").unwrap(), [1, 2, 3]);
        assert!(ordinals("").unwrap().is_empty());
        assert!(ordinals("1;2").is_err());
        assert!(ordinals(&"1,".repeat(STEPS_PER_TASK as usize + 1)).is_err());
    }

    #[test]
    fn a_header_that_is_there_twice_must_agree() {
        let mut headers = HeaderMap::new();
        headers.append(IDEMPOTENCY_KEY, "k".parse().unwrap());
        headers.append(IDEMPOTENCY_KEY, "k".parse().unwrap());
        assert_eq!(key(&headers).unwrap().as_deref(), Some("k"));
        headers.append(IDEMPOTENCY_KEY, "l".parse().unwrap());
        assert!(key(&headers).is_err());
    }
}
