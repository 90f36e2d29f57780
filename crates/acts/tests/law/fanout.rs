//! Fan-out: each, all, a quorum, a deadline; refused, equal and kept branches.

use tertulia_acts::{
    command::{Command, Decline, DelegateAll, Due, Grant, HopOperation},
    facts::Fault,
    group::{FiredBy, Group, GroupMode, GroupState},
    ids::{GroupId, TaskId},
    limits::FAN_OUT,
    reason::Reason,
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{all, decline, opening, park_on_group, request},
    world::{World, fault, reason},
};

const NAMES: [&str; 3] = ["a", "b", "c"];

struct Fan {
    w: World,
    top: Grant,
    group: GroupId,
    tasks: Vec<TaskId>,
}

fn three() -> Vec<tertulia_acts::command::Opening> {
    NAMES.iter().map(|name| request(name, "x")).collect()
}

fn fan(all: DelegateAll) -> Fan {
    let mut w = World::with(&["coordinator", "a", "b", "c"]);
    w.send(request("coordinator", "everything"));
    let top = w.claim("coordinator");
    let (group, tasks) = w.fans_out(&top, all);
    Fan {
        w,
        top,
        group,
        tasks,
    }
}

impl Fan {
    fn parks(&mut self, seen: u32) -> Outcome {
        let operation = park_on_group(self.group, seen);
        let grant = self.top.clone();
        self.w.does(&grant, operation)
    }

    fn answers(&mut self, name: &str) {
        let grant = self.w.claim(name);
        self.w.replies(&grant, "y");
    }

    fn declines(&mut self, name: &str) {
        let grant = self.w.claim(name);
        self.w.does(&grant, decline());
    }

    fn resumes(&mut self) {
        self.top = self.w.claim("coordinator");
        assert!(self.top.resumed);
    }

    fn asleep(&mut self) {
        self.w.idle("coordinator");
    }

    fn group(&self) -> Group {
        self.w
            .facts
            .tables()
            .groups
            .get(&self.group)
            .unwrap()
            .clone()
    }
}

#[test]
fn all_fires_once_when_every_branch_has_ended_however() {
    let mut it = fan(all(GroupMode::All, three()));
    assert_eq!(it.parks(0), Outcome::Parked);
    it.answers("b");
    it.declines("c");
    it.asleep();
    it.answers("a");
    it.resumes();
    let group = it.group();
    assert_eq!((group.ended, group.results), (3, 2));
    let fired = GroupState::Fired {
        by: FiredBy::Met,
        ended: 3,
    };
    assert_eq!(group.state, fired);
    assert!(!group.closing);
    let arrivals: Vec<_> = it
        .tasks
        .iter()
        .map(|id| it.w.task(*id).arrival_in(it.group))
        .collect();
    assert_eq!(arrivals, [Some(3), Some(1), Some(2)]);
}

#[test]
fn each_goes_on_at_every_end() {
    let mut it = fan(all(GroupMode::Each, three()));
    for (seen, name) in NAMES.iter().enumerate() {
        let seen = u32::try_from(seen).unwrap();
        assert_eq!(it.parks(seen), Outcome::Parked);
        it.answers(name);
        it.resumes();
        assert_eq!(it.parks(seen), Outcome::Met, "there is one to read");
    }
    assert_eq!(it.parks(3), Outcome::Met, "it is over");
}

#[test]
fn a_quorum_is_of_the_branches_that_there_are() {
    let mut w = World::with(&["coordinator", "a", "b", "c"]);
    let task = w.send(request("coordinator", "ask around"));
    let grant = w.claim("coordinator");
    for results in [0, 4] {
        let spec = all(GroupMode::Quorum(results), three());
        let operation = HopOperation::DelegateAll(spec);
        let invalid = fault(w.under(&grant, "s", operation));
        assert!(
            matches!(invalid, Fault::Invalid(_)),
            "{results}: {invalid:?}"
        );
    }
    assert_eq!(w.task(task).now.steps, 0);
}

