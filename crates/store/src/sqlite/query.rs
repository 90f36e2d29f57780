//! Queries and rows: the few lines between SQL and the types of `acts`.

use std::ops::ControlFlow;

use rusqlite::{Connection, Row, ToSql, types::ValueRef};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IntoDeserializer, value},
};
use tertulia_acts::{
    digest::Digest,
    ids::RootId,
    limits::PAGE_BYTES,
    party::Party,
    task::{Task, TaskMade, TaskNow},
    time::Timestamp,
};

use crate::StoreError;

/// All rows of a query.
pub(crate) fn all<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn ToSql],
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    each(conn, sql, params, |row| {
        found.push(read(row)?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The rows of a query until they weigh [`PAGE_BYTES`]; at least one, if there is one.
pub(crate) fn some<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn ToSql],
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    weight: impl Fn(&T) -> usize,
) -> Result<Vec<T>, StoreError> {
    let (mut found, mut bytes) = (Vec::new(), 0_usize);
    each(conn, sql, params, |row| {
        let one = read(row)?;
        bytes += weight(&one);
        found.push(one);
        Ok(if bytes < PAGE_BYTES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    Ok(found)
}

/// Goes through the rows of a query as long as `read` wants more.
pub(crate) fn each(
    conn: &Connection,
    sql: &str,
    params: &[&dyn ToSql],
    mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        if read(row)?.is_break() {
            break;
        }
    }
    drop(rows);
    #[cfg(test)]
    scans::note(sql, &statement);
    Ok(())
}

/// The first row of a query.
pub(crate) fn one<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn ToSql],
    read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let found = rows.next()?.map(read).transpose()?;
    drop(rows);
    #[cfg(test)]
    scans::note(sql, &statement);
    Ok(found)
}

/// The row in a column of JSON.
pub(crate) fn doc<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, StoreError> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|error| {
        let name = row.as_ref().column_name(column).unwrap_or("?").to_owned();
        StoreError::Corrupt(format!("column {name} does not read back: {error}"))
    })
}

/// A row as JSON.
pub(crate) fn json<T: Serialize>(row: &T) -> Result<String, StoreError> {
    serde_json::to_string(row).map_err(|error| StoreError::Broken(error.to_string()))
}

/// The task in the columns `made` and `now`, from `column` on.
pub(crate) fn task(row: &Row<'_>, column: usize) -> Result<Task, StoreError> {
    let made: TaskMade = doc(row, column)?;
    let now: TaskNow = doc(row, column + 1)?;
    Ok(Task {
        made: made.into(),
        now,
    })
}

/// The root in a column.
pub(crate) fn root(row: &Row<'_>, column: usize) -> Result<RootId, StoreError> {
    Ok(RootId::from_bytes(row.get(column)?))
}

/// The digest in a column.
pub(crate) fn digest(row: &Row<'_>, column: usize) -> Result<Digest, StoreError> {
    Ok(Digest(row.get(column)?))
}

/// The instant in a column.
pub(crate) fn time(row: &Row<'_>, column: usize) -> Result<Timestamp, StoreError> {
    Ok(Timestamp(row.get(column)?))
}

/// The party in a column.
pub(crate) fn party(row: &Row<'_>, column: usize) -> Result<Party, StoreError> {
    let text = row.get_ref(column)?.as_str()?;
    Party::deserialize(text.into_deserializer())
        .map_err(|error: value::Error| StoreError::Corrupt(error.to_string()))
}

/// What `read` reads from a column on, if there is anything in it.
pub(crate) fn maybe<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&Row<'_>, usize) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        _ => read(row, column).map(Some),
    }
}

/// How an agent is written where parties are.
pub(crate) fn agent(name: &str) -> String {
    format!("agent:{name}")
}

/// Notes which queries go through a whole table, and checks that only those do that mean to.
#[cfg(test)]
mod scans {
    use std::{cell::RefCell, collections::BTreeSet};

    use rusqlite::{Statement, StatementStatus};

    use crate::{Reader, Sqlite, Store, StoreError, conformance};

    thread_local! {
        static SCANNED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub(super) fn note(sql: &str, statement: &Statement<'_>) {
        if statement.get_status(StatementStatus::FullscanStep) > 0 {
            SCANNED.with_borrow_mut(|scanned| scanned.insert(sql.to_owned()));
        }
    }

    struct Bench(Sqlite);

    impl conformance::Bench for Bench {
        fn store(&mut self) -> &mut dyn Store {
            &mut self.0
        }
        fn reader(&self) -> Result<Reader, StoreError> {
            self.0.reader()
        }
        fn reopen(&mut self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    #[test]
    fn no_query_goes_through_a_whole_table_unless_it_means_to() {
        for case in conformance::CASES {
            conformance::run(case.name, &mut Bench(Sqlite::memory().unwrap()));
        }
        SCANNED.with_borrow(|scanned| {
            let meant = [
                "FROM migration",
                "FROM meta",
                "GROUP BY tenant, debtor",
                "SELECT count(*) FROM task",
            ];
            let astray = |sql: &&String| !meant.iter().any(|meant| sql.contains(meant));
            let astray: Vec<_> = scanned.iter().filter(astray).collect();
            assert!(astray.is_empty(), "{astray:#?}");
        });
    }
}
