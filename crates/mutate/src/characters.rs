//! Characters that the program is likely to know: one of a word it compared with, or of another input, put somewhere.
//!
//! One byte of 256 at one place of a thousand is hardly ever guessed; the alphabet of a format is small.

/// Puts `c` at a place of `data`: mostly in between, or in place of what is there. `below` draws a number.
pub fn put(data: &mut Vec<u8>, c: u8, room: usize, mut below: impl FnMut(usize) -> usize) {
    let at = below(data.len() + 1);
    if data.len() < room && (at == data.len() || below(2) == 0) {
        data.insert(at, c);
    } else if let Some(old) = data.get_mut(at) {
        *old = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_comes_in_between_or_in_place_within_bounds() {
        let made = |draws: [usize; 2], room| {
            let (mut data, mut draws) = (b"abc".to_vec(), draws.into_iter());
            put(&mut data, b'x', room, |_| draws.next().expect("a draw"));
            data
        };
        assert_eq!(made([1, 0], 9), b"axbc");
        assert_eq!(made([1, 1], 9), b"axc");
        assert_eq!(made([3, 0], 9), b"abcx");
        assert_eq!(made([1, 0], 3), b"axc");
        assert_eq!(made([3, 0], 3), b"abc");
    }
}
