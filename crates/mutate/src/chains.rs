//! What the nodes of a trace say of words: bytes compared with constants, and chains of such comparisons.
//!
//! A library model of a string comparison puts all of it into one expression: the first byte equal? then the second, and so
//! on, each with the end of the string looked for in between. Read from its outermost test, the chain spells the word, also where
//! some of its tests were nodes already and so are not in order.

use crate::places::Place;
use trace::{Node, Op, PackedNode};

/// The symbolic operand and the constant of a comparison of one with the other.
pub fn comparison(node: &Node, nodes: &[PackedNode]) -> Option<(Node, u64)> {
    let is_comparison = matches!(node.op(), Some(Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle));
    match (is_comparison, node.l, node.r) {
        (true, 0, r) => Some((at(nodes, r)?, node.a)),
        (true, l, 0) => Some((at(nodes, l)?, node.b)),
        (true, l, r) => {
            let constant = |n: &Node| (n.op() == Some(Op::Const) && n.width <= 64).then_some(n.a);
            let (left, right) = (at(nodes, l)?, at(nodes, r)?);
            constant(&right)
                .map(|value| (left, value))
                .or_else(|| constant(&left).map(|value| (right, value)))
        }
        _ => None,
    }
}

fn at(nodes: &[PackedNode], label: u32) -> Option<Node> {
    nodes.get(label as usize).map(|n| n.unpack())
}

/// The consecutive input bytes that a node is, lowest first, perhaps widened: their object, the offset of the first, how many.
pub fn consecutive(node: &Node, nodes: &[PackedNode]) -> Option<(u32, u32, u32)> {
    match node.op()? {
        Op::Input => Some(((node.a >> 32) as u32, node.a as u32, 1)),
        Op::ZExt | Op::SExt => {
            let inner = at(nodes, node.l)?;
            (inner.width < node.width).then(|| consecutive(&inner, nodes))?
        }
        Op::Concat if node.width <= 64 && node.l != 0 && node.r != 0 => {
            let (high, low) = (at(nodes, node.l)?, at(nodes, node.r)?);
            let is_smaller = |n: &Node| n.width < node.width;
            if !is_smaller(&high) || !is_smaller(&low) {
                return None;
            }
            let (object, offset, n) = consecutive(&low, nodes)?;
            let next = (object, offset.checked_add(n)?);
            let (high_object, high_offset, m) = consecutive(&high, nodes)?;
            (next == (high_object, high_offset)).then_some((object, offset, n + m))
        }
        _ => None,
    }
}

/// A test in a chain.
struct Test {
    /// Object and offset of the byte.
    byte: (u32, u32),
    /// What it is compared with.
    value: u8,
    /// Labels of what follows where they are equal, and where they are not.
    equal: u32,
    other: u32,
}

fn test(node: &Node, nodes: &[PackedNode]) -> Option<Test> {
    if node.op() != Some(Op::Ite) {
        return None;
    }
    let condition = at(nodes, node.l)?;
    let (equal, other) = match condition.op()? {
        Op::Eq => (node.r, node.t),
        Op::Ne => (node.t, node.r),
        _ => return None,
    };
    let (operand, value) = comparison(&condition, nodes)?;
    let (object, offset, n) = consecutive(&operand, nodes)?;
    let value = u8::try_from(value).ok().filter(|_| n == 1)?;
    Some(Test { byte: (object, offset), value, equal, other })
}

/// Words that chains of tests spell: at most `most` of at most `max_len` bytes, later ones of the trace first.
pub fn chains(nodes: &[PackedNode], max_len: usize, most: usize) -> Vec<Place> {
    let mut is_inner = vec![false; nodes.len()];
    let mut all = Vec::new();
    for outermost in (0..nodes.len()).rev() {
        if all.len() >= most {
            break;
        }
        if !is_inner[outermost]
            && let Some(place) = chain(nodes, outermost, max_len, &mut is_inner)
            && place.compared.len() > 1
        {
            all.push(place);
        }
    }
    all
}

