//! `tertulia keys`.

use serde_json::{Value, json};

use crate::{
    api::Api,
    arguments::Keys,
    exit::Exit,
    failure::Failure,
    output::{Output, Room, safe, table},
};

pub(super) async fn run(api: &Api, keys: Keys, output: Output) -> Result<Exit, Failure> {
    match keys {
        Keys::Create { party, label } => {
            let party = super::party(&party);
            let body = json!({"party": party, "label": label});
            let made = api.post(&["keys"]).json(&body).value().await?;
            let key = made["key"].as_str().unwrap_or_default();
            output.data(&made, |out| writeln!(out, "{}", safe(key)))?;
            output.note(&format!(
                "the key of {} is shown this once; its id is {}",
                safe(&party),
                safe(made["id"].as_str().unwrap_or("-"))
            ));
        }
        Keys::List => {
            let answer = api.get(&["keys"]).value().await?;
            let rows = answer["keys"].as_array().map_or(&[][..], Vec::as_slice);
            let rows = rows.iter().map(row).collect();
            output.data(&answer, |out| {
                writeln!(
                    out,
                    "{}",
                    table(
                        &["id", "party", "label", "made", "revoked"],
                        rows,
                        &Room::whole()
                    )
                )
            })?;
        }
        Keys::Revoke { id } => {
            let id = whole(api, id).await?;
            let answer = api.delete(&["keys", &id]).value().await?;
            output.data(&answer, |_| Ok(()))?;
            output.note("revoked: the key speaks for nobody any more");
        }
    }
    Ok(Exit::Done)
}

/// The id of a key that may have been shortened to its first digits; as it was typed, if none begins so.
async fn whole(api: &Api, typed: String) -> Result<String, Failure> {
    let digits = typed.strip_prefix("sha256:").unwrap_or(&typed);
    let shortened =
        (4..64).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_hexdigit());
    if !shortened {
        return Ok(typed);
    }
    let begin = format!("sha256:{}", digits.to_ascii_lowercase());
    let answer = api.get(&["keys"]).value().await?;
    let keys = answer["keys"].as_array().map_or(&[][..], Vec::as_slice);
    let ids = keys.iter().filter_map(|key| key["id"].as_str());
    let mut found: Vec<&str> = ids.filter(|id| id.starts_with(&begin)).collect();
    match (found.pop(), found.is_empty()) {
        (Some(id), true) => Ok(id.to_owned()),
        (Some(_), false) => Err(Failure::usage(format!("several keys begin with {begin}"))
            .help("give more digits; `tertulia keys list` has them")),
        (None, _) => Err(Failure::new(
            Exit::Absent,
            format!("you have no key that begins with {begin}"),
        )
        .help("`tertulia keys list` shows those that you have")),
    }
}

fn row(key: &Value) -> Vec<String> {
    ["id", "party", "label", "created_at", "revoked_at"]
        .iter()
        .map(|member| safe(key[*member].as_str().unwrap_or("-")))
        .collect()
}
