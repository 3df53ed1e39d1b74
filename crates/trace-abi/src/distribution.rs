//! Distributions of random input: what `--random NAME=DISTRIBUTION` and `SPELUNK_RANDOM` in a harness say.
//!
//! A distribution is one part or several, with blanks between them. Of several one is drawn by weight, then one of its members, all alike:
//!
//! ```text
//! distribution = part { " " part }
//! part         = [ weight ":" ] ( "*" | range { "," range } )
//! range        = item [ ".." item ]  |  text
//! item         = -12, 0x1f, 2.5e3, 'a'
//! text         = "abc\n", each of its characters
//! ```
//!
//! A weight is a positive number, 1 where there is none; `*` is any value. Of a value of whole numbers, and of each byte of a text, the
//! members are those that its type holds; where none is left, any value is. Of a value of real numbers a range is all between its ends.
//! In quotes `\n`, `\t`, `\r`, `\0`, `\\`, `\'`, `\"` and `\x41` stand for what they stand for in C.

use crate::ValueType;

/// Most parts of one.
const PARTS: usize = 16;
/// Most ranges; each character of a text is one.
const RANGES: usize = 96;

/// How likely each value of random input is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution {
    parts: [Part; PARTS],
    n_parts: usize,
    ranges: [Range; RANGES],
    n_ranges: usize,
}

/// Some of the ranges; none: any value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Part {
    weight: u64,
    first: usize,
    n: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: Number,
    high: Number,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Whole(i128),
    Real(f64),
}

/// Why a text is no distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongDistribution {
    /// Where, in bytes from its beginning.
    pub at: usize,
    /// What is wrong there, or what was expected.
    pub what: &'static str,
}

/// The whole numbers that a type holds.
fn bounds(kind: ValueType, len: usize) -> (i128, i128) {
    let bits = 8 * len as u32;
    match kind {
        ValueType::Bool => (0, 1),
        ValueType::Signed if bits >= 128 => (i128::MIN, i128::MAX),
        ValueType::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ if bits >= 127 => (0, i128::MAX),
        _ => (0, (1 << bits) - 1),
    }
}

impl Number {
    /// The first whole number that is not below; with `down` the last that is not above.
    fn whole(self, down: bool) -> i128 {
        match self {
            Number::Whole(n) => n,
            // Conversions are cut towards zero, and kept within the type.
            Number::Real(x) => {
                let cut = x as i128;
                let back = cut as f64;
                if back < x && !down {
                    cut + 1
                } else if back > x && down {
                    cut - 1
                } else {
                    cut
                }
            }
        }
    }

    fn real(self) -> f64 {
        match self {
            Number::Whole(n) => n as f64,
            Number::Real(x) => x,
        }
    }
}

impl Range {
    /// Its members in the type: the first, and how many.
    fn within(&self, (least, most): (i128, i128)) -> (i128, u128) {
        let (low, high) = (self.low.whole(false).max(least), self.high.whole(true).min(most));
        if low > high { (low, 0) } else { (low, high.abs_diff(low).saturating_add(1)) }
    }
}

/// A number below `n`, which is not 0.
fn below(n: u128, random: &mut impl FnMut() -> u64) -> u128 {
    match u64::try_from(n) {
        // Multiplied instead of divided: every number is as likely as any other to within 2^-64.
        Ok(n) => (u128::from(random()) * u128::from(n)) >> 64,
        Err(_) => (u128::from(random()) << 64 | u128::from(random())) % n,
    }
}

impl Distribution {
    fn ranges(&self, part: &Part) -> &[Range] {
        &self.ranges[part.first..part.first + part.n]
    }

    /// Fills in a value of this type; false, and nothing is filled in, where any value will do.
    pub fn fill(&self, kind: ValueType, bytes: &mut [u8], random: &mut impl FnMut() -> u64) -> bool {
        match (kind, bytes.len()) {
            (_, 0) => true,
            (ValueType::Float, 4 | 8) => self.fill_real(bytes, random),
            (ValueType::Float, _) => false,
            (ValueType::Bytes, _) | (_, 17..) => {
                bytes.iter_mut().for_each(|b| *b = self.byte(random));
                true
            }
            (_, len) => {
                let Some(value) = self.whole(bounds(kind, len), random) else { return false };
                bytes.copy_from_slice(&value.to_le_bytes()[..len]);
                true
            }
        }
    }

    /// A byte of a text.
    pub fn byte(&self, random: &mut impl FnMut() -> u64) -> u8 {
        self.whole(bounds(ValueType::Unsigned, 1), random).map_or_else(|| random() as u8, |value| value as u8)
    }

