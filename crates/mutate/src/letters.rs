//! Text that a program asks for letter by letter: values of one byte, one after the other and of one name, read as one stream.
//!
//! Which bytes a comparison was about is known by their objects and offsets; of such values each is an object of its own, so that no word would
//! be seen in them.

use std::borrow::Cow;
use trace::{Input, Object, ObjectKind, Op, PackedNode, Trace};

/// For each object of an input: the first one of the text that it is a letter of, and its place there.
pub fn places(input: &Input) -> Vec<(u32, u32)> {
    let is_letter = |o: &Object| o.kind == ObjectKind::Value && o.data.len() == 1;
    let mut all: Vec<(u32, u32)> = Vec::with_capacity(input.objects.len());
    for (k, object) in input.objects.iter().enumerate() {
        let before = k.checked_sub(1).map(|before| &input.objects[before]);
        let goes_on = before.is_some_and(|b| is_letter(b) && is_letter(object) && b.name == object.name);
        match all.last().copied().filter(|_| goes_on) {
            Some((first, place)) => all.push((first, place + 1)),
            None => all.push((k as u32, 0)),
        }
    }
    all
}

/// The nodes of a trace, in which letters of a text are bytes of its first object.
pub fn joined<'t>(trace: &'t Trace, places: &[(u32, u32)]) -> Cow<'t, [PackedNode]> {
    if places.iter().all(|place| place.1 == 0) {
        return Cow::Borrowed(&trace.nodes);
    }
    let join = |packed: &PackedNode| {
        if packed.op() != Some(Op::Input) {
            return *packed;
        }
        let mut node = packed.unpack();
        let (object, offset) = (node.a >> 32, node.a & u64::from(u32::MAX));
        if let Some(&(first, place)) = places.get(object as usize).filter(|place| place.1 > 0) {
            node.a = u64::from(first) << 32 | (u64::from(place) + offset);
        }
        PackedNode::new(node)
    };
    Cow::Owned(trace.nodes.iter().map(join).collect())
}
