//! The token, and the ring in which it goes round.

use crate::libc::{self, c_int, c_long};
use crate::models::fixed;
use crate::sys;
use core::ptr::null;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

/// Threads that are ordered at a time; more run as they like.
pub const MOST: usize = 256;
/// Milliseconds after which a waiting thread looks at what the holder does.
const LOOK_MS: i64 = 2;
/// Looks in a row that find the holder waiting for something else, until it loses the token.
const ASLEEP_LOOKS: u32 = 2;
/// Looks in a row, whatever the holder does (it may spin), until it loses the token.
const BUSY_LOOKS: u32 = 25;

/// Number of a thread; the main thread is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub usize);

const FREE: u8 = 0;
/// In the ring: runs when it gets the token.
const READY: u8 = 1;
/// Not in the ring until its next synchronisation.
const OUTSIDE: u8 = 2;
const ENDED: u8 = 3;

struct Thread {
    state: AtomicU8,
    tid: AtomicI32,
    name: AtomicU64,
    /// The condition it waits for, else 0.
    condition: AtomicUsize,
    /// When it began to wait, for first come, first served.
    ticket: AtomicU64,
    signalled: AtomicBool,
}

static THREADS: [Thread; MOST] = [const {
    Thread {
        state: AtomicU8::new(FREE),
        tid: AtomicI32::new(0),
        name: AtomicU64::new(0),
        condition: AtomicUsize::new(0),
        ticket: AtomicU64::new(0),
        signalled: AtomicBool::new(false),
    }
}; MOST];

/// Place of the thread that runs, plus one; 0 if nobody has the token.
static HOLDER: AtomicU32 = AtomicU32::new(0);
/// Threads alive besides the first.
static OTHERS: AtomicU32 = AtomicU32::new(0);
static TICKETS: AtomicU64 = AtomicU64::new(0);

// This thread's place plus one; 0 for threads that are not ordered.
core::arch::global_asm!(
    ".section .tbss.__sp_place,\"awT\",@nobits",
    ".p2align 3",
    "__sp_place:",
    ".zero 8",
    ".text",
);

fn own() -> *mut u64 {
    let p: *mut u64;
    // SAFETY: the address of this thread's variable.
    unsafe {
        core::arch::asm!(
            "mov {p}, qword ptr fs:[0]",
            "add {p}, qword ptr [rip + __sp_place@GOTTPOFF]",
            p = out(reg) p,
            options(nostack, pure, readonly),
        );
    }
    p
}

fn mine() -> Option<Place> {
    // SAFETY: this thread's variable.
    unsafe { (*own()).checked_sub(1).map(|n| Place(n as usize)) }
}

/// Whether threads are ordered now, and this one is among them; it holds the token afterwards.
pub fn entered() -> Option<Place> {
    if OTHERS.load(Relaxed) == 0 {
        return None;
    }
    let me = mine()?;
    acquire(me);
    Some(me)
}

/// Whether no thread was made beside the first, or all of them ended.
pub fn is_alone() -> bool {
    OTHERS.load(Relaxed) == 0
}

/// In the child of a fork there is one thread.
pub fn forget() {
    for thread in &THREADS {
        thread.state.store(FREE, Relaxed);
    }
    OTHERS.store(0, Relaxed);
    HOLDER.store(0, Relaxed);
    // SAFETY: this thread's variable.
    unsafe { *own() = 0 };
}

/// A place for a new thread, ready to run; `None` where threads are not ordered.
pub fn reserve() -> Option<Place> {
    if !fixed::is_fixed() {
        return None;
    }
    let me = mine().unwrap_or_else(|| {
        // The first thread of the program makes its first thread.
        become_place(Place(0));
        HOLDER.store(1, Release);
        super::calls::watch_end(Place(0));
        Place(0)
    });
    acquire(me);
    let free = (1..MOST).find(|&k| {
        let state = &THREADS[k].state;
        state.compare_exchange(FREE, READY, AcqRel, Relaxed).is_ok()
    })?;
    OTHERS.fetch_add(1, Relaxed);
    Some(Place(free))
}

