//! The store over SQLite: the conformance suite on a file and in memory, and what only a file can do.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::path::Path;

use tempfile::TempDir;
use tertulia_store::{Reader, Sqlite, Store, StoreError, conformance::Bench};

/// A database in a folder that vanishes.
struct InFile {
    folder: TempDir,
    store: Option<Sqlite>,
}

impl InFile {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Some(Sqlite::open(folder.path()).unwrap());
        Self { folder, store }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn sqlite(&mut self) -> &mut Sqlite {
        self.store.as_mut().unwrap()
    }
}

impl Bench for InFile {
    fn store(&mut self) -> &mut dyn Store {
        self.sqlite()
    }

    fn reader(&self) -> Result<Reader, StoreError> {
        self.store.as_ref().unwrap().reader()
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        // The lock is given back first.
        self.store = None;
        self.store = Some(Sqlite::open(self.path())?);
        Ok(())
    }
}

/// A database in memory, which does not outlive its store.
struct InMemory(Sqlite);

impl Bench for InMemory {
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

mod on_file {
    use super::InFile;

    tertulia_store::conforms!(InFile::new());
}

mod in_memory {
    use super::{InMemory, Sqlite};

    tertulia_store::conforms!(InMemory(Sqlite::memory().unwrap()));
}

mod file {
    use tertulia_acts::{
        facts::{Change, Facts, Need},
        ids::TenantId,
        tenant::Tenant,
        time::Timestamp,
    };

    use super::*;

    fn tenant(n: u32, name_bytes: usize) -> Change {
        let name = format!("{n}-{}", "x".repeat(name_bytes));
        Change::Tenant(Tenant {
            id: TenantId(n),
            name,
            epoch: 0,
        })
    }

    fn write(store: &mut Sqlite, changes: Vec<Change>) -> Result<(), StoreError> {
        let mut facts = Facts::default();
        store.begin()?;
        facts.apply(changes);
        store.commit(&facts, Timestamp(1))
    }

    fn has(store: &mut Sqlite, n: u32) -> bool {
        let mut facts = Facts::default();
        store
            .load(&[Need::Tenant(TenantId(n))], &mut facts)
            .unwrap();
        !facts.tables().tenants.is_empty()
    }

    #[test]
    fn room_is_tried_with_a_file_that_does_not_stay() {
        let mut bench = InFile::new();
        bench.sqlite().has_room().unwrap();
        assert!(!bench.path().join("room").exists());
        std::fs::create_dir(bench.path().join("room")).unwrap();
        let error = bench.sqlite().has_room().unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    }

    #[test]
    fn a_folder_whose_database_was_lost_is_no_new_house() {
        for lose in [
            |file: &Path| std::fs::write(file, "").unwrap(),
            |file: &Path| std::fs::remove_file(file).unwrap(),
        ] {
            let mut bench = InFile::new();
            bench.store = None;
            lose(&bench.path().join("tertulia.db"));
            let error = Sqlite::open(bench.path()).unwrap_err();
            assert!(error.to_string().contains("backup"), "{error}");
            assert!(!error.is_fatal());
            std::fs::remove_file(bench.path().join("lock")).unwrap();
            Sqlite::open(bench.path()).unwrap();
        }
    }

    #[test]
    fn a_folder_in_use_is_refused_and_free_again_after_that() {
        let mut bench = InFile::new();
        let error = Sqlite::open(bench.path()).unwrap_err();
        assert_eq!(error, StoreError::InUse(bench.path().into()));
        assert!(
            error.to_string().contains("in use by another process"),
            "{error}"
        );
        bench.store = None;
        Sqlite::open(bench.path()).unwrap();
    }

    #[test]
    fn a_full_disk_stores_nothing_of_a_batch_and_goes_on_once_there_is_room() {
        let mut bench = InFile::new();
        let store = bench.sqlite();
        write(store, vec![tenant(1, 1)]).unwrap();
        let pages = store.pages().unwrap();
        store.limit_pages(Some(pages + 4)).unwrap();
        let big = || vec![tenant(2, 10), tenant(3, 100_000)];
        assert_eq!(write(store, big()), Err(StoreError::Full));
        assert!(!has(store, 2) && !has(store, 3) && has(store, 1));
        // What fits is stored meanwhile.
        write(store, vec![tenant(4, 10)]).unwrap();
        store.limit_pages(None).unwrap();
        write(store, big()).unwrap();
        bench.reopen().unwrap();
        let store = bench.sqlite();
        assert!(has(store, 1) && has(store, 2) && has(store, 3) && has(store, 4));
    }

