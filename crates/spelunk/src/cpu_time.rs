//! CPU time of this process and of everything it started, now: what coverage is plotted over.
//!
//! Linux adds a child's time to its parent's when the parent has waited for it, so a fork server that still runs is in
//! nobody's sum. [`TreeClock`] adds up the living processes of the tree from `/proc/PID/stat` (fields 14 to 17, in
//! hundredths of a second).

use std::time::{Duration, Instant};

/// The tree is read again after this time at the earliest.
const FRESH: Duration = Duration::from_millis(20);
/// Levels of processes below this one: fork server, run, what the run starts, and some to spare.
const DEPTH: usize = 6;

/// CPU time of the process tree since the clock was made; never goes back.
pub struct TreeClock {
    before: Duration,
    newest: Duration,
    read: Option<Instant>,
}

impl TreeClock {
    /// A clock that stands at zero now.
    pub fn new() -> TreeClock {
        TreeClock { before: tree("self", DEPTH), newest: Duration::ZERO, read: None }
    }

    /// What was spent by now, or a few hundredths of a second ago.
    pub fn spent(&mut self) -> Duration {
        if self.read.is_none_or(|read| read.elapsed() >= FRESH) {
            self.read = Some(Instant::now());
            self.newest = self.newest.max(tree("self", DEPTH).saturating_sub(self.before));
        }
        self.newest
    }
}

/// CPU time of this process and of those that it waited for, so far; zero if the system does not say.
pub fn own() -> Duration {
    of("self")
}

/// A process, what it waited for, and its living descendants.
fn tree(pid: &str, depth: usize) -> Duration {
    // Children first: one that ends in between is then counted twice rather than lost, and `spent` never goes back.
    let below: Duration = match depth {
        0 => Duration::ZERO,
        _ => children(pid).iter().map(|child| tree(child, depth - 1)).sum(),
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
        while tree(&child.id().to_string(), 1) < Duration::from_millis(50) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let living = clock.spent();
        assert!(living >= Duration::from_millis(50), "{living:?}");
        drop(child.stdin.take());
        child.wait().expect("ended");
        std::thread::sleep(FRESH);
        assert!(clock.spent() >= living && own() >= living);
    }
}
