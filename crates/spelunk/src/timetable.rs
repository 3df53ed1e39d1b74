//! When the parts of a session end, so that all of it takes what was asked for and a little more: a tenth and five seconds at most,
//! with reading and instrumenting the program and confirming what was found. And after Ctrl-C, two seconds.

use execute::Curfew;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// After Ctrl-C: until tests are confirmed, and until findings are.
const STOPPED: (Duration, Duration) = (Duration::from_millis(700), Duration::from_millis(1200));
/// How much longer than its time a search may wait for what is under way, before it is interrupted.
const UNDER_WAY: Duration = Duration::from_millis(300);
/// Which part of the time between the search and the end of confirming may be spent on making tests short; `explore` bounds itself alike.
const SHORTENING: u32 = 3;
/// Of CPU time: what confirming may take of the search's budget, and at least.
const CONFIRMING: (u32, Duration) = (8, Duration::from_secs(5));

/// The ends of the phases of a session that is to take `time`, all since the process began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Of the search.
    pub search: Duration,
    /// Of making tests short.
    pub shorten: Duration,
    /// Of confirming tests.
    pub confirm: Duration,
    /// Of judging findings.
    pub judge: Duration,
}

impl Plan {
    /// For a session whose program was ready after `prepared`.
    pub fn new(time: Duration, prepared: Duration) -> Plan {
        let secs = Duration::from_secs;
        // Half of what may be on top is for confirming, the rest for the last words.
        let aim = time + time / 20 + secs(3);
        let reserve = (time / 10).clamp(secs(2), secs(10));
        let least = (time / 10).clamp(secs(1).min(time), secs(30));
        let search = (prepared + time).min(aim.saturating_sub(reserve)).max(prepared + least);
        let confirm = aim.max(search + reserve);
        let judge = confirm + time / 40 + Duration::from_millis(1200);
        Plan { search, shorten: search + reserve / SHORTENING, confirm, judge }
    }

    /// Whether preparing took so long that the search is cut to a rest.
    pub fn is_cut(&self, time: Duration, prepared: Duration) -> bool {
        self.search < prepared + time / 2
    }
}

/// The session's clock, deadlines, and whether somebody asked to stop. Clones are the same.
#[derive(Clone)]
pub struct Timetable {
    began: Instant,
    time: Option<Duration>,
    /// CPU time that confirming may take; `None`: any.
    confirming: Option<Duration>,
    plan: Arc<OnceLock<Plan>>,
    stop: Arc<AtomicBool>,
    stopped: Arc<OnceLock<Instant>>,
    curfew: Curfew,
}

impl Timetable {
    /// Of a session that began `began` and has so much time, and its search so much CPU time.
    pub fn new(began: Instant, time: Option<Duration>, cpu: Option<Duration>) -> Timetable {
        Timetable {
            began,
            time,
            confirming: cpu.filter(|_| time.is_none()).map(|cpu| (cpu / CONFIRMING.0).max(CONFIRMING.1)),
            plan: Arc::default(),
            stop: Arc::default(),
            stopped: Arc::default(),
            curfew: Curfew::default(),
        }
    }

    /// Set by [`Timetable::stop`], and by who cannot go on.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Somebody asks to stop; false if somebody had before.
    pub fn stop(&self) -> bool {
        let first = !self.stop.swap(true, Ordering::SeqCst);
        let _ = self.stopped.set(Instant::now());
        self.curfew.now();
        first
    }

    /// When runs are interrupted.
    pub fn curfew(&self) -> &Curfew {
        &self.curfew
    }

    /// Time since the session began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// CPU time that confirming may take; `None`: any.
    pub fn confirming(&self) -> Option<Duration> {
        self.confirming
    }

    /// The search begins: the time it has.
    pub fn begin_search(&self) -> Option<Duration> {
        let (time, prepared) = (self.time?, self.elapsed());
        let plan = *self.plan.get_or_init(|| Plan::new(time, prepared));
        if plan.is_cut(time, prepared) {
            eprintln!(
                "preparing the program took {:.0} of the {:.0} seconds asked for: {:.0} are left for the search (what was \
                 derived is kept; the next session begins at once)",
                prepared.as_secs_f64(),
                time.as_secs_f64(),
                (plan.search - prepared).as_secs_f64()
            );
        }
        self.set(plan.shorten + UNDER_WAY, None);
        Some(plan.search - prepared)
    }

