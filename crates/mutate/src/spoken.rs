//! What an input says of what its program listens for: bytes that a run compared with constants, and that were these.
//!
//! [`crate::tokens`] tells what a program would like to read; here is what it did read. A command that was solved byte by byte, or by
//! one string comparison, stands out from the random bytes around it, in the input of the run that took it. (As the
//! input-to-state correspondence of Aschermann et al., "REDQUEEN", NDSS 2019, read backwards, and known here instead of guessed.)

use crate::chains::{comparison, consecutive};
use crate::letters;
use trace::{Input, Op, Trace};

/// For each byte of each object of `input`: whether the run that left `trace` compared it with a constant that it is.
pub fn spoken(trace: &Trace, input: &Input) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> = input.objects.iter().map(|o| vec![false; o.data.len()]).collect();
    let letters = letters::places(input);
    let nodes = letters::read(trace, input, &letters);
    for packed in &nodes {
        if !matches!(packed.op(), Some(Op::Eq | Op::Ne)) {
            continue;
        }
        let Some((operand, value)) = comparison(&packed.unpack(), &nodes) else { continue };
        let Some((object, offset, n)) = consecutive(&operand, &nodes) else { continue };
        let wanted = value.to_le_bytes();
        let Some(wanted) = wanted.get(..n as usize) else { continue };
        let is_all = operand.width > 64 || value.checked_shr(8 * n).unwrap_or(0) == 0;
        // A letter of a text is an object of its own.
        let is_text = letters.get(object as usize + 1).is_some_and(|next| next.0 == object);
        let places = (offset as usize..).take(wanted.len());
        let places: Vec<(usize, usize)> =
            places.map(|k| if is_text { (object as usize + k, 0) } else { (object as usize, k) }).collect();
        let have = |&(o, k): &(usize, usize)| input.objects.get(o).and_then(|o| o.data.get(k));
        if is_all && places.iter().map(have).eq(wanted.iter().map(Some)) {
            places.into_iter().for_each(|(o, k)| all[o][k] = true);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::testing::{FakeTarget, Program, byte, if_};
    use trace::{Mode, Node, PackedNode, Request, Target};

    fn said(program: &Program, text: &str) -> String {
        let input = Input::stdin(text);
        let request = Request { input: &input, mode: Mode::Symbolic, value_seed: None, max_inputs: None };
        let run = FakeTarget::new(program).run(&request).expect("a run");
        let said = spoken(&run.trace.expect("a trace"), &input);
        said[0].iter().zip(text.chars()).map(|(&said, c)| if said { c } else { '.' }).collect()
    }

    #[test]
    fn bytes_that_are_what_was_looked_for() {
        let check = |at: u32, c: u8, then| if_(byte(at).eq(c), then, []);
        let program = Program::main([
            check(0, b'G', vec![check(1, b'O', vec![])]),
            check(3, b'x', vec![]),
            if_(byte(5).lt(b'9'), [], []),
        ]);
        assert_eq!(said(&program, "GO....."), "GO.....");
        assert_eq!(said(&program, "GA.x.."), "G..x..", "the second letter is another one");
        assert_eq!(said(&program, ".O...9."), ".......", "nobody looked there; and less is not equal");
    }

    #[test]
    fn letters_that_are_values_make_words() {
        let node = |op: Op, width, [l, r]: [u32; 2], a, b| {
            PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t: 0, a, b })
        };
        let letter = |k: u64| node(Op::Input, 8, [0; 2], (k + 1) << 32, 0);
        let nodes = vec![
            node(Op::Const, 1, [0; 2], 0, 0),
            letter(0),
            letter(1),
            node(Op::Concat, 16, [2, 1], 0, 0),
            node(Op::Eq, 1, [3, 0], 0, u64::from(u16::from_le_bytes(*b"GO"))),
            letter(2),
            node(Op::Eq, 1, [5, 0], 0, u64::from(b'x')),
        ];
        let trace = Trace { nodes, ..Trace::default() };
        let value = |b: u8| trace::Object::new(trace::ObjectKind::Value, "key", vec![b]);
        let said = |text: &str| {
            let mut input = Input::stdin("a");
            input.objects.extend(text.bytes().map(value));
            spoken(&trace, &input).concat()
        };
        assert_eq!(said("GO."), [false, true, true, false]);
        assert_eq!(said("GA.x"), [false; 5]);
        assert_eq!(said("GAx"), [false, false, false, true]);
        assert_eq!(
            crate::tokens::of_input(&trace, &Input { objects: "..._GO".bytes().map(value).collect() })
                .places
                .len(),
            1
        );
    }

    #[test]
    fn a_byte_that_may_have_been_written_over() {
        let node = |op: Op, width, [l, r, t]: [u32; 3], a, b| {
            PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t, a, b })
        };
        let nodes = vec![
            node(Op::Const, 1, [0; 3], 0, 0),
            node(Op::Input, 8, [0; 3], 1, 0),
            node(Op::Eq, 1, [1, 0, 0], 0, 7),
            node(Op::Const, 8, [0; 3], 0, 0),
            node(Op::Ite, 8, [2, 3, 1], 0, 0),
            node(Op::Eq, 1, [4, 0, 0], 0, u64::from(b'J')),
        ];
        let trace = Trace { nodes, ..Trace::default() };
        assert_eq!(spoken(&trace, &Input::stdin("xJ")), [[false, true]]);
        assert_eq!(spoken(&trace, &Input::stdin("Jx")), [[false, false]]);
    }

    #[test]
    fn what_was_computed_has_no_bytes_of_its_own() {
        let word = byte(0).zext(16).add(byte(1).zext(16).mul(256));
        let computed = Program::main([if_(word.eq(0x4241), [], [])]);
        assert_eq!(said(&computed, "AB"), "..");
    }
}
