//! Which constraints of a query read a byte. Found out byte by byte as bytes are changed: most never are.

use expr::{Arena, ExprId, InputSet};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The constraints of a query by the bytes they read.
pub(crate) struct Touching<'a> {
    arena: &'a Arena,
    constraints: &'a [ExprId],
    /// Constraints by what they read: many read the same.
    sets: Vec<(InputSet, Vec<usize>)>,
    known: FxHashMap<(u32, u32), Rc<[usize]>>,
}

impl<'a> Touching<'a> {
    pub(crate) fn new(arena: &'a Arena, constraints: &'a [ExprId]) -> Touching<'a> {
        Touching { arena, constraints, sets: Vec::new(), known: FxHashMap::default() }
    }

    /// Whether all constraints read the same single byte.
    pub(crate) fn is_one_byte(&self) -> bool {
        let Some((&first, others)) = self.constraints.split_first() else { return false };
        let set = self.arena.input_set(first);
        self.arena.view_inputs(set).len() == 1 && others.iter().all(|&c| self.arena.input_set(c) == set)
    }

    /// Constraints that read any of the bytes, ascending, and the work of finding them.
    pub(crate) fn any_of(&mut self, bytes: &[(u32, u32)]) -> (Vec<usize>, u64) {
        let mut work = 0;
        let lists: Vec<Rc<[usize]>> = bytes.iter().map(|&byte| self.of(byte, &mut work)).collect();
        let mut all = lists.first().map_or_else(Vec::new, |list| list.to_vec());
        if lists.len() > 1 {
            lists[1..].iter().for_each(|list| all.extend_from_slice(list));
            all.sort_unstable();
            all.dedup();
        }
        (all, work + 1)
    }

    fn of(&mut self, byte: (u32, u32), work: &mut u64) -> Rc<[usize]> {
        if let Some(known) = self.known.get(&byte) {
            return known.clone();
        }
        if self.sets.is_empty() {
            let mut index = FxHashMap::default();
            for (k, &constraint) in self.constraints.iter().enumerate() {
                let set = self.arena.input_set(constraint);
                let at = *index.entry(set).or_insert_with(|| {
                    self.sets.push((set, Vec::new()));
                    self.sets.len() - 1
                });
                self.sets[at].1.push(k);
            }
        }
        *work += 2 * self.sets.len() as u64;
        let reading =
            self.sets.iter().filter(|(set, _)| self.arena.view_inputs(*set).contains(byte.0, byte.1));
        let mut list: Vec<usize> = reading.flat_map(|(_, constraints)| constraints.iter().copied()).collect();
        list.sort_unstable();
        let list: Rc<[usize]> = list.into();
        self.known.insert(byte, list.clone());
        list
    }
}
