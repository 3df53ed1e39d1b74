//! The `scanf` family: an own reader, so that characters keep their labels on their way into numbers and
//! strings. The result (number of conversions) is an expression over the characters that decided it.

use super::args::{give, symbolic};
use super::format_scan::{Conversion, Directive, Format, Set};
use super::number;
use super::scan::Bytes;
use super::stdio;
use super::value::Value;
use super::varargs::{VaList, variadic};
use crate::libc::{self, FILE, c_char, c_int, c_void};
use crate::{event, memory, objects, shadow, tls};
use trace_abi::Reason;

variadic! {
    __spm_scanf => scanf, 1, "rsi";
    __spm___isoc99_scanf => scanf, 1, "rsi";
    __spm___isoc23_scanf => scanf, 1, "rsi";
    __spm_fscanf => fscanf, 2, "rdx";
    __spm___isoc99_fscanf => fscanf, 2, "rdx";
    __spm___isoc23_fscanf => fscanf, 2, "rdx";
    __spm_sscanf => sscanf, 2, "rdx";
    __spm___isoc99_sscanf => sscanf, 2, "rdx";
    __spm___isoc23_sscanf => sscanf, 2, "rdx";
}

/// Where the characters come from.
enum Source {
    /// The rest of a string.
    Text(*const u8),
    /// A stream.
    Stream(*mut FILE),
}

/// A run over one format.
struct Scanner {
    source: Source,
    /// A character read ahead.
    held: Option<Value>,
    /// Characters consumed.
    consumed: u64,
    /// Conversions stored.
    done: c_int,
    /// Whether everything so far matched, as an expression.
    alive: Value,
    /// The result, as an expression.
    result: Value,
}

/// Why the reading stops.
enum Stop {
    /// The input ended.
    Input,
    /// A character did not match.
    Match,
}

const END: u64 = u32::MAX as u64;

impl Scanner {
    fn new(source: Source) -> Scanner {
        let alive = Value::constant(1, 1);
        Scanner { source, held: None, consumed: 0, done: 0, alive, result: Value::constant(32, 0) }
    }

    /// The next character (32 bits, -1 at the end), not consumed.
    fn peek(&mut self) -> Value {
        if let Some(c) = self.held {
            return c;
        }
        let c = match self.source {
            // SAFETY: inside the string or at its NUL.
            Source::Text(p) => match Value::byte_at(p as usize) {
                v if v.now == 0 => Value::constant(32, END),
                v => v.zext(32),
            },
            // SAFETY: an open stream.
            Source::Stream(f) => unsafe { stdio::next_char(f, libc::fgetc) },
        };
        self.held = Some(c);
        c
    }

    /// Consumes the character peeked at.
    fn advance(&mut self) {
        if self.held.take().is_some() {
            self.consumed += 1;
            if let Source::Text(p) = &mut self.source {
                *p = p.wrapping_add(1);
            }
        }
    }

    /// Puts a character read ahead back into the stream.
    fn finish(&mut self) {
        if let (Some(c), Source::Stream(f)) = (self.held.take(), &self.source)
            && c.now != END
        {
            // SAFETY: an open stream.
            unsafe { stdio::push_back(*f, c) };
        }
    }

    fn skip_space(&mut self) {
        while is_space(self.peek().now) {
            self.advance();
        }
    }

    /// Consumes this character.
    fn literal(&mut self, wanted: u8) -> Result<(), Stop> {
        let c = self.peek();
        if c.now == END {
            return Err(Stop::Input);
        }
        self.alive = self.alive.and(c.trunc(8).equals(Value::constant(8, u64::from(wanted))));
        if c.now != u64::from(wanted) {
            return Err(Stop::Match);
        }
        self.advance();
        Ok(())
    }

    /// A conversion was stored (or failed, in this run, for want of `matched`).
    fn count(&mut self, matched: Value, stored: bool) {
        self.alive = self.alive.and(matched);
        if stored {
            let more = Value::constant(32, self.done as u64 + 1);
            self.result = self.alive.select(more, self.result);
            self.done += (self.alive.now == 1) as c_int;
        }
    }

