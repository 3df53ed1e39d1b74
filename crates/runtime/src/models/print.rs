//! What `printf` prints, with labels: the text that the C library wrote is followed character by character.
//!
//! Digits of a labelled number are expressions over the number. How many there are, and the sign, is decided
//! (`event::decide`), so that a flip finds the other lengths. Floating-point numbers and widths are pinned. The text
//! computed is compared with the one written: where they differ (a locale, an extension) labels are dropped.

use super::cut;
use super::format_print::{Count, Directive, Format, Spec, What};
use super::scan::byte;
use super::value::Value;
use super::varargs::VaList;
use crate::libc::{self, c_char, c_void};
use crate::{event, node, shadow};
use core::ops::{Add, Mul, Sub};
use trace_abi::Reason;

/// Most digits of a 64-bit number: octal.
const MAX_DIGITS: usize = 22;
/// Longest part of a format that is printed once more to learn how long its output is.
const MAX_FORMAT: usize = 512;

/// Takes the next integer or pointer.
///
/// # Safety
/// There is one.
unsafe fn integer(args: &mut VaList, bits: u16) -> Value {
    // SAFETY: as the caller promises; what is smaller than an `int` is passed as one.
    let (value, label) = unsafe { args.next_operand(usize::from(bits.max(32) / 8)) };
    Value::new(if node::is_known(label) { label } else { 0 }, bits, value)
}

/// Takes a width or precision.
///
/// # Safety
/// There is an argument for it where the format says so.
unsafe fn count(args: &mut VaList, count: Count) -> Option<i64> {
    match count {
        Count::None => None,
        Count::Number(n) => Some(n as i64),
        Count::Argument => {
            // SAFETY: as the caller promises.
            let v = unsafe { integer(args, 32) };
            event::pin(v.label, v.now, Reason::Size, 0);
            Some(i64::from(v.now as i32))
        }
    }
}

/// Follows the text that was written to `to`.
struct Printer {
    to: *mut u8,
    /// Bytes that may be looked at, without the NUL.
    room: usize,
    at: usize,
    /// Whether everything so far agreed with the text.
    agrees: bool,
}

impl Printer {
    fn put(&mut self, v: Value) {
        if self.at < self.room {
            // SAFETY: inside what was written.
            self.agrees &= u64::from(unsafe { *self.to.add(self.at) }) == v.now;
            shadow::set(self.to as usize + self.at, v.label);
        }
        self.at += 1;
    }

    fn literal(&mut self, text: &[u8]) {
        text.iter().for_each(|&c| self.put(byte(c)));
    }

    fn repeat(&mut self, c: u8, times: usize) {
        for _ in 0..times {
            self.put(byte(c));
        }
    }

    /// Something of `n` characters between its padding.
    fn padded(&mut self, width: usize, left: bool, n: usize, body: impl FnOnce(&mut Printer)) {
        let pad = width.saturating_sub(n);
        if !left {
            self.repeat(b' ', pad);
        }
        body(self);
        if left {
            self.repeat(b' ', pad);
        }
    }
}

/// Labels the text that `format` gave with these arguments: `len` characters, of which the first `room - 1` stand at `to`.
/// The rest of what was written is unlabelled before.
///
/// # Safety
/// `format` and its arguments are what the C library has just printed.
pub unsafe fn label(to: *mut c_char, room: usize, len: usize, format: *const c_char, mut args: VaList) {
    let start = args.again();
    let mut p = Printer { to: to.cast(), room: len.min(room.saturating_sub(1)), at: 0, agrees: true };
    let mut f = Format(format);
    loop {
        match f.directive() {
            Directive::End => break,
            Directive::Literal(c) => p.put(byte(c)),
            Directive::Unsupported => {
                p.agrees = false;
                break;
            }
            // SAFETY: as the caller promises.
            Directive::Convert(spec) => unsafe {
                if !convert(&mut p, spec, &mut args) {
                    // The library's own text of this part, whose length only it knows.
                    match end_of_prefix(format, f.0, &start) {
                        Some(end) if end >= p.at => p.at = end,
                        _ => p.agrees = false,
                    }
                }
            },
        }
        if !p.agrees {
            break;
        }
    }
    if !p.agrees || p.at != len {
        shadow::clear(to as usize, p.room);
        event::lose(Reason::Model, 0, 0);
    }
}

/// Prints one conversion; false if the text of it is left as it is.
///
/// # Safety
/// The arguments are those of the conversion.
unsafe fn convert(p: &mut Printer, spec: Spec, args: &mut VaList) -> bool {
    // SAFETY: as the caller promises; so for each argument taken below.
    let (width, precision) = unsafe { (count(args, spec.width), count(args, spec.precision)) };
    let left = spec.left || width.is_some_and(|w| w < 0);
    let width = width.map_or(0, |w| w.unsigned_abs() as usize);
    let precision = precision.and_then(|n| usize::try_from(n).ok());
    let spec = Spec { left, ..spec };
    match spec.what {
        What::Signed | What::Unsigned { .. } => {
            // SAFETY: see above.
            let v = unsafe { integer(args, spec.bits) };
            number(p, spec, width, precision, v);
        }
        What::Char => {
            // SAFETY: see above.
            let v = unsafe { integer(args, 8) };
            p.padded(width, left, 1, |p| p.put(v));
        }
        // SAFETY: see above.
        What::Text => unsafe { text(p, width, left, precision, args) },
        What::Pointer => {
            // SAFETY: see above.
            let v = unsafe { integer(args, 64) };
            event::pin(v.label, v.now, Reason::Model, 0);
            if v.now == 0 {
                p.padded(width, left, 5, |p| p.literal(b"(nil)"));
            } else {
                let what = What::Unsigned { base: 16, upper: false };
                let spec = Spec { alternative: true, what, ..spec };
                number(p, spec, width, precision, Value::constant(64, v.now));
            }
        }
        What::Float { long } => {
            let (value, label) = if long {
                args.next_long_double()
            } else {
                // SAFETY: see above.
                unsafe { args.next_double() }
            };
            event::pin(label, value, Reason::Float, 0);
            return false;
        }
        What::Wide => {
            // SAFETY: see above.
            let v = unsafe { integer(args, 64) };
            if v.label != 0 {
                event::lose(Reason::Model, 0, 0);
            }
            return false;
        }
        What::Written => {
            // SAFETY: see above.
            let v = unsafe { integer(args, 64) };
            shadow::clear(v.now as usize, usize::from(spec.bits / 8));
        }
        What::Error => return false,
    }
    true
}

