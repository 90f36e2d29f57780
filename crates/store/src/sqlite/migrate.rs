//! Migrations: embedded, numbered, each with its digest kept in the database, each in a transaction of its own.

use rusqlite::Connection;
use tertulia_acts::digest::Digest;

use super::query::all;
use crate::StoreError;

/// A step from one version of the schema to the next. Once released it never changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    name: &'static str,
    sql: &'static str,
}

/// All of them, in their order; the first is number 1.
pub(super) const ALL: &[Migration] = &[
    Migration {
        name: "first",
        sql: include_str!("../../migrations/0001_first.sql"),
    },
    Migration {
        name: "late_artifacts",
        sql: include_str!("../../migrations/0002_late_artifacts.sql"),
    },
];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum BLOB NOT NULL,
    -- The version of the program that applied it.
    program TEXT NOT NULL
)";

/// Whether a migration was ever applied, or begun to be.
pub(super) fn is_begun(conn: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'";
    let tables: i64 = conn.query_row(sql, [], |row| row.get(0))?;
    Ok(tables == 1)
}

/// Brings the database to the last of `known`.
///
/// # Errors
/// It was made by a newer version or another build, or the storage fails.
pub(super) fn migrate(conn: &mut Connection, known: &[Migration]) -> Result<(), StoreError> {
    conn.execute_batch(TABLE)?;
    let applied = all(
        conn,
        "SELECT number, checksum FROM migration ORDER BY number",
        &[],
        |row| Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?)),
    )?;
    let newest = u32::try_from(known.len()).unwrap_or(u32::MAX);
    if let Some((found, _)) = applied.last()
        && *found > newest
    {
        return Err(StoreError::Newer {
            found: *found,
            known: newest,
        });
    }
    for (number, migration) in (1_u32..).zip(known) {
        let checksum = Digest::of(migration.sql.as_bytes());
        match applied.get(number as usize - 1) {
            Some((n, stored)) if *n == number && *stored == checksum.0 => {}
            Some(_) => return Err(StoreError::ChecksumMismatch { number }),
            None => apply(conn, number, migration, checksum)?,
        }
    }
    Ok(())
}

fn apply(
    conn: &mut Connection,
    number: u32,
    migration: &Migration,
    checksum: Digest,
) -> Result<(), StoreError> {
    let transaction = conn.transaction()?;
    transaction.execute_batch(migration.sql)?;
    transaction.execute(
        "INSERT INTO migration (number, name, checksum, program) VALUES (?1, ?2, ?3, ?4)",
        (
            number,
            migration.name,
            checksum.0,
            env!("CARGO_PKG_VERSION"),
        ),
    )?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Migration = Migration {
        name: "one",
        sql: "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);",
    };
    const TWO: Migration = Migration {
        name: "two",
        sql: "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 8;",
    };
    const TWO_BROKEN: Migration = Migration {
        name: "two",
        sql: "CREATE TABLE b (x INTEGER); SELECT nonsense;",
    };

    fn older() -> Connection {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn, &[ONE]).unwrap();
        conn
    }

    #[test]
    fn an_older_database_is_migrated_and_keeps_its_rows() {
        let mut conn = older();
        migrate(&mut conn, &[ONE, TWO]).unwrap();
        let row = conn.query_row("SELECT x, y FROM a", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        });
        assert_eq!(row, Ok((7, 8)));
        migrate(&mut conn, &[ONE, TWO]).unwrap();
    }

    #[test]
    fn a_newer_database_is_refused_with_a_sentence_that_helps() {
        let mut conn = older();
        migrate(&mut conn, &[ONE, TWO]).unwrap();
        let error = migrate(&mut conn, &[ONE]).unwrap_err();
        assert_eq!(error, StoreError::Newer { found: 2, known: 1 });
        assert!(
            error.to_string().contains("start the newer program"),
            "{error}"
        );
    }

    #[test]
    fn a_migration_that_is_not_the_one_applied_is_refused() {
        let mut conn = older();
        assert_eq!(
            migrate(&mut conn, &[TWO]),
            Err(StoreError::ChecksumMismatch { number: 1 })
        );
    }

    #[test]
    fn a_migration_that_fails_leaves_nothing_behind() {
        let mut conn = older();
        assert!(migrate(&mut conn, &[ONE, TWO_BROKEN]).is_err());
        let tables: i64 = conn
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE name = 'b'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(tables, 0);
        migrate(&mut conn, &[ONE, TWO]).unwrap();
    }

    #[test]
    fn the_numbers_of_the_files_are_their_places() {
        assert_eq!(ALL.len(), std::fs::read_dir("migrations").unwrap().count());
    }
}
