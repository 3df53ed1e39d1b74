//! Formats of the `scanf` family (C23, 7.23.6.2), one directive at a time.
//!
//! Wide characters are not read here: such formats go to the C library.

use core::ffi::c_char;

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set([u64; 4]);

impl Set {
    const fn empty() -> Set {
        Set([0; 4])
    }

    fn add(&mut self, low: u8, high: u8) {
        for c in low..=high {
            self.0[c as usize / 64] |= 1 << (c % 64);
        }
    }

    fn negate(&mut self) {
        for w in &mut self.0 {
            *w = !*w;
        }
    }

    /// Whether it holds the byte.
    pub const fn holds(&self, c: u8) -> bool {
        self.0[c as usize / 64] >> (c % 64) & 1 == 1
    }

    /// Calls `f` with each maximal range.
    pub fn ranges(&self, mut f: impl FnMut(u8, u8)) {
        let mut c = 0u16;
        while c < 256 {
            if !self.holds(c as u8) {
                c += 1;
                continue;
            }
            let low = c;
            while c < 255 && self.holds(c as u8 + 1) {
                c += 1;
            }
            f(low as u8, c as u8);
            c += 1;
        }
    }
}

/// What a conversion reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// An integer in this base (0: as its prefix says), signed or not.
    Integer {
        /// As for `strtol`.
        base: u32,
        /// Whether out of range means the signed limits.
        signed: bool,
    },
    /// A floating-point number.
    Float,
    /// A word.
    Word,
    /// A fixed number of characters.
    Chars,
    /// Characters of a set.
    OfSet(Set),
    /// The number of characters read so far.
    Count,
    /// Wide characters: the C library's business.
    Wide,
}

/// One directive of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// The end of the format.
    End,
    /// Any amount of white space.
    Space,
    /// This character.
    Literal(u8),
    /// `%%`: white space, then a percent sign.
    Percent,
    /// A conversion.
    Convert {
        /// What.
        what: Conversion,
        /// At most so many characters; 0: no limit given.
        width: usize,
        /// Bytes of the object pointed to (numbers).
        size: usize,
        /// `*`: read, not stored.
        suppressed: bool,
        /// `m`: stored in a new block.
        allocate: bool,
        /// `%1$`: the number of the argument; 0: the next one.
        argument: usize,
    },
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

    /// Whether every directive can be handled here.
    pub fn is_supported(mut self) -> bool {
        loop {
            match self.directive() {
                Directive::End => return true,
                Directive::Unsupported | Directive::Convert { what: Conversion::Wide, .. } => return false,
                _ => {}
            }
        }
    }

    /// The next directive.
    pub fn directive(&mut self) -> Directive {
        match self.next() {
            0 => Directive::End,
            b' ' | b'\t'..=b'\r' => Directive::Space,
            b'%' => self.conversion(),
            c => Directive::Literal(c),
        }
    }

    fn conversion(&mut self) -> Directive {
        if self.take(b'%') {
            return Directive::Percent;
        }
        let (mut suppressed, mut width) = (self.take(b'*'), self.count());
        let mut argument = 0;
        if self.take(b'$') {
            argument = width;
            (suppressed, width) = (self.take(b'*'), self.count());
        }
        self.take(b'\'');
        let allocate = self.take(b'm');
        let (size, wide) = self.length();
        let what = match self.next() {
            b'd' => Conversion::Integer { base: 10, signed: true },
            b'i' => Conversion::Integer { base: 0, signed: true },
            b'u' => Conversion::Integer { base: 10, signed: false },
            b'o' => Conversion::Integer { base: 8, signed: false },
            b'x' | b'X' | b'p' => Conversion::Integer { base: 16, signed: false },
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => Conversion::Float,
            b's' if !wide => Conversion::Word,
            b'c' if !wide => Conversion::Chars,
            b'[' if !wide => Conversion::OfSet(self.set()),
            b'n' => Conversion::Count,
            b's' | b'c' | b'S' | b'C' => Conversion::Wide,
            b'[' => {
                self.set();
                Conversion::Wide
            }
            _ => return Directive::Unsupported,
        };
        // SAFETY: the conversion character was just read.
        let pointer = unsafe { *self.0.wrapping_sub(1) } as u8 == b'p';
        let size = match what {
            Conversion::Float => size,
            _ if pointer => 8,
            _ => size.min(8),
        };
        Directive::Convert { what, width, size, suppressed, allocate, argument }
    }

    fn count(&mut self) -> usize {
        let mut n = 0usize;
        while self.peek().is_ascii_digit() {
            n = n.saturating_mul(10).saturating_add(usize::from(self.next() - b'0'));
        }
        n
    }

    /// The length modifier: bytes of an integer, and whether it makes characters wide. 16 bytes: `L`.
    fn length(&mut self) -> (usize, bool) {
        if self.take(b'h') {
            return if self.take(b'h') { (1, false) } else { (2, false) };
        }
        if self.take(b'l') {
            self.take(b'l');
            return (8, true);
        }
        if self.take(b'j') || self.take(b'z') || self.take(b't') || self.take(b'q') {
            return (8, false);
        }
        if self.take(b'L') { (16, false) } else { (4, false) }
    }

    /// A scan set, behind its `[`.
    fn set(&mut self) -> Set {
        let mut set = Set::empty();
        let negated = self.take(b'^');
        let mut first = true;
        loop {
            let c = self.next();
            if c == 0 || (c == b']' && !first) {
                break;
            }
            first = false;
            // SAFETY: one byte ahead is still inside the string: the byte at hand is not its NUL.
            let beyond = if self.peek() == b'-' { unsafe { *self.0.wrapping_add(1) as u8 } } else { 0 };
            if beyond != 0 && beyond != b']' && beyond >= c {
                self.next();
                self.next();
                set.add(c, beyond);
            } else {
                set.add(c, c);
            }
        }
        if negated {
            set.negate();
        }
        set
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

    #[test]
    fn widths_lengths_and_suppression_are_read() {
        let int = Conversion::Integer { base: 10, signed: true };
        let got = all(c"%d %*3hhd%lld");
        let of = |width, size, suppressed| Directive::Convert {
            what: int,
            width,
            size,
            suppressed,
            allocate: false,
            argument: 0,
        };
        assert_eq!(got, [of(0, 4, false), Directive::Space, of(3, 1, true), of(0, 8, false)]);
    }

    #[test]
    fn sets_have_ranges_negation_and_a_leading_bracket() {
        let Directive::Convert { what: Conversion::OfSet(s), .. } = all(c"%[]a-c-]")[0] else {
            panic!("a set")
        };
        for c in 0..=255u8 {
            assert_eq!(s.holds(c), b"]abc-".contains(&c), "{c}");
        }
        let Directive::Convert { what: Conversion::OfSet(s), .. } = all(c"%[^\n]")[0] else {
            panic!("a set")
        };
        let mut ranges = Vec::new();
        s.ranges(|a, b| ranges.push((a, b)));
        assert_eq!(ranges, [(0, 9), (11, 255)]);
    }

    #[test]
    fn what_the_library_must_do_is_unsupported() {
        for f in [c"%ls", c"%l[a-z]", c"%S"] {
            assert!(!Format(f.as_ptr()).is_supported(), "{f:?}");
        }
        assert!(Format(c"a %5s%% %lf%Lf %2$d%n".as_ptr()).is_supported());
        let Directive::Convert { argument: 2, width: 3, .. } = all(c"%2$3d")[0] else { panic!("numbered") };
    }
}
