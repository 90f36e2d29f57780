//! The house's own runners: they work for the agents whose definitions say `runner: a2a`, as any worker would, over
//! loopback and with keys of their own that last as long as the process.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Mutex, PoisonError},
};

use futures_util::future::BoxFuture;
use tertulia_acts::{
    allowance::Allowance,
    command::{Command, Configure},
    digest::Digest,
    ids::TenantId,
    limits::BATCH_ITEMS,
    party::Party,
    viewer::Viewer,
};
use tertulia_engine::{Engine, EngineError};
use tertulia_runners::{Directory, Runners, Versions};
use tertulia_worker::{CancellationToken, Client};
use tokio::task::JoinHandle;

/// What the keys of runners are called.
const LABEL: &str = "runner:a2a";

/// Begins to run the remote agents of a tenant, at the server that listens on `address`, until `shutdown`.
pub(crate) fn begin(
    engine: Engine,
    tenant: TenantId,
    address: SocketAddr,
    allowance: Allowance,
    shutdown: CancellationToken,
) -> JoinHandle<()> {
    let directory = Residents {
        engine,
        tenant,
        url: format!("http://{}", from_here(address)),
        seen: Mutex::default(),
    };
    tokio::spawn(Runners::new(directory, allowance).run(shutdown))
}

/// The address by which this machine reaches a server that listens on all of its addresses.
fn from_here(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

struct Residents {
    engine: Engine,
    tenant: TenantId,
    url: String,
    /// The agents with remote versions as of a config epoch: they change with it only.
    seen: Mutex<Option<(u64, Vec<Resident>)>>,
}

/// An agent of which at least one version is remote.
#[derive(Clone)]
struct Resident {
    name: String,
    retired: bool,
    versions: Versions,
}

impl Residents {
    /// Those that have something to do here: one that was retired, until what it has is done.
    fn look(&self) -> Result<BTreeMap<String, Versions>, EngineError> {
        let mut agents = BTreeMap::new();
        for resident in self.residents()? {
            if !resident.retired || self.has_work(&resident.name)? {
                agents.insert(resident.name, resident.versions);
            }
        }
        Ok(agents)
    }

    fn has_work(&self, agent: &str) -> Result<bool, EngineError> {
        let read = self.engine.reader().agent(self.tenant, agent)?;
        Ok(read.is_some_and(|read| read.workload.open > 0))
    }

    fn residents(&self) -> Result<Vec<Resident>, EngineError> {
        let reader = self.engine.reader();
        let epoch = reader.tenant(self.tenant)?.map_or(0, |tenant| tenant.epoch);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, residents)) = seen.as_ref()
            && *at == epoch
        {
            return Ok(residents.clone());
        }
        let mut residents = Vec::new();
        for read in reader.agents(self.tenant)? {
            let mut versions = reader.versions(self.tenant, &read.agent.name)?;
            versions.retain(|version| version.definition.runner.is_remote());
            // A claim names so many at most; conversations that keep still older ones have long had the time to end.
            versions.drain(..versions.len().saturating_sub(BATCH_ITEMS));
            if !versions.is_empty() {
                residents.push(Resident {
                    name: read.agent.name,
                    retired: read.agent.retired,
                    versions: versions
                        .iter()
                        .map(|version| version.digest.to_string())
                        .collect(),
                });
            }
        }
        *seen = Some((epoch, residents.clone()));
        Ok(residents)
    }

    /// A key for the agent; those of earlier processes are revoked.
    async fn key(&self, agent: &str) -> Result<String, String> {
        let party = Party::agent(agent).map_err(|error| error.to_string())?;
        let viewer = Viewer::new(self.tenant, party.clone());
        let keys = self
            .engine
            .reader()
            .keys(&viewer)
            .map_err(|error| error.to_string())?;
        for key in keys {
            if key.party == party && key.label == LABEL && key.revoked.is_none() {
                let tenant = self.tenant;
                let digest = key.digest;
                self.configure(Configure::RevokeKey { tenant, digest })
                    .await?;
            }
        }
        let key = format!("tertulia_{}", hex::encode(rand::random::<[u8; 32]>()));
        self.configure(Configure::Key {
            tenant: self.tenant,
            party,
            digest: Digest::of(key.as_bytes()),
            label: LABEL.to_owned(),
        })
        .await?;
        Ok(key)
    }

    async fn configure(&self, change: Configure) -> Result<(), String> {
        let command = Command::Configure(None, Box::new(change));
        match self.engine.call(command).await {
            Ok(tertulia_acts::command::Answer::Outcome { .. }) => Ok(()),
            Ok(other) => Err(format!("a key was answered {other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Directory for Residents {
    fn remote_agents(&self) -> BoxFuture<'_, Result<BTreeMap<String, Versions>, String>> {
        Box::pin(async move { self.look().map_err(|error| error.to_string()) })
    }

    fn client<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<Client, String>> {
        Box::pin(async move {
            let key = self.key(agent).await?;
            Client::new(&self.url, Some(&key)).map_err(|error| error.to_string())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_reached_by_loopback() {
        for (listens, reached) in [
            ("0.0.0.0:7300", "127.0.0.1:7300"),
            ("[::]:1", "[::1]:1"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            let reached: SocketAddr = reached.parse().unwrap();
            assert_eq!(from_here(listens.parse().unwrap()), reached);
        }
    }
}
