//! The shapes of the native API, as a worker or a principal's program reads and writes them.
//!
//! What comes in is read tolerantly: unknown members are skipped, unknown states and performatives become
//! `Unknown`, so that an older program goes on beside a newer server. Times are kept as they came, RFC 3339 in UTC.

mod act;
pub(crate) mod agent;
mod ask;
pub(crate) mod conversation;
mod event;
pub(crate) mod lease;
mod opening;
mod operation;
mod part;
mod receipt;
mod task;

pub use act::{Act, ArtifactIn, ArtifactOut, Performative};
pub use agent::{Agent, AgentQuery, AgentVersion, Health, Registered};
pub use ask::{Ask, AskState};
pub use conversation::{Conversation, InboxEntry, InboxPage, Participant};
pub use event::{Event, Gap, Watched};
pub use lease::{Ancestor, Beat, BeatState, Claim, Lease, RecordedStep, Turn};
pub use opening::Opening;
pub(crate) use opening::millis as opening_millis;
pub use operation::{BatchItem, Mode, Operation, Park};
pub use part::{FileRef, Part, joined_text};
pub use receipt::{Group, GroupState, Receipt, Receipted};
pub use task::{HopRecord, OpenQuestion, Task, TaskPage, TaskQuery, TaskState, TreeTask};
