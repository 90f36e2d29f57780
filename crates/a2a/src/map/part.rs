//! Parts both ways. A file is an artifact of the root: its bytes come in with the part, and leave in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tertulia_acts::{
    artifact::Artifact,
    body::{ArtifactRef, Body, Content, FileRef, NewArtifact, Part as Said},
    digest::Digest,
    envelope::Act,
};

use crate::wire::{Metadata, Part, PartContent};

/// Where the file name of a text or data part is kept, which in a body have none.
const FILENAME: &str = "urn:tertulia:filename";

/// The artifacts that acts name, by digest, as far as the viewer may read them.
pub type Files = BTreeMap<Digest, Artifact>;

/// The digests that an act names, in its parts and in its envelope.
pub fn named(act: &Act) -> BTreeSet<Digest> {
    let parts = act.body.parts.iter().filter_map(digest_of);
    let references = act
        .envelope
        .artifacts
        .iter()
        .map(|reference| reference.digest);
    parts.chain(references).collect()
}

fn digest_of(part: &Said) -> Option<Digest> {
    match &part.content {
        Content::File(file) => file.digest,
        Content::Text(_) | Content::Data(_) => None,
    }
}

/// A message's parts as a body; bytes become artifacts that the body refers to.
pub fn parts_in(parts: Vec<Part>) -> (Body, Vec<NewArtifact>) {
    let mut artifacts: Vec<NewArtifact> = Vec::new();
    let mut body = Body::default();
    for part in parts {
        let Part {
            content,
            mut metadata,
            filename,
            media_type,
        } = part;
        let media_type = Some(media_type).filter(|kind| !kind.is_empty());
        let name = Some(filename).filter(|name| !name.is_empty());
        let file = |digest, url| {
            Content::File(FileRef {
                digest,
                url,
                name: name.clone(),
            })
        };
        let content = match content {
            Some(PartContent::Text(text)) => Content::Text(text),
            Some(PartContent::Data(data)) => Content::Data(data),
            Some(PartContent::Url(url)) => file(None, Some(url)),
            Some(PartContent::Raw(bytes)) => {
                let kind = media_type.as_deref().unwrap_or("application/octet-stream");
                let artifact =
                    NewArtifact::new(name.clone().unwrap_or_default(), kind.to_owned(), bytes);
                let digest = artifact.reference().digest;
                if artifacts
                    .iter()
                    .all(|other| other.reference().digest != digest)
                {
                    artifacts.push(artifact);
                }
                file(Some(digest), None)
            }
            // The checks of the wire refuse a part without content before it comes here.
            None => continue,
        };
        if let Some(name) = name
            && !matches!(content, Content::File(_))
        {
            metadata.insert(FILENAME.to_owned(), Value::String(name));
        }
        body.parts.push(Said {
            content,
            media_type,
            metadata,
        });
    }
    (body, artifacts)
}

/// The parts of a body, with the bytes of the files that it refers to.
pub(super) fn parts_out(body: &Body, files: &Files) -> Vec<Part> {
    body.parts
        .iter()
        .map(|part| part_out(part, files))
        .collect()
}

/// The artifacts that an envelope names and no part of its body refers to.
pub(super) fn references_out(act: &Act) -> impl Iterator<Item = &ArtifactRef> {
    let inlined: BTreeSet<Digest> = act.body.parts.iter().filter_map(digest_of).collect();
    act.envelope
        .artifacts
        .iter()
        .filter(move |reference| !inlined.contains(&reference.digest))
}

fn part_out(part: &Said, files: &Files) -> Part {
    let mut metadata = part.metadata.clone();
    let mut out = match &part.content {
        Content::Text(text) => Part::text(text.as_str()),
        Content::Data(data) => Part::data(data.clone()),
        Content::File(file) => file_out(file, files),
    };
    if let Some(Value::String(name)) = metadata.remove(FILENAME) {
        out.filename = name;
    }
    if let Some(kind) = &part.media_type {
        out.media_type.clone_from(kind);
    }
    out.metadata = metadata;
    out
}

fn file_out(file: &FileRef, files: &Files) -> Part {
    let found = file.digest.and_then(|digest| files.get(&digest));
    let mut out = match (found, &file.url) {
        (Some(artifact), _) => artifact_out(artifact),
        (None, Some(url)) => PartContent::Url(url.clone()).into(),
        // Bytes that the viewer may not read, or that nobody brought: what is known of them.
        (None, None) => Part::data(serde_json::json!({ "file": file })),
    };
    if let Some(name) = &file.name {
        out.filename.clone_from(name);
    }
    out
}

/// An artifact that an envelope names.
pub(super) fn reference_out(reference: &ArtifactRef, files: &Files) -> Part {
    match files.get(&reference.digest) {
        Some(artifact) => artifact_out(artifact),
        None => Part {
            filename: reference.name.clone(),
            ..Part::data(serde_json::json!({ "file": reference }))
        },
    }
}

fn artifact_out(artifact: &Artifact) -> Part {
    inlined(&artifact.name, &artifact.media_type, &artifact.bytes)
}

/// Bytes by their media type: text as text, JSON as data, all else as they are.
pub fn inlined(name: &str, media_type: &str, bytes: &[u8]) -> Part {
    let kind = media_type.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    let content = if kind.starts_with("text/") {
        std::str::from_utf8(bytes)
            .ok()
            .map(|text| PartContent::Text(text.to_owned()))
    } else if kind == "application/json" || kind.ends_with("+json") {
        serde_json::from_slice(bytes).ok().map(PartContent::Data)
    } else {
        None
    };
    Part {
        content: Some(content.unwrap_or_else(|| PartContent::Raw(bytes.to_vec()))),
        metadata: Metadata::new(),
        filename: name.to_owned(),
        media_type: media_type.to_owned(),
    }
}