    /// The part drawn, of those that have members; `None`: none has.
    fn part(&self, members: impl Fn(&Part) -> u128, random: &mut impl FnMut() -> u64) -> Option<&Part> {
        let weight = |part: &Part| if part.n == 0 || members(part) > 0 { u128::from(part.weight) } else { 0 };
        let parts = &self.parts[..self.n_parts];
        let total: u128 = parts.iter().map(weight).sum();
        if total == 0 {
            return None;
        }
        let mut at = below(total, random);
        parts.iter().find(|part| match at.checked_sub(weight(part)) {
            Some(rest) => {
                at = rest;
                false
            }
            None => true,
        })
    }

    /// A whole number of these; `None`: any.
    fn whole(&self, bounds: (i128, i128), random: &mut impl FnMut() -> u64) -> Option<i128> {
        let members = |part: &Part| {
            self.ranges(part).iter().fold(0u128, |n, range| n.saturating_add(range.within(bounds).1))
        };
        let part = self.part(members, random).filter(|part| part.n > 0)?;
        let mut at = below(members(part), random);
        self.ranges(part).iter().find_map(|range| {
            let (low, n) = range.within(bounds);
            let found = (at < n).then(|| low.wrapping_add_unsigned(at));
            at = at.saturating_sub(n);
            found
        })
    }

    fn fill_real(&self, bytes: &mut [u8], random: &mut impl FnMut() -> u64) -> bool {
        let members = |part: &Part| part.n as u128;
        let Some(part) = self.part(members, random).filter(|part| part.n > 0) else { return false };
        let range = &self.ranges(part)[below(part.n as u128, random) as usize];
        let (low, high) = (range.low.real(), range.high.real());
        let share = (random() >> 11) as f64 / (1u64 << 53) as f64;
        // So that the distance of far ends does not overflow.
        let value = (low * (1.0 - share) + high * share).clamp(low, high);
        match <&mut [u8; 4]>::try_from(&mut *bytes) {
            Ok(four) => *four = (value as f32).to_le_bytes(),
            Err(_) => bytes.copy_from_slice(&value.to_le_bytes()),
        }
        true
    }

    /// Reads a distribution.
    ///
    /// # Errors
    /// Where the text is not one, the first place.
    pub fn parse(text: &str) -> Result<Distribution, WrongDistribution> {
        let nothing = Range { low: Number::Whole(0), high: Number::Whole(0) };
        let empty = Distribution {
            parts: [Part::default(); PARTS],
            n_parts: 0,
            ranges: [nothing; RANGES],
            n_ranges: 0,
        };
        let mut parser = Parser { text, at: 0, made: empty };
        parser.all()?;
        Ok(parser.made)
    }
}

/// Reads from left to right.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    made: Distribution,
}

type Parsed<T> = Result<T, WrongDistribution>;

