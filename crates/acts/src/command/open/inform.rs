//! A notice to a principal: an entry of its inbox. Nothing is asked, so there is no task (SEMANTICS 1).

use serde_json::json;

use super::making::Making;
use crate::{
    event::EventKind,
    facts::{Draft, Stop},
    receipt::Outcome,
    transition::{About, bring, log, notify, speak},
};

impl Making<'_> {
    /// Says the notice and puts it in the inbox.
    pub(super) fn inform(&self, d: &mut Draft<'_>) -> Result<Outcome, Stop> {
        let root = self.opener.root;
        let conversation = self.conversation(d, None)?.id;
        let artifacts = bring(d, root, self.opening.artifacts())?;
        let about = About {
            conversation,
            root,
            task: None,
            parent: self.parent(),
        };
        let act = speak(d, &about, self.speech(artifacts))?;
        let detail = json!({"act": act, "performative": self.performative});
        log(d, conversation, None, EventKind::ConversationAct, detail)?;
        notify(d, self.opener.tenant, &self.opening.to, act, None, None)?;
        if self.opener.under.is_none() {
            // Nothing is open under a root that only informs.
            let mut row = d.root(root)?;
            row.ended = Some(d.now);
            d.put(row);
        }
        Ok(Outcome::Notified { act })
    }
}
