//! Searches and comparisons of strings and buffers.
//!
//! Results are chains of if-then-else over the bytes, built from the last byte to the first, with absolute
//! addresses in the leaves: the chains of a string and of its tails share all their nodes. Labels of pointers
//! found this way are pinned when they are followed (see `memory::load_symbolic`).

use super::args::{Args, give, give_concrete, symbolic};
use super::scan::{Bytes, address, byte, lower, member};
use super::value::Value;
use super::{MAX_SCAN, scan};
use crate::libc::{self, c_char, c_int, c_void};
use crate::{event, shadow, tls};
use core::ops::{Not, Sub};
use trace_abi::Reason;

/// Whether the string or what might follow it is labelled.
fn labelled(s: *const c_char) -> bool {
    // SAFETY: a C string; its length is needed only where something may be labelled at all.
    symbolic() && shadow::any(s as usize, unsafe { libc::strlen(s) } + 1)
}

/// Address of the first NUL.
pub fn end_of(b: &Bytes) -> Value {
    let mut acc = address(b.base + b.len);
    for k in (0..b.len).rev() {
        acc = b.get(k).equals(byte(0)).select(address(b.base + k), acc);
    }
    acc
}

fn since(end: Value, start: usize) -> Value {
    end.sub(address(start))
}

/// Model of `strlen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strlen(s: *const c_char) -> usize {
    tls::set_ret(0);
    // SAFETY: as called by the program.
    let n = unsafe { libc::strlen(s) };
    if symbolic() && shadow::any(s as usize, n + 1) {
        give(since(end_of(&Bytes::string(s as usize, MAX_SCAN)), s as usize), n as u64);
    }
    n
}

/// Model of `strnlen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strnlen(s: *const c_char, max: usize) -> usize {
    let args = Args::take(__spm_strnlen as *const () as usize);
    event::pin(args.label(1), max as u64, Reason::Size, 0);
    give_concrete();
    // SAFETY: as called by the program.
    let n = unsafe { libc::strnlen(s, max) };
    if symbolic() && shadow::any(s as usize, (n + 1).min(max)) {
        give(since(end_of(&Bytes::string(s as usize, max)), s as usize), n as u64);
    }
    n
}

/// What a search answers where it finds the end of the string first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtEnd {
    /// Null.
    Null,
    /// The address of the NUL.
    Address,
    /// There is no end: a NUL is a byte like others.
    Ignored,
}

/// Address of the first byte that satisfies `wanted`.
fn first(b: &Bytes, at_end: AtEnd, wanted: impl Fn(Value) -> Value) -> Value {
    let mut acc = address(if at_end == AtEnd::Address { b.base + b.len } else { 0 });
    for k in (0..b.len).rev() {
        let (v, here) = (b.get(k), address(b.base + k));
        let rest = match at_end {
            AtEnd::Null => v.equals(byte(0)).select(address(0), acc),
            AtEnd::Address => v.equals(byte(0)).select(here, acc),
            AtEnd::Ignored => acc,
        };
        acc = wanted(v).select(here, rest);
    }
    acc
}

/// Address of the last byte that satisfies `wanted`, before the end if there is one.
fn last(b: &Bytes, ends: bool, wanted: impl Fn(Value) -> Value) -> Value {
    let (mut acc, mut found) = (address(0), Value::constant(1, 0));
    for k in (0..b.len).rev() {
        let (v, here) = (b.get(k), address(b.base + k));
        let hit = wanted(v);
        let end = if ends { v.equals(byte(0)) } else { Value::constant(1, 0) };
        let own = hit.select(here, address(0));
        acc = end.select(own, found.select(acc, own));
        found = end.select(hit, found.or(hit));
    }
    acc
}

macro_rules! char_searches {
    ($($model:ident = $real:ident, $f:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, c: c_int) -> *mut c_char {
            let args = Args::take($model as *const () as usize);
            give_concrete();
            // SAFETY: as called by the program.
            let r = unsafe { libc::$real(s, c) };
            if args.any(2) || labelled(s) {
                let (wanted, b) = (args.value(1, 8, c as u64), Bytes::string(s as usize, MAX_SCAN));
                let search: fn(&Bytes, Value) -> Value = $f;
                give(search(&b, wanted), r as u64);
            }
            r
        }
    )+};
}
char_searches! {
    __spm_strchr = strchr, |b, c| first(b, AtEnd::Null, |v| v.equals(c));
    __spm_index = strchr, |b, c| first(b, AtEnd::Null, |v| v.equals(c));
    __spm_strchrnul = strchrnul, |b, c| first(b, AtEnd::Address, |v| v.equals(c));
    __spm_strrchr = strrchr, |b, c| last(b, true, |v| v.equals(c));
    __spm_rindex = strrchr, |b, c| last(b, true, |v| v.equals(c));
}

