//! The thread that all processes are started from.
//!
//! `PR_SET_PDEATHSIG` kills a child when the *thread* that made it ends. This thread lives as long as the engine, so
//! that processes end with the engine and not with a worker. It has the zygote (`zygote`) make them, and makes them itself
//! where that is not possible.

use super::child::{self, Setup};
use super::zygote::Zygote;
use crate::sys::check;
use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

type Job = (Setup, Sender<io::Result<i32>>);

/// Starts a process that goes on with [`child::run`]; its number.
pub fn clone(setup: Setup) -> io::Result<i32> {
    static LAUNCHER: OnceLock<io::Result<Sender<Job>>> = OnceLock::new();
    let launcher = LAUNCHER.get_or_init(|| {
        let (to, jobs) = channel::<Job>();
        std::thread::Builder::new().name("launcher".into()).spawn(move || {
            let mut zygote = Zygote::start().ok();
            for (mut setup, answer) in jobs {
                // Nobody waits any more: the process is then killed by its owner's absence, see `Process`.
                let _ = answer.send(start(&mut zygote, &mut setup));
            }
        })?;
        Ok(to)
    });
    let gone = || io::Error::other("the thread that starts processes is gone");
    let to = launcher.as_ref().map_err(|e| io::Error::new(e.kind(), e.to_string()))?;
    let (answer, result) = channel();
    to.send((setup, answer)).map_err(|_| gone())?;
    result.recv().map_err(|_| gone())?
}

fn start(zygote: &mut Option<Zygote>, setup: &mut Setup) -> io::Result<i32> {
    if let Some(started) = zygote {
        match started.clone(setup) {
            Ok(pid) => return Ok(pid),
            // It does what the engine can do, too; without it that is only slower.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => *zygote = None,
            Err(_) => {}
        }
    }
    clone_here(setup, 0)
}

/// Starts the process as a child of the calling thread, or, with `CLONE_PARENT`, of the thread that started this process.
pub(super) fn clone_here(setup: &mut Setup, more: libc::c_int) -> io::Result<i32> {
    let has_network = setup.clients.is_some() && setup.isolation.has_namespace();
    let network = if has_network { libc::CLONE_NEWNET } else { 0 };
    let flags = setup.isolation.flags() | network | libc::SIGCHLD | more;
    // SAFETY: as `fork`: the child has a copy of this thread and its memory; it allocates nothing, takes no lock,
    // and leaves by `execve` or `_exit`.
    unsafe {
        match check(libc::syscall(libc::SYS_clone, i64::from(flags), 0, 0, 0, 0))? {
            0 => child::run(setup),
            pid => Ok(pid as i32),
        }
    }
}
