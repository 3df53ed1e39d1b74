//! Repetition: a short piece many times over.
//!
//! Nesting, labels and lists beyond a limit of the program need hundreds of the same in a row, which no other mutation makes in one
//! step, and which steps between do not show (counts of visits are told apart up to 255).

/// Longest piece that is repeated.
const MAX_PIECE: usize = 32;

/// Puts copies of a piece of `data` behind it, as many as give 2, 4, 8 … times the piece or as fit into `room`. `below` draws a number.
pub fn repeat(data: &mut Vec<u8>, room: usize, mut below: impl FnMut(usize) -> usize) {
    let free = room.saturating_sub(data.len());
    if data.is_empty() || free == 0 {
        return;
    }
    let start = below(data.len());
    // Half of the pieces have up to four bytes.
    let most = if below(2) == 0 { 4 } else { MAX_PIECE };
    let len = 1 + below(most.min(data.len() - start));
    let most = free / len;
    if most == 0 {
        return;
    }
    let powers = most.ilog2() as usize + 1;
    let times = (1 << below(powers + 1)).min(most);
    let (old_len, behind, more) = (data.len(), start + len, len * times);
    data.resize(old_len + more, 0);
    data.copy_within(behind..old_len, behind + more);
    // Each copy doubles what is there of the repetition.
    let mut there = len;
    while there < len + more {
        let copied = there.min(len + more - there);
        data.copy_within(start..start + copied, start + there);
        there += copied;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_of_any_depth_that_fits_is_made_in_one_step() {
        let mut k = 1usize;
        let mut below = |n: usize| {
            k = k.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (k >> 33) % n.max(1)
        };
        let mut deepest = 0;
        for _ in 0..20_000 {
            let mut data = b"x<a>y".to_vec();
            repeat(&mut data, 2000, &mut below);
            assert!(data.len() <= 2000 && data.starts_with(b"x") && data.ends_with(b"y"));
            let text = String::from_utf8(data).expect("text");
            deepest = deepest.max(text.matches("<a>").count());
        }
        assert!(deepest > 600, "{deepest}");
        let mut full = b"full".to_vec();
        repeat(&mut full, 4, &mut below);
        repeat(&mut full, 3, &mut below);
        assert_eq!(full, b"full");
        repeat(&mut Vec::new(), 4, below);
    }
}
