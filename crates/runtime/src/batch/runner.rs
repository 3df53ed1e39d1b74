//! Many runs in one process: calls the fuzz target or the program's `main` again and again.
//!
//! What no system call is needed for is done after every run: counters compared and cleared, the time looked at. The rest
//! is looked at now and then: memory, descriptors, threads and children left over. The first input is run once more at
//! the end of each batch: other coverage than at the process's start means that runs are not independent, unless it is nearly
//! the same. (Of a fuzz target a second run right after the first is accepted, too: many libraries set up tables once. A `main`
//! must do what it does in a process of its own.)

use super::{clear, counters, coverage_fingerprint, entry, finish, set_current};
use crate::libc::{self, c_int};
use crate::{state, sys, values};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use trace_abi::{BATCH_IDLE, ObjectKind, RUNNER_FD, batch_flags};

/// Server to runner.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Order {
    /// First entry to run.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// Runs that this process may make in all.
    pub per_process: u32,
    /// After so many milliseconds no further input is begun.
    pub slice_ms: u32,
}

/// Runner to server.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Answer {
    /// First entry that was not run.
    pub next: u32,
    /// See [`batch_flags`].
    pub flags: u32,
    /// 1: the process is not to be used any more.
    pub retire: u32,
    /// Padding.
    pub reserved: u32,
}

/// In place of an entry's number while the first input is run once more.
pub const CHECK: u32 = BATCH_IDLE - 1;

/// Resident pages that a process may gain before it is replaced (64 MiB).
const MAX_PAGES: u64 = 1 << 14;
/// Descriptors that it may gain.
const MAX_DESCRIPTORS: c_int = 16;
/// Longest first input that is kept for the check, and most counters.
const MAX_KEPT: usize = 1 << 20;
/// Runs between looks at what the process holds, once there were that many.
const LOOK_EVERY: u64 = 4096;

/// What a process holds.
#[derive(Clone, Copy)]
struct Holdings {
    pages: u64,
    threads: u64,
    descriptor: c_int,
}

static RUNS: AtomicU64 = AtomicU64::new(0);

/// The target, and what is known of this process.
struct Runner<F> {
    target: F,
    at_start: Holdings,
    first: Option<First>,
}

/// The one object that an input of such a run has.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// An [`ObjectKind`] as number.
    pub kind: u32,
    /// Its name; of a file, the path.
    pub name: &'a [u8],
    /// Its bytes.
    pub data: &'a [u8],
}

/// The first input that was run.
struct First {
    /// A copy of it.
    given: Given<'static>,
    /// Its coverage then and, of a fuzz target, right after.
    coverage: [u64; 2],
    /// Its counters right after; of a `main`, then.
    counters: &'static [u8],
}

/// What running the first input once more says.
enum Again {
    /// It did what it had done.
    Same,
    /// Nearly so.
    Similar,
    /// It did something else.
    Different,
}

/// Serves orders until the server is gone. `target` runs one input and tells its exit status.
pub fn serve<F: FnMut(&Given<'_>) -> c_int>(target: F) -> ! {
    let mut runner = Runner { target, at_start: holdings(), first: None };
    loop {
        let mut order = Order { first: 0, end: 0, per_process: 0, slice_ms: 0 };
        // SAFETY: reads at most one record of plain numbers.
        let n = unsafe { libc::read(RUNNER_FD, (&raw mut order).cast(), size_of::<Order>()) };
        if n == -1 && libc::errno() == sys::EINTR {
            continue;
        }
        if n != size_of::<Order>() as isize {
            leave();
        }
        let answer = runner.batch(&order);
        // SAFETY: writes one record of plain numbers.
        let n = unsafe { libc::write(RUNNER_FD, (&raw const answer).cast(), size_of::<Answer>()) };
        if n != size_of::<Answer>() as isize || answer.retire != 0 {
            leave();
        }
    }
}

fn leave() -> ! {
    // SAFETY: ends the process without running the program's exit handlers.
    unsafe { libc::_exit(0) }
}

