//! Strings of wide characters (`wchar_t`, 32 bits).
//!
//! Comparisons, lengths and searches for a character are one expression over the first `MAX` characters, as for
//! narrow strings; other searches, and longer strings, are decided character by character.

use super::args::{Args, give, give_concrete, symbolic};
use super::cut::Facts;
use super::number;
use super::scan::{Bytes, address, byte};
use super::value::Value;
use crate::libc::{self, c_int, c_void};
use crate::{event, memory, objects, shadow};
use core::ops::{Add, Mul};
use trace_abi::Reason;

/// A wide character.
pub type Wide = u32;

/// Characters of a string that are followed in one expression.
const MAX: usize = 64;

const fn wide(c: u64) -> Value {
    Value::constant(32, c)
}

/// The character at `address`.
pub fn at(address: usize) -> Value {
    // SAFETY: models read only what the function they stand for may read, and labelled bytes.
    let now = unsafe { (address as *const Wide).read_unaligned() };
    Value::new(memory::load(address, 4, 32), 32, u64::from(now))
}

unsafe extern "C" {
    fn wcslen(s: *const Wide) -> usize;
    fn wcsnlen(s: *const Wide, max: usize) -> usize;
    fn wcschr(s: *const Wide, c: Wide) -> *mut Wide;
    fn wcsrchr(s: *const Wide, c: Wide) -> *mut Wide;
    fn wcsstr(s: *const Wide, needle: *const Wide) -> *mut Wide;
    fn wcscmp(a: *const Wide, b: *const Wide) -> c_int;
    fn wcsncmp(a: *const Wide, b: *const Wide, n: usize) -> c_int;
    fn wmemcmp(a: *const Wide, b: *const Wide, n: usize) -> c_int;
    fn wmemchr(s: *const Wide, c: Wide, n: usize) -> *mut Wide;
    fn wcsspn(s: *const Wide, set: *const Wide) -> usize;
    fn wcscspn(s: *const Wide, set: *const Wide) -> usize;
    fn wcspbrk(s: *const Wide, set: *const Wide) -> *mut Wide;
}

/// The first characters of a string.
struct Text {
    base: usize,
    all: [Value; MAX],
    len: usize,
    /// Whether nothing behind them can matter.
    complete: bool,
}

impl Text {
    /// Up to the NUL that is there in every run, or `limit`; behind a NUL that may be replaced, as far as memory is labelled.
    fn new(base: usize, limit: usize) -> Text {
        let mut t = Text { base, all: [wide(0); MAX], len: 0, complete: false };
        let mut ended = false;
        while t.len < limit.min(MAX) {
            let here = base + 4 * t.len;
            if ended && !shadow::any(here, 4) {
                break;
            }
            let v = at(here);
            t.all[t.len] = v;
            t.len += 1;
            ended |= v.now == 0;
            if v.is_false() {
                t.complete = true;
                return t;
            }
        }
        t.complete = t.len == limit;
        t
    }

    fn address(&self, k: usize) -> Value {
        address(self.base + 4 * k)
    }
}

/// Whether the string of `n` characters (and its NUL) is labelled.
fn labelled(s: *const Wide, n: usize) -> bool {
    symbolic() && shadow::any(s as usize, 4 * n.saturating_add(1))
}

/// Decides which of `n` characters are NUL, and pins nothing else.
fn decide_length(s: usize, n: usize, ended: bool) {
    for k in 0..n + usize::from(ended) {
        event::decide(at(s + 4 * k).equals(wide(0)));
    }
}

/// The same as a condition that flips need not keep.
fn pin_length(s: usize, n: usize, ended: bool) {
    if symbolic() {
        let mut facts = Facts::new();
        for k in 0..n + usize::from(ended) {
            facts.add(at(s + 4 * k).equals(wide(0)));
        }
    }
}

/// Model of `wcslen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcslen(s: *const Wide) -> usize {
    Args::take(__spm_wcslen as *const () as usize).pin_pointer(0, s);
    give_concrete();
    // SAFETY: as called by the program.
    let n = unsafe { wcslen(s) };
    if labelled(s, n) {
        length(s, n, usize::MAX);
    }
    n
}

/// Model of `wcsnlen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcsnlen(s: *const Wide, max: usize) -> usize {
    let args = Args::take(__spm_wcsnlen as *const () as usize);
    args.pin_pointer(0, s);
    event::pin(args.label(1), max as u64, Reason::Size, 0);
    give_concrete();
    // SAFETY: as called by the program.
    let n = unsafe { wcsnlen(s, max) };
    if n > 0 && labelled(s, n - 1) || n < max && labelled(s, n) {
        length(s, n, max);
    }
    n
}