#[test]
fn a_recipient_says_no_reason_that_is_the_engines() {
    let mut w = World::with(&["logs"]);
    let task = w.send(request("logs", "look"));
    let grant = w.claim("logs");
    let declines = |reason| {
        let body = tertulia_acts::body::Body::default();
        HopOperation::Decline(Decline { reason, body })
    };
    let invalid = fault(w.under(&grant, "", declines(Reason::Policy)));
    assert!(matches!(invalid, Fault::Invalid(_)), "{invalid:?}");
    assert_eq!(w.state(task), "working");
    w.does(&grant, declines(Reason::NoConsult));
    assert_eq!(w.why(task), Some("no-consult"));
}

#[test]
fn a_quorum_of_results_fires_and_the_rest_is_closed() {
    let mut it = fan(all(GroupMode::Quorum(2), three()));
    it.parks(0);
    it.declines("a");
    it.answers("b");
    it.asleep();
    let at_c = it.w.claim("c");
    it.w.replies(&at_c, "y");
    it.resumes();
    assert_eq!(it.group().results, 2);

    let mut it = fan(all(GroupMode::Quorum(2), three()));
    it.parks(0);
    it.answers("a");
    it.answers("b");
    assert!(it.group().closing);
    it.w.upkeep();
    assert_eq!(it.w.state(it.tasks[2]), "cancelled");
    assert_eq!(it.w.why(it.tasks[2]), Some("group-fired"));
    assert_eq!(it.w.commitment(it.tasks[2]), Some("released"));
    assert!(!it.group().closing);
    it.resumes();
}

#[test]
fn a_quorum_that_can_no_longer_be_met_fires() {
    let mut it = fan(all(GroupMode::Quorum(2), three()));
    it.parks(0);
    it.declines("a");
    it.asleep();
    it.declines("b");
    it.resumes();
    let fired = GroupState::Fired {
        by: FiredBy::Unmeetable,
        ended: 2,
    };
    assert_eq!(it.group().state, fired);
}

#[test]
fn a_deadline_fires_with_what_there_is() {
    let mut spec = all(GroupMode::All, three());
    spec.within = Some(Millis::seconds(10));
    let mut it = fan(spec);
    it.parks(0);
    it.answers("a");
    it.w.wait(Millis::seconds(10));
    it.w.upkeep();
    it.resumes();
    let fired = GroupState::Fired {
        by: FiredBy::Deadline,
        ended: 1,
    };
    assert_eq!(it.group().state, fired);
    assert_eq!(it.w.why(it.tasks[1]), Some("group-fired"));
    // A timer that comes again fires nothing.
    let events = it.w.facts.tables().events.len();
    it.w.run(&Command::Due(Due::Group(it.group)));
    assert_eq!(it.w.facts.tables().events.len(), events);
}

#[test]
fn kept_branches_go_on_and_move_nothing_any_more() {
    let mut spec = all(GroupMode::Quorum(1), three());
    spec.keep_rest = true;
    let mut it = fan(spec);
    it.parks(0);
    it.answers("a");
    it.w.upkeep();
    it.resumes();
    assert_eq!(it.w.state(it.tasks[1]), "queued");
    it.answers("b");
    let fired = GroupState::Fired {
        by: FiredBy::Met,
        ended: 1,
    };
    assert_eq!(it.group().state, fired);
    assert_eq!(it.w.task(it.tasks[1]).arrival_in(it.group), Some(2));
}

#[test]
fn a_refused_branch_is_an_answered_branch() {
    let mut branches = three();
    branches[1] = request("nobody", "x");
    let mut it = fan(all(GroupMode::All, branches));
    assert_eq!(it.w.state(it.tasks[1]), "refused");
    assert_eq!(it.group().ended, 1);
    it.parks(0);
    it.answers("a");
    it.asleep();
    it.answers("c");
    it.resumes();
}

#[test]
fn a_fan_out_of_refused_branches_has_fired_at_once() {
    let branches = vec![request("nobody", "x"), request("coordinator", "x")];
    let mut it = fan(all(GroupMode::All, branches));
    assert_eq!(it.parks(0), Outcome::Met);
}

