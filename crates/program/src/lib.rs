//! The program map: functions, blocks, conditionals, branches and calls of a whole program, as the source
//! wrote them (before optimisation), under dense ids that are the same in every flavour.
//!
//! Words as in the field: a *conditional* ([`Cond`]) is a place where control splits; each of its outcomes
//! is a *branch* ([`Branch`]), the thing that is covered. A two-way conditional has branch 0 for *false* and
//! 1 for *true*; a switch has branch 0 for `default` and k for its k-th case.

#![forbid(unsafe_code)]

mod checks;
mod coverage;
mod distance;
mod goals;
mod graph;
mod lines;

pub use checks::{Check, CheckKind};
pub use coverage::{Coverage, Tally};
pub use distance::Distances;
pub use goals::{ERROR_FUNCTIONS, GoalKind};
pub use graph::{Cfcg, Reachable, Vertex};
pub use lines::{BlockCoverage, Lines};
use serde::{Deserialize, Serialize};
use trace_abi::MAX_CALLEES;

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into the map's vector of these.
            pub const fn index(self) -> usize { self.0 as usize }
        }
    )+};
}
ids! {
    /// A function with a body.
    FunctionId;
    /// A basic block, numbered over the whole program.
    BlockId;
    /// A conditional.
    CondId;
    /// One outcome of a conditional.
    BranchId;
    /// A call (direct, external or indirect).
    CallId;
    /// A source file.
    FileId;
}

/// Version of the serialized form of [`ProgramMap`].
pub const MAP_VERSION: u32 = 4;

/// The whole map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramMap {
    /// [`MAP_VERSION`].
    pub version: u32,
    /// Source files, as absolute paths where debug information has them.
    pub files: Vec<String>,
    /// Functions by id.
    pub functions: Vec<Function>,
    /// Blocks by id; those of one function are consecutive, its entry first.
    pub blocks: Vec<Block>,
    /// Conditionals by id.
    pub conds: Vec<Cond>,
    /// Branches by id; those of one conditional are consecutive.
    pub branches: Vec<Branch>,
    /// Calls by id.
    pub calls: Vec<Call>,
    /// How many functions at the end are library code (system headers, the C++ library's own unit): followed like the
    /// others, but part of no coverage.
    pub library_functions: u32,
    /// How many branches are theirs: the last ones before those of goals.
    pub library_branches: u32,
    /// How many conditionals at the end stand for goals beside the source's branches: see [`GoalKind`].
    pub goal_conds: u32,
    /// How many branches at the end are theirs.
    pub goal_branches: u32,
    /// Checks put in on request.
    pub checks: Vec<Check>,
    /// Constant strings that input may be compared with.
    pub words: Vec<Vec<u8>>,
}

/// A place in the source; line 0 means unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// File, or `None` without debug information.
    pub file: Option<FileId>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 unknown.
    pub column: u32,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name for people (demangled where C++).
    pub name: String,
    /// Name in the object file.
    pub linkage_name: String,
    /// Where it is defined.
    pub span: Span,
    /// First block (the entry).
    pub first_block: BlockId,
    /// Number of blocks.
    pub n_blocks: u32,
    /// Its address is taken: it may be called indirectly.
    pub address_taken: bool,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its function.
    pub function: FunctionId,
    /// Source lines of its instructions, sorted, without repeats.
    pub lines: Vec<u32>,
    /// File of those lines.
    pub file: Option<FileId>,
    /// What happens inside, in program order: calls and source-level selects (`?:` without control flow).
    pub steps: Vec<Step>,
    /// Successors; with a two-way branch: false first, then true; with a switch: default, then the cases.
    pub succs: Vec<Succ>,
}

/// Something inside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A call.
    Call(CallId),
    /// A conditional without control flow (kind [`CondKind::Select`]).
    Select(CondId),
}

/// An edge of the control-flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Succ {
    /// Target.
    pub to: BlockId,
    /// The branch this edge is, if control splits here.
    pub branch: Option<BranchId>,
}

/// A conditional.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cond {
    /// Its function.
    pub function: FunctionId,
    /// Its block (it is the block's terminator unless a select).
    pub block: BlockId,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: CondKind,
    /// First branch.
    pub first_branch: BranchId,
    /// Number of branches.
    pub n_branches: u32,
}

/// What a conditional is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CondKind {
    /// `if`, `&&`, loop condition …: branches 0 (false) and 1 (true).
    If,
    /// `?:` compiled without control flow: branches 0 (false) and 1 (true).
    Select,
    /// `switch` over a value of `width` bits: branch 0 is `default`, branch k is `cases[k - 1]`.
    Switch {
        /// Width of the switched value in bits.
        width: u32,
        /// Case values, zero-extended.
        cases: Vec<u64>,
    },
    /// No conditional of the source, but a goal beside its branches.
    Goal(GoalKind),
}

/// One outcome of a conditional.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// Its conditional.
    pub cond: CondId,
    /// Which outcome, see [`CondKind`].
    pub outcome: u32,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Block that contains it.
    pub block: BlockId,
    /// Where it stands.
    pub span: Span,
    /// Whom it calls.
    pub callee: Callee,
}

