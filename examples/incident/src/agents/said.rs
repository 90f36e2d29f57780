//! Bodies: what acts say, read as what the rules take, and written from what they return. What was
//! said is foreign, so all that does not fit is told in words, never trusted.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tertulia_worker::Reply;
use tertulia_worker::wire::{Act, ArtifactIn, Part};

use crate::investigation::{INVESTIGATION_CONTRACT, Investigation};

/// The investigation that an act asks for, or why it asks for none.
pub(super) fn investigation(act: &Act) -> Result<Investigation, String> {
    let asked: Investigation = match act.data() {
        Some(Ok(asked)) => asked,
        Some(Err(error)) => {
            return Err(format!("this is no {INVESTIGATION_CONTRACT}: {error}"));
        }
        None => {
            return Err(format!(
                "there is no data in the request; send an {INVESTIGATION_CONTRACT} as a data part"
            ));
        }
    };
    if asked.contract == INVESTIGATION_CONTRACT {
        Ok(asked)
    } else {
        Err(format!(
            "the contract `{}` is not known here; send an {INVESTIGATION_CONTRACT}",
            asked.contract
        ))
    }
}

/// The report in a reply, or why there is none.
pub(super) fn report<T: DeserializeOwned>(reply: &Reply) -> Result<T, String> {
    if !reply.is_result() {
        return Err(reply.reason().unwrap_or("no reason was given").to_owned());
    }
    match reply.data() {
        Some(Ok(report)) => Ok(report),
        Some(Err(error)) => Err(format!("the result cannot be read: {error}")),
        None => Err("the result holds no data".to_owned()),
    }
}

/// A sentence for people, and the same in values.
pub(super) fn parts<T: Serialize>(
    text: impl Into<String>,
    value: &T,
) -> Result<Vec<Part>, serde_json::Error> {
    Ok(vec![Part::text(text), Part::of(value)?])
}

/// A report as a file of its own, which has a digest.
pub(super) fn file<T: Serialize>(name: &str, value: &T) -> Result<ArtifactIn, serde_json::Error> {
    Ok(ArtifactIn::data(name, serde_json::to_value(value)?))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cases;
    use crate::logs::LogReport;

    fn act(parts: &Value) -> Act {
        serde_json::from_value(json!({"performative": "request", "parts": parts})).unwrap()
    }

    #[test]
    fn an_investigation_is_read_and_anything_else_is_told() {
        let asked = cases::request("INC-42").unwrap();
        let good = act(&json!([{"text": "explain"}, {"data": asked}]));
        assert_eq!(investigation(&good), Ok(asked.clone()));

        let mut other = asked;
        other.contract = "incident-investigation/v9".to_owned();
        for (parts, says) in [
            (json!([{"text": "explain INC-42"}]), "no data"),
            (
                json!([{"data": {"incident": "INC-42"}}]),
                "this is no incident-investigation/v1",
            ),
            (json!([{"data": other}]), "incident-investigation/v9"),
        ] {
            let error = investigation(&act(&parts)).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_refuse_is_no_report_and_neither_is_a_result_of_another_shape() {
        let reply = |act: Value| Reply {
            act: Some(Box::new(serde_json::from_value(act).unwrap())),
            prompt: Vec::new(),
            task: None,
        };
        for (act, says) in [
            (
                json!({"performative": "refuse", "reason": "expired"}),
                "expired",
            ),
            (
                json!({"performative": "inform", "parts": [{"text": "all well"}]}),
                "no data",
            ),
            (
                json!({"performative": "inform", "parts": [{"data": {"logs": 1}}]}),
                "cannot be read",
            ),
        ] {
            let error = report::<LogReport>(&reply(act)).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
