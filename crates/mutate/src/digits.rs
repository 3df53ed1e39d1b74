//! Another number where digits are, as in libFuzzer: text formats hold lengths, counts and codes.

/// Numbers at the bounds of machine integers and of common fields.
const BOUNDS: [u64; 12] =
    [0, 1, 99, 127, 128, 255, 256, 32_767, 65_535, i32::MAX as u64, u32::MAX as u64, i64::MAX as u64];

/// Changes one number of `data`: by one, twice or half of it, a bound, or anything as long. `below` draws a number.
pub fn change(data: &mut Vec<u8>, room: usize, mut below: impl FnMut(usize) -> usize) {
    let from = below(data.len());
    let Some(start) = (from..data.len()).chain(0..from).find(|&at| data[at].is_ascii_digit()) else { return };
    // The number that the digit is in the middle of.
    let start = start - data[..start].iter().rev().take_while(|c| c.is_ascii_digit()).count();
    let len = data[start..].iter().take_while(|c| c.is_ascii_digit()).count();
    let old = data[start..start + len]
        .iter()
        .fold(0u64, |n, c| n.wrapping_mul(10).wrapping_add(u64::from(c - b'0')));
    let new = match below(6) {
        0 => old.wrapping_add(1),
        1 => old.saturating_sub(1),
        2 => old.wrapping_mul(2),
        3 => old / 2,
        4 => BOUNDS[below(BOUNDS.len())],
        _ => below(10usize.saturating_pow(len.min(18) as u32)) as u64,
    };
    let new = new.to_string();
    if data.len() - len + new.len() <= room {
        data.splice(start..start + len, new.into_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(data: &[u8], draws: &[usize], room: usize) -> Vec<u8> {
        let (mut data, mut draws) = (data.to_vec(), draws.iter().copied());
        change(&mut data, room, |_| draws.next().expect("a draw"));
        data
    }

    #[test]
    fn all_of_a_number_is_replaced() {
        assert_eq!(changed(b"a 199;", &[4, 0], 9), b"a 200;");
        assert_eq!(
            changed(b"a 199;", &[5, 1], 9),
            b"a 198;",
            "the next digit from the end on is at the beginning"
        );
        assert_eq!(changed(b"x9", &[0, 4, 9], 99), b"x2147483647");
        assert_eq!(changed(b"x9", &[0, 4, 9], 5), b"x9", "no room");
        assert_eq!(changed(b"none", &[2], 9), b"none");
        assert!(changed(b"99999999999999999999999", &[0, 3], 99).len() <= 20, "wraps");
    }
}
