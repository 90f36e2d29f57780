//! Slots, and those that may be claimed.

use std::fmt::Write as _;

use rusqlite::{Connection, Row, ToSql};
use tertulia_acts::{
    digest::Digest,
    facts::{Facts, Need},
    ids::{ConversationId, HopId, TaskId, TenantId},
    slot::{Class, Head, Slot},
    time::Timestamp,
};

use super::{conversation, single, task};
use crate::{
    StoreError,
    sqlite::query::{all, digest, root},
};

const COLUMNS: &str =
    "root, conversation, agent, tenant, version, leased_root, leased, class, due, task_root, task";

/// The class of a stored rank.
fn class_of_rank(rank: u8) -> Result<Class, StoreError> {
    let found = Class::ALL.into_iter().find(|class| class.rank() == rank);
    found.ok_or_else(|| StoreError::Corrupt(format!("a slot of class {rank}")))
}

fn read(row: &Row<'_>) -> Result<Slot, StoreError> {
    let leased: Option<u32> = row.get(6)?;
    let leased = leased
        .map(|n| Ok::<_, StoreError>(HopId::new(root(row, 5)?, n)))
        .transpose()?;
    let class: Option<u8> = row.get(7)?;
    let head = class
        .map(|rank| {
            Ok::<_, StoreError>(Head {
                class: class_of_rank(rank)?,
                due: Timestamp(row.get(8)?),
                task: TaskId::new(root(row, 9)?, row.get(10)?),
            })
        })
        .transpose()?;
    Ok(Slot {
        conversation: ConversationId::new(root(row, 0)?, row.get(1)?),
        agent: row.get(2)?,
        tenant: TenantId(row.get(3)?),
        version: digest(row, 4)?,
        leased,
        head,
    })
}

pub(super) fn slot(
    conn: &Connection,
    agent: &str,
    conversation: ConversationId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query =
        format!("SELECT {COLUMNS} FROM slot WHERE root = ?1 AND conversation = ?2 AND agent = ?3");
    let need = Need::Slot(agent.to_owned(), conversation);
    let key = (agent.to_owned(), conversation);
    let params: &[&dyn ToSql] = &[conversation.root.as_bytes(), &conversation.n, &agent];
    single::<Slot>(conn, facts, need, &key, (&query, params), read)
}

/// Slots of an agent with a head and no lease: of each class the first by due, among some versions; with their tasks,
/// conversations and roots. If there are fewer than asked for, all are known.
pub(super) fn ready(conn: &Connection, need: &Need, facts: &mut Facts) -> Result<(), StoreError> {
    let Need::Ready {
        tenant,
        agent,
        versions,
        limit,
    } = need
    else {
        return Err(StoreError::Broken(format!(
            "not about ready slots: {need:?}"
        )));
    };
    let query = ready_query(versions.len());
    let mut partial = false;
    for class in Class::ALL {
        let rank = class.rank();
        let mut params: Vec<&dyn ToSql> = vec![&tenant.0, agent, &rank, limit];
        params.extend(versions.iter().map(|Digest(bytes)| bytes as &dyn ToSql));
        let slots = all(conn, &query, &params, read)?;
        partial |= u32::try_from(slots.len()).unwrap_or(u32::MAX) >= *limit;
        for slot in slots {
            if let Some(head) = slot.head {
                task::task_and_root(conn, head.task, facts)?;
            }
            conversation::conversation(conn, slot.conversation, facts)?;
            let known = Need::Slot(slot.agent.clone(), slot.conversation);
            facts.load(slot);
            facts.know(known);
        }
    }
    facts.know(Need::Ready {
        tenant: *tenant,
        agent: agent.clone(),
        versions: versions.clone(),
        limit: if partial { *limit } else { u32::MAX },
    });
    Ok(())
}

fn ready_query(versions: usize) -> String {
    let mut query = format!(
        "SELECT {COLUMNS} FROM slot WHERE tenant = ?1 AND agent = ?2 AND class = ?3 \
         AND leased IS NULL AND class IS NOT NULL"
    );
    for n in 0..versions {
        let before = if n == 0 { " AND version IN (" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(query, "{before}?{}", n + 5);
    }
    if versions > 0 {
        query.push(')');
    }
    query.push_str(" ORDER BY due LIMIT ?4");
    query
}