    /// Tests begin to be confirmed.
    pub fn begin_confirm(&self) {
        match self.plan.get() {
            Some(plan) => self.set(plan.confirm, Some(STOPPED.0)),
            None => self.unbounded(STOPPED.0),
        }
    }

    /// Findings begin to be judged.
    pub fn begin_judge(&self) {
        match self.plan.get() {
            Some(plan) => self.set(plan.judge, Some(STOPPED.1)),
            None => self.unbounded(STOPPED.1),
        }
    }

    /// What begins now has half of the time that is left, until another phase begins.
    pub fn begin_half(&self) {
        if let Some(left) = self.curfew.left() {
            self.curfew.set(Some(Instant::now() + left / 2));
        }
        // Somebody may have asked meanwhile; who judges sets its own end behind this.
        if self.is_stopped() {
            self.curfew.now();
        }
    }

    /// Ends a phase at `end`, or so long after somebody asked to stop.
    fn set(&self, end: Duration, after_stop: Option<Duration>) {
        let end = self.began + end;
        self.curfew.set(Some(match (self.stopped.get(), after_stop) {
            (Some(stopped), Some(after)) => end.min(*stopped + after),
            (Some(stopped), None) => end.min(*stopped),
            (None, _) => end,
        }));
        // Somebody may have asked meanwhile.
        if let (Some(_), None) = (self.stopped.get(), after_stop) {
            self.curfew.now();
        }
    }

    fn unbounded(&self, after_stop: Duration) {
        self.curfew.set(self.stopped.get().map(|stopped| *stopped + after_stop));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_session_ends_within_a_tenth_and_five_seconds() {
        for time in [5.0, 10.0, 20.0, 60.0, 300.0, 3600.0] {
            for prepared in [0.1, 0.5, 1.0, time / 4.0, time / 2.0] {
                let plan = Plan::new(s(time), s(prepared));
                let all = s(time * 1.1 + 5.0);
                assert!(plan.judge + s(0.5) <= all, "{time} {prepared}: {plan:?}");
                assert!(
                    plan.search >= s(prepared) + s(time).min(s(time * 0.4)),
                    "{time} {prepared}: {plan:?}"
                );
            }
        }
    }

    #[test]
    fn making_tests_short_leaves_time_to_confirm_them() {
        for time in [0.1, 1.0, 5.0, 20.0, 60.0, 100.0, 300.0, 3600.0, 86400.0] {
            for prepared in [0.0, 0.5, 2.0, 9.0, 50.0, time / 4.0, time / 2.0, time, 10.0 * time] {
                let plan = Plan::new(s(time), s(prepared));
                assert!(
                    plan.search < plan.shorten
                        && plan.shorten + UNDER_WAY + s(1.0) <= plan.confirm
                        && plan.confirm < plan.judge,
                    "{time} {prepared}: {plan:?}"
                );
            }
        }
    }

    #[test]
    fn a_search_has_all_its_time_where_preparing_took_little_and_a_rest_where_it_took_all() {
        assert_eq!(Plan::new(s(20.0), s(0.5)).search, s(20.5));
        assert_eq!(Plan::new(s(300.0), s(2.0)).search, s(302.0));
        let late = Plan::new(s(20.0), s(50.0));
        assert_eq!(late.search, s(52.0));
        assert!(late.is_cut(s(20.0), s(50.0)) && late.judge < s(60.0), "{late:?}");
        assert!(!Plan::new(s(20.0), s(2.0)).is_cut(s(20.0), s(2.0)));
    }

    #[test]
    fn half_of_a_phase_is_left_to_what_comes_behind() {
        let table = Timetable::new(Instant::now(), Some(s(1000.0)), None);
        table.begin_half();
        assert_eq!(table.curfew().left(), None, "without an end there is no half of it");
        table.begin_search();
        table.begin_judge();
        let all = table.curfew().left();
        table.begin_half();
        assert!(table.curfew().left() <= all.map(|all| all / 2));
        table.begin_judge();
        assert!(table.curfew().left() > all.map(|all| all * 3 / 4));
    }

    #[test]
    fn who_asks_to_stop_has_every_later_phase_short() {
        let table = Timetable::new(Instant::now(), Some(s(1000.0)), None);
        assert!(table.begin_search() > Some(s(900.0)));
        assert!(table.stop() && !table.stop());
        assert!(table.curfew().is_over() && table.is_stopped());
        table.begin_confirm();
        assert!(table.curfew().left() <= Some(STOPPED.0));
        table.begin_judge();
        assert!(table.curfew().left() <= Some(STOPPED.1));
    }
}
