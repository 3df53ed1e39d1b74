//! Copies and fills of memory and strings: bytes take their labels along.

use super::args::{Args, give_concrete, symbolic};
use super::cut;
use super::value::Value;
use crate::libc::{self, c_char, c_int, c_void};
use crate::{event, memory, shadow, tls};
use core::ops::Add;
use trace_abi::Reason;

/// The program overruns a buffer whose size the compiler knew (`_FORTIFY_SOURCE`).
fn check(n: usize, room: usize) {
    if n > room {
        crate::message::warn("buffer overflow detected");
        // SAFETY: ends the process as the C library does.
        unsafe { libc::abort() }
    }
}

/// The result is the first argument plus `extra`, which keeps that argument's label.
fn give_first(args: &Args, extra: u64, first: u64) {
    let label = args.value(0, 64, first).add(Value::constant(64, extra)).label;
    tls::set_ret(label);
}

macro_rules! copies {
    ($($model:ident = $real:ident, $at_end:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut c_void, s: *const c_void, n: usize) -> *mut c_void {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, d);
            args.pin_pointer(1, s);
            memory::copy(d as usize, s as usize, n, args.label(2), 0);
            let extra = if $at_end { n } else { 0 };
            give_first(&args, extra as u64, d as u64);
            // SAFETY: as called by the program.
            unsafe { libc::$real(d, s, n).cast::<u8>().wrapping_add(extra).cast() }
        }
    )+};
}
copies! {
    __spm_memcpy = memcpy, false;
    __spm_memmove = memmove, false;
    __spm_mempcpy = memcpy, true;
    __spm___mempcpy = memcpy, true;
}

macro_rules! checked_copies {
    ($($model:ident = $real:ident, $at_end:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut c_void, s: *const c_void, n: usize, room: usize) -> *mut c_void {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, d);
            args.pin_pointer(1, s);
            check(n, room);
            memory::copy(d as usize, s as usize, n, args.label(2), 0);
            let extra = if $at_end { n } else { 0 };
            give_first(&args, extra as u64, d as u64);
            // SAFETY: as called by the program.
            unsafe { libc::$real(d, s, n).cast::<u8>().wrapping_add(extra).cast() }
        }
    )+};
}
checked_copies! {
    __spm___memcpy_chk = memcpy, false;
    __spm___memmove_chk = memmove, false;
    __spm___mempcpy_chk = memcpy, true;
}

/// Model of `bcopy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_bcopy(s: *const c_void, d: *mut c_void, n: usize) {
    let args = Args::take(__spm_bcopy as *const () as usize);
    args.pin_pointer(0, s);
    args.pin_pointer(1, d);
    memory::copy(d as usize, s as usize, n, args.label(2), 0);
    // SAFETY: as called by the program.
    unsafe { libc::memmove(d, s, n) };
}

/// Model of `memset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_memset(d: *mut c_void, c: c_int, n: usize) -> *mut c_void {
    let args = Args::take(__spm_memset as *const () as usize);
    args.pin_pointer(0, d);
    memory::set(d as usize, args.label(1), n, args.label(2), 0);
    give_first(&args, 0, d as u64);
    // SAFETY: as called by the program.
    unsafe { libc::memset(d, c, n) }
}

/// Model of `__memset_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___memset_chk(d: *mut c_void, c: c_int, n: usize, room: usize) -> *mut c_void {
    let args = Args::take(__spm___memset_chk as *const () as usize);
    args.pin_pointer(0, d);
    check(n, room);
    memory::set(d as usize, args.label(1), n, args.label(2), 0);
    give_first(&args, 0, d as u64);
    // SAFETY: as called by the program.
    unsafe { libc::memset(d, c, n) }
}

macro_rules! zeroes {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut c_void, n: usize) {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, d);
            memory::set(d as usize, 0, n, args.label(1), 0);
            // SAFETY: as called by the program.
            unsafe { libc::memset(d, 0, n) };
        }
    )+};
}
zeroes!(__spm_bzero, __spm_explicit_bzero);

/// Model of `memccpy`: the length copied is that of this run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_memccpy(d: *mut c_void, s: *const c_void, c: c_int, n: usize) -> *mut c_void {
    let args = Args::take(__spm_memccpy as *const () as usize);
    args.pin_pointer(0, d);
    args.pin_pointer(1, s);
    event::pin(args.label(3), n as u64, Reason::Size, 0);
    // SAFETY: as called by the program; the byte sought bounds what is read.
    unsafe {
        let hit = libc::memchr(s, c, n);
        let len = if hit.is_null() { n } else { hit as usize - s as usize + 1 };
        decide_hits(s as usize, len, args.value(2, 8, c as u64));
        shadow::copy(d as usize, s as usize, len);
        libc::memcpy(d, s, len);
        give_concrete();
        if hit.is_null() { hit } else { d.cast::<u8>().wrapping_add(len).cast() }
    }
}

