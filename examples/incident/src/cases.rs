//! Where evidence comes from. The only module that reads files.
//!
//! The frozen evidence is part of the program, so the demonstration runs wherever the binary is; an
//! archive in a folder serves the same evidence, or other evidence, from disk. Either way the
//! digest of what is read must be the one in the reference.

use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use crate::evidence::digest;
use crate::investigation::{Investigation, Source};

/// The agent definitions, as (file name, Markdown with YAML front matter).
pub const DEFINITIONS: [(&str, &str); 3] = [
    ("coordinator.md", include_str!("../agents/coordinator.md")),
    ("logs.md", include_str!("../agents/logs.md")),
    ("deployments.md", include_str!("../agents/deployments.md")),
];

/// The contracts, as (name with version, JSON Schema).
pub const CONTRACTS: [(&str, &str); 3] = [
    (
        "incident-investigation/v1",
        include_str!("../contracts/incident-investigation.v1.json"),
    ),
    (
        "incident-findings/v1",
        include_str!("../contracts/incident-findings.v1.json"),
    ),
    (
        "incident-diagnosis/v1",
        include_str!("../contracts/incident-diagnosis.v1.json"),
    ),
];

/// The incidents that have frozen evidence.
pub const INCIDENTS: [&str; 2] = ["INC-42", "INC-43"];

const BUNDLED: [(&str, &str); 4] = [
    (
        "inc-42/checkout.log",
        include_str!("../evidence/inc-42/checkout.log"),
    ),
    (
        "inc-42/deployments.json",
        include_str!("../evidence/inc-42/deployments.json"),
    ),
    (
        "inc-43/cart.log",
        include_str!("../evidence/inc-43/cart.log"),
    ),
    (
        "inc-43/deployments.json",
        include_str!("../evidence/inc-43/deployments.json"),
    ),
];

/// Why evidence or a request could not be had.
#[derive(Debug, Error)]
pub enum CaseError {
    /// There is no frozen case of that name.
    #[error("there is no case {name}; the frozen cases are INC-42 and INC-43")]
    UnknownIncident {
        /// The name that was asked for.
        name: String,
    },
    /// The reference leaves the archive or is not in it.
    #[error(
        "the archive has no evidence `{uri}`; give a path below the archive, such as inc-42/checkout.log"
    )]
    UnknownSource {
        /// The reference.
        uri: String,
    },
    /// The file is there and cannot be read.
    #[error("read the evidence `{uri}`: {source}")]
    Unreadable {
        /// The reference.
        uri: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The bytes are not those the reference was made for.
    #[error(
        "the evidence `{uri}` is {found}, the reference says {expected}; ask for a reference to the present version"
    )]
    Changed {
        /// The reference.
        uri: String,
        /// The digest in the reference.
        expected: String,
        /// The digest of what is there.
        found: String,
    },
    /// A request that is not an investigation.
    #[error("the request of {incident} is no incident-investigation/v1: {source}")]
    Request {
        /// The incident.
        incident: String,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// The request that opens a frozen case.
pub fn request(incident: &str) -> Result<Investigation, CaseError> {
    let text = match incident {
        "INC-42" => include_str!("../evidence/inc-42/request.json"),
        "INC-43" => include_str!("../evidence/inc-43/request.json"),
        other => {
            return Err(CaseError::UnknownIncident {
                name: other.to_owned(),
            });
        }
    };
    serde_json::from_str(text).map_err(|source| CaseError::Request {
        incident: incident.to_owned(),
        source,
    })
}

/// A place that evidence is read from.
#[derive(Clone, Debug)]
pub enum Archive {
    /// The frozen evidence inside the program.
    Bundled,
    /// A folder with the same layout as `examples/incident/evidence`.
    Folder(PathBuf),
}

impl Archive {
    /// Reads the evidence a reference names and checks that it is still what the reference says.
    ///
    /// A log may hold bytes that are no UTF-8; they are replaced, which changes no line number.
    pub fn read(&self, reference: &Source) -> Result<String, CaseError> {
        let uri = &reference.uri;
        let bytes = match self {
            Self::Bundled => BUNDLED
                .iter()
                .find(|(name, _)| name == uri)
                .map(|(_, text)| text.as_bytes().to_vec())
                .ok_or_else(|| CaseError::UnknownSource { uri: uri.clone() })?,
            Self::Folder(folder) => {
                if !stays_below(Path::new(uri)) {
                    return Err(CaseError::UnknownSource { uri: uri.clone() });
                }
                std::fs::read(folder.join(uri)).map_err(|source| CaseError::Unreadable {
                    uri: uri.clone(),
                    source,
                })?
            }
        };
        let found = digest(&bytes);
        if found != reference.digest {
            return Err(CaseError::Changed {
                uri: uri.clone(),
                expected: reference.digest.clone(),
                found,
            });
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// References come in requests, so they are foreign: no absolute path, no step upwards.
fn stays_below(path: &Path) -> bool {
    let mut components = path.components().peekable();
    components.peek().is_some() && components.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::investigation::SourceKind;

    #[test]
    fn a_reference_cannot_leave_the_folder() {
        let archive = Archive::Folder(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("evidence"));
        for uri in [
            "../Cargo.toml",
            "/etc/hostname",
            "inc-42/../../Cargo.toml",
            "",
        ] {
            let reference = Source {
                kind: SourceKind::LogWindow,
                uri: uri.to_owned(),
                digest: digest(b""),
            };
            assert!(
                matches!(
                    archive.read(&reference),
                    Err(CaseError::UnknownSource { .. })
                ),
                "{uri}"
            );
        }
    }

    #[test]
    fn evidence_that_changed_since_the_reference_is_refused() {
        let mut reference = request("INC-42").unwrap().evidence[0].clone();
        assert!(Archive::Bundled.read(&reference).is_ok());
        reference.digest = digest(b"something else");
        assert!(matches!(
            Archive::Bundled.read(&reference),
            Err(CaseError::Changed { .. })
        ));
    }

    #[test]
    fn folder_and_program_hold_the_same_evidence() {
        let folder = Archive::Folder(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("evidence"));
        for incident in INCIDENTS {
            for reference in request(incident).unwrap().evidence {
                assert_eq!(
                    folder.read(&reference).unwrap(),
                    Archive::Bundled.read(&reference).unwrap()
                );
            }
        }
    }
}
