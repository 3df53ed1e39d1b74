//! How much memory a run holds, and its processes, seen from outside through `/proc`.

use std::fs;

/// Processes below `pid`, nearest first, at most a few hundred, without `spared` and those below these.
pub fn descendants(pid: i32, spared: &[i32]) -> Vec<i32> {
    let mut found = vec![pid];
    let mut next = 0;
    while next < found.len() && found.len() < 512 {
        let p = found[next];
        next += 1;
        // Children hang below the thread that made them; the server has one thread, a program may have many.
        let Ok(threads) = fs::read_dir(format!("/proc/{p}/task")) else { continue };
        for thread in threads.flatten() {
            let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = list.split_ascii_whitespace().filter_map(|w| w.parse::<i32>().ok());
            found.extend(children.filter(|child| !spared.contains(child)));
        }
    }
    found.remove(0);
    found
}

/// Whether a process is there and not dead.
pub fn lives(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with(['Z', 'X']) && !rest.is_empty())
}

/// Private resident bytes of a process: what it would give back by dying.
fn private_resident(pid: i32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let mut fields = text.split_ascii_whitespace().skip(1).map(|f| f.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (fields.next().unwrap_or(0), fields.next().unwrap_or(0));
    resident.saturating_sub(shared) * trace_abi::PAGE
}

/// Private resident bytes of all processes below `pid` together, without `spared`, and the nearest of these processes.
pub fn of_descendants(pid: i32, spared: &[i32]) -> (u64, Option<i32>) {
    let below: Vec<i32> = descendants(pid, spared).into_iter().filter(|&p| lives(p)).collect();
    (below.iter().map(|&p| private_resident(p)).sum(), below.first().copied())
}
