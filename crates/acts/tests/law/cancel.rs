//! Cancel: revoked at once, closed by upkeep; and a task that ends before what it delegated.

use tertulia_acts::{
    command::{Answer, Command, Grant},
    facts::Fault,
    ids::TaskId,
    receipt::Outcome,
};

use crate::{
    words::{ask, cancel, delegate, progress, reply, request},
    world::{World, fault, outcome, reason},
};

/// ana → a → b → c, all at work.
struct Chain {
    w: World,
    tasks: Vec<TaskId>,
    grants: Vec<Grant>,
}

fn chain() -> Chain {
    let mut w = World::with(&["a", "b", "c", "d"]);
    let mut tasks = vec![w.send(request("a", "x"))];
    let mut grants = vec![w.claim("a")];
    for next in ["b", "c"] {
        let above = grants.last().unwrap().clone();
        tasks.push(w.delegates(&above, request(next, "x")));
        grants.push(w.claim(next));
    }
    Chain { w, tasks, grants }
}

#[test]
fn a_cancel_revokes_the_whole_subtree_at_once_and_upkeep_closes_it() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    let done = outcome(w.cancels("user:ana", tasks[0]));
    assert!(matches!(done, Outcome::Cancelled { task, .. } if task == tasks[0]));
    assert_eq!(w.said(tasks[0]).last().unwrap(), "cancel ana > a");
    // Not closed yet, and revoked already, at any depth.
    assert_eq!(w.state(tasks[2]), "working");
    let operations = [
        delegate(request("d", "x")),
        progress("on it"),
        ask("why?"),
        reply("done"),
    ];
    for operation in operations {
        assert_eq!(reason(&w.does(&grants[2], operation)), "cancelled");
    }
    assert_eq!(w.facts.tables().tasks.len(), 3);
    assert_eq!(w.facts.tables().late_results.len(), 2, "progress and reply");

    w.upkeep();
    for task in &tasks {
        assert_eq!(w.state(*task), "cancelled");
        assert_eq!(w.why(*task), Some("cancelled"));
        assert_eq!(w.commitment(*task), Some("released"));
    }
    for grant in &grants {
        assert_eq!(reason(&w.does(grant, reply("late"))), "cancelled");
    }
    let roots = w.facts.tables().roots.rows().next().unwrap();
    assert_eq!(roots.open_tasks, 0);
}

#[test]
fn who_is_revoked_cancels_nothing_either() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    outcome(w.cancels("user:ana", tasks[0]));
    let mut cancel = cancel(tasks[2]);
    cancel.token = Some(grants[1].token);
    let caller = w.caller("agent:b");
    let refused = outcome(w.run(&Command::Cancel(caller, cancel)));
    assert_eq!(reason(&refused), "cancelled");
    assert_eq!(w.state(tasks[2]), "working");
}

#[test]
fn what_waits_below_a_cancelled_task_is_not_claimed() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    let below = w.delegates(&grants[2], request("d", "x"));
    outcome(w.cancels("user:ana", tasks[0]));
    w.idle("d");
    assert_eq!(w.state(below), "queued", "a claim closes nothing");
    w.upkeep();
    assert_eq!(w.state(below), "cancelled");
    assert_eq!(w.why(below), Some("cancelled"));
}

#[test]
fn cancelling_twice_is_cancelling_once() {
    let Chain { mut w, tasks, .. } = chain();
    let first = outcome(w.cancels("user:ana", tasks[0]));
    let again = w.cancels("user:ana", tasks[0]);
    assert!(matches!(again, Answer::Outcome { replayed: true, .. }));
    assert_eq!(outcome(again), first);
    let acts = w.said(tasks[0]);
    assert_eq!(
        acts.iter().filter(|act| act.starts_with("cancel")).count(),
        1
    );
}

#[test]
fn i12_what_has_ended_is_not_cancelled() {
    let mut w = World::with(&["a"]);
    let task = w.send(request("a", "x"));
    let grant = w.claim("a");
    w.replies(&grant, "done");
    let late = outcome(w.cancels("user:ana", task));
    assert_eq!(reason(&late), "already-answered");
    assert_eq!(w.state(task), "done");
}

