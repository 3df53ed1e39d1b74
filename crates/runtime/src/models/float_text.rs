//! Floating-point numbers in text: `strtod`, `strtof`, `strtold`, `atof`, and the conversions of `scanf`.
//!
//! The shape of the text (where the digits, the point and the exponent stand) is decided character by character, so
//! that flips find other shapes. The digits become one integer expression; the number is that integer, converted, times or
//! divided by a power of ten: exact where integer and power are (Clinger, "How to Read Floating Point Numbers Accurately",
//! PLDI 1990, section 3: the fast path). Text beyond that, hexadecimal numbers, infinities and NaNs are pinned.
//! `float`s are rounded from the `double` where the digits exceed its own fast path, which may differ from the C library's
//! in the last bit for one text in 2^29 (and shows as a divergence).

use super::args::{Args, give_concrete, symbolic};
use super::cut;
use super::number::is_space;
use super::scan::{Bytes, byte};
use super::value::Value;
use crate::libc::{self, c_char};
use crate::simplify::{self, Operand};
use crate::{event, memory, node, shadow, state, tls};
use core::ops::{Add, Mul, Sub};
use trace_abi::{Op, Reason};

/// Most characters of one number.
const MAX_TEXT: usize = 64;

/// A decimal number: digits times a power of ten.
pub struct Decimal {
    negative: bool,
    digits: Value,
    n_digits: usize,
    exponent: i64,
    /// Characters it takes; 0: there is no number.
    pub used: usize,
}

/// The characters, and where the reading stands.
struct Reader<'b> {
    b: &'b Bytes,
    k: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Value {
        let k = self.k + ahead;
        if k < self.b.len { self.b.get(k) } else { byte(0) }
    }

    /// Whether the next character is of this kind, now decided.
    fn is(&self, kind: fn(Value) -> Value) -> bool {
        event::decide(kind(self.peek(0)))
    }

    fn take(&mut self, kind: fn(Value) -> Value) -> bool {
        let taken = self.is(kind);
        self.k += usize::from(taken);
        taken
    }
}

fn either(v: Value, c: u8) -> Value {
    v.equals(byte(c)).or(v.equals(byte(c ^ 0x20)))
}

fn digit(v: Value) -> Value {
    v.within(u64::from(b'0'), u64::from(b'9'))
}

/// Reads a number; `None`: it is not a decimal one, or goes on behind the bytes at hand.
pub fn parse(b: &Bytes) -> Option<Decimal> {
    let mut r = Reader { b, k: 0 };
    while r.take(is_space) {}
    let negative = r.take(|v| v.equals(byte(b'-')));
    if !negative {
        r.take(|v| v.equals(byte(b'+')));
    }
    if r.is(|v| either(v, b'i').or(either(v, b'n'))) {
        return None;
    }
    if r.is(|v| v.equals(byte(b'0'))) && event::decide(either(r.peek(1), b'x')) {
        return None;
    }
    let mut d = Decimal { negative, digits: Value::constant(64, 0), n_digits: 0, exponent: 0, used: 0 };
    digits(&mut r, &mut d, 0);
    if r.is(|v| v.equals(byte(b'.'))) && (d.n_digits > 0 || event::decide(digit(r.peek(1)))) {
        r.k += 1;
        digits(&mut r, &mut d, 1);
    }
    if d.n_digits > 0 {
        d.used = r.k;
        exponent(&mut r, &mut d);
    }
    (b.complete || r.k < b.len).then_some(d)
}

/// Takes digits; each of them lowers the exponent by `fraction`.
fn digits(r: &mut Reader<'_>, d: &mut Decimal, fraction: i64) {
    while r.is(digit) {
        let value = r.peek(0).sub(byte(b'0')).zext(64);
        d.digits = d.digits.mul(Value::constant(64, 10)).add(value);
        d.n_digits += 1;
        d.exponent -= fraction;
        r.k += 1;
    }
}

/// Takes an exponent if there is one: its digits are pinned.
fn exponent(r: &mut Reader<'_>, d: &mut Decimal) {
    if !r.take(|v| either(v, b'e')) {
        return;
    }
    let negative = r.take(|v| v.equals(byte(b'-')));
    if !negative {
        r.take(|v| v.equals(byte(b'+')));
    }
    let mut e = 0i64;
    while r.is(digit) {
        let v = r.peek(0);
        event::pin(v.label, v.now, Reason::Model, 0);
        e = e.saturating_mul(10).saturating_add(v.now as i64 - i64::from(b'0'));
        r.k += 1;
        d.used = r.k;
    }
    if d.used == r.k {
        d.exponent = d.exponent.saturating_add(if negative { -e } else { e });
    }
}

/// A format: width, most digits of an exact integer, largest exact power of ten.
#[derive(Clone, Copy)]
pub struct Format {
    width: u16,
    max_digits: usize,
    max_power: u64,
}

/// `float`, rounded from `double` beyond what is exact in it.
pub const FLOAT: Format = Format { width: 32, max_digits: 7, max_power: 10 };
/// `double`.
pub const DOUBLE: Format = Format { width: 64, max_digits: 15, max_power: 22 };
/// `long double` of x87.
pub const LONG_DOUBLE: Format = Format { width: 80, max_digits: 19, max_power: 27 };

impl Format {
    fn holds(self, d: &Decimal) -> bool {
        d.n_digits <= self.max_digits && d.exponent.unsigned_abs() <= self.max_power
    }

    /// 10^n as an operand.
    fn power(self, n: u64) -> Operand {
        let value = 10u128.pow(n as u32);
        match self.width {
            32 => Operand::constant(u64::from((value as f32).to_bits())),
            64 => Operand::constant((value as f64).to_bits()),
            _ => {
                let up = value.leading_zeros();
                let significand = (value << up >> 64) as u64;
                let exponent = u64::from(16383 + 127 - up);
                Operand::new(node::constant(80, significand, exponent), 0)
            }
        }
    }