macro_rules! byte_searches {
    ($($model:ident = $real:ident, $f:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_void, c: c_int, n: usize) -> *mut c_void {
            let args = Args::take($model as *const () as usize);
            give_concrete();
            event::pin(args.label(2), n as u64, Reason::Size, 0);
            // SAFETY: as called by the program.
            let r = unsafe { libc::$real(s, c, n) };
            // The C standard lets `n` exceed the memory where the byte is found before.
            let reached = if r.is_null() { n } else { (r as usize - s as usize + 1).min(n) };
            if args.label(1) != 0 || (symbolic() && shadow::any(s as usize, reached)) {
                let b = reachable(s as usize, n, reached);
                let wanted = args.value(1, 8, c as u64);
                let search: fn(&Bytes, Value) -> Value = $f;
                give(search(&b, wanted), r as u64);
            }
            r
        }
    )+};
}
byte_searches! {
    __spm_memchr = memchr, |b, c| first(b, AtEnd::Ignored, |v| v.equals(c));
    __spm_memrchr = memrchr, |b, c| last(b, false, |v| v.equals(c));
}

/// Up to `n` bytes, of which `sure` can be read; the others as far as they may be.
fn reachable(base: usize, n: usize, sure: usize) -> Bytes {
    let mut b = Bytes::buffer(base, sure);
    while b.len >= sure && b.len < n && scan::may_peek(base + b.len) && b.push(Value::byte_at(base + b.len)) {
    }
    b
}

/// Model of `rawmemchr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_rawmemchr(s: *const c_void, c: c_int) -> *mut c_void {
    let args = Args::take(__spm_rawmemchr as *const () as usize);
    give_concrete();
    // SAFETY: as called by the program.
    let r = unsafe { libc::rawmemchr(s, c) };
    let reached = r as usize - s as usize + 1;
    if args.label(1) != 0 || (symbolic() && shadow::any(s as usize, reached)) {
        let b = reachable(s as usize, usize::MAX, reached);
        let wanted = args.value(1, 8, c as u64);
        give(first(&b, AtEnd::Ignored, |v| v.equals(wanted)), r as u64);
    }
    r
}

/// How two strings or buffers are compared.
#[derive(Clone, Copy)]
struct Comparison {
    /// At most so many bytes.
    max: usize,
    /// A NUL ends both.
    ends: bool,
    /// Upper and lower case are the same.
    fold: bool,
}

/// Difference of the first bytes that differ (32 bits), 0 if none does.
fn compare(a: usize, b: usize, how: Comparison) -> Value {
    let (mut left, mut right) = (Bytes::none(), Bytes::none());
    let (mut decided, mut over) = (false, false);
    while !decided && left.len < how.max.min(MAX_SCAN) {
        let k = left.len;
        if over && !(scan::may_peek(a + k) && scan::may_peek(b + k)) {
            break;
        }
        let (mut x, mut y) = (Value::byte_at(a + k), Value::byte_at(b + k));
        if how.fold {
            (x, y) = (lower(x), lower(y));
        }
        over |= x.now != y.now || (how.ends && x.now == 0);
        decided =
            (x.is_const() && y.is_const() && x.now != y.now) || (how.ends && (x.is_false() || y.is_false()));
        left.push(x);
        right.push(y);
    }
    let all_seen = left.len == how.max;
    let mut acc = Value::constant(32, u64::from(!decided && !all_seen));
    for k in (0..left.len).rev() {
        let (x, y) = (left.get(k), right.get(k));
        let difference = x.zext(32).sub(y.zext(32));
        let rest = if how.ends { x.equals(byte(0)).select(Value::constant(32, 0), acc) } else { acc };
        acc = x.equals(y).select(rest, difference);
    }
    acc
}

/// Finishes a comparison: a difference of the same sign as the real one is the result.
fn compared(result: Value, real: c_int) -> c_int {
    let own = result.now as u32 as c_int;
    if own.signum() != real.signum() {
        if result.label != 0 {
            event::lose(Reason::Model, 0, 0);
        }
        give_concrete();
        return real;
    }
    give(result, result.now);
    own
}

macro_rules! string_comparisons {
    ($($model:ident = $real:ident, $fold:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(a: *const c_char, b: *const c_char) -> c_int {
            give_concrete();
            // SAFETY: as called by the program.
            let real = unsafe { libc::$real(a, b) };
            if !symbolic() || !(labelled(a) || labelled(b)) {
                return real;
            }
            compared(compare(a as usize, b as usize, Comparison { max: usize::MAX, ends: true, fold: $fold }), real)
        }
    )+};
}
string_comparisons! {
    __spm_strcmp = strcmp, false;
    __spm_strcoll = strcoll, false;
    __spm_strcasecmp = strcasecmp, true;
}

