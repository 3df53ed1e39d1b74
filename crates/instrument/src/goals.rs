//! Goals beside the source's branches (`program::GoalKind`): calls that report an error, and conditionals of small functions, once
//! more for each calling context.
//!
//! Which functions: those that test what they are handed and have little else to do, as `assume` and `check` do. Their conditionals
//! are the source's, for coverage; but what one caller proved says nothing about the next. The context is a number that callers
//! put into a thread-local variable before the call, and the function takes from there at its entry. As such functions are
//! nearly always inlined, LLVM forwards the number to where it is needed, and the variable disappears. Functions
//! that hand on to such a function are told apart by their own callers as well: call strings of length two (Sharir and
//! Pnueli, "Two Approaches to Interprocedural Data Flow Analysis", 1981, section 7.3).
//!
//! A call string has a number among those of its function, from 1 (0: called from elsewhere). Of a function with m
//! conditionals and the first context f, conditional j in call string s is context f + s·m + j.

use crate::llvm::{Builder, FUNCTION, Linkage, Module, Opcode, Value};
use crate::mark;
use crate::number::{Mark, Numbering};
use program::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest function whose callers are told apart, in basic blocks and in instructions.
const MOST_BLOCKS: usize = 8;
/// See [`MOST_BLOCKS`].
const MOST_INSTRUCTIONS: usize = 60;
/// Most conditionals of such a function.
const MOST_CONDS: usize = 3;
/// Most call strings of such a function; the other callers are not told apart.
const MOST_STRINGS: usize = 256;
/// Most contexts in all.
const MOST_CONTEXTS: usize = 4096;

/// The variable that hands a context's number over.
pub const VARIABLE: &str = "spelunk.context";

/// What is to be planted.
#[derive(Debug, Default)]
pub struct Plan {
    functions: Vec<Told>,
    errors: Vec<(Value, BranchId)>,
}

/// A function whose callers are told apart.
#[derive(Debug)]
struct Told {
    function: Value,
    /// Its conditionals: where each stands, and its number.
    conds: Vec<(Value, CondId)>,
    /// Number of its first context.
    first: u32,
    sites: Vec<Site>,
    /// Its call strings, from number 1, innermost call first.
    strings: Vec<Vec<CallId>>,
}

/// A call whose contexts are told apart.
#[derive(Debug)]
struct Site {
    call: Value,
    /// Number of its call string, or of the first one.
    string: u32,
    /// The caller, whose own call string is to be added.
    within: Option<Value>,
}

/// Chooses the goals; they enter the map.
pub fn wanted(numbering: &mut Numbering) -> Plan {
    let before = (numbering.map.conds.len(), numbering.map.branches.len());
    let functions = Chooser::new(numbering).choose();
    let mut plan = Plan { functions, errors: Vec::new() };
    for told in &mut plan.functions {
        enter(&mut numbering.map, told);
    }
    plan.errors = errors(numbering);
    let map = &mut numbering.map;
    map.goal_conds = (map.conds.len() - before.0) as u32;
    map.goal_branches = (map.branches.len() - before.1) as u32;
    plan
}

/// A conditional that is a choice between two: where it stands, its id, and what decides it.
type Decided = (Value, CondId, Value);

/// What is known of the functions of the program itself.
struct Chooser<'n> {
    map: &'n ProgramMap,
    functions: Vec<(Value, FunctionId)>,
    /// Conditionals by function; `None` for one that is no choice between two.
    conds: FxHashMap<FunctionId, Vec<Option<Decided>>>,
    /// Direct calls by callee.
    callers: FxHashMap<FunctionId, Vec<(Value, CallId, FunctionId)>>,
}

