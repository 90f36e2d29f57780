//! The door: the native API over HTTP (docs/api.md).
