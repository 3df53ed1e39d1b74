//! Words for the dictionary: constants that a run compared its input with.
//!
//! Two kinds are read from the nodes of a trace. Comparisons of consecutive input bytes with constants make a word (that is how
//! string comparisons look, also those of library models, which compare all of a string in one expression). A comparison of a wider
//! value makes its bytes in both orders, and its digits: many numbers are read from text.

use std::collections::BTreeSet;
use trace::{Node, Op, PackedNode, Trace};

/// Longest word.
const MAX_LEN: usize = 64;
/// Most words of one trace.
const MAX_WORDS: usize = 1 << 10;

/// The words of a trace, each once, in order.
pub fn of(trace: &Trace) -> Vec<Vec<u8>> {
    let mut words = BTreeSet::new();
    let mut run = Run::default();
    for node in trace.nodes.iter().map(|n| n.unpack()) {
        if words.len() >= MAX_WORDS {
            break;
        }
        let Some((operand, value)) = comparison(&node, &trace.nodes) else { continue };
        if let Some((object, offset)) = input_byte(&operand, &trace.nodes)
            && value < 256
        {
            words.extend(run.compared(object, offset, value as u8));
        } else if operand.width % 8 == 0 && (16..=64).contains(&operand.width) && value > 255 {
            let bytes = value.to_le_bytes()[..usize::from(operand.width / 8)].to_vec();
            words.insert(bytes.iter().rev().copied().collect());
            words.insert(bytes);
            words.insert(value.to_string().into_bytes());
        }
    }
    words.extend(run.end());
    words.into_iter().collect()
}

/// The symbolic operand and the constant of a comparison of one with the other.
fn comparison(node: &Node, nodes: &[PackedNode]) -> Option<(Node, u64)> {
    let is_comparison = matches!(node.op(), Some(Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle));
    let at = |label: u32| nodes.get(label as usize).map(|n| n.unpack());
    match (is_comparison, node.l, node.r) {
        (true, 0, r) => Some((at(r)?, node.a)),
        (true, l, 0) => Some((at(l)?, node.b)),
        (true, l, r) => {
            let constant = |n: &Node| (n.op() == Some(Op::Const) && n.width <= 64).then_some(n.a);
            let (left, right) = (at(l)?, at(r)?);
            constant(&right)
                .map(|value| (left, value))
                .or_else(|| constant(&left).map(|value| (right, value)))
        }
        _ => None,
    }
}

/// The input byte that a node is, perhaps widened.
fn input_byte(node: &Node, nodes: &[PackedNode]) -> Option<(u32, u32)> {
    match node.op()? {
        Op::Input => Some(((node.a >> 32) as u32, node.a as u32)),
        Op::ZExt | Op::SExt => {
            let inner = nodes.get(node.l as usize)?.unpack();
            (inner.op() == Some(Op::Input)).then_some(((inner.a >> 32) as u32, inner.a as u32))
        }
        _ => None,
    }
}

/// Bytes compared one after the other.
#[derive(Default)]
struct Run {
    next: Option<(u32, u32)>,
    word: Vec<u8>,
}

impl Run {
    /// A byte was compared with `value`; the word that ended before it, if any.
    fn compared(&mut self, object: u32, offset: u32, value: u8) -> Option<Vec<u8>> {
        let goes_on = self.next == Some((object, offset)) && self.word.len() < MAX_LEN;
        let ended = if goes_on { None } else { self.end() };
        self.word.push(value);
        self.next = Some((object, offset.wrapping_add(1)));
        ended
    }

    /// The word so far; single bytes are none.
    fn end(&mut self) -> Option<Vec<u8>> {
        let word = std::mem::take(&mut self.word);
        (word.len() > 1).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::testing::{FakeTarget, Program, byte, crash, if_};
    use trace::{Input, Mode, Request, Target};

    fn words(program: &Program, input: &Input) -> Vec<Vec<u8>> {
        let mut target = FakeTarget::new(program);
        let run = target.run(&Request { input, mode: Mode::Symbolic, value_seed: None }).expect("a run");
        of(&run.trace.expect("a trace"))
    }

    #[test]
    fn consecutive_bytes_make_a_word() {
        let check = |at: u32, c: u8, then| if_(byte(at).eq(c), then, []);
        let inner = [check(3, b'E', vec![crash()])];
        let program = Program::main([
            check(1, b'O', [check(2, b'N', inner.to_vec())].to_vec()),
            check(9, b'x', vec![]),
        ]);
        assert_eq!(words(&program, &Input::stdin(*b".ONE......")), [b"ONE".to_vec()]);
        assert!(words(&program, &Input::stdin(*b".X........")).is_empty(), "one byte is no word");
    }

    #[test]
    fn wide_constants_come_in_both_orders_and_as_text() {
        let value = byte(0).zext(32).mul(256).add(byte(1).zext(32));
        let program = Program::main([if_(value.eq(0x1234), [crash()], [])]);
        let found = words(&program, &Input::stdin(*b"ab"));
        assert_eq!(found, [vec![0, 0, 0x12, 0x34], vec![0x34, 0x12, 0, 0], b"4660".to_vec()]);
    }
}
