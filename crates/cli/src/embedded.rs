//! A server in this process for the time of one command: `demo`, and `show --data`. It listens on loopback on any free
//! port, and whoever calls from this machine without a key is `user:dev`, as with `dev`.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    time::Duration,
};

use tertulia_acts::{allowance::Allowance, party::Party};
use tertulia_engine::{DataFolder, Engine};
use tertulia_server::{Auth, Settings};
use tertulia_worker::CancellationToken;
use tokio::task::JoinHandle;

use crate::{failure::Failure, house};

/// How long calls that are under way may take to end once the command is done.
const DRAIN: Duration = Duration::from_secs(2);

/// A server that runs until it is stopped.
pub(crate) struct Embedded {
    url: String,
    engine: Engine,
    stopping: CancellationToken,
    server: JoinHandle<std::io::Result<()>>,
}

impl Embedded {
    /// Opens the data in `folder`, which is made if it is not there, and begins to listen.
    ///
    /// # Errors
    /// The folder is in use or cannot be used, or there is no free port.
    pub(crate) async fn start(folder: &Path) -> Result<Self, Failure> {
        let user = Party::user("dev").map_err(|error| Failure::internal(error.to_string()))?;
        let (listener, address) = house::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let engine = house::open(DataFolder::Path(folder.to_owned()))?;
        let tenant = engine.tenant(house::TENANT).await;
        let tenant = tenant.map_err(|error| house::not_answered(&error))?;
        house::administrator(&engine, tenant, &user).await?;
        let url = format!("http://{address}");
        let settings = Settings {
            auth: Auth::DevUser {
                tenant: house::TENANT.to_owned(),
                party: user,
            },
            public_url: Some(url.clone()),
            default_agent: None,
            public_cards: None,
            allowance: Allowance::default(),
        };
        let router = tertulia_server::router(engine.clone(), settings);
        let stopping = CancellationToken::new();
        let shutdown = stopping.clone().cancelled_owned();
        let server = tokio::spawn(tertulia_server::serve(listener, router, shutdown));
        Ok(Self {
            url,
            engine,
            stopping,
            server,
        })
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Stops it: what was taken in is stored.
    pub(crate) async fn stop(mut self) {
        self.engine.drain();
        self.stopping.cancel();
        match tokio::time::timeout(DRAIN, &mut self.server).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(%error, "the listener failed"),
            Ok(Err(error)) => tracing::error!(%error, "the server broke"),
            Err(_) => self.server.abort(),
        }
        self.engine.stop().await;
    }
}
