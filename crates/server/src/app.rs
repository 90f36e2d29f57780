//! What every handler is given.

use std::sync::Arc;

use tertulia_acts::{allowance::Allowance, party::Party};
use tertulia_engine::Engine;

/// How the door is set up.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who may call.
    pub auth: Auth,
    /// The address under which callers reach this server, without a slash at its end; it stands in the OpenAPI document.
    pub public_url: Option<String>,
    /// The agent whose A2A card stands at the origin's well-known path.
    pub default_agent: Option<String>,
    /// The tenant, by name, whose A2A cards are read without a credential.
    pub public_cards: Option<String>,
    /// What definitions of remote agents may use.
    pub allowance: Allowance,
}

impl Settings {
    /// A door for `auth` that knows neither its address nor a default agent, shows no card without a credential, and lets
    /// remote agents have no token and no private address.
    pub fn new(auth: Auth) -> Self {
        Self {
            auth,
            public_url: None,
            default_agent: None,
            public_cards: None,
            allowance: Allowance::default(),
        }
    }
}

/// Who may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// Whoever has a key.
    Required,
    /// Also, from loopback and without a key, this principal (SEMANTICS 13).
    DevUser {
        /// Its tenant, by name.
        tenant: String,
        /// Who it is: `user:dev`.
        party: Party,
    },
}

/// What every handler is given. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) engine: Engine,
    pub(crate) settings: Arc<Settings>,
}