fn chain(nodes: &[PackedNode], outermost: usize, max_len: usize, is_inner: &mut [bool]) -> Option<Place> {
    let first = test(&nodes[outermost].unpack(), nodes)?;
    let (object, offset) = first.byte;
    let mut place = Place { object, offset, compared: Vec::new() };
    let mut next = Some(first);
    while let Some(Test { byte, value, equal, other }) = next {
        let is_at = |len: usize| Some(byte) == offset.checked_add(len as u32).map(|o| (object, o));
        let len = place.compared.len();
        let follows = if is_at(len) && len < max_len {
            place.compared.push(value);
            equal
        } else if value == 0 && len > 0 && is_at(len - 1) {
            // Equal so far: is that the end of both?
            other
        } else {
            break;
        };
        // Operands are smaller labels, so this ends.
        if let Some(inner) = is_inner.get_mut(follows as usize) {
            *inner = true;
        }
        next = at(nodes, follows).and_then(|n| test(&n, nodes));
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes by hand; label 0 is none.
    struct Nodes(Vec<PackedNode>);

    impl Nodes {
        fn new() -> Nodes {
            let mut nodes = Nodes(Vec::new());
            nodes.add(Op::Const, 1, [0; 3], [0; 2]);
            nodes
        }

        fn add(&mut self, op: Op, width: u16, [l, r, t]: [u32; 3], [a, b]: [u64; 2]) -> u32 {
            self.0.push(PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t, a, b }));
            self.0.len() as u32 - 1
        }

        fn byte(&mut self, offset: u64) -> u32 {
            self.add(Op::Input, 8, [0; 3], [offset, 0])
        }

        fn choice(&mut self, byte: u32, value: u8, equal: u32, other: u32) -> u32 {
            let same = self.add(Op::Eq, 1, [byte, 0, 0], [0, value.into()]);
            self.add(Op::Ite, 32, [same, equal, other], [0; 2])
        }

        /// As the model of `strcmp` puts it, from the last byte to the first.
        fn string_comparison(&mut self, word: &[u8], from: u64) -> u32 {
            let zero = self.add(Op::Const, 32, [0; 3], [0, 0]);
            let differs = self.add(Op::Const, 32, [0; 3], [7, 0]);
            let mut rest = zero;
            for (k, &c) in word.iter().enumerate().rev() {
                let byte = self.byte(from + k as u64);
                let goes_on = self.choice(byte, 0, zero, rest);
                rest = self.choice(byte, c, goes_on, differs);
            }
            rest
        }
    }

    #[test]
    fn the_chain_of_a_string_comparison_spells_its_word_once() {
        let mut nodes = Nodes::new();
        nodes.string_comparison(b"remove", 3);
        nodes.string_comparison(b"add", 9);
        let place = |offset, word: &[u8]| Place { object: 0, offset, compared: word.to_vec() };
        assert_eq!(chains(&nodes.0, 64, 9), [place(9, b"add"), place(3, b"remove")]);
        assert_eq!(chains(&nodes.0, 64, 1), [place(9, b"add")]);
    }

    #[test]
    fn a_chain_that_leaves_its_bytes_ends_there() {
        let mut nodes = Nodes::new();
        let end = nodes.add(Op::Const, 32, [0; 3], [0, 0]);
        let far = nodes.byte(8);
        let inner = nodes.choice(far, b'z', end, end);
        let second = nodes.byte(1);
        let inner = nodes.choice(second, b'b', inner, end);
        let first = nodes.byte(0);
        nodes.choice(first, b'a', inner, end);
        assert_eq!(chains(&nodes.0, 64, 9), [Place { object: 0, offset: 0, compared: b"ab".to_vec() }]);
    }

    #[test]
    fn bytes_read_as_one_value_are_known_as_such() {
        let mut nodes = Nodes::new();
        let [a, b, c, far] = [4, 5, 6, 9].map(|k| nodes.byte(k));
        let two = nodes.add(Op::Concat, 16, [b, a, 0], [0; 2]);
        let three = nodes.add(Op::Concat, 24, [c, two, 0], [0; 2]);
        let wide = nodes.add(Op::ZExt, 64, [three, 0, 0], [0; 2]);
        let gap = nodes.add(Op::Concat, 16, [far, a, 0], [0; 2]);
        let swapped = nodes.add(Op::Concat, 16, [a, b, 0], [0; 2]);
        let of = |label: u32| consecutive(&nodes.0[label as usize].unpack(), &nodes.0);
        assert_eq!([of(wide), of(a)], [Some((0, 4, 3)), Some((0, 4, 1))]);
        assert_eq!([of(gap), of(swapped)], [None, None]);
    }
}
