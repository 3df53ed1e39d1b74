//! `strverscmp` and `strxfrm`.

use super::args::{Args, give_concrete, symbolic};
use super::cut;
use super::scan::byte;
use super::value::Value;
use crate::libc::{self, c_char, c_int};
use crate::{event, shadow};
use trace_abi::Reason;

unsafe extern "C" {
    fn strverscmp(a: *const c_char, b: *const c_char) -> c_int;
    fn strxfrm(to: *mut c_char, from: *const c_char, n: usize) -> usize;
}

fn is_digit(at: usize) -> bool {
    event::decide(Value::byte_at(at).within(u64::from(b'0'), u64::from(b'9')))
}

/// Model of `strverscmp`: everything that the order depends on is decided, character by character: where the strings
/// differ, the digits around that place, and which character is greater there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strverscmp(a: *const c_char, b: *const c_char) -> c_int {
    let args = Args::take(__spm_strverscmp as *const () as usize);
    args.pin_pointer(0, a);
    args.pin_pointer(1, b);
    give_concrete();
    // SAFETY: as called by the program.
    let (r, n, m) = unsafe { (strverscmp(a, b), libc::strlen(a), libc::strlen(b)) };
    let (a, b) = (a as usize, b as usize);
    if !symbolic() || !(shadow::any(a, n + 1) || shadow::any(b, m + 1)) {
        return r;
    }
    let mut at = 0;
    loop {
        let (x, y) = (Value::byte_at(a + at), Value::byte_at(b + at));
        if !event::decide(x.equals(y)) {
            event::decide(x.ult(y));
            break;
        }
        if event::decide(x.equals(byte(0))) {
            return r;
        }
        at += 1;
    }
    // The digits before, back to the first that is none, and whether they are zeros.
    for k in (0..at).rev() {
        if !is_digit(a + k) {
            break;
        }
        event::decide(Value::byte_at(a + k).equals(byte(b'0')));
    }
    for s in [a + at, b + at] {
        event::decide(Value::byte_at(s).equals(byte(b'0')));
    }
    let mut k = at;
    while is_digit(a + k) & is_digit(b + k) {
        k += 1;
    }
    r
}

/// Model of `strxfrm`: in a locale that orders by character code the result is the string itself; others are pinned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strxfrm(to: *mut c_char, from: *const c_char, n: usize) -> usize {
    let args = Args::take(__spm_strxfrm as *const () as usize);
    event::pin(args.label(2), n as u64, Reason::Size, 0);
    give_concrete();
    // SAFETY: as called by the program.
    unsafe {
        let r = strxfrm(to, from, n);
        let len = libc::strlen(from);
        let written = n.min(r.saturating_add(1));
        if !symbolic() || !shadow::any(from as usize, len + 1) {
            shadow::clear(to as usize, if to.is_null() { 0 } else { written });
        } else if r == len && (n == 0 || libc::memcmp(to.cast(), from.cast(), written) == 0) {
            cut::pin_length(from as usize, len, true);
            shadow::copy(to as usize, from as usize, written);
        } else {
            cut::pin_bytes(from as usize, len + 1);
            shadow::clear(to as usize, written);
        }
        r
    }
}
