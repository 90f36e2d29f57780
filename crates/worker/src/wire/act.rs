//! Acts: what was said, with the envelope that the engine wrote.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::part::{Part, first_data, joined_text};

/// What kind of act it is. The engine writes it; no body can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(
    missing_docs,
    reason = "the words are those of DESIGN 2, and nothing can be added to them"
)]
pub enum Performative {
    Request,
    Query,
    Inform,
    Agree,
    Refuse,
    Failure,
    Cancel,
    Cfp,
    Propose,
    AcceptProposal,
    RejectProposal,
    NoComment,
    /// One that this version does not know.
    #[serde(other)]
    Unknown,
}

impl Performative {
    /// Its name, as it stands in envelopes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Query => "query",
            Self::Inform => "inform",
            Self::Agree => "agree",
            Self::Refuse => "refuse",
            Self::Failure => "failure",
            Self::Cancel => "cancel",
            Self::Cfp => "cfp",
            Self::Propose => "propose",
            Self::AcceptProposal => "accept-proposal",
            Self::RejectProposal => "reject-proposal",
            Self::NoComment => "no-comment",
            Self::Unknown => "unknown",
        }
    }
}

/// An act.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Act {
    /// Its id; none for a refuse that was not stored because it changed nothing.
    #[serde(default)]
    pub id: Option<String>,
    /// Where it was said.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Its number there.
    #[serde(default)]
    pub seq: Option<u64>,
    /// What kind of act it is.
    pub performative: Performative,
    /// Who said it: `agent:logs`, `user:ana`, `engine`. From the credential, never from a body.
    #[serde(default)]
    pub sender: String,
    /// To whom.
    #[serde(default)]
    pub recipient: String,
    /// The hop it was made in.
    #[serde(default)]
    pub hop: Option<String>,
    /// The task it opened or is about.
    #[serde(default)]
    pub task: Option<String>,
    /// The task above that.
    #[serde(default)]
    pub parent_task: Option<String>,
    /// The root of all.
    #[serde(default)]
    pub root: Option<String>,
    /// The act that it answers.
    #[serde(default)]
    pub in_reply_to: Option<String>,
    /// The ask that it asks or answers.
    #[serde(default)]
    pub ask: Option<String>,
    /// Why, as a code, in a refuse or failure: `tertulia explain CODE`.
    #[serde(default)]
    pub reason: Option<String>,
    /// Why, as a sentence for people.
    #[serde(default)]
    pub message: Option<String>,
    /// What programs need to know of the reason: the task in the way, candidates, open asks.
    #[serde(default)]
    pub detail: Value,
    /// By when it must be done.
    #[serde(default)]
    pub deadline: Option<String>,
    /// What came with it.
    #[serde(default)]
    pub artifacts: Vec<ArtifactOut>,
    /// Whether a human, an agent, the system or a tool is its author.
    #[serde(default)]
    pub provenance: Option<String>,
    /// When.
    #[serde(default)]
    pub at: Option<String>,
    /// What it says: untrusted.
    #[serde(default)]
    pub parts: Vec<Part>,
}

impl Act {
    /// Its text parts, joined by line breaks.
    pub fn text(&self) -> String {
        joined_text(&self.parts)
    }

    /// Its first data part, read as a `T`; none if it has no data.
    pub fn data<T: DeserializeOwned>(&self) -> Option<Result<T, serde_json::Error>> {
        first_data(&self.parts)
    }

    /// The reason code, or what stands for the absence of one.
    pub fn reason_code(&self) -> &str {
        self.reason.as_deref().unwrap_or("unstated")
    }
}

/// An artifact as it is read: its bytes are fetched by digest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ArtifactOut {
    /// The digest of its bytes, `sha256:…`.
    pub digest: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its media type.
    #[serde(default)]
    pub media_type: String,
    /// Its size in bytes.
    #[serde(default)]
    pub size: u64,
}

/// An artifact as it is sent, inline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArtifactIn {
    name: String,
    media_type: String,
    #[serde(flatten)]
    content: ArtifactContent,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum ArtifactContent {
    Text(String),
    Data(Value),
    Base64(String),
}

impl ArtifactIn {
    /// An artifact of text.
    pub fn text(
        name: impl Into<String>,
        media_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            media_type: media_type.into(),
            content: ArtifactContent::Text(text.into()),
        }
    }

    /// An artifact of bytes.
    pub fn bytes(name: impl Into<String>, media_type: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            name: name.into(),
            media_type: media_type.into(),
            content: ArtifactContent::Base64(BASE64_STANDARD.encode(bytes)),
        }
    }

    /// An artifact of JSON data.
    pub fn data(name: impl Into<String>, data: Value) -> Self {
        Self {
            name: name.into(),
            media_type: "application/json".to_owned(),
            content: ArtifactContent::Data(data),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refuse_that_was_not_stored_has_no_id() {
        let act: Act = serde_json::from_value(json!({
            "id": null, "seq": null, "conversation": "conv_1", "performative": "refuse",
            "sender": "engine", "recipient": "agent:coordinator", "root": "r", "reason": "loop",
            "provenance": "system", "at": "2026-01-01T00:00:00.000Z", "parts": [],
        }))
        .unwrap();
        assert_eq!((act.id.as_deref(), act.reason_code()), (None, "loop"));
        assert_eq!(act.performative, Performative::Refuse);
    }

    #[test]
    fn every_performative_is_read_by_the_name_it_is_written_with() {
        for name in ["request", "accept-proposal", "no-comment", "cfp", "inform"] {
            let performative: Performative = serde_json::from_value(json!(name)).unwrap();
            assert_eq!(performative.name(), name);
        }
        let unknown: Performative = serde_json::from_value(json!("sing")).unwrap();
        assert_eq!(unknown, Performative::Unknown);
    }

    #[test]
    fn artifacts_say_what_they_hold() {
        let text = ArtifactIn::text("report.md", "text/markdown", "# Report");
        let expected =
            json!({"name": "report.md", "media_type": "text/markdown", "text": "# Report"});
        assert_eq!(serde_json::to_value(text).unwrap(), expected);
        let data = ArtifactIn::data("findings.json", json!([1]));
        let expected =
            json!({"name": "findings.json", "media_type": "application/json", "data": [1]});
        assert_eq!(serde_json::to_value(data).unwrap(), expected);
        let bytes = ArtifactIn::bytes("a.bin", "application/octet-stream", &[0, 255]);
        let expected =
            json!({"name": "a.bin", "media_type": "application/octet-stream", "base64": "AP8="});
        assert_eq!(serde_json::to_value(bytes).unwrap(), expected);
    }
}
