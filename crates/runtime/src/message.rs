//! Messages of the runtime to people, on standard error, without the program's stdio.

use crate::libc;

/// Writes `spelunk: TEXT` and a newline to standard error.
pub fn warn(text: &str) {
    for part in ["spelunk: ", text, "\n"] {
        // SAFETY: writes from a valid buffer; failure is nobody's business.
        unsafe { libc::write(2, part.as_ptr().cast(), part.len()) };
    }
}

/// Exit code of a process that the runtime could not set up.
pub const SETUP_FAILED: i32 = 86;

/// Says why, then ends the process at once with [`SETUP_FAILED`].
pub fn die(text: &str) -> ! {
    warn(text);
    // SAFETY: ends the process.
    unsafe { libc::_exit(SETUP_FAILED) }
}
