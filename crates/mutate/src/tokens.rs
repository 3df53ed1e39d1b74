//! Words for the dictionary: constants that a run compared its input with.
//!
//! Two kinds are read from the nodes of a trace. Comparisons of consecutive input bytes with constants make a word (that is how
//! string comparisons look, also those of library models, which compare all of a string in one expression). A comparison of a wider
//! value makes its bytes in both orders, and its digits: many numbers are read from text. Where a word was looked for is told,
//! too ([`Place`]).

use crate::chains::{chains, comparison, consecutive};
use crate::letters;
use crate::places::{Place, is_name};
use std::collections::BTreeSet;
use trace::{Input, PackedNode, Trace};

/// Longest word.
const MAX_LEN: usize = 64;
/// Most words of one trace, and most places.
const MAX_WORDS: usize = 1 << 10;

/// What a trace tells of the words its program knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The words, each once, in order.
    pub words: Vec<Vec<u8>>,
    /// Where they were looked for, in the order of the trace.
    pub places: Vec<Place>,
}

/// The words of a trace as it stands.
#[cfg(test)]
pub fn of(trace: &Trace) -> Found {
    of_nodes(&trace.nodes)
}

/// The words of a trace, of what was read, whatever was written over it. Text that `input` has letter by letter, in values, is read as one; places are
/// within it.
pub fn of_input(trace: &Trace, input: &Input) -> Found {
    of_nodes(&letters::read(trace, input, &letters::places(input)))
}

fn of_nodes(nodes: &[PackedNode]) -> Found {
    let mut words = BTreeSet::new();
    let (mut places, mut wide) = (Vec::new(), Vec::new());
    let mut run = Run::default();
    for node in nodes.iter().map(|n| n.unpack()) {
        if words.len().max(places.len()).max(wide.len()) >= MAX_WORDS {
            break;
        }
        let Some((operand, value)) = comparison(&node, nodes) else { continue };
        let bytes = consecutive(&operand, nodes);
        if let Some((object, offset, 1)) = bytes
            && value < 256
        {
            places.extend(run.compared(object, offset, value as u8));
            continue;
        }
        if let Some((object, offset, n @ 2..)) = bytes
            && value.checked_shr(8 * n).unwrap_or(0) == 0
        {
            let compared = value.to_le_bytes()[..n as usize].to_vec();
            wide.push(Place { object, offset, compared });
        }
        let is_number = bytes.is_some() || !may_be_address(value);
        if operand.width % 8 == 0 && (16..=64).contains(&operand.width) && value > 255 && is_number {
            let bytes = value.to_le_bytes()[..usize::from(operand.width / 8)].to_vec();
            words.insert(bytes.iter().rev().copied().collect());
            words.insert(bytes);
            words.insert(value.to_string().into_bytes());
        }
    }
    places.extend(run.end());
    words.extend(places.iter().map(|place| place.compared.clone()));
    // Characters tried one after the other are a word if they look like one; elsewhere a parser looked for delimiters.
    places.retain(|p| p.compared.iter().all(is_name));
    places.append(&mut wide);
    places.extend(chains(nodes, MAX_LEN, MAX_WORDS));
    // A search for a character is none for a word.
    places.retain(|p| p.compared.iter().any(|&c| c != p.compared[0]));
    words.extend(places.iter().map(|place| place.compared.clone()));
    Found { words: words.into_iter().collect(), places }
}

/// Whether a value that was computed is compared with what may be an address, the end of an object for example, or with less than
/// zero at its width: thousands of these would crowd out all words.
fn may_be_address(value: u64) -> bool {
    value >= 1 << 32
}

/// Bytes compared one after the other.
#[derive(Default)]
struct Run {
    place: Option<Place>,
}

impl Run {
    /// A byte was compared with `value`; the word that ended before it, if any.
    fn compared(&mut self, object: u32, offset: u32, value: u8) -> Option<Place> {
        if let Some(place) = &mut self.place
            && place.object == object
            && place.offset.checked_add(place.compared.len() as u32) == Some(offset)
            && place.compared.len() < MAX_LEN
        {
            place.compared.push(value);
            return None;
        }
        let ended = self.end();
        self.place = Some(Place { object, offset, compared: vec![value] });
        ended
    }

    /// The word so far; single bytes are none.
    fn end(&mut self) -> Option<Place> {
        self.place.take().filter(|place| place.compared.len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::testing::{FakeTarget, Program, byte, crash, if_};
    use trace::{Mode, Request, Target};

    fn found(program: &Program, input: &Input) -> Found {
        let mut target = FakeTarget::new(program);
        let run = target
            .run(&Request { input, mode: Mode::Symbolic, value_seed: None, max_inputs: None })
            .expect("a run");
        of(&run.trace.expect("a trace"))
    }

    fn words(program: &Program, input: &Input) -> Vec<Vec<u8>> {
        found(program, input).words
    }

    #[test]
    fn consecutive_bytes_make_a_word() {
        let check = |at: u32, c: u8, then| if_(byte(at).eq(c), then, []);
        let inner = [check(3, b'E', vec![crash()])];
        let program = Program::main([
            check(1, b'O', [check(2, b'N', inner.to_vec())].to_vec()),
            check(9, b'x', vec![]),
        ]);
        let Found { words: all, places } = found(&program, &Input::stdin(*b".ONE......"));
        assert_eq!(all, [b"ONE".to_vec()]);
        assert_eq!(places, [Place { object: 0, offset: 1, compared: b"ONE".to_vec() }]);
        assert!(words(&program, &Input::stdin(*b".X........")).is_empty(), "one byte is no word");
    }

    #[test]
    fn wide_constants_come_in_both_orders_and_as_text() {
        let value = byte(0).zext(32).mul(256).add(byte(1).zext(32));
        let program = Program::main([if_(value.eq(0x1234), [crash()], [])]);
        let found = words(&program, &Input::stdin(*b"ab"));
        assert_eq!(found, [vec![0, 0, 0x12, 0x34], vec![0x34, 0x12, 0, 0], b"4660".to_vec()]);
    }

    #[test]
    fn addresses_are_no_words() {
        let end = 0x5555_5568_1230_u64;
        let of = |place| words(&Program::main([if_(place, [crash()], [])]), &Input::stdin(*b"abcdefgh"));
        assert!(of(byte(0).zext(64).add(end).lt(end + 4)).is_empty(), "computed from a byte");
    }
}
