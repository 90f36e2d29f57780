//! How many calls of one caller wait at once: a long poll or a stream holds a connection and is looked after every
//! second, so that one caller with a fault must not take those of all others.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tertulia_acts::{ids::TenantId, limits::WAITS_PER_CALLER, party::Party};

type Who = (TenantId, Party);

/// Who waits, and how often.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<HashMap<Who, usize>>>);

/// A place to wait in. It is free again when this is dropped.
#[derive(Debug)]
#[must_use = "the place is free again when this is dropped"]
pub struct Seat {
    waits: Waits,
    who: Who,
}

impl Waits {
    fn seats(&self) -> MutexGuard<'_, HashMap<Who, usize>> {
        // Nothing panics while it holds this lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more call of this caller, if it may have it.
    pub(crate) fn sit(&self, tenant: TenantId, party: &Party) -> Option<Seat> {
        let who = (tenant, party.clone());
        let mut seats = self.seats();
        let taken = seats.entry(who.clone()).or_default();
        if *taken >= WAITS_PER_CALLER {
            return None;
        }
        *taken += 1;
        drop(seats);
        let waits = self.clone();
        Some(Seat { waits, who })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Entry::Occupied(mut taken) = self.waits.seats().entry(self.who.clone()) {
            *taken.get_mut() -= 1;
            if *taken.get() == 0 {
                taken.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_has_so_many_and_another_has_its_own() {
        let waits = Waits::default();
        let (ana, bob) = (
            Party::user("ana").expect("a party"),
            Party::user("bob").expect("a party"),
        );
        let sit = |tenant, party| waits.sit(TenantId(tenant), party);
        let mut seats: Vec<_> = (0..WAITS_PER_CALLER)
            .map(|_| sit(1, &ana).expect("a seat"))
            .collect();
        assert!(sit(1, &ana).is_none());
        let others = [sit(1, &bob), sit(2, &ana)];
        assert!(others.iter().all(Option::is_some));
        seats.pop();
        assert!(sit(1, &ana).is_some(), "one has got up");
        drop((seats, others));
        assert!(waits.seats().is_empty(), "who waits no more is forgotten");
    }
}
