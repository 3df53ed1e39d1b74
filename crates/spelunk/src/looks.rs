//! Single runs of kept inputs, on the user's own executable and on flavour `check`: made beside the search, and several at once at its
//! end, and remembered, so that a session ends soon after its search. What there was no time for is told, and left to the next session.

use crate::cpu_time;
use crate::timetable::Timetable;
use diagnose::Shown;
use execute::{Config, Curfew, PlainProgram};
use explore::{fingerprint, suite};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use trace::{Input, Outcome, TargetError};

/// Most inputs that wait to be looked at beside the search; older ones are forgotten, for newer ones cover more.
const MOST_WAITING: usize = 1 << 10;
/// Beside the search, what looking takes is followed by so many times as long a pause.
const PAUSES: u32 = 3;
/// The same where CPU time is the budget.
const PAUSES_BY_CPU: u32 = 15;
/// Threads that look at inputs once the search is over.
const MOST_THREADS: usize = 4;

/// What is known of an input.
#[derive(Clone, Default)]
struct Look {
    own: Option<Shown>,
    check: Option<Shown>,
}

/// What is kept for the next session: how the user's own executable ended, which inputs showed nothing on `check`, and which showed
/// something that was judged.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    own: Vec<(u128, Outcome)>,
    quiet: Vec<u128>,
    judged: Vec<u128>,
}

/// Whether a limit ended a run: on a machine that does other things, too, that says little, and is asked again.
fn is_limit(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Timeout | Outcome::OutOfMemory | Outcome::OutputLimit)
}

/// Which executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The user's own.
    Own,
    /// Flavour `check`.
    Check,
}

/// See the module.
pub struct Looks {
    table: Timetable,
    own: Config,
    check: OnceLock<Config>,
    known: Mutex<HashMap<u128, Look>>,
    /// Known from earlier sessions.
    ended: Mutex<HashMap<u128, Outcome>>,
    /// Showed nothing on `check`, in this session or an earlier one.
    quiet: Mutex<HashSet<u128>>,
    /// Showed something there, which was judged.
    judged: Mutex<HashSet<u128>>,
    /// Met a limit there, in this session.
    limited: Mutex<HashSet<u128>>,
    waiting: Mutex<VecDeque<Input>>,
    /// CPU time beside the search when confirming began.
    before: OnceLock<Duration>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// CPU time beside the search that was not spent on instrumenting.
fn confirming() -> Duration {
    cpu_time::aside().saturating_sub(cpu_time::tools())
}

impl Looks {
    /// Looks at runs of `own`, within this timetable.
    pub fn new(own: Config, table: Timetable) -> Looks {
        Looks {
            own: Config { curfew: table.curfew().clone(), ..own },
            table,
            check: OnceLock::new(),
            known: Mutex::default(),
            ended: Mutex::default(),
            quiet: Mutex::default(),
            judged: Mutex::default(),
            limited: Mutex::default(),
            waiting: Mutex::default(),
            before: OnceLock::new(),
        }
    }

    /// Tests begin to be confirmed: from now on CPU time is counted.
    pub fn begin_confirm(&self) {
        self.table.begin_confirm();
        let _ = self.before.set(confirming());
    }

    /// Flavour `check` is there.
    pub fn set_check(&self, check: Config) {
        let _ = self.check.set(Config { curfew: self.table.curfew().clone(), ..check });
    }

    /// An input was kept: it may become a test.
    pub fn offer(&self, input: &Input) {
        let mut waiting = lock(&self.waiting);
        if waiting.len() >= MOST_WAITING {
            waiting.pop_front();
        }
        waiting.push_back(input.clone());
    }

    /// Whether there is no time for more.
    pub fn is_over(&self) -> bool {
        let spent =
            || self.before.get().map_or(Duration::ZERO, |&before| confirming().saturating_sub(before));
        self.table.curfew().is_over() || self.table.confirming().is_some_and(|most| spent() >= most)
    }

    /// What was seen of an input, if it was looked at.
    pub fn seen(&self, which: Which, input: &Input) -> Option<Shown> {
        let look = lock(&self.known).get(&fingerprint(input)).cloned()?;
        match which {
            Which::Own => look.own,
            Which::Check => look.check,
        }
    }

    /// Whether nothing is left to ask `check` about this input: it showed nothing, or what it showed was judged.
    pub fn is_checked(&self, input: &Input) -> bool {
        self.is_quiet(input) || lock(&self.judged).contains(&fingerprint(input))
    }

    /// Whether this input showed nothing on `check`, in this session or an earlier one.
    pub fn is_quiet(&self, input: &Input) -> bool {
        lock(&self.quiet).contains(&fingerprint(input))
    }

    /// Whether `check` ran this input, whatever it showed.
    pub fn is_looked_at(&self, input: &Input) -> bool {
        self.is_checked(input)
            || self.seen(Which::Check, input).is_some()
            || lock(&self.limited).contains(&fingerprint(input))
    }

