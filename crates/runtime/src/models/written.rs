//! What the program writes and reads again: files, pipes, and streams in memory keep the labels of their bytes.
//!
//! Each such target has a store with the byte and label at each offset; a byte read back has its label if it is still
//! the byte that was written. Files and pipes are recognised by device and inode, streams in memory by their `FILE`.
//! A store comes to be when a labelled byte is first written; standard output and error are left out, and so is
//! everything that is neither a file nor a pipe: that leaves the program. Children of a fork write without labels,
//! so pipes are forgotten then.

use super::args::symbolic;
use crate::libc::{self, FILE, c_int, c_void};
use crate::{event, lock, node, objects, shadow, state};
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use trace_abi::Reason;

/// Number of a store, as an input object: from here on.
pub const FIRST: u32 = 1 << 30;
const MAX_STORES: usize = 32;
/// Bytes of one target whose labels are kept.
const MAX_BYTES: usize = 1 << 20;

#[derive(Clone, Copy)]
struct Entry {
    label: u32,
    /// The byte + 1; 0: nothing is known of this place.
    byte: u32,
}

/// What a store belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Nothing,
    /// A file: device and inode.
    File(u64, u64),
    /// A pipe: device and inode.
    Pipe(u64, u64),
    /// A stream in memory.
    Memory(usize),
}

/// Where a stream in memory leaves its buffer.
#[derive(Clone, Copy)]
enum Buffer {
    /// Nowhere.
    None,
    /// In variables of the program that are set when the stream is flushed.
    Variables(*mut *mut u8, *mut usize),
    /// In memory that the program gave.
    Given(*mut u8, usize),
}

#[derive(Clone, Copy)]
struct Store {
    target: Target,
    entries: *mut Entry,
    /// One past the last place written.
    end: usize,
    /// Pipes: how much was read.
    read: usize,
    buffer: Buffer,
}

struct Stores(UnsafeCell<[Store; MAX_STORES]>);

// SAFETY: accessed with the runtime's lock held, see `with`.
unsafe impl Sync for Stores {}

const EMPTY: Store =
    Store { target: Target::Nothing, entries: null_mut(), end: 0, read: 0, buffer: Buffer::None };
static STORES: Stores = Stores(UnsafeCell::new([EMPTY; MAX_STORES]));

/// Does something with all stores; `None` where the lock cannot be had (inside a signal handler).
fn with<T>(f: impl FnOnce(&mut [Store; MAX_STORES]) -> T) -> Option<T> {
    let _guard = lock::lock()?;
    // SAFETY: the lock is held, and `f` does not come back here.
    Some(f(unsafe { &mut *STORES.0.get() }))
}

/// Forgets everything: the start of a run.
pub fn reset() {
    with(|all| all.iter_mut().for_each(Store::free));
}

impl Store {
    fn free(&mut self) {
        if !self.entries.is_null() {
            // SAFETY: mapped by `claim` with this length.
            unsafe { libc::munmap(self.entries.cast(), MAX_BYTES * size_of::<Entry>()) };
        }
        *self = EMPTY;
    }

    fn entry(&self, at: usize) -> Option<Entry> {
        // SAFETY: below the capacity.
        (at < self.end.min(MAX_BYTES)).then(|| unsafe { *self.entries.add(at) })
    }

    /// Takes in `n` bytes at `address`, written at `at`; false if there is no room for all.
    fn put(&mut self, at: usize, address: usize, n: usize) -> bool {
        let fits = n.min(MAX_BYTES.saturating_sub(at));
        for k in 0..fits {
            // SAFETY: memory that the program has just written from, and entries below the capacity.
            unsafe {
                let byte = u32::from(*((address + k) as *const u8)) + 1;
                *self.entries.add(at + k) = Entry { label: shadow::get(address + k), byte };
            }
        }
        self.end = self.end.max(at + fits);
        fits == n
    }
}

fn find(all: &[Store], target: Target) -> Option<usize> {
    all.iter().position(|s| s.target == target)
}

/// The store of `target`, a new one if needed.
fn claim(all: &mut [Store; MAX_STORES], target: Target) -> Option<usize> {
    if let Some(k) = find(all, target) {
        return Some(k);
    }
    let k = find(all, Target::Nothing)?;
    let entries = state::map_anonymous(MAX_BYTES * size_of::<Entry>()).cast::<Entry>();
    if entries.is_null() {
        return None;
    }
    all[k] = Store { target, entries, ..EMPTY };
    Some(k)
}

/// Device, inode and type of what a descriptor is open on.
fn target_of(fd: c_int) -> Target {
    let mut stat = [0u64; 18];
    let errno = libc::errno();
    // SAFETY: `struct stat` of x86-64 has 144 bytes.
    let r = unsafe { libc::fstat(fd, stat.as_mut_ptr().cast::<c_void>()) };
    libc::set_errno(errno);
    match stat[3] as u32 & 0o170_000 {
        _ if r != 0 => Target::Nothing,
        0o100_000 => Target::File(stat[0], stat[1]),
        0o010_000 => Target::Pipe(stat[0], stat[1]),
        _ => Target::Nothing,
    }
}

/// Whether anything was ever stored: the common case is no.
fn is_empty() -> bool {
    with(|all| all.iter().all(|s| s.target == Target::Nothing)).unwrap_or(true)
}

/// The store that a descriptor reads from, numbered as an input object.
pub fn object_of(fd: c_int) -> Option<u32> {
    if is_empty() {
        return None;
    }
    let target = target_of(fd);
    let found = with(|all| find(all, target)).flatten().filter(|_| target != Target::Nothing)?;
    Some(FIRST + found as u32)
}

/// The same of a stream in memory.
pub fn object_of_stream(f: *mut FILE) -> Option<u32> {
    let found = with(|all| find(all, Target::Memory(f as usize))).flatten()?;
    Some(FIRST + found as u32)
}

