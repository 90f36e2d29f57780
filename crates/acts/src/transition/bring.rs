//! Bringing: artifacts come with an act, and are evidence where they are new (SEMANTICS 5).

use std::sync::Arc;

use crate::{
    artifact::Artifact,
    body::{ArtifactRef, NewArtifact},
    facts::{Draft, Need, Stop},
    ids::RootId,
};

/// Stores what an act brings. The evidence counter rises by one per digest that is new to the root (SEMANTICS 5).
pub(crate) fn bring(
    d: &mut Draft<'_>,
    root: RootId,
    artifacts: &[NewArtifact],
) -> Result<Vec<ArtifactRef>, Stop> {
    keep(d, root, artifacts, false)
}

/// Stores what a late result brings: it never counts (SEMANTICS 5), so that an act which brings the same later still does.
pub(crate) fn bring_late(
    d: &mut Draft<'_>,
    root: RootId,
    artifacts: &[NewArtifact],
) -> Result<Vec<ArtifactRef>, Stop> {
    keep(d, root, artifacts, true)
}

fn keep(
    d: &mut Draft<'_>,
    root: RootId,
    artifacts: &[NewArtifact],
    late: bool,
) -> Result<Vec<ArtifactRef>, Stop> {
    let digests = artifacts.iter().map(NewArtifact::digest);
    d.foresee(digests.map(|digest| Need::Artifact(root, digest)))?;
    let mut references = Vec::with_capacity(artifacts.len());
    for artifact in artifacts {
        let reference = artifact.reference();
        let before = d.artifact(root, reference.digest)?;
        if before.as_ref().is_none_or(|before| before.late && !late) {
            let mut owner = d.root(root)?;
            owner.evidence += u32::from(!late);
            d.put(Artifact {
                late,
                ..before.unwrap_or_else(|| Artifact {
                    root,
                    digest: reference.digest,
                    tenant: owner.tenant,
                    media_type: reference.media_type.clone(),
                    name: reference.name.clone(),
                    bytes: Arc::from(artifact.bytes()),
                    late,
                    made: d.now,
                })
            });
            d.put(owner);
        }
        references.push(reference);
    }
    Ok(references)
}
