//! Prompts: what was said, as the engine renders it for a model. `framing::render` is the only way (DESIGN 3; I3).

use tertulia_acts::{
    body::Body,
    envelope::Act,
    framing::{Speaker, Untrusted, render},
    party::Party,
    reason::Reason,
};

/// An act as it goes into a prompt, one text for each of its parts.
pub(crate) fn prompt(act: &Act) -> Vec<String> {
    rendered(&Speaker::from(&act.envelope), act.body.clone())
}

/// The engine's refuse of what was asked on behalf of `on_behalf_of`, where it was not stored.
pub(crate) fn refusal(on_behalf_of: Party, reason: Reason) -> Vec<String> {
    rendered(&Speaker::refusing(on_behalf_of, reason), Body::default())
}

fn rendered(speaker: &Speaker, body: Body) -> Vec<String> {
    let parts = render(speaker, &Untrusted::new(body));
    parts.iter().map(|part| part.text().to_owned()).collect()
}