#[test]
fn equal_branches_are_one_task_that_ends_for_both() {
    let branches = vec![request("a", "x"), request("a", "x"), request("b", "x")];
    let mut it = fan(all(GroupMode::All, branches));
    assert_eq!(it.tasks[0], it.tasks[1]);
    it.parks(0);
    it.answers("b");
    it.asleep();
    it.answers("a");
    it.resumes();
    assert_eq!((it.group().ended, it.group().results), (3, 3));
}

#[test]
fn a_branch_that_was_asked_before_is_waited_for_where_it_is() {
    let mut it = fan(all(GroupMode::All, vec![request("a", "x")]));
    let (second, tasks) = it.w.fans_out(&it.top.clone(), all(GroupMode::All, three()));
    assert_eq!(tasks[0], it.tasks[0]);
    it.group = second;
    assert_eq!(it.parks(0), Outcome::Parked);
    it.answers("b");
    it.answers("c");
    it.asleep();
    it.answers("a");
    it.resumes();
    assert_eq!(it.w.task(tasks[0]).arrival_in(second), Some(3));
}

#[test]
fn a_group_does_not_close_what_another_request_still_wants() {
    let mut it = fan(all(GroupMode::Quorum(1), three()));
    let single = it.w.delegates(&it.top.clone(), request("b", "x"));
    assert_eq!(single, it.tasks[1]);
    it.answers("a");
    it.w.upkeep();
    assert_eq!(it.w.state(it.tasks[1]), "queued");
    assert_eq!(it.w.state(it.tasks[2]), "cancelled");
}

#[test]
fn breadth_is_limited() {
    let mut w = World::with(&["coordinator", "a"]);
    w.send(request("coordinator", "everything"));
    let top = w.claim("coordinator");
    let branches = |count: usize| {
        let branches = (0..count).map(|n| request("a", &n.to_string())).collect();
        HopOperation::DelegateAll(all(GroupMode::All, branches))
    };
    for count in [0, FAN_OUT + 1] {
        assert_eq!(reason(&w.does(&top, branches(count))), "breadth");
    }
    assert_eq!(w.facts.tables().tasks.len(), 1);
    w.checked = false;
    let Outcome::FannedOut { branches, .. } = w.does(&top, branches(FAN_OUT)) else {
        panic!();
    };
    assert_eq!(branches.len(), FAN_OUT);
    crate::check::all(&w.facts, w.now);
}

#[test]
fn a_branch_is_an_agent() {
    use tertulia_acts::performative::Performative;
    let mut w = World::with(&["coordinator", "a"]);
    w.send(request("coordinator", "everything"));
    let top = w.claim("coordinator");
    let branches = vec![
        request("a", "x"),
        opening(Performative::Inform, "user:bob", "x"),
    ];
    let refused = w.does(
        &top,
        HopOperation::DelegateAll(all(GroupMode::All, branches)),
    );
    assert_eq!(reason(&refused), "illegal-act");
    assert_eq!(w.facts.tables().tasks.len(), 1, "no branch was made");
    // Alone it goes.
    let told = w.does(
        &top,
        crate::words::delegate(opening(Performative::Inform, "user:bob", "x")),
    );
    assert!(matches!(told, Outcome::Notified { .. }), "{told:?}");
}

#[test]
fn a_branch_wakes_its_waiter_for_a_question_whatever_the_mode() {
    for mode in [GroupMode::Each, GroupMode::All, GroupMode::Quorum(1)] {
        let mut it = fan(all(mode, three()));
        it.parks(0);
        let at_b = it.w.claim("b");
        let ask = it.w.asks(&at_b, crate::words::ask("which?"));
        it.resumes();
        let again = it.parks(0);
        assert_eq!(reason(&again), "would-deadlock");
        it.w.does(&it.top.clone(), crate::words::answer(ask, "both"));
        assert_eq!(it.parks(0), Outcome::Parked);
    }
}

#[test]
fn branches_pass_the_gates_in_order() {
    let branches = vec![request("coordinator", "x"), request("a", "x")];
    let it = fan(all(GroupMode::All, branches));
    assert_eq!(it.w.state(it.tasks[0]), "refused");
    assert_eq!(it.w.why(it.tasks[0]), Some("to-oneself"));
    assert!(it.tasks[0].n < it.tasks[1].n);
}
