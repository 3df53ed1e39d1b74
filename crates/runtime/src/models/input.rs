//! Unbuffered input: descriptors and mappings.

use super::args::{Args, give_concrete};
use super::written;
use crate::libc::{self, IoVec, c_char, c_int, c_void};
use crate::net::{MSG_WAITALL, recv, recvfrom};
use crate::sys::{Message, recvmsg};
use crate::{event, files, shadow, snapshot, sockets, state};
use trace_abi::Reason;

/// Object and offset of a descriptor's next byte, if it reads an input object and this run records.
fn next(fd: c_int) -> Option<(u32, u64)> {
    snapshot::at_stream(fd);
    sockets::attend(false);
    if !state::recording() {
        return None;
    }
    let object = files::object_of(fd)?;
    Some((object, files::next_of(object, fd)?))
}

/// `len` bytes arrived at `address`.
fn arrived(from: Option<(u32, u64)>, address: usize, len: isize, wanted: usize) {
    give_concrete();
    // Nothing was read, and it is not known what there is.
    let Ok(len) = usize::try_from(len) else { return };
    match from {
        Some((object, offset)) => {
            files::label(address, len, object, offset);
            if len < wanted {
                files::note_end(object, offset, wanted as u64);
            }
        }
        None => shadow::clear(address, len),
    }
}

fn pin_count(args: &Args, k: usize, n: usize) {
    event::pin(args.label(k), n as u64, Reason::Size, 0);
}

/// The program overruns a buffer that it had checked.
fn overrun(what: &str) -> ! {
    crate::message::warn(what);
    // SAFETY: ends the process as the C library does.
    unsafe { libc::abort() }
}

/// Model of `read`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_read(fd: c_int, buf: *mut c_void, n: usize) -> isize {
    let args = Args::take(__spm_read as *const () as usize);
    pin_count(&args, 2, n);
    let from = next(fd);
    // SAFETY: as called by the program.
    let r = unsafe { libc::read(fd, buf, n) };
    arrived(from, buf as usize, r, n);
    r
}

/// Model of `__read_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___read_chk(fd: c_int, buf: *mut c_void, n: usize, room: usize) -> isize {
    let args = Args::take(__spm___read_chk as *const () as usize);
    pin_count(&args, 2, n);
    if n > room {
        overrun("buffer overflow detected in read");
    }
    let from = next(fd);
    // SAFETY: as called by the program.
    let r = unsafe { libc::read(fd, buf, n) };
    arrived(from, buf as usize, r, n);
    r
}

macro_rules! preads {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(fd: c_int, buf: *mut c_void, n: usize, off: files::Off) -> isize {
            let args = Args::take($model as *const () as usize);
            pin_count(&args, 2, n);
            event::pin(args.label(3), off as u64, Reason::FileState, 0);
            let object = if state::recording() { files::object_of(fd) } else { None };
            // SAFETY: as called by the program.
            let r = unsafe { libc::pread(fd, buf, n, off) };
            arrived(object.zip(u64::try_from(off).ok()), buf as usize, r, n);
            r
        }
    )+};
}
preads!(__spm_pread, __spm_pread64);

/// The first `len` bytes of the pieces arrived.
///
/// # Safety
/// There are so many pieces, and so many bytes were just read to them.
unsafe fn arrived_in_pieces(from: Option<(u32, u64)>, pieces: *const IoVec, n: usize, len: isize) {
    let (mut left, mut done) = (len.max(0) as usize, 0);
    for k in 0..n {
        // SAFETY: as the caller promises.
        let piece = unsafe { *pieces.add(k) };
        let got = left.min(piece.len);
        let at = from.map(|(object, offset)| (object, offset + done as u64));
        arrived(at, piece.base as usize, got as isize, piece.len);
        (left, done) = (left - got, done + got);
    }
}

/// Model of `readv`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_readv(fd: c_int, iov: *const IoVec, n: c_int) -> isize {
    let from = next(fd);
    // SAFETY: as called by the program; the pieces are those that the call just filled.
    unsafe {
        let r = libc::readv(fd, iov, n);
        give_concrete();
        if r >= 0 {
            arrived_in_pieces(from, iov, n.max(0) as usize, r);
        }
        r
    }
}

macro_rules! mmaps {
    ($($model:ident),+) => {$(
        /// Model of the function of that name: a mapped input file carries its labels.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(at: *mut c_void, len: usize, prot: c_int, flags: c_int, fd: c_int, off: files::Off) -> *mut c_void {
            let args = Args::take($model as *const () as usize);
            pin_count(&args, 1, len);
            // SAFETY: as called by the program.
            let p = unsafe { libc::mmap(at, len, prot, flags, fd, off) };
            give_concrete();
            if p as isize == -1 {
                return p;
            }
            shadow::clear(p as usize, len);
            let object = if state::recording() && flags & libc::MAP_ANONYMOUS == 0 && prot & libc::PROT_READ != 0 { files::object_of(fd) } else { None };
            if let Some(object) = object {
                let there = files::len(object).saturating_sub(off as u64) as usize;
                files::label(p as usize, len.min(there), object, off as u64);
            }
            p
        }
    )+};
}
mmaps!(__spm_mmap, __spm_mmap64);

/// Model of `munmap`: what is mapped there next is concrete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_munmap(at: *mut c_void, len: usize) -> c_int {
    // SAFETY: as called by the program.
    let r = unsafe { libc::munmap(at, len) };
    if r == 0 {
        shadow::clear(at as usize, len);
    }
    give_concrete();
    r
}