impl<'n> Chooser<'n> {
    fn new(numbering: &'n Numbering) -> Chooser<'n> {
        let map = &numbering.map;
        let mut chooser = Chooser {
            map,
            functions: Vec::new(),
            conds: FxHashMap::default(),
            callers: FxHashMap::default(),
        };
        for mark in &numbering.marks {
            match *mark {
                Mark::Function(f, id) if map.is_own(id) => chooser.functions.push((f, id)),
                Mark::Two(at, condition, cond) => {
                    let function = map.conds[cond.index()].function;
                    chooser.conds.entry(function).or_default().push(Some((at, cond, condition)));
                }
                Mark::Switch(_, cond) | Mark::Goto(_, cond) => {
                    chooser.conds.entry(map.conds[cond.index()].function).or_default().push(None);
                }
                Mark::Call(at, call) => {
                    let Call { block, callee, .. } = &map.calls[call.index()];
                    let caller = map.blocks[block.index()].function;
                    if let Callee::Function(callee) = callee
                        && *callee != caller
                    {
                        chooser.callers.entry(*callee).or_default().push((at, call, caller));
                    }
                }
                Mark::Function(..) | Mark::Indirect(..) => {}
            }
        }
        chooser
    }

    fn choose(&self) -> Vec<Told> {
        let small: Vec<(Value, FunctionId)> =
            self.functions.iter().copied().filter(|&(f, id)| self.is_small(f, id)).collect();
        let inner: FxHashSet<FunctionId> =
            small.iter().filter(|&&(f, id)| self.tests_its_parameters(f, id)).map(|s| s.1).collect();
        let hands_on: FxHashSet<FunctionId> =
            inner.iter().flat_map(|f| self.callers_of(*f)).map(|c| c.2).collect();
        let mut all: Vec<Told> = Vec::new();
        let mut chosen: FxHashMap<FunctionId, usize> = FxHashMap::default();
        // Those that hand on come first: their call strings are parts of the others'.
        for outer in [true, false] {
            for &(function, id) in &small {
                let is_outer = hands_on.contains(&id);
                if is_outer != outer || !(is_outer || inner.contains(&id)) {
                    continue;
                }
                let conds = if inner.contains(&id) { self.places(id) } else { Vec::new() };
                let mut told = Told { function, conds, first: 0, sites: Vec::new(), strings: Vec::new() };
                let within = |caller: FunctionId| chosen.get(&caller).filter(|_| !outer).map(|&k| &all[k]);
                self.sites(id, &mut told, &within);
                if told.strings.len() > 1 {
                    chosen.insert(id, all.len());
                    all.push(told);
                }
            }
        }
        all
    }

    /// Fills in the sites and their call strings; `within`: a caller whose own callers are told apart.
    fn sites<'t>(&self, id: FunctionId, told: &mut Told, within: &dyn Fn(FunctionId) -> Option<&'t Told>) {
        for &(at, call, caller) in self.callers_of(id) {
            let outer = within(caller);
            let n = 1 + outer.map_or(0, |outer| outer.strings.len());
            if told.strings.len() + n > MOST_STRINGS || self.function(caller).is_none_or(promises) {
                continue;
            }
            let string = told.strings.len() as u32 + 1;
            told.sites.push(Site { call: at, string, within: outer.map(|outer| outer.function) });
            // Within a caller that was itself called from elsewhere nothing is told apart.
            told.strings.push(if outer.is_some() { Vec::new() } else { vec![call] });
            told.strings.extend(outer.iter().flat_map(|o| &o.strings).map(|outer| vec![call, outer[0]]));
        }
    }

    fn callers_of(&self, id: FunctionId) -> &[(Value, CallId, FunctionId)] {
        self.callers.get(&id).map_or(&[], Vec::as_slice)
    }

    fn function(&self, id: FunctionId) -> Option<Value> {
        self.functions.get(id.index()).filter(|f| f.1 == id).map(|f| f.0)
    }

    fn places(&self, id: FunctionId) -> Vec<(Value, CondId)> {
        let all = self.conds.get(&id).map_or(&[][..], Vec::as_slice);
        all.iter().flatten().map(|&(at, cond, _)| (at, cond)).collect()
    }

    /// Small, without loops (one that does nothing else counts as an end), called by name.
    fn is_small(&self, function: Value, id: FunctionId) -> bool {
        let blocks = function.blocks();
        let instructions: usize = blocks.iter().map(|b| b.instructions().len()).sum();
        blocks.len() <= MOST_BLOCKS
            && instructions <= MOST_INSTRUCTIONS
            && !self.callers_of(id).is_empty()
            && !promises(function)
            && self.is_straight(id)
    }

