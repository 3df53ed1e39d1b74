//! Text that a program asks for letter by letter: values of one byte, one after the other and of one name, read as one stream.
//!
//! Which bytes a comparison was about is known by their objects and offsets; of such values each is an object of its own, so that no word would
//! be seen in them.

use std::ops::Range;
use trace::{Input, Object, ObjectKind, Op, PackedNode, TableView, Trace, Values};

/// Most bits of values wider than 64 in a trace whose values are asked for.
const MAX_WIDE: u64 = 1 << 24;

/// Whether `object` is a letter of the same text as the one before it.
fn goes_on(before: &Object, object: &Object) -> bool {
    let is_letter = |o: &Object| o.kind == ObjectKind::Value && o.data.len() == 1;
    is_letter(before) && is_letter(object) && before.name == object.name
}

/// The text that object `at` is a letter of; of any other object, it alone.
pub fn around(objects: &[Object], at: usize) -> Range<usize> {
    let start = (0..at).rev().find(|&k| !goes_on(&objects[k], &objects[k + 1])).map_or(0, |k| k + 1);
    let end = (at + 1..objects.len()).find(|&k| !goes_on(&objects[k - 1], &objects[k]));
    start..end.unwrap_or(objects.len())
}

/// For each object of an input: the first one of the text that it is a letter of, and its place there.
pub fn places(input: &Input) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = Vec::with_capacity(input.objects.len());
    for (k, object) in input.objects.iter().enumerate() {
        let before = k.checked_sub(1).map(|before| &input.objects[before]);
        match all.last().copied().filter(|_| before.is_some_and(|b| goes_on(b, object))) {
            Some((first, place)) => all.push((first, place + 1)),
            None => all.push((k as u32, 0)),
        }
    }
    all
}

/// The nodes of a trace of `input`, in which letters of a text (`places`) are bytes of its first object, bytes over which something may have
/// been written (the end of a word, where its length depends on the input) are what they were before, and bytes that were read where the
/// input said (behind a blank that was searched for) are those that were there.
pub fn read(trace: &Trace, input: &Input, places: &[(u32, u32)]) -> Vec<PackedNode> {
    let mut all: Vec<PackedNode> = Vec::with_capacity(trace.nodes.len());
    let mut values = None;
    for (label, packed) in trace.nodes.iter().enumerate() {
        all.push(match packed.op() {
            _ if label == 0 => *packed,
            Some(Op::Input) => letter(*packed, places),
            Some(Op::Ite | Op::Read) if packed.width == 8 => {
                let chosen = || {
                    // Only few traces have any that are worth evaluating the whole.
                    if !may_choose(trace, packed, &all) {
                        return None;
                    }
                    let values =
                        values.get_or_insert_with(|| is_cheap(trace).then(|| Values::new(trace, input)));
                    let values = values.as_ref()?;
                    let byte = *all.get(values.chosen(label as u32)? as usize)?;
                    is_input(&byte).then_some(byte)
                };
                kept(packed, &all).or_else(chosen).unwrap_or(*packed)
            }
            _ => *packed,
        });
    }
    all
}

/// Whether a trace can be evaluated in a fraction of a second: values of more than 64 bits take memory and time by their width.
fn is_cheap(trace: &Trace) -> bool {
    let wide = trace.nodes.iter().filter(|n| n.width > 64).map(|n| u64::from(n.width)).sum::<u64>();
    wide <= MAX_WIDE
}

fn is_input(packed: &PackedNode) -> bool {
    packed.op() == Some(Op::Input)
}

/// Whether a choice or a read of one byte may come out as an input byte: one is among the alternatives, or the table has labels.
fn may_choose(trace: &Trace, packed: &PackedNode, before: &[PackedNode]) -> bool {
    let node = packed.unpack();
    match node.op() {
        Some(Op::Ite) => {
            [node.r, node.t].iter().any(|&label| before.get(label as usize).is_some_and(is_input))
        }
        _ => TableView::at(&trace.tables, node.a).is_some_and(|table| table.is_labelled()),
    }
}

fn letter(packed: PackedNode, places: &[(u32, u32)]) -> PackedNode {
    let mut node = packed.unpack();
    let (object, offset) = (node.a >> 32, node.a & u64::from(u32::MAX));
    let Some(&(first, place)) = places.get(object as usize).filter(|place| place.1 > 0) else {
        return packed;
    };
    node.a = u64::from(first) << 32 | (u64::from(place) + offset);
    PackedNode::new(node)
}

