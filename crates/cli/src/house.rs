//! The server in this process, for `dev` and `serve`: opens the store, loads agents, listens, and stops in order.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tertulia_acts::{
    allowance::Allowance,
    command::{Answer, Command, Configure},
    ids::TenantId,
    party::Party,
};
use tertulia_engine::{DataFolder, Engine, EngineError, Options, StartError, catalog::read_folder};
use tertulia_server::Settings;
use tertulia_worker::CancellationToken;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use crate::{command::wrong_agent, exit::Exit, failure::Failure, output::Output, residents};

/// The tenant that an installation begins with.
pub(crate) const TENANT: &str = "default";
/// How long calls that are under way may take to end once the server stops.
const DRAIN: Duration = Duration::from_secs(10);
/// Where errors of a running server are looked up.
const LOG: &str = "TERTULIA_LOG";

/// Writes what happens to standard error, from `level` up unless the environment says otherwise.
pub(crate) fn log(level: &str, output: Output) {
    let filter = EnvFilter::try_from_env(LOG).unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let set = if output.json {
        log.json().try_init()
    } else {
        // Colour is for terminals; the writer behind does not look.
        log.with_ansi(
            anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never,
        )
        .try_init()
    };
    if set.is_err() {
        output.warn("events are written elsewhere already");
    }
}

/// Takes the address that a server listens on.
pub(crate) async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let bound = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    bound.await.map_err(|error: std::io::Error| {
        let failure = Failure::usage(format!("cannot listen on {address}")).because(&error);
        if error.kind() == std::io::ErrorKind::AddrInUse {
            return failure.help(
                "another server may run there; choose another port, 0 takes any that is free",
            );
        }
        failure
    })
}

/// Opens the data.
pub(crate) fn open(data: DataFolder) -> Result<Engine, Failure> {
    Engine::start(&Options { data }).map_err(|error| match &error {
        // The store's own words tell what to do.
        StartError::Store(store) => Failure::new(Exit::Storage, store.to_string()),
        StartError::Io(_) => Failure::new(Exit::Storage, "the data folder cannot be used")
            .because(&error)
            .help("name another with --data, and check who may write to it"),
    })
}

/// Where the data lies, as a path that holds in every folder.
pub(crate) fn place(engine: &Engine) -> PathBuf {
    std::path::absolute(engine.folder()).unwrap_or_else(|_| engine.folder().to_owned())
}

/// Makes a tenant's principal, unless it is there.
pub(crate) async fn principal(
    engine: &Engine,
    tenant: TenantId,
    party: &Party,
) -> Result<(), Failure> {
    match engine.reader().principal(tenant, party) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => put_principal(engine, tenant, party, false).await,
        Err(error) => Err(not_answered(&error.into())),
    }
}

/// Makes a tenant's administrator, or one of who is there.
pub(crate) async fn administrator(
    engine: &Engine,
    tenant: TenantId,
    party: &Party,
) -> Result<(), Failure> {
    match engine.reader().principal(tenant, party) {
        Ok(Some(row)) if row.administers => Ok(()),
        Ok(_) => put_principal(engine, tenant, party, true).await,
        Err(error) => Err(not_answered(&error.into())),
    }
}

async fn put_principal(
    engine: &Engine,
    tenant: TenantId,
    party: &Party,
    administers: bool,
) -> Result<(), Failure> {
    let change = Configure::Principal {
        tenant,
        party: party.clone(),
        responsible: None,
        administers,
    };
    configure(engine, change).await
}

