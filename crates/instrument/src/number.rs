//! Dense ids for everything the source wrote: the program map.
//!
//! Runs on the joined module before any optimisation, so a *conditional* is what the source has: every
//! two-way branch, every switch, every scalar `select` that clang emitted for a cheap `?:`, the last operand of `&&` and `||` where
//! the whole is a value and no condition of a jump (the others are branches, see [`crate::circuits`]), and every computed
//! goto (`indirectbr`, a [`CondKind::Switch`] over the index of its destination, destination 0 being branch 0).
//! Left out: conditions that are constant, and the type dispatch of exception handlers
//! (`llvm.eh.typeid.for`), which no source line has. The order of ids is the order in the module, so it is the
//! same for every flavour of a program; library code (the C++ library's unit, inline functions and templates of system
//! headers) comes last, where it is counted apart.

use crate::circuits::joined;
use crate::library::LIBRARY;
use crate::llvm::{Block, Location, Module, Opcode, Value};
use crate::prepare::is_instrumented;
use program::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Where a marker is to be planted.
#[derive(Clone, Debug)]
pub enum Mark {
    /// Entry of a function.
    Function(Value, FunctionId),
    /// A two-way branch or select, its condition.
    Two(Value, Value, CondId),
    /// A switch.
    Switch(Value, CondId),
    /// A computed goto.
    Goto(Value, CondId),
    /// A direct call.
    Call(Value, CallId),
    /// An indirect call.
    Indirect(Value, CallId),
}

/// The map with the places it speaks of.
#[derive(Debug)]
pub struct Numbering {
    /// The map.
    pub map: ProgramMap,
    /// The places, in order.
    pub marks: Vec<Mark>,
}

/// Numbers a module.
pub fn number(module: &Module) -> Numbering {
    let mut n = Numberer::new(module);
    let functions: Vec<Value> = n.functions.clone();
    let mut first_of_library = None;
    for (k, function) in functions.into_iter().enumerate() {
        if k == n.n_own {
            first_of_library = Some(n.map.branches.len());
        }
        n.function(function);
    }
    n.map.library_functions = (n.map.functions.len() - n.n_own) as u32;
    n.map.library_branches = first_of_library.map_or(0, |first| (n.map.branches.len() - first) as u32);
    n.map.words = crate::words::of(module);
    Numbering { map: n.map, marks: n.marks }
}

struct Numberer {
    map: ProgramMap,
    marks: Vec<Mark>,
    functions: Vec<Value>,
    /// How many of them, at the beginning, are the program's own.
    n_own: usize,
    ids: FxHashMap<Value, FunctionId>,
    files: FxHashMap<String, FileId>,
}

impl Numberer {
    fn new(module: &Module) -> Numberer {
        let all = module.functions().into_iter().filter(|&f| is_instrumented(f));
        let (mut functions, library): (Vec<Value>, Vec<Value>) = all.partition(|&f| !is_library(f));
        let n_own = functions.len();
        functions.extend(library);
        let ids = functions.iter().enumerate().map(|(k, &f)| (f, FunctionId(k as u32))).collect();
        let map = ProgramMap { version: MAP_VERSION, ..ProgramMap::default() };
        Numberer { map, marks: Vec::new(), functions, n_own, ids, files: FxHashMap::default() }
    }

    fn file(&mut self, name: String) -> Option<FileId> {
        if name.is_empty() {
            return None;
        }
        let files = &mut self.map.files;
        Some(*self.files.entry(name).or_insert_with_key(|name| {
            files.push(name.clone());
            FileId(files.len() as u32 - 1)
        }))
    }

    fn span(&mut self, location: Option<Location>) -> Span {
        match location {
            Some(l) => Span { line: l.line, column: l.column, file: self.file(l.file) },
            None => Span { file: None, line: 0, column: 0 },
        }
    }

