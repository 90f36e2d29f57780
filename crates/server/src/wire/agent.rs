//! Finding agents, and checking the definitions that come through the API.

use serde::Deserialize;
use tertulia_acts::agent::{Definition, Skill};
use utoipa::IntoParams;

/// Which agents to find. What is not named does not matter.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgentQuery {
    /// With a skill that has this tag.
    tag: Option<String>,
    /// With a skill that reads this media type.
    input_mode: Option<String>,
    /// With a skill that writes this media type.
    output_mode: Option<String>,
    /// With these words in its name, its description or a skill.
    q: Option<String>,
}

impl AgentQuery {
    /// Whether an agent is one of them. What is named must hold of one skill.
    pub(crate) fn finds(&self, definition: &Definition) -> bool {
        let by_skill =
            self.tag.is_some() || self.input_mode.is_some() || self.output_mode.is_some();
        let skill = !by_skill || definition.skills.iter().any(|skill| self.fits(skill));
        skill
            && self
                .q
                .as_ref()
                .is_none_or(|words| speaks_of(definition, words))
    }

    fn fits(&self, skill: &Skill) -> bool {
        let has = |list: &[String], wanted: Option<&String>| {
            wanted.is_none_or(|wanted| list.iter().any(|one| one.eq_ignore_ascii_case(wanted)))
        };
        has(&skill.tags, self.tag.as_ref())
            && has(&skill.input_modes, self.input_mode.as_ref())
            && has(&skill.output_modes, self.output_mode.as_ref())
    }
}

/// Whether each of the words occurs, whatever its case.
fn speaks_of(definition: &Definition, words: &str) -> bool {
    let mut text = format!("{}\n{}", definition.name, definition.description);
    for skill in &definition.skills {
        for line in [&skill.id, &skill.name, &skill.description]
            .into_iter()
            .chain(&skill.tags)
        {
            text.push('\n');
            text.push_str(line);
        }
    }
    let text = text.to_lowercase();
    words
        .to_lowercase()
        .split_whitespace()
        .all(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs() -> Definition {
        serde_json::from_value(serde_json::json!({
            "name": "logs", "description": "Reads log windows.", "owner": "user:ana",
            "skills": [
                {"id": "search", "description": "Finds lines", "tags": ["Logs"], "input_modes": ["text/plain"]},
                {"id": "chart", "description": "Draws", "output_modes": ["image/png"]},
            ],
        }))
        .unwrap()
    }

    fn finds(query: &str) -> bool {
        serde_urlencoded(query).finds(&logs())
    }

    fn serde_urlencoded(query: &str) -> AgentQuery {
        let uri: http::Uri = format!("/?{query}").parse().unwrap();
        axum::extract::Query::<AgentQuery>::try_from_uri(&uri)
            .unwrap()
            .0
    }

    #[test]
    fn an_agent_is_found_by_what_one_skill_has() {
        assert!(finds("") && finds("tag=logs") && finds("tag=logs&input_mode=text/plain"));
        assert!(
            !finds("tag=logs&output_mode=image/png"),
            "of two different skills"
        );
        assert!(!finds("tag=metrics"));
    }

    #[test]
    fn an_agent_is_found_by_words_in_any_order_and_case() {
        assert!(finds("q=WINDOWS%20reads") && finds("q=finds"));
        assert!(!finds("q=windows%20curtains"));
    }
}
