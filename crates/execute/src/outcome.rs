//! From a wait status to an [`Outcome`].

use trace::Outcome;

/// Who ended a run, if not the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nobody.
    No,
    /// Its wall-clock or CPU limit.
    Time,
    /// Its memory limit.
    Memory,
    /// Nothing more was to come: all its clients had said what they had to say, and it waited for more.
    Idle,
}

/// The outcome that a `waitpid` status stands for.
pub fn classify(status: i32, stopped: Stopped) -> Outcome {
    match stopped {
        Stopped::Time => return Outcome::Timeout,
        Stopped::Memory => return Outcome::OutOfMemory,
        Stopped::Idle => return Outcome::Exit(0),
        Stopped::No => {}
    }
    if libc::WIFEXITED(status) {
        return Outcome::Exit(libc::WEXITSTATUS(status));
    }
    match libc::WTERMSIG(status) {
        libc::SIGABRT => Outcome::Abort,
        libc::SIGXCPU => Outcome::Timeout,
        libc::SIGXFSZ => Outcome::OutputLimit,
        signal => Outcome::Signal(signal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_their_outcomes() {
        let exit = |code: i32| code << 8;
        assert_eq!(classify(exit(3), Stopped::No), Outcome::Exit(3));
        assert_eq!(classify(libc::SIGABRT, Stopped::No), Outcome::Abort);
        assert_eq!(classify(libc::SIGSEGV | 0x80, Stopped::No), Outcome::Signal(libc::SIGSEGV));
        assert_eq!(classify(libc::SIGXFSZ, Stopped::No), Outcome::OutputLimit);
        assert_eq!(classify(libc::SIGXCPU, Stopped::No), Outcome::Timeout);
        assert_eq!(classify(libc::SIGKILL, Stopped::Time), Outcome::Timeout);
        assert_eq!(classify(libc::SIGKILL, Stopped::Memory), Outcome::OutOfMemory);
        assert_eq!(classify(libc::SIGKILL, Stopped::Idle), Outcome::Exit(0));
    }
}
