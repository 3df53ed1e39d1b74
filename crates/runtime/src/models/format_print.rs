//! Formats of the `printf` family (C23, 7.23.6.1), one directive at a time.
//!
//! Numbered arguments (`%1$d`) and what is no directive at all are left to the C library.

use core::ffi::c_char;

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Not given.
    None,
    /// In the format.
    Number(usize),
    /// `*`: the next argument.
    Argument,
}

/// What a conversion prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An integer with sign.
    Signed,
    /// An integer without sign.
    Unsigned {
        /// 8, 10 or 16.
        base: u64,
        /// Letters are large.
        upper: bool,
    },
    /// One character.
    Char,
    /// A string.
    Text,
    /// An address.
    Pointer,
    /// A floating-point number; `long`: a `long double`.
    Float {
        /// Whether it is.
        long: bool,
    },
    /// A wide character or string.
    Wide,
    /// Nothing: the number of characters so far is stored.
    Written,
    /// The text of `errno`.
    Error,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// `-`.
    pub left: bool,
    /// `+`.
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`.
    pub alternative: bool,
    /// `0`.
    pub zero: bool,
    /// At least so many characters.
    pub width: Count,
    /// Digits of a number, or at most so many characters of a string.
    pub precision: Count,
    /// Bits of an integer.
    pub bits: u16,
    /// What it prints.
    pub what: What,
}

/// One directive of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// The end of the format.
    End,
    /// This character.
    Literal(u8),
    /// A conversion.
    Convert(Spec),
    /// Something for the C library.
    Unsupported,
}

/// A format being read.
#[derive(Clone, Copy, Debug)]
pub struct Format(pub *const c_char);

impl Format {
    fn peek(&self) -> u8 {
        // SAFETY: a C string; nothing moves past its NUL.
        unsafe { *self.0 as u8 }
    }

    fn next(&mut self) -> u8 {
        let c = self.peek();
        if c != 0 {
            self.0 = self.0.wrapping_add(1);
        }
        c
    }

    fn take(&mut self, c: u8) -> bool {
        let there = self.peek() == c;
        if there {
            self.next();
        }
        there
    }

    /// The next directive.
    pub fn directive(&mut self) -> Directive {
        match self.next() {
            0 => Directive::End,
            b'%' if self.take(b'%') => Directive::Literal(b'%'),
            b'%' => self.conversion(),
            c => Directive::Literal(c),
        }
    }

    fn conversion(&mut self) -> Directive {
        let mut spec = Spec {
            left: false,
            plus: false,
            space: false,
            alternative: false,
            zero: false,
            width: Count::None,
            precision: Count::None,
            bits: 32,
            what: What::Signed,
        };
        loop {
            match self.peek() {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                b'\'' | b'I' => {}
                _ => break,
            }
            self.next();
        }
        spec.width = self.count();
        if self.peek() == b'$' {
            return Directive::Unsupported;
        }
        if self.take(b'.') {
            spec.precision = match self.count() {
                Count::None => Count::Number(0),
                given => given,
            };
        }
        let (bits, modifier) = self.length();
        spec.bits = bits;
        let unsigned = |base, upper| What::Unsigned { base, upper };
        spec.what = match self.next() {
            b'd' | b'i' => What::Signed,
            b'u' => unsigned(10, false),
            b'o' => unsigned(8, false),
            b'x' => unsigned(16, false),
            b'X' => unsigned(16, true),
            b'c' | b's' if modifier == b'l' => What::Wide,
            b'C' | b'S' => What::Wide,
            b'c' => What::Char,
            b's' => What::Text,
            b'p' => What::Pointer,
            b'n' => What::Written,
            b'm' => What::Error,
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => What::Float { long: modifier == b'L' },
            _ => return Directive::Unsupported,
        };
        Directive::Convert(spec)
    }

    fn count(&mut self) -> Count {
        if self.take(b'*') {
            // `*1$` is a numbered argument.
            return if self.peek().is_ascii_digit() { Count::None } else { Count::Argument };
        }
        if !self.peek().is_ascii_digit() {
            return Count::None;
        }
        let mut n = 0usize;
        while self.peek().is_ascii_digit() {
            n = n.saturating_mul(10).saturating_add(usize::from(self.next() - b'0'));
        }
        Count::Number(n)
    }

    /// The length modifier: bits of an integer, and its first letter (0: none).
    fn length(&mut self) -> (u16, u8) {
        if self.take(b'h') {
            return if self.take(b'h') { (8, b'h') } else { (16, b'h') };
        }
        if self.take(b'l') {
            self.take(b'l');
            return (64, b'l');
        }
        for c in [b'j', b'z', b't', b'q', b'L'] {
            if self.take(c) {
                return (64, c);
            }
        }
        (32, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(format: &std::ffi::CStr) -> Vec<Directive> {
        let mut f = Format(format.as_ptr());
        let mut out = Vec::new();
        loop {
            match f.directive() {
                Directive::End => return out,
                d => out.push(d),
            }
        }
    }

    fn spec(format: &std::ffi::CStr) -> Spec {
        match all(format)[..] {
            [Directive::Convert(spec)] => spec,
            ref other => panic!("{format:?}: {other:?}"),
        }
    }

    #[test]
    fn flags_width_precision_and_length_are_read() {
        let s = spec(c"%-+ #012.7hhd");
        assert!(s.left && s.plus && s.space && s.alternative && s.zero);
        assert_eq!((s.width, s.precision, s.bits), (Count::Number(12), Count::Number(7), 8));
        let s = spec(c"%*.*lX");
        assert_eq!((s.width, s.precision, s.bits), (Count::Argument, Count::Argument, 64));
        assert_eq!(s.what, What::Unsigned { base: 16, upper: true });
        assert_eq!(spec(c"%.s").precision, Count::Number(0));
        assert_eq!(spec(c"%Lf").what, What::Float { long: true });
        assert_eq!(spec(c"%ls").what, What::Wide);
    }

    #[test]
    fn literals_and_what_the_library_must_do() {
        use Directive::Literal;
        assert_eq!(all(c"a%%b"), [Literal(b'a'), Literal(b'%'), Literal(b'b')]);
        for f in [c"%1$d", c"%*1$d", c"%k"] {
            assert!(all(f).contains(&Directive::Unsupported), "{f:?}");
        }
    }
}
