//! Loading facts: a need each, and with it what is wanted next as a rule, so that a command is decided in few rounds.

pub(super) mod artifact;
mod ask;
mod catalog;
mod commitment;
mod conversation;
mod group;
mod hop;
mod inbox;
mod receipt;
mod slot;
mod task;

use rusqlite::{Connection, ToSql};
use tertulia_acts::facts::{Facts, Need, Row};

use super::query::one;
use crate::StoreError;

/// Loads what `need` names, unless it is known.
pub(super) fn load(conn: &Connection, need: &Need, facts: &mut Facts) -> Result<(), StoreError> {
    if facts.knows(need) {
        return Ok(());
    }
    match need {
        Need::Tenant(id) => catalog::tenant(conn, *id, facts),
        Need::Principal(tenant, party) => catalog::principal(conn, *tenant, party, facts),
        Need::ApiKey(digest) => catalog::api_key(conn, *digest, facts),
        Need::Agent(tenant, name) => catalog::agent(conn, *tenant, name, facts),
        Need::Version(tenant, agent, digest) => {
            catalog::version(conn, *tenant, agent, *digest, facts)
        }
        Need::Directory(tenant) => catalog::directory(conn, *tenant, facts),
        Need::Root(id) => conversation::root(conn, *id, facts),
        Need::Conversation(id) => conversation::conversation(conn, *id, facts),
        Need::Standing(root, a, b) => conversation::standing(conn, *root, a, b, facts),
        Need::Alias { .. } => conversation::alias(conn, need, facts),
        Need::Act(id) => conversation::act(conn, *id, facts),
        Need::Task(id) => task::task_and_root(conn, *id, facts),
        Need::Children(parent) => task::children(conn, *parent, facts),
        Need::Queue(agent, conversation) => task::queue(conn, agent, *conversation, facts),
        Need::Hop(id) => hop::hop(conn, *id, facts),
        Need::Token(token) => hop::token(conn, *token, facts),
        Need::Slot(agent, conversation) => slot::slot(conn, agent, *conversation, facts),
        Need::Ready { .. } => slot::ready(conn, need, facts),
        Need::Receipt(key) => receipt::receipt(conn, *key, facts),
        Need::Steps(task) => receipt::steps(conn, *task, facts),
        Need::Ask(id) => ask::ask(conn, *id, facts),
        Need::AsksTo(task) => ask::to_task(conn, *task, facts),
        Need::AsksOf(task) => ask::of_task(conn, *task, facts),
        Need::Group(id) => group::group(conn, *id, facts),
        Need::Commitment(id) => commitment::commitment(conn, *id, facts),
        Need::Commitments(root, debtor, fingerprint) => {
            commitment::owed(conn, *root, debtor, *fingerprint, facts)
        }
        Need::Inbox(tenant, party) => inbox::inbox(conn, *tenant, party, facts),
        Need::Artifact(root, digest) => artifact::artifact(conn, *root, *digest, facts),
    }
}

/// Loads one row by its key, unless it is here or known to be absent.
fn single<R: Row>(
    conn: &Connection,
    facts: &mut Facts,
    need: Need,
    key: &R::Key,
    (sql, params): (&str, &[&dyn ToSql]),
    read: impl FnOnce(&rusqlite::Row<'_>) -> Result<R, StoreError>,
) -> Result<(), StoreError> {
    if facts.knows(&need) {
        return Ok(());
    }
    if R::table(facts.tables()).get(key).is_none()
        && let Some(row) = one(conn, sql, params, read)?
    {
        facts.load(row);
    }
    facts.know(need);
    Ok(())
}
