//! Constraints made ready, kept from query to query: those along a path occur in most of its queries.
//!
//! A constraint is known by its structural hash, so that it is found again in every arena. One that is evaluated
//! often is compiled, if there is a compiler. When all together weigh too much, everything is dropped.

use crate::part::{Layout, Part, Scratch};
use expr::{Arena, ExprId};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes constraints fast to evaluate.
pub trait Compiler: Send {
    /// The constraint as native code, `None` if it is too large for that.
    fn compile(&mut self, part: &Part) -> Option<Box<dyn Native>>;
}

/// A compiled constraint.
pub trait Native: Send {
    /// What [`Part::distance`] is after [`Part::evaluate`] with these bytes, to the bit.
    ///
    /// # Panics
    /// If there are fewer bytes than the part's layout had when it was made.
    fn distance(&mut self, bytes: &[u8]) -> f64;
}

/// Work, in expressions evaluated by interpretation: what one compiled costs.
const NATIVE_SHARE: u64 = 8;
/// Work of compiling a constraint, and for each expression of it: an estimate (60 µs and 1 µs, with 5 ns for an
/// expression interpreted), which only decides how soon compiling is tried.
const COMPILATION: u64 = 12_000;
const COMPILATION_OF_NODE: u64 = 200;
/// Work of making a constraint ready, for each expression.
const PREPARATION: u64 = 40;
/// Bytes of a node and what belongs to it, about.
const NODE_WEIGHT: usize = 160;
/// All that is kept weighs at most so many bytes.
const MAX_WEIGHT: usize = 64 << 20;

struct Entry {
    part: Part,
    native: Option<Box<dyn Native>>,
    /// Compiling was tried.
    is_tried: bool,
    /// Work of interpreting it so far.
    spent: u64,
}

/// A shelf that several searches of one worker share.
#[derive(Clone)]
pub struct Shelf(Arc<Mutex<Kept>>);

impl Shelf {
    /// An empty shelf; without a compiler everything is interpreted.
    pub fn new(compiler: Option<Box<dyn Compiler>>) -> Shelf {
        Shelf(Arc::new(Mutex::new(Kept::new(compiler))))
    }

    /// What is kept, for one query; everything is dropped before if it weighs too much.
    pub(crate) fn open(&self) -> MutexGuard<'_, Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.weight > MAX_WEIGHT {
            *kept = Kept::new(kept.compiler.take());
        }
        kept
    }
}

/// What is kept on a shelf.
pub(crate) struct Kept {
    entries: Vec<Entry>,
    index: FxHashMap<u128, Option<usize>>,
    layout: Layout,
    scratch: Scratch,
    weight: usize,
    compiler: Option<Box<dyn Compiler>>,
    /// The bytes of the model that was found last.
    pub(crate) earlier: Vec<(usize, u8)>,
}

impl Kept {
    fn new(compiler: Option<Box<dyn Compiler>>) -> Kept {
        let (entries, index, layout, scratch, earlier) = Default::default();
        Kept { entries, index, layout, scratch, weight: 0, compiler, earlier }
    }

    /// The place of a constraint, made ready if need be, and the work that cost; `None` if it has more than `limit`
    /// expressions.
    pub(crate) fn place(&mut self, arena: &Arena, constraint: ExprId, limit: usize) -> (Option<usize>, u64) {
        let hash = arena.hash(constraint);
        if let Some(&known) = self.index.get(&hash) {
            return (known, 1);
        }
        let Some(part) = Part::new(arena, constraint, &mut self.layout, &mut self.scratch, limit) else {
            self.weight += NODE_WEIGHT;
            self.index.insert(hash, None);
            return (None, PREPARATION * limit as u64);
        };
        let work = PREPARATION * part.nodes.len() as u64;
        let tables: usize = part.tables.iter().map(|table| table.bytes.len()).sum();
        self.weight += NODE_WEIGHT * (8 + part.nodes.len()) + tables;
        let at = self.entries.len();
        self.entries.push(Entry { part, native: None, is_tried: false, spent: 0 });
        self.index.insert(hash, Some(at));
        (Some(at), work)
    }

    pub(crate) fn layout(&mut self) -> &mut Layout {
        &mut self.layout
    }

    pub(crate) fn part(&self, at: usize) -> &Part {
        &self.entries[at].part
    }

    /// Evaluates all nodes of a part, and gives the work.
    pub(crate) fn evaluate(&mut self, at: usize, bytes: &[u8]) -> u64 {
        let part = &mut self.entries[at].part;
        part.evaluate(bytes);
        part.nodes.len() as u64
    }

    /// Distance of a part, and the work of finding it out.
    pub(crate) fn distance(&mut self, at: usize, bytes: &[u8]) -> (f64, u64) {
        let entry = &mut self.entries[at];
        let nodes = entry.part.nodes.len() as u64;
        if let Some(native) = &mut entry.native {
            return (native.distance(bytes), nodes.div_ceil(NATIVE_SHARE));
        }
        let compilation = COMPILATION + COMPILATION_OF_NODE * nodes;
        if entry.spent >= compilation && !entry.is_tried {
            entry.is_tried = true;
            entry.native = self.compiler.as_mut().and_then(|compiler| compiler.compile(&entry.part));
            if let Some(native) = &mut entry.native {
                self.weight += NODE_WEIGHT * (64 + entry.part.nodes.len());
                return (native.distance(bytes), compilation);
            }
        }
        entry.spent += nodes;
        entry.part.evaluate(bytes);
        (entry.part.distance(), nodes)
    }
}
