//! The prompt part made from a body: whatever the body says, the marks of the speaker block stand only where the engine
//! wrote them (I3).

use tertulia_acts::{
    body::{Body, Part},
    envelope::{Envelope, Provenance},
    framing::{Speaker, Untrusted, render},
    ids::{ActId, ConversationId, RootId, TenantId},
    party::Party,
    performative::Performative,
    time::Timestamp,
};

fn envelope() -> Envelope {
    let root = RootId::from_bytes([1; 16]);
    let party = |text: &str| text.parse::<Party>().expect("a party");
    Envelope {
        id: ActId {
            conversation: ConversationId::new(root, 1),
            seq: 1,
        },
        tenant: TenantId(1),
        performative: Performative::Request,
        sender: party("agent:logs"),
        sender_version: None,
        hop: None,
        recipient: party("agent:coordinator"),
        recipient_version: None,
        task: None,
        parent_task: None,
        root,
        root_principal: party("user:ana"),
        in_reply_to: None,
        ask: None,
        refusal: None,
        deadline: None,
        artifacts: Vec::new(),
        provenance: Provenance::Agent,
        at: Timestamp(0),
    }
}

fn marks(text: &str) -> usize {
    text.chars()
        .filter(|c| matches!(c, '⟦' | '⟧' | '⟐'))
        .count()
}

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let speaker = Speaker::from(&envelope());
    let plain = render(
        &speaker,
        &Untrusted::new(Body {
            parts: vec![Part::text("x")],
        }),
    );
    let data = render(
        &speaker,
        &Untrusted::new(Body {
            parts: vec![Part::data("x".into())],
        }),
    );
    let as_text = render(
        &speaker,
        &Untrusted::new(Body {
            parts: vec![Part::text(text.clone())],
        }),
    );
    let as_data = render(
        &speaker,
        &Untrusted::new(Body {
            parts: vec![Part::data(text.into())],
        }),
    );
    for (hostile, harmless) in [(&as_text, &plain), (&as_data, &data)] {
        assert_eq!(hostile.len(), harmless.len());
        for (hostile, harmless) in hostile.iter().zip(harmless) {
            assert_eq!(
                marks(hostile.text()),
                marks(harmless.text()),
                "a body made a mark of the engine's"
            );
        }
    }
}
