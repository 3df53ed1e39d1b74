//! Output that the program may read again: descriptors, streams, streams in memory. See [`written`].

use super::args::{Args, give_concrete, symbolic};
use super::print;
use super::value::Value;
use super::varargs::{VaList, variadic};
use super::written;
use crate::batch::again;
use crate::libc::{self, FILE, IoVec, c_char, c_int, c_void};
use crate::{event, files, shadow, sockets};
use trace_abi::Reason;

/// What is written has the size of this run.
fn pin_count(args: &Args, k: usize, n: usize) {
    event::pin(args.label(k), n as u64, Reason::Size, 0);
}

/// `n` bytes at `address` went to a descriptor whose position is now behind them.
fn wrote(fd: c_int, address: usize, n: isize) {
    give_concrete();
    if n > 0 && symbolic() {
        let at = files::offset_of(fd).and_then(|end| end.checked_sub(n as u64));
        written::wrote(fd, at, address, n as usize);
    }
}

/// Model of `write`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_write(fd: c_int, from: *const c_void, n: usize) -> isize {
    pin_count(&Args::take(__spm_write as *const () as usize), 2, n);
    let allowed = sockets::room(fd, n);
    // SAFETY: as called by the program.
    let r = sockets::written(n, allowed, unsafe { libc::write(fd, from, allowed) });
    wrote(fd, from as usize, r);
    r
}

macro_rules! pwrites {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(fd: c_int, from: *const c_void, n: usize, at: files::Off) -> isize {
            let args = Args::take($model as *const () as usize);
            pin_count(&args, 2, n);
            event::pin(args.label(3), at as u64, Reason::FileState, 0);
            // SAFETY: as called by the program.
            let r = unsafe { libc::pwrite(fd, from, n, at) };
            written::wrote(fd, u64::try_from(at).ok(), from as usize, r.max(0) as usize);
            give_concrete();
            r
        }
    )+};
}
pwrites!(__spm_pwrite, __spm_pwrite64);

/// Model of `writev`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_writev(fd: c_int, iov: *const IoVec, n: c_int) -> isize {
    sockets::attend(false);
    // SAFETY: as called by the program; the pieces are those that the call just wrote.
    unsafe {
        let r = libc::writev(fd, iov, n);
        give_concrete();
        if r <= 0 || !symbolic() {
            return r;
        }
        let start = files::offset_of(fd).and_then(|end| end.checked_sub(r as u64));
        let (mut left, mut done) = (r as usize, 0);
        for k in 0..n.max(0) as usize {
            let piece = *iov.add(k);
            let len = left.min(piece.len);
            written::wrote(fd, start.map(|s| s + done as u64), piece.base as usize, len);
            (left, done) = (left - len, done + len);
        }
        r
    }
}

macro_rules! fwrites {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(from: *const c_void, size: usize, n: usize, f: *mut FILE) -> usize {
            let args = Args::take($model as *const () as usize);
            pin_count(&args, 1, size);
            pin_count(&args, 2, n);
            sockets::attend(false);
            // SAFETY: as called by the program.
            unsafe {
                let r = libc::fwrite(from, size, n, f);
                written::wrote_to(f, from as usize, r * size);
                give_concrete();
                r
            }
        }
    )+};
}
fwrites!(__spm_fwrite, __spm_fwrite_unlocked);

macro_rules! fputss {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, f: *mut FILE) -> c_int {
            sockets::attend(false);
            // SAFETY: as called by the program.
            unsafe {
                let r = libc::fputs(s, f);
                if r >= 0 && symbolic() {
                    let n = libc::strlen(s);
                    super::cut::pin_length(s as usize, n, true);
                    written::wrote_to(f, s as usize, n);
                }
                give_concrete();
                r
            }
        }
    )+};
}
fputss!(__spm_fputs, __spm_fputs_unlocked);

macro_rules! fputcs {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(c: c_int, f: *mut FILE) -> c_int {
            let args = Args::take($model as *const () as usize);
            // SAFETY: as called by the program.
            unsafe {
                let r = libc::fputc(c, f);
                let value = args.value(0, 8, c as u64);
                if r >= 0 && symbolic() {
                    let byte = c as u8;
                    let at = (&raw const byte) as usize;
                    shadow::set(at, value.label);
                    written::wrote_to(f, at, 1);
                    shadow::set(at, 0);
                }
                super::args::give(value.zext(32), r as u32 as u64);
                r
            }
        }
    )+};
}
fputcs!(__spm_fputc, __spm_putc, __spm_fputc_unlocked, __spm_putc_unlocked);

