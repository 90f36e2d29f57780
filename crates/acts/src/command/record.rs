//! `record`: a result is stored as a step, so that a later attempt does not make it again.

use serde_json::Value;

use crate::receipt::Outcome;

pub(super) fn decide(value: &Value) -> Outcome {
    Outcome::Recorded {
        value: value.clone(),
    }
}
