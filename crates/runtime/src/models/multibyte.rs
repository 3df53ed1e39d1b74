//! Characters between bytes and wide: the C locale (ASCII) and UTF-8.
//!
//! How long a character is, and that it is well-formed, is decided byte by byte; its value is an expression. Other
//! encodings, and strings cut inside a character, are pinned.

use super::args::{Args, give, give_concrete, symbolic};
use super::cut;
use super::scan::byte;
use super::value::Value;
use super::wide::{self, Wide};
use crate::libc::{self, c_char, c_int, c_void};
use crate::{event, memory, shadow};
use core::ops::{Add, Mul, Sub};
use trace_abi::Reason;

unsafe extern "C" {
    fn __ctype_get_mb_cur_max() -> usize;
    fn mbtowc(to: *mut Wide, s: *const c_char, n: usize) -> c_int;
    fn mbrtowc(to: *mut Wide, s: *const c_char, n: usize, state: *mut c_void) -> usize;
    fn mbstowcs(to: *mut Wide, s: *const c_char, n: usize) -> usize;
    fn mbsrtowcs(to: *mut Wide, s: *mut *const c_char, n: usize, state: *mut c_void) -> usize;
    fn wctomb(to: *mut c_char, c: Wide) -> c_int;
    fn wcrtomb(to: *mut c_char, c: Wide, state: *mut c_void) -> usize;
    fn wcstombs(to: *mut c_char, s: *const Wide, n: usize) -> usize;
    fn btowc(c: c_int) -> Wide;
    fn wctob(c: Wide) -> c_int;
}

fn is_utf8() -> bool {
    // SAFETY: asks for a number.
    unsafe { __ctype_get_mb_cur_max() > 1 }
}

/// Reads one character: its value (32 bits) and length. `None`: it is none, or cut off, as is now decided.
fn decode(at: usize, n: usize) -> Option<(Value, usize)> {
    let lead = Value::byte_at(at);
    if event::decide(lead.ult(byte(0x80))) {
        return Some((lead.zext(32), 1));
    }
    if !is_utf8() {
        return None;
    }
    let is = |low, high| event::decide(lead.within(low, high));
    let (len, first, least) = match () {
        () if is(0xc2, 0xdf) => (2, 0xc0, 0x80),
        () if is(0xe0, 0xef) => (3, 0xe0, 0x800),
        () if is(0xf0, 0xf4) => (4, 0xf0, 0x1_0000),
        () => return None,
    };
    let mut value = lead.sub(byte(first)).zext(32);
    for k in 1..len {
        if k >= n {
            return None;
        }
        let next = Value::byte_at(at + k);
        if !event::decide(next.within(0x80, 0xbf)) {
            return None;
        }
        value = value.mul(Value::constant(32, 64)).add(next.sub(byte(0x80)).zext(32));
    }
    let whole = value.within(least, 0xd7ff.max(least)).or(value.within(0xe000.max(least), 0x10_ffff));
    event::decide(whole).then_some((value, len))
}

/// Stores a wide character's label.
fn put(to: *mut Wide, value: Option<Value>) {
    if !to.is_null() {
        memory::store(to as usize, 4, value.map_or(0, |v| v.label));
    }
}

/// After a character was read from `n` bytes at `s` into `to`, with this result.
fn converted(to: *mut Wide, s: *const c_char, n: usize, result: usize) {
    give_concrete();
    if s.is_null() || n == 0 || !symbolic() {
        return put(to, None);
    }
    let looked_at = match result {
        0 | usize::MAX => 1,
        cut_off if cut_off == usize::MAX - 1 => n,
        len => len,
    };
    if !shadow::any(s as usize, looked_at.min(n)) {
        if result <= n {
            put(to, None);
        }
        return;
    }
    match decode(s as usize, n) {
        Some((value, len)) if len == result || (result == 0 && value.now == 0) => {
            event::decide(value.equals(Value::constant(32, 0)));
            put(to, Some(value));
        }
        None if result > n => {}
        _ => {
            cut::pin_bytes(s as usize, looked_at.min(n));
            put(to, None);
        }
    }
}

/// Model of `mbtowc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_mbtowc(to: *mut Wide, s: *const c_char, n: usize) -> c_int {
    // SAFETY: as called by the program.
    let r = unsafe { mbtowc(to, s, n) };
    converted(to, s, n, if r < 0 { usize::MAX } else { r as usize });
    r
}

/// Model of `mbrtowc`. A character begun in an earlier call is not followed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_mbrtowc(
    to: *mut Wide,
    s: *const c_char,
    n: usize,
    state: *mut c_void,
) -> usize {
    // SAFETY: as called by the program; the state begins with the number of bytes of an unfinished character.
    unsafe {
        let begun = !state.is_null() && *state.cast::<c_int>() != 0;
        let r = mbrtowc(to, s, n, state);
        if begun && !s.is_null() {
            cut::pin_bytes(s as usize, if r <= n { r.max(1) } else { n });
            put(to, None);
            give_concrete();
        } else {
            converted(to, s, n, r);
        }
        if !state.is_null() {
            shadow::clear(state as usize, 8);
        }
        r
    }
}

/// Follows `done` characters read from `s` into `to`, and what ended them.
fn string_converted(to: *mut Wide, s: *const c_char, done: usize, room: usize) {
    give_concrete();
    if !symbolic() {
        return;
    }
    // SAFETY: a C string.
    let n = unsafe { libc::strlen(s) } + 1;
    let (mut at, mut count, known) = (0, 0, done != usize::MAX);
    while at < n && (to.is_null() || count < room) {
        let Some((value, len)) = decode(s as usize + at, n - at) else { return };
        let last = event::decide(value.equals(Value::constant(32, 0)));
        if known && !to.is_null() && count <= done {
            put(to.wrapping_add(count), Some(value));
        }
        if last {
            return;
        }
        (at, count) = (at + len, count + 1);
    }
}

