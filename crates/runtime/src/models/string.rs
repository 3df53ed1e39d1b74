//! Searches and comparisons of strings and buffers.
//!
//! Results are chains of if-then-else over the bytes, built from the last byte to the first, with absolute
//! addresses in the leaves: the chains of a string and of its tails share all their nodes. Reads through a
//! pointer found this way are choices among the object's bytes, or pin it (see `memory::load_symbolic`).

use super::args::{Args, give, give_concrete, symbolic};
use super::cut::{self, Facts};
use super::pointer::{Side, Start};
use super::scan::{Bytes, address, byte, lower, member};
use super::value::Value;
use super::{MAX_SCAN, scan};
use crate::libc::{self, c_char, c_int, c_void};
use crate::{event, objects, shadow, tls};
use core::ops::{Add, Not, Sub};
use trace_abi::Reason;

/// Whether the string or what might follow it is labelled.
fn labelled(s: *const c_char) -> bool {
    // SAFETY: a C string; its length is needed only where something may be labelled at all.
    symbolic() && shadow::any(s as usize, unsafe { libc::strlen(s) } + 1)
}

/// Address of the first NUL, which is `real` in this run.
pub fn end_of(b: &Bytes, real: usize) -> Value {
    first(b, AtEnd::Address, real, usize::MAX, |_| Value::constant(1, 0))
}

fn since(end: Value, start: usize) -> Value {
    end.sub(address(start))
}

/// Model of `strlen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strlen(s: *const c_char) -> usize {
    let start = Start::new(&Args::take(__spm_strlen as *const () as usize), 0, s);
    tls::set_ret(0);
    // SAFETY: as called by the program.
    let n = unsafe { libc::strlen(s) };
    if symbolic() && (!start.pointer.is_const() || shadow::any(s as usize, n + 1)) {
        let b = Bytes::string_behind(start.base, start.before(), usize::MAX);
        let none = |_| Value::constant(1, 0);
        let end = first_from(&b, &start, AtEnd::Address, s as usize + n, usize::MAX, none);
        give(end.sub(start.pointer), n as u64);
    }
    n
}