    fn function(&mut self, function: Value) {
        let id = self.ids[&function];
        let linkage_name = source_name(&function.name());
        let span = self.span(function.definition());
        let first_block = BlockId(self.map.blocks.len() as u32);
        let blocks = function.blocks();
        self.map.functions.push(Function {
            name: demangled(&linkage_name),
            linkage_name,
            span,
            first_block,
            n_blocks: blocks.len() as u32,
            address_taken: is_address_taken(function),
        });
        self.marks.push(Mark::Function(function, id));
        let index: FxHashMap<Block, BlockId> =
            blocks.iter().enumerate().map(|(k, &b)| (b, BlockId(first_block.0 + k as u32))).collect();
        for &block in &blocks {
            self.block(id, span.file, block, &index);
        }
    }

    fn block(
        &mut self,
        function: FunctionId,
        home: Option<FileId>,
        block: Block,
        index: &FxHashMap<Block, BlockId>,
    ) {
        let id = index[&block];
        let (mut lines, mut file, mut steps) = (BTreeSet::new(), None, Vec::new());
        for instruction in block.instructions() {
            if instruction.is(Opcode::LLVMPHI) {
                continue;
            }
            if let Some(place) = instruction.location().filter(|l| l.line > 0) {
                let line = place.line;
                let of = self.file(place.file);
                if file.is_none() || of == home {
                    if file != of {
                        lines.clear();
                    }
                    file = of;
                }
                if of == file {
                    lines.insert(line);
                }
            }
            if instruction.is_call() {
                steps.extend(self.call(id, instruction).map(Step::Call));
            } else if instruction.is(Opcode::LLVMSelect) && is_decided(instruction.operand(0)) {
                let cond = self.cond(function, id, instruction, CondKind::Select, 2);
                self.marks.push(Mark::Two(instruction, instruction.operand(0), cond));
                steps.push(Step::Select(cond));
            }
        }
        if let (Some(operand), Some(end)) = (joined(block), block.terminator()) {
            let place = operand.is_instruction() && operand.location().is_some();
            let cond = self.cond(function, id, if place { operand } else { end }, CondKind::Select, 2);
            self.marks.push(Mark::Two(end, operand, cond));
            steps.push(Step::Select(cond));
        }
        let succs = block.terminator().map_or(Vec::new(), |t| self.terminator(function, id, t, index));
        self.map.blocks.push(program::Block {
            function,
            lines: lines.into_iter().collect(),
            file,
            steps,
            succs,
        });
    }

    fn call(&mut self, block: BlockId, call: Value) -> Option<CallId> {
        if call.is_inline_asm() || call.intrinsic().is_some() {
            return None;
        }
        let span = self.span(call.location());
        let id = CallId(self.map.calls.len() as u32);
        let target = call.callee();
        let callee = match self.ids.get(&target) {
            Some(&function) => Callee::Function(function),
            None if target.is_function() || target.is_alias_or_ifunc() => Callee::External(target.name()),
            None => Callee::Indirect,
        };
        let indirect = callee == Callee::Indirect;
        self.map.calls.push(Call { block, span, callee });
        self.marks.push(if indirect { Mark::Indirect(call, id) } else { Mark::Call(call, id) });
        Some(id)
    }

    fn cond(&mut self, function: FunctionId, block: BlockId, at: Value, kind: CondKind, n: u32) -> CondId {
        let span = self.span(at.location());
        let (id, first_branch) =
            (CondId(self.map.conds.len() as u32), BranchId(self.map.branches.len() as u32));
        self.map.conds.push(Cond { function, block, span, kind, first_branch, n_branches: n });
        self.map.branches.extend((0..n).map(|outcome| Branch { cond: id, outcome }));
        id
    }

