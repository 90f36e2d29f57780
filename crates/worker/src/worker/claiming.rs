//! Claims: as many leases as there are free places, repeated until there is an answer.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{LEASES_PER_CLAIM, Shared, Worker};
use crate::{
    client::StepHeaders,
    problem::{Error, Problem},
    wire::{Claim, Lease, Operation},
};

/// The wait after a claim that failed longer than the client's patience.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a worker that shuts down looks for leases of a claim that it did not wait for.
const LAST_LOOK: Duration = Duration::from_secs(5);

impl Worker {
    /// Claims until `shutdown`, and spawns an activation per lease.
    pub(super) async fn claims(
        &self,
        shared: &Arc<Shared>,
        activations: &mut JoinSet<()>,
        shutdown: &CancellationToken,
    ) -> Result<(), Error> {
        let places = Arc::new(Semaphore::new(self.concurrency));
        loop {
            let mut free = tokio::select! {
                biased;
                () = shutdown.cancelled() => return Ok(()),
                free = free_places(&places) => free,
            };
            while let Some(ended) = activations.try_join_next() {
                if let Err(error) = ended {
                    tracing::error!(%error, "an activation broke; its lease will be lost");
                }
            }
            let max = u32::try_from(free.num_permits()).unwrap_or(u32::MAX);
            let claim = Claim::new(&self.agent, max, self.wait)
                .worker(self.name.clone())
                .versions(self.versions.clone());
            let leases = tokio::select! {
                biased;
                () = shutdown.cancelled() => {
                    self.give_back_unseen(shared, &claim).await;
                    return Ok(());
                }
                leases = self.claim(&claim) => leases?,
            };
            // A claim may have waited long before it was granted, so its answer counts, not its beginning.
            let granted = Instant::now();
            for lease in leases {
                let place = free.split(1);
                let shared = Arc::clone(shared);
                activations.spawn(async move {
                    shared.work_on(lease, granted).await;
                    drop(place);
                });
            }
        }
    }

    /// Repeats a claim until there is an answer, or the server refuses it as such.
    async fn claim(&self, claim: &Claim) -> Result<Vec<Lease>, Error> {
        loop {
            match self.client.claim(claim).await {
                Ok(leases) => return Ok(leases),
                Err(error) if waits(&error) => {
                    tracing::warn!(agent = self.agent, %error, "cannot claim; trying again");
                    sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives back the leases of a claim whose answer was not waited for: a repeat of it returns the same.
    async fn give_back_unseen(&self, shared: &Shared, claim: &Claim) {
        let look = async {
            for lease in self.client.claim(&claim.at_once()).await? {
                let release = Operation::Release {};
                let step = StepHeaders::default();
                shared.client.operate(&lease.token, &release, step).await?;
            }
            Ok::<(), Error>(())
        };
        match timeout(LAST_LOOK, look).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a last claim could not be given back"),
            Err(_) => tracing::debug!("a last claim could not be given back in time"),
        }
    }
}

/// All places that are free, at least one, at most as many as a claim may ask for.
async fn free_places(places: &Arc<Semaphore>) -> OwnedSemaphorePermits {
    // The semaphore lives as long as the loop that asks, and nobody closes it.
    let first = Arc::clone(places).acquire_owned().await.ok();
    let mut free = OwnedSemaphorePermits(first);
    for _ in 1..LEASES_PER_CLAIM {
        match Arc::clone(places).try_acquire_owned() {
            Ok(more) => free.merge(more),
            Err(_) => break,
        }
    }
    free
}

/// Permits that are handed out one by one.
struct OwnedSemaphorePermits(Option<OwnedSemaphorePermit>);

impl OwnedSemaphorePermits {
    fn num_permits(&self) -> usize {
        self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn merge(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some(permits) => permits.merge(more),
            none => *none = Some(more),
        }
    }

    /// One permit; none if a server granted more leases than were asked for, which then run beyond the limit.
    fn split(&mut self, n: usize) -> Option<OwnedSemaphorePermit> {
        self.0.as_mut()?.split(n)
    }
}

/// Whether a claim that failed so may yet be answered.
fn waits(error: &Error) -> bool {
    match error {
        Error::Transport { .. } => true,
        Error::Problem(problem) => {
            matches!(problem, Problem::Overloaded { .. }) || problem.details().status >= 500
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Details;

    fn problem(status: u16) -> Error {
        let details = Details {
            status,
            ..Details::default()
        };
        Problem::new(details, None).into()
    }

    #[test]
    fn a_server_that_is_away_is_waited_for_and_a_wrong_claim_is_not_repeated() {
        for (status, expected) in [
            (503, true),
            (429, true),
            (500, true),
            (401, false),
            (404, false),
            (400, false),
        ] {
            assert_eq!(waits(&problem(status)), expected, "{status}");
        }
    }

    #[tokio::test]
    async fn free_places_are_taken_together_up_to_what_a_claim_may_ask_for() {
        let places = Arc::new(Semaphore::new(3));
        let mut free = free_places(&places).await;
        assert_eq!((free.num_permits(), places.available_permits()), (3, 0));
        let one = free.split(1);
        drop(free);
        assert_eq!(places.available_permits(), 2);
        drop(one);
        let many = Arc::new(Semaphore::new(1000));
        assert_eq!(free_places(&many).await.num_permits(), LEASES_PER_CLAIM);
    }
}