/// Undoes [`reserve`].
pub fn release(place: Place) {
    THREADS[place.0].state.store(FREE, Release);
    OTHERS.fetch_sub(1, Relaxed);
}

/// Gives the thread at `place` its `pthread_t`.
pub fn name(place: Place, name: u64) {
    THREADS[place.0].name.store(name, Relaxed);
}

/// The thread of this name.
pub fn find(name: u64) -> Option<Place> {
    let alive = |k: &usize| {
        let t = &THREADS[*k];
        t.name.load(Relaxed) == name && t.state.load(Acquire) != FREE
    };
    (1..MOST).find(alive).map(Place)
}

fn become_place(place: Place) {
    const SYS_GETTID: c_long = 186;
    let thread = &THREADS[place.0];
    // SAFETY: asks for a number; this thread's variable.
    unsafe {
        thread.tid.store(sys::syscall(SYS_GETTID) as i32, Relaxed);
        *own() = place.0 as u64 + 1;
    }
    thread.state.store(READY, Release);
}

/// The thread at `place` starts: it waits for its turn.
pub fn begin(place: Place) {
    become_place(place);
    acquire(place);
}

/// The thread at `place` ends.
pub fn end(place: Place) {
    THREADS[place.0].state.store(ENDED, Release);
    if place.0 != 0 {
        OTHERS.fetch_sub(1, Relaxed);
    }
    hand_over(place);
    // SAFETY: this thread's variable: what it still calls is not ordered.
    unsafe { *own() = 0 };
}

/// Whether the thread at `place` ended.
pub fn has_ended(place: Place) -> bool {
    THREADS[place.0].state.load(Acquire) == ENDED
}

/// The place of a thread that was joined may be used again.
pub fn reuse(place: Place) {
    THREADS[place.0].name.store(0, Relaxed);
    THREADS[place.0].state.store(FREE, Release);
}

/// The thread that gets the token after `place`.
fn successor(place: Place) -> Option<Place> {
    let ready = |k: &usize| THREADS[*k].state.load(Acquire) == READY;
    (1..MOST).map(|step| (place.0 + step) % MOST).find(ready).map(Place)
}

/// Passes the token on for good, if this thread has it.
fn hand_over(place: Place) {
    if HOLDER.load(Acquire) != place.0 as u32 + 1 {
        return;
    }
    let next = successor(place);
    HOLDER.store(next.map_or(0, |p| p.0 as u32 + 1), Release);
    wake(next);
}

fn bit(place: Place) -> u32 {
    1 << (place.0 % 32)
}

fn wake(place: Option<Place>) {
    const FUTEX_WAKE_BITSET: c_int = 10 | 128;
    let bits = place.map_or(!0, bit);
    // SAFETY: wakes waiters of our own word.
    unsafe {
        sys::syscall(
            SYS_FUTEX,
            HOLDER.as_ptr(),
            FUTEX_WAKE_BITSET,
            i32::MAX,
            null::<u8>(),
            null::<u8>(),
            bits,
        );
    }
}

const SYS_FUTEX: c_long = 202;

/// Waits while the holder is `holder`, at most [`LOOK_MS`].
fn wait(place: Place, holder: u32) {
    const FUTEX_WAIT_BITSET: c_int = 9 | 128;
    let now = sys::now_us() as i64 + LOOK_MS * 1000;
    let until = sys::TimeSpec { sec: now / 1_000_000, nsec: now % 1_000_000 * 1000 };
    // SAFETY: waits on our own word; valid records.
    unsafe {
        sys::syscall(
            SYS_FUTEX,
            HOLDER.as_ptr(),
            FUTEX_WAIT_BITSET,
            holder,
            &raw const until,
            null::<u8>(),
            bit(place),
        );
    }
}

