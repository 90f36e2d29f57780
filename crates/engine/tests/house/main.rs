//! The engine over a real database: conversations, restarts, timers, limits.

mod conversation;
mod disk;
mod house;
mod keys;
mod restart;
mod shell;
mod time;
