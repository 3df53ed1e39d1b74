//! `strtok` and its kin: they write into the string, so where tokens start and end is decided byte by byte, each
//! decision open to a flip.

use super::args::{Args, give_concrete, symbolic};
use super::cut;
use super::scan::{Bytes, byte, member};
use super::value::Value;
use crate::libc::{self, c_char};
use crate::{event, shadow};
use core::ops::Not;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use trace_abi::Reason;

/// Most delimiters followed.
const MAX_SET: usize = 64;

/// Pins, for each byte of a stretch and the one that ended it, whether it is a delimiter.
unsafe fn pin_stretch(s: *const c_char, n: usize, set: *const c_char, inside: bool) {
    // SAFETY: C strings of the program; the byte at `n` ended the stretch.
    unsafe {
        if !symbolic() || !shadow::any(s as usize, n + 1) {
            return;
        }
        let len = libc::strlen(set);
        if len > MAX_SET {
            cut::pin_bytes(s as usize, n + 1);
            cut::pin_bytes(set as usize, len + 1);
            return;
        }
        let members = Bytes::buffer(set as usize, len);
        for k in 0..=n {
            let v = Value::byte_at(s as usize + k);
            if v.label != 0 {
                let found = member(v, members.all());
                let stop = if inside { found.not() } else { found.or(v.equals(byte(0))) };
                event::decide(stop);
            }
        }
    }
}

/// Ends the token at `at`; where the rest starts.
unsafe fn cut(at: *mut c_char) -> *mut c_char {
    // SAFETY: inside the string or at its NUL.
    unsafe {
        if *at == 0 {
            return at;
        }
        *at = 0;
        shadow::clear(at as usize, 1);
        at.add(1)
    }
}

/// Model of `strtok_r`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strtok_r(
    s: *mut c_char,
    set: *const c_char,
    save: *mut *mut c_char,
) -> *mut c_char {
    Args::take(__spm_strtok_r as *const () as usize).pin_pointer(0, s);
    // SAFETY: as called by the program.
    unsafe {
        give_concrete();
        shadow::clear(save as usize, 8);
        let start = if s.is_null() { *save } else { s };
        if start.is_null() {
            return null_mut();
        }
        let skip = libc::strspn(start, set);
        pin_stretch(start, skip, set, true);
        let token = start.add(skip);
        if *token == 0 {
            *save = token;
            return null_mut();
        }
        let n = libc::strcspn(token, set);
        pin_stretch(token, n, set, false);
        *save = cut(token.add(n));
        token
    }
}

/// Model of `__strtok_r`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___strtok_r(
    s: *mut c_char,
    set: *const c_char,
    save: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: as called by the program.
    unsafe { __spm_strtok_r(s, set, save) }
}

static REST: AtomicPtr<c_char> = AtomicPtr::new(null_mut());

/// Model of `strtok`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strtok(s: *mut c_char, set: *const c_char) -> *mut c_char {
    Args::take(__spm_strtok as *const () as usize).pin_pointer(0, s);
    let mut rest = REST.load(Relaxed);
    // SAFETY: as called by the program.
    let token = unsafe { __spm_strtok_r(s, set, &raw mut rest) };
    REST.store(rest, Relaxed);
    token
}

/// Model of `strsep`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strsep(rest: *mut *mut c_char, set: *const c_char) -> *mut c_char {
    // SAFETY: as called by the program.
    unsafe {
        give_concrete();
        let label = crate::memory::load(rest as usize, 8, 64);
        event::pin(label, *rest as u64, Reason::LoadAddress, 0);
        shadow::clear(rest as usize, 8);
        let token = *rest;
        if token.is_null() {
            return token;
        }
        let n = libc::strcspn(token, set);
        pin_stretch(token, n, set, false);
        let end = token.add(n);
        *rest = if *end == 0 { null_mut() } else { cut(end) };
        token
    }
}