macro_rules! opens {
    ($($model:ident),+) => {$(
        /// Model of the function of that name (the mode is passed in any case): a named input file opens its copy.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(path: *const c_char, flags: c_int, mode: libc::c_uint) -> c_int {
            give_concrete();
            // SAFETY: as called by the program.
            unsafe {
                let to = files::redirected(path);
                let fd = libc::open(if to.is_null() { path } else { to }, flags, mode);
                if flags & libc::O_TRUNC != 0 {
                    written::emptied(fd);
                }
                fd
            }
        }
    )+};
}
opens!(__spm_open, __spm_open64);

macro_rules! openats {
    ($($model:ident),+) => {$(
        /// Model of the function of that name: a named input file opens its copy.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(dir: c_int, path: *const c_char, flags: c_int, mode: libc::c_uint) -> c_int {
            give_concrete();
            // SAFETY: as called by the program.
            unsafe {
                let to = files::redirected(path);
                libc::openat(dir, if to.is_null() { path } else { to }, flags, mode)
            }
        }
    )+};
}
openats!(__spm_openat, __spm_openat64);

/// Model of `__open_2`, the fortified `open` without a mode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___open_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: as called by the program.
    unsafe { __spm_open(path, flags, 0) }
}

/// Model of `__open64_2`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___open64_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: as called by the program.
    unsafe { __spm_open(path, flags, 0) }
}

/// Model of `creat`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_creat(path: *const c_char, mode: libc::c_uint) -> c_int {
    // SAFETY: as called by the program.
    unsafe { __spm_open(path, 1 | libc::O_CREAT | libc::O_TRUNC, mode) }
}

/// `recv`; with `MSG_WAITALL` in turns with the clients of connections, who may have more to send than fits.
///
/// # Safety
/// As for `recv`.
unsafe fn receive(fd: c_int, buf: *mut c_void, n: usize, flags: c_int) -> isize {
    // SAFETY: as the caller promises.
    unsafe {
        if flags & MSG_WAITALL == 0 || sockets::connection(fd).is_none() {
            return recv(fd, buf, n, flags);
        }
        let mut done = 0;
        while done < n {
            sockets::attend(true);
            let r = recv(fd, buf.byte_add(done), n - done, flags & !MSG_WAITALL);
            if r < 0 && done == 0 {
                return r;
            }
            if r <= 0 {
                break;
            }
            done += r as usize;
        }
        done as isize
    }
}

/// Model of `recv`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_recv(fd: c_int, buf: *mut c_void, n: usize, flags: c_int) -> isize {
    let args = Args::take(__spm_recv as *const () as usize);
    pin_count(&args, 2, n);
    let from = next(fd);
    // SAFETY: as called by the program.
    let r = unsafe { receive(fd, buf, n, flags) };
    arrived(from, buf as usize, r, n);
    r
}

/// Model of `__recv_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___recv_chk(
    fd: c_int,
    buf: *mut c_void,
    n: usize,
    room: usize,
    flags: c_int,
) -> isize {
    if n > room {
        overrun("buffer overflow detected in recv");
    }
    // SAFETY: as called by the program.
    unsafe { __spm_recv(fd, buf, n, flags) }
}

/// Model of `recvfrom`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_recvfrom(
    fd: c_int,
    buf: *mut c_void,
    n: usize,
    flags: c_int,
    whom: *mut u8,
    len: *mut u32,
) -> isize {
    let args = Args::take(__spm_recvfrom as *const () as usize);
    pin_count(&args, 2, n);
    let from = next(fd);
    // SAFETY: as called by the program; what the call wrote is made concrete.
    unsafe {
        let r =
            if whom.is_null() { receive(fd, buf, n, flags) } else { recvfrom(fd, buf, n, flags, whom, len) };
        arrived(from, buf as usize, r, n);
        if r >= 0 && !whom.is_null() && !len.is_null() {
            shadow::clear(whom as usize, (*len).min(128) as usize);
            shadow::clear(len as usize, 4);
        }
        r
    }
}

/// Model of `__recvfrom_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___recvfrom_chk(
    fd: c_int,
    buf: *mut c_void,
    n: usize,
    room: usize,
    flags: c_int,
    whom: *mut u8,
    len: *mut u32,
) -> isize {
    if n > room {
        overrun("buffer overflow detected in recvfrom");
    }
    // SAFETY: as called by the program.
    unsafe { __spm_recvfrom(fd, buf, n, flags, whom, len) }
}

/// Model of `recvmsg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_recvmsg(fd: c_int, message: *mut Message, flags: c_int) -> isize {
    let from = next(fd);
    // SAFETY: as called by the program; the pieces are those that the call just filled.
    unsafe {
        let r = recvmsg(fd, message, flags);
        give_concrete();
        if r >= 0 {
            arrived_in_pieces(from, (*message).parts, (*message).n_parts, r);
            shadow::clear(message as usize, size_of::<Message>());
        }
        r
    }
}

/// Model of `getrandom`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_getrandom(buf: *mut c_void, n: usize, flags: libc::c_uint) -> isize {
    unsafe extern "C" {
        fn getrandom(buf: *mut c_void, n: usize, flags: libc::c_uint) -> isize;
    }
    // SAFETY: as called by the program.
    let r = if unsafe { super::fixed::random(buf.cast(), n) } {
        n as isize
    } else {
        // SAFETY: as above.
        unsafe { getrandom(buf, n, flags) }
    };
    arrived(None, buf as usize, r, 0);
    r
}