    fn is_straight(&self, id: FunctionId) -> bool {
        let f = &self.map.functions[id.index()];
        let blocks = f.first_block.0..f.first_block.0 + f.n_blocks;
        let mut left: Vec<(u32, Vec<u32>)> = blocks
            .map(|b| {
                let succs = self.map.blocks[b as usize].succs.iter().map(|s| s.to.0);
                (b, succs.filter(|&to| to != b).collect())
            })
            .collect();
        // Blocks all of whose successors are gone go, until none does.
        while let Some(k) = left.iter().position(|(_, succs)| succs.is_empty()) {
            let (gone, _) = left.swap_remove(k);
            left.iter_mut().for_each(|(_, succs)| succs.retain(|&s| s != gone));
        }
        left.is_empty()
    }

    /// All its conditionals are choices between two by what it was handed, and its caller is not told the outcome: it returns nothing, or
    /// does not return on one side.
    fn tests_its_parameters(&self, function: Value, id: FunctionId) -> bool {
        let conds = self.conds.get(&id).map_or(&[][..], Vec::as_slice);
        let ends = |b: &crate::llvm::Block| {
            b.terminator().is_some_and(|t| t.is(Opcode::LLVMUnreachable) || t.successors() == [*b])
        };
        (1..=MOST_CONDS).contains(&conds.len())
            && conds.iter().all(|c| c.is_some_and(|(_, _, condition)| is_of_parameters(condition)))
            && (!self.returns_something(function) || function.blocks().iter().any(ends))
    }

    fn returns_something(&self, function: Value) -> bool {
        let returned = |b: crate::llvm::Block| {
            b.terminator().is_some_and(|t| t.is(Opcode::LLVMRet) && t.n_operands() > 0)
        };
        function.blocks().into_iter().any(returned)
    }
}

/// Whether it promises not to write memory, so that nothing must be stored in it.
fn promises(function: Value) -> bool {
    function.has_attribute(FUNCTION, "memory")
}

/// Whether a value is made of parameters and constants alone, one parameter at least.
fn is_of_parameters(value: Value) -> bool {
    let (mut seen, mut stack, mut parameters) = (FxHashSet::default(), vec![value], 0);
    while let Some(v) = stack.pop() {
        if !seen.insert(v) || (v.is_constant() && !v.is_instruction()) {
            continue;
        }
        if v.is_parameter() {
            parameters += 1;
            continue;
        }
        if !v.is_instruction() {
            return false;
        }
        match v.opcode() {
            Opcode::LLVMLoad if v.operand(0).is_instruction() && v.operand(0).is(Opcode::LLVMAlloca) => {
                let variable = v.operand(0);
                for user in variable.users() {
                    match user.opcode() {
                        Opcode::LLVMStore if user.operand(1) == variable => stack.push(user.operand(0)),
                        Opcode::LLVMLoad => {}
                        Opcode::LLVMCall if user.intrinsic().is_some() => {}
                        _ => return false,
                    }
                }
            }
            Opcode::LLVMLoad => return false,
            Opcode::LLVMCall if v.intrinsic().is_some() => stack.extend(v.arguments()),
            Opcode::LLVMCall | Opcode::LLVMInvoke => return false,
            Opcode::LLVMPHI => stack.extend(v.incoming().into_iter().map(|i| i.0)),
            _ => stack.extend(v.operands()),
        }
    }
    parameters > 0
}

/// Puts the contexts of a function into the map.
fn enter(map: &mut ProgramMap, told: &mut Told) {
    let (m, so_far) = (told.conds.len(), contexts(map));
    if so_far + (told.strings.len() + 1) * m > MOST_CONTEXTS {
        told.conds.clear();
    }
    told.first = so_far as u32 + 1;
    for calls in std::iter::once(&Vec::new()).chain(&told.strings) {
        for &(_, of) in &told.conds {
            let call = calls.last().map(|call| &map.calls[call.index()]);
            let (span, n) = (call.map(|call| call.span), map.conds[of.index()].n_branches);
            add(map, of, span, GoalKind::Context { of, calls: calls.clone() }, n);
        }
    }
}

/// Contexts in the map so far: nothing else stands behind them yet.
fn contexts(map: &ProgramMap) -> usize {
    let is_context = |c: &&Cond| matches!(c.kind, CondKind::Goal(GoalKind::Context { .. }));
    map.conds.iter().rev().take_while(is_context).count()
}

