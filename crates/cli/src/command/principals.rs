//! `tertulia principals`.

use serde_json::{Value, json};

use crate::{
    api::Api,
    arguments::Principals,
    exit::Exit,
    failure::Failure,
    output::{Output, Room, safe, table},
};

pub(super) async fn run(
    api: &Api,
    principals: Principals,
    output: Output,
) -> Result<Exit, Failure> {
    match principals {
        Principals::Add {
            party,
            responsible,
            administers,
        } => {
            let mut body = json!({"administers": administers});
            if let Some(responsible) = responsible {
                body["responsible"] = json!(responsible);
            }
            let added = api.put(&["principals", &party]).json(&body).value().await?;
            output.data(&added, |_| Ok(()))?;
            let said = if added["changed"] == true {
                "is a principal here"
            } else {
                "was one already, and nothing changed"
            };
            let party = safe(&party);
            output.note(&format!(
                "{party} {said}; give it a key with `tertulia keys create {party}`"
            ));
        }
        Principals::List => {
            let answer = api.get(&["principals"]).value().await?;
            let rows = answer["principals"]
                .as_array()
                .map_or(&[][..], Vec::as_slice);
            let rows = rows.iter().map(row).collect();
            let head = ["party", "responsible", "administers", "added"];
            output.data(&answer, |out| {
                writeln!(out, "{}", table(&head, rows, &Room::whole()))
            })?;
        }
    }
    Ok(Exit::Done)
}

fn row(principal: &Value) -> Vec<String> {
    let text = |member: &str| safe(principal[member].as_str().unwrap_or("-"));
    let administers = if principal["administers"] == true {
        "yes"
    } else {
        "-"
    };
    vec![
        text("party"),
        text("responsible"),
        administers.to_owned(),
        text("created_at"),
    ]
}