/// Decides which of `n` bytes are `wanted`.
fn decide_hits(at: usize, n: usize, wanted: Value) {
    if wanted.label != 0 || (symbolic() && shadow::any(at, n)) {
        for k in 0..n {
            event::decide(Value::byte_at(at + k).equals(wanted));
        }
    }
}

/// Copies `len` bytes of a string and ends it; the labels of the terminator are those of the source's.
unsafe fn copy_string(d: *mut c_char, s: *const c_char, len: usize) {
    shadow::copy(d as usize, s as usize, len + 1);
    // SAFETY: as called by the program: `len` bytes and a NUL.
    unsafe { libc::memmove(d.cast(), s.cast(), len + 1) };
}

macro_rules! string_copies {
    ($($model:ident($($room:ident)?), $append:literal, $at_end:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut c_char, s: *const c_char $(, $room: usize)?) -> *mut c_char {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, d);
            args.pin_pointer(1, s);
            // SAFETY: as called by the program.
            unsafe {
                let (start, len) = (if $append { libc::strlen(d) } else { 0 }, libc::strlen(s));
                $(check(start + len + 1, $room);)?
                cut::pin_length(d as usize, start, $append);
                cut::pin_length(s as usize, len, true);
                copy_string(d.add(start), s, len);
                let extra = if $at_end { start + len } else { 0 };
                give_first(&args, extra as u64, d as u64);
                d.add(extra)
            }
        }
    )+};
}
string_copies! {
    __spm_strcpy(), false, false;
    __spm_stpcpy(), false, true;
    __spm___stpcpy(), false, true;
    __spm_strcat(), true, false;
    __spm___strcpy_chk(room), false, false;
    __spm___stpcpy_chk(room), false, true;
    __spm___strcat_chk(room), true, false;
}

macro_rules! bounded_string_copies {
    ($($model:ident($($room:ident)?), $kind:ident;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut c_char, s: *const c_char, n: usize $(, $room: usize)?) -> *mut c_char {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, d);
            args.pin_pointer(1, s);
            event::pin(args.label(2), n as u64, Reason::Size, 0);
            give_first(&args, 0, d as u64);
            // SAFETY: as called by the program.
            unsafe { $kind(d, s, n, None $(.or(Some($room)))?) }
        }
    )+};
}
bounded_string_copies! {
    __spm_strncpy(), fill;
    __spm_strncat(), append;
    __spm_stpncpy(), fill_to_end;
    __spm___strncpy_chk(room), fill;
    __spm___strncat_chk(room), append;
}

/// `strncpy`: exactly `n` bytes, the string and NULs.
unsafe fn fill(d: *mut c_char, s: *const c_char, n: usize, room: Option<usize>) -> *mut c_char {
    check(n, room.unwrap_or(n));
    // SAFETY: as called by the program.
    unsafe {
        let len = libc::strnlen(s, n);
        cut::pin_length(s as usize, len, len < n);
        shadow::copy(d as usize, s as usize, (len + 1).min(n));
        if len + 1 < n {
            shadow::clear(d as usize + len + 1, n - len - 1);
        }
        libc::strncpy(d, s, n)
    }
}

/// `stpncpy`.
unsafe fn fill_to_end(d: *mut c_char, s: *const c_char, n: usize, room: Option<usize>) -> *mut c_char {
    // SAFETY: as called by the program.
    unsafe {
        let len = libc::strnlen(s, n);
        fill(d, s, n, room).add(len)
    }
}

/// `strncat`: at most `n` bytes of the string, and a NUL.
unsafe fn append(d: *mut c_char, s: *const c_char, n: usize, room: Option<usize>) -> *mut c_char {
    // SAFETY: as called by the program.
    unsafe {
        let (start, len) = (libc::strlen(d), libc::strnlen(s, n));
        cut::pin_length(d as usize, start, true);
        cut::pin_length(s as usize, len, len < n);
        check(start + len + 1, room.unwrap_or(usize::MAX));
        let to = d.add(start);
        shadow::copy(to as usize, s as usize, len);
        libc::memmove(to.cast(), s.cast(), len);
        *to.add(len) = 0;
        shadow::clear(to as usize + len, 1);
        d
    }
}
