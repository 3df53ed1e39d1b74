//! Processes: a child that the program forks stops recording, for it shares the mapping with its parent.

use super::args::give_concrete;
use super::written;
use crate::libc::{self, c_int};
use crate::{lock, state};

fn forked() -> c_int {
    // SAFETY: forks.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        lock::reset();
        crate::threads::ring::forget();
        state::stop_recording();
        super::fixed::forked();
    }
    written::forked();
    give_concrete();
    pid
}

/// Model of `fork`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_fork() -> c_int {
    forked()
}

/// Model of `vfork`: as a `fork`, which POSIX allows, since a function cannot return twice on one stack.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_vfork() -> c_int {
    forked()
}
