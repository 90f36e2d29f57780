//! A credential that is missing at a peer: the task waits for it, and all above it do (SEMANTICS 2).

use tertulia_acts::{
    command::Grant, hop::Wait, ids::TaskId, limits::LEASE, reason::Reason, receipt::Outcome,
};

use crate::{
    words::{ask, delegate, fail, needs_credential, progress, reply, request},
    world::{World, accepted, outcome},
};

/// A coordinator that waits for two others, both at work.
struct Tree {
    w: World,
    root: TaskId,
    children: [TaskId; 2],
    below: [Grant; 2],
}

fn tree() -> Tree {
    let mut w = World::with(&["coordinator", "remote", "other"]);
    let root = w.send(request("coordinator", "a"));
    let above = w.claim("coordinator");
    let children =
        ["remote", "other"].map(|agent| accepted(&w.does(&above, delegate(request(agent, "b")))));
    let wait = Wait::Tasks {
        tasks: children.to_vec(),
    };
    w.does(&above, tertulia_acts::command::HopOperation::Park(wait));
    let below = ["remote", "other"].map(|agent| w.claim(agent));
    Tree {
        w,
        root,
        children,
        below,
    }
}

impl Tree {
    #[track_caller]
    fn stand(&self, root: &str, one: &str, two: &str) {
        let states = [self.root, self.children[0], self.children[1]].map(|id| self.w.state(id));
        assert_eq!(states, [root, one, two]);
    }

    fn does(&mut self, child: usize, operation: tertulia_acts::command::HopOperation) -> Outcome {
        self.w.does(&self.below[child].clone(), operation)
    }
}

const WAITS: &str = "awaiting-authorization";

#[test]
fn a_missing_credential_is_missing_for_all_above_until_none_is() {
    let mut t = tree();
    t.does(0, needs_credential("log in"));
    t.stand(WAITS, WAITS, "working");
    assert_eq!(
        t.w.said(t.children[0]).last().unwrap(),
        "inform remote > coordinator"
    );
    t.does(1, needs_credential("log in too"));
    t.stand(WAITS, WAITS, WAITS);
    // Again is no change.
    let events = t.w.events(t.root, "task.state");
    t.does(1, needs_credential("still"));
    assert_eq!(t.w.events(t.root, "task.state"), events);
    t.does(0, progress("thanks"));
    t.stand(WAITS, "working", WAITS);
    t.does(1, reply("done"));
    t.stand("working", "working", "done");
}

#[test]
fn whatever_else_happens_to_the_task_ends_the_wait() {
    let mut t = tree();
    t.does(0, needs_credential("log in"));
    t.does(0, ask("which account?"));
    t.stand("working", "awaiting-clarification", "working");

    let mut t = tree();
    t.does(0, needs_credential("log in"));
    t.does(0, fail(false));
    t.stand("working", "failed", "working");

    // Given up for another attempt, or lost: the next one finds out whether it is still missing.
    let mut t = tree();
    t.does(0, needs_credential("log in"));
    t.does(0, fail(true));
    t.stand("working", "working", "working");
    let mut t = tree();
    t.does(0, needs_credential("log in"));
    t.w.wait(LEASE);
    t.w.upkeep();
    t.stand("working", "working", "working");
}

#[test]
fn whoever_was_answered_waits_if_a_credential_is_missing_below_by_then() {
    let mut w = World::with(&["coordinator", "remote"]);
    let root = w.send(request("coordinator", "a"));
    let above = w.claim("coordinator");
    w.does(&above, delegate(request("remote", "b")));
    let asked = w.asks(&above, ask("which?"));
    let below = w.claim("remote");
    w.does(&below, needs_credential("log in"));
    assert_eq!(w.state(root), "awaiting-clarification");
    outcome(w.answers("user:ana", asked, "this one"));
    assert_eq!(w.state(root), WAITS);
    assert_eq!(w.claim("coordinator").hop, above.hop);
}

#[test]
fn it_belongs_to_a_request_as_all_progress_does() {
    let mut w = World::with(&["remote"]);
    let query = crate::words::opening(
        tertulia_acts::performative::Performative::Query,
        "remote",
        "a",
    );
    w.send(query);
    let grant = w.claim("remote");
    let refused = outcome(w.under(&grant, "s", needs_credential("log in")));
    assert_eq!(crate::world::reason(&refused), Reason::IllegalAct.code());
}
