//! The fingerprint of what is asked (SEMANTICS 5): equal for equivalent requests, whatever their deadline, budget,
//! keys or work ids.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::{
    body::{Body, Content, NewArtifact},
    contract::Contract,
    digest::Digest,
    party::Party,
};

/// The version of the algorithm; stored with each fingerprint, so that a later one does not match it by chance. Before 2,
/// files that came with the act did not count.
pub const ALGORITHM: u8 = 2;

/// A fingerprint, with the version of the algorithm that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The version of the algorithm.
    pub algorithm: u8,
    /// The digest.
    pub digest: Digest,
}

impl Fingerprint {
    /// What `recipient` is asked by `body` and the files with it, under `contract`.
    #[must_use]
    pub fn of(
        recipient: &Party,
        body: &Body,
        artifacts: &[NewArtifact],
        contract: &Contract,
    ) -> Self {
        let mut fields: Vec<Vec<u8>> = vec![recipient.to_string().into_bytes()];
        for part in &body.parts {
            fields.push(match &part.content {
                Content::Text(text) => tagged(b'o', objective(text, contract.fold_case).as_bytes()),
                // Maps of serde_json are ordered by name, so equal data has equal bytes.
                Content::Data(data) => tagged(b'd', data.to_string().as_bytes()),
                Content::File(file) => match (&file.digest, &file.url) {
                    (Some(digest), _) => tagged(b'f', &digest.0),
                    (None, Some(url)) => tagged(b'u', url.as_bytes()),
                    (None, None) => {
                        tagged(b'n', file.name.as_deref().unwrap_or_default().as_bytes())
                    }
                },
            });
        }
        for artifact in artifacts {
            fields.push(tagged(b'a', &artifact.digest().0));
        }
        fields.push(tagged(
            b'c',
            contract.name.as_deref().unwrap_or_default().as_bytes(),
        ));
        fields.push(tagged(
            b'r',
            contract.result.as_deref().unwrap_or_default().as_bytes(),
        ));
        fields.push(tagged(
            b'v',
            contract.variant.as_deref().unwrap_or_default().as_bytes(),
        ));
        for input in &contract.inputs {
            fields.push(tagged(b'i', input.name.as_bytes()));
            fields.push(tagged(b'i', input.version.as_bytes()));
            fields.push(tagged(
                b'i',
                input
                    .digest
                    .as_ref()
                    .map_or(&[][..], |digest| &digest.0[..]),
            ));
        }
        Self {
            algorithm: ALGORITHM,
            digest: Digest::of_all(fields.iter().map(Vec::as_slice)),
        }
    }
}

fn tagged(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = Vec::with_capacity(bytes.len() + 1);
    field.push(tag);
    field.extend_from_slice(bytes);
    field
}

/// NFKC, white space folded; case too where the contract says so.
fn objective(text: &str, fold_case: bool) -> String {
    let normal: String = text.nfkc().collect();
    let words: Vec<&str> = normal.split_whitespace().collect();
    let folded = words.join(" ");
    if fold_case {
        folded.to_lowercase()
    } else {
        folded
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::body::{FileRef, Part};

    fn logs() -> Party {
        Party::agent("logs").unwrap()
    }

    fn of(text: &str, contract: &Contract) -> Fingerprint {
        Fingerprint::of(&logs(), &Body::text(text), &[], contract)
    }

    #[test]
    fn white_space_and_unicode_form_do_not_matter_but_case_does() {
        let plain = Contract::default();
        assert_eq!(
            of("find the  errors\n", &plain),
            of("find the errors", &plain)
        );
        assert_eq!(of("ﬁnd", &plain), of("find", &plain));
        assert_ne!(of("Find", &plain), of("find", &plain));
        let folding = Contract {
            fold_case: true,
            ..Contract::default()
        };
        assert_eq!(of("Find", &folding), of("find", &folding));
    }

    #[test]
    fn data_is_byte_exact_in_values_and_free_in_the_order_of_names() {
        let with = |data| {
            Fingerprint::of(
                &logs(),
                &Body {
                    parts: vec![Part::data(data)],
                },
                &[],
                &Contract::default(),
            )
        };
        assert_eq!(
            with(json!({"a": 1, "b": "x y"})),
            with(json!({"b": "x y", "a": 1}))
        );
        assert_ne!(with(json!({"a": "x y"})), with(json!({"a": "x  y"})));
        assert_ne!(with(json!({"a": 1})), with(json!({"a": 2})));
    }

    #[test]
    fn recipient_variant_contract_and_digests_matter() {
        let plain = Contract::default();
        let other = Party::agent("metrics").unwrap();
        assert_ne!(
            of("x", &plain),
            Fingerprint::of(&other, &Body::text("x"), &[], &plain)
        );
        assert_ne!(
            of("x", &plain),
            of(
                "x",
                &Contract {
                    variant: Some("2".into()),
                    ..Contract::default()
                }
            )
        );
        assert_ne!(
            of("x", &plain),
            of(
                "x",
                &Contract {
                    result: Some("r/v1".into()),
                    ..Contract::default()
                }
            )
        );
        let file = |bytes: &[u8]| {
            let file = FileRef {
                digest: Some(Digest::of(bytes)),
                url: None,
                name: Some("log".into()),
            };
            let part = Part {
                content: Content::File(file),
                ..Part::text("")
            };
            Fingerprint::of(&logs(), &Body { parts: vec![part] }, &[], &plain)
        };
        assert_ne!(file(b"1"), file(b"2"));
        let bringing = |name: &str, bytes: &[u8]| {
            let file = NewArtifact::new(name.into(), "text/plain".into(), bytes.to_vec());
            Fingerprint::of(&logs(), &Body::text("x"), &[file], &plain)
        };
        assert_ne!(bringing("log", b"1"), of("x", &plain));
        assert_ne!(bringing("log", b"1"), bringing("log", b"2"));
        assert_eq!(bringing("log", b"1"), bringing("log.txt", b"1"));
    }

    proptest! {
        #[test]
        fn a_text_never_has_the_fingerprint_of_the_same_words_as_data(text in ".{0,40}") {
            let data = Body { parts: vec![Part::data(serde_json::Value::String(text.clone()))] };
            prop_assert_ne!(
                of(&text, &Contract::default()),
                Fingerprint::of(&logs(), &data, &[], &Contract::default())
            );
        }

        #[test]
        fn normalising_is_idempotent(text in "\\PC{0,60}") {
            let once = objective(&text, true);
            // Lower-casing can leave NFKC (a capital with a dot above); twice must still agree with itself.
            prop_assert_eq!(objective(&objective(&once, true), true), objective(&once, true));
        }
    }
}
