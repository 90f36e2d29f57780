//! Where calls may go: a definition, or a card, must not make the house call its own network. Names are looked up here,
//! and what they resolve to is judged, so that no name can point elsewhere a moment later.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

/// An address to which no call is made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is at a private address; if that is meant, say `allow_private: true` in the definition of the agent"
)]
pub struct Forbidden(String);

/// Judges addresses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guard {
    allow_private: bool,
}

impl Guard {
    pub(super) const fn new(allow_private: bool) -> Self {
        Self { allow_private }
    }

    /// Judges an address that is written as a number; names are judged when they are looked up.
    pub(super) fn check(self, url: &Url) -> Result<(), Forbidden> {
        let host = url.host_str().unwrap_or_default();
        let number = host.trim_start_matches('[').trim_end_matches(']');
        match number.parse() {
            Ok(address) if !self.allows(address) => Err(Forbidden(host.to_owned())),
            _ => Ok(()),
        }
    }

    fn allows(self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = *self;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0))
                .await?
                .filter(|address| guard.allows(address.ip()))
                .collect();
            if found.is_empty() {
                return Err(Forbidden(host).into());
            }
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether an address is of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        // Shared by carriers (RFC 6598), protocol assignments, benchmarks, reserved.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        // NAT64 and 6to4 carry an IPv4 address.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            is_public_v4(embedded(high, low))
        }
        // Of the global unicast range, all but documentation and Teredo.
        [0x2001, 0x0db8 | 0, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_told_from_public_ones() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "198.18.0.1",
            "192.0.0.8",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "100.128.0.1",
            "172.32.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn numbers_are_judged_before_a_call_and_names_when_they_are_looked_up() {
        let check = |allow, url: &str| Guard::new(allow).check(&url.parse().unwrap());
        assert!(check(false, "http://127.0.0.1:80/").is_err());
        assert!(check(false, "http://[::1]/").is_err());
        assert!(
            check(false, "http://2130706433/").is_err(),
            "127.0.0.1 as one number"
        );
        assert!(check(true, "http://127.0.0.1/").is_ok());
        assert!(check(false, "https://example.org/").is_ok());
    }

    #[tokio::test]
    async fn a_name_that_leads_to_loopback_is_forbidden() {
        let resolved = Guard::new(false)
            .resolve("localhost".parse().unwrap())
            .await;
        let error = resolved.err().unwrap();
        assert!(error.downcast_ref::<Forbidden>().is_some(), "{error}");
        assert!(
            Guard::new(true)
                .resolve("localhost".parse().unwrap())
                .await
                .is_ok()
        );
    }
}
