//! Prompts: what was said, as the engine renders it for a model. `framing::render` is the only way (DESIGN 3; I3).

use tertulia_acts::{
    envelope::Act,
    framing::{Speaker, Untrusted, render},
};

/// An act as it goes into a prompt, one text for each of its parts.
pub(crate) fn prompt(act: &Act) -> Vec<String> {
    let parts = render(
        &Speaker::from(&act.envelope),
        &Untrusted::new(act.body.clone()),
    );
    parts.iter().map(|part| part.text().to_owned()).collect()
}
