//! A thin client of remote agents: their card, and five calls over the binding that the card offers.
//!
//! What it guards against: a peer at an address that nobody meant (names are looked up under its eyes), answers without end, calls that
//! never return. What it does not do: retry, or decide what an outcome means. That does whoever calls; an
//! [`Error`] tells whether the peer may have got the request.

mod card;
mod error;
mod guard;
mod interface;
mod sse;
mod stream;
mod transport;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, header::AUTHORIZATION};
use reqwest::{Url, redirect};
use tokio::sync::Mutex;

pub use self::{card::Known, error::Error, stream::Events};
use self::{
    guard::Guard,
    interface::{Binding, Interface},
};
use crate::{
    map::SPEECH_ACT,
    wire::{
        CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse, Request,
        SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task,
    },
};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// Where a remote agent is, and how to call it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address of its card or, if it does not end in `.json`, what stands before the well-known path.
    pub url: String,
    /// The bearer token for it. It is sent to the origin of `url` alone.
    pub token: Option<String>,
    /// Headers to send with each call.
    pub headers: BTreeMap<String, String>,
    /// Whether it may be at a private address, loopback included; then its card may not lead to another host.
    pub allow_private: bool,
    /// How long a call may take.
    pub timeout: Duration,
}

/// What binds a peer to where its card is.
#[derive(Debug, Clone, Copy)]
enum Bound {
    /// A token: it is for that origin.
    Origin,
    /// A private address: that host was meant.
    Host,
    /// Nothing.
    Free,
}

impl Bound {
    const fn of(settings: &Settings) -> Self {
        match (&settings.token, settings.allow_private) {
            (Some(_), _) => Self::Origin,
            (None, true) => Self::Host,
            (None, false) => Self::Free,
        }
    }

    fn check(self, card: &Url, interface: &Url) -> Result<(), Error> {
        let (same, why) = match self {
            Self::Origin => (
                card.origin() == interface.origin(),
                "the token is for the origin of the card alone",
            ),
            Self::Host => (
                card.host() == interface.host(),
                "only the host of the card may be called at a private address",
            ),
            Self::Free => return Ok(()),
        };
        if same {
            return Ok(());
        }
        let to = interface.origin().ascii_serialization();
        Err(Error::Nonsense(format!(
            "its card leads to {to}, and {why}"
        )))
    }
}

/// A remote agent.
#[derive(Debug)]
pub struct Peer {
    http: reqwest::Client,
    guard: Guard,
    card_url: Url,
    bound: Bound,
    timeout: Duration,
    known: Mutex<Option<Arc<Known>>>,
}

impl Peer {
    /// A client of a remote agent. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Setup`] for an address or header that cannot be.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        let card_url = card::address(&settings.url)?;
        let guard = Guard::new(settings.allow_private);
        guard.check(&card_url)?;
        install_provider();
        let http = reqwest::Client::builder()
            .default_headers(headers(settings)?)
            .user_agent(concat!("tertulia/", env!("CARGO_PKG_VERSION")))
            // A redirect could lead to where the guard would not.
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            // A proxy would look names up itself, behind the guard's back.
            .no_proxy()
            .dns_resolver(Arc::new(guard))
            .build()
            .map_err(|error| Error::Setup(error.to_string()))?;
        Ok(Self {
            http,
            guard,
            card_url,
            bound: Bound::of(settings),
            timeout: settings.timeout,
            known: Mutex::default(),
        })
    }

    /// How long a call may take.
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Its card, as far as it may be kept, asked for again by its tag after that.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn card(&self) -> Result<Arc<Known>, Error> {
        let mut known = self.known.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.is_fresh()) {
            return Ok(Arc::clone(known));
        }
        let fetched = Arc::new(card::fetch(self, known.as_deref()).await?);
        *known = Some(Arc::clone(&fetched));
        Ok(fetched)
    }

    /// `SendMessage`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn send(&self, request: SendMessageRequest) -> Result<SendMessageResponse, Error> {
        let interface = self.interface().await?;
        let request = SendMessageRequest {
            tenant: interface.tenant.clone(),
            ..request
        };
        transport::call(self, &interface, &Request::SendMessage(request)).await
    }

    /// `GetTask`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn get(&self, id: &str, history_length: Option<i32>) -> Result<Task, Error> {
        let interface = self.interface().await?;
        let request = GetTaskRequest {
            tenant: interface.tenant.clone(),
            id: id.to_owned(),
            history_length,
        };
        transport::call(self, &interface, &Request::GetTask(request)).await
    }

    /// `ListTasks`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn list(&self, request: ListTasksRequest) -> Result<ListTasksResponse, Error> {
        let interface = self.interface().await?;
        let request = ListTasksRequest {
            tenant: interface.tenant.clone(),
            ..request
        };
        transport::call(self, &interface, &Request::ListTasks(request)).await
    }

    /// `CancelTask`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn cancel(&self, id: &str) -> Result<Task, Error> {
        let interface = self.interface().await?;
        let request = CancelTaskRequest {
            tenant: interface.tenant.clone(),
            id: id.to_owned(),
            ..CancelTaskRequest::default()
        };
        transport::call(self, &interface, &Request::CancelTask(request)).await
    }

    /// `SubscribeToTask`: its events from now on, beginning with the task as it stands.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn subscribe(&self, id: &str) -> Result<Events, Error> {
        let interface = self.interface().await?;
        let request = SubscribeToTaskRequest {
            tenant: interface.tenant.clone(),
            id: id.to_owned(),
        };
        let binding = interface.binding;
        let response =
            transport::open(self, &interface, &Request::SubscribeToTask(request)).await?;
        Ok(Events::new(response, binding))
    }

    /// Whether its card says that it streams.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn streams(&self) -> Result<bool, Error> {
        let known = self.card().await?;
        Ok(known.card().capabilities.streaming == Some(true))
    }

    async fn interface(&self) -> Result<Interface, Error> {
        let known = self.card().await?;
        let interface = Interface::choose(known.card(), &self.card_url)?;
        self.guard.check(&interface.url)?;
        self.bound.check(&self.card_url, &interface.url)?;
        Ok(interface)
    }
}

fn headers(settings: &Settings) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (name, value) in &settings.headers {
        let wrong = |what: &dyn std::fmt::Display| Error::Setup(format!("header {name}: {what}"));
        let key: HeaderName = name.parse().map_err(|error| wrong(&error))?;
        let value: HeaderValue = value.parse().map_err(|error| wrong(&error))?;
        headers.insert(key, value);
    }
    if let Some(token) = &settings.token {
        let value = HeaderValue::try_from(format!("Bearer {token}"));
        let wrong = |_| Error::Setup("the token holds characters that no header has".to_owned());
        let mut value = value.map_err(wrong)?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers.insert("a2a-version", HeaderValue::from_static("1.0"));
    headers.insert("a2a-extensions", HeaderValue::from_static(SPEECH_ACT));
    Ok(headers)
}

fn install_provider() {
    // An error means that the program has chosen one, which is then used.
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider()
            .install_default()
            .is_err()
    {
        tracing::debug!("another TLS provider was installed meanwhile");
    }
}