fn length(s: *const Wide, n: usize, max: usize) {
    let t = Text::new(s as usize, max);
    if !t.complete {
        return decide_length(s as usize, n, n < max);
    }
    let mut acc = address(t.len);
    for k in (0..t.len).rev() {
        acc = t.all[k].equals(wide(0)).select(address(k), acc);
    }
    give(acc, n as u64);
}

/// Model of `wcschr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcschr(s: *const Wide, c: Wide) -> *mut Wide {
    let args = Args::take(__spm_wcschr as *const () as usize);
    args.pin_pointer(0, s);
    give_concrete();
    // SAFETY: as called by the program.
    let (r, n) = unsafe { (wcschr(s, c), wcslen(s)) };
    let wanted = args.value(1, 32, c.into());
    if wanted.label == 0 && !labelled(s, n) {
        return r;
    }
    let t = Text::new(s as usize, usize::MAX);
    if !t.complete {
        decide_first(s as usize, n, |v| v.equals(wanted).or(v.equals(wide(0))));
        return r;
    }
    let mut acc = address(0);
    for k in (0..t.len).rev() {
        let v = t.all[k];
        acc = v.equals(wanted).select(t.address(k), v.equals(wide(0)).select(address(0), acc));
    }
    give(acc, r as u64);
    r
}

/// Decides where the first of `n` characters is that ends a search.
fn decide_first(s: usize, n: usize, ends: impl Fn(Value) -> Value) {
    for k in 0..=n {
        if event::decide(ends(at(s + 4 * k))) {
            return;
        }
    }
}

macro_rules! searches {
    ($($model:ident = $real:ident;)+) => {$(
        /// Model of the function of that name: decided character by character.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const Wide, c: Wide) -> *mut Wide {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, s);
            give_concrete();
            // SAFETY: as called by the program.
            let (r, n) = unsafe { ($real(s, c), wcslen(s)) };
            let wanted = args.value(1, 32, c.into());
            if wanted.label != 0 || labelled(s, n) {
                for k in 0..=n {
                    event::decide(at(s as usize + 4 * k).equals(wanted));
                    event::decide(at(s as usize + 4 * k).equals(wide(0)));
                }
            }
            r
        }
    )+};
}
searches! {
    __spm_wcsrchr = wcsrchr;
}

/// Model of `wmemchr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wmemchr(s: *const Wide, c: Wide, n: usize) -> *mut Wide {
    let args = Args::take(__spm_wmemchr as *const () as usize);
    args.pin_pointer(0, s);
    event::pin(args.label(2), n as u64, Reason::Size, 0);
    give_concrete();
    // SAFETY: as called by the program.
    let r = unsafe { wmemchr(s, c, n) };
    let wanted = args.value(1, 32, c.into());
    if n > 0 && (wanted.label != 0 || labelled(s, n - 1)) {
        decide_first(s as usize, n - 1, |v| v.equals(wanted));
    }
    r
}

/// Model of `wcsstr`: decided place by place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcsstr(s: *const Wide, needle: *const Wide) -> *mut Wide {
    let args = Args::take(__spm_wcsstr as *const () as usize);
    args.pin_pointer(0, s);
    args.pin_pointer(1, needle);
    give_concrete();
    // SAFETY: as called by the program.
    let (r, n, m) = unsafe { (wcsstr(s, needle), wcslen(s), wcslen(needle)) };
    if !labelled(s, n) && !labelled(needle, m) {
        return r;
    }
    pin_length(needle as usize, m, true);
    pin_length(s as usize, n, true);
    for k in 0..(n + 1).saturating_sub(m) {
        let mut here = Value::constant(1, 1);
        for j in 0..m {
            here = here.and(at(s as usize + 4 * (k + j)).equals(at(needle as usize + 4 * j)));
        }
        if event::decide(here) {
            break;
        }
    }
    r
}