macro_rules! bounded_comparisons {
    ($($model:ident = $real:ident, $type:ty, $ends:literal, $fold:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(a: *const $type, b: *const $type, n: usize) -> c_int {
            let args = Args::take($model as *const () as usize);
            give_concrete();
            event::pin(args.label(2), n as u64, Reason::Size, 0);
            // SAFETY: as called by the program.
            let real = unsafe { libc::$real(a, b, n) };
            if !symbolic() || n == 0 {
                return real;
            }
            let how = Comparison { max: n, ends: $ends, fold: $fold };
            compared(compare(a as usize, b as usize, how), real)
        }
    )+};
}
bounded_comparisons! {
    __spm_strncmp = strncmp, c_char, true, false;
    __spm_strncasecmp = strncasecmp, c_char, true, true;
    __spm_memcmp = memcmp, c_void, false, false;
    __spm_bcmp = memcmp, c_void, false, false;
}

/// Most bytes of a set of characters or a string searched for.
const MAX_SET: usize = 64;

macro_rules! set_searches {
    ($($model:ident = $real:ident -> $ret:ty, $f:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, set: *const c_char) -> $ret {
            give_concrete();
            // SAFETY: as called by the program.
            let (r, n) = unsafe { (libc::$real(s, set), libc::strlen(set)) };
            if n <= MAX_SET && (labelled(s) || labelled(set)) {
                let (b, members) = (Bytes::string(s as usize, MAX_SCAN), Bytes::buffer(set as usize, n));
                let search: fn(&Bytes, &Bytes) -> Value = $f;
                give(search(&b, &members), r as u64);
            }
            r
        }
    )+};
}
set_searches! {
    __spm_strspn = strspn -> usize, |b, set| span(b, set, true);
    __spm_strcspn = strcspn -> usize, |b, set| span(b, set, false);
    __spm_strpbrk = strpbrk -> *mut c_char, |b, set| first(b, AtEnd::Null, |v| member(v, set.all()));
}

/// Length of the stretch at the start whose bytes are (`inside`) or are not in the set.
fn span(b: &Bytes, set: &Bytes, inside: bool) -> Value {
    let stop = |v: Value| if inside { member(v, set.all()).not() } else { member(v, set.all()) };
    since(first(b, AtEnd::Address, stop), b.base)
}

/// Most byte comparisons in a search for a string.
const MAX_WORK: usize = 8192;

/// Address of the first occurrence of `needle`.
fn search(hay: &Bytes, needle: &Bytes, ends: bool) -> Value {
    let mut acc = address(0);
    for k in (0..hay.len).rev() {
        let v = hay.get(k);
        let rest = if ends { v.equals(byte(0)).select(address(0), acc) } else { acc };
        acc = matches_at(hay, needle, k).select(address(hay.base + k), rest);
    }
    acc
}

/// Whether `needle` is at byte `k`.
fn matches_at(hay: &Bytes, needle: &Bytes, k: usize) -> Value {
    if k + needle.len > hay.len {
        return Value::constant(1, 0);
    }
    let mut all = Value::constant(1, 1);
    for (j, &n) in needle.all().iter().enumerate() {
        all = all.and(hay.get(k + j).equals(n));
        if all.is_false() {
            break;
        }
    }
    all
}

fn folded(b: Bytes) -> Bytes {
    let mut out = Bytes::none();
    out.base = b.base;
    for &v in b.all() {
        out.push(lower(v));
    }
    out
}

macro_rules! substring_searches {
    ($($model:ident = $real:ident, $fold:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(hay: *const c_char, needle: *const c_char) -> *mut c_char {
            give_concrete();
            // SAFETY: as called by the program.
            let (r, n) = unsafe { (libc::$real(hay, needle), libc::strlen(needle)) };
            if n > 0 && n <= MAX_SET && (labelled(hay) || labelled(needle)) {
                let limit = MAX_SCAN.min(MAX_WORK / n);
                let (mut h, mut w) = (Bytes::string(hay as usize, limit), Bytes::buffer(needle as usize, n));
                if $fold {
                    (h, w) = (folded(h), folded(w));
                }
                give(search(&h, &w, true), r as u64);
            }
            r
        }
    )+};
}
substring_searches! {
    __spm_strstr = strstr, false;
    __spm_strcasestr = strcasestr, true;
}

/// Model of `memmem`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_memmem(
    hay: *const c_void,
    hay_len: usize,
    needle: *const c_void,
    n: usize,
) -> *mut c_void {
    let args = Args::take(__spm_memmem as *const () as usize);
    give_concrete();
    event::pin(args.label(1), hay_len as u64, Reason::Size, 0);
    event::pin(args.label(3), n as u64, Reason::Size, 0);
    // SAFETY: as called by the program.
    let r = unsafe { libc::memmem(hay, hay_len, needle, n) };
    let touched = || shadow::any(hay as usize, hay_len) || shadow::any(needle as usize, n);
    if symbolic() && n > 0 && n <= MAX_SET && touched() {
        let limit = hay_len.min(MAX_WORK / n);
        let (h, w) = (Bytes::buffer(hay as usize, limit), Bytes::buffer(needle as usize, n));
        give(search(&h, &w, false), r as u64);
    }
    r
}