/// Waits for the token.
fn acquire(me: Place) {
    let own = me.0 as u32 + 1;
    if HOLDER.load(Acquire) == own {
        return;
    }
    let errno = libc::errno();
    THREADS[me.0].state.store(READY, Release);
    let (mut looks, mut asleep, mut last) = (0, 0, 0);
    loop {
        let holder = HOLDER.load(Acquire);
        if holder == own {
            break;
        }
        if holder == 0 {
            if HOLDER.compare_exchange(0, own, AcqRel, Relaxed).is_ok() {
                break;
            }
            continue;
        }
        if holder != last {
            (looks, asleep, last) = (0, 0, holder);
        }
        wait(me, holder);
        let place = Place(holder as usize - 1);
        if HOLDER.load(Acquire) != holder || successor(place) != Some(me) {
            continue;
        }
        looks += 1;
        asleep = if is_asleep(place) { asleep + 1 } else { 0 };
        if (asleep >= ASLEEP_LOOKS || looks >= BUSY_LOOKS)
            && HOLDER.compare_exchange(holder, own, AcqRel, Relaxed).is_ok()
        {
            let state = &THREADS[place.0].state;
            let _ = state.compare_exchange(READY, OUTSIDE, AcqRel, Relaxed);
            break;
        }
    }
    libc::set_errno(errno);
}

/// Whether a thread sleeps in the kernel: third word of its `stat`.
fn is_asleep(place: Place) -> bool {
    let mut path = [0u8; 48];
    let (head, tail) = (b"/proc/self/task/", b"/stat\0");
    let mut digits = [0u8; 10];
    let (mut n, mut at) = (THREADS[place.0].tid.load(Relaxed).max(0) as u32, digits.len());
    while at > 0 {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    let number = &digits[at..];
    let parts = [&head[..], number, &tail[..]];
    let mut to = 0;
    for part in parts {
        path[to..to + part.len()].copy_from_slice(part);
        to += part.len();
    }
    let mut text = [0u8; 128];
    // SAFETY: a C string; reads into a buffer of ours through a descriptor of ours.
    let n = unsafe {
        let fd = libc::open(path.as_ptr().cast(), sys::O_RDONLY | libc::O_CLOEXEC);
        let n = libc::read(fd, text.as_mut_ptr().cast(), text.len());
        libc::close(fd);
        n.max(0) as usize
    };
    // The name before it is in brackets and may hold anything.
    let after = text[..n].iter().rposition(|&c| c == b')').map_or(0, |k| k + 2);
    matches!(text.get(after), Some(b'S' | b'D'))
}

/// Gives every other thread its turn.
pub fn step_back(me: Place) {
    match successor(me) {
        Some(next) => {
            HOLDER.store(next.0 as u32 + 1, Release);
            wake(Some(next));
            acquire(me);
        }
        // All others are outside the ring: they get some time.
        None => pause(),
    }
}

fn pause() {
    const SYS_NANOSLEEP: c_long = 35;
    let short = sys::TimeSpec { sec: 0, nsec: 50_000 };
    // SAFETY: a valid record.
    unsafe { sys::syscall(SYS_NANOSLEEP, &raw const short, null::<u8>()) };
}

/// Waits outside the ring for as long as `call` takes.
pub fn outside<T>(me: Place, call: impl FnOnce() -> T) -> T {
    THREADS[me.0].state.store(OUTSIDE, Release);
    hand_over(me);
    let result = call();
    acquire(me);
    result
}

/// This thread waits for a condition from now on.
pub fn await_signal(me: Place, condition: usize) {
    let thread = &THREADS[me.0];
    thread.signalled.store(false, Relaxed);
    thread.ticket.store(TICKETS.fetch_add(1, Relaxed), Relaxed);
    thread.condition.store(condition, Release);
}

/// Whether the condition was signalled to this thread; it waits no more then.
pub fn is_signalled(me: Place) -> bool {
    THREADS[me.0].signalled.load(Acquire)
}

/// This thread gives up waiting.
pub fn forget_signal(me: Place) {
    THREADS[me.0].condition.store(0, Release);
}

/// Signals a condition to the thread that waits longest, or to all.
pub fn signal(condition: usize, all: bool) {
    let waits = |t: &&Thread| t.condition.load(Acquire) == condition;
    let tell = |t: &Thread| {
        t.condition.store(0, Relaxed);
        t.signalled.store(true, Release);
    };
    if all {
        THREADS.iter().filter(waits).for_each(tell);
    } else if let Some(first) = THREADS.iter().filter(waits).min_by_key(|t| t.ticket.load(Relaxed)) {
        tell(first);
    }
}
