//! Which open files are input objects.
//!
//! A descriptor is recognised by device and inode number of what it is open on, asked anew each time: that
//! stays right through `dup`, inheritance, and calls the runtime does not model. Positions are asked of the
//! kernel too. Who sets a run up registers the files ([`register`]): standard input's memory file, scratch
//! files, copies of named files.

use crate::libc::{self, c_char, c_int, c_long, c_void};
use crate::models::written;
use crate::{node, shadow, sockets, state, sys};
use core::ptr::null;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};
use trace_abi::ObjectKind;

const MAX_FILES: usize = 64;

struct File {
    object: AtomicU32,
    device: AtomicU64,
    inode: AtomicU64,
    path: AtomicPtr<c_char>,
}

static FILES: [File; MAX_FILES] = [const {
    File {
        object: AtomicU32::new(0),
        device: AtomicU64::new(0),
        inode: AtomicU64::new(0),
        path: AtomicPtr::new(core::ptr::null_mut()),
    }
}; MAX_FILES];
static N_FILES: AtomicU32 = AtomicU32::new(0);

/// The object of standard input, if it is one; and where it began for the program: what lies before was read by the run
/// that this one goes on from (see [`crate::snapshot`]) and is no input of this one.
static STREAM: AtomicU32 = AtomicU32::new(u32::MAX);
static STREAM_BASE: AtomicU64 = AtomicU64::new(0);

/// Standard input begins where it stands now.
fn rebase_stream() {
    STREAM_BASE.store(offset_of(0).unwrap_or(0), Relaxed);
}

/// Offset in the object of byte `offset` of the file it is in; `None` before its beginning.
fn rebased(object: u32, offset: u64) -> Option<u64> {
    if object == STREAM.load(Relaxed) { offset.checked_sub(STREAM_BASE.load(Relaxed)) } else { Some(offset) }
}

/// Forgets all registered files.
pub fn reset() {
    N_FILES.store(0, Relaxed);
    STREAM.store(u32::MAX, Relaxed);
}

/// The file open on `fd` holds input object `object`. If `path` is not null, opening a file of the object's
/// name opens `path` instead (it must stay valid). False if there are too many or `fd` is not open.
pub fn register(object: u32, fd: i32, path: *const c_char) -> bool {
    let n = N_FILES.load(Relaxed) as usize;
    let Some((device, inode)) = identity(fd) else { return false };
    let Some(f) = FILES.get(n) else { return false };
    f.object.store(object, Relaxed);
    f.device.store(device, Relaxed);
    f.inode.store(inode, Relaxed);
    f.path.store(path.cast_mut(), Relaxed);
    N_FILES.store(n as u32 + 1, Relaxed);
    true
}

/// Registers every input object of this run that is a file: standard input, and files by the path that is
/// their name. Called when a run has begun.
pub fn register_inputs() {
    reset();
    sockets::begin();
    register_files();
}

/// The same for a run that goes on from a frozen one.
pub fn register_inputs_behind() {
    reset();
    sockets::resume();
    register_files();
    rebase_stream();
}

fn register_files() {
    if !state::recording() {
        return;
    }
    for index in 0..state::n_objects() {
        let Some(object) = state::object(index) else { continue };
        if object.kind == ObjectKind::Stdin as u32 {
            register(index, 0, null());
            STREAM.store(index, Relaxed);
        } else if object.kind == ObjectKind::File as u32 {
            register_path(index, object.name);
        }
    }
}

/// Registers the file at `path`, if it can be opened.
fn register_path(object: u32, path: &[u8]) {
    let mut name = [0u8; 4096];
    let Some(to) = name.get_mut(..path.len()).filter(|to| to.len() < 4096) else { return };
    to.copy_from_slice(path);
    // SAFETY: the name ends with a NUL: the buffer was zero and is longer than the path.
    let fd = unsafe { libc::open(name.as_ptr().cast(), sys::O_RDONLY | libc::O_CLOEXEC) };
    if fd >= 0 {
        register(object, fd, null());
        // SAFETY: our own descriptor.
        unsafe { libc::close(fd) };
    }
}

/// What the kernel says of an open descriptor: `struct stat` of x86-64, 144 bytes. Device and inode number come first, the mode
/// is the low half of the fourth word, the length the seventh.
pub fn stat(fd: i32) -> Option<[u64; 18]> {
    let mut stat = [0u64; 18];
    // SAFETY: a record of that size.
    let r = unsafe { libc::fstat(fd, stat.as_mut_ptr().cast::<c_void>()) };
    (r == 0).then_some(stat)
}

/// Device and inode number of an open descriptor.
pub fn identity(fd: i32) -> Option<(u64, u64)> {
    stat(fd).map(|s| (s[0], s[1]))
}

