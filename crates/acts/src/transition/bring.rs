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
    let digests = artifacts.iter().map(|artifact| artifact.reference().digest);
    d.foresee(digests.map(|digest| Need::Artifact(root, digest)))?;
    let mut references = Vec::with_capacity(artifacts.len());
    for artifact in artifacts {
        let reference = artifact.reference();
        if !d.has_artifact(root, reference.digest)? {
            let mut row = d.root(root)?;
            row.evidence += 1;
            let tenant = row.tenant;
            d.put(row);
            d.put(Artifact {
                root,
                digest: reference.digest,
                tenant,
                media_type: reference.media_type.clone(),
                name: reference.name.clone(),
                bytes: Arc::from(artifact.bytes()),
                made: d.now,
            });
        }
        references.push(reference);
    }
    Ok(references)
}