/// Puts a goal into the map, in the function and block of conditional `of`; its first branch.
fn add(map: &mut ProgramMap, of: CondId, span: Option<Span>, kind: GoalKind, n: u32) -> BranchId {
    let Cond { function, block, span: own, .. } = map.conds[of.index()];
    add_at(map, function, block, span.unwrap_or(own), kind, n)
}

fn add_at(
    map: &mut ProgramMap,
    function: FunctionId,
    block: BlockId,
    span: Span,
    kind: GoalKind,
    n: u32,
) -> BranchId {
    let (id, first_branch) = (CondId(map.conds.len() as u32), BranchId(map.branches.len() as u32));
    map.conds.push(Cond { function, block, span, kind: CondKind::Goal(kind), first_branch, n_branches: n });
    map.branches.extend((0..n).map(|outcome| Branch { cond: id, outcome }));
    first_branch
}

/// Puts calls that report an error into the map; of several in one block the first, from which no run comes back.
fn errors(numbering: &mut Numbering) -> Vec<(Value, BranchId)> {
    let Numbering { map, marks } = numbering;
    let (mut all, mut blocks) = (Vec::new(), FxHashSet::default());
    for mark in marks {
        let Mark::Call(at, id) = *mark else { continue };
        let Call { block, span, .. } = map.calls[id.index()];
        let function = map.blocks[block.index()].function;
        let is_error = map.callee_name(id).is_some_and(|name| ERROR_FUNCTIONS.contains(&name));
        if is_error && map.is_own(function) && blocks.insert(block) {
            all.push((at, add_at(map, function, block, span, GoalKind::ErrorCall(id), 1)));
        }
    }
    all
}

/// Plants what the goals need, behind the markers of conditionals.
pub fn plant(module: &Module, plan: &Plan) {
    let builder = Builder::new(module.context());
    for (call, branch) in &plan.errors {
        builder.before(*call);
        mark::call(module, &builder, mark::GOAL, &[module.context().int(32).int(branch.0.into())]);
    }
    if plan.functions.is_empty() {
        return;
    }
    let i32t = module.context().int(32);
    let variable = module.add_global(VARIABLE, i32t);
    variable.set_initializer(i32t.zero());
    variable.set_linkage(Linkage::LLVMInternalLinkage);
    variable.set_initial_exec();
    let planter = Planter { module, builder, variable };
    // At the entry first: sites inside need what was read there.
    let strings: FxHashMap<Value, Value> =
        plan.functions.iter().filter_map(|told| Some((told.function, planter.entry(told)?))).collect();
    for told in &plan.functions {
        planter.function(told, &strings);
    }
}

struct Planter<'m> {
    module: &'m Module,
    builder: Builder,
    variable: Value,
}

impl Planter<'_> {
    fn k(&self, n: u32) -> Value {
        self.module.context().int(32).int(n.into())
    }

    /// Takes the number of the call string; who calls next without one must not find it.
    fn entry(&self, told: &Told) -> Option<Value> {
        self.builder.before(mark::first_after_allocas(told.function)?);
        self.builder.locate_function(told.function);
        let string = self.builder.load(self.module.context().int(32), self.variable, 4);
        self.builder.store(self.k(0), self.variable, 4);
        Some(string)
    }

    fn function(&self, told: &Told, strings: &FxHashMap<Value, Value>) {
        let b = &self.builder;
        let Some(&string) = strings.get(&told.function) else { return };
        for (j, &(at, cond)) in (0..).zip(&told.conds) {
            let Some(marker) = mark::before(at, cond) else { continue };
            b.before(marker);
            let context = b.add(b.mul(string, self.k(told.conds.len() as u32)), self.k(told.first + j));
            mark::call(self.module, b, mark::CONTEXT, &[context, self.k(cond.0)]);
        }
        for site in &told.sites {
            b.before(site.call);
            let first = self.k(site.string);
            let string = match site.within.and_then(|caller| strings.get(&caller)) {
                Some(&outer) => b.add(first, outer),
                None => first,
            };
            b.store(string, self.variable, 4);
        }
    }
}
