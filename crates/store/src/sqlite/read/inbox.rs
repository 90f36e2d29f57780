//! A principal's inbox: its own and nobody else's.

use tertulia_acts::{ask::Ask, limits::PAGE_BYTES, viewer::Viewer};

use super::{Reader, conversation::act_that_is};
use crate::{
    StoreError,
    read::{Entries, InboxRead},
    sqlite::{
        query::{all, doc, one},
        row::{entry_columns, read_entry},
    },
};

impl Reader {
    /// The entries of the viewer's inbox after a number, in order; fewer where they weigh more than a page may.
    pub fn inbox(&self, viewer: &Viewer, after: u32, limit: usize) -> Result<Entries, StoreError> {
        let (tenant, party) = (viewer.tenant.0, viewer.party.to_string());
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|conn| {
            let last = "SELECT last FROM inbox WHERE tenant = ?1 AND principal = ?2";
            let last = one(conn, last, &[&tenant, &party], |row| Ok(row.get(0)?))?;
            let query = concat!(
                "SELECT ",
                entry_columns!(),
                " FROM inbox_entry i
                    WHERE i.tenant = ?1 AND i.principal = ?2 AND i.n > ?3 ORDER BY i.n LIMIT ?4"
            );
            let found = all(conn, query, &[&tenant, &party, &after, &limit], read_entry)?;
            let (mut entries, mut bytes) = (Vec::with_capacity(found.len()), 0_usize);
            for entry in found {
                if bytes >= PAGE_BYTES {
                    break;
                }
                let act = act_that_is(conn, entry.act)?;
                let query = "SELECT doc FROM ask WHERE root = ?1 AND n = ?2";
                let ask = match entry.ask {
                    Some(id) => one(conn, query, &[id.root.as_bytes(), &id.n], |row| {
                        doc::<Ask>(row, 0)
                    })?,
                    None => None,
                };
                bytes += act.body.weight();
                entries.push(InboxRead { entry, act, ask });
            }
            Ok(Entries {
                entries,
                last: last.unwrap_or(0),
            })
        })
    }
}
