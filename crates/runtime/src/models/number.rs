//! Integers in text: `strto*`, `ato*`, and the integer conversions of `scanf`.
//!
//! The value is one expression over the bytes: a small state machine (white space, sign, digits, done) with a
//! Boolean per state and byte. A base prefix (`0x`) is followed as in this run: its bytes are pinned.

use super::args::{Args, give, give_concrete, symbolic};
use super::cut;
use super::scan::{Bytes, address, byte};
use super::value::Value;
use crate::libc::{self, c_char, c_int};
use crate::{event, shadow, simplify, state, tls};
use core::ops::{Add, Mul, Not, Sub};
use trace_abi::Reason;

/// Most bytes of one number.
const MAX_NUMBER: usize = 64;
/// How far behind the end of this run's number a longer one is looked for.
const AHEAD: usize = 12;

/// A number read from text.
pub struct Number {
    /// Sum of the digits' values, modulo 2^64.
    magnitude: Value,
    /// Whether a minus came first.
    negative: Value,
    /// Whether the magnitude exceeded 64 bits.
    overflow: Value,
    /// Address one past the last digit; that of the start where there is none.
    pub end: Value,
    /// Whether there was a digit.
    pub any: Value,
    /// Whether as many digits as there are positions may exceed 63 bits.
    may_exceed: bool,
}

const fn yes(b: bool) -> Value {
    Value::constant(1, b as u64)
}

/// Whether a byte is white space in the C locale.
pub fn is_space(b: Value) -> Value {
    b.equals(byte(b' ')).or(b.within(u64::from(b'\t'), u64::from(b'\r')))
}

/// Whether a byte is a digit in that base.
pub fn is_digit(b: Value, base: u32) -> Value {
    digit(b, base).0
}

/// Whether a byte is a digit in that base, and its value (64 bits) if it is.
fn digit(b: Value, base: u32) -> (Value, Value) {
    let decimal = b.within(u64::from(b'0'), u64::from(b'0') + u64::from(base.min(10)) - 1);
    let value = b.sub(byte(b'0')).zext(64);
    if base <= 10 {
        return (decimal, value);
    }
    let letters = u64::from(base) - 11;
    let (small, large) = (b.within(0x61, 0x61 + letters), b.within(0x41, 0x41 + letters));
    let (from_small, from_large) = (b.sub(byte(b'a' - 10)).zext(64), b.sub(byte(b'A' - 10)).zext(64));
    let any = decimal.or(small).or(large);
    (any, decimal.select(value, small.select(from_small, from_large)))
}

/// Length of what precedes the digits where this run has a base prefix, and the base.
fn prefix(b: &Bytes, base: u32) -> (usize, u32) {
    let at = |k: usize| b.all().get(k).map_or(0, |v| v.now as u8);
    let mut k = 0;
    while matches!(at(k), b' ' | b'\t'..=b'\r') {
        k += 1;
    }
    if matches!(at(k), b'+' | b'-') {
        k += 1;
    }
    let hex = at(k) == b'0' && at(k + 1) | 0x20 == b'x' && at(k + 2).is_ascii_hexdigit();
    match base {
        0 | 16 if hex => (k + 2, 16),
        0 if at(k) == b'0' => (0, 8),
        0 => (0, 10),
        _ => (0, base),
    }
}

/// Reads a number; `base` as for `strtol`.
pub fn parse(b: &Bytes, base: u32) -> Number {
    parse_low(b, base, 64)
}

/// The same of which only the low `width` bits are wanted: what cannot exceed 64 bits is computed in so many.
pub fn parse_low(b: &Bytes, base: u32, width: u16) -> Number {
    let (skip, actual) = prefix(b, base);
    let width = if actual <= 10 && b.len <= 18 { width } else { 64 };
    let mut n = Number {
        magnitude: Value::constant(width, 0),
        negative: yes(b.all()[..skip].iter().any(|v| v.now == u64::from(b'-'))),
        overflow: yes(false),
        end: address(b.base),
        any: yes(false),
        may_exceed: false,
    };
    for v in &b.all()[..skip] {
        event::pin(v.label, v.now, Reason::Model, 0);
    }
    let (mut live, mut lead) = (yes(true), yes(skip == 0));
    // `bound` is what the digits so far can be at most.
    let mut bound: u128 = 0;
    let mut shape = Shape::new();
    for k in skip..b.len {
        let v = b.get(k);
        let (is_digit, value) = digit(v, actual);
        let (space, minus) = (is_space(v), v.equals(byte(b'-')));
        let sign = minus.or(v.equals(byte(b'+')));
        let took = live.and(is_digit);
        bound = bound.saturating_mul(u128::from(actual)).saturating_add(u128::from(actual) - 1);
        if skip == 0 && matches!(base, 0 | 16) {
            shape.see(v, took.and(n.any.not()));
        }
        n.take(took, value, actual, bound > u128::from(u64::MAX));
        n.end = took.select(address(b.base + k + 1), n.end);
        n.any = n.any.or(took);
        n.negative = lead.and(minus).or(n.negative);
        live = live.and(is_digit.or(lead.and(space.or(sign))));
        lead = lead.and(space).and(live);
        if live.is_false() && shape.x_before.is_false() {
            break;
        }
    }
    shape.pin(base);
    if !b.complete {
        pin_rest(b, live);
    }
    n.may_exceed = bound > i64::MAX as u128;
    n
}