/// Model of `mbstowcs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_mbstowcs(to: *mut Wide, s: *const c_char, n: usize) -> usize {
    // SAFETY: as called by the program.
    let r = unsafe { mbstowcs(to, s, n) };
    string_converted(to, s, r, n);
    r
}

/// Model of `mbsrtowcs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_mbsrtowcs(
    to: *mut Wide,
    s: *mut *const c_char,
    n: usize,
    state: *mut c_void,
) -> usize {
    // SAFETY: as called by the program.
    unsafe {
        let from = *s;
        let r = mbsrtowcs(to, s, n, state);
        string_converted(to, from, r, n);
        shadow::clear(s as usize, 8);
        r
    }
}

/// The bytes of a character, as decided; `None`: it has none.
fn encode(c: Value) -> Option<([Value; 4], usize)> {
    let w = |n| Value::constant(32, n);
    let ascii = event::decide(c.ult(w(0x80)));
    let mut out = [byte(0); 4];
    if ascii || !is_utf8() {
        out[0] = c.trunc(8);
        return ascii.then_some((out, 1));
    }
    let (len, lead) = match () {
        () if event::decide(c.ult(w(0x800))) => (2, 0xc0),
        () if event::decide(c.ult(w(0x1_0000))) => (3, 0xe0),
        () => (4, 0xf0),
    };
    let surrogate = len == 3 && event::decide(c.within(0xd800, 0xdfff));
    if surrogate || (len == 4 && !event::decide(c.ult(w(0x11_0000)))) {
        return None;
    }
    for (k, b) in out.iter_mut().enumerate().take(len) {
        let bits = c.over(1 << (6 * (len - 1 - k)));
        *b = match k {
            0 => bits.trunc(8).add(byte(lead)),
            _ => bits.and(w(0x3f)).trunc(8).add(byte(0x80)),
        };
    }
    Some((out, len))
}

/// Labels the `len` bytes at `to` that stand for `c`.
fn encoded(to: *mut c_char, c: Value, len: usize) {
    match encode(c) {
        Some((bytes, n)) if n == len => {
            for (k, b) in bytes.iter().enumerate().take(n) {
                // SAFETY: the library has just written there.
                let same = u64::from(unsafe { *to.add(k) } as u8) == b.now;
                shadow::set(to as usize + k, if same { b.label } else { 0 });
            }
        }
        _ => {
            event::pin(c.label, c.now, Reason::Model, 0);
            shadow::clear(to as usize, len);
        }
    }
}

/// Model of `wctomb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wctomb(to: *mut c_char, c: Wide) -> c_int {
    let args = Args::take(__spm_wctomb as *const () as usize);
    // SAFETY: as called by the program.
    let r = unsafe { wctomb(to, c) };
    if !to.is_null() {
        encoded(to, args.value(1, 32, c.into()), r.max(0) as usize);
    }
    give_concrete();
    r
}

/// Model of `wcrtomb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcrtomb(to: *mut c_char, c: Wide, state: *mut c_void) -> usize {
    let args = Args::take(__spm_wcrtomb as *const () as usize);
    // SAFETY: as called by the program.
    let r = unsafe { wcrtomb(to, c, state) };
    if !to.is_null() {
        encoded(to, args.value(1, 32, c.into()), if r > 16 { 0 } else { r });
    }
    give_concrete();
    r
}

/// Model of `wcstombs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcstombs(to: *mut c_char, s: *const Wide, n: usize) -> usize {
    give_concrete();
    // SAFETY: as called by the program; reads the string up to its NUL.
    unsafe {
        let r = wcstombs(to, s, n);
        if !symbolic() {
            return r;
        }
        let (mut k, mut done) = (0, 0);
        loop {
            let c = wide::at(s.add(k) as usize);
            if event::decide(c.equals(Value::constant(32, 0))) {
                if !to.is_null() && done < n {
                    shadow::clear(to as usize + done, 1);
                }
                return r;
            }
            let Some((bytes, len)) = encode(c) else {
                event::pin(c.label, c.now, Reason::Model, 0);
                return r;
            };
            if !to.is_null() && done + len > n {
                return r;
            }
            for (j, b) in bytes.iter().enumerate().take(len).filter(|_| !to.is_null() && r != usize::MAX) {
                let same = u64::from(*to.add(done + j) as u8) == b.now;
                shadow::set(to as usize + done + j, if same { b.label } else { 0 });
            }
            (k, done) = (k + 1, done + len);
        }
    }
}

/// Model of `btowc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_btowc(c: c_int) -> Wide {
    let args = Args::take(__spm_btowc as *const () as usize);
    give_concrete();
    // SAFETY: as called by the program.
    let r = unsafe { btowc(c) };
    let v = args.value(0, 32, c as u32 as u64);
    if v.label != 0 && event::decide(v.ult(Value::constant(32, 0x80))) {
        give(v, r.into());
    }
    r
}

/// Model of `wctob`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wctob(c: Wide) -> c_int {
    let args = Args::take(__spm_wctob as *const () as usize);
    give_concrete();
    // SAFETY: as called by the program.
    let r = unsafe { wctob(c) };
    let v = args.value(0, 32, c.into());
    if v.label != 0 && event::decide(v.ult(Value::constant(32, 0x80))) {
        give(v, r as u32 as u64);
    }
    r
}
