//! Finds of cheap runs made short: as few bytes as still cover the branches that an input was the first to cover.
//!
//! What mutation finds carries what its ancestors were made of, which costs time in each run of each mutant and, where a program reads
//! so many bytes only, the room for what has to come before or behind. libFuzzer and AFL keep the coverage of the whole input while they
//! trim; here only what is new has to stay, for the long input stays in the corpus, too. So each branch gets a leader that does hardly
//! anything but take it: a piece to build with. Pieces are left out from the end, halves first (Zeller and Hildebrandt's delta
//! debugging without its second half), within a bound of runs.

use trace::{Input, ObjectKind};

/// Runs for one input.
const MOST: u32 = 48;

/// The shortest input found for which `shows` holds, if it is shorter than `input`, and the runs made.
pub fn reduce(input: &Input, mut shows: impl FnMut(&Input) -> bool) -> (Option<Input>, u32) {
    let is_text = |kind| matches!(kind, ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz);
    let texts = input.objects.iter().enumerate().filter(|(_, o)| is_text(o.kind));
    let Some((object, _)) = texts.max_by_key(|(_, o)| o.data.len()) else { return (None, 0) };
    let (mut best, mut runs) = (input.clone(), 0);
    let mut size = best.objects[object].data.len().div_ceil(2);
    while size > 0 {
        let mut end = best.objects[object].data.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let mut shorter = best.clone();
            shorter.objects[object].data.drain(start..end);
            if runs == MOST {
                size = 0;
                break;
            }
            runs += 1;
            if shows(&shorter) {
                best = shorter;
            }
            end = start;
        }
        size /= 2;
    }
    let is_shorter = best.len() < input.len();
    (is_shorter.then_some(best), runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8], shows: impl Fn(&[u8]) -> bool) -> (Option<Vec<u8>>, u32) {
        let (found, runs) = reduce(&Input::stdin(text), |i| shows(&i.objects[0].data));
        (found.map(|i| i.objects[0].data.clone()), runs)
    }

    #[test]
    fn what_is_not_needed_goes_and_what_is_needed_stays() {
        let has = |text: &[u8]| text.windows(3).any(|w| w == b"key");
        let (found, runs) = of(b"something with a key in it", has);
        assert_eq!((found.as_deref(), runs <= MOST), (Some(&b"key"[..]), true));
        assert_eq!(of(b"key", has), (None, 5));
        assert_eq!(of(&[b'x'; 4096], |_| true).0, Some(vec![]));
        assert_eq!(of(&[b'x'; 4096], |text| text.len() == 4096), (None, MOST));
        assert_eq!(reduce(&Input::default(), |_| true), (None, 0));
    }
}
