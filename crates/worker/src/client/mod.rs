//! The client: typed calls over one pool of connections.

mod acts;
mod agents;
mod call;
mod conversations;
mod events;
mod hops;
mod tasks;

use std::{net::IpAddr, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, Method, header::AUTHORIZATION};
use reqwest::{Url, redirect};

use self::call::Call;
pub use self::{events::EventStream, hops::StepHeaders};
use crate::{problem::Error, retry::Retry};

/// How long a call may take beyond what it waits on purpose.
const CALL: Duration = Duration::from_secs(30);
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// A client of one server, with one key. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Arc<Url>,
    retry: Retry,
}

impl Client {
    /// A client of the server at `base`, for example `http://127.0.0.1:4242`, that calls with `key`. `tertulia dev`
    /// takes calls from loopback without one.
    ///
    /// For an `https` base, ring is installed as the process's TLS provider if there is none.
    ///
    /// # Errors
    /// `base` is no http or https address, or `key` cannot stand in a header.
    pub fn new(base: &str, key: Option<&str>) -> Result<Self, Error> {
        let url = Url::parse(base).map_err(|error| {
            Error::Setup(format!("`{base}` is no address of a server: {error}"))
        })?;
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                let text = "the key is empty or holds characters that no key has";
                return Err(Error::Setup(text.to_owned()));
            }
            let mut value = HeaderValue::try_from(format!("Bearer {key}"))
                .map_err(|error| Error::Setup(error.to_string()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let builder = reqwest::Client::builder()
            .default_headers(headers)
            .user_agent(concat!("tertulia-worker/", env!("CARGO_PKG_VERSION")))
            // The key goes to the server that it was given for and nowhere else.
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT);
        let builder = if is_loopback(&url) {
            // No proxy reaches this machine's own loopback.
            builder.no_proxy()
        } else {
            builder
        };
        let builder = match url.scheme() {
            // The certificates of the system are read only where they are needed.
            "http" => builder.tls_backend_preconfigured(trusting_nobody()?),
            "https" => {
                install_provider();
                builder
            }
            other => {
                let text = format!(
                    "`{base}` is no address of a server: expected http: or https:, found {other}:"
                );
                return Err(Error::Setup(text));
            }
        };
        let http = builder
            .build()
            .map_err(|error| Error::Setup(error.to_string()))?;
        Ok(Self {
            http,
            base: Arc::new(url),
            retry: Retry::default(),
        })
    }

    /// The same client, more or less patient.
    pub const fn retrying(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// The address it calls.
    pub fn base(&self) -> &Url {
        &self.base
    }

    /// The connections beneath, which carry the key: for calls that have no method here.
    pub const fn http(&self) -> &reqwest::Client {
        &self.http
    }

    fn get<'a>(&'a self, path: &[&str]) -> Call<'a> {
        Call::new(self, Method::GET, path)
    }

    fn post<'a>(&'a self, path: &[&str]) -> Call<'a> {
        Call::new(self, Method::POST, path)
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// TLS for calls that use none, so that no provider need be installed and no certificate read.
fn trusting_nobody() -> Result<rustls::ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Setup(error.to_string()))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(config)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_made_for_http_and_https_only() {
        assert!(Client::new("http://127.0.0.1:1", None).is_ok());
        assert!(Client::new("https://example.org", Some("k")).is_ok());
        for key in ["", "é", "a b", "a\n"] {
            let error = Client::new("http://127.0.0.1:1", Some(key)).unwrap_err();
            assert!(error.to_string().contains("the key"), "{error}");
        }
        for base in ["127.0.0.1:1", "ftp://example.org", ""] {
            let error = Client::new(base, None).unwrap_err().to_string();
            assert!(error.contains(base), "{error}");
        }
    }

    #[test]
    fn loopback_is_known_by_name_and_address() {
        for (base, expected) in [
            ("http://localhost:1", true),
            ("http://127.3.2.1", true),
            ("http://[::1]:1", true),
            ("http://localhost.example.org", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(base).unwrap()), expected, "{base}");
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let client = Client::new("http://127.0.0.1:1", Some("s3cret")).unwrap();
        assert!(!format!("{client:?}").contains("s3cret"));
        assert!(Client::new("http://127.0.0.1:1", Some("a\nb")).is_err());
    }
}
