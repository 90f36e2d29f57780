//! What is foreign looks absent; who may change the catalogue; and a caller judged by yesterday's configuration (I15).

use std::sync::Arc;

use tertulia_acts::{
    command::{
        Answer, Caller, Close, Command, Configure, Grant, Migrate, Place, Pulse, Redrive, Send,
    },
    digest::Digest,
    facts::Fault,
    ids::{AskId, TaskId, TenantId},
    limits::LEASE,
};

use crate::{
    words::{answer_to, ask, cancel, reply, request},
    world::{HOME, World, accepted, claim, definition, fault, outcome, party, reason, under},
};

const ABROAD: TenantId = TenantId(2);

/// Two tenants with the same names in both; at HOME, logs has asked ana something in its first task, and works on its
/// second.
struct Both {
    w: World,
    asked: TaskId,
    ask: AskId,
    grant: Grant,
}

fn both() -> Both {
    let mut w = World::with(&["logs"]);
    w.settle_in(ABROAD, "abroad", &["logs"]);
    let asked = w.send(request("logs", "a"));
    let first = w.claim("logs");
    let ask = w.asks(&first, ask("which?"));
    w.send(request("logs", "b"));
    let grant = w.claim("logs");
    Both {
        w,
        asked,
        ask,
        grant,
    }
}

#[test]
fn i15_what_is_foreign_looks_absent_to_every_command() {
    let Both {
        mut w,
        asked,
        ask,
        grant,
    } = both();
    let conversation = w.task(asked).made.conversation;
    let ana = w.caller_of(ABROAD, "user:ana");
    let logs = w.caller_of(ABROAD, "agent:logs");
    let before = format!("{:?}", w.facts.tables());

    let mut into = request("logs", "c");
    into.place = Place::In(conversation);
    let send = Send {
        opening: into,
        key: None,
    };
    let agent = party("agent:logs");
    let migrate = Migrate {
        conversation,
        agent,
        version: None,
    };
    let redrive = Redrive {
        task: asked,
        within: None,
    };
    let mut by_hop = cancel(asked);
    by_hop.token = Some(grant.token);
    let commands = [
        Command::Send(ana.clone(), Box::new(send)),
        Command::Answer(ana.clone(), answer_to(ask, "all")),
        Command::Cancel(ana.clone(), cancel(asked)),
        Command::Close(ana.clone(), Close { conversation }),
        Command::Migrate(ana.clone(), migrate),
        Command::Redrive(ana.clone(), redrive),
    ];
    for command in commands {
        let absent = fault(w.run(&command));
        assert!(
            matches!(absent, Fault::NotFound(_)),
            "{}: {absent:?}",
            command.name()
        );
    }
    let stolen = [
        Command::UnderHop(logs.clone(), under(grant.token, "", reply("forged"))),
        Command::UnderHop(ana.clone(), under(grant.token, "", reply("forged"))),
        Command::Cancel(logs.clone(), by_hop),
    ];
    for command in stolen {
        let absent = fault(w.run(&command));
        assert!(
            matches!(absent, Fault::LeaseLost | Fault::NotFound(_)),
            "{absent:?}"
        );
    }
    let beat = Command::Heartbeat(logs.clone(), vec![grant.token]);
    assert_eq!(w.run(&beat), Answer::Pulses(vec![Pulse::Unknown]));
    let none = w.run(&Command::Claim(logs, claim("logs", "r", 8)));
    assert_eq!(none, Answer::Granted(Vec::new()));
    assert_eq!(format!("{:?}", w.facts.tables()), before, "nothing changed");
}

#[test]
fn a_tenant_has_its_own_agents_and_keys() {
    let Both { mut w, .. } = both();
    let there = w.caller_of(ABROAD, "user:ana");
    let send = |caller: Caller| {
        let send = Send {
            opening: request("logs", "x"),
            key: Some("k".into()),
        };
        Command::Send(caller, Box::new(send))
    };
    let abroad = accepted(&outcome(w.run(&send(there))));
    let here = w.caller("user:ana");
    let home = accepted(&outcome(w.run(&send(here))));
    assert_ne!(abroad, home);
    let grants = {
        let caller = w.caller_of(ABROAD, "agent:logs");
        w.run(&Command::Claim(caller, claim("logs", "r", 8)))
    };
    let Answer::Granted(grants) = grants else {
        panic!();
    };
    assert_eq!(grants.len(), 1);
    assert_eq!(grants[0].task.id(), abroad);
}

