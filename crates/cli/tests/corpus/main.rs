//! The committed corpus of every fuzz target, as a plain test (fuzz/README.md).

use std::{fs, path::PathBuf};

#[path = "../../../../fuzz/targets/a2a_answer.rs"]
mod a2a_answer;
#[path = "../../../../fuzz/targets/a2a_call.rs"]
mod a2a_call;
#[path = "../../../../fuzz/targets/a2a_rest.rs"]
mod a2a_rest;
#[path = "../../../../fuzz/targets/definition.rs"]
mod definition;
#[path = "../../../../fuzz/targets/framing.rs"]
mod framing;
#[path = "../../../../fuzz/targets/names.rs"]
mod names;

/// Runs a target over its corpus, and tells how much there was.
fn over(target: &str, run: fn(&[u8])) -> usize {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut seen = 0;
    for entry in entries {
        let file = entry.expect("readable").path();
        let bytes = fs::read(&file).expect("readable");
        // The name of the file stands in the output of a test that fails.
        std::panic::catch_unwind(|| run(&bytes))
            .unwrap_or_else(|_| panic!("{} breaks {target}", file.display()));
        seen += 1;
    }
    seen
}

#[test]
fn calls_of_a2a_peers() {
    assert!(over("a2a_call", a2a_call::run) >= 15);
}

#[test]
fn bodies_of_a2a_peers() {
    assert!(over("a2a_rest", a2a_rest::run) >= 7);
}

#[test]
fn answers_of_a2a_peers() {
    assert!(over("a2a_answer", a2a_answer::run) >= 5);
}

#[test]
fn definitions_of_agents() {
    assert!(over("definition", definition::run) >= 10);
}

#[test]
fn i03_bodies_that_imitate_the_speaker_block() {
    assert!(over("framing", framing::run) >= 6);
}

#[test]
fn ids_parties_digests_and_codes() {
    assert!(over("names", names::run) >= 15);
}
