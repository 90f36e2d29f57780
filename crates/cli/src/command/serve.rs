//! `tertulia serve`: a server as tertulia.toml says. Callers need a key; what is open all the same is printed.

use std::borrow::Cow;

use serde_json::json;
use tertulia_acts::{
    command::Configure, digest::Digest, ids::TenantId, party::Party, viewer::Viewer,
};
use tertulia_engine::{DataFolder, Engine};
use tertulia_server::{Auth, Settings};

use crate::{
    arguments::{Serve, URL},
    configuration::{Authentication, Configuration},
    exit::Exit,
    failure::Failure,
    house,
    output::{Output, STRONG, painted},
};

pub(super) async fn run(serve: &Serve, output: Output) -> Result<Exit, Failure> {
    let mut configuration = Configuration::read(&serve.config)?;
    if let Some(listen) = serve.listen {
        configuration.listen = listen;
    }
    if let Some(data) = &serve.data {
        configuration.data.clone_from(data);
    }
    configuration.check_door()?;
    house::log("info", output);
    let asked = house::asked_to_end()?;
    let admin = Party::user("admin").map_err(|error| Failure::internal(error.to_string()))?;
    let (listener, address) = house::listen(configuration.listen).await?;
    let engine = house::open(DataFolder::Path(configuration.data.clone()))?;
    let tenant = engine
        .tenant(house::TENANT)
        .await
        .map_err(|error| house::not_answered(&error))?;
    let key = admin_key(&engine, tenant, &admin, serve.admin_key).await?;
    if let Some(folder) = &configuration.agents {
        house::load_agents(&engine, tenant, folder, &configuration.allowance()).await?;
    }
    if let Some(name) = &configuration.default_agent {
        let known = engine.reader().agent(tenant, name);
        if known
            .map_err(|error| house::not_answered(&error.into()))?
            .is_none()
        {
            return Err(Failure::usage(format!("the default agent {name} is not defined"))
                .help("add its definition to the agents folder, or take `default_agent` out of the configuration"));
        }
    }
    let url = format!("http://{address}");
    let mut ready = json!({"url": url, "data": house::place(&engine)});
    if let Some(key) = &key {
        ready["admin_key"] = json!(key);
    }
    output.data(&ready, |out| writeln!(out, "{url}"))?;
    if url != URL {
        output.note(&format!(
            "clients on this machine reach it with:\n  export TERTULIA_URL={url}"
        ));
    }
    tell(&configuration, key.as_deref(), output);
    let auth = match configuration.authentication {
        Authentication::Keys => Auth::Required,
        Authentication::None => Auth::DevUser {
            tenant: house::TENANT.to_owned(),
            party: admin,
        },
    };
    let allowance = configuration.allowance();
    let settings = Settings {
        auth,
        public_url: Some(configuration.public_url.unwrap_or(url)),
        default_agent: configuration.default_agent,
        allowance,
        public_cards: configuration.public_cards.then(|| house::TENANT.to_owned()),
    };
    house::serve(engine, listener, settings, asked, output).await
}

/// Makes the administrator, and a key where there is none or another is asked for.
async fn admin_key(
    engine: &Engine,
    tenant: TenantId,
    admin: &Party,
    another: bool,
) -> Result<Option<String>, Failure> {
    house::administrator(engine, tenant, admin).await?;
    let viewer = Viewer::new(tenant, admin.clone());
    let keys = engine
        .reader()
        .keys(&viewer)
        .map_err(|error| house::not_answered(&error.into()))?;
    let there = keys
        .iter()
        .any(|key| key.party == *admin && key.revoked.is_none());
    if there && !another {
        return Ok(None);
    }
    let key = format!("tertulia_{}", hex::encode(rand::random::<[u8; 32]>()));
    let change = Configure::Key {
        tenant,
        party: admin.clone(),
        digest: Digest::of(key.as_bytes()),
        label: if there {
            "serve --admin-key"
        } else {
            "first start"
        }
        .to_owned(),
    };
    house::configure(engine, change).await?;
    Ok(Some(key))
}

/// Tells the person the key, once, and what is open.
fn tell(configuration: &Configuration, key: Option<&str>, output: Output) {
    if let Some(key) = key {
        output.note(&format!(
            "\n{}\n\n  {key}\n\nIt is shown this once and stored as a digest. Use it with:\n  export TERTULIA_KEY={key}\n",
            painted(STRONG, "The key of user:admin"),
        ));
    }
    for open in open_doors(configuration) {
        output.warn(&format!("open: {open}"));
    }
}

/// What this configuration, and this version, lets through.
fn open_doors(configuration: &Configuration) -> Vec<Cow<'static, str>> {
    let mut open = Vec::new();
    for (variable, origin) in &configuration.remote_tokens {
        open.push(format!("any definition of an agent may have the value of {variable} sent to {origin} (remote_tokens)").into());
    }
    for host in &configuration.private_hosts {
        open.push(
            format!("any definition of an agent may have {host} called (private_hosts)").into(),
        );
    }
    if configuration.authentication == Authentication::None {
        open.push(
            "everybody on this machine is user:admin, without a key (authentication = \"none\")"
                .into(),
        );
    }
    if !configuration.listen.ip().is_loopback() {
        open.push("keys and bodies travel unencrypted beyond this machine; put a proxy with TLS before it".into());
    }
    if configuration.public_cards {
        open.push(
            "the A2A cards of all agents are shown without a key (public_cards = true)".into(),
        );
    }
    open.push("/healthz, /readyz, /metrics and /openapi.json answer without a key".into());
    open.push("any agent may delegate to any other of its tenant: no policy, authority or budget is judged yet".into());
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_told() {
        let mut configuration = Configuration::default();
        assert_eq!(open_doors(&configuration).len(), 2);
        configuration
            .remote_tokens
            .insert("LOGS".into(), "https://logs.example".into());
        configuration.private_hosts.insert("10.0.0.7".into());
        let open = open_doors(&configuration);
        assert!(
            open[0].contains("LOGS") && open[1].contains("10.0.0.7"),
            "{open:?}"
        );
        configuration = Configuration::default();
        configuration.authentication = Authentication::None;
        assert!(open_doors(&configuration)[0].contains("user:admin"));
        configuration.listen = "0.0.0.0:1".parse().unwrap();
        assert!(open_doors(&configuration)[1].contains("TLS"));
    }
}
