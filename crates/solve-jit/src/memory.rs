//! What compiled code reads and writes besides the input. All of it keeps its address as long as the function lives.

use expr::{Bits, Op};
use solve_search::Part;
use std::cell::Cell;

/// Memory of one function.
pub(crate) struct Memory {
    /// Values of more than 64 bits, and narrow ones that are operands of operations on such.
    words: Vec<Cell<u64>>,
    /// First word of each node that has any.
    places: Vec<Option<usize>>,
    /// Operations that are calls.
    #[expect(clippy::vec_box, reason = "the code refers to them by address while more are added")]
    steps: Vec<Box<Step>>,
    /// Tables as they are read.
    pub(crate) tables: Vec<TableView>,
}

/// An operation with an operand or a result of more than 64 bits.
pub(crate) struct Step {
    pub op: Op,
    pub width: u16,
    pub imm: u64,
    pub operands: Vec<Operand>,
    /// Words of the result if it has more than 64 bits.
    pub result: *const Cell<u64>,
}

/// Where an operand is.
pub(crate) struct Operand {
    pub width: u16,
    pub words: *const Cell<u64>,
}

impl Operand {
    /// Its value.
    ///
    /// # Safety
    /// The [`Memory`] it belongs to must be there.
    pub(crate) unsafe fn value(&self) -> Bits {
        let count = usize::from(self.width).div_ceil(64);
        // SAFETY: `Memory::new` made room for as many words as the width needs.
        let words = unsafe { std::slice::from_raw_parts(self.words, count) };
        Bits::from_words(self.width, words.iter().map(Cell::get).collect())
    }
}

/// A table as it is read.
pub(crate) struct TableView {
    pub base: u64,
    /// Its bytes; the symbolic ones are written before they are read.
    pub bytes: Vec<Cell<u8>>,
}

fn words_of(width: u16) -> usize {
    usize::from(width).div_ceil(64)
}

impl Memory {
    /// Room for the values of a part; its wide constants are there.
    pub(crate) fn new(part: &Part) -> Memory {
        let is_wide = |node: u32| part.nodes[node as usize].width > 64;
        let mut needed = vec![false; part.nodes.len()];
        for (k, node) in part.nodes.iter().enumerate() {
            needed[k] |= node.width > 64;
            if node.width > 64 || node.args().iter().any(|&a| is_wide(a)) {
                node.args().iter().for_each(|&a| needed[a as usize] = true);
            }
        }
        let (mut count, mut places) = (0, vec![None; part.nodes.len()]);
        for (k, node) in part.nodes.iter().enumerate().filter(|(k, _)| needed[*k]) {
            places[k] = Some(count);
            count += words_of(node.width);
        }
        let words = vec![Cell::new(0); count];
        for (node, place) in part.nodes.iter().zip(&places) {
            if let (Op::Const, Some(place)) = (node.op, place)
                && node.width > 64
            {
                let value = part.wide[node.imm as usize].words();
                words[*place..].iter().zip(value).for_each(|(word, &v)| word.set(v));
            }
        }
        let view = |table: &solve_search::PartTable| {
            let bytes = table.bytes.iter().map(|&byte| Cell::new(byte)).collect();
            TableView { base: table.base, bytes }
        };
        Memory { words, places, steps: Vec::new(), tables: part.tables.iter().map(view).collect() }
    }

    /// Where a node's value is; it must be one that has a place.
    pub(crate) fn words(&self, node: usize) -> *const Cell<u64> {
        let place = self.places[node].expect("operands and results of wide operations have a place");
        self.words[place..].as_ptr()
    }

    /// A description of a node for a call.
    pub(crate) fn step(&mut self, part: &Part, node: usize) -> *const Step {
        let n = &part.nodes[node];
        let operands = n.args().iter().map(|&a| {
            let a = a as usize;
            Operand { width: part.nodes[a].width, words: self.words(a) }
        });
        let operands = operands.collect();
        let result = if n.width > 64 { self.words(node) } else { std::ptr::null() };
        let step = Step { op: n.op, width: n.width, imm: n.imm, operands, result };
        self.steps.push(Box::new(step));
        &raw const **self.steps.last().expect("one was just added")
    }
}
