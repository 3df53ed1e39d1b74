//! Batches: many candidates run with one order, and what is believed of what comes back.
//!
//! The program's side only filters. A candidate that is said to show something is run once more, alone, and that run is
//! what counts: its counters enter the map of what was seen, its end is the candidate's end. So garbage in shared memory, state
//! that leaks from run to run, and crashes that come of an earlier run's doing cost time and no truth. How many runs a
//! process may make falls when runs turn out to depend on each other, down to one, and slowly rises again.

use super::{Answer, ForkServer, GRACE, io_error, stopped};
use crate::config::Capacities;
use crate::outcome::{Stopped, classify};
use crate::scratch::FILE_ARGUMENT;
use crate::seen::Seen;
use crate::shared::{Orders, pack};
use std::collections::HashMap;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};
use trace::{Candidate, Glimpse, Glimpses, Mode, ObjectKind, Outcome, Request, Run, Target, TargetError};
use trace_abi::{BatchEntry, BatchResult, Command, CommandKind, Reply, batch_flags, compare, run_flags};

/// Runs that a process may make while nothing speaks against it.
const MOST_PER_PROCESS: u32 = 1 << 16;
/// How much less it may be after runs depended on each other.
const LESS: u32 = 8;
/// Batches without such a sign before it may be [`MORE`] times as much: a process a run is dear.
const PATIENCE: u32 = 8;
/// See [`PATIENCE`].
const MORE: u32 = 4;
/// After so long the server begins no further candidate before it replies.
const SLICE: Duration = Duration::from_millis(1000);
/// Crashes at one place that are run again alone; further ones show nothing new.
const SAME_CRASHES: u32 = 3;
/// Batches that must claim a range of counts which no run alone shows, before it is no longer listened to.
const CLAIMS: u8 = 3;

/// What a server knows of its batches.
pub struct Batching {
    /// What runs alone showed.
    seen: Seen,
    /// How many batches claimed a range for the byte that no run alone showed.
    claims: Vec<u8>,
    /// Such ranges of this server's, which it is not told of any more.
    unheard: Vec<u8>,
    /// Most candidates in a batch; 0: the program makes none.
    room: usize,
    /// Runs that a process may make.
    per_process: u32,
    /// Batches in a row without a sign that runs depend on each other.
    clean: u32,
    /// Crashes seen, by end and place.
    crashes: HashMap<(Outcome, Vec<u64>), u32>,
    /// Runs leave files behind: each is made alone, with a clean directory.
    litters: bool,
    scratch: Scratch,
}

/// Memory that each batch uses again.
#[derive(Default)]
struct Scratch {
    packed: Vec<u8>,
    entries: Vec<BatchEntry>,
}

impl Batching {
    /// Nothing seen yet.
    pub fn new(capacities: &Capacities) -> Batching {
        let counters = capacities.branches as usize + capacities.functions as usize;
        let len = if capacities.batch == 0 { 0 } else { counters.next_multiple_of(8) };
        Batching {
            seen: Seen::default(),
            claims: vec![0; len],
            unheard: vec![0; len],
            room: capacities.layout().max_batch as usize,
            per_process: MOST_PER_PROCESS,
            clean: 0,
            crashes: HashMap::new(),
            litters: false,
            scratch: Scratch::default(),
        }
    }

    /// From now on with this map.
    pub fn share(&mut self, seen: &Seen) {
        self.seen = seen.clone();
    }

    /// What was shown, locked.
    fn seen(&self) -> MutexGuard<'_, Vec<u8>> {
        self.seen.lock(self.claims.len())
    }

    /// What a batch is to be silent about.
    fn known(&self) -> Vec<u8> {
        self.seen().iter().zip(&self.unheard).map(|(seen, unheard)| seen | unheard).collect()
    }

    /// A batch came back with these flags.
    fn learn(&mut self, flags: u32) {
        if flags & (batch_flags::LEAK | batch_flags::UNKNOWN) != 0 {
            self.per_process = (self.per_process / LESS).max(1);
            self.clean = 0;
        } else {
            self.clean += 1;
            if self.clean >= PATIENCE && self.per_process < MOST_PER_PROCESS {
                self.per_process = (self.per_process * MORE).min(MOST_PER_PROCESS);
                self.clean = 0;
            }
        }
    }

    /// Takes in what a batch claims to have seen, after its candidates that showed something were run alone.
    fn hear(&mut self, claimed: &[u8]) {
        let known = self.known();
        for (k, (&now, &known)) in claimed.iter().zip(&known).enumerate() {
            let unshown = now & !known;
            if unshown != 0 {
                self.claims[k] = self.claims[k].saturating_add(1);
                if self.claims[k] >= CLAIMS {
                    self.unheard[k] |= unshown;
                }
            }
        }
    }
}

