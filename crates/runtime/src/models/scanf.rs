//! The `scanf` family: an own reader, so that characters keep their labels on their way into numbers and
//! strings. What each character is taken for (white space, a digit, the end of a word, a match of the format) is
//! decided, so that flips find other shapes of the text; the result is then the same number for all inputs of this path.

use super::MAX_SCAN;
use super::args::{give_concrete, symbolic};
use super::float_text;
use super::format_scan::{Conversion, Directive, Format, Set};
use super::number::{self, is_space};
use super::scan::{Bytes, byte, lower, member};
use super::stdio;
use super::value::Value;
use super::varargs::{VaList, variadic};
use crate::libc::{self, FILE, c_char, c_int, c_void};
use crate::{event, memory, objects, shadow, tls};
use core::ops::Not;
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
        Scanner { source, held: None, consumed: 0, done: 0 }
    }

    /// The next character (32 bits, -1 at the end), not consumed.
    fn peek(&mut self) -> Value {
        if let Some(c) = self.held {
            return c;
        }
        let c = match self.source {
            // SAFETY: inside the string or at its NUL.
            Source::Text(p) => match Value::byte_at(p as usize) {
                v if event::decide(v.equals(byte(0))) => Value::constant(32, END),
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
        while self.next_is(is_space) {
            self.advance();
        }
    }

    /// Consumes this character.
    fn literal(&mut self, wanted: u8) -> Result<(), Stop> {
        let c = self.peek();
        if c.now == END {
            return Err(Stop::Input);
        }
        if !event::decide(c.trunc(8).equals(byte(wanted))) {
            return Err(Stop::Match);
        }
        self.advance();
        Ok(())
    }

    /// Whether there is a next character and it is of this kind, now decided.
    fn next_is(&mut self, kind: impl Fn(Value) -> Value) -> bool {
        let c = self.peek();
        c.now != END && event::decide(kind(c.trunc(8)))
    }

    /// Reads the whole format.
    ///
    /// # Safety
    /// `ap` holds the pointers that the format asks for.
    unsafe fn run(&mut self, mut format: Format, ap: &mut VaList) -> Option<Stop> {
        let all = ap.again();
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
                Directive::Convert { what, width, size, suppressed, allocate, argument } => {
                    let to = match suppressed {
                        true => core::ptr::null_mut(),
                        // SAFETY: as the caller promises.
                        false => unsafe { pointer(argument, ap, &all) },
                    };
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
                Conversion::Word => self.text(|c| is_space(c).not(), width, true, to, allocate),
                Conversion::Chars => self.text(|_| Value::constant(1, 1), width.max(1), false, to, allocate),
                Conversion::OfSet(set) => self.text(|c| of_set(c, &set), width, true, to, allocate),
                Conversion::Count | Conversion::Wide => Ok(()),
            }
        }
    }

    /// Takes the next character into `b` if it is of this kind and the width allows.
    fn accept(&mut self, b: &mut Bytes, width: usize, kind: impl Fn(Value) -> Value) -> bool {
        let room = (width == 0 || b.len < width) && b.len < MAX_SCAN;
        let take = room && self.next_is(kind);
        if take {
            b.push(self.peek().trunc(8));
            self.advance();
        }
        take
    }

    /// One of two characters.
    fn accept_any(&mut self, b: &mut Bytes, width: usize, these: [u8; 2]) -> bool {
        self.accept(b, width, |c| c.equals(byte(these[0])).or(c.equals(byte(these[1]))))
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
        let mut actual = if base == 0 { 10 } else { base };
        // The sign stays open: it changes the value, not where the number ends.
        let sign = |c: Value| c.equals(byte(b'+')).or(c.equals(byte(b'-')));
        let has_sign = sign(self.peek().trunc(8)).now == 1;
        if has_sign || !matches!(base, 0 | 16) {
            self.accept(&mut b, width, |c| sign(c).or(number::is_digit(c, actual)));
        }
        if matches!(base, 0 | 16) && self.accept(&mut b, width, |c| c.equals(byte(b'0'))) {
            actual = if base == 0 { 8 } else { 16 };
            if self.accept_any(&mut b, width, *b"xX") {
                actual = 16;
            }
        }
        while self.accept(&mut b, width, |c| number::is_digit(c, actual)) {}
        let n = number::parse_low(&b, base, 8 * size as u16);
        if !event::decide(n.any) {
            return Err(Stop::Match);
        }
        self.done += c_int::from(!to.is_null());
        let value = if signed { n.signed() } else { n.unsigned() };
        // SAFETY: as the caller promises.
        unsafe { put_number(to, size, value) };
        Ok(())
    }

    /// # Safety
    /// `to` is null or has room for a number of `size` bytes.
    unsafe fn float(&mut self, width: usize, size: usize, to: *mut u8) -> Result<(), Stop> {
        let mut b = Bytes::none();
        self.accept_any(&mut b, width, *b"+-");
        let letter = |low: u8, high: u8| move |c| lower(c).within(u64::from(low), u64::from(high));
        if self.accept(&mut b, width, |c| member(lower(c), &[byte(b'i'), byte(b'n')])) {
            while self.accept(&mut b, width, letter(b'a', b'z')) {}
        } else {
            self.float_digits(&mut b, width);
        }
        let mut text = [0u8; MAX_SCAN + 1];
        for (k, v) in b.all().iter().enumerate() {
            text[k] = v.now as u8;
        }
        let format: *const c_char = match size {
            4 => c"%f%n".as_ptr(),
            8 => c"%lf%n".as_ptr(),
            _ => c"%Lf%n".as_ptr(),
        };
        let (mut unused, mut used): ([u64; 2], c_int) = ([0; 2], 0);
        let into = if to.is_null() { (&raw mut unused).cast() } else { to };
        // SAFETY: a NUL-terminated buffer, and room for the number as the caller promises.
        let read = unsafe { libc::sscanf(text.as_ptr().cast(), format, into, &raw mut used) };
        if read < 1 || used == 0 {
            return Err(Stop::Match);
        }
        if !to.is_null() {
            self.done += 1;
            float_text::store(to as usize, size, &b);
        }
        Ok(())
    }

    fn float_digits(&mut self, b: &mut Bytes, width: usize) {
        let hex = self.accept(b, width, |c| c.equals(byte(b'0'))) && self.accept_any(b, width, *b"xX");
        let base = if hex { 16 } else { 10 };
        while self.accept(b, width, |c| number::is_digit(c, base)) {}
        if self.accept(b, width, |c| c.equals(byte(b'.'))) {
            while self.accept(b, width, |c| number::is_digit(c, base)) {}
        }
        let mark = if hex { *b"pP" } else { *b"eE" };
        if b.len > 0 && self.accept_any(b, width, mark) {
            self.accept_any(b, width, *b"+-");
            while self.accept(b, width, |c| number::is_digit(c, 10)) {}
        }
    }

    /// Characters into memory, as long as `take` holds.
    unsafe fn text(
        &mut self,
        take: impl Fn(Value) -> Value,
        width: usize,
        ends: bool,
        to: *mut u8,
        allocate: bool,
    ) -> Result<(), Stop> {
        if !self.next_is(&take) {
            return Err(Stop::Match);
        }
        let mut out = Out {
            to: if allocate { core::ptr::null_mut() } else { to },
            len: 0,
            room: 0,
            grows: allocate && !to.is_null(),
        };
        while width == 0 || out.len < width {
            if out.len > 0 && !self.next_is(&take) {
                break;
            }
            // SAFETY: as the caller promises.
            unsafe { out.put(self.peek().trunc(8)) };
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
        self.done += c_int::from(!to.is_null());
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

/// The pointer for a conversion: the next one, or the one of that number.
///
/// # Safety
/// There is one.
unsafe fn pointer(argument: usize, ap: &mut VaList, all: &VaList) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe {
        if argument == 0 {
            return ap.pointer();
        }
        let mut from_start = all.again();
        for _ in 1..argument {
            from_start.pointer();
        }
        from_start.pointer()
    }
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
    give_concrete();
    if matches!(stop, Some(Stop::Input)) && s.done == 0 { libc::EOF } else { s.done }
}

/// Whether this run needs the own reader, and the format is one that it can read.
fn own(format: *const c_char) -> bool {
    (symbolic() || crate::state::recording()) && Format(format).is_supported()
}

/// What the C library stored for a format that is not read here loses its labels.
///
/// # Safety
/// The pointers in `ap` are those of the format, `stored` of which were used.
unsafe fn forget(format: *const c_char, ap: &VaList, stored: c_int) {
    if !symbolic() {
        return;
    }
    event::lose(Reason::Model, 0, 0);
    let (mut format, mut ap) = (Format(format), ap.again());
    let (all, mut left) = (ap.again(), stored);
    loop {
        match format.directive() {
            Directive::End | Directive::Unsupported => return,
            Directive::Convert { what, size, suppressed: false, argument, allocate, .. } if left > 0 => {
                left -= c_int::from(what != Conversion::Count);
                // SAFETY: as the caller promises; text ends with a NUL.
                unsafe {
                    let to = pointer(argument, &mut ap, &all);
                    let bytes = match what {
                        _ if allocate => 8,
                        Conversion::Wide => 4 * (wide_length(to.cast()) + 1),
                        Conversion::Word | Conversion::OfSet(_) => libc::strlen(to.cast()) + 1,
                        _ => size,
                    };
                    shadow::clear(to as usize, bytes);
                }
            }
            _ => {}
        }
    }
}

/// # Safety
/// A wide string.
unsafe fn wide_length(s: *const u32) -> usize {
    // SAFETY: as the caller promises: stops at its NUL.
    (0..).find(|&k| unsafe { s.add(k).read_unaligned() } == 0).unwrap_or(0)
}

unsafe extern "C" fn fscanf(f: *mut FILE, format: *const c_char, ap: *mut VaList) -> c_int {
    // SAFETY: as called by the program.
    unsafe {
        if own(format) {
            return scan(Scanner::new(Source::Stream(f)), format, ap);
        }
        tls::set_ret(0);
        let all = (*ap).again();
        let r = libc::vfscanf(f, format, ap.cast());
        forget(format, &all, r);
        r
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
        let all = (*ap).again();
        let r = libc::vsscanf(s, format, ap.cast());
        forget(format, &all, r);
        r
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
