//! The native API over real sockets: a real engine in a folder of its own, called as programs call it.

mod agents;
mod asks;
mod credentials;
mod documents;
mod foreign;
mod framing;
mod house;
mod input;
mod refusals;
mod streams;
mod tasks;
mod workers;
