//! What any store must pass: small named cases against the trait and the reader. A test crate makes a [`Bench`] for
//! its store and writes `tertulia_store::conforms!(bench)`, which makes a test of every case.

mod batch;
mod listings;
mod rows;
mod sets;
mod viewers;
mod world;

use crate::{Reader, Store, StoreError};

/// A store under test.
pub trait Bench {
    /// The store: empty when the bench is made.
    fn store(&mut self) -> &mut dyn Store;

    /// A reader of it.
    ///
    /// # Errors
    /// The storage is unavailable.
    fn reader(&self) -> Result<Reader, StoreError>;

    /// Closes the store and opens it again, where it outlives that.
    ///
    /// # Errors
    /// The storage is unavailable.
    fn reopen(&mut self) -> Result<(), StoreError>;
}

/// A case: it panics where a store does not conform.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// What is so, as a sentence in snake case.
    pub name: &'static str,
    /// Tries it on an empty store.
    pub run: fn(&mut dyn Bench) -> Result<(), StoreError>,
}

macro_rules! cases {
    (($dollar:tt) $($module:ident::$name:ident,)+) => {
        /// Every case.
        pub const CASES: &[Case] = &[$(Case { name: stringify!($name), run: $module::$name }),+];

        /// Makes a test of every case, each on a bench that the expression makes.
        #[macro_export]
        macro_rules! conforms {
            ($dollar bench:expr) => {
                $(
                    #[test]
                    fn $name() {
                        $crate::conformance::run(stringify!($name), &mut $dollar bench);
                    }
                )+
            };
        }
    };
}

cases! { ($)
    rows::what_is_applied_is_what_is_written_and_reloaded,
    rows::what_is_changed_is_what_is_written_and_reloaded,
    rows::what_is_written_outlives_the_process,
    rows::what_is_absent_is_known_to_be_absent,
    rows::facts_that_are_here_are_not_overwritten_by_a_load,
    sets::open_children_of_a_task,
    sets::queue_of_a_slot_holds_its_open_tasks,
    sets::ready_slots_come_by_class_and_due_up_to_a_limit,
    sets::ready_slots_are_all_known_where_there_are_no_more,
    sets::ready_slots_are_of_the_versions_served,
    sets::open_asks_to_and_of_a_task,
    sets::steps_of_a_task_by_ordinal,
    sets::standing_conversation_of_a_pair_in_either_order,
    sets::conversation_by_the_alias_of_its_creator,
    sets::commitments_to_one_thing,
    sets::directory_of_a_tenant,
    sets::agent_with_workload_and_current_version,
    sets::token_brings_all_that_settling_looks_at,
    batch::a_batch_rolled_back_leaves_nothing,
    batch::a_batch_of_nothing_writes_nothing,
    batch::the_last_instant_is_kept,
    batch::a_second_binding_commitment_is_a_constraint_and_stores_nothing,
    batch::a_number_given_twice_is_a_constraint,
    batch::a_changed_row_that_is_absent_is_a_constraint,
    batch::what_is_due_comes_in_order_and_bounded,
    batch::what_has_ended_is_due_no_more,
    batch::expired_receipts_are_swept_and_may_come_again,
    viewers::i15_what_is_foreign_looks_absent_to_every_read,
    viewers::i15_a_stranger_of_the_same_tenant_sees_nothing,
    viewers::the_principal_of_the_root_sees_everything_under_it,
    viewers::an_agent_sees_the_conversations_that_it_is_pinned_in,
    viewers::a_hop_sees_its_children_and_what_it_consults,
    viewers::only_the_consultation_itself_sees_what_is_consulted,
    viewers::a_mailbox_is_seen_by_the_agent_and_its_owner,
    viewers::a_revoked_key_authenticates_nobody,
    viewers::keys_are_seen_by_their_bearer_and_the_owner_of_their_agent,
    viewers::an_administrator_sees_the_principals_of_its_tenant_and_their_keys,
    listings::tasks_by_every_filter,
    listings::tasks_by_filters_together,
    listings::a_task_is_read_with_what_is_shown_of_it,
    listings::acts_are_read_by_name_in_the_order_of_the_names,
    listings::a_task_is_at_rest_where_it_ended_or_waits_for_somebody,
    listings::tasks_come_page_by_page_from_the_last_changed,
    listings::a_task_is_found_by_its_key_until_that_expires,
    listings::dead_letters_and_mailbox_page,
    listings::commitments_by_every_filter,
    listings::inbox_from_a_cursor,
    listings::acts_and_events_from_a_cursor,
    listings::a_page_ends_early_where_bodies_are_large,
    listings::a_cursor_may_stand_between_events_that_were_written_together,
    listings::metrics_count_what_waits,
}

/// Runs the case called `name` on a bench.
///
/// # Panics
/// The store does not conform, or no case is called so.
pub fn run(name: &str, bench: &mut dyn Bench) {
    let case = CASES.iter().find(|case| case.name == name);
    let outcome = case.map(|case| (case.run)(bench));
    assert_eq!(outcome, Some(Ok(())), "{name}");
}

/// Writes changes in a batch of their own.
fn write(
    store: &mut dyn Store,
    changes: Vec<tertulia_acts::facts::Change>,
    now: i64,
) -> Result<(), StoreError> {
    let mut facts = tertulia_acts::facts::Facts::default();
    store.begin()?;
    facts.apply(changes);
    store.commit(&facts, tertulia_acts::time::Timestamp(now))
}
