//! Every limit, in one place. One that a caller can meet names the reason code or status it meets.

use crate::time::Millis;

/// How long a lease lasts without a heartbeat (SEMANTICS 3).
pub const LEASE: Millis = Millis::seconds(30);
/// How often a worker is told to send a heartbeat.
pub const HEARTBEAT: Millis = Millis::seconds(10);
/// Attempts to work on a task before it is dead (`attempts-exhausted`), unless its definition says `retry: never`: then
/// the first is the last, see [`Retry::attempts`](crate::agent::Retry::attempts).
pub const ATTEMPTS: u32 = 5;
/// The first wait before another attempt; it doubles with each.
pub const BACKOFF_FIRST: Millis = Millis::seconds(1);
/// The longest wait before another attempt.
pub const BACKOFF_MOST: Millis = Millis::seconds(300);
/// Characters kept of what went wrong in an attempt.
pub const ERROR_CHARS: usize = 2_000;
/// A task's deadline where its sender names none (`expired`, `deadline`).
pub const DEADLINE: Millis = Millis::hours(24);
/// The furthest deadline a sender may name; a later one is brought forward to it.
pub const DEADLINE_MOST: Millis = Millis::hours(24 * 30);
/// How long an ask waits where the asker names no deadline (`ask-expired`).
pub const ASK_DEADLINE: Millis = Millis::hours(24);
/// Hops above an act, the author's included, at which it is refused (`fuse`).
pub const DEPTH: usize = 16;
/// Open tasks under one root (`fuse`).
pub const OPEN_TASKS_PER_ROOT: u32 = 1_000;
/// Branches of one fan-out (`breadth`).
pub const FAN_OUT: usize = 256;
/// Open deliveries of one agent (`mailbox-full`).
pub const OPEN_DELIVERIES_PER_AGENT: u32 = 10_000;
/// Steps of one task (`too-many-steps`).
pub const STEPS_PER_TASK: u32 = 1_000;
/// Asks and folds of one task together (`too-many-rounds`).
pub const ROUNDS_PER_TASK: u32 = 16;
/// Late results kept of one task; later ones are told so and dropped.
pub const LATE_RESULTS_PER_TASK: u32 = 4;
/// Bytes of late results kept of one task.
pub const LATE_BYTES_PER_TASK: usize = 1024 * 1024;
/// How long a key outside a hop is remembered after its task ended.
pub const KEY_KEPT: Millis = Millis::hours(24 * 7);
/// Descendants that one transaction of upkeep closes.
pub const CASCADE: usize = 256;
/// Timers that one batch fires.
pub const DUE_PER_BATCH: usize = 256;
/// Leases that one claim may ask for (400).
pub const CLAIM_LEASES: u32 = 64;
/// Claimable conversations looked at beyond those asked for.
pub const CLAIM_SPARE: u32 = 16;
/// How long a claim may wait for work, at most (longer is brought back to it).
pub const CLAIM_WAIT_MOST: Millis = Millis::seconds(60);
/// How long a blocking `SendMessage` of A2A waits for its task, at most; then the task is returned as it stands. Below the
/// minute after which proxies and clients commonly give up a silent call.
pub const BLOCKING_WAIT_MOST: Millis = Millis::seconds(50);
/// How long the receipt of a claim is kept.
pub const CLAIM_KEPT: Millis = Millis::seconds(600);
/// The longest outage or jump of the clock after which leases are swept as ever: a third of a lease (SEMANTICS 3).
pub const UNTENDED_MOST: Millis = Millis(LEASE.0 / 3);
/// How long no lease is swept after a longer one: that of a lease, so that a heartbeat that failed a moment before its end
/// is made up for by the next.
pub const SWEEP_PAUSE: Millis = LEASE;

/// Bytes of one request body (413).
pub const REQUEST_BYTES: usize = 4 * 1024 * 1024;
/// Parts of one body (400).
pub const PARTS: usize = 64;
/// Bytes of one text or data part (413).
pub const PART_BYTES: usize = 1024 * 1024;
/// Levels to which data in a part, an artifact or a recorded step may be nested (400): with what stands around it, it
/// stays below the depth that JSON parsers read.
pub const DATA_DEPTH: usize = 64;
/// Bytes of one inline artifact (413), until there is an artifact store.
pub const ARTIFACT_BYTES: usize = 1024 * 1024;
/// Artifacts of one act (400).
pub const ARTIFACTS: usize = 64;
/// Bytes of a name of an agent, principal, tenant or skill (400).
pub const NAME_BYTES: usize = 64;
/// Bytes of a key, a step name, a work id, an alias or a variant (400).
pub const KEY_BYTES: usize = 200;
/// Bytes of a description (400).
pub const DESCRIPTION_BYTES: usize = 4 * 1024;
/// Bytes of an agent definition (413).
pub const DEFINITION_BYTES: usize = 256 * 1024;
/// Tokens in one heartbeat and operations in one batch (400).
pub const BATCH_ITEMS: usize = 256;
/// Acts or events in one page of a listing.
pub const PAGE: usize = 100;
/// Bytes of bodies in one page of a listing: it ends early where they come to more, but has at least one row.
pub const PAGE_BYTES: usize = 8 * 1024 * 1024;
/// Acts of earlier turns that a claim carries.
pub const HISTORY: usize = 20;

/// Connections that a server has at once; one more is told 503 `overloaded` and closed.
pub const CONNECTIONS: usize = 4_096;
/// How long the head of a call may take to come, from when it is awaited: a connection on which nothing comes for so long
/// is closed.
pub const HEADERS_WITHIN: Millis = Millis::seconds(30);
/// How long the body of a call may take to come after its head (400).
pub const BODY_WITHIN: Millis = Millis::seconds(60);
/// Calls at once on one connection of HTTP/2.
pub const CALLS_PER_CONNECTION: u32 = 256;
/// Calls of one caller that wait at once: long polls and streams together (429 `too-many-calls`).
pub const WAITS_PER_CALLER: usize = 400;
/// Commands waiting for the writer (503 `overloaded`).
pub const WRITER_QUEUE: usize = 4_096;
/// Bytes of commands waiting for the writer (503 `overloaded`).
pub const WRITER_QUEUE_BYTES: usize = 16 * 1024 * 1024;
/// Commands of one batch: one transaction, one fsync.
pub const BATCH_COMMANDS: usize = 512;
/// Rounds of loading facts for one command; more is a programming error.
pub const LOAD_ROUNDS: usize = 64;
/// Times a command is judged again after its tenant's configuration changed under it (503 `busy`).
pub const JUDGEMENTS: u32 = 3;
/// Rows of facts kept in memory between batches, where the store has one writer.
pub const FACTS_KEPT: usize = 40_000;