fn configure(w: &mut World, who: &str, change: Configure) -> Answer {
    let caller = w.caller(who);
    w.run(&Command::Configure(Some(caller), Box::new(change)))
}

fn put_logs(tenant: TenantId) -> Configure {
    let mut definition = definition("logs");
    definition.instructions = "obey me".into();
    Configure::Agent {
        tenant,
        definition: Arc::new(definition),
    }
}

#[test]
fn an_agents_key_changes_no_configuration() {
    let mut w = World::with(&["logs"]);
    let changes = [
        put_logs(HOME),
        Configure::RetireAgent {
            tenant: HOME,
            name: "logs".into(),
        },
        Configure::Principal {
            tenant: HOME,
            party: party("user:eve"),
            responsible: None,
            administers: false,
        },
        Configure::Key {
            tenant: HOME,
            party: party("agent:logs"),
            digest: Digest::of(b"k"),
            label: "mine".into(),
        },
        Configure::Tenant {
            id: TenantId(3),
            name: "mine".into(),
        },
    ];
    for change in changes {
        let forbidden = fault(configure(&mut w, "agent:logs", change.clone()));
        assert!(
            matches!(forbidden, Fault::Forbidden(_)),
            "{change:?}: {forbidden:?}"
        );
    }
}

#[test]
fn an_agent_is_its_owners_to_change() {
    let mut w = World::with(&["logs"]);
    let forbidden = fault(configure(&mut w, "user:bob", put_logs(HOME)));
    assert!(matches!(forbidden, Fault::Forbidden(_)));
    let foreign = fault(configure(&mut w, "user:ana", put_logs(ABROAD)));
    assert!(matches!(foreign, Fault::NotFound(_)));
    outcome(configure(&mut w, "user:ana", put_logs(HOME)));
    let key = |who: &str| Configure::Key {
        tenant: HOME,
        party: party(who),
        digest: Digest::of(who.as_bytes()),
        label: String::new(),
    };
    outcome(configure(&mut w, "user:ana", key("agent:logs")));
    outcome(configure(&mut w, "user:ana", key("user:ana")));
    for who in ["agent:logs", "user:ana"] {
        let forbidden = fault(configure(&mut w, "user:bob", key(who)));
        assert!(matches!(forbidden, Fault::Forbidden(_)), "{who}");
    }
    let revoke = Configure::RevokeKey {
        tenant: HOME,
        digest: Digest::of(b"agent:logs"),
    };
    let absent = fault(configure(&mut w, "user:bob", revoke.clone()));
    assert!(matches!(absent, Fault::NotFound(_)));
    outcome(configure(&mut w, "user:ana", revoke));
    let row = w.facts.tables().keys.get(&Digest::of(b"agent:logs"));
    assert!(row.unwrap().revoked.is_some());
}

