//! `tertulia dev`: a server for development. Loopback only, no configuration, no keys: whoever calls from this machine
//! is `user:dev` (SEMANTICS 13).

use std::net::{Ipv4Addr, SocketAddr};

use serde_json::json;
use tertulia_acts::{allowance::Allowance, party::Party};
use tertulia_engine::DataFolder;
use tertulia_server::{Auth, Settings};

use crate::{
    arguments::{Dev, URL},
    exit::Exit,
    failure::Failure,
    house,
    output::{Output, STRONG, painted},
};

pub(super) async fn run(dev: &Dev, output: Output) -> Result<Exit, Failure> {
    house::log("warn", output);
    let asked = house::asked_to_end()?;
    let user = Party::user("dev").map_err(|error| Failure::internal(error.to_string()))?;
    let (listener, address) =
        house::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, dev.port))).await?;
    let data = dev
        .data
        .clone()
        .map_or(DataFolder::Temporary, DataFolder::Path);
    let temporary = matches!(data, DataFolder::Temporary);
    let engine = house::open(data)?;
    let tenant = engine
        .tenant(house::TENANT)
        .await
        .map_err(|error| house::not_answered(&error))?;
    house::administrator(&engine, tenant, &user).await?;
    let allowance = Allowance::loopback();
    let mut agents = Vec::new();
    if let Some(folder) = &dev.agents {
        for (file, name, owner) in house::load_agents(&engine, tenant, folder, &allowance).await? {
            if owner != user {
                output.warn(&format!(
                    "{}: agent:{name} belongs to {owner}; workers that call without a key are {user} and cannot claim for it",
                    file.display()
                ));
            }
            agents.push(name);
        }
    }
    let url = format!("http://{address}");
    let place = house::place(&engine).display().to_string();
    let ready = json!({"url": url, "data": place, "agents": agents});
    output.data(&ready, |out| writeln!(out, "{url}"))?;
    output.note(&friendly(&url, &place, temporary, &agents));
    let settings = Settings {
        auth: Auth::DevUser {
            tenant: house::TENANT.to_owned(),
            party: user,
        },
        public_url: Some(url),
        default_agent: dev.default_agent.clone(),
        public_cards: None,
        allowance,
    };
    house::serve(engine, listener, settings, asked, output).await
}

fn friendly(url: &str, place: &str, temporary: bool, agents: &[String]) -> String {
    let kept = if temporary {
        "goes with this process; keep it with --data DIR"
    } else {
        "stays"
    };
    let address = if url == URL {
        String::new()
    } else {
        format!("  export TERTULIA_URL={url}\n")
    };
    let next = match agents.first() {
        Some(agent) => format!("  tertulia delegate {agent} 'what to do'\n"),
        None => {
            "  tertulia agents add agents/*.md\n  tertulia delegate NAME 'what to do'\n".to_owned()
        }
    };
    format!(
        "{} on this machine only, without keys: callers are user:dev\nThe data in {place} {kept}.\n\n\
         Next, in another terminal:\n{address}{next}  tertulia explain\n\nCtrl-C stops it.",
        painted(STRONG, "Listening"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_commands_fit_what_was_started() {
        let text = friendly(URL, "/data", false, &["logs".to_owned()]);
        assert!(
            text.contains("tertulia delegate logs") && !text.contains("TERTULIA_URL"),
            "{text}"
        );
        let text = friendly("http://127.0.0.1:9", "data", true, &[]);
        assert!(
            text.contains("export TERTULIA_URL=http://127.0.0.1:9") && text.contains("--data DIR"),
            "{text}"
        );
    }
}
