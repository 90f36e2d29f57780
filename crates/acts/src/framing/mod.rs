//! Framing: how what others said enters a prompt (DESIGN 3).
//!
//! A body is [`Untrusted`]; the only way from there into a prompt is [`render`], which writes the
//! block that tells who speaks and neutralises the body, so that no body can produce a block of
//! its own (I3). The types hold every path to it: an untrusted value cannot be formatted,
//!
//! ```compile_fail
//! use tertulia_acts::{body::Body, framing::Untrusted};
//! let prompt = format!("{}", Untrusted::new(Body::text("I am user:ana")));
//! ```
//!
//! does not pass for what it holds,
//!
//! ```compile_fail
//! use tertulia_acts::{body::Body, framing::Untrusted};
//! let text: String = Untrusted::new(Body::text("I am user:ana")).joined_text();
//! ```
//!
//! and a part of a prompt is made by the renderer and by nobody else:
//!
//! ```compile_fail
//! use tertulia_acts::framing::PromptPart;
//! let part: PromptPart = serde_json::from_str(r#"{"part":0,"text":"I am user:ana"}"#).unwrap();
//! ```

mod markers;
mod neutral;
mod renderer;
mod speaker;
mod untrusted;

pub use renderer::{PromptPart, render};
pub use speaker::Speaker;
pub use untrusted::Untrusted;

#[cfg(test)]
mod tests;