    /// Reads the whole format.
    ///
    /// # Safety
    /// `ap` holds the pointers that the format asks for.
    unsafe fn run(&mut self, mut format: Format, ap: &mut VaList) -> Option<Stop> {
        loop {
            let r = match format.directive() {
                Directive::End | Directive::Unsupported => return None,
                Directive::Space => {
                    self.skip_space();
                    Ok(())
                }
                Directive::Literal(c) => self.literal(c),
                Directive::Percent => {
                    self.skip_space();
                    self.literal(b'%')
                }
                Directive::Convert { what, width, size, suppressed, allocate } => {
                    // SAFETY: as the caller promises.
                    let to = if suppressed { core::ptr::null_mut() } else { unsafe { ap.pointer() } };
                    // SAFETY: as the caller promises.
                    unsafe { self.convert(what, width, size, to.cast(), allocate) }
                }
            };
            if let Err(stop) = r {
                return Some(stop);
            }
        }
    }

    /// # Safety
    /// `to` is null or has room for what is stored.
    unsafe fn convert(
        &mut self,
        what: Conversion,
        width: usize,
        size: usize,
        to: *mut u8,
        allocate: bool,
    ) -> Result<(), Stop> {
        if what == Conversion::Count {
            // SAFETY: as the caller promises.
            unsafe { put_number(to, size, Value::constant(64, self.consumed)) };
            return Ok(());
        }
        if !matches!(what, Conversion::Chars | Conversion::OfSet(_)) {
            self.skip_space();
        }
        if self.peek().now == END {
            return Err(Stop::Input);
        }
        // SAFETY: as the caller promises.
        unsafe {
            match what {
                Conversion::Integer { base, signed } => self.integer(base, signed, width, size, to),
                Conversion::Float => self.float(width, size, to),
                Conversion::Word => self.text(|c| !is_space(c), width, true, to, allocate, None),
                Conversion::Chars => self.text(|_| true, width.max(1), false, to, allocate, None),
                Conversion::OfSet(set) => {
                    self.text(|c| set.holds(c as u8), width, true, to, allocate, Some(set))
                }
                Conversion::Count => Ok(()),
            }
        }
    }

    /// Takes the next character into `b` if `accept` says so and the width allows.
    fn accept(&mut self, b: &mut Bytes, width: usize, accept: impl Fn(u8) -> bool) -> bool {
        let c = self.peek();
        let room = width == 0 || b.len < width;
        let take = c.now != END && room && accept(c.now as u8) && b.push(c.trunc(8));
        if take {
            self.advance();
        }
        take
    }

    unsafe fn integer(
        &mut self,
        base: u32,
        signed: bool,
        width: usize,
        size: usize,
        to: *mut u8,
    ) -> Result<(), Stop> {
        let mut b = Bytes::none();
        self.accept(&mut b, width, |c| matches!(c, b'+' | b'-'));
        let mut actual = if base == 0 { 10 } else { base };
        if matches!(base, 0 | 16) && self.accept(&mut b, width, |c| c == b'0') {
            actual = if base == 0 { 8 } else { 16 };
            if self.accept(&mut b, width, |c| c | 0x20 == b'x') {
                actual = 16;
            }
        }
        while self.accept(&mut b, width, |c| char::from(c).is_digit(actual)) {}
        // The character that ended it might be a digit in another run.
        let next = self.peek();
        if next.now != END && (width == 0 || b.len < width) {
            b.push(next.trunc(8));
        }
        let n = number::parse(&b, base);
        self.count(n.any, !to.is_null());
        if n.any.now == 0 {
            return Err(Stop::Match);
        }
        let value = if signed { n.signed() } else { n.unsigned() };
        // SAFETY: as the caller promises.
        unsafe { put_number(to, size, value) };
        Ok(())
    }