    /// Takes note that what an input showed on `check` was judged.
    pub fn note_judged(&self, input: &Input) {
        lock(&self.judged).insert(fingerprint(input));
    }

    /// Takes note of what a run showed, unless a limit ended it.
    fn note(&self, which: Which, input: &Input, shown: Shown) {
        let key = fingerprint(input);
        if is_limit(shown.outcome) {
            if which == Which::Check {
                lock(&self.limited).insert(key);
            }
            return;
        }
        if which == Which::Check && shown.report.is_empty() && matches!(shown.outcome, Outcome::Exit(_)) {
            lock(&self.quiet).insert(key);
        }
        let mut known = lock(&self.known);
        let look = known.entry(key).or_default();
        match which {
            Which::Own => look.own = Some(shown),
            Which::Check => look.check = Some(shown),
        }
    }

    /// Runs an input, unless that is known; an error where it cannot be run, or not now.
    fn look(&self, which: Which, program: &mut PlainProgram, input: &Input) -> Result<Outcome, TargetError> {
        if let Some(seen) = self.seen(which, input) {
            return Ok(seen.outcome);
        }
        let run = program.run(input)?;
        let shown = Shown { outcome: run.outcome, stderr: run.stderr, report: run.report };
        self.note(which, input, shown);
        Ok(run.outcome)
    }

    /// Looks at inputs with several threads, until all were looked at or it is over; what came of each.
    fn all(
        &self,
        which: Which,
        inputs: &[Input],
        config: &Config,
        tell: &mut dyn FnMut(usize),
    ) -> Vec<suite::Shown> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results: Vec<Mutex<suite::Shown>> = inputs.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            let mut program = PlainProgram::new(config.clone());
            let began = execute::thread_cpu();
            while !self.is_over() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(input) = inputs.get(at) else { break };
                *lock(&results[at]) = match self.look(which, &mut program, input) {
                    Err(TargetError::Interrupted) => None,
                    other => Some(other),
                };
                done.fetch_add(1, Ordering::Relaxed);
            }
            cpu_time::helped(execute::thread_cpu().saturating_sub(began));
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads.min(inputs.len())).map(|_| scope.spawn(work)).collect();
            while !all.iter().all(|thread| thread.is_finished()) {
                tell(done.load(Ordering::Relaxed));
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let result = |r: Mutex<suite::Shown>| r.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().map(result).collect()
    }

    /// Has inputs run on `check` and on the user's own executable, in at most half of the time that is left for judging findings.
    pub fn prepare(&self, inputs: &[Input], tell: &mut dyn FnMut(usize)) {
        let Some(check) = self.check.get() else { return };
        let unknown: Vec<Input> = inputs
            .iter()
            .filter(|i| !self.is_checked(i) && self.seen(Which::Check, i).is_none())
            .cloned()
            .collect();
        self.table.begin_half();
        self.all(Which::Own, &unknown, &self.own, &mut |_| ());
        self.all(Which::Check, &unknown, check, tell);
        self.table.begin_judge();
    }

    /// How tests end on the user's own executable: as seen before, or now if there is time.
    pub fn confirm(&self, inputs: &[Input], tell: &mut dyn FnMut(usize)) -> Vec<suite::Shown> {
        let known: Vec<suite::Shown> = {
            let ended = lock(&self.ended);
            let of = |input: &Input| ended.get(&fingerprint(input)).copied();
            let seen = |input: &Input| of(input).or_else(|| Some(self.seen(Which::Own, input)?.outcome));
            inputs.iter().map(|input| seen(input).map(Ok)).collect()
        };
        let unknown: Vec<Input> =
            inputs.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(i, _)| i.clone()).collect();
        let mut looked = self.all(Which::Own, &unknown, &self.own, tell).into_iter();
        known.into_iter().map(|known| known.or_else(|| looked.next().flatten())).collect()
    }

    /// What the next session is to know, and what this one is told by the last.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut own = lock(&self.ended).clone();
        own.extend(
            lock(&self.known).iter().filter_map(|(key, look)| Some((*key, look.own.as_ref()?.outcome))),
        );
        let all = |of: &Mutex<HashSet<u128>>| lock(of).iter().copied().collect();
        let (quiet, judged) = (all(&self.quiet), all(&self.judged));
        let own = own.into_iter().filter(|(_, outcome)| !is_limit(*outcome)).collect();
        postcard::to_allocvec(&Kept { own, quiet, judged }).unwrap_or_default()
    }

    /// See [`Looks::to_bytes`].
    pub fn take_in(&self, bytes: &[u8]) {
        let Ok(kept) = postcard::from_bytes::<Kept>(bytes) else { return };
        lock(&self.ended).extend(kept.own);
        lock(&self.quiet).extend(kept.quiet);
        lock(&self.judged).extend(kept.judged);
    }
}

