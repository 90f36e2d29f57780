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
            let answer = api.delete(&["keys", &id]).value().await?;
            output.data(&answer, |_| Ok(()))?;
            output.note("revoked: the key speaks for nobody any more");
        }
    }
    Ok(Exit::Done)
}

fn row(key: &Value) -> Vec<String> {
    ["id", "party", "label", "created_at", "revoked_at"]
        .iter()
        .map(|member| safe(key[*member].as_str().unwrap_or("-")))
        .collect()
}