variadic! {
    __spm_fprintf => fprintf, 2, "rdx";
    __spm___fprintf_chk => fprintf_chk, 3, "rcx";
}

/// Text for what may be read again is made in memory, where it gets its labels, and then written.
unsafe extern "C" fn fprintf(f: *mut FILE, format: *const c_char, ap: *mut VaList) -> c_int {
    give_concrete();
    sockets::attend(false);
    // SAFETY: as called by the program; the text made is a block of `r + 1` bytes.
    unsafe {
        if !symbolic() || f == libc::stdout || f == libc::stderr {
            return libc::vfprintf(f, format, ap.cast());
        }
        let (args, mut text) = ((*ap).again(), core::ptr::null_mut());
        let r = libc::vasprintf(&raw mut text, format, ap.cast());
        if r < 0 {
            return r;
        }
        shadow::clear(text as usize, r as usize + 1);
        print::label(text, r as usize + 1, r as usize, format, args);
        let n = libc::fwrite(text.cast(), 1, r as usize, f);
        written::wrote_to(f, text as usize, n);
        shadow::clear(text as usize, r as usize + 1);
        libc::free(text.cast());
        give_concrete();
        if n == r as usize { r } else { -1 }
    }
}

unsafe extern "C" fn fprintf_chk(
    f: *mut FILE,
    _flag: c_int,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { fprintf(f, format, ap) }
}

/// Model of `vfprintf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_vfprintf(f: *mut FILE, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe { fprintf(f, format, ap) }
}

/// Model of `__vfprintf_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___vfprintf_chk(
    f: *mut FILE,
    _flag: c_int,
    format: *const c_char,
    ap: *mut VaList,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { fprintf(f, format, ap) }
}

/// Model of `open_memstream`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_open_memstream(buffer: *mut *mut c_char, size: *mut usize) -> *mut FILE {
    // SAFETY: as called by the program.
    let f = unsafe { libc::open_memstream(buffer, size) };
    written::opened(f, buffer.cast(), size);
    give_concrete();
    f
}

/// Model of `fmemopen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_fmemopen(buffer: *mut c_void, size: usize, mode: *const c_char) -> *mut FILE {
    pin_count(&Args::take(__spm_fmemopen as *const () as usize), 1, size);
    // SAFETY: as called by the program.
    unsafe {
        let f = libc::fmemopen(buffer, size, mode);
        if !buffer.is_null() {
            written::opened_over(f, buffer.cast(), size);
        }
        give_concrete();
        f
    }
}

macro_rules! flushes {
    ($($model:ident = $real:ident, $closes:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(f: *mut FILE) -> c_int {
            sockets::attend(false);
            // SAFETY: as called by the program.
            unsafe {
                if $closes && sockets::are_served() && !f.is_null() {
                    sockets::closes(libc::fileno(f));
                }
                let r = if $closes && again::keeps(f) { libc::fflush(f) } else { libc::$real(f) };
                written::flushed(f, $closes);
                give_concrete();
                r
            }
        }
    )+};
}
flushes! {
    __spm_fflush = fflush, false;
    __spm_fflush_unlocked = fflush, false;
    __spm_fclose = fclose, true;
}

/// Bits of an offset that are decided; those above are pinned.
const OFFSET_BITS: u16 = 24;

/// What is read next is another path for each offset: decided bit by bit, the highest first.
fn decide_offset(offset: Value) {
    if offset.label != 0 {
        let high = offset.over(1 << OFFSET_BITS);
        event::pin(high.label, high.now, Reason::FileState, 0);
        for k in (0..OFFSET_BITS).rev() {
            event::decide(offset.over(1 << k).trunc(1));
        }
    }
}

macro_rules! seeks {
    ($($model:ident = $real:ident($first:ty) -> $ret:ty;)+) => {$(
        /// Model of the function of that name: the position is that of this run.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(file: $first, offset: files::Off, whence: c_int) -> $ret {
            let args = Args::take($model as *const () as usize);
            decide_offset(args.value(1, 64, offset as u64));
            event::pin(args.label(2), whence as u64, Reason::FileState, 0);
            give_concrete();
            // SAFETY: as called by the program.
            unsafe { libc::$real(file, offset, whence) }
        }
    )+};
}
seeks! {
    __spm_fseek = fseek(*mut FILE) -> c_int;
    __spm_fseeko = fseek(*mut FILE) -> c_int;
    __spm_fseeko64 = fseek(*mut FILE) -> c_int;
    __spm_lseek = lseek(c_int) -> files::Off;
    __spm_lseek64 = lseek(c_int) -> files::Off;
}