/// A comparison of up to `max` characters, ended by a NUL in both or not.
fn compare(a: usize, b: usize, max: usize, ends: bool, real: c_int) -> c_int {
    if !symbolic() || max == 0 {
        return real;
    }
    let (mut left, mut right) = ([wide(0); MAX], [wide(0); MAX]);
    let (mut n, mut decided, mut over) = (0, false, false);
    while !decided && n < max.min(MAX) {
        let (p, q) = (a + 4 * n, b + 4 * n);
        // Behind what this run looked at, only what is labelled can be known to be there, or to be a string's end.
        if over && !(shadow::any(p, 4) || shadow::any(q, 4)) {
            break;
        }
        let (x, y) = (at(p), at(q));
        (left[n], right[n]) = (x, y);
        n += 1;
        over |= x.now != y.now || (ends && x.now == 0);
        decided =
            (x.is_const() && y.is_const() && x.now != y.now) || (ends && (x.is_false() || y.is_false()));
    }
    if !decided && n < max && !over {
        for k in 0..max {
            let (x, y) = (at(a + 4 * k), at(b + 4 * k));
            let same = event::decide(x.equals(y));
            if !same {
                event::decide(x.slt(y));
            }
            if !same || (ends && event::decide(x.equals(wide(0)))) {
                return real;
            }
        }
        return real;
    }
    const OPEN: Value = wide(0x7fff_0000);
    let complete = decided || n == max;
    let mut acc = if complete { wide(0) } else { OPEN };
    for k in (0..n).rev() {
        let (x, y) = (left[k], right[k]);
        let order = x.slt(y).select(wide(0xffff_ffff), wide(1));
        let rest = if ends { x.equals(wide(0)).select(wide(0), acc) } else { acc };
        acc = x.equals(y).select(rest, order);
    }
    if !complete {
        event::pin(acc.equals(OPEN).label, 0, Reason::Model, 0);
    }
    if (acc.now as i32).signum() == real.signum() {
        give(acc, acc.now);
        return acc.now as i32;
    }
    if acc.label != 0 {
        event::lose(Reason::Model, 0, 0);
    }
    real
}

/// Model of `wcscmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcscmp(a: *const Wide, b: *const Wide) -> c_int {
    let args = Args::take(__spm_wcscmp as *const () as usize);
    args.pin_pointer(0, a);
    args.pin_pointer(1, b);
    give_concrete();
    // SAFETY: as called by the program.
    let real = unsafe { wcscmp(a, b) };
    compare(a as usize, b as usize, usize::MAX, true, real)
}

macro_rules! bounded {
    ($($model:ident = $real:ident, $ends:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(a: *const Wide, b: *const Wide, n: usize) -> c_int {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, a);
            args.pin_pointer(1, b);
            event::pin(args.label(2), n as u64, Reason::Size, 0);
            give_concrete();
            // SAFETY: as called by the program.
            let real = unsafe { $real(a, b, n) };
            compare(a as usize, b as usize, n, $ends, real)
        }
    )+};
}
bounded! {
    __spm_wcsncmp = wcsncmp, true;
    __spm_wmemcmp = wmemcmp, false;
}

macro_rules! sets {
    ($($model:ident = $real:ident -> $ret:ty, $inside:literal;)+) => {$(
        /// Model of the function of that name: decided character by character.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const Wide, set: *const Wide) -> $ret {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, s);
            args.pin_pointer(1, set);
            give_concrete();
            // SAFETY: as called by the program.
            let (r, n, m) = unsafe { ($real(s, set), wcslen(s), wcslen(set)) };
            if labelled(s, n) || labelled(set, m) {
                pin_length(set as usize, m, true);
                let member = |v: Value| {
                    (0..m).fold(Value::constant(1, 0), |acc, k| acc.or(v.equals(at(set as usize + 4 * k))))
                };
                let ends = |v: Value| if $inside { !member(v) } else { member(v).or(v.equals(wide(0))) };
                decide_first(s as usize, n, ends);
            }
            r
        }
    )+};
}
sets! {
    __spm_wcsspn = wcsspn -> usize, true;
    __spm_wcscspn = wcscspn -> usize, false;
    __spm_wcspbrk = wcspbrk -> *mut Wide, false;
}

macro_rules! copies {
    ($($model:ident = $real:ident;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut Wide, s: *const Wide, n: usize) -> *mut Wide {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, d);
            args.pin_pointer(1, s);
            memory::copy(d as usize, s as usize, 4 * n, args.label(2), 0);
            give(args.value(0, 64, d as u64), d as u64);
            // SAFETY: as called by the program.
            unsafe { libc::$real(d.cast(), s.cast(), 4 * n).cast() }
        }
    )+};
}
copies! {
    __spm_wmemcpy = memcpy;
    __spm_wmemmove = memmove;
}

