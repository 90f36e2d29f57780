//! What can go wrong with storage, and what to do about it.

use std::path::PathBuf;

use rusqlite::ffi::{self, ErrorCode};

/// Why the store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No room. Nothing of the batch is stored; service resumes by itself (503 `storage-full`).
    #[error(
        "the disk is full: make room on the volume of the data folder, nothing has to be restarted"
    )]
    Full,
    /// Read, write or connection failed. Nothing of the batch is stored (503 `storage-unavailable`).
    #[error(
        "the storage is unavailable: {0}; check the volume of the data folder and who may write to it"
    )]
    Unavailable(String),
    /// Whether the last commit is on disk is not known. Fatal: the program ends and answers nothing more (SEMANTICS 14).
    #[error("the disk did not confirm a write: {0}; check the disk before the next start")]
    Fsync(String),
    /// The database was made by a newer version of this program.
    #[error(
        "the database is at version {found} and this program knows versions up to {known}: start the newer program, \
         or restore the backup that was made before it"
    )]
    Newer {
        /// The version of the database.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// A migration that was applied is not the one that is known under its number.
    #[error(
        "migration {number} of the database is not the one of this program: the database was made by another build; \
         start that build, or restore a backup"
    )]
    ChecksumMismatch {
        /// Its number.
        number: u32,
    },
    /// Another process has the data folder.
    #[error("the data folder {} is in use by another process: stop it, or name another folder", .0.display())]
    InUse(PathBuf),
    /// A rule of the schema was about to be broken: the batch is rolled back and its commands are run singly
    /// (SEMANTICS 14).
    #[error("a write contradicts what is stored: {0}; please report this")]
    Constraint(String),
    /// An error of ours: handled as a constraint.
    #[error("the store was asked for something impossible: {0}; please report this")]
    Broken(String),
    /// The file is damaged, or is not ours.
    #[error("the database cannot be read: {0}; restore a backup, or name another folder")]
    Corrupt(String),
}

impl StoreError {
    /// Whether one command of the batch is to blame, so that they are run again singly and the culprit gets 500; else
    /// it is the storage, and the whole batch gets 503 (SEMANTICS 14).
    #[must_use]
    pub const fn blames_command(&self) -> bool {
        matches!(self, Self::Constraint(_) | Self::Broken(_))
    }

    /// Whether the program must end and answer nothing more.
    #[must_use]
    pub const fn is_fatal(&self) -> bool {
        matches!(self, Self::Fsync(_))
    }

    fn of_sqlite(error: ffi::Error, message: Option<String>) -> Self {
        let text = message.unwrap_or_else(|| error.to_string());
        match error.code {
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::ConstraintViolation | ErrorCode::TooBig => Self::Constraint(text),
            ErrorCode::SystemIoFailure => match error.extended_code {
                ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC => Self::Fsync(text),
                _ => Self::Unavailable(text),
            },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt(text),
            ErrorCode::PermissionDenied
            | ErrorCode::OperationAborted
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory
            | ErrorCode::ReadOnly
            | ErrorCode::OperationInterrupted
            | ErrorCode::CannotOpen
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::NoLargeFileSupport => Self::Unavailable(text),
            _ => Self::Broken(text),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            rusqlite::Error::SqliteFailure(error, message) => Self::of_sqlite(error, message),
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => Self::Corrupt(error.to_string()),
            other => Self::Broken(other.to_string()),
        }
    }
}

impl From<rusqlite::types::FromSqlError> for StoreError {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Corrupt(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(extended: i32) -> StoreError {
        rusqlite::Error::SqliteFailure(ffi::Error::new(extended), None).into()
    }

    #[test]
    fn the_storage_the_command_and_the_fatal_are_told_apart() {
        assert_eq!(of(ffi::SQLITE_FULL), StoreError::Full);
        assert!(of(ffi::SQLITE_IOERR_FSYNC).is_fatal());
        assert!(matches!(
            of(ffi::SQLITE_IOERR_WRITE),
            StoreError::Unavailable(_)
        ));
        assert!(matches!(
            of(ffi::SQLITE_READONLY),
            StoreError::Unavailable(_)
        ));
        assert!(matches!(of(ffi::SQLITE_CORRUPT), StoreError::Corrupt(_)));
        assert!(of(ffi::SQLITE_CONSTRAINT_UNIQUE).blames_command());
        assert!(of(ffi::SQLITE_ERROR).blames_command());
        for storage in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_READ, ffi::SQLITE_BUSY] {
            assert!(!of(storage).blames_command() && !of(storage).is_fatal());
        }
    }
}
