//! Ids, parties, digests, tokens, reason codes, performatives: what is read is written as it was, and errors stay short.

use std::{fmt::Display, str::FromStr};

use tertulia_acts::{
    digest::{Digest, HopToken},
    ids::{ActId, AskId, ConversationId, GroupId, HopId, RootId, TaskId},
    party::Party,
    performative::Performative,
    reason::Reason,
};

fn one<T>(text: &str)
where
    T: FromStr + Display,
    T::Err: Display,
{
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string(), text, "one thing has two spellings"),
        Err(error) => assert!(error.to_string().len() < 1_000, "an error without an end"),
    }
}

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    one::<RootId>(text);
    one::<TaskId>(text);
    one::<HopId>(text);
    one::<ConversationId>(text);
    one::<AskId>(text);
    one::<GroupId>(text);
    one::<ActId>(text);
    one::<Party>(text);
    one::<Reason>(text);
    one::<Performative>(text);
    if let Ok(digest) = text.parse::<Digest>() {
        assert_eq!(digest.to_string().to_lowercase(), text.to_lowercase());
    }
    if let Ok(token) = text.parse::<HopToken>() {
        assert_eq!(token.reveal(), text.to_lowercase());
    }
}
