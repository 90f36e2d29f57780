//! Remote agents, run by the house: over real sockets, against a peer that does what the first word of a message says.

mod ends;
mod house;
mod once;
mod peer;
mod tertulia;
