//! `tertulia commitments`.

use serde_json::Value;

use crate::{
    api::Api,
    arguments::Commitments,
    exit::Exit,
    failure::Failure,
    output::{Output, Room, safe, table},
};

pub(super) async fn run(api: &Api, which: Commitments, output: Output) -> Result<Exit, Failure> {
    let answer = api
        .get(&["commitments"])
        .query(&[
            ("root", which.root),
            ("status", which.status),
            ("agent", which.agent),
        ])
        .value()
        .await?;
    let rows = answer["commitments"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let rows = rows.iter().map(row).collect();
    output.data(&answer, |out| {
        writeln!(
            out,
            "{}",
            table(
                &["commitment", "debtor", "creditor", "status", "task"],
                rows,
                &Room::whole()
            )
        )
    })?;
    Ok(Exit::Done)
}

fn row(commitment: &Value) -> Vec<String> {
    ["id", "debtor", "creditor", "status", "task"]
        .iter()
        .map(|member| safe(commitment[*member].as_str().unwrap_or("-")))
        .collect()
}