/// The number goes on behind the bytes followed in this run: then all of it is as it is. Else it may not do so.
fn pin_rest(b: &Bytes, live: Value) {
    event::pin(live.label, live.now, Reason::Model, 0);
    if live.now == 1 {
        let mut n = b.len;
        while Value::byte_at(b.base + n).now as u8 > b' ' || is_space(Value::byte_at(b.base + n)).now == 1 {
            n += 1;
        }
        cut::pin_bytes(b.base, n + 1);
    }
}

/// What decides the base where this run has no prefix: whether the first digit is a zero, and whether `x` and
/// a hexadecimal digit follow it.
struct Shape {
    zero_first: Value,
    zero_before: Value,
    x_before: Value,
    prefixed: Value,
}

impl Shape {
    fn new() -> Shape {
        Shape { zero_first: yes(false), zero_before: yes(false), x_before: yes(false), prefixed: yes(false) }
    }

    /// Sees a byte; `first` says whether it is taken as the first digit.
    fn see(&mut self, v: Value, first: Value) {
        let x = v.equals(byte(b'x')).or(v.equals(byte(b'X')));
        self.prefixed = self.prefixed.or(self.x_before.and(digit(v, 16).0));
        self.x_before = self.zero_before.and(x);
        self.zero_before = first.and(v.equals(byte(b'0')));
        self.zero_first = self.zero_first.or(self.zero_before);
    }

    /// Pins what this run says.
    fn pin(&self, base: u32) {
        event::decide(self.prefixed);
        if base == 0 {
            event::decide(self.zero_first);
        }
    }
}

impl Number {
    /// Appends a digit where `took` holds.
    fn take(&mut self, took: Value, digit: Value, base: u32, may_overflow: bool) {
        let base = u64::from(base);
        let width = self.magnitude.width;
        let digit = digit.trunc(width);
        let more = self.magnitude.mul(Value::constant(width, base)).add(digit);
        if may_overflow {
            let most = Value::constant(64, u64::MAX / base);
            let large = most.ult(self.magnitude).or(more.ult(digit));
            self.overflow = self.overflow.or(took.and(large));
        }
        self.magnitude = took.select(more, self.magnitude);
    }

    /// Magnitude with its sign.
    fn with_sign(&self) -> Value {
        let zero = Value::constant(self.magnitude.width, 0);
        self.negative.select(zero.sub(self.magnitude), self.magnitude)
    }

    /// As `strtol` and `strtoll` answer: out of range gives the nearest.
    pub fn signed(&self) -> Value {
        if !self.may_exceed {
            return self.with_sign();
        }
        let (min, max) = (Value::constant(64, i64::MIN as u64), Value::constant(64, i64::MAX as u64));
        let over = self.overflow.or(self.negative.select(min, max).ult(self.magnitude));
        over.select(self.negative.select(min, max), self.with_sign())
    }

    /// As `strtoul` and `strtoull` answer: the sign is applied modulo 2^64; out of range gives the maximum.
    pub fn unsigned(&self) -> Value {
        self.overflow.select(Value::constant(self.magnitude.width, u64::MAX), self.with_sign())
    }
}

/// The bytes of the number at `s`, if any that matters is labelled; `end` is where it ended in this run.
fn bytes(s: *const c_char, end: *const c_char) -> Option<Bytes> {
    if !symbolic() {
        return None;
    }
    let used = end as usize - s as usize;
    // Where nothing was converted, the white space and the byte behind it decided that.
    let mut k = used;
    if used == 0 {
        // SAFETY: a C string: stops at its NUL.
        unsafe {
            while matches!(*s.add(k) as u8, b' ' | b'\t'..=b'\r') {
                k += 1;
            }
            if matches!(*s.add(k) as u8, b'+' | b'-') {
                k += 1;
            }
        }
    }
    shadow::any(s as usize, k + 1).then(|| Bytes::string_cut(s as usize, (k + AHEAD).min(MAX_NUMBER)))
}

