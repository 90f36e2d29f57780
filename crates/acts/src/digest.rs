//! Digests, hop tokens and the seeded generator of ids.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::{ids::RootId, time::Timestamp};

/// A SHA-256 digest, written `sha256:<64 hex digits>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several byte strings, each preceded by its length, so that no two lists share one.
    #[must_use]
    pub fn of_all<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// The first 16 bytes: enough for a key in an index (SEMANTICS 14).
    #[must_use]
    pub fn short(&self) -> Hash16 {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0[..16]);
        Hash16(short)
    }
}

impl Digest {
    /// Its text, made in one piece: it is written often.
    fn with_text<T>(&self, then: impl FnOnce(&str) -> T) -> T {
        let mut text = *b"sha256:----------------------------------------------------------------";
        let (_, digits) = text.split_at_mut(7);
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        // It is ASCII: the other case is for the compiler.
        then(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// The hex digit of a number below 16.
const fn digit(n: u8) -> u8 {
    if n < 10 { b'0' + n } else { b'a' + n - 10 }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: expected sha256:<64 hex digits>")]
pub struct InvalidDigest;

impl FromStr for Digest {
    type Err = InvalidDigest;
    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let digits = text.strip_prefix("sha256:").ok_or(InvalidDigest)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).map_err(|_| InvalidDigest)?;
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| s.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(d)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// Half a digest, for keys in indexes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash16(pub [u8; 16]);

impl fmt::Debug for Hash16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl Serialize for Hash16 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Hash16 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        let mut bytes = [0; 16];
        hex::decode_to_slice(text.as_bytes(), &mut bytes).map_err(de::Error::custom)?;
        Ok(Self(bytes))
    }
}

/// What a worker drew with its claim: at least 128 random bits, never stored or logged (SEMANTICS 3).
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimSecret(Vec<u8>);

impl ClaimSecret {
    /// Takes a drawn secret.
    ///
    /// # Errors
    /// Shorter than 16 bytes or longer than 64.
    pub fn new(bytes: Vec<u8>) -> Result<Self, InvalidSecret> {
        if (16..=64).contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(InvalidSecret)
        }
    }

    /// The token of the lease named `lease`: the first 128 bits of SHA-256(secret ‖ lease id).
    #[must_use]
    pub fn token(&self, lease: &crate::ids::LeaseId) -> HopToken {
        let mut hasher = Sha256::new();
        hasher.update(&self.0);
        hasher.update(lease.to_string().as_bytes());
        let digest: [u8; 32] = hasher.finalize().into();
        HopToken(Digest(digest).short().0)
    }
}

impl fmt::Debug for ClaimSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClaimSecret(…)")
    }
}

/// A claim secret of the wrong length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the claim secret must be 16 to 64 random bytes")]
pub struct InvalidSecret;

/// The token of a lease, by which an agent at work is known. Shown to its worker alone; stored as its digest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HopToken([u8; 16]);

impl HopToken {
    /// What the lease row is found by.
    #[must_use]
    pub fn hash(&self) -> Digest {
        Digest::of(&self.0)
    }

    /// The token as its worker sends it: 32 hex digits.
    #[must_use]
    pub fn reveal(&self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for HopToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HopToken(…)")
    }
}

/// Text that is no hop token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a hop token: send the `token` of a lease that a claim returned")]
pub struct InvalidToken;

impl FromStr for HopToken {
    type Err = InvalidToken;
    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| InvalidToken)?;
        Ok(Self(bytes))
    }
}

/// Draws the ids of one command from a seed that the shell drew (SEMANTICS 14).
#[derive(Debug, Clone)]
pub struct Ids {
    seed: [u8; 32],
    drawn: u64,
}

impl Ids {
    /// A generator over `seed`: the same seed gives the same ids.
    #[must_use]
    pub const fn new(seed: [u8; 32]) -> Self {
        Self { seed, drawn: 0 }
    }

    /// A new root, a `UUIDv7` of `now` (RFC 9562, section 5.7).
    pub fn root(&mut self, now: Timestamp) -> RootId {
        let draw = Digest::of_all([&self.seed[..], &self.drawn.to_be_bytes()[..]]);
        self.drawn += 1;
        let mut random = [0; 10];
        random.copy_from_slice(&draw.0[..10]);
        let millis = u64::try_from(now.0).unwrap_or(0);
        RootId(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }
}

impl RootId {
    /// The bytes a store keys by.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The root of stored bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LeaseId;

    #[test]
    fn lists_of_bytes_do_not_collide_at_their_seams() {
        assert_ne!(
            Digest::of_all([&b"ab"[..], &b"c"[..]]),
            Digest::of_all([&b"a"[..], &b"bc"[..]])
        );
    }

    #[test]
    fn a_token_follows_from_secret_and_lease() {
        let mut ids = Ids::new([7; 32]);
        let root = ids.root(Timestamp(1_700_000_000_000));
        let secret = ClaimSecret::new(vec![1; 16]).unwrap();
        let token = secret.token(&LeaseId::new(root, 4));
        assert_eq!(token, secret.token(&LeaseId::new(root, 4)));
        assert_ne!(token, secret.token(&LeaseId::new(root, 5)));
        assert_ne!(
            token,
            ClaimSecret::new(vec![2; 16])
                .unwrap()
                .token(&LeaseId::new(root, 4))
        );
        assert_eq!(token.reveal().parse::<HopToken>().unwrap(), token);
    }

    #[test]
    fn secrets_and_tokens_do_not_show_in_debug_output() {
        let secret = ClaimSecret::new(vec![0xab; 16]).unwrap();
        assert!(!format!("{secret:?}").contains("ab"));
        assert!(ClaimSecret::new(vec![1; 15]).is_err());
    }

    #[test]
    fn roots_are_version_seven_and_differ() {
        let mut ids = Ids::new([3; 32]);
        let now = Timestamp(1_700_000_000_000);
        let (a, b) = (ids.root(now), ids.root(now));
        assert_eq!(a.0.get_version_num(), 7);
        assert_ne!(a, b);
        assert_eq!(Ids::new([3; 32]).root(now), a);
    }
}