/// Looks at kept inputs while the search goes on, in a thread of its own.
pub struct Beside {
    over: Arc<AtomicBool>,
    curfew: Curfew,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    /// Begins. Where CPU time is the budget it takes less of it.
    pub fn begin(looks: &Arc<Looks>, by_cpu: bool) -> Beside {
        let (over, curfew) = (Arc::new(AtomicBool::new(false)), Curfew::default());
        let pauses = if by_cpu { PAUSES_BY_CPU } else { PAUSES };
        let (looks, flag, until) = (looks.clone(), over.clone(), curfew.clone());
        let life = move || looks.beside(&flag, &until, pauses);
        let thread = std::thread::Builder::new().name("beside".into()).spawn(life).ok();
        Beside { over, curfew, thread }
    }

    /// Ends it: what it is at is interrupted.
    pub fn end(mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.curfew.now();
        // A panic there cost its looks, which are made again.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Looks {
    fn beside(&self, over: &AtomicBool, curfew: &Curfew, pauses: u32) {
        let with = |config: &Config| PlainProgram::new(Config { curfew: curfew.clone(), ..config.clone() });
        let (mut own, mut check) = (with(&self.own), None);
        let is_over = || over.load(Ordering::Relaxed) || self.table.is_stopped();
        while !is_over() {
            let Some(input) = lock(&self.waiting).pop_back() else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            let (began, cpu) = (Instant::now(), execute::thread_cpu());
            let ended = self.look(Which::Own, &mut own, &input);
            if check.is_none() {
                check = self.check.get().map(with);
            }
            // What ends badly is looked at closely, later.
            if let (Ok(Outcome::Exit(_)), Some(check)) = (ended, &mut check) {
                let _ = self.look(Which::Check, check, &input);
            }
            cpu_time::helped(execute::thread_cpu().saturating_sub(cpu));
            let pause = Instant::now() + began.elapsed() * pauses;
            while !is_over() && Instant::now() < pause {
                std::thread::sleep(
                    pause.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks() -> Looks {
        Looks::new(Config::new("/bin/cat"), Timetable::new(Instant::now(), None, None))
    }

    #[test]
    fn what_was_seen_is_not_run_again_and_known_to_the_next_session() {
        let inputs = [Input::stdin("a"), Input::stdin("b")];
        let first = looks();
        let ended: Vec<_> = first.confirm(&inputs, &mut |_| ()).into_iter().flatten().flatten().collect();
        assert_eq!(ended, [Outcome::Exit(0); 2]);
        let next = Looks::new(Config::new("/nowhere/at/all"), Timetable::new(Instant::now(), None, None));
        next.take_in(&first.to_bytes());
        let ended: Vec<_> = next.confirm(&inputs, &mut |_| ()).into_iter().flatten().flatten().collect();
        assert_eq!(ended, [Outcome::Exit(0); 2]);
        let other = next.confirm(&[Input::stdin("c")], &mut |_| ());
        assert!(matches!(other[..], [Some(Err(_))]), "that one would have to be run");
    }

    fn shown(outcome: Outcome, report: &str) -> Shown {
        Shown { outcome, stderr: Vec::new(), report: report.into() }
    }

    #[test]
    fn what_was_loud_is_checked_by_the_next_session_unless_it_was_judged() {
        let [quiet, loud, judged, slow] = ["quiet", "loud", "judged", "slow"].map(Input::stdin);
        let first = looks();
        first.note(Which::Check, &quiet, shown(Outcome::Exit(1), ""));
        first.note(Which::Check, &loud, shown(Outcome::Exit(0), "a leak"));
        first.note(Which::Check, &judged, shown(Outcome::Abort, ""));
        first.note(Which::Check, &slow, shown(Outcome::Timeout, ""));
        first.note(Which::Own, &slow, shown(Outcome::Timeout, ""));
        first.note_judged(&judged);
        assert!([&quiet, &loud, &judged, &slow].iter().all(|input| first.is_looked_at(input)));
        assert!(first.seen(Which::Own, &slow).is_none() && first.seen(Which::Check, &slow).is_none());
        let next = looks();
        next.take_in(&first.to_bytes());
        let checked = [&quiet, &loud, &judged, &slow].map(|input| next.is_checked(input));
        assert_eq!(checked, [true, false, true, false]);
        assert!(next.is_quiet(&quiet) && !next.is_quiet(&judged));
        assert!(lock(&next.ended).is_empty());
    }

    #[test]
    fn when_it_is_over_nothing_is_run() {
        let looks = looks();
        looks.table.stop();
        assert!(looks.is_over());
        assert!(matches!(looks.confirm(&[Input::stdin("a")], &mut |_| ())[..], [None]));
    }
}
