//! What an opening act says and asks for, as its sender gave it.

use std::borrow::Cow;

use crate::{
    body::{Body, NewArtifact},
    contract::Contract,
    digest::Digest,
    envelope::Refusal,
    facts::{Draft, Stop},
    fingerprint::Fingerprint,
    ids::{ConversationId, RootId},
    limits::{DEADLINE, DEADLINE_MOST},
    party::Party,
    performative::Performative,
    reason::Reason,
    time::{Millis, Timestamp},
};

/// An opening request, query or inform.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Which of them.
    pub performative: Performative,
    /// Whom it is for.
    pub to: Party,
    /// What it says.
    pub body: Body,
    artifacts: Vec<NewArtifact>,
    /// Its terms.
    pub contract: Contract,
    /// How long it may take; none is the default, and what is longer than the most there may be is shortened to it.
    pub within: Option<Millis>,
    /// Where it is said.
    pub place: Place,
    /// What the sender's business calls it.
    pub work_id: Option<String>,
    /// What the sender's business calls the work that it is part of.
    pub parent_work_id: Option<String>,
    /// Why it is not equivalent to a request that looks the same: an override, which is logged.
    pub not_equivalent: Option<String>,
    fingerprint: Fingerprint,
}

/// Where an opening act is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Under a hop: where the two go on talking. Outside: in a conversation of its own.
    Standing,
    /// In a conversation of its own.
    New,
    /// In this conversation.
    In(ConversationId),
    /// In the conversation that the sender calls so; it is opened if there is none.
    Alias(String),
}

impl Opening {
    /// An opening act with nothing but its words. Whom it is for, what it says and its terms stay as they are given here:
    /// the fingerprint is of them.
    #[must_use]
    pub fn new(performative: Performative, to: Party, body: Body, contract: Contract) -> Self {
        let fingerprint = Fingerprint::of(&to, &body, &[], &contract);
        Self {
            performative,
            to,
            body,
            artifacts: Vec::new(),
            contract,
            within: None,
            place: Place::Standing,
            work_id: None,
            parent_work_id: None,
            not_equivalent: None,
            fingerprint,
        }
    }

    /// The same act, with files.
    #[must_use]
    pub fn bringing(mut self, artifacts: Vec<NewArtifact>) -> Self {
        self.artifacts = artifacts;
        self.compare_anew();
        self
    }

    /// What it brings.
    #[must_use]
    pub fn artifacts(&self) -> &[NewArtifact] {
        &self.artifacts
    }

    /// What is asked, as one compares it.
    #[must_use]
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    fn compare_anew(&mut self) {
        let Self {
            to,
            body,
            artifacts,
            contract,
            ..
        } = self;
        self.fingerprint = Fingerprint::of(to, body, artifacts, contract);
    }

    /// The digest of what makes a repeat under the same key the same command (SEMANTICS 4): recipient, performative,
    /// conversation, body, contract, artifacts. Not: message ids, waiting, history or push settings.
    #[must_use]
    pub fn content(&self) -> Digest {
        let place = match &self.place {
            Place::Standing => String::new(),
            Place::New => "new".into(),
            Place::In(id) => id.to_string(),
            Place::Alias(alias) => format!("alias {alias}"),
        };
        let mut fields = vec![
            self.to.to_string().into_bytes(),
            self.performative.name().as_bytes().to_vec(),
            place.into_bytes(),
            // Bodies and contracts hold strings, numbers and maps with string keys: they always have a JSON form.
            serde_json::to_vec(&self.body).unwrap_or_default(),
            serde_json::to_vec(&self.contract).unwrap_or_default(),
        ];
        fields.extend(
            self.artifacts
                .iter()
                .map(|artifact| artifact.digest().0.to_vec()),
        );
        Digest::of_all(fields.iter().map(Vec::as_slice))
    }

    /// About how many bytes it holds.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.body.weight()
            + self
                .artifacts
                .iter()
                .map(|artifact| artifact.bytes().len())
                .sum::<usize>()
            + 256
    }

    /// When it must be done.
    pub(crate) fn deadline(&self, now: Timestamp) -> Timestamp {
        now.after(
            self.within
                .unwrap_or(DEADLINE)
                .clamp(Millis(0), DEADLINE_MOST),
        )
    }

    /// It as it is compared: where it is said not to be equivalent, made distinct by the number of that override.
    ///
    /// # Errors
    /// The root is to be loaded.
    pub(crate) fn distinct(&self, d: &mut Draft<'_>, root: RootId) -> Result<Cow<'_, Self>, Stop> {
        if self.not_equivalent.is_none() {
            return Ok(Cow::Borrowed(self));
        }
        let mut opening = self.clone();
        opening.contract.variant = Some(format!("override_{}", d.number(root)?));
        opening.compare_anew();
        Ok(Cow::Owned(opening))
    }

    /// Only request, query and inform can be sent for now; the other opening acts come with bids. A principal is told
    /// something, and is asked by an ask.
    pub(crate) fn can_open(&self) -> Result<(), Refusal> {
        let message = match self.performative {
            Performative::Request | Performative::Query if self.to.is_principal() => format!(
                "{} is a principal: it can be informed, and asked through an ask; requests and queries go to agents",
                self.to
            ),
            Performative::Inform | Performative::Request | Performative::Query => return Ok(()),
            other => format!("{other} opens nothing here; send request, query or inform"),
        };
        Err(Refusal::saying(Reason::IllegalAct, message))
    }
}
