//! A small process that starts all others.
//!
//! A child gets a copy of its parent's page tables. The engine's are large (hundreds of MiB of trees and traces): copying
//! them for every run of the user's own executable cost more than the run. So the engine forks once, early, while it is
//! small; that process takes orders from a socket, descriptors with them, and starts what they describe as children of
//! the engine (`CLONE_PARENT`), so that waiting for them and their end with the engine stay as they were. The name is
//! that of Android's process of this kind.

use super::child::Setup;
use super::launcher::clone_here;
use super::message;
use crate::sys::{self, check};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

/// Most bytes of an order: what the kernel lets through a socket without options.
const MAX_ORDER: usize = 160 << 10;

/// Number of the zygote and our end of its socket, for the engine's exit.
static PID: AtomicI32 = AtomicI32::new(0);
static SOCKET: AtomicI32 = AtomicI32::new(-1);

/// The engine's end.
pub struct Zygote {
    socket: File,
    pid: i32,
}

impl Zygote {
    /// Forks it. Its parent is the calling thread, which has to live as long as what it starts.
    pub fn start() -> io::Result<Zygote> {
        let (ours, theirs) = sys::socket_pair()?;
        // SAFETY: the child goes on with `serve`, which uses nothing of other threads but the allocator; that, the C
        // library's `fork` hands over in order.
        let pid = unsafe {
            match check(libc::fork())? {
                0 => serve(theirs),
                pid => pid,
            }
        };
        if PID.swap(pid, Ordering::SeqCst) == 0 {
            SOCKET.store(ours.as_raw_fd(), Ordering::SeqCst);
            // SAFETY: a function that can be called at any time.
            unsafe { libc::atexit(dismiss) };
        }
        Ok(Zygote { socket: File::from(ours), pid })
    }

    /// Has it start a process; its number. Broken pipe: the zygote is gone.
    pub fn clone(&mut self, setup: &Setup) -> io::Result<i32> {
        let (order, descriptors) = message::encode(setup);
        if order.len() > MAX_ORDER {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        message::send(self.socket.as_fd(), &order, &descriptors).map_err(|_| gone())?;
        let mut answer = [0u8; 4];
        match self.socket.read(&mut answer) {
            Ok(4) => {}
            _ => return Err(gone()),
        }
        match i32::from_ne_bytes(answer) {
            pid if pid > 0 => Ok(pid),
            error => Err(io::Error::from_raw_os_error(-error)),
        }
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        if PID.compare_exchange(self.pid, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            // SAFETY: a descriptor of ours.
            unsafe { libc::shutdown(self.socket.as_raw_fd(), libc::SHUT_RDWR) };
            let _ = sys::reap(self.pid);
        }
    }
}

/// At the engine's exit: lets the zygote end and waits for it, so that what it used is counted with the rest.
extern "C" fn dismiss() {
    let (pid, socket) = (PID.swap(0, Ordering::SeqCst), SOCKET.load(Ordering::SeqCst));
    if pid > 0 {
        // SAFETY: a descriptor that stays open until the process ends.
        unsafe { libc::shutdown(socket, libc::SHUT_RDWR) };
        let _ = sys::reap(pid);
    }
}

/// The zygote's life.
fn serve(socket: OwnedFd) -> ! {
    settle(&socket);
    let mut answers = File::from(socket);
    let mut buffer = vec![0u8; MAX_ORDER];
    loop {
        let started = match message::receive(answers.as_fd(), &mut buffer) {
            Ok(Some((order, descriptors))) => {
                let setup = message::decode(&buffer[..order], &descriptors);
                // `descriptors` closes its copies after this, in this process.
                setup.and_then(|mut setup| clone_here(&mut setup, libc::CLONE_PARENT))
            }
            Ok(None) => break,
            Err(e) => Err(e),
        };
        let answer = started.unwrap_or_else(|e| -e.raw_os_error().unwrap_or(libc::EINVAL));
        if answers.write(&answer.to_ne_bytes()).is_err() {
            break;
        }
    }
    // SAFETY: ends the process without running what the engine registered for its own exit.
    unsafe { libc::_exit(0) }
}

/// Lets go of everything of the engine's: descriptors, terminal, signal handlers.
fn settle(socket: &OwnedFd) {
    let number = socket.as_raw_fd() as u32;
    // SAFETY: system calls on numbers and constant strings.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_NAME, c"spelunk-zygote".as_ptr());
        libc::setsid();
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::syscall(libc::SYS_close_range, 3, number - 1, 0);
        libc::syscall(libc::SYS_close_range, number + 1, u32::MAX, 0);
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        (0..3).for_each(|fd| {
            libc::dup2(nothing, fd);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zygote_that_was_killed_is_told_as_a_broken_pipe() {
        let mut zygote = Zygote::start().unwrap();
        sys::kill(sys::process_descriptor(zygote.pid).unwrap().as_fd());
        let error = zygote.clone(&message::tests::sample()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn what_it_starts_is_a_child_of_the_engine() {
        let mut zygote = Zygote::start().unwrap();
        let pid = zygote.clone(&message::tests::sample()).unwrap();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        assert!(status.contains(&format!("PPid:\t{}\n", std::process::id())), "{status}");
        sys::reap(pid).unwrap();
    }
}
