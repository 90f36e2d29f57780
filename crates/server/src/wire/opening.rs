//! Opening acts: requests, queries and informs that begin something.

use serde::{Deserialize, Serialize};
use tertulia_acts::{
    command::{Opening, Place},
    ids::ConversationId,
    limits::DESCRIPTION_BYTES,
    party::Party,
    performative::Performative,
};
use utoipa::ToSchema;

use super::{
    artifact::{ArtifactIn, artifacts},
    contract::ContractIn,
    line, member,
    object::object,
    part::{PartIn, words},
    party, span,
};
use crate::problem::Problem;

/// An opening act.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Opening)]
pub(crate) struct OpeningIn {
    /// Whom it is for: `agent:NAME`, or for an inform also `user:NAME` and `service:NAME`.
    #[serde(deserialize_with = "party")]
    #[schema(value_type = String, example = "agent:logs")]
    to: Party,
    /// What kind of act it is; a request where nothing is said.
    #[serde(default)]
    performative: Opens,
    /// What it says.
    parts: Vec<PartIn>,
    /// Its terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contract: Option<ContractIn>,
    /// The conversation that it is a follow-up in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    conversation: Option<ConversationId>,
    /// What its sender calls the conversation; it is opened if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    /// How long it may take, in milliseconds; 24 hours where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
    /// What the sender's business calls the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    work_id: Option<String>,
    /// What the sender's business calls the work that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_work_id: Option<String>,
    /// Why it is not equivalent to a request that looks the same. It is logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_equivalent: Option<String>,
    /// What it brings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactIn>,
    /// Under a hop token: always opens a conversation of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    new_conversation: bool,
}

/// The acts that open something.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Opens {
    /// Asks for something to be done.
    #[default]
    Request,
    /// Asks a question.
    Query,
    /// Tells something.
    Inform,
}

impl OpeningIn {
    /// An opening act outside a hop.
    pub(crate) fn outside(self) -> Result<Opening, Problem> {
        if self.new_conversation {
            let what =
                "outside a hop an act that names no conversation opens one anyway; leave it out";
            return Err(Problem::malformed("new_conversation", what));
        }
        self.into_opening("")
    }

    /// As `acts` has it; `at` is where it stands.
    pub(crate) fn into_opening(self, at: &str) -> Result<Opening, Problem> {
        let performative = match self.performative {
            Opens::Request => Performative::Request,
            Opens::Query => Performative::Query,
            Opens::Inform => Performative::Inform,
        };
        for (name, text) in [
            ("alias", &self.alias),
            ("work_id", &self.work_id),
            ("parent_work_id", &self.parent_work_id),
        ] {
            if let Some(text) = text {
                line(&member(at, name), text)?;
            }
        }
        if let Some(why) = &self.not_equivalent
            && (why.trim().is_empty() || why.len() > DESCRIPTION_BYTES)
        {
            let what = format!("say why, in at most {DESCRIPTION_BYTES} bytes");
            return Err(Problem::malformed(&member(at, "not_equivalent"), what));
        }
        let place = match (self.conversation, self.alias, self.new_conversation) {
            (None, None, false) => Place::Standing,
            (None, None, true) => Place::New,
            (Some(id), None, false) => Place::In(id),
            (None, Some(alias), false) => Place::Alias(alias),
            _ => {
                let what = "name one of `conversation`, `alias` and `new_conversation`";
                return Err(Problem::malformed(at, what));
            }
        };
        let contract = self.contract.unwrap_or_default();
        let contract = contract.into_contract(&member(at, "contract"))?;
        let body = words(&member(at, "parts"), self.parts)?;
        let files = artifacts(&member(at, "artifacts"), self.artifacts)?;
        let mut opening = Opening::new(performative, self.to, body, contract).bringing(files);
        opening.within = span(&member(at, "deadline_ms"), self.deadline_ms)?;
        opening.place = place;
        opening.work_id = self.work_id;
        opening.parent_work_id = self.parent_work_id;
        opening.not_equivalent = self.not_equivalent;
        Ok(opening)
    }
}

object!(OpeningIn);
