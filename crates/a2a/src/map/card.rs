//! A version of an agent as its card.

use std::collections::BTreeMap;

use tertulia_acts::agent::{Definition, Skill, Version};

use super::extension::SPEECH_ACT;
use crate::wire::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill, SecurityRequirement,
    SecurityScheme, StringList,
    security::{ApiKeySecurityScheme, HttpAuthSecurityScheme},
};

/// What an agent reads and writes where its skills say nothing else.
const MODES: [&str; 3] = ["text/plain", "application/json", "application/octet-stream"];

/// The card of `version`, which answers at `url` over both bindings.
pub fn card(version: &Version, url: &str) -> AgentCard {
    let definition = &version.definition;
    AgentCard {
        name: definition.name.clone(),
        description: described(&definition.description, &definition.name),
        supported_interfaces: ["JSONRPC", "HTTP+JSON"]
            .map(|binding| AgentInterface {
                url: url.to_owned(),
                protocol_binding: binding.to_owned(),
                tenant: String::new(),
                protocol_version: "1.0".to_owned(),
            })
            .into(),
        version: version.digest.to_string(),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(false),
            extensions: vec![AgentExtension {
                uri: SPEECH_ACT.to_owned(),
                description: "Declares the performative and the reason of every act, and takes \
                              the caller's own: request, query or inform, an idempotency key, a \
                              contract and a work id."
                    .to_owned(),
                required: false,
                params: None,
            }],
            extended_agent_card: Some(false),
        },
        security_schemes: schemes(),
        security_requirements: ["bearer", "apiKey"].map(requirement).into(),
        default_input_modes: modes(definition, |skill| &skill.input_modes),
        default_output_modes: modes(definition, |skill| &skill.output_modes),
        skills: skills(definition),
        ..AgentCard::default()
    }
}

fn schemes() -> BTreeMap<String, SecurityScheme> {
    let bearer = SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
        description: "A key of a principal or an agent.".to_owned(),
        scheme: "Bearer".to_owned(),
        bearer_format: String::new(),
    });
    let key = SecurityScheme::ApiKey(ApiKeySecurityScheme {
        description: "The same key in a header of its own.".to_owned(),
        location: "header".to_owned(),
        name: "X-API-Key".to_owned(),
    });
    BTreeMap::from([("bearer".to_owned(), bearer), ("apiKey".to_owned(), key)])
}

fn requirement(scheme: &str) -> SecurityRequirement {
    SecurityRequirement {
        schemes: BTreeMap::from([(scheme.to_owned(), StringList::default())]),
    }
}

/// The modes of all skills together or, if none names any, what the house carries.
fn modes(definition: &Definition, of: impl Fn(&Skill) -> &Vec<String>) -> Vec<String> {
    let mut modes: Vec<String> = Vec::new();
    for mode in definition.skills.iter().flat_map(&of) {
        if !modes.contains(mode) {
            modes.push(mode.clone());
        }
    }
    if modes.is_empty() {
        modes = MODES.map(str::to_owned).into();
    }
    modes
}

/// Required fields of a card are never empty: some peers drop empty ones, and signatures would not verify.
fn described(text: &str, name: &str) -> String {
    if text.trim().is_empty() {
        format!("The agent {name}.")
    } else {
        text.to_owned()
    }
}

fn skills(definition: &Definition) -> Vec<AgentSkill> {
    if definition.skills.is_empty() {
        return vec![AgentSkill {
            id: definition.name.clone(),
            name: definition.name.clone(),
            description: described(&definition.description, &definition.name),
            tags: vec![definition.name.clone()],
            ..AgentSkill::default()
        }];
    }
    let skill = |skill: &Skill| AgentSkill {
        id: skill.id.clone(),
        name: if skill.name.is_empty() {
            skill.id.clone()
        } else {
            skill.name.clone()
        },
        description: described(&skill.description, &skill.id),
        tags: if skill.tags.is_empty() {
            vec![skill.id.clone()]
        } else {
            skill.tags.clone()
        },
        examples: skill.examples.clone(),
        input_modes: skill.input_modes.clone(),
        output_modes: skill.output_modes.clone(),
        security_requirements: Vec::new(),
    };
    definition.skills.iter().map(skill).collect()
}
