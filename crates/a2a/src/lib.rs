//! The A2A language of Tertulia: the Agent-to-Agent protocol, version 1.0.
//!
//! [`wire`] holds the protocol's own types exactly as they travel in JSON. It knows nothing
//! about the engine: no act, task or conversation of ours appears in it.

pub mod wire;