/// The input byte in a choice between one and a constant.
fn kept(packed: &PackedNode, before: &[PackedNode]) -> Option<PackedNode> {
    let node = packed.unpack();
    let of = |label: u32| before.get(label as usize).copied();
    match (of(node.r)?, of(node.t)?) {
        (one, byte) if one.op() == Some(Op::Const) && is_input(&byte) => Some(byte),
        (byte, one) if one.op() == Some(Op::Const) && is_input(&byte) => Some(byte),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;
    use trace::Node;

    fn node(op: Op, width: u16, [l, r, t]: [u32; 3], a: u64, b: u64) -> PackedNode {
        PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t, a, b })
    }

    #[test]
    fn values_of_one_byte_and_one_name_are_a_text() {
        let object = |kind, name: &str, data: &[u8]| Object::new(kind, name, data);
        let value = |name: &str, data: &[u8]| object(ObjectKind::Value, name, data);
        let objects = vec![
            object(ObjectKind::Stdin, "stdin", b"a"),
            value("key", b"x"),
            value("key", b"y"),
            value("key", b"long"),
            value("key", b"z"),
            value("other", b"z"),
            value("other", b"z"),
        ];
        let expected = [(0, 0), (1, 0), (1, 1), (3, 0), (4, 0), (5, 0), (5, 1)];
        assert_eq!(places(&Input { objects }), expected);
    }

    #[test]
    fn words_are_seen_in_letters_that_may_have_been_written_over() {
        // `ruth` against values 1 to 4, over each of which an end of the word may have been written, where value 5 says so.
        let mut nodes = vec![node(Op::Const, 1, [0; 3], 0, 0), node(Op::Input, 8, [0; 3], 5 << 32, 0)];
        nodes.push(node(Op::Eq, 1, [1, 0, 0], 0, 13));
        nodes.push(node(Op::Const, 8, [0; 3], 0, 0));
        nodes.push(node(Op::Const, 32, [0; 3], 7, 0));
        let mut rest = 4;
        for (k, letter) in [(1u64, b'r'), (2, b'u'), (3, b't'), (4, b'h')].into_iter().rev() {
            let at = nodes.len() as u32;
            nodes.push(node(Op::Input, 8, [0; 3], k << 32, 0));
            nodes.push(node(Op::Ite, 8, [2, 3, at], 0, 0));
            nodes.push(node(Op::Eq, 1, [at + 1, 0, 0], 0, letter.into()));
            nodes.push(node(Op::Ite, 32, [at + 2, rest, 4], 0, 0));
            rest = at + 3;
        }
        let trace = Trace { nodes, ..Trace::default() };
        let value = |b: u8| Object::new(ObjectKind::Value, "byte", vec![b]);
        let mut input = Input::stdin("");
        input.objects.extend(b"rest!".iter().copied().map(value));
        let words: Vec<Vec<u8>> =
            tokens::of_input(&trace, &input).places.into_iter().map(|p| p.compared).collect();
        assert_eq!(words, [b"ruth"]);
        assert!(tokens::of(&trace).places.is_empty(), "each byte by itself");
        let said = crate::spoken(&trace, &input).concat();
        assert_eq!(said, [true, false, false, false, false], "as far as it was right");
    }

    #[test]
    fn words_are_seen_behind_a_blank_that_was_searched_for() {
        // A line of eight bytes at 0x1000, read from the address 0x1001 + (byte 0) on, and compared with `ruth`.
        let mut nodes = vec![PackedNode::default()];
        let mut table =
            [0x1000u64.to_le_bytes().as_slice(), &8u32.to_le_bytes(), &1u32.to_le_bytes()].concat();
        table.extend(b"\x02~ruxhy\0");
        for k in 0..8u64 {
            nodes.push(node(Op::Input, 8, [0; 3], k, 0));
            table.extend((k as u32 + 1).to_le_bytes());
        }
        nodes.push(node(Op::ZExt, 64, [1, 0, 0], 0, 0));
        nodes.push(node(Op::Const, 32, [0; 3], 7, 0));
        let (offset, other) = (9, 10);
        let mut rest = other;
        for (k, letter) in b"ruth".iter().enumerate().rev() {
            let at = nodes.len() as u32;
            nodes.push(node(Op::Add, 64, [offset, 0, 0], 0, 0x1000 + k as u64));
            nodes.push(node(Op::Read, 8, [at, 0, 0], 0, 0));
            nodes.push(node(Op::Eq, 1, [at + 1, 0, 0], 0, u64::from(*letter)));
            nodes.push(node(Op::Ite, 32, [at + 2, rest, other], 0, 0));
            rest = at + 3;
        }
        let trace = Trace { nodes, tables: table, ..Trace::default() };
        let input = Input::stdin(b"\x02~ruxhy\0");
        let places = tokens::of_input(&trace, &input).places;
        let seen: Vec<(u32, &[u8])> = places.iter().map(|p| (p.offset, p.compared.as_slice())).collect();
        assert_eq!(seen, [(2, b"ruth".as_slice())], "where the input says");
        let said = crate::spoken(&trace, &input).concat();
        assert_eq!(said, [false, false, true, true, false, true, false, false]);
        let far = Input::stdin(b"\x09~ruxhy\0");
        assert!(tokens::of_input(&trace, &far).places.is_empty(), "nothing is there");
    }

    #[test]
    fn traces_that_are_dear_to_evaluate_are_read_as_they_stand() {
        let choice = |wide: Vec<PackedNode>| {
            let mut nodes = vec![PackedNode::default()];
            nodes.push(node(Op::Input, 8, [0; 3], 0, 0));
            nodes.push(node(Op::Input, 8, [0; 3], 1, 0));
            nodes.push(node(Op::Eq, 1, [1, 0, 0], 0, 7));
            nodes.push(node(Op::Ite, 8, [3, 1, 2], 0, 0));
            nodes.extend(wide);
            let trace = Trace { nodes, ..Trace::default() };
            read(&trace, &Input::stdin([7, 9]), &[(0, 0)])[4].op()
        };
        assert_eq!(choice(Vec::new()), Some(Op::Input));
        let wide = vec![node(Op::ZExt, u16::MAX, [1, 0, 0], 0, 0); 300];
        assert_eq!(choice(wide), Some(Op::Ite));
    }
}
