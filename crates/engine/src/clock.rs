//! The clocks of the shell, and the course of time that is made of them. The core is told the time.

use std::{
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tertulia_acts::time::{Millis, Timestamp};

/// What tells the time.
pub trait Clock: Send + Sync {
    /// The instant now. Whoever sets the clock may set it back.
    fn now(&self) -> Timestamp;

    /// How long something has run that nobody sets, since an instant of its own choice. None if there is no such thing:
    /// then time passes as [`Clock::now`] tells, and stands where that goes back.
    fn steady(&self) -> Option<Duration> {
        None
    }
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the system's clock"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn steady(&self) -> Option<Duration> {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        Some(BEGUN.elapsed())
    }
}

/// A clock, and the course of time that it was seen to take.
pub(crate) struct Time {
    clock: Box<dyn Clock>,
    course: Mutex<Course>,
}

impl Time {
    /// Time that goes on from `last`, the instant of the last commit.
    pub(crate) fn new(clock: Box<dyn Clock>, last: Timestamp) -> Self {
        let course = Course::new(last, clock.steady());
        Self {
            clock,
            course: Mutex::new(course),
        }
    }

    /// The instant now: never before one that was told already.
    pub(crate) fn now(&self) -> Timestamp {
        // Nothing panics while it holds this lock. Both clocks are read under it, so that no two looks change places.
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        course.look(self.clock.now(), self.clock.steady())
    }

    /// Whether the clock has another beside it by which it is seen that time passed untended; a clock that a test moves
    /// by hand has none.
    pub(crate) fn is_steadied(&self) -> bool {
        self.clock.steady().is_some()
    }
}

/// The course of time. It follows the clock; where that was set back, time goes on from where it was at the pace of the
/// steady clock, until the other has caught up: if it stood meanwhile, nothing would come due.
#[derive(Debug, Clone)]
struct Course {
    /// An instant that was told, and what the steady clock showed then.
    anchor: (Timestamp, Option<Duration>),
    last: Timestamp,
}

impl Course {
    const fn new(last: Timestamp, steady: Option<Duration>) -> Self {
        Self {
            anchor: (last, steady),
            last,
        }
    }

    fn look(&mut self, told: Timestamp, steady: Option<Duration>) -> Timestamp {
        let (from, then) = self.anchor;
        let passed = match (steady, then) {
            (Some(now), Some(then)) => now.saturating_sub(then),
            _ => Duration::ZERO,
        };
        let passed = Millis(i64::try_from(passed.as_millis()).unwrap_or(i64::MAX));
        let kept = from.after(passed);
        if told >= kept {
            self.anchor = (told, steady);
        }
        self.last = told.max(kept).max(self.last);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn it_follows_the_clock_forward_and_by_any_step() {
        let mut course = Course::new(Timestamp(0), Some(ms(5)));
        assert_eq!(course.look(Timestamp(1_000), Some(ms(5))), Timestamp(1_000));
        assert_eq!(
            course.look(Timestamp(1_250), Some(ms(255))),
            Timestamp(1_250)
        );
        // The machine slept, or the clock was set forward.
        assert_eq!(
            course.look(Timestamp(90_000), Some(ms(256))),
            Timestamp(90_000)
        );
    }

    #[test]
    fn set_back_it_goes_on_at_a_steady_pace_until_the_clock_has_caught_up() {
        let mut course = Course::new(Timestamp(0), Some(ms(0)));
        assert_eq!(
            course.look(Timestamp(10_000), Some(ms(0))),
            Timestamp(10_000)
        );
        // Five seconds back: no instant is told again, and none takes longer than it is long.
        assert_eq!(
            course.look(Timestamp(5_000), Some(ms(0))),
            Timestamp(10_000)
        );
        assert_eq!(
            course.look(Timestamp(5_400), Some(ms(400))),
            Timestamp(10_400)
        );
        assert_eq!(
            course.look(Timestamp(6_000), Some(ms(1_000))),
            Timestamp(11_000)
        );
        // Set right again, it is followed.
        assert_eq!(
            course.look(Timestamp(12_000), Some(ms(1_500))),
            Timestamp(12_000)
        );
        assert_eq!(
            course.look(Timestamp(12_100), Some(ms(1_600))),
            Timestamp(12_100)
        );
    }

    #[test]
    fn looks_however_many_make_it_no_faster_than_the_clock() {
        let mut course = Course::new(Timestamp(0), Some(ms(0)));
        course.look(Timestamp(1_000), Some(ms(0)));
        // The steady clock shows fractions that the other cuts off.
        for n in 1..=20_000_u64 {
            let steady = Duration::from_micros(n * 150 + 999);
            let told = Timestamp(1_000 + i64::try_from(n * 150 / 1_000).unwrap());
            let now = course.look(told, Some(steady));
            assert!(now.since(told).0 <= 1, "{now:?} where it is {told:?}");
        }
    }

    #[test]
    fn it_goes_on_from_the_last_commit_where_the_clock_is_behind_it_at_the_start() {
        let mut course = Course::new(Timestamp(50_000), Some(ms(3)));
        assert_eq!(
            course.look(Timestamp(1_000), Some(ms(3))),
            Timestamp(50_000)
        );
        assert_eq!(
            course.look(Timestamp(3_000), Some(ms(2_003))),
            Timestamp(52_000)
        );
    }

    #[test]
    fn without_a_steady_clock_it_stands_where_the_clock_goes_back() {
        let mut course = Course::new(Timestamp(0), None);
        assert_eq!(course.look(Timestamp(10), None), Timestamp(10));
        assert_eq!(course.look(Timestamp(4), None), Timestamp(10));
        assert_eq!(course.look(Timestamp(11), None), Timestamp(11));
    }
}