/// Model of `strnlen`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_strnlen(s: *const c_char, max: usize) -> usize {
    let args = Args::take(__spm_strnlen as *const () as usize);
    args.pin_pointer(0, s);
    event::pin(args.label(1), max as u64, Reason::Size, 0);
    give_concrete();
    // SAFETY: as called by the program.
    let n = unsafe { libc::strnlen(s, max) };
    if symbolic() && shadow::any(s as usize, (n + 1).min(max)) {
        let (b, end) = (Bytes::string(s as usize, max), (s as usize).saturating_add(max));
        let found = first(&b, AtEnd::Address, s as usize + n, end, |_| Value::constant(1, 0));
        give(since(found, s as usize), n as u64);
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

/// Address of the first byte that satisfies `wanted`, which is `real` in this run; the function does not look
/// behind `end`.
fn first(b: &Bytes, at_end: AtEnd, real: usize, end: usize, wanted: impl Fn(Value) -> Value) -> Value {
    first_from(b, &Start { base: b.base, pointer: address(b.base) }, at_end, real, end, wanted)
}

/// The same for a search that begins at a pointer into `b`.
fn first_from(
    b: &Bytes,
    start: &Start,
    at_end: AtEnd,
    real: usize,
    end: usize,
    wanted: impl Fn(Value) -> Value,
) -> Value {
    let ends = at_end != AtEnd::Ignored;
    let behind = b.all().get(start.before()..).unwrap_or_default();
    let decided = behind.iter().any(|&v| wanted(v).now == 1 || (ends && v.now == 0));
    // What no byte of `b` gives.
    let beyond = address(b.base + b.len);
    let mut acc = match at_end {
        _ if !b.complete && decided => beyond,
        _ if !b.complete => address(real),
        AtEnd::Address => beyond,
        _ => address(0),
    };
    for k in (0..b.len).rev() {
        let (v, here) = (b.get(k), address(b.base + k));
        let rest = match at_end {
            AtEnd::Null => v.equals(byte(0)).select(address(0), acc),
            AtEnd::Address => v.equals(byte(0)).select(here, acc),
            AtEnd::Ignored => acc,
        };
        acc = start.counts(b.base + k).select(wanted(v).select(here, rest), acc);
    }
    start.stays_within(b.len);
    if !b.complete && decided {
        Facts::new().add(acc.equals(beyond));
    } else if !b.complete {
        cut::pin_first(b, end, ends, wanted);
    }
    acc
}

/// Address of the last byte that satisfies `wanted`, before the NUL if there is one (`ends`), else before `end`.
fn last(b: &Bytes, ends: bool, end: usize, wanted: impl Fn(Value) -> Value) -> Value {
    let (mut acc, mut found) = (address(0), Value::constant(1, 0));
    if !b.complete && ends && b.all().iter().any(|v| v.now == 0) {
        let over = b.all().iter().fold(found, |acc, v| acc.or(v.equals(byte(0))));
        Facts::new().add(over);
    } else if !b.complete
        && let Some(at) = cut::pin_last(b, end, ends, &wanted)
    {
        (acc, found) = (address(at), Value::constant(1, 1));
    }
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

/// Most labelled bytes behind those of a search that count as its text.
const MAX_BEHIND: usize = 64;

/// Gives a pointer into (or a position in) these bytes.
fn give_pointer(b: &Bytes, found: Value, real: u64) {
    if found.label != 0 {
        // What is labelled behind them belongs to the same text: it was not looked at.
        let labelled = |len: &usize| shadow::word(b.base + len) != 0;
        let len = (b.len..b.len + MAX_BEHIND).take_while(labelled).last().map_or(b.len, |last| last + 1);
        objects::note_text(b.base, len);
    }
    give(found, real);
}

/// A search for a byte: the bytes, where it begins, the byte, the address found in this run, the end of what is looked at.
type Search = fn(&Bytes, &Start, Value, usize, usize) -> Value;

macro_rules! char_searches {
    ($($model:ident = $real:ident, $forward:literal, $f:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, c: c_int) -> *mut c_char {
            let args = Args::take($model as *const () as usize);
            let mut start = Start::new(&args, 0, s);
            if !$forward {
                start.pin();
            }
            give_concrete();
            // SAFETY: as called by the program.
            let r = unsafe { libc::$real(s, c) };
            if args.label(1) != 0 || !start.pointer.is_const() || labelled(s) {
                let wanted = args.value(1, 8, c as u64);
                let b = Bytes::string_behind(start.base, start.before(), usize::MAX);
                let search: Search = $f;
                give_pointer(&b, search(&b, &start, wanted, r as usize, usize::MAX), r as u64);
            }
            r
        }
    )+};
}
char_searches! {
    __spm_strchr = strchr, true, |b, s, c, r, end| first_from(b, s, AtEnd::Null, r, end, |v| v.equals(c));
    __spm_index = strchr, true, |b, s, c, r, end| first_from(b, s, AtEnd::Null, r, end, |v| v.equals(c));
    __spm_strchrnul = strchrnul, true, |b, s, c, r, end| first_from(b, s, AtEnd::Address, r, end, |v| v.equals(c));
    __spm_strrchr = strrchr, false, |b, _, c, _, end| last(b, true, end, |v| v.equals(c));
    __spm_rindex = strrchr, false, |b, _, c, _, end| last(b, true, end, |v| v.equals(c));
}

macro_rules! byte_searches {
    ($($model:ident = $real:ident, $forward:literal, $f:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_void, c: c_int, n: usize) -> *mut c_void {
            let args = Args::take($model as *const () as usize);
            let mut start = Start::new(&args, 0, s);
            // A pointer may move only where what is looked at ends at the same place.
            let end = start.pointer.add(args.value(2, 64, n as u64));
            if !$forward || !end.is_const() || n == 0 {
                start.pin();
                event::pin(args.label(2), n as u64, Reason::Size, 0);
            }
            give_concrete();
            // SAFETY: as called by the program.
            let r = unsafe { libc::$real(s, c, n) };
            // The C standard lets `n` exceed the memory where the byte is found before.
            let reached = if r.is_null() { n } else { (r as usize - s as usize + 1).min(n) };
            if args.label(1) != 0 || !start.pointer.is_const() || (symbolic() && shadow::any(s as usize, reached)) {
                let b = reachable(start.base, start.before().saturating_add(n), start.before() + reached);
                let wanted = args.value(1, 8, c as u64);
                let search: Search = $f;
                give_pointer(&b, search(&b, &start, wanted, r as usize, (s as usize).saturating_add(n)), r as u64);
            }
            r
        }
    )+};
}
byte_searches! {
    __spm_memchr = memchr, true, |b, s, c, r, end| first_from(b, s, AtEnd::Ignored, r, end, |v| v.equals(c));
    __spm_memrchr = memrchr, false, |b, _, c, _, end| last(b, false, end, |v| v.equals(c));
}