impl<F: FnMut(&Given<'_>) -> c_int> Runner<F> {
    fn batch(&mut self, order: &Order) -> Answer {
        let until = coarse_ms() + u64::from(order.slice_ms);
        let mut answer = Answer { next: order.first, flags: 0, retire: 0, reserved: 0 };
        while answer.next < order.end {
            if RUNS.load(Relaxed) >= u64::from(order.per_process) {
                answer.retire = 1;
                break;
            }
            if !self.run(answer.next) {
                break;
            }
            answer.next += 1;
            let runs = RUNS.fetch_add(1, Relaxed) + 1;
            if runs.is_multiple_of(LOOK_EVERY) || (runs >= 16 && runs.is_power_of_two()) {
                let flags = self.growth();
                if flags != 0 {
                    answer.flags |= flags;
                    answer.retire = 1;
                    break;
                }
            }
            if coarse_ms() >= until {
                break;
            }
        }
        if answer.next == order.end || answer.retire != 0 {
            match self.again() {
                Again::Same => {}
                Again::Similar => answer.flags |= batch_flags::NOISE,
                Again::Different => {
                    answer.flags |= batch_flags::LEAK;
                    answer.retire = 1;
                }
            }
        }
        answer
    }

    /// Runs entry `k`; false if there is none.
    fn run(&mut self, k: u32) -> bool {
        let Some(given) = begin(k) else { return false };
        clear();
        set_current(k);
        let status = (self.target)(&given);
        set_current(BATCH_IDLE);
        let is_target = given.kind == ObjectKind::Fuzz as u32;
        let is_first = self.first.is_none();
        let fresh = if is_first { coverage_fingerprint() } else { 0 };
        let then = if is_first && !is_target { kept(counters()) } else { None };
        finish(k, (status & 0xff) << 8);
        if is_first && let (Some(name), Some(data)) = (kept(given.name), kept(given.data)) {
            let given = Given { name, data, ..given };
            let coverage = [fresh, if is_target { self.check(&given) } else { fresh }];
            let counters = if is_target { kept(counters()) } else { then };
            self.first = counters.map(|counters| First { given, coverage, counters });
        }
        true
    }

    /// Runs an input for its coverage alone.
    fn check(&mut self, given: &Given<'_>) -> u64 {
        clear();
        values::reset();
        crate::models::fixed::begin();
        set_current(CHECK);
        (self.target)(given);
        set_current(BATCH_IDLE);
        coverage_fingerprint()
    }

    /// Whether the first input still does what it did.
    fn again(&mut self) -> Again {
        let Some(First { given, coverage, counters: then }) = self.first else { return Again::Same };
        if coverage.contains(&self.check(&given)) {
            Again::Same
        } else if is_similar(then, counters()) {
            Again::Similar
        } else {
            Again::Different
        }
    }

    /// Flags for what this process holds more than at its start.
    fn growth(&self) -> u32 {
        let (now, then) = (holdings(), self.at_start);
        let mut flags = 0;
        if now.pages > then.pages + MAX_PAGES || now.descriptor > then.descriptor + MAX_DESCRIPTORS {
            flags |= batch_flags::GROWTH;
        }
        // They may go on writing counters while other inputs are run.
        if now.threads > then.threads || has_children() {
            flags |= batch_flags::LEAK;
        }
        flags
    }
}

/// Sets the header up for entry `k`, as far as a run in a used process needs it; its object.
fn begin(k: u32) -> Option<Given<'static>> {
    let offset = super::adopt(k)?;
    let h = state::header();
    // SAFETY: attached.
    unsafe {
        (*h).n_values = 0;
        (*h).values_len = 0;
    }
    values::reset();
    crate::models::fixed::begin();
    let (object, _) = state::object_at(offset)?;
    is_given(object.kind).then_some(Given { kind: object.kind, name: object.name, data: object.data })
}

fn is_given(kind: u32) -> bool {
    [ObjectKind::Fuzz, ObjectKind::Stdin, ObjectKind::File].iter().any(|&k| k as u32 == kind)
}

/// Whether at most one place in sixteen is covered by only one of two runs.
fn is_similar(then: &[u8], now: &[u8]) -> bool {
    let (mut one, mut both) = (0, 0);
    for (a, b) in then.iter().zip(now) {
        one += usize::from((*a != 0) != (*b != 0));
        both += usize::from(*a != 0 && *b != 0);
    }
    one * 16 <= both
}

/// A copy of `data` that stays; `None` if it is too long.
fn kept(data: &[u8]) -> Option<&'static [u8]> {
    if data.len() > MAX_KEPT {
        return None;
    }
    let to = state::map_anonymous(data.len().max(1));
    if to.is_null() {
        return None;
    }
    // SAFETY: fresh memory of that length.
    unsafe {
        core::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len());
        Some(core::slice::from_raw_parts(to, data.len()))
    }
}

/// Milliseconds of a coarse clock that only goes forwards.
fn coarse_ms() -> u64 {
    sys::clock_us(sys::CLOCK_MONOTONIC_COARSE) / 1000
}

fn has_children() -> bool {
    let mut info = [0u64; 16];
    let flags = sys::WEXITED | sys::WNOHANG | sys::WNOWAIT | sys::WALL;
    // SAFETY: the record is 128 bytes; nobody is reaped.
    unsafe { sys::waitid(sys::P_ALL, 0, info.as_mut_ptr().cast(), flags) == 0 }
}

/// From `/proc/self/stat` (fields 20 and 24), and the lowest free descriptor. What cannot be found out counts as nothing.
fn holdings() -> Holdings {
    let mut text = [0u8; 1024];
    // SAFETY: reads into a valid buffer; descriptors of ours.
    let (n, descriptor) = unsafe {
        let fd = libc::open(c"/proc/self/stat".as_ptr(), sys::O_RDONLY | libc::O_CLOEXEC);
        let n = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        libc::close(fd);
        (n.clamp(0, text.len() as isize) as usize, fd)
    };
    let text = &text[..n];
    let after_name = text.iter().rposition(|&c| c == b')').map_or(n, |at| at + 1);
    let mut fields = text[after_name..].split(|&c| c == b' ').skip(1);
    // The first field behind the name is the third.
    let threads = fields.nth(17).map_or(0, number);
    let pages = fields.nth(3).map_or(0, number);
    Holdings { pages, threads, descriptor }
}

fn number(digits: &[u8]) -> u64 {
    digits
        .iter()
        .take_while(|c| c.is_ascii_digit())
        .fold(0u64, |n, c| n.saturating_mul(10).saturating_add(u64::from(c - b'0')))
}

/// Whether entry `k` is one object that can be given again and again: the buffer of a fuzz target, else standard input or a file.
pub fn fits(k: u32, has_target: bool) -> bool {
    // SAFETY: inside the mapping; a copy.
    let Some(e) = entry(k).map(|e| unsafe { e.read_volatile() }) else { return false };
    e.n_objects == 1
        && state::object_at(state::layout().input_at().wrapping_add(e.offset))
            .is_some_and(|(o, _)| is_given(o.kind) && (o.kind == ObjectKind::Fuzz as u32) == has_target)
}
