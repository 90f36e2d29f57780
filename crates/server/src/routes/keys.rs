//! Keys. One is shown once, and stored as its digest (SEMANTICS 13).

use axum::{Json, extract::State};
use serde::Serialize;
use tertulia_acts::{
    command::{Command, Configure},
    digest::Digest,
    party::Party,
    tenant::ApiKey,
};
use utoipa::ToSchema;

use super::{Answered, outcome};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Given, Named},
    sight::Sight,
    view::instant::Instant,
    wire::key::KeyIn,
};

/// A key that was made.
#[derive(Serialize, ToSchema)]
#[schema(as = MadeKey)]
pub(crate) struct MadeKeyView {
    /// The key. It is shown this once.
    key: String,
    /// What it is revoked by.
    #[schema(value_type = String)]
    id: Digest,
    /// For whom it speaks.
    #[schema(value_type = String)]
    party: Party,
    /// What people call it.
    label: String,
}

/// A key, without what it is proved by.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Key)]
pub(crate) struct KeyView {
    /// What it is revoked by.
    #[schema(value_type = String)]
    id: Digest,
    /// For whom it speaks.
    #[schema(value_type = String)]
    party: Party,
    /// What people call it.
    label: String,
    /// When it was made.
    created_at: Instant,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Instant>,
}

impl From<ApiKey> for KeyView {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.digest,
            party: key.party,
            label: key.label,
            created_at: Instant(key.made),
            revoked_at: key.revoked.map(Instant),
        }
    }
}

/// The keys that the caller may see.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Keys)]
pub(crate) struct KeysView {
    keys: Vec<KeyView>,
}

/// What revoking a key came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Revoked)]
pub(crate) struct RevokedView {
    /// The key.
    #[schema(value_type = String)]
    id: Digest,
    /// Whether it was valid until now.
    changed: bool,
}

/// Makes a key for the caller or an agent that it owns; an administrator also for any other principal.
#[utoipa::path(
    post, path = "/v1/keys", tag = "agents",
    request_body = KeyIn,
    responses((status = 200, description = "The key, shown once", body = MadeKeyView)),
)]
pub(crate) async fn make(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Given(given): Given<KeyIn>,
) -> Answered<MadeKeyView> {
    let (party, label) = given.checked()?;
    let key = format!("tertulia_{}", hex::encode(rand::random::<[u8; 32]>()));
    let digest = Digest::of(key.as_bytes());
    let configure = Configure::Key {
        tenant: caller.tenant,
        party: party.clone(),
        digest,
        label: label.clone(),
    };
    outcome(&app, Command::Configure(Some(caller), Box::new(configure))).await?;
    Ok(Json(MadeKeyView {
        key,
        id: digest,
        party,
        label,
    }))
}

/// The keys of the caller and of the agents that it owns, and for an administrator those of all principals; revoked ones
/// too.
#[utoipa::path(
    get, path = "/v1/keys", tag = "agents",
    responses((status = 200, description = "The keys", body = KeysView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
) -> Answered<KeysView> {
    let sight = Sight::of(&app.engine, &caller);
    let keys = app.engine.reader().keys(&sight.viewer)?;
    Ok(Json(KeysView {
        keys: keys.into_iter().map(KeyView::from).collect(),
    }))
}

/// Revokes a key: it speaks for nobody from now on.
#[utoipa::path(
    delete, path = "/v1/keys/{id}", tag = "agents",
    params(("id" = String, Path)),
    responses((status = 200, description = "Whether that changed anything", body = RevokedView)),
)]
pub(crate) async fn revoke(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(id): Named<Digest>,
) -> Answered<RevokedView> {
    let configure = Configure::RevokeKey {
        tenant: caller.tenant,
        digest: id,
    };
    let command = Command::Configure(Some(caller), Box::new(configure));
    let (_, replayed) = outcome(&app, command).await?;
    Ok(Json(RevokedView {
        id,
        changed: !replayed,
    }))
}