/// Digits of `v` in `base`, the lowest first, as many as decided.
fn digits(v: Value, base: u64, upper: bool, out: &mut [Value; MAX_DIGITS]) -> usize {
    let letter = Value::constant(8, u64::from(if upper { b'A' } else { b'a' }) - 10);
    let (mut n, mut rest, mut power) = (0, v, 1u64);
    loop {
        let above = rest.over(base);
        let digit = rest.sub(above.mul(Value::constant(v.width, base))).trunc(8);
        let decimal = digit.add(byte(b'0'));
        out[n] = match base {
            16 => digit.ult(byte(10)).select(decimal, digit.add(letter)),
            _ => decimal,
        };
        n += 1;
        let more = power.checked_mul(base).filter(|&m| m <= node::mask(v.width));
        let Some(more) = more.filter(|_| n < MAX_DIGITS) else { return n };
        if !event::decide(Value::constant(v.width, more).ule(v)) {
            return n;
        }
        (rest, power) = (above, more);
    }
}

fn number(p: &mut Printer, spec: Spec, width: usize, precision: Option<usize>, v: Value) {
    let zero = Value::constant(v.width, 0);
    let (base, upper, signed) = match spec.what {
        What::Unsigned { base, upper } => (base, upper, false),
        _ => (10, false, true),
    };
    let negative = signed && event::decide(v.slt(zero));
    let magnitude = if negative { zero.sub(v) } else { v };
    let is_zero = (precision == Some(0) || spec.alternative) && event::decide(magnitude.equals(zero));
    let mut all = [byte(0); MAX_DIGITS];
    let n = match precision {
        Some(0) if is_zero => 0,
        _ => digits(magnitude, base, upper, &mut all),
    };
    let sign: &[u8] = match (signed, negative) {
        (true, true) => b"-",
        (true, false) if spec.plus => b"+",
        (true, false) if spec.space => b" ",
        _ => b"",
    };
    let prefix: &[u8] = match (spec.alternative && base == 16 && !is_zero, upper) {
        (true, true) => b"0X",
        (true, false) => b"0x",
        _ => b"",
    };
    let mut zeros = precision.unwrap_or(0).saturating_sub(n);
    if spec.alternative && base == 8 && zeros == 0 && (n == 0 || !is_zero) {
        zeros = 1;
    }
    let mut length = sign.len() + prefix.len() + zeros + n;
    if spec.zero && !spec.left && precision.is_none() {
        zeros += width.saturating_sub(length);
        length = length.max(width);
    }
    p.padded(width, spec.left, length, |p| {
        p.literal(sign);
        p.literal(prefix);
        p.repeat(b'0', zeros);
        all[..n].iter().rev().for_each(|&d| p.put(d));
    });
}

/// # Safety
/// The next argument is a string, of at least `precision` bytes or with a NUL.
unsafe fn text(p: &mut Printer, width: usize, left: bool, precision: Option<usize>, args: &mut VaList) {
    // SAFETY: as the caller promises.
    unsafe {
        let s = integer(args, 64).now as *const c_char;
        let most = precision.unwrap_or(usize::MAX);
        if s.is_null() {
            let shown: &[u8] = if most < 6 { b"" } else { b"(null)" };
            return p.padded(width, left, shown.len(), |p| p.literal(shown));
        }
        let n = if precision.is_some() { libc::strnlen(s, most) } else { libc::strlen(s) };
        cut::pin_length(s as usize, n, n < most);
        p.padded(width, left, n, |p| (0..n).for_each(|k| p.put(Value::byte_at(s as usize + k))));
    }
}

/// How long the text of `format` up to `end` is; `None` if that part is too long.
///
/// # Safety
/// `list` begins with the arguments of `format`.
unsafe fn end_of_prefix(format: *const c_char, end: *const c_char, list: &VaList) -> Option<usize> {
    let n = end as usize - format as usize;
    let mut part = [0u8; MAX_FORMAT];
    let to = part.get_mut(..n).filter(|_| n < MAX_FORMAT)?;
    // SAFETY: as many bytes of the format; then the C library reads its arguments from a copy.
    unsafe {
        core::ptr::copy_nonoverlapping(format.cast(), to.as_mut_ptr(), n);
        let mut list = list.again();
        let list = (&raw mut list).cast::<c_void>();
        let r = libc::vsnprintf(core::ptr::null_mut(), 0, part.as_ptr().cast(), list);
        usize::try_from(r).ok()
    }
}
