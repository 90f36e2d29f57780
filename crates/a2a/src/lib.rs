//! The A2A language of Tertulia: the Agent-to-Agent protocol, version 1.0.
//!
//! - [`wire`] holds the protocol's own types exactly as they travel in JSON. It knows nothing about the engine: no act,
//!   task or conversation of ours appears in it.
//! - [`map`] translates between the two, purely.
//! - [`server`] serves agents of the engine to peers, over JSON-RPC and HTTP+JSON.
//! - [`client`] reaches remote agents.

pub mod client;
pub mod map;
pub mod server;
pub mod wire;
