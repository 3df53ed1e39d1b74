//! CPU time of what runs beside a search: the user's own executable and flavour `check` on single inputs, and tools. A search's own CPU
//! time is that of the process tree without these; here stands which living children they are, and what those used that are gone.

use crate::sys;
use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Processes beside the search.
#[derive(Debug, Default)]
struct Aside {
    living: BTreeSet<i32>,
    /// CPU time of those that were waited for, with all that they had waited for.
    gone: Duration,
}

static ASIDE: Mutex<Aside> = Mutex::new(Aside { living: BTreeSet::new(), gone: Duration::ZERO });

fn lock() -> MutexGuard<'static, Aside> {
    ASIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A child of this process is no part of the search from now on.
pub fn set_aside(pid: i32) {
    lock().living.insert(pid);
}

/// Waits for a child that was set aside; its wait status. Nobody else may wait for it.
///
/// # Errors
/// When it is no child of this process, or was waited for.
pub fn wait_aside(pid: i32) -> io::Result<i32> {
    sys::wait_ended(pid)?;
    // Its time moves from the living to the dead in one step for those who look.
    let mut aside = lock();
    aside.living.remove(&pid);
    let (status, cpu) = sys::reap_with_usage(pid)?;
    aside.gone += cpu;
    Ok(status)
}

/// Kills a child that was set aside, and its process group, whose first process it is.
pub fn kill_group(pid: i32) {
    let aside = lock();
    // Not waited for yet: the number is its own.
    if aside.living.contains(&pid) {
        sys::kill_process_group(pid);
    }
}

/// Calls `look` with the living processes beside the search and the CPU time of those that are gone, while neither changes.
pub fn with_aside<T>(look: impl FnOnce(&BTreeSet<i32>, Duration) -> T) -> T {
    let aside = lock();
    look(&aside.living, aside.gone)
}
