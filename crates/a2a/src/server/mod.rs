//! A2A as a server: each agent of the house at `/a2a/{agent}`, over JSON-RPC and HTTP+JSON.
//!
//! ```text
//! POST /a2a/{agent}                                JSON-RPC, also with a slash at its end
//! …    /a2a/{agent}/message:send and the like      HTTP+JSON, also below /a2a/{agent}/{tenant}/
//! GET  /a2a/{agent}/.well-known/agent-card.json    the agent's card
//! GET  /.well-known/agent-card.json                the card of the default agent
//! ```
//!
//! A decision of governance is a task in state REJECTED or FAILED, or a message that carries the refuse where there is
//! no task: never an error of the protocol (DESIGN 1; I1). What is foreign looks absent (I15).
//!
//! **Invariant**: nothing here decides who the caller is; that does the [`Authenticator`].

mod auth;
mod call;
mod cancel;
mod card;
mod failure;
mod joining;
mod list;
mod operation;
mod path;
mod present;
mod reply;
mod send;
mod stream;
mod wait;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{Router, routing::any};
use tertulia_acts::{
    ids::TenantId,
    limits::{
        BATCH_ITEMS, DATA_DEPTH, DEFINITION_BYTES, DESCRIPTION_BYTES, KEY_BYTES, PART_BYTES, PARTS,
        REQUEST_BYTES,
    },
};
use tertulia_engine::{Engine, EngineError};

pub use self::auth::{Authenticator, Denied};
use crate::wire::Limits;

/// Sizes that a peer's call may have.
const LIMITS: Limits = Limits {
    body_bytes: REQUEST_BYTES,
    id_bytes: KEY_BYTES,
    text_bytes: DESCRIPTION_BYTES,
    parts: PARTS,
    part_bytes: PART_BYTES,
    list_items: BATCH_ITEMS,
    metadata_bytes: DEFINITION_BYTES,
    data_depth: DATA_DEPTH,
};

/// How agents are served.
#[derive(Clone)]
pub struct Settings {
    /// Who tells for whom a call speaks.
    pub authenticator: Arc<dyn Authenticator>,
    /// The address under which peers reach this server, such as `https://agents.example.org`, without a slash at its
    /// end. Unset, cards name the Host of the request, and only a loopback one.
    pub base_url: Option<String>,
    /// The agent whose card stands at the origin's well-known path.
    pub default_agent: Option<String>,
    /// The tenant whose cards are read without a credential; with one, a caller reads those of its own tenant.
    pub public_tenant: Option<String>,
    /// How long a blocking `SendMessage` waits, at most; then it returns the task as it stands.
    pub longest_wait: Duration,
}

/// What the handlers share.
struct House {
    engine: Engine,
    settings: Settings,
    /// Agents that were seen in the catalogue. They can retire and never vanish, so what is here stays true.
    known: Mutex<HashSet<(TenantId, String)>>,
}

impl House {
    /// Whether there is, or was, an agent of this name.
    fn knows(&self, tenant: TenantId, name: &str) -> Result<bool, EngineError> {
        let key = (tenant, name.to_owned());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&key) {
            return Ok(true);
        }
        let found = self.engine.reader().agent(tenant, name)?.is_some();
        if found {
            known().insert(key);
        }
        Ok(found)
    }
}

/// The routes, to be merged into the server's. They read the peer's address from axum's `ConnectInfo<SocketAddr>`,
/// where there is one.
pub fn router(engine: Engine, settings: Settings) -> Router {
    let house = Arc::new(House {
        engine,
        settings,
        known: Mutex::default(),
    });
    Router::new()
        .route("/.well-known/agent-card.json", any(card::at_origin))
        .route("/a2a/{agent}", any(operation::handle))
        .route("/a2a/{agent}/", any(operation::handle))
        .route("/a2a/{agent}/{*rest}", any(operation::handle))
        .with_state(house)
}