/// Where a pipe's next byte lies in its store; `None` for what has positions of its own.
pub fn pipe_offset(object: u32) -> Option<u64> {
    let k = object.checked_sub(FIRST)? as usize;
    with(|all| matches!(all.get(k)?.target, Target::Pipe(..)).then(|| all[k].read as u64)).flatten()
}

/// A pipe was read up to `offset`.
pub fn consumed(object: u32, offset: u64) {
    if let Some(k) = object.checked_sub(FIRST) {
        with(|all| {
            if let Some(s) = all.get_mut(k as usize).filter(|s| matches!(s.target, Target::Pipe(..))) {
                s.read = offset as usize;
            }
        });
    }
}

/// Label of the byte at `offset`, if it is still `now`.
pub fn label(object: u32, offset: u64, now: u8) -> u32 {
    let k = object.wrapping_sub(FIRST) as usize;
    let entry = with(|all| all.get(k)?.entry(offset as usize)).flatten();
    match entry {
        Some(e) if e.byte == u32::from(now) + 1 && node::is_known(e.label) => e.label,
        _ => 0,
    }
}

/// Length of what was stored.
pub fn len(object: u32) -> u64 {
    let k = object.wrapping_sub(FIRST) as usize;
    with(|all| all.get(k).map_or(0, |s| s.end as u64)).unwrap_or(0)
}

/// The program wrote `n` bytes at `address` to a descriptor; `at` is where, if it has positions.
pub fn wrote(fd: c_int, at: Option<u64>, address: usize, n: usize) {
    if !symbolic() || n == 0 || matches!(fd, 1 | 2) {
        return;
    }
    let labelled = shadow::any(address, n);
    if !labelled && is_empty() {
        return;
    }
    let target = target_of(fd);
    if target != Target::Nothing {
        take_in(target, at, address, n, labelled);
    }
}

/// The same with a stream.
///
/// # Safety
/// An open stream.
pub unsafe fn wrote_to(f: *mut FILE, address: usize, n: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        if !symbolic() || n == 0 || f == libc::stdout || f == libc::stderr {
            return;
        }
        let labelled = shadow::any(address, n);
        if !labelled && is_empty() {
            return;
        }
        let errno = libc::errno();
        let after = u64::try_from(libc::ftello(f)).ok();
        let fd = libc::fileno(f);
        libc::set_errno(errno);
        let target = if fd < 0 { Target::Memory(f as usize) } else { target_of(fd) };
        if target != Target::Nothing && (fd >= 0 || object_of_stream(f).is_some()) {
            take_in(target, after.and_then(|p| p.checked_sub(n as u64)), address, n, labelled);
        }
    }
}

fn take_in(target: Target, at: Option<u64>, address: usize, n: usize, labelled: bool) {
    let all_kept = with(|all| {
        let found = if labelled { claim(all, target) } else { find(all, target) };
        let Some(k) = found else { return !labelled };
        let at = match target {
            Target::Pipe(..) => all[k].end,
            _ => at.map_or(usize::MAX, |p| p as usize),
        };
        all[k].put(at, address, n)
    });
    if all_kept == Some(false) {
        event::lose(Reason::FileState, 0, n as u64);
    }
}

/// A file was emptied.
pub fn emptied(fd: c_int) {
    if fd >= 0 && !is_empty() {
        let target = target_of(fd);
        with(|all| find(all, target).filter(|_| target != Target::Nothing).map(|k| all[k].free()));
    }
}

/// The program forked: who writes to a pipe from now on is not known.
pub fn forked() {
    with(|all| all.iter_mut().filter(|s| matches!(s.target, Target::Pipe(..))).for_each(Store::free));
}

/// A stream in memory was opened for writing: its buffer will be in these variables.
pub fn opened(f: *mut FILE, buffer: *mut *mut u8, size: *mut usize) {
    open(f, Buffer::Variables(buffer, size));
}

/// A stream over memory of the program was opened: the bytes that are there now can be read from it.
pub fn opened_over(f: *mut FILE, base: *mut u8, size: usize) {
    if let Some(k) = open(f, Buffer::Given(base, size)) {
        with(|all| all[k].put(0, base as usize, size));
    }
}

fn open(f: *mut FILE, buffer: Buffer) -> Option<usize> {
    if f.is_null() || !state::recording() {
        return None;
    }
    with(|all| {
        let k = claim(all, Target::Memory(f as usize))?;
        all[k].buffer = buffer;
        Some(k)
    })
    .flatten()
}

/// A stream was flushed: what it wrote stands in its buffer. Closed: it is no more.
///
/// # Safety
/// It was just flushed or closed; its buffer variables are valid.
pub unsafe fn flushed(f: *mut FILE, closed: bool) {
    if is_empty() {
        return;
    }
    let found = with(|all| find(all, Target::Memory(f as usize)).map(|k| (k, all[k]))).flatten();
    let Some((k, store)) = found else { return };
    // SAFETY: as the caller promises.
    let (base, size) = unsafe {
        match store.buffer {
            Buffer::None => (null_mut(), 0),
            Buffer::Variables(base, size) => {
                shadow::clear(base as usize, 8);
                shadow::clear(size as usize, 8);
                objects::born(*base, *size + 1);
                (*base, *size)
            }
            Buffer::Given(base, size) => (base, size),
        }
    };
    for at in 0..size.min(store.end) {
        // SAFETY: inside the buffer.
        let now = unsafe { *base.add(at) };
        if let Some(e) = store.entry(at).filter(|e| e.byte == u32::from(now) + 1) {
            shadow::set(base as usize + at, e.label);
        }
    }
    if closed {
        with(|all| all[k].free());
    }
}