impl Parser<'_> {
    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn next(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn takes(&mut self, what: &str) -> bool {
        let is_there = self.rest().starts_with(what.as_bytes());
        self.at += if is_there { what.len() } else { 0 };
        is_there
    }

    fn wrong<T>(&self, at: usize, what: &'static str) -> Parsed<T> {
        Err(WrongDistribution { at, what })
    }

    fn all(&mut self) -> Parsed<()> {
        while self.takes(" ") {}
        loop {
            self.part()?;
            let at = self.at;
            while self.takes(" ") {}
            match self.next() {
                None => return Ok(()),
                Some(_) if self.at > at => {}
                Some(_) => {
                    return self.wrong(at, "after a range comes `,`, a blank and another part, or the end");
                }
            }
        }
    }

    fn part(&mut self) -> Parsed<()> {
        let first = self.made.n_ranges;
        let begin = self.at;
        let weight = self.weight()?;
        if !self.takes("*") {
            loop {
                self.range()?;
                if !self.takes(",") {
                    break;
                }
            }
        }
        let Some(to) = self.made.parts.get_mut(self.made.n_parts) else {
            return self.wrong(begin, "there are at most 16 parts");
        };
        *to = Part { weight, first, n: self.made.n_ranges - first };
        self.made.n_parts += 1;
        Ok(())
    }

    /// A number in front of a colon; 1 where there is none.
    fn weight(&mut self) -> Parsed<u64> {
        let begin = self.at;
        let digits = self.rest().iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 || self.rest().get(digits) != Some(&b':') {
            return Ok(1);
        }
        self.at += digits + 1;
        match self.text[begin..begin + digits].parse::<u32>() {
            Ok(weight @ 1..) => Ok(weight.into()),
            _ => self.wrong(begin, "a weight is a number from 1 to 4294967295"),
        }
    }

    fn range(&mut self) -> Parsed<()> {
        if self.takes("\"") {
            let begin = self.at;
            while !self.takes("\"") {
                let item = Number::Whole(self.character('"')?.into());
                self.add(item, item)?;
            }
            return if self.at == begin + 1 {
                self.wrong(begin, "a text in quotes has a character")
            } else {
                Ok(())
            };
        }
        let begin = self.at;
        let low = self.item()?;
        let high = if self.takes("..") { self.item()? } else { low };
        let is_ordered = match (low, high) {
            (Number::Whole(low), Number::Whole(high)) => low <= high,
            _ => low.real() <= high.real(),
        };
        if is_ordered { self.add(low, high) } else { self.wrong(begin, "the first is above the last") }
    }

    fn add(&mut self, low: Number, high: Number) -> Parsed<()> {
        let Some(to) = self.made.ranges.get_mut(self.made.n_ranges) else {
            return self.wrong(self.at, "there are at most 96 ranges and characters");
        };
        *to = Range { low, high };
        self.made.n_ranges += 1;
        Ok(())
    }

    fn item(&mut self) -> Parsed<Number> {
        if self.takes("'") {
            let c = self.character('\'')?;
            return if self.takes("'") {
                Ok(Number::Whole(c.into()))
            } else {
                self.wrong(self.at, "`'` is missing after the character")
            };
        }
        let begin = self.at;
        self.at += self.number_length();
        let text = &self.text[begin..self.at];
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let hexadecimal =
            digits.strip_prefix("0x").map(|digits| i64::from_str_radix(digits, 16).map(i128::from));
        let is_real = hexadecimal.is_none() && digits.bytes().any(|c| matches!(c, b'.' | b'e' | b'E'));
        let number = match hexadecimal {
            _ if !digits.starts_with(|c: char| c.is_ascii_digit()) => None,
            Some(whole) => whole.ok().map(|n| Number::Whole(sign * n)),
            None if is_real => text.parse().ok().filter(|x: &f64| x.is_finite()).map(Number::Real),
            None => digits.parse::<u64>().ok().map(|n| Number::Whole(sign * i128::from(n))),
        };
        let what = "a number, a character or a text in quotes, or `*` was expected";
        number.map_or_else(|| self.wrong(begin, what), Ok)
    }

    /// How long the number is that stands here, as far as its characters tell.
    fn number_length(&self) -> usize {
        let rest = self.rest();
        let belongs = |k: usize| match rest[k] {
            b'-' | b'+' => k == 0 || matches!(rest[k - 1], b'e' | b'E') && !rest.starts_with(b"0x"),
            b'.' => rest.get(k + 1).is_some_and(u8::is_ascii_digit),
            c => c.is_ascii_alphanumeric(),
        };
        (0..rest.len()).take_while(|&k| belongs(k)).count()
    }

    /// A character in quotes of this kind.
    fn character(&mut self, quote: char) -> Parsed<u8> {
        let begin = self.at;
        let Some(c) = self.next() else { return self.wrong(begin, "the quotes are not closed") };
        self.at += 1;
        if c != b'\\' {
            return match c {
                _ if char::from(c) == quote => self.wrong(begin, "there is no character in these quotes"),
                b' '..=b'~' => Ok(c),
                _ => self.wrong(begin, "write this character as an escape, such as \\n or \\xe4"),
            };
        }
        let escaped = self.next();
        self.at += 1;
        match escaped {
            Some(b'n') => Ok(b'\n'),
            Some(b't') => Ok(b'\t'),
            Some(b'r') => Ok(b'\r'),
            Some(b'0') => Ok(0),
            Some(c @ (b'\\' | b'\'' | b'"')) => Ok(c),
            Some(b'x') => {
                let digits = self.text.get(self.at..self.at + 2);
                self.at += 2;
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                byte.map_or_else(|| self.wrong(begin, "two hexadecimal digits come after \\x"), Ok)
            }
            _ => self.wrong(begin, "no such escape; there are \\n \\t \\r \\0 \\\\ \\' \\\" and \\x41"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::BTreeMap;
    use std::vec::Vec;

    /// Numbers as random as tests need (Marsaglia's xorshift).
    fn random() -> impl FnMut() -> u64 {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        move || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x.wrapping_mul(0x2545_f491_4f6c_dd1d)
        }
    }

    fn parse(text: &str) -> Distribution {
        Distribution::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
    }

    fn draw<const N: usize>(text: &str, kind: ValueType, n: usize) -> Vec<[u8; N]> {
        let (d, mut random) = (parse(text), random());
        let one = |_| {
            let mut bytes = [0xaa; N];
            d.fill(kind, &mut bytes, &mut random).then_some(bytes)
        };
        (0..n).filter_map(one).collect()
    }

    #[test]
    fn values_stay_in_their_ranges_and_reach_all_of_them() {
        let ints: Vec<i32> =
            draw("-3..4", ValueType::Signed, 500).into_iter().map(i32::from_le_bytes).collect();
        let seen: std::collections::BTreeSet<i32> = ints.iter().copied().collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), (-3..=4).collect::<Vec<_>>());
        let far = draw("0x7fffffff,-0x80000000", ValueType::Signed, 100).into_iter().map(i32::from_le_bytes);
        assert!(far.clone().any(|n| n == i32::MAX) && far.clone().all(|n| n == i32::MAX || n == i32::MIN));
        let all: Vec<u64> = draw("0..18446744073709551615", ValueType::Unsigned, 64)
            .into_iter()
            .map(u64::from_le_bytes)
            .collect();
        assert!(all.iter().any(|n| n >> 63 == 1) && all.iter().any(|n| n >> 63 == 0));
        let bools = draw::<1>("0..255", ValueType::Bool, 50);
        assert!(bools.iter().all(|b| b[0] < 2) && bools.contains(&[1]) && bools.contains(&[0]));
        let text = draw::<6>("'a'..'c',\"-\\n\"", ValueType::Bytes, 50).concat();
        let seen: std::collections::BTreeSet<u8> = text.into_iter().collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), b"\n-abc");
    }

    #[test]
    fn of_a_type_are_those_that_it_holds() {
        assert!(draw::<1>("250..300", ValueType::Unsigned, 200).iter().all(|b| b[0] >= 250));
        assert!(
            draw::<1>("-5..-1 2:7", ValueType::Unsigned, 50).iter().all(|b| b[0] == 7),
            "the other part has none"
        );
        assert!(draw::<1>("300..400", ValueType::Unsigned, 50).is_empty(), "any value will do");
        assert!(draw::<4>("*", ValueType::Signed, 50).is_empty());
        assert!(draw::<1>("1.5..3.5", ValueType::Unsigned, 50).iter().all(|b| matches!(b[0], 2 | 3)));
        assert!(draw::<1>("-1.5..-0.5", ValueType::Signed, 20).iter().all(|b| b[0] == 0xff));
    }

    #[test]
    fn real_numbers_lie_between_the_ends() {
        let reals: Vec<f64> =
            draw("-1..1", ValueType::Float, 400).into_iter().map(f64::from_le_bytes).collect();
        assert!(reals.iter().all(|x| (-1.0..=1.0).contains(x)));
        let below = reals.iter().filter(|x| **x < -0.5).count();
        assert!((60..140).contains(&below) && reals.iter().any(|x| x.fract() != 0.0), "{below}");
        let half = draw::<4>("0.5", ValueType::Float, 3).into_iter().map(f32::from_le_bytes);
        assert!(half.into_iter().eq([0.5; 3]));
        let wide = draw("-1e308..1e308", ValueType::Float, 50).into_iter().map(f64::from_le_bytes);
        assert!(wide.into_iter().all(f64::is_finite));
        assert!(draw::<16>("0..1", ValueType::Float, 3).is_empty(), "the x87's are drawn as ever");
    }

    #[test]
    fn weights_are_kept() {
        let (d, mut random) = (parse("70:'a'..'z' 20:'\\n' 10:*"), random());
        let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
        for _ in 0..20_000 {
            *counts.entry(d.byte(&mut random)).or_default() += 1;
        }
        let letters: u32 = (b'a'..=b'z').map(|c| counts[&c]).sum();
        let others = 20_000 - letters - counts[&b'\n'];
        // A tenth is spread over all bytes, of which 26 are letters.
        assert!((13_900..14_600).contains(&letters), "{letters}");
        assert!((3_750..4_300).contains(&counts[&b'\n']), "{}", counts[&b'\n']);
        assert!((1_600..2_000).contains(&others), "{others}");
        let twice = parse("\"aab\"");
        let a = (0..3_000).filter(|_| twice.byte(&mut random) == b'a').count();
        assert!((1_850..2_150).contains(&a), "a character that is there twice counts twice: {a}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |text: &str| {
            let wrong = Distribution::parse(text).expect_err(text);
            (wrong.at, wrong.what)
        };
        for (text, at, what) in [
            ("", 0, "a number, a character"),
            ("0..", 3, "a number, a character"),
            ("9..1", 0, "above"),
            ("1 2 0:3", 4, "a weight"),
            ("'ab'", 2, "`'` is missing"),
            ("''", 1, "no character"),
            ("\"\"", 1, "has a character"),
            ("\"ab", 3, "not closed"),
            ("'\\q'", 1, "no such escape"),
            ("'\\xg0'", 1, "two hexadecimal"),
            ("a-z", 0, "a number, a character"),
            ("1..2;", 4, "after a range"),
            ("'\u{e4}'", 1, "as an escape"),
            ("1e999", 0, "a number"),
            ("1,", 2, "a number"),
        ] {
            let (place, told) = wrong(text);
            assert!(place == at && told.contains(what), "{text}: {place}, {told}");
        }
        let long = "1 ".repeat(17);
        assert!(wrong(&long).1.contains("16 parts"));
    }
}
