//! CPU time of this process and of everything it started, now: what `--cpu` bounds and coverage is plotted over.
//!
//! Linux adds a child's time to its parent's when the parent has waited for it, so a fork server that still runs is in
//! nobody's sum. [`TreeClock`] adds up the living processes of the tree from `/proc/PID/stat` (fields 14 to 17, in
//! hundredths of a second), which is all that the kernel charged them for: the programs, what forking and ending them took, those that
//! were killed. What runs beside the search (`execute::with_aside`: single runs of the user's own executable and of `check`, the
//! instrumenter; and threads that [`helped`]) is taken off again.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The tree is read again after this time at the earliest.
const FRESH: Duration = Duration::from_millis(20);
/// Levels of processes below this one: fork server, run, what the run starts, and some to spare.
const DEPTH: usize = 6;

/// Microseconds of threads beside the search.
static HELPERS: AtomicU64 = AtomicU64::new(0);

/// Microseconds of tools beside the search: the instrumenter and what it starts.
static TOOLS: AtomicU64 = AtomicU64::new(0);

/// CPU time of a living process and of what it started.
pub fn of_tool(pid: i32) -> Duration {
    tree(&pid.to_string(), DEPTH, &BTreeSet::new())
}

/// A tool beside the search spent so much more CPU time.
pub fn tool_spent(time: Duration) {
    TOOLS.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
}

/// The part of [`aside`] that tools spent, but for the last hundredths of a second of each.
pub fn tools() -> Duration {
    Duration::from_micros(TOOLS.load(Ordering::Relaxed))
}

/// A thread of this process spent CPU time on something beside the search.
pub fn helped(time: Duration) {
    HELPERS.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
}

/// CPU time of the process tree since the clock was made, without what runs beside the search; never goes back.
pub struct TreeClock {
    before: Duration,
    newest: Duration,
    read: Option<Instant>,
}

impl TreeClock {
    /// A clock that stands at zero now.
    pub fn new() -> TreeClock {
        TreeClock { before: searching(), newest: Duration::ZERO, read: None }
    }

    /// What was spent by now, or a few hundredths of a second ago.
    pub fn spent(&mut self) -> Duration {
        if self.read.is_none_or(|read| read.elapsed() >= FRESH) {
            self.read = Some(Instant::now());
            self.newest = self.newest.max(searching().saturating_sub(self.before));
        }
        self.newest
    }
}

/// CPU time of this process and of all that it started, so far.
pub fn all() -> Duration {
    tree("self", DEPTH, &BTreeSet::new())
}

/// The part of it that is no part of a search.
pub fn aside() -> Duration {
    let helpers = Duration::from_micros(HELPERS.load(Ordering::Relaxed));
    let living = |pids: &BTreeSet<i32>| -> Duration {
        pids.iter().map(|pid| tree(&pid.to_string(), DEPTH, &BTreeSet::new())).sum()
    };
    helpers + execute::with_aside(|pids, gone| gone + living(pids))
}

/// The rest.
fn searching() -> Duration {
    let helpers = Duration::from_micros(HELPERS.load(Ordering::Relaxed));
    execute::with_aside(|pids, gone| tree("self", DEPTH, pids).saturating_sub(gone)).saturating_sub(helpers)
}

/// A process, what it waited for, and its living descendants, without those to be left out.
fn tree(pid: &str, depth: usize, without: &BTreeSet<i32>) -> Duration {
    // Children first: one that ends in between is then counted twice rather than lost, and `spent` never goes back.
    let counts = |child: &&String| !child.parse().is_ok_and(|pid| without.contains(&pid));
    let below: Duration = match depth {
        0 => Duration::ZERO,
        _ => children(pid).iter().filter(counts).map(|child| tree(child, depth - 1, without)).sum(),
    };
    below + of(pid)
}

fn children(pid: &str) -> Vec<String> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let of_thread = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let lists: Vec<String> = threads.flatten().filter_map(of_thread).collect();
    lists.iter().flat_map(|list| list.split_whitespace().map(str::to_owned)).collect()
}

fn of(pid: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(4);
    Duration::from_millis(10 * fields.filter_map(|f| f.parse::<u64>().ok()).sum::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_that_runs_and_one_that_was_waited_for_count() {
        let mut clock = TreeClock::new();
        let busy = |rounds: &str| {
            let script = format!("i=0; while [ $i -lt {rounds} ]; do i=$((i+1)); done; read x");
            Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).spawn().expect("sh")
        };
        let mut child = busy("300000");
        // It spins, then waits for its standard input: it lives as long as we want.
        while tree(&child.id().to_string(), 1, &BTreeSet::new()) < Duration::from_millis(50) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let living = clock.spent();
        assert!(living >= Duration::from_millis(50), "{living:?}");
        drop(child.stdin.take());
        child.wait().expect("ended");
        std::thread::sleep(FRESH);
        assert!(clock.spent() >= living && all() >= living);
    }

    #[test]
    #[expect(clippy::zombie_processes, reason = "it is waited for by its number")]
    fn what_runs_beside_the_search_is_not_in_its_time() {
        let script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; read x";
        let mut child = Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).spawn().expect("sh");
        let pid = child.id() as i32;
        execute::set_aside(pid);
        let own = |pid: i32| tree(&pid.to_string(), 1, &BTreeSet::new());
        while own(pid) < Duration::from_millis(50) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let spent = own(pid);
        assert!(aside() >= spent && execute::with_aside(|living, _| living.contains(&pid)));
        drop(child.stdin.take());
        execute::wait_aside(pid).expect("ended");
        assert!(execute::with_aside(|living, gone| !living.contains(&pid) && gone >= spent));
    }
}