    #[test]
    fn a_database_of_another_program_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tertulia.db");
        let foreign = rusqlite::Connection::open(&file).unwrap();
        foreign.execute_batch("CREATE TABLE theirs (x)").unwrap();
        drop(foreign);
        let before = std::fs::read(&file).unwrap();
        let refused = Sqlite::open(folder.path());
        assert!(
            matches!(refused, Err(StoreError::Corrupt(_))),
            "{refused:?}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), before);
        std::fs::write(
            &file,
            b"not a database at all, but long enough to be read as one",
        )
        .unwrap();
        let refused = Sqlite::open(folder.path());
        assert!(
            matches!(refused, Err(StoreError::Corrupt(_))),
            "{refused:?}"
        );
    }

    #[test]
    fn a_database_of_a_newer_version_or_another_build_is_refused() {
        let mut bench = InFile::new();
        bench.store = None;
        let tamper = |sql: &str| {
            let conn = rusqlite::Connection::open(bench.path().join("tertulia.db")).unwrap();
            conn.execute_batch(sql).unwrap();
        };
        tamper("INSERT INTO migration VALUES (7000, 'later', x'00', '99.0.0')");
        // Refused before its digest is looked at, which only the newer program knows.
        let refused = Sqlite::open(bench.path()).unwrap_err();
        assert!(
            matches!(refused, StoreError::Newer { found: 7000, .. }),
            "{refused}"
        );
        tamper("DELETE FROM migration WHERE number = 7000");
        Sqlite::open(bench.path()).unwrap();
        tamper("UPDATE migration SET checksum = zeroblob(32) WHERE number = 1");
        let refused = Sqlite::open(bench.path()).unwrap_err();
        assert_eq!(refused, StoreError::ChecksumMismatch { number: 1 });
    }

    #[test]
    fn readers_see_the_last_commit_while_a_batch_is_open() {
        let mut bench = InFile::new();
        let reader = bench.reader().unwrap();
        let store = bench.sqlite();
        write(store, vec![tenant(1, 0)]).unwrap();
        store.begin().unwrap();
        assert!(reader.tenant(TenantId(1)).unwrap().is_some());
        let mut facts = Facts::default();
        facts.apply(vec![tenant(2, 0)]);
        assert!(reader.tenant(TenantId(2)).unwrap().is_none());
        store.commit(&facts, Timestamp(2)).unwrap();
        assert!(reader.tenant(TenantId(2)).unwrap().is_some());
    }

    #[test]
    fn many_threads_share_a_few_readers() {
        let mut bench = InFile::new();
        write(bench.sqlite(), vec![tenant(1, 0)]).unwrap();
        let reader = bench.reader().unwrap();
        let threads: Vec<_> = (0..16)
            .map(|_| {
                let reader = reader.clone();
                std::thread::spawn(move || {
                    (0..50).all(|_| reader.tenant(TenantId(1)).unwrap().is_some())
                })
            })
            .collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    }

    #[test]
    fn the_log_is_moved_to_the_file_beside_the_writer() {
        let mut bench = InFile::new();
        let mut checkpointer = bench.sqlite().checkpointer().unwrap();
        write(bench.sqlite(), (1..200).map(|n| tenant(n, 500)).collect()).unwrap();
        let file = bench.path().join("tertulia.db");
        let before = std::fs::metadata(&file).unwrap().len();
        bench.sqlite().begin().unwrap();
        assert_eq!(checkpointer.checkpoint().unwrap(), 0);
        assert!(std::fs::metadata(&file).unwrap().len() > before);
        bench.sqlite().rollback().unwrap();
        bench.reopen().unwrap();
        assert!(has(bench.sqlite(), 199));
    }

    #[test]
    fn the_file_has_the_settings_that_can_only_be_made_once() {
        let mut bench = InFile::new();
        bench.store = None;
        let conn = rusqlite::Connection::open(bench.path().join("tertulia.db")).unwrap();
        let pragma = |name: &str| -> String {
            conn.query_row(
                &format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}"),
                [],
                |row| row.get(0),
            )
            .unwrap()
        };
        // 2 is INCREMENTAL.
        assert_eq!(
            [
                pragma("page_size"),
                pragma("auto_vacuum"),
                pragma("journal_mode")
            ],
            ["8192", "2", "wal"]
        );
    }
}