/// What orders for a group of candidates came to.
#[derive(Default)]
struct Ordered {
    /// Candidates that were run.
    done: usize,
    /// How the last of them ended, if it took its process with it.
    died: Option<(i32, Stopped)>,
    /// The next one could not be run, or it cannot be told which one died.
    unclear: bool,
    cpu: Duration,
    /// Time of candidates that were stopped for taking too long.
    hung: Duration,
}

impl ForkServer {
    /// See [`Target::run_many`].
    pub(super) fn run_batches(
        &mut self,
        candidates: &[Candidate<'_>],
        most: Duration,
    ) -> Result<Glimpses, TargetError> {
        let mut all = Glimpses::default();
        let until = Instant::now() + most;
        while let Some(rest) = candidates.get(all.each.len()..).filter(|rest| !rest.is_empty())
            && goes_on(all.each.len(), until)
        {
            let fits = if self.batching.litters { 0 } else { self.fitting(rest) };
            let done = if fits == 0 {
                self.alone(&rest[0], None, &mut all).map(|glimpse| all.each.push(glimpse))
            } else {
                self.group(&rest[..fits], until, &mut all)
            };
            match done {
                Ok(()) => {}
                Err(e) if all.each.is_empty() => return Err(e),
                // What was shown would not be shown again. The next batch meets what is wrong.
                Err(_) => {
                    self.live = None;
                    break;
                }
            }
        }
        Ok(all)
    }

    /// How many of the candidates, from the first on, can be in one batch.
    fn fitting(&self, candidates: &[Candidate<'_>]) -> usize {
        let mut left = self.shared.layout().input_bytes as usize;
        let path = self.scratch.input_path().as_os_str().len();
        let fits = |c: &&Candidate<'_>| {
            let mut len = 0;
            for o in &c.input.objects {
                if o.kind == ObjectKind::File && o.name != FILE_ARGUMENT {
                    return false;
                }
                len += o.data.len() + o.name.len().max(path) + size_of::<trace_abi::ObjectHeader>() + 8;
            }
            left = left.saturating_sub(len);
            left > 0
        };
        candidates.iter().take(self.batching.room).take_while(fits).count()
    }

    /// Runs a group that fits into a batch, as far as nothing goes wrong: at least one, unless runs turn out to leave files
    /// behind that the next may have read.
    fn group(
        &mut self,
        group: &[Candidate<'_>],
        until: Instant,
        all: &mut Glimpses,
    ) -> Result<(), TargetError> {
        let ordered = self.orders(group, until)?;
        all.cpu += ordered.cpu;
        all.hung += ordered.hung;
        if self.live.is_some() {
            match self.scratch.wipe() {
                // A target that is called many times in a process is judged by its coverage alone.
                Ok(true) if !group.iter().all(is_buffer) => {
                    self.batching.litters = true;
                    return Ok(());
                }
                Ok(_) => {}
                Err(_) => self.live = None,
            }
        }
        let entries: Vec<BatchEntry> = (0..ordered.done as u32).map(|k| self.shared.batch_entry(k)).collect();
        let header = self.shared.header();
        let claimed = self.shared.seen()[..self.batching.claims.len()].to_vec();
        for (k, (candidate, entry)) in group.iter().zip(&entries).enumerate() {
            let died = ordered.died.filter(|_| k + 1 == ordered.done);
            let outcome = died.map_or_else(|| exit_of(entry.status), |(s, why)| Some(classify(s, why)));
            let result = BatchResult::from_u32(entry.result);
            let crash =
                outcome.filter(|o| o.is_finding()).map(|o| (o, innermost(&self.taker.crash_stack(&header))));
            let is_known = result == Some(BatchResult::Known)
                && crash.as_ref().is_none_or(|place| self.batching.crashes.get(place) >= Some(&SAME_CRASHES));
            let glimpse = match outcome {
                Some(outcome) if is_known => Glimpse { outcome, shown: None },
                _ => self.alone(candidate, outcome, all)?,
            };
            if let Some(place) = crash.filter(|_| glimpse.outcome.is_finding()) {
                *self.batching.crashes.entry(place).or_default() += 1;
            }
            all.each.push(glimpse);
        }
        self.batching.hear(&claimed);
        if let Some(candidate) = group.get(ordered.done).filter(|_| ordered.unclear) {
            let glimpse = self.alone(candidate, None, all)?;
            all.each.push(glimpse);
        }
        Ok(())
    }

    /// Puts a group into shared memory and orders it to be run, again and again until all of it was, something went wrong or it takes
    /// too long.
    fn orders(&mut self, group: &[Candidate<'_>], until: Instant) -> Result<Ordered, TargetError> {
        if self.live.is_none() {
            self.launch()?;
            self.restarts += 1;
        }
        self.deliver_batch(group)?;
        let mut ordered = Ordered::default();
        while ordered.done < group.len() && goes_on(ordered.done, until) {
            let command = Command {
                kind: CommandKind::Batch as u32,
                first: ordered.done as u32,
                // The first are inputs that ordinary runs ended with, if there are such: one shows how long a run takes.
                count: if self.haste.is_blind() { 1 } else { (group.len() - ordered.done) as u32 },
                per_process: self.batching.per_process,
                slice_ms: SLICE.min(until.saturating_duration_since(Instant::now())).as_millis().max(1)
                    as u32,
                ..self.command()
            };
            let most = SLICE + 2 * self.config.limits.wall + GRACE;
            let Answer::Done((reply, over)) = self.exchange(None, command, most, None)? else {
                self.live = None;
                self.batching.learn(batch_flags::UNKNOWN);
                ordered.unclear = true;
                return Ok(ordered);
            };
            ordered.cpu += Duration::from_micros(reply.cpu_us);
            let next = (reply.next as usize).clamp(ordered.done, group.len());
            self.note_pace(&reply, next - ordered.done, &mut ordered);
            let is_stuck = next == ordered.done;
            ordered.done = next;
            self.batching.learn(reply.flags);
            let has_died = reply.flags & batch_flags::DIED != 0;
            if reply.flags & batch_flags::UNKNOWN != 0 || reply.status == -1 || is_stuck {
                ordered.unclear = true;
                return Ok(ordered);
            }
            if has_died {
                ordered.died = Some((reply.status, stopped(over, &reply)));
                return Ok(ordered);
            }
        }
        Ok(ordered)
    }

    /// Takes note of how long the candidates of a reply took.
    fn note_pace(&mut self, reply: &Reply, runs: usize, ordered: &mut Ordered) {
        if reply.timed_out != 0 {
            ordered.hung += self.haste.limit(self.config.limits.wall);
            self.haste.stopped();
        } else if runs > 0 && reply.flags & batch_flags::DIED == 0 {
            // Each alone is not told; the slowest took at least as long as all did on average.
            self.haste.ended(Duration::from_micros(reply.wall_us) / runs as u32);
        }
    }

    /// Writes inputs and entries of a group.
    fn deliver_batch(&mut self, group: &[Candidate<'_>]) -> Result<(), TargetError> {
        let input_path = self.scratch.input_path().to_string_lossy().into_owned();
        let Scratch { mut packed, mut entries } = std::mem::take(&mut self.batching.scratch);
        packed.clear();
        entries.clear();
        let mut has_file = false;
        for candidate in group {
            has_file |= candidate.input.objects.iter().any(|o| o.kind == ObjectKind::File);
            entries.push(BatchEntry {
                offset: packed.len() as u64,
                value_seed: candidate.value_seed.unwrap_or(0),
                n_objects: candidate.input.objects.len() as u32,
                flags: if candidate.value_seed.is_some() { run_flags::RANDOM_VALUES } else { 0 },
                result: 0,
                status: 0,
            });
            pack(candidate.input, |_| input_path.clone(), &mut packed);
        }
        // Each run's process fills its own; these are there to be replaced.
        self.write_stdin(&[]).map_err(io_error("writing standard input"))?;
        if has_file {
            self.scratch.write_input(&[]).map_err(io_error("writing the input file"))?;
        }
        self.shared.begin(&Orders { max_inputs: self.config.max_inputs, ..Orders::default() });
        self.shared.write_batch(&packed, &entries, &self.batching.known());
        self.batching.scratch = Scratch { packed, entries };
        Ok(())
    }

    /// Runs a candidate alone: what it shows then, it shows. `claimed`: how it is said to have ended in its batch.
    fn alone(
        &mut self,
        candidate: &Candidate<'_>,
        claimed: Option<Outcome>,
        all: &mut Glimpses,
    ) -> Result<Glimpse, TargetError> {
        let Candidate { input, value_seed } = *candidate;
        let run: Run = self.run(&Request { input, mode: Mode::Concrete, value_seed, max_inputs: None })?;
        all.cpu += run.cpu;
        if run.outcome == Outcome::Timeout {
            all.hung += self.haste.limit(self.config.limits.wall);
        }
        all.alone += 1;
        let len = self.batching.claims.len();
        let is_new = match self.shared.coverage().get(..len).filter(|_| len > 0) {
            Some(counters) => compare(counters, &mut self.batching.seen()) != BatchResult::Known,
            None => true,
        };
        let outcome = run.outcome;
        let was_slow = claimed == Some(Outcome::Timeout);
        if !outcome.is_finding() && !was_slow && claimed.is_some_and(Outcome::is_finding) {
            // It ended its process because of what had been left there. (Too slow a run may be the machine's doing.)
            self.batching.learn(batch_flags::LEAK);
        }
        let shows = is_new || outcome.is_finding();
        all.unconfirmed += u64::from(!shows && claimed.is_some());
        Ok(Glimpse { outcome, shown: shows.then(|| Box::new(run)) })
    }
}

/// Whether there is time for more than the `done` ones; there is for a first one always.
fn goes_on(done: usize, until: Instant) -> bool {
    done == 0 || Instant::now() < until
}

/// The innermost known frames of a stack: what tells crashes apart.
fn innermost(stack: &[u64]) -> Vec<u64> {
    stack.iter().copied().filter(|&a| a != 0).take(3).collect()
}

/// Whether a candidate is the buffer of a fuzz target.
fn is_buffer(candidate: &Candidate<'_>) -> bool {
    matches!(candidate.input.objects.as_slice(), [o] if o.kind == ObjectKind::Fuzz)
}

/// The end that a status stands for if the program ended itself; anything else is garbage here.
fn exit_of(status: i32) -> Option<Outcome> {
    match classify(status, Stopped::No) {
        outcome @ Outcome::Exit(_) => Some(outcome),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batching() -> Batching {
        Batching::new(&Capacities::new(6, 2).for_batches())
    }

    #[test]
    fn runs_that_depend_on_each_other_end_up_alone_and_get_another_chance() {
        let mut b = batching();
        for _ in 0..20 {
            b.learn(batch_flags::LEAK);
        }
        assert_eq!(b.per_process, 1);
        for _ in 0..PATIENCE {
            b.learn(batch_flags::GROWTH);
        }
        assert_eq!(b.per_process, MORE);
        for _ in 0..PATIENCE * 20 {
            b.learn(0);
        }
        assert_eq!(b.per_process, MOST_PER_PROCESS);
    }

    #[test]
    fn claims_that_no_run_shows_are_ignored_after_a_while() {
        let mut b = batching();
        b.seen()[0] = 1;
        let mut claimed = [0; 8];
        (claimed[0], claimed[3]) = (3, 1);
        for _ in 1..CLAIMS {
            b.hear(&claimed);
            assert_eq!(b.known()[3], 0);
        }
        b.hear(&claimed);
        assert_eq!(b.known(), [3, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(*b.seen(), [1, 0, 0, 0, 0, 0, 0, 0], "others still hear of it");
    }
}