    fn sign(self) -> Operand {
        match self.width {
            80 => Operand::new(node::constant(80, 0, 1 << 15), 0),
            w => Operand::constant(1 << (w - 1)),
        }
    }
}

impl Decimal {
    /// Label of the number in that format; `None` if it is not followed so far. 0: it is the same in every run.
    pub fn label(&self, format: Format) -> Option<u32> {
        if self.digits.label == 0 {
            return Some(0);
        }
        if format.width == 32 && !format.holds(self) {
            return self.label(DOUBLE).map(|wide| simplify::float_un(Op::FCvt, 0, 32, wide));
        }
        if !format.holds(self) {
            return None;
        }
        let w = format.width;
        let integer = simplify::float_un(Op::UToF, 0, w, self.digits.label);
        let power = || format.power(self.exponent.unsigned_abs());
        let scaled = match self.exponent {
            0 => integer,
            1.. => simplify::float_bin(Op::FMul, 0, w, Operand::new(integer, 0), power()),
            _ => simplify::float_bin(Op::FDiv, 0, w, Operand::new(integer, 0), power()),
        };
        if !self.negative {
            return Some(scaled);
        }
        Some(simplify::bin(Op::Xor, w, Operand::new(scaled, 0), format.sign()))
    }
}

/// Label of the number at `s`, whose text ended at `end` in this run.
///
/// # Safety
/// A C string.
unsafe fn label(s: *const c_char, end: *const c_char, format: Format) -> u32 {
    let used = end as usize - s as usize;
    // SAFETY: as the caller promises. Where nothing was converted, something behind white space and sign decided that.
    let looked_at = if used == 0 { unsafe { libc::strnlen(s, MAX_TEXT) } } else { used };
    if !symbolic() || !shadow::any(s as usize, looked_at + 1) {
        return 0;
    }
    let b = Bytes::string_cut(s as usize, MAX_TEXT);
    let found = parse(&b).filter(|d| d.used == used).and_then(|d| d.label(format));
    found.unwrap_or_else(|| {
        cut::pin_bytes(s as usize, looked_at + 1);
        0
    })
}

fn store_end(out: *mut *mut c_char, end: *mut c_char) {
    if !out.is_null() {
        // SAFETY: the program's pointer variable.
        unsafe { *out = end };
        shadow::clear(out as usize, 8);
    }
}

macro_rules! floats {
    ($($model:ident = $real:ident -> $type:ty, $format:ident;)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(s: *const c_char, out: *mut *mut c_char) -> $type {
            Args::take($model as *const () as usize).pin_pointer(0, s);
            let mut end = s.cast_mut();
            // SAFETY: as called by the program.
            unsafe {
                let r = libc::$real(s, &raw mut end);
                tls::set_ret(label(s, end, $format));
                store_end(out, end);
                r
            }
        }
    )+};
}
floats! {
    __spm_strtod = strtod -> f64, DOUBLE;
    __spm_strtof = strtof -> f32, FLOAT;
}

/// Model of `atof`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_atof(s: *const c_char) -> f64 {
    Args::take(__spm_atof as *const () as usize).pin_pointer(0, s);
    // SAFETY: as called by the program.
    unsafe { __spm_strtod(s, core::ptr::null_mut()) }
}

/// What [`__spm_strtold`] leaves to do, its result being in its own hands: Rust has no type for it.
unsafe extern "C" fn strtold_done(s: *const c_char, out: *mut *mut c_char, end: *mut c_char) {
    give_concrete();
    // SAFETY: as called by the program.
    unsafe { tls::set_ret(label(s, end, LONG_DOUBLE)) };
    store_end(out, end);
}

core::arch::global_asm!(
    ".section .text.__spm_strtold,\"ax\",@progbits",
    ".globl __spm_strtold",
    ".type __spm_strtold,@function",
    "__spm_strtold:",
    ".cfi_startproc",
    "endbr64",
    "push rbx",
    ".cfi_adjust_cfa_offset 8",
    "push r12",
    ".cfi_adjust_cfa_offset 8",
    "sub rsp, 40",
    ".cfi_adjust_cfa_offset 40",
    "mov rbx, rdi",
    "mov r12, rsi",
    "mov [rsp], rdi",
    "mov rsi, rsp",
    "call qword ptr [rip + strtold@GOTPCREL]",
    "fstp tbyte ptr [rsp + 16]",
    "mov rdi, rbx",
    "mov rsi, r12",
    "mov rdx, [rsp]",
    "call {done}",
    "fld tbyte ptr [rsp + 16]",
    "add rsp, 40",
    ".cfi_adjust_cfa_offset -40",
    "pop r12",
    ".cfi_adjust_cfa_offset -8",
    "pop rbx",
    ".cfi_adjust_cfa_offset -8",
    "ret",
    ".cfi_endproc",
    ".size __spm_strtold, . - __spm_strtold",
    ".text",
    done = sym strtold_done,
);

/// Stores the label of a number of `bytes` bytes that `scanf` read from `text`.
pub fn store(to: usize, bytes: usize, text: &Bytes) {
    let format = match bytes {
        4 => FLOAT,
        8 => DOUBLE,
        _ => LONG_DOUBLE,
    };
    shadow::clear(to, bytes);
    if !state::recording() || text.all().iter().all(|v| v.label == 0) {
        return;
    }
    match parse(text).and_then(|d| d.label(format)) {
        Some(label) => memory::store(to, usize::from(format.width / 8), label),
        None => text.all().iter().for_each(|v| event::pin(v.label, v.now, Reason::Float, 0)),
    }
}