fn store_end(out: *mut *mut c_char, end: *mut c_char, label: u32) {
    if !out.is_null() {
        // SAFETY: the program's pointer variable.
        unsafe { *out = end };
        crate::memory::store(out as usize, 8, if state::recording() { label } else { 0 });
    }
}

/// The C library's own function of that name if it has one (C23 variants came with glibc 2.38).
macro_rules! real_conversion {
    ($weak:literal, $real:ident, $type:ty) => {{
        let p = super::weak_address!($weak);
        if p.is_null() {
            libc::$real
        } else {
            // SAFETY: the address of the function of that name and type.
            unsafe {
                core::mem::transmute::<
                    *const (),
                    unsafe extern "C" fn(*const c_char, *mut *mut c_char, c_int) -> $type,
                >(p)
            }
        }
    }};
}
macro_rules! conversions {
    ($($model:ident = $real:ident as $weak:literal, $type:ty, $value:ident;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, out: *mut *mut c_char, base: c_int) -> $type {
            let args = Args::take($model as *const () as usize);
            args.pin_pointer(0, s);
            event::pin(args.label(2), base as u32 as u64, Reason::Model, 0);
            give_concrete();
            let mut end = s.cast_mut();
            let convert = real_conversion!($weak, $real, $type);
            // SAFETY: as called by the program.
            let r = unsafe { convert(s, &raw mut end, base) };
            let valid = base == 0 || (2..=36).contains(&base);
            let text = if valid { bytes(s, end) } else { None };
            let Some(b) = text else {
                store_end(out, end, 0);
                return r;
            };
            let n = parse(&b, base as u32);
            give(n.$value(), r as u64);
            store_end(out, end, n.end.checked(end as u64));
            r
        }
    )+};
}

conversions! {
    __spm_strtol = strtol as "strtol", i64, signed;
    __spm_strtoll = strtol as "strtoll", i64, signed;
    __spm_strtoimax = strtol as "strtoimax", i64, signed;
    __spm_strtoq = strtol as "strtoq", i64, signed;
    __spm_strtoul = strtoul as "strtoul", u64, unsigned;
    __spm_strtoull = strtoul as "strtoull", u64, unsigned;
    __spm_strtoumax = strtoul as "strtoumax", u64, unsigned;
    __spm_strtouq = strtoul as "strtouq", u64, unsigned;
    __spm___isoc23_strtol = strtol as "__isoc23_strtol", i64, signed;
    __spm___isoc23_strtoll = strtol as "__isoc23_strtoll", i64, signed;
    __spm___isoc23_strtoimax = strtol as "__isoc23_strtoimax", i64, signed;
    __spm___isoc23_strtoul = strtoul as "__isoc23_strtoul", u64, unsigned;
    __spm___isoc23_strtoull = strtoul as "__isoc23_strtoull", u64, unsigned;
    __spm___isoc23_strtoumax = strtoul as "__isoc23_strtoumax", u64, unsigned;
}

macro_rules! simple_conversions {
    ($($model:ident, $type:ty, $width:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char) -> $type {
            Args::take($model as *const () as usize).pin_pointer(0, s);
            give_concrete();
            let mut end = s.cast_mut();
            // SAFETY: as called by the program.
            let r = unsafe { libc::strtol(s, &raw mut end, 10) } as $type;
            if let Some(b) = bytes(s, end) {
                give(parse_low(&b, 10, $width).signed().trunc($width), r as u64);
            }
            r
        }
    )+};
}
simple_conversions! {
    __spm_atoi, i32, 32;
    __spm_atol, i64, 64;
    __spm_atoll, i64, 64;
}

macro_rules! absolutes {
    ($($model:ident, $type:ty, $width:literal;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(x: $type) -> $type {
            let args = Args::take($model as *const () as usize);
            let given = args.value(0, $width, x as u64);
            tls::set_ret(simplify::unary(trace_abi::Op::Abs, $width, given.label));
            x.wrapping_abs()
        }
    )+};
}
absolutes! {
    __spm_abs, i32, 32;
    __spm_labs, i64, 64;
    __spm_llabs, i64, 64;
    __spm_imaxabs, i64, 64;
}