/// Whom a call calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// A function of the program.
    Function(FunctionId),
    /// A function without bitcode, by name.
    External(String),
    /// Decided at run time.
    Indirect,
}

impl ProgramMap {
    /// Functions of the program itself: those with lower ids than this.
    pub fn n_own_functions(&self) -> usize {
        self.functions.len().saturating_sub(self.library_functions as usize)
    }

    /// Branches of the program itself, the goals: those with lower ids than this.
    pub fn n_own_branches(&self) -> usize {
        self.first_goal().saturating_sub(self.library_branches as usize)
    }

    /// Whether a function belongs to the program itself.
    pub fn is_own(&self, function: FunctionId) -> bool {
        function.index() < self.n_own_functions()
    }

    /// Branch that `value` selects at conditional `cond`.
    ///
    /// Returns `None` if there is no such conditional in the source.
    pub fn branch_of(&self, cond: CondId, value: u64) -> Option<BranchId> {
        if let Some(check) = self.check_of(cond) {
            return Some(self.check_branch(check, value != 0));
        }
        let c = self.conds.get(cond.index())?;
        let outcome = match &c.kind {
            CondKind::If | CondKind::Select => (value != 0) as u32,
            CondKind::Switch { cases, .. } => {
                cases.iter().position(|&v| v == value).map_or(0, |k| k as u32 + 1)
            }
            CondKind::Goal(_) => return None,
        };
        Some(BranchId(c.first_branch.0 + outcome))
    }

    /// The number under which a decision of a library model is flipped: a conditional beside those of the program. Its two
    /// branches ([`ProgramMap::library_branch`]) are not in [`ProgramMap::branches`] and never count as coverage.
    pub fn library_cond(&self) -> CondId {
        CondId(self.conds.len() as u32)
    }

    /// The branch of [`ProgramMap::library_cond`] with this outcome.
    pub fn library_branch(&self, outcome: bool) -> BranchId {
        BranchId(self.branches.len() as u32 + u32::from(outcome))
    }

    /// The outcome that a branch of [`ProgramMap::library_cond`] stands for; `None` for all others.
    pub fn library_outcome(&self, branch: BranchId) -> Option<bool> {
        [false, true].into_iter().find(|&outcome| self.library_branch(outcome) == branch)
    }

    /// The number under which the choice of an indirect call's callee is flipped: like [`ProgramMap::library_cond`] not one of the
    /// program's conditionals.
    pub fn call_cond(&self, call: CallId) -> CondId {
        CondId((self.conds.len() as u32 + 1).saturating_add(call.0))
    }

    /// The branch of [`ProgramMap::call_cond`] that stands for the `which`-th of the pointers it chooses among; `None` if there is no
    /// such call or there are too many.
    pub fn call_branch(&self, call: CallId, which: u64) -> Option<BranchId> {
        let known = call.index() < self.calls.len() && which < u64::from(MAX_CALLEES);
        let first = self.branches.len() as u64 + 2 + u64::from(call.0) * u64::from(MAX_CALLEES);
        if known { u32::try_from(first + which).ok().map(BranchId) } else { None }
    }

    /// The call and the pointer that a branch of a [`ProgramMap::call_cond`] stands for; `None` for all others.
    pub fn call_outcome(&self, branch: BranchId) -> Option<(CallId, u32)> {
        let beyond = branch.0.checked_sub(self.branches.len() as u32 + 2)?;
        let (call, which) = (beyond / u32::from(MAX_CALLEES), beyond % u32::from(MAX_CALLEES));
        ((call as usize) < self.calls.len()).then_some((CallId(call), which))
    }

    /// Conditional and outcome of a branch: of the program's, a library model's, an indirect call's or a check's.
    pub fn outcome_of(&self, branch: BranchId) -> Option<(CondId, u32)> {
        if let Some(own) = self.branches.get(branch.index()) {
            return Some((own.cond, own.outcome));
        }
        if let Some(outcome) = self.library_outcome(branch) {
            return Some((self.library_cond(), u32::from(outcome)));
        }
        if let Some((call, which)) = self.call_outcome(branch) {
            return Some((self.call_cond(call), which));
        }
        self.check_outcome(branch).map(|(check, fails)| (self.check_cond(check), u32::from(fails)))
    }

    /// The paired branch of a two-way conditional, `None` for a switch and for goals.
    pub fn paired(&self, branch: BranchId) -> Option<BranchId> {
        let b = self.branches[branch.index()];
        let c = &self.conds[b.cond.index()];
        match c.kind {
            CondKind::If | CondKind::Select => Some(BranchId(c.first_branch.0 + 1 - b.outcome)),
            CondKind::Switch { .. } | CondKind::Goal(_) => None,
        }
    }

    /// Function of a branch.
    pub fn function_of(&self, branch: BranchId) -> FunctionId {
        self.conds[self.branches[branch.index()].cond.index()].function
    }

    /// Branches of a conditional.
    pub fn branches_of(&self, cond: CondId) -> impl Iterator<Item = BranchId> + use<> {
        let c = &self.conds[cond.index()];
        (c.first_branch.0..c.first_branch.0 + c.n_branches).map(BranchId)
    }
}
