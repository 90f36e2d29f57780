//! The definitions of agents: put, retired, read.

use axum::{
    Json,
    extract::{Request, State},
};
use tertulia_acts::{
    agent::Version,
    command::{Command, Configure},
    digest::Digest,
    ids::TenantId,
};
use tertulia_engine::catalog::{CatalogError, parse_definition, parse_definition_json};

use super::{Answered, agents::absent, outcome};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Named, bytes, media_type, unsupported},
    problem::{Code, Problem},
    view::{
        agent::{RegisteredView, VersionView},
        instant::Instant,
    },
};

/// Digits of a digest.
const DIGITS: usize = 64;
/// Digits that a digest may be shortened to.
const DIGITS_LEAST: usize = 4;

/// Puts the definition of an agent: as JSON, or as its Markdown file. A new version, if it differs.
#[utoipa::path(
    put, path = "/v1/agents/{name}", tag = "agents",
    params(("name" = String, Path)),
    request_body(content(
        (serde_json::Value = "application/json"),
        (String = "text/markdown"),
    )),
    responses((status = 200, description = "The version that is current now", body = RegisteredView)),
)]
pub(crate) async fn put(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(name): Named<String>,
    request: Request,
) -> Answered<RegisteredView> {
    let kind = media_type(request.headers());
    let bytes = bytes(request).await?;
    let definition = match kind.as_deref() {
        Some("application/json") => parse_definition_json(&bytes),
        Some("text/markdown") => {
            let text =
                std::str::from_utf8(&bytes).map_err(|error| Problem::malformed("", error))?;
            parse_definition(text)
        }
        other => return Err(unsupported(other, "application/json and text/markdown")),
    };
    let definition = definition.map_err(|error| wrong(&error))?;
    if definition.name != name {
        let what = format!(
            "the definition is of `{}`; put it at the address of that name",
            definition.name
        );
        return Err(Problem::malformed("name", what));
    }
    let allowed = app.settings.allowance.judge(&definition);
    allowed.map_err(|error| Problem::malformed(error.field, error.what))?;
    let version = definition.digest();
    let configure = Configure::Agent {
        tenant: caller.tenant,
        definition: std::sync::Arc::new(definition),
    };
    let (_, replayed) =
        outcome(&app, Command::Configure(Some(caller), Box::new(configure))).await?;
    Ok(Json(RegisteredView {
        name,
        version,
        changed: !replayed,
    }))
}

fn wrong(error: &CatalogError) -> Problem {
    match error {
        CatalogError::TooLarge { .. } => Problem::new(Code::TooLarge, error.to_string()),
        _ => Problem::malformed("", error),
    }
}

/// Takes an agent out of the catalogue. Conversations that it is pinned in go on.
#[utoipa::path(
    delete, path = "/v1/agents/{name}", tag = "agents",
    params(("name" = String, Path)),
    responses((status = 200, description = "The version that was current", body = RegisteredView)),
)]
pub(crate) async fn retire(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(name): Named<String>,
) -> Answered<RegisteredView> {
    let read = app
        .engine
        .reader()
        .agent(caller.tenant, &name)?
        .ok_or_else(|| absent(&name))?;
    let configure = Configure::RetireAgent {
        tenant: caller.tenant,
        name: name.clone(),
    };
    let (_, replayed) =
        outcome(&app, Command::Configure(Some(caller), Box::new(configure))).await?;
    Ok(Json(RegisteredView {
        name,
        version: read.agent.current,
        changed: !replayed,
    }))
}

/// A version of an agent: its whole definition. The digest may be shortened to its first digits, as long as it is the
/// only version that begins so.
#[utoipa::path(
    get, path = "/v1/agents/{name}/versions/{digest}", tag = "agents",
    params(("name" = String, Path), ("digest" = String, Path)),
    responses((status = 200, description = "The version", body = VersionView)),
)]
pub(crate) async fn version(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named((name, digest)): Named<(String, String)>,
) -> Answered<VersionView> {
    let version = find(&app, caller.tenant, &name, &digest)?;
    Ok(Json(VersionView {
        agent: version.agent,
        digest: version.digest,
        created_at: Instant(version.made),
        definition: version.definition,
    }))
}

/// The version that a digest names, whole or by its beginning.
fn find(app: &App, tenant: TenantId, name: &str, digest: &str) -> Result<Version, Problem> {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !hex || !(DIGITS_LEAST..=DIGITS).contains(&digits.len()) {
        let what = format!(
            "expected the digest of a version, or at least {DIGITS_LEAST} of its first hex digits"
        );
        return Err(Problem::malformed("digest", what));
    }
    let digits = digits.to_ascii_lowercase();
    let reader = app.engine.reader();
    let mut found = if digits.len() == DIGITS {
        let digest: Digest = format!("sha256:{digits}")
            .parse()
            .map_err(Problem::internal)?;
        reader.version(tenant, name, digest)?.into_iter().collect()
    } else {
        let mut all = reader.versions(tenant, name)?;
        all.retain(|version| hex::encode(version.digest.0).starts_with(&digits));
        all
    };
    match (found.pop(), found.is_empty()) {
        (Some(version), true) => Ok(version),
        (Some(_), false) => {
            let what = format!("several versions of agent:{name} begin so; give more digits");
            Err(Problem::malformed("digest", what))
        }
        (None, _) => {
            // Whether the agent or the version is not there is told by what is named.
            reader.agent(tenant, name)?.ok_or_else(|| absent(name))?;
            Err(Problem::not_found(format_args!(
                "version {digits} of agent:{name}"
            )))
        }
    }
}