    fn terminator(
        &mut self,
        function: FunctionId,
        block: BlockId,
        t: Value,
        index: &FxHashMap<Block, BlockId>,
    ) -> Vec<Succ> {
        let targets: Vec<BlockId> = t.successors().iter().map(|b| index[b]).collect();
        let plain = |targets: &[BlockId]| targets.iter().map(|&to| Succ { to, branch: None }).collect();
        let branches = |targets: &mut dyn Iterator<Item = BlockId>, first: BranchId| {
            targets.zip(first.0..).map(|(to, b)| Succ { to, branch: Some(BranchId(b)) }).collect()
        };
        let n = targets.len() as u32;
        match t.opcode() {
            _ if self.is_compilers_own(function, t) => plain(&targets),
            Opcode::LLVMBr if n == 2 => {
                let condition = t.operand(0);
                if !is_decided(condition) || is_exception_dispatch(condition) {
                    return plain(&[targets[1], targets[0]]);
                }
                let cond = self.cond(function, block, t, CondKind::If, 2);
                self.marks.push(Mark::Two(t, condition, cond));
                branches(&mut targets.into_iter().rev(), self.map.conds[cond.index()].first_branch)
            }
            Opcode::LLVMSwitch if is_switchable(t.operand(0)) => {
                let width = t.operand(0).ty().scalar_width().unwrap_or(64);
                // Operands: value, default, then pairs (case value, target).
                let cases = (1..n).map(|k| t.operand(2 * k).as_u64().unwrap_or(0)).collect();
                let cond = self.cond(function, block, t, CondKind::Switch { width, cases }, n);
                self.marks.push(Mark::Switch(t, cond));
                branches(&mut targets.into_iter(), self.map.conds[cond.index()].first_branch)
            }
            Opcode::LLVMIndirectBr if n > 1 => {
                let kind = CondKind::Switch { width: 64, cases: (1..u64::from(n)).collect() };
                let cond = self.cond(function, block, t, kind, n);
                self.marks.push(Mark::Goto(t, cond));
                branches(&mut targets.into_iter(), self.map.conds[cond.index()].first_branch)
            }
            _ => plain(&targets),
        }
    }

    /// A conditional that nobody wrote: clang joins the ways out of a scope with variables that need cleaning up, and parts
    /// them again by a switch that has no place in the source.
    fn is_compilers_own(&self, function: FunctionId, t: Value) -> bool {
        let has_debug_information = self.map.functions[function.index()].span.line > 0;
        has_debug_information && t.is(Opcode::LLVMSwitch) && t.location().is_none()
    }
}

/// Folders of headers that are not the user's.
const SYSTEM: &[&str] = &["/usr/include/", "/usr/lib/", "/usr/lib64/", "/opt/rh/"];

/// A function of the C++ library's unit, or one that a system header defines.
fn is_library(function: Value) -> bool {
    function.has_string_attribute(LIBRARY)
        || function
            .definition()
            .is_some_and(|l| SYSTEM.iter().any(|folder| normal(&l.file).starts_with(folder)))
}

/// A path without `x/..` in it, as clang writes the folders of GCC's headers.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        if part == ".." && parts.last().is_some_and(|p| !p.is_empty() && *p != "..") {
            parts.pop();
        } else if part != "." {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// A scalar condition that is not a constant.
fn is_decided(condition: Value) -> bool {
    condition.ty().is_int() && !condition.is_constant()
}

fn is_switchable(value: Value) -> bool {
    !value.is_constant() && value.ty().scalar_width().is_some_and(|w| w <= 64)
}

/// `icmp eq %selector, llvm.eh.typeid.for(...)`.
fn is_exception_dispatch(condition: Value) -> bool {
    condition.is(Opcode::LLVMICmp)
        && condition
            .operands()
            .iter()
            .any(|o| o.is_call() && o.intrinsic().is_some_and(|n| n.starts_with("llvm.eh.typeid.for")))
}

/// Used other than as the callee of a call.
fn is_address_taken(function: Value) -> bool {
    function
        .users()
        .into_iter()
        .any(|user| !(user.is_call() && user.callee() == function && !user.arguments().contains(&function)))
}

/// The name the source gave it.
fn source_name(name: &str) -> String {
    if name == trace_abi::USER_MAIN { "main".into() } else { name.trim_start_matches('\x01').into() }
}

/// For people. A name that no C++ compiler made stays as it is: `h` is no type `unsigned char`.
fn demangled(name: &str) -> String {
    let mangled = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok()).flatten();
    mangled.and_then(|symbol| symbol.demangle().ok()).unwrap_or_else(|| name.to_owned())
}