/// Model of `wmemset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wmemset(d: *mut Wide, c: Wide, n: usize) -> *mut Wide {
    let args = Args::take(__spm_wmemset as *const () as usize);
    event::pin(args.label(2), n as u64, Reason::Size, 0);
    let value = args.value(1, 32, c.into());
    for k in 0..n {
        // SAFETY: as called by the program.
        unsafe { d.add(k).write_unaligned(c) };
        memory::store(d as usize + 4 * k, 4, value.label);
    }
    give_concrete();
    d
}

/// Copies `n` characters and their labels, and a NUL.
unsafe fn put(d: *mut Wide, s: *const Wide, n: usize) {
    shadow::copy(d as usize, s as usize, 4 * n);
    shadow::clear(d as usize + 4 * n, 4);
    // SAFETY: as called by the program.
    unsafe {
        libc::memmove(d.cast(), s.cast::<c_void>(), 4 * n);
        d.add(n).write_unaligned(0);
    }
}

macro_rules! string_copies {
    ($($model:ident, $append:literal;)+) => {$(
        /// Model of the function of that name: the lengths are those of this run.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(d: *mut Wide, s: *const Wide) -> *mut Wide {
            // SAFETY: as called by the program.
            unsafe {
                let (start, n) = (if $append { wcslen(d) } else { 0 }, wcslen(s));
                pin_length(d as usize, start, $append);
                pin_length(s as usize, n, true);
                put(d.add(start), s, n);
            }
            give_concrete();
            d
        }
    )+};
}
string_copies! {
    __spm_wcscpy, false;
    __spm_wcscat, true;
}

/// Model of `wcsncpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcsncpy(d: *mut Wide, s: *const Wide, n: usize) -> *mut Wide {
    let args = Args::take(__spm_wcsncpy as *const () as usize);
    event::pin(args.label(2), n as u64, Reason::Size, 0);
    // SAFETY: as called by the program.
    unsafe {
        let len = wcsnlen(s, n);
        pin_length(s as usize, len, len < n);
        shadow::copy(d as usize, s as usize, 4 * len);
        shadow::clear(d as usize + 4 * len, 4 * (n - len));
        libc::memmove(d.cast(), s.cast::<c_void>(), 4 * len);
        libc::memset(d.add(len).cast(), 0, 4 * (n - len));
    }
    give_concrete();
    d
}

/// Model of `wcsdup`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_wcsdup(s: *const Wide) -> *mut Wide {
    give_concrete();
    // SAFETY: as called by the program; a block with room for the string.
    unsafe {
        let n = wcslen(s);
        pin_length(s as usize, n, true);
        let p = libc::malloc(4 * n + 4).cast::<Wide>();
        if !p.is_null() {
            objects::born(p.cast(), 4 * n + 4);
            put(p, s, n);
        }
        p
    }
}

macro_rules! numbers {
    ($($model:ident = $real:ident -> $type:ty, $value:ident;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const Wide, out: *mut *mut Wide, base: c_int) -> $type {
            unsafe extern "C" {
                fn $real(s: *const Wide, out: *mut *mut Wide, base: c_int) -> $type;
            }
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, s);
            event::pin(args.label(2), base as u32 as u64, Reason::Model, 0);
            give_concrete();
            let mut end = s.cast_mut();
            // SAFETY: as called by the program.
            let r = unsafe { $real(s, &raw mut end, base) };
            let used = (end as usize - s as usize) / 4;
            let mut end_label = 0;
            if (base == 0 || (2..=36).contains(&base)) && labelled(s, used) {
                let b = narrow(s as usize);
                let n = number::parse(&b, base as u32);
                give(n.$value(), r as u64);
                let end_value = address(s as usize).add(n.end.mul(address(4)));
                end_label = end_value.checked(end as u64);
            }
            if !out.is_null() {
                // SAFETY: the program's pointer variable.
                unsafe { *out = end };
                memory::store(out as usize, 8, end_label);
            }
            r
        }
    )+};
}
numbers! {
    __spm_wcstol = wcstol -> i64, signed;
    __spm_wcstoll = wcstoll -> i64, signed;
    __spm_wcstoul = wcstoul -> u64, unsigned;
    __spm_wcstoull = wcstoull -> u64, unsigned;
}

/// The ASCII characters at the start of a string, as bytes at address 0.
fn narrow(s: usize) -> Bytes {
    let mut b = Bytes::none();
    for k in 0..MAX {
        let v = at(s + 4 * k);
        let ascii = event::decide(v.ult(wide(128)));
        let low = if ascii { v.trunc(8) } else { byte(0) };
        if !b.push(low) || low.now == 0 {
            event::decide(low.equals(byte(0)));
            break;
        }
    }
    b
}
