//! Coverage of blocks and lines, derived from covered branches and entered functions.
//!
//! Tested programs report branches and functions only; which blocks ran follows: the entry of an entered function, the
//! target of a covered branch, the block in which a covered branch was decided, the only successor of a covered block, the
//! only predecessor of a covered block.
//!
//! Two things are assumed: a call returns (a block behind an `exit` in the middle of a function counts as covered), and of
//! several successors that are no branches (a call that may throw) the first one, the normal one, was taken.

use crate::{BlockId, BranchId, Coverage, FileId, FunctionId, ProgramMap};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

/// Lines of source with code on them, and whether some of it ran: by file, then line.
pub type Lines = BTreeMap<FileId, BTreeMap<u32, bool>>;

/// Which blocks ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCoverage {
    blocks: FixedBitSet,
}

impl BlockCoverage {
    /// Derives it.
    pub fn new(map: &ProgramMap, coverage: &Coverage) -> BlockCoverage {
        let mut blocks = FixedBitSet::with_capacity(map.blocks.len());
        let mut todo: Vec<BlockId> = Vec::new();
        for (f, function) in (0..).zip(&map.functions) {
            if coverage.entered(FunctionId(f)) && function.n_blocks > 0 {
                todo.push(function.first_block);
            }
        }
        todo.extend(coverage.covered().map(|b| map.conds[map.branches[b.index()].cond.index()].block));
        let predecessors = only_predecessors(map);
        todo.retain(|b| !blocks.put(b.index()));
        while let Some(block) = todo.pop() {
            let succs = &map.blocks[block.index()].succs;
            let splits = succs.iter().any(|s| s.branch.is_some());
            let taken = |branch: Option<BranchId>| branch.is_some_and(|b| coverage.has(b));
            let by_branch = succs.iter().filter(|s| taken(s.branch)).map(|s| s.to);
            let plain = succs.first().filter(|_| !splits).map(|s| s.to);
            let before = predecessors[block.index()];
            let next: Vec<BlockId> = by_branch.chain(plain).chain(before).collect();
            todo.extend(next.into_iter().filter(|b| !blocks.put(b.index())));
        }
        BlockCoverage { blocks }
    }

    /// Whether the block ran.
    pub fn has(&self, block: BlockId) -> bool {
        self.blocks.contains(block.index())
    }

    /// Lines of the program itself that have code on them.
    pub fn lines(&self, map: &ProgramMap) -> Lines {
        let mut lines = Lines::new();
        for (i, block) in map.blocks.iter().enumerate().filter(|(_, b)| map.is_own(b.function)) {
            let Some(file) = block.file else { continue };
            let file = lines.entry(file).or_default();
            for &line in block.lines.iter().filter(|&&l| l > 0) {
                *file.entry(line).or_default() |= self.blocks.contains(i);
            }
        }
        lines
    }
}

/// The predecessor of each block that has exactly one.
fn only_predecessors(map: &ProgramMap) -> Vec<Option<BlockId>> {
    let mut first: Vec<Option<BlockId>> = vec![None; map.blocks.len()];
    let mut several = FixedBitSet::with_capacity(map.blocks.len());
    for (block, b) in (0..).map(BlockId).zip(&map.blocks) {
        for succ in &b.succs {
            match first[succ.to.index()] {
                None => first[succ.to.index()] = Some(block),
                Some(before) if before == block => {}
                Some(_) => several.insert(succ.to.index()),
            }
        }
    }
    for i in several.ones() {
        first[i] = None;
    }
    for function in &map.functions {
        // An entry runs by being called.
        if let Some(entry) = first.get_mut(function.first_block.index()) {
            *entry = None;
        }
    }
    first
}