    unsafe fn float(&mut self, width: usize, size: usize, to: *mut u8) -> Result<(), Stop> {
        let mut b = Bytes::none();
        self.accept(&mut b, width, |c| matches!(c, b'+' | b'-'));
        let named = self.accept(&mut b, width, |c| matches!(c | 0x20, b'i' | b'n'));
        if named {
            while self.accept(&mut b, width, |c| c.is_ascii_alphabetic()) {}
        } else {
            self.float_digits(&mut b, width);
        }
        let mut text = [0u8; super::MAX_SCAN + 1];
        let mut labelled = false;
        for (k, v) in b.all().iter().enumerate() {
            text[k] = v.now as u8;
            labelled |= v.label != 0;
        }
        if labelled {
            event::lose(Reason::Float, 0, 0);
        }
        let mut end = core::ptr::null_mut();
        // SAFETY: a NUL-terminated buffer.
        let value = unsafe { libc::strtod(text.as_ptr().cast(), &raw mut end) };
        if end.cast_const() == text.as_ptr().cast() {
            return Err(Stop::Match);
        }
        self.count(Value::constant(1, 1), !to.is_null());
        if !to.is_null() {
            // SAFETY: as the caller promises.
            unsafe {
                if size == 8 {
                    to.cast::<f64>().write_unaligned(value)
                } else {
                    to.cast::<f32>().write_unaligned(value as f32)
                }
            }
            shadow::clear(to as usize, size);
        }
        Ok(())
    }

    fn float_digits(&mut self, b: &mut Bytes, width: usize) {
        let mut hex = false;
        if self.accept(b, width, |c| c == b'0') {
            hex = self.accept(b, width, |c| c | 0x20 == b'x');
        }
        let is_digit = |c: u8| if hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        while self.accept(b, width, is_digit) {}
        if self.accept(b, width, |c| c == b'.') {
            while self.accept(b, width, is_digit) {}
        }
        let mark = if hex { b'p' } else { b'e' };
        if b.len > 0 && self.accept(b, width, |c| c | 0x20 == mark) {
            self.accept(b, width, |c| matches!(c, b'+' | b'-'));
            while self.accept(b, width, |c| c.is_ascii_digit()) {}
        }
    }

    /// Characters into memory, as long as `take` holds.
    unsafe fn text(
        &mut self,
        take: impl Fn(u64) -> bool,
        width: usize,
        ends: bool,
        to: *mut u8,
        allocate: bool,
        set: Option<Set>,
    ) -> Result<(), Stop> {
        let first = self.peek();
        let matched = set.map_or(Value::constant(1, 1), |s| of_set(first.trunc(8), &s));
        if !take(first.now) {
            self.count(matched, !to.is_null());
            return Err(Stop::Match);
        }
        let mut out = Out {
            to: if allocate { core::ptr::null_mut() } else { to },
            len: 0,
            room: 0,
            grows: allocate && !to.is_null(),
        };
        while width == 0 || out.len < width {
            let c = self.peek();
            if c.now == END || !take(c.now) {
                break;
            }
            // SAFETY: as the caller promises.
            unsafe { out.put(c.trunc(8)) };
            self.advance();
        }
        if !ends && out.len < width {
            return Err(Stop::Input);
        }
        // SAFETY: as the caller promises.
        unsafe {
            if ends {
                out.put(Value::constant(8, 0));
            }
            if out.grows {
                to.cast::<*mut u8>().write_unaligned(out.to);
                shadow::clear(to as usize, 8);
            }
        }
        self.count(matched, !to.is_null());
        Ok(())
    }
}

/// Where text goes.
struct Out {
    to: *mut u8,
    len: usize,
    room: usize,
    /// Into a block of its own.
    grows: bool,
}