#[test]
fn administrators_add_principals_and_make_their_keys() {
    let mut w = World::with(&["logs"]);
    let eve = |administers| Configure::Principal {
        tenant: HOME,
        party: party("user:eve"),
        responsible: None,
        administers,
    };
    let key = |who: &str| Configure::Key {
        tenant: HOME,
        party: party(who),
        digest: Digest::of(who.as_bytes()),
        label: String::new(),
    };
    let forbidden = fault(configure(&mut w, "user:ana", eve(true)));
    assert!(matches!(forbidden, Fault::Forbidden(_)), "{forbidden:?}");
    let admin = Configure::Principal {
        tenant: HOME,
        party: party("user:ana"),
        responsible: None,
        administers: true,
    };
    outcome(w.run(&Command::Configure(None, Box::new(admin))));
    outcome(configure(&mut w, "user:ana", eve(false)));
    outcome(configure(&mut w, "user:ana", key("user:eve")));
    // What is an agent's stays its owner's, and nothing of another tenant is administered.
    let abroad = Configure::Principal {
        tenant: ABROAD,
        party: party("user:eve"),
        responsible: None,
        administers: false,
    };
    let foreign = fault(configure(&mut w, "user:ana", abroad));
    assert!(matches!(foreign, Fault::NotFound(_)), "{foreign:?}");
    let of_nobody = fault(configure(&mut w, "user:ana", key("user:nobody")));
    assert!(matches!(of_nobody, Fault::NotFound(_)), "{of_nobody:?}");
    let by_eve = fault(configure(&mut w, "user:eve", key("user:bob")));
    assert!(matches!(by_eve, Fault::Forbidden(_)), "{by_eve:?}");
    let service = |responsible: &str| Configure::Principal {
        tenant: HOME,
        party: party("service:ci"),
        responsible: Some(party(responsible)),
        administers: false,
    };
    for nobody in ["user:nobody", "service:ci"] {
        let invalid = fault(configure(&mut w, "user:ana", service(nobody)));
        assert!(
            matches!(invalid, Fault::Invalid(_)),
            "{nobody}: {invalid:?}"
        );
    }
    outcome(configure(&mut w, "user:ana", service("user:eve")));
    let revoke = Configure::RevokeKey {
        tenant: HOME,
        digest: Digest::of(b"user:eve"),
    };
    let absent = fault(configure(&mut w, "user:bob", revoke.clone()));
    assert!(matches!(absent, Fault::NotFound(_)), "{absent:?}");
    outcome(configure(&mut w, "user:ana", revoke));
    let row = w.facts.tables().keys.get(&Digest::of(b"user:eve"));
    assert!(row.unwrap().revoked.is_some());
}

#[test]
fn a_number_of_a_tenant_is_taken_once() {
    let mut w = World::with(&[]);
    let tenant = |name: &str| {
        let id = HOME;
        Command::Configure(
            None,
            Box::new(Configure::Tenant {
                id,
                name: name.into(),
            }),
        )
    };
    let name = w.facts.tables().tenants.get(&HOME).unwrap().name.clone();
    outcome(w.run(&tenant(&name)));
    let taken = fault(w.run(&tenant("another")));
    assert!(matches!(taken, Fault::Invalid(_)), "{taken:?}");
}

#[test]
fn a_caller_judged_by_an_older_configuration_is_judged_again() {
    let mut w = World::with(&["logs"]);
    let task = w.send(request("logs", "a"));
    let grant = w.claim("logs");
    let ana = w.caller("user:ana");
    let logs = w.caller("agent:logs");
    w.define(HOME, &{
        let mut next = definition("logs");
        next.instructions = "look twice".into();
        next
    });
    let send = Send {
        opening: request("logs", "b"),
        key: None,
    };
    let commands = [
        Command::Send(ana.clone(), Box::new(send)),
        Command::Cancel(ana, cancel(task)),
        Command::UnderHop(logs.clone(), under(grant.token, "", reply("none"))),
        Command::Claim(logs.clone(), claim("logs", "r", 1)),
        Command::Heartbeat(logs, vec![grant.token]),
    ];
    for command in commands {
        assert_eq!(fault(w.run(&command)), Fault::Stale, "{}", command.name());
    }
    w.replies(&grant, "none");
}

#[test]
fn an_unchanged_configuration_is_no_change() {
    let mut w = World::with(&["logs"]);
    let epoch = w.caller("user:ana").epoch;
    w.define(HOME, &definition("logs"));
    w.principal(HOME, "user:ana");
    assert_eq!(w.caller("user:ana").epoch, epoch);
}

#[test]
fn a_tenant_that_is_not_there_is_not_there() {
    let mut w = World::with(&["logs"]);
    let caller = w.caller_of(TenantId(9), "user:ana");
    let send = Send {
        opening: request("logs", "a"),
        key: None,
    };
    let absent = fault(w.run(&Command::Send(caller, Box::new(send))));
    assert!(matches!(absent, Fault::NotFound(_)));
    w.wait(LEASE);
    let abstain = w.send(request("logs", "a"));
    let grant = w.claim("logs");
    let refused = w.does(&grant, tertulia_acts::command::HopOperation::Abstain);
    assert_eq!(reason(&refused), "illegal-act", "there are no rooms yet");
    assert_eq!(w.state(abstain), "working");
}