/// The input object that descriptor `fd` is open on, or what the program itself wrote there (see [`written`]).
pub fn object_of(fd: c_int) -> Option<u32> {
    let n = N_FILES.load(Relaxed) as usize;
    if fd < 0 || n == 0 && !sockets::are_served() {
        return None;
    }
    let errno = libc::errno();
    let id = identity(fd);
    libc::set_errno(errno);
    let (device, inode) = id?;
    let mut files = FILES[..n.min(MAX_FILES)].iter();
    files
        .find(|f| f.device.load(Relaxed) == device && f.inode.load(Relaxed) == inode)
        .map(|f| f.object.load(Relaxed))
        .or_else(|| sockets::object_of((device, inode)))
        .or_else(|| written::object_of(fd))
}

/// The offset in `object` of the next byte that descriptor `fd`, open on it, gives.
pub fn next_of(object: u32, fd: c_int) -> Option<u64> {
    written::pipe_offset(object).or_else(|| sockets::offset_of(object, fd)).or_else(|| offset_of(fd))
}

/// The offset of descriptor `fd`, if it can seek.
pub fn offset_of(fd: c_int) -> Option<u64> {
    let errno = libc::errno();
    // SAFETY: asks for the position.
    let at = unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) };
    libc::set_errno(errno);
    u64::try_from(at).ok()
}

/// Where to open instead when the program opens `path`: the copy of a named file. Null: as it is.
///
/// # Safety
/// `path` is null or a C string.
pub unsafe fn redirected(path: *const c_char) -> *const c_char {
    let n = (N_FILES.load(Relaxed) as usize).min(MAX_FILES);
    if path.is_null() || n == 0 {
        return null();
    }
    for f in &FILES[..n] {
        let to = f.path.load(Relaxed).cast_const();
        let named = state::object(f.object.load(Relaxed)).filter(|o| o.kind == ObjectKind::File as u32);
        if let Some(o) = named
            && !to.is_null()
            // SAFETY: a C string, compared up to its end.
            && unsafe { equals(path, o.name) }
        {
            return to;
        }
    }
    null()
}

/// # Safety
/// `path` is a C string.
unsafe fn equals(path: *const c_char, name: &[u8]) -> bool {
    for (k, &c) in name.iter().enumerate() {
        // SAFETY: no byte past the first NUL is read: a NUL differs from `c` or ends a name with a NUL.
        let have = unsafe { *path.add(k) } as u8;
        if have != c || have == 0 {
            return false;
        }
    }
    // SAFETY: all bytes before were not NUL.
    unsafe { *path.add(name.len()) == 0 }
}

/// Gives `len` bytes at `address`, just read from `offset` of `object`, the labels of those input bytes. A
/// byte that is not what the input says (a file changed behind our back) stays concrete.
pub fn label(address: usize, len: usize, object: u32, offset: u64) {
    if object >= written::FIRST {
        for k in 0..len {
            // SAFETY: the bytes were just read to there.
            let now = unsafe { *((address + k) as *const u8) };
            shadow::set(address + k, written::label(object, offset + k as u64, now));
        }
        return written::consumed(object, offset + len as u64);
    }
    let data = state::object(object).map_or(&[][..], |o| o.data);
    for k in 0..len {
        // SAFETY: the bytes were just read to there.
        let now = unsafe { *((address + k) as *const u8) };
        let at = rebased(object, offset + k as u64).and_then(|at| usize::try_from(at).ok());
        let same = at.filter(|&at| data.get(at) == Some(&now));
        shadow::set(address + k, same.map_or(0, |at| node::input(object, at as u32)));
    }
}

/// Label of input byte `offset` of `object` if its value is `now`, else 0.
pub fn byte_label(object: u32, offset: u64, now: u8) -> u32 {
    if object >= written::FIRST {
        written::consumed(object, offset + 1);
        return written::label(object, offset, now);
    }
    let Some(at) = rebased(object, offset) else { return 0 };
    let same = state::object(object).and_then(|o| o.data.get(at as usize).copied()) == Some(now);
    if same && state::recording() { node::input(object, at as u32) } else { 0 }
}

/// Length of an input object.
pub fn len(object: u32) -> u64 {
    if object >= written::FIRST {
        return written::len(object);
    }
    state::object(object).map_or(0, |o| o.data.len() as u64)
}

/// Records a read of `wanted` bytes at `offset` that got fewer because the input ends.
pub fn note_end(object: u32, offset: u64, wanted: u64) {
    let Some(offset) = rebased(object, offset) else { return };
    let need = offset.saturating_add(wanted);
    if object < written::FIRST && need > len(object) {
        crate::event::past_end(object, need.min(offset.max(len(object)) + (1 << 20)));
    }
}

/// Type of `off_t`.
pub type Off = c_long;
