//! A store as a rule sees it: for each need, the rows that it names and not one more.

use tertulia_acts::{
    ask::{Addressee, Ask, AskState},
    conversation::ConversationKind,
    delivery::Delivery,
    facts::{Facts, Need, Tables},
    hop::Activation,
    receipt::Scope,
    slot::Slot,
    task::Task,
};

/// Loads what `need` names from `all` into `facts`.
#[expect(
    clippy::too_many_lines,
    reason = "one arm for each need; the list is as long as that of the needs"
)]
pub(crate) fn load(all: &Facts, need: &Need, facts: &mut Facts) {
    let t = all.tables();
    macro_rules! one {
        ($table:ident, $key:expr) => {
            if let Some(row) = t.$table.get($key) {
                facts.load(row.clone());
            }
        };
    }
    macro_rules! those {
        ($rows:expr) => {
            for row in $rows {
                facts.load(row.clone());
            }
        };
    }
    match need {
        Need::Tenant(id) => one!(tenants, id),
        Need::Principal(tenant, party) => one!(principals, &(*tenant, party.clone())),
        Need::ApiKey(digest) => one!(keys, digest),
        Need::Agent(tenant, name) => {
            let key = (*tenant, name.clone());
            one!(agents, &key);
            one!(workloads, &key);
            if let Some(agent) = t.agents.get(&key) {
                one!(versions, &(*tenant, name.clone(), agent.current));
            }
        }
        Need::Version(tenant, name, digest) => one!(versions, &(*tenant, name.clone(), *digest)),
        Need::Directory(tenant) => those!(t.agents.rows().filter(|row| row.tenant == *tenant)),
        Need::Root(id) => one!(roots, id),
        Need::Conversation(id) => one!(conversations, id),
        Need::Standing(root, a, b) => those!(t.conversations.rows().filter(|row| {
            row.id.root == *root
                && row.kind == ConversationKind::Standing
                && row.is_open()
                && row.participant(a).is_some()
                && row.participant(b).is_some()
        })),
        Need::Alias {
            tenant,
            creator,
            other,
            alias,
        } => those!(t.conversations.rows().filter(|row| {
            row.tenant == *tenant
                && row.alias.as_ref() == Some(alias)
                && row.participants[0].party == *creator
                && row.participants.get(1).is_some_and(|p| p.party == *other)
        })),
        Need::Act(id) => one!(acts, id),
        Need::Task(id) => one!(tasks, id),
        Need::Hop(id) => one!(hops, id),
        Need::Token(token) => one!(leases, token),
        Need::Slot(agent, id) => one!(slots, &(agent.clone(), *id)),
        Need::Queue(agent, id) => those!(t.tasks.rows().filter(|task| {
            task.made.conversation == *id && task.made.debtor.name() == agent && waits(t, task)
        })),
        Need::Ready { .. } => those!(ready(t, need)),
        Need::Receipt(key) => one!(receipts, key),
        Need::Steps(id) => those!(
            t.receipts
                .rows()
                .filter(|row| { matches!(&row.scope, Scope::Step { task, .. } if task == id) })
        ),
        Need::Ask(id) => one!(asks, id),
        Need::AsksTo(id) => {
            those!(open_asks(t).filter(|ask| ask.addressee == Addressee::Task(*id)))
        }
        Need::AsksOf(id) => those!(open_asks(t).filter(|ask| ask.asker == *id)),
        Need::Group(id) => one!(groups, id),
        Need::Commitment(id) => one!(commitments, id),
        Need::Commitments(root, debtor, fingerprint) => {
            those!(t.commitments.rows().filter(|row| {
                row.id.root == *root && row.debtor == *debtor && row.fingerprint == *fingerprint
            }));
        }
        Need::Children(parent) => those!(
            t.tasks
                .rows()
                .filter(|task| task.made.parent == Some(*parent) && task.is_open())
        ),
        Need::Inbox(tenant, party) => one!(inboxes, &(*tenant, party.clone())),
        Need::Artifact(root, digest) => one!(artifacts, &(*root, *digest)),
    }
    facts.know(need.clone());
}

fn open_asks(t: &Tables) -> impl Iterator<Item = &Ask> {
    t.asks.rows().filter(|ask| ask.state == AskState::Open)
}

fn waits(t: &Tables, task: &Task) -> bool {
    match task.now.delivery {
        Delivery::Pending { .. } => true,
        Delivery::Taken => {
            let hop = task.now.hop.and_then(|hop| t.hops.get(&hop));
            hop.is_some_and(|hop| hop.state == Activation::Ready)
        }
        _ => false,
    }
}

/// Of each class the first `limit` by due.
fn ready<'a>(t: &'a Tables, need: &Need) -> Vec<&'a Slot> {
    let Need::Ready {
        tenant,
        agent,
        versions,
        limit,
    } = need
    else {
        return Vec::new();
    };
    let mut free: Vec<&Slot> = t
        .slots
        .rows()
        .filter(|slot| {
            slot.tenant == *tenant
                && slot.agent == *agent
                && slot.leased.is_none()
                && slot.head.is_some()
                && (versions.is_empty() || versions.contains(&slot.version))
        })
        .collect();
    free.sort_by_key(|slot| (slot.head, slot.conversation));
    let mut taken = std::collections::BTreeMap::new();
    free.retain(|slot| {
        let count: &mut u32 = taken.entry(slot.head.map(|head| head.class)).or_default();
        *count += 1;
        *count <= *limit
    });
    free
}
