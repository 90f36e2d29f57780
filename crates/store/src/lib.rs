//! The memory: it loads facts, writes changes, and answers reads. No rule is decided here, and no SQL leaves.
//!
//! # The writing side
//!
//! One thread holds a [`Store`]. It goes through batches of commands, each batch one transaction, durable before
//! anyone is answered (SEMANTICS 14):
//!
//! ```
//! use tertulia_acts::{
//!     facts::{Change, Facts, Need},
//!     ids::TenantId,
//!     tenant::Tenant,
//!     time::Timestamp,
//! };
//! use tertulia_store::{Sqlite, Store, StoreError};
//!
//! fn batch(store: &mut impl Store, now: Timestamp) -> Result<(), StoreError> {
//!     let mut facts = Facts::default();
//!     store.begin()?;
//!     // What a command needs to know is loaded; after that, what is not there is known to be absent.
//!     store.load(&[Need::Tenant(TenantId(1))], &mut facts)?;
//!     assert!(facts.knows(&Need::Tenant(TenantId(1))));
//!     // `acts` decides and yields changes, which the next command of the batch sees.
//!     facts.apply(vec![Change::Tenant(Tenant { id: TenantId(1), name: "acme".into(), epoch: 1 })]);
//!     // Every change is written, or none is. When this returns, it is on disk.
//!     store.commit(&facts, now)?;
//!     facts.written();
//!     Ok(())
//! }
//!
//! # fn main() -> Result<(), StoreError> {
//! let mut store = Sqlite::memory()?;
//! batch(&mut store, Timestamp(1_000))?;
//! // Any number of threads read, through connections of their own.
//! let tenant = store.reader()?.tenant_by_name("acme")?;
//! assert_eq!(tenant.map(|tenant| tenant.id), Some(TenantId(1)));
//! # Ok(())
//! # }
//! ```
//!
//! If `commit` fails, nothing of the batch is stored, and the facts are ahead of the store: they are thrown away.
//! [`StoreError::blames_command`] tells whether one of the commands is the cause, so that they are run again singly,
//! or the storage, so that the whole batch is answered 503.
//!
//! Time passes for the store only by what it is told: what is due is asked for by [`Store::due`] and is then an
//! ordinary command that looks again.
//!
//! # The reading side
//!
//! A [`Reader`] answers from the last commit. Each of its methods on tasks, conversations and what hangs on them takes
//! a [`Viewer`](tertulia_acts::viewer::Viewer); who may see what is one predicate in one file (`visibility.rs`), and
//! what is foreign looks absent (SEMANTICS 13).
//!
//! # Another store
//!
//! [`conformance`] holds the cases that any store must pass.

pub mod conformance;
mod error;
pub mod read;
mod sqlite;
mod store;
mod visibility;

pub use self::{
    error::StoreError,
    sqlite::{Checkpointer, Reader, Sqlite},
    store::Store,
};