/// Up to `n` bytes, of which `sure` can be read; the others as far as they may be.
fn reachable(base: usize, n: usize, sure: usize) -> Bytes {
    let mut b = Bytes::buffer(base, sure);
    while b.len >= sure && b.len < n && scan::may_peek(base + b.len) && b.push(Value::byte_at(base + b.len)) {
    }
    b.complete = b.len == n;
    b
}

/// Model of `rawmemchr`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_rawmemchr(s: *const c_void, c: c_int) -> *mut c_void {
    let args = Args::take(__spm_rawmemchr as *const () as usize);
    args.pin_pointer(0, s);
    give_concrete();
    // SAFETY: as called by the program.
    let r = unsafe { libc::rawmemchr(s, c) };
    let reached = r as usize - s as usize + 1;
    if args.label(1) != 0 || (symbolic() && shadow::any(s as usize, reached)) {
        let b = reachable(s as usize, usize::MAX, reached);
        let wanted = args.value(1, 8, c as u64);
        give_pointer(&b, first(&b, AtEnd::Ignored, r as usize, usize::MAX, |v| v.equals(wanted)), r as u64);
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

/// No difference of two bytes.
const UNDECIDED: Value = Value::constant(32, 0x7fff_0000);

impl Comparison {
    /// Byte `k` of both.
    fn pair(self, a: Side, b: Side, k: usize) -> (Value, Value) {
        let (x, y) = (a.byte(k), b.byte(k));
        if self.fold { (lower(x), lower(y)) } else { (x, y) }
    }

    /// Whether this run went no further than these two.
    const fn over(self, x: Value, y: Value) -> bool {
        x.now != y.now || (self.ends && x.now == 0)
    }

    /// Pins how the comparison went on from byte `from`.
    fn pin_rest(self, a: Side, b: Side, from: usize) {
        let mut facts = Facts::new();
        for k in from..self.max {
            let (x, y) = self.pair(a, b, k);
            facts.add(x.equals(y));
            if self.ends {
                facts.add(x.equals(byte(0)));
            }
            if self.over(x, y) {
                facts.add(x.ult(y));
                return;
            }
        }
    }
}

/// Difference of the first bytes that differ (32 bits), 0 if none does; `real` is this run's result.
fn compare(a: Side, b: Side, how: Comparison, real: c_int) -> Value {
    let (mut left, mut right) = (Bytes::none(), Bytes::none());
    let (mut decided, mut over) = (false, false);
    while !decided && left.len < how.max.min(MAX_SCAN) {
        let k = left.len;
        if over && !(a.may_peek(k) && b.may_peek(k)) {
            break;
        }
        let (x, y) = how.pair(a, b, k);
        over |= how.over(x, y);
        decided =
            (x.is_const() && y.is_const() && x.now != y.now) || (how.ends && (x.is_false() || y.is_false()));
        left.push(x);
        right.push(y);
    }
    let complete = decided || left.len == how.max;
    let mut acc = match complete {
        true => Value::constant(32, 0),
        false if over => UNDECIDED,
        false => Value::constant(32, real.signum() as u32 as u64),
    };
    for k in (0..left.len).rev() {
        let (x, y) = (left.get(k), right.get(k));
        let difference = x.zext(32).sub(y.zext(32));
        let rest = if how.ends { x.equals(byte(0)).select(Value::constant(32, 0), acc) } else { acc };
        acc = x.equals(y).select(rest, difference);
    }
    if !complete && over {
        Facts::new().add(acc.equals(UNDECIDED));
    } else if !complete {
        how.pin_rest(a, b, left.len);
    }
    acc
}

/// What `strcmp` says of two strings that stay where they are.
///
/// # Safety
/// C strings.
pub unsafe fn compare_strings(a: *const c_char, b: *const c_char) -> Value {
    let how = Comparison { max: usize::MAX, ends: true, fold: false };
    // SAFETY: as the caller promises.
    let real = unsafe { libc::strcmp(a, b) };
    compare(Side::fixed(a as usize), Side::fixed(b as usize), how, real)
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
            let args = Args::take($model as *const () as usize);
            let (left, right) = (Side::new(&args, 0, a), Side::new(&args, 1, b));
            give_concrete();
            // SAFETY: as called by the program.
            let real = unsafe { libc::$real(a, b) };
            if !symbolic() || !(left.moves() || right.moves() || labelled(a) || labelled(b)) {
                return real;
            }
            let how = Comparison { max: usize::MAX, ends: true, fold: $fold };
            compared(compare(left, right, how, real), real)
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
            let (left, right) = (Side::new(&args, 0, a), Side::new(&args, 1, b));
            give_concrete();
            event::pin(args.label(2), n as u64, Reason::Size, 0);
            // SAFETY: as called by the program.
            let real = unsafe { libc::$real(a, b, n) };
            if !symbolic() || n == 0 {
                return real;
            }
            let how = Comparison { max: n, ends: $ends, fold: $fold };
            compared(compare(left, right, how, real), real)
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

/// A search for members of a set: the bytes, the set, the address found in this run.
type SetSearch = fn(&Bytes, &Bytes, usize) -> Value;

macro_rules! set_searches {
    ($($model:ident = $real:ident -> $ret:ty, $at:expr, $f:expr;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, set: *const c_char) -> $ret {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, s);
            args.pin_pointer(1, set);
            give_concrete();
            // SAFETY: as called by the program.
            let (r, n) = unsafe { (libc::$real(s, set), libc::strlen(set)) };
            if !(labelled(s) || labelled(set)) {
                return r;
            }
            cut::pin_length(set as usize, n, true);
            if n <= MAX_SET {
                let (b, members) = (Bytes::string(s as usize, usize::MAX), Bytes::buffer(set as usize, n));
                let (at, search): (fn(usize, $ret) -> usize, SetSearch) = ($at, $f);
                give_pointer(&b, search(&b, &members, at(s as usize, r)), r as u64);
            } else {
                // SAFETY: C strings, the NUL included.
                cut::pin_bytes(s as usize, unsafe { libc::strlen(s) } + 1);
                cut::pin_bytes(set as usize, n);
            }
            r
        }
    )+};
}
set_searches! {
    __spm_strspn = strspn -> usize, |s, r| s + r, |b, set, r| span(b, set, r, true);
    __spm_strcspn = strcspn -> usize, |s, r| s + r, |b, set, r| span(b, set, r, false);
    __spm_strpbrk = strpbrk -> *mut c_char, |_, r| r as usize,
        |b, set, r| first(b, AtEnd::Null, r, usize::MAX, |v| member(v, set.all()));
}

