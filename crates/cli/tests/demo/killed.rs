//! A demo that is killed while it runs goes on when it is started again: nothing that was told is missing, and nothing
//! was done twice. It waits for the leases of the killed workers to lapse, 30 s.

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{demo, killed_after, said, text};

/// Kills a run after so many acts, runs it to its end, and compares it with one that nobody killed.
fn survives_a_kill_after(acts: usize) {
    let data = TempDir::new().unwrap();
    let before = killed_after(acts, "INC-42", data.path());
    assert_eq!(before.len(), acts);
    let after = demo("INC-42", data.path());

    for act in &before {
        let same: Vec<&Value> = after
            .acts
            .iter()
            .filter(|other| other["id"] == act["id"])
            .collect();
        assert_eq!(same.len(), 1, "{} was lost or doubled", text(act, "id"));
        assert_eq!((said(same[0]), &same[0]["at"]), (said(act), &act["at"]));
    }
    let undisturbed = TempDir::new().unwrap();
    let undisturbed = demo("INC-42", undisturbed.path());
    let sorted = |acts: &[Value]| {
        let mut all: Vec<_> = acts.iter().map(said).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&after.acts), sorted(&undisturbed.acts));
    assert_eq!(after.tasks.len(), undisturbed.tasks.len());
    assert_eq!(after.diagnosis["status"], "diagnosed");
    assert_eq!(
        after.diagnosis["hypotheses"][0],
        undisturbed.diagnosis["hypotheses"][0]
    );
}

#[test]
fn a_killed_demo_goes_on_and_nothing_is_done_twice() {
    std::thread::scope(|at_once| {
        for (acts, _when) in [
            (1, "before anybody was asked"),
            (6, "while the specialists are at work"),
            (10, "while a clarification is open"),
        ] {
            at_once.spawn(move || survives_a_kill_after(acts));
        }
    });
}
