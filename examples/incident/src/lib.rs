//! The example incident: frozen evidence, the rules of three agents that explain it without a model,
//! and in [`agents`] the same as workers that converse through a server. The rules know nothing of it:
//!
//! ```
//! use tertulia_incident::cases::{self, Archive};
//! use tertulia_incident::{diagnosis, specialists};
//!
//! let asked = cases::request("INC-42")?;
//! let logs = specialists::logs(&Archive::Bundled, &asked.for_logs())?;
//! let onset = logs.logs.beginning.onset().map(|onset| onset.at);
//! let deployments = specialists::deployments(
//!     &Archive::Bundled,
//!     &asked.for_deployments(),
//!     asked.dependencies.clone().unwrap_or_default(),
//!     onset,
//! )?;
//! let diagnosis = diagnosis::merge(&asked, Some(&logs), Some(&deployments));
//! assert_eq!(diagnosis.status, diagnosis::Status::Diagnosed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a log line, a request or a record says is data: it is counted, compared and quoted, and
//! nothing in it is followed.

pub mod agents;
pub mod cases;
pub mod coordinator;
mod correlation;
pub mod deployments;
pub mod diagnosis;
pub mod evidence;
pub mod history;
pub mod investigation;
pub mod log_line;
pub mod log_window;
pub mod logs;
pub mod onset;
pub mod signature;
pub mod specialists;