#[test]
fn cancelled_by_the_root_principal_or_a_hop_above_and_absent_for_others() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    let by_bob = fault(w.cancels("user:bob", tasks[2]));
    assert!(matches!(by_bob, Fault::NotFound(_)), "{by_bob:?}");
    let without_hop = fault(w.cancels("agent:a", tasks[2]));
    assert!(matches!(without_hop, Fault::NotFound(_)));

    let with_token = |w: &mut World, who: &str, grant: &Grant, task: TaskId| {
        let mut cancel = cancel(task);
        cancel.token = Some(grant.token);
        let caller = w.caller(who);
        w.run(&Command::Cancel(caller, cancel))
    };
    // Its own debtor does not cancel a task, and nobody one above itself.
    let own = fault(with_token(&mut w, "agent:c", &grants[2], tasks[2]));
    assert!(matches!(own, Fault::NotFound(_)));
    let above = fault(with_token(&mut w, "agent:c", &grants[2], tasks[1]));
    assert!(matches!(above, Fault::NotFound(_)));
    let stolen = fault(with_token(&mut w, "agent:b", &grants[0], tasks[2]));
    assert_eq!(stolen, Fault::LeaseLost);

    // Two levels above.
    outcome(with_token(&mut w, "agent:a", &grants[0], tasks[2]));
    assert_eq!(w.state(tasks[2]), "cancelled");
    assert_eq!(w.said(tasks[2]).last().unwrap(), "cancel a > c");
    assert_eq!(w.state(tasks[1]), "working");
    outcome(w.cancels("user:ana", tasks[1]));
    assert_eq!(w.state(tasks[1]), "cancelled");
}

#[test]
fn a_cancelled_child_wakes_the_one_who_waits_for_it() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    w.parks(&grants[1], &[tasks[2]]);
    outcome(w.cancels("user:ana", tasks[2]));
    let resumed = w.claim("b");
    assert_eq!(resumed.hop, grants[1].hop);
    w.replies(&resumed, "without it");
}

#[test]
fn a_parked_activation_is_cancelled_with_its_task() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    w.parks(&grants[0], &[tasks[1]]);
    outcome(w.cancels("user:ana", tasks[0]));
    w.upkeep();
    w.idle("a");
    assert!(w.facts.tables().tasks.rows().all(|task| !task.is_open()));
}

#[test]
fn settling_with_open_children_closes_them() {
    let Chain {
        mut w,
        tasks,
        grants,
    } = chain();
    w.replies(&grants[0], "enough");
    let late = w.does(&grants[2], reply("too late"));
    assert_eq!(reason(&late), "parent-settled");
    w.upkeep();
    assert_eq!(w.state(tasks[0]), "done");
    for task in &tasks[1..] {
        assert_eq!(w.state(*task), "cancelled");
        assert_eq!(w.why(*task), Some("parent-settled"));
    }
    assert_eq!(reason(&w.does(&grants[1], reply("late"))), "parent-settled");
}

#[test]
fn cascades_go_in_steps_of_so_many() {
    use tertulia_acts::{group::GroupMode, limits::CASCADE};
    let mut w = World::with(&["a", "b"]);
    w.checked = false;
    let top = w.send(request("a", "x"));
    let grant = w.claim("a");
    for round in 0..2 {
        let count = if round == 0 { CASCADE } else { 10 };
        let branches = (0..count)
            .map(|n| request("b", &format!("{round} {n}")))
            .collect();
        w.fans_out(&grant, crate::words::all(GroupMode::All, branches));
    }
    w.cancels("user:ana", top);
    let open = |w: &World| {
        w.facts
            .tables()
            .tasks
            .rows()
            .filter(|t| t.is_open())
            .count()
    };
    assert_eq!(open(&w), CASCADE + 10);
    let due = w.due();
    assert_eq!(due.len(), 1);
    w.run(&Command::Due(due[0].clone()));
    assert_eq!(open(&w), 10);
    w.checked = true;
    w.upkeep();
    assert_eq!(open(&w), 0);
}