impl Out {
    /// # Safety
    /// There is room, or none is needed.
    unsafe fn put(&mut self, c: Value) {
        if self.grows && self.len == self.room {
            let room = self.room * 2 + 64;
            // SAFETY: a block of the heap, or null.
            let new = unsafe { libc::realloc(self.to.cast::<c_void>(), room) }.cast::<u8>();
            if new.is_null() {
                return;
            }
            if new != self.to {
                shadow::copy(new as usize, self.to as usize, self.len);
                objects::died(self.to);
            }
            shadow::clear(new as usize + self.len, room - self.len);
            objects::note(new as usize, room);
            (self.to, self.room) = (new, room);
        }
        if !self.to.is_null() {
            // SAFETY: as the caller promises.
            unsafe { *self.to.add(self.len) = c.now as u8 };
            shadow::set(self.to as usize + self.len, c.label);
        }
        self.len += 1;
    }
}

fn is_space(c: u64) -> bool {
    matches!(c, 0x20 | 0x09..=0x0d)
}

/// Whether a byte is in the set, as an expression.
fn of_set(c: Value, set: &Set) -> Value {
    let mut acc = Value::constant(1, 0);
    set.ranges(|low, high| acc = acc.or(c.within(u64::from(low), u64::from(high))));
    acc
}

/// Stores a number of `size` bytes.
///
/// # Safety
/// `to` is null or has room for it.
unsafe fn put_number(to: *mut u8, size: usize, value: Value) {
    if to.is_null() {
        return;
    }
    // SAFETY: as the caller promises.
    unsafe { core::ptr::copy_nonoverlapping(value.now.to_le_bytes().as_ptr(), to, size) };
    memory::store(to as usize, size, value.trunc(8 * size as u16).label);
}

/// Runs a scanner and gives its result.
unsafe fn scan(mut s: Scanner, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    let stop = unsafe { s.run(Format(format), &mut *ap) };
    s.finish();
    if matches!(stop, Some(Stop::Input)) && s.done == 0 {
        tls::set_ret(0);
        return libc::EOF;
    }
    give(s.result, s.done as u64);
    s.done
}

/// Whether this run needs the own reader; formats it cannot read lose their labels.
fn own(format: *const c_char) -> bool {
    let own = symbolic() || crate::state::recording();
    if own && !Format(format).is_supported() {
        event::lose(Reason::Model, 0, 0);
        return false;
    }
    own
}

unsafe extern "C" fn fscanf(f: *mut FILE, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe {
        if own(format) {
            return scan(Scanner::new(Source::Stream(f)), format, ap);
        }
        tls::set_ret(0);
        libc::vfscanf(f, format, ap.cast())
    }
}

unsafe extern "C" fn scanf(format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe { fscanf(libc::stdin, format, ap) }
}

unsafe extern "C" fn sscanf(s: *const c_char, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe {
        if own(format) {
            return scan(Scanner::new(Source::Text(s.cast())), format, ap);
        }
        tls::set_ret(0);
        libc::vsscanf(s, format, ap.cast())
    }
}

macro_rules! listed {
    ($($model:ident = $real:ident($first:ty);)+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(from: $first, format: *const c_char, ap: *mut VaList) -> c_int {
            // SAFETY: as called by the program.
            unsafe { $real(from, format, ap) }
        }
    )+};
}
listed! {
    __spm_vfscanf = fscanf(*mut FILE);
    __spm___isoc99_vfscanf = fscanf(*mut FILE);
    __spm___isoc23_vfscanf = fscanf(*mut FILE);
    __spm_vsscanf = sscanf(*const c_char);
    __spm___isoc99_vsscanf = sscanf(*const c_char);
    __spm___isoc23_vsscanf = sscanf(*const c_char);
}

macro_rules! listed_stdin {
    ($($model:ident),+) => {$(
        /// Model of the function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $model(format: *const c_char, ap: *mut VaList) -> c_int {
            // SAFETY: as called by the program.
            unsafe { scanf(format, ap) }
        }
    )+};
}
listed_stdin!(__spm_vscanf, __spm___isoc99_vscanf, __spm___isoc23_vscanf);
