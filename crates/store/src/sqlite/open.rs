//! Opening the database: the folder's lock, the file, and how connections are set up (facts of measurement stand
//! beside the settings they led to).

use std::{
    fs::{File, TryLockError},
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use tertulia_acts::limits::WRITER_QUEUE_BYTES;

use super::migrate;
use crate::StoreError;

/// The name of the database in its folder.
const FILE: &str = "tertulia.db";
/// The name of the file whose lock says that a process has the folder.
const LOCK: &str = "lock";
/// The name of the file by which it is tried whether there is room.
const ROOM: &str = "room";
/// "TERT": marks the file as ours.
const APPLICATION: i32 = 0x5445_5254;
/// Statements that a connection keeps prepared; more than there are.
const STATEMENTS: usize = 256;
/// How long a connection waits for another of this process.
const BUSY: Duration = Duration::from_secs(5);
/// The size of a page in bytes. Of 4 KiB a batch writes nearly twice as many, each by two system calls, and most rows
/// share a page with fewer others; of 16 KiB nothing is gained any more.
const PAGE: u32 = 8_192;
/// Pages of the log at which the writer moves them itself, should nobody else do it: 32 MB.
const AUTOCHECKPOINT: u32 = 4_000;

/// Where a database is.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// In a file.
    File(PathBuf),
    /// In memory, under a name of its own, as long as a connection is open.
    Memory(String),
}

impl Place {
    /// A new place in memory.
    pub(crate) fn memory() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let n = MADE.fetch_add(1, Ordering::Relaxed);
        Self::Memory(format!("file:/tertulia-{n}?vfs=memdb"))
    }

    fn connect(&self, flags: OpenFlags) -> Result<Connection, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = match self {
            Self::File(path) => Connection::open_with_flags(path, flags)?,
            Self::Memory(uri) => {
                Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
            }
        };
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        // A plan holds for every value bound to it: without this SQLite parses a statement again at each binding where a
        // partial index might fit the value (SQLITE_DBCONFIG_ENABLE_QPSG).
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        conn.busy_timeout(BUSY)?;
        Ok(conn)
    }

    /// The connection that writes. It makes the database where there is none, and migrates an older one.
    pub(crate) fn writer(&self) -> Result<Connection, StoreError> {
        let mut conn =
            self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        is_ours(&conn)?;
        // These two stand in the file and must come before its first table.
        conn.pragma_update(None, "page_size", PAGE)?;
        conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        let mode = match self {
            Self::File(_) => "wal",
            Self::Memory(_) => "memory",
        };
        conn.pragma_update_and_check(None, "journal_mode", mode, |row| {
            let got: String = row.get(0)?;
            if got == mode {
                Ok(())
            } else {
                Err(rusqlite::Error::InvalidQuery)
            }
        })?;
        // Durable when COMMIT returns: with NORMAL the last commits could be lost with the power.
        conn.pragma_update(None, "synchronous", "FULL")?;
        conn.pragma_update(None, "wal_autocheckpoint", AUTOCHECKPOINT)?;
        // Negative: in KiB. Nearly all that is written goes to the right edge of some tree. More would be slower: the
        // commit goes through the whole cache whenever a page of an index was divided.
        conn.pragma_update(None, "cache_size", -16 * 1024)?;
        conn.pragma_update(None, "temp_store", "MEMORY")?;
        // Rows are checked by the rules; a row here may outlive one that it names (retention).
        conn.pragma_update(None, "foreign_keys", false)?;
        migrate::migrate(&mut conn, migrate::ALL)?;
        if application(&conn)? != APPLICATION {
            conn.pragma_update(None, "application_id", APPLICATION)?;
        }
        Ok(conn)
    }

    /// A connection that reads.
    pub(crate) fn reader(&self) -> Result<Connection, StoreError> {
        let flags = match self {
            Self::File(_) => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Self::Memory(_) => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let conn = self.connect(flags)?;
        conn.pragma_update(None, "query_only", true)?;
        conn.pragma_update(None, "cache_size", -2 * 1024)?;
        conn.pragma_update(None, "temp_store", "MEMORY")?;
        Ok(conn)
    }

    /// A connection that moves pages from the log to the file.
    pub(crate) fn checkpointer(&self) -> Result<Connection, StoreError> {
        let conn = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        conn.pragma_update(None, "wal_autocheckpoint", 0)?;
        conn.pragma_update(None, "cache_size", -1024)?;
        Ok(conn)
    }
}

/// Makes the folder, where there is none, for its owner alone: every body lies in it. One that is there keeps the
/// permissions that it was given.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Refuses a folder whose database was lost: it would begin as a new house, and everybody's work would look absent.
/// That there was one stands in the lock file, which [`mark`] wrote.
pub(super) fn check(folder: &Path, mut lock: &File) -> Result<(), StoreError> {
    let failed =
        |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", folder.display()));
    let mut marked = String::new();
    lock.read_to_string(&mut marked).map_err(failed)?;
    let bytes = match std::fs::metadata(folder.join(FILE)) {
        Ok(file) => file.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(failed(error)),
    };
    if bytes == 0 && !marked.is_empty() {
        return Err(StoreError::Unavailable(format!(
            "{}: {FILE} is empty or gone, and there was one here; bring it back from a backup, or name another folder \
             (to begin anew in this one, remove its file `{LOCK}`)",
            folder.display()
        )));
    }
    Ok(())
}

/// Writes a file as large as a batch may be beside the database, and removes it: on a full disk a small change of the
/// database may still find a place in its log, and the next large one none.
pub(super) fn has_room(database: &Path) -> Result<(), StoreError> {
    let file = database.with_file_name(ROOM);
    let written = File::create(&file).and_then(|mut made| {
        made.write_all(&vec![0; WRITER_QUEUE_BYTES])?;
        made.sync_all()
    });
    let removed = std::fs::remove_file(&file);
    written.and(removed).map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Unavailable(format!("{}: {error}", file.display())),
    })
}

/// Writes down that the folder has a database.
pub(super) fn mark(folder: &Path, mut lock: &File) -> Result<(), StoreError> {
    let marked = lock.metadata().and_then(|file| {
        if file.len() > 0 {
            Ok(())
        } else {
            writeln!(lock, "{FILE}")
        }
    });
    marked.map_err(|error| StoreError::Unavailable(format!("{}: {error}", folder.display())))
}

/// Takes the folder for this process, and tells where the database in it is.
pub(crate) fn take(folder: &Path) -> Result<(File, Place), StoreError> {
    let failed =
        |error: std::io::Error| StoreError::Unavailable(format!("{}: {error}", folder.display()));
    make_private(folder).map_err(failed)?;
    let lock = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(folder.join(LOCK))
        .map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok((lock, Place::File(folder.join(FILE)))),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(folder.into())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn application(conn: &Connection) -> Result<i32, StoreError> {
    Ok(conn.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

/// Refuses a database that another program made.
fn is_ours(conn: &Connection) -> Result<(), StoreError> {
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application(conn)? == APPLICATION || tables == 0 || migrate::is_begun(conn)? {
        Ok(())
    } else {
        Err(StoreError::Corrupt(
            "the file was not made by this program".into(),
        ))
    }
}