/// Loads the definitions in a folder, with the principals that own them, and tells the agents' names and owners.
pub(crate) async fn load_agents(
    engine: &Engine,
    tenant: TenantId,
    folder: &Path,
    allowance: &Allowance,
) -> Result<Vec<(PathBuf, String, Party)>, Failure> {
    let definitions = read_folder(folder).map_err(|error| wrong_agent(&error))?;
    for (file, definition) in &definitions {
        let allowed = allowance.judge(definition);
        allowed.map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    }
    let owners: BTreeSet<&Party> = definitions
        .iter()
        .map(|(_, definition)| &definition.owner)
        .collect();
    for owner in owners {
        principal(engine, tenant, owner).await?;
    }
    let mut loaded = Vec::new();
    for (file, definition) in definitions {
        let (name, owner) = (definition.name.clone(), definition.owner.clone());
        let change = Configure::Agent {
            tenant,
            definition: Arc::new(definition),
        };
        configure(engine, change).await.map_err(|failure| Failure {
            message: format!("{}: {}", file.display(), failure.message),
            ..failure
        })?;
        loaded.push((file, name, owner));
    }
    Ok(loaded)
}

/// Makes a change as the installation itself.
pub(crate) async fn configure(engine: &Engine, change: Configure) -> Result<(), Failure> {
    let answer = engine
        .call(Command::Configure(None, Box::new(change)))
        .await;
    match answer.map_err(|error| not_answered(&error))? {
        Answer::Outcome { .. } => Ok(()),
        Answer::Fault(fault) => Err(Failure::usage(fault.to_string())),
        other => Err(Failure::internal(format!(
            "a change of the configuration was answered {other:?}"
        ))),
    }
}

/// Why the engine did not answer.
pub(crate) fn not_answered(error: &EngineError) -> Failure {
    match error {
        EngineError::StorageFull | EngineError::StorageUnavailable(_) => {
            Failure::new(Exit::Storage, error.to_string())
        }
        EngineError::Internal(_) => Failure::internal(error.to_string()),
        _ => Failure::new(Exit::Busy, error.to_string()),
    }
}

/// Answers calls until the process is `asked` to end; then what is under way is brought to its end, stored and answered.
pub(crate) async fn serve(
    engine: Engine,
    listener: TcpListener,
    settings: Settings,
    asked: impl Future<Output = ()>,
    output: Output,
) -> Result<Exit, Failure> {
    let address = listener
        .local_addr()
        .map_err(|error| Failure::internal("the address is not known").because(&error))?;
    let tenant = engine.tenant(TENANT).await;
    let tenant = tenant.map_err(|error| not_answered(&error))?;
    let allowance = settings.allowance.clone();
    let router = tertulia_server::router(engine.clone(), settings);
    let (drained, mut draining) = tokio::sync::watch::channel(false);
    let shutdown = async move {
        // An error means that nobody can ask for the end any more, which is the end too.
        let _ = draining.changed().await;
    };
    let mut server = tokio::spawn(tertulia_server::serve(listener, router, shutdown));
    let leaving = CancellationToken::new();
    let residents = residents::begin(engine.clone(), tenant, address, allowance, leaving.clone());
    tokio::select! {
        ended = &mut server => {
            engine.stop().await;
            let why = match ended {
                Ok(Ok(())) => "it ended by itself".to_owned(),
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            return Err(Failure::internal(format!("the server stopped listening: {why}")));
        }
        () = asked => {}
    }
    output.note("stopping: what is under way is brought to its end");
    // The house's own runners give back what they hold while the house still takes it.
    leaving.cancel();
    if tokio::time::timeout(DRAIN, residents).await.is_err() {
        tracing::warn!("a runner did not give back its work in time");
    }
    engine.drain();
    drained.send_replace(true);
    if tokio::time::timeout(DRAIN, &mut server).await.is_err() {
        tracing::warn!(
            "calls were still under way after {} s and were cut off",
            DRAIN.as_secs()
        );
        server.abort();
    }
    engine.stop().await;
    Ok(Exit::Done)
}

/// Begins to take interrupts and requests to terminate, and ends with the first. Before anybody is told that the server
/// listens, so that none is missed.
pub(crate) fn asked_to_end() -> Result<impl Future<Output = ()>, Failure> {
    let cannot =
        |error: std::io::Error| Failure::internal("signals cannot be waited for").because(&error);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).map_err(cannot)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(cannot)?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    {
        let _ = cannot;
        Ok(async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}