/// Length of the stretch at the start whose bytes are (`inside`) or are not in the set.
fn span(b: &Bytes, set: &Bytes, real: usize, inside: bool) -> Value {
    let stop = |v: Value| if inside { member(v, set.all()).not() } else { member(v, set.all()) };
    since(first(b, AtEnd::Address, real, usize::MAX, stop), b.base)
}

/// Most byte comparisons in a search for a string.
const MAX_WORK: usize = 8192;

/// The byte at an address as it is.
fn exact(at: usize) -> Value {
    Value::byte_at(at)
}

/// The byte at an address in lower case.
fn small(at: usize) -> Value {
    lower(Value::byte_at(at))
}

/// Address of the first occurrence of `needle`, which is `real` in this run (0: there is none) in a string or
/// buffer of `len` bytes there; bytes count as `at` says.
fn search(
    hay: &Bytes,
    needle: &Bytes,
    ends: bool,
    (len, real): (usize, usize),
    at: fn(usize) -> Value,
) -> Value {
    let sentinel = address(hay.base + hay.len);
    let decided = if real == 0 { ends && len < hay.len } else { real + needle.len <= hay.base + hay.len };
    let mut acc = match (hay.complete, decided) {
        (true, _) => address(0),
        (false, true) => sentinel,
        (false, false) => address(real),
    };
    for k in (0..hay.len).rev() {
        let v = hay.get(k);
        let rest = if ends { v.equals(byte(0)).select(address(0), acc) } else { acc };
        acc = matches_at(hay, needle, k).select(address(hay.base + k), rest);
    }
    if !hay.complete && decided {
        Facts::new().add(acc.equals(sentinel));
    } else if !hay.complete {
        let from = (hay.len + 1).saturating_sub(needle.len);
        let to = if real == 0 { len } else { real - hay.base + 1 };
        if ends {
            let sure = if real == 0 { len } else { to - 1 };
            cut::pin_length(hay.base, sure, real == 0);
        }
        cut::pin_search((hay.base, len), needle.all(), from..to, at);
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
    (out.base, out.complete) = (b.base, b.complete);
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
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, hay);
            args.pin_pointer(1, needle);
            give_concrete();
            // SAFETY: as called by the program.
            let (r, n) = unsafe { (libc::$real(hay, needle), libc::strlen(needle)) };
            if !(labelled(hay) || labelled(needle)) {
                return r;
            }
            cut::pin_length(needle as usize, n, true);
            // SAFETY: a C string.
            let len = unsafe { libc::strlen(hay) };
            if n > MAX_SET {
                cut::pin_bytes(hay as usize, len + 1);
                cut::pin_bytes(needle as usize, n);
            } else if n > 0 {
                let limit = MAX_SCAN.min(MAX_WORK / n);
                let (mut h, mut w) = (Bytes::string_cut(hay as usize, limit), Bytes::buffer(needle as usize, n));
                if $fold {
                    (h, w) = (folded(h), folded(w));
                }
                let at = if $fold { small } else { exact };
                give_pointer(&h, search(&h, &w, true, (len, r as usize), at), r as u64);
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
    args.pin_pointer(0, hay);
    args.pin_pointer(2, needle);
    give_concrete();
    event::pin(args.label(1), hay_len as u64, Reason::Size, 0);
    event::pin(args.label(3), n as u64, Reason::Size, 0);
    // SAFETY: as called by the program.
    let r = unsafe { libc::memmem(hay, hay_len, needle, n) };
    let touched = || shadow::any(hay as usize, hay_len) || shadow::any(needle as usize, n);
    if symbolic() && n > MAX_SET && touched() {
        cut::pin_bytes(hay as usize, hay_len);
        cut::pin_bytes(needle as usize, n);
    } else if symbolic() && n > 0 && touched() {
        let limit = hay_len.min(MAX_WORK / n);
        let (mut h, w) = (Bytes::buffer(hay as usize, limit), Bytes::buffer(needle as usize, n));
        h.complete = h.len == hay_len;
        give_pointer(&h, search(&h, &w, false, (hay_len, r as usize), exact), r as u64);
    }
    r
}
