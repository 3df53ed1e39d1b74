//! Planting markers: opaque calls that survive optimisation and say which conditional, function or call of the
//! source stands where.
//!
//! A marker is declared to read and write inaccessible memory only: it is neither removed nor reordered with
//! other markers, and it does not get in the way of memory optimisation. Step `lower` turns markers into
//! coverage stores; step `labels` turns those with symbolic operands into events.

use crate::Flavour;
use crate::llvm::{Builder, FUNCTION, Module, Opcode, Type, Value};
use crate::number::{Mark, Numbering};
use program::{BranchId, CondId, ProgramMap};

/// `(i1 condition, i32 first branch, i32 conditional)`: before a two-way branch or select.
pub const TWO: &str = "__sp_mark_two";
/// The same where its branches are covered by markers on the edges of the jump that it stands before.
pub const DECIDED: &str = "__sp_mark_decided";
/// `(i64 value, i32 conditional)`: before a switch.
pub const SWITCH: &str = "__sp_mark_switch";
/// `(ptr address, ptr table, i32 destinations, i32 conditional)`: before a computed goto.
pub const GOTO: &str = "__sp_mark_goto";
/// `(i32 context, i32 conditional)`: before the marker of a conditional whose calling contexts are told apart.
pub const CONTEXT: &str = "__sp_mark_context";
/// `(i32 branch)`: this branch of a goal is taken.
pub const GOAL: &str = "__sp_mark_goal";
/// `(i1 taken, i32 branch)`: on an edge.
pub const EDGE: &str = "__sp_mark_edge";
/// `(i32 function)`: at a function's entry.
pub const ENTER: &str = "__sp_mark_enter";
/// `(i32 function)`: before a function's return, flavour `path` only.
pub const EXIT: &str = "__sp_mark_exit";
/// `(ptr callee, i32 call)`: before an indirect call.
pub const INDIRECT: &str = "__sp_mark_indirect";
/// `(i1 fails, i32 check, i32 conditional)`: before an operation that is undefined if it fails.
pub const CHECK: &str = "__sp_mark_check";
/// Metadata with the call's id on direct calls.
pub const CALL_METADATA: &str = "spelunk.call";

/// Whether a call is a marker.
pub fn is_marker(name: &str) -> bool {
    name.starts_with("__sp_mark_")
}

struct Marker<'m> {
    module: &'m Module,
    builder: Builder,
    map: &'m ProgramMap,
    metadata: u32,
    path: bool,
}

/// Plants all markers of `numbering` in its module.
pub fn plant(module: &Module, numbering: &Numbering, flavour: Flavour) {
    let context = module.context();
    let metadata = context.metadata_kind(CALL_METADATA);
    let path = flavour == Flavour::Path;
    let marker = Marker { module, builder: Builder::new(context), map: &numbering.map, metadata, path };
    for mark in &numbering.marks {
        marker.plant(mark);
    }
}

impl Marker<'_> {
    fn call(&self, name: &str, arguments: &[Value]) {
        call(self.module, &self.builder, name, arguments);
    }

    fn k(&self, n: u32) -> Value {
        self.module.context().int(32).int(n.into())
    }

    fn first_branch(&self, cond: CondId) -> BranchId {
        self.map.conds[cond.index()].first_branch
    }

    fn plant(&self, mark: &Mark) {
        match *mark {
            Mark::Function(function, id) => {
                if let Some(at) = first_after_allocas(function) {
                    self.builder.before(at);
                    self.builder.locate_function(function);
                    self.call(ENTER, &[self.k(id.0)]);
                }
                if self.path {
                    self.exits(function, id.0);
                }
            }
            Mark::Two(at, condition, cond) => {
                self.builder.before(at);
                self.call(TWO, &[condition, self.k(self.first_branch(cond).0), self.k(cond.0)]);
            }
            Mark::Switch(at, cond) => self.switch(at, cond),
            Mark::Goto(at, cond) => self.goto(at, cond),
            Mark::Call(call, id) => call.set_number(self.module.context(), self.metadata, id.0),
            Mark::Indirect(call, id) => {
                call.set_number(self.module.context(), self.metadata, id.0);
                self.builder.before(call);
                self.call(INDIRECT, &[call.callee(), self.k(id.0)]);
            }
        }
    }

    fn exits(&self, function: Value, id: u32) {
        for block in function.blocks() {
            let Some(ret) = block.terminator().filter(|t| t.is(Opcode::LLVMRet)) else { continue };
            let at = ret.previous().filter(|p| p.is_must_tail()).unwrap_or(ret);
            self.builder.before(at);
            self.call(EXIT, &[self.k(id)]);
        }
    }

    fn switch(&self, at: Value, cond: CondId) {
        let context = self.module.context();
        self.builder.before(at);
        let value = self.builder.zext(at.operand(0), context.int(64));
        self.call(SWITCH, &[value, self.k(cond.0)]);
        let first = self.first_branch(cond).0;
        for k in 0..at.successors().len() as u32 {
            let edge = at.split_edge(k);
            if let Some(jump) = edge.terminator() {
                self.builder.before(jump);
                self.call(EDGE, &[context.int(1).int(1), self.k(first + k)]);
            }
        }
    }

    /// The edges of a computed goto cannot be split: each destination gets a phi that says whether it was
    /// reached that way.
    fn goto(&self, at: Value, cond: CondId) {
        let context = self.module.context();
        let (bit, from) = (context.int(1), at.block());
        let mut seen = Vec::new();
        let destinations = at.successors();
        for (k, block) in destinations.iter().copied().enumerate() {
            let Some(first) = block.first().filter(|_| !seen.contains(&block)) else { continue };
            seen.push(block);
            let reached = self.builder.phi_before(bit, first);
            for pred in predecessors(block) {
                reached.add_incoming(bit.int(u64::from(pred == from)), pred);
            }
            if let Some(at) = block.first_insertion() {
                self.builder.before(at);
                self.call(EDGE, &[reached, self.k(self.first_branch(cond).0 + k as u32)]);
            }
        }
        let addresses: Vec<Value> = destinations.iter().map(|b| b.address()).collect();
        let table = context.const_array(context.pointer(), &addresses);
        let global = self.module.add_global("spelunk.goto", table.ty());
        global.set_initializer(table);
        global.set_constant();
        global.set_linkage(crate::llvm::Linkage::LLVMPrivateLinkage);
        self.builder.before(at);
        self.call(GOTO, &[at.operand(0), global, self.k(destinations.len() as u32), self.k(cond.0)]);
    }
}

/// A call of a marker where the builder stands.
pub fn call(module: &Module, builder: &Builder, name: &str, arguments: &[Value]) {
    let context = module.context();
    let params: Vec<Type> = arguments.iter().map(|a| a.ty()).collect();
    let ty = context.void().function(&params, false);
    let fresh = module.function(name).is_none();
    let function = module.declare(name, ty);
    if fresh {
        for attribute in ["nounwind", "willreturn", "nocallback", "nofree", "nosync"] {
            function.add_attribute(context, FUNCTION, attribute, 0);
        }
        function.add_attribute(context, FUNCTION, "memory", INACCESSIBLE_READ_WRITE);
    }
    let call = builder.call(ty, function, arguments);
    call.add_call_attribute(context, FUNCTION, "nomerge");
}

/// The marker of a two-way conditional that stands before `at`.
pub fn before(at: Value, cond: CondId) -> Option<Value> {
    let previous = std::iter::successors(at.previous(), |i| i.previous());
    let is_its = |i: &Value| is_call_of(*i, TWO) && i.operand(2).as_u64() == Some(cond.0.into());
    previous.take_while(|i| marker_call(*i)).find(is_its)
}

fn marker_call(i: Value) -> bool {
    i.is(Opcode::LLVMCall) && i.callee().is_function() && is_marker(&i.callee().name())
}

/// The marker of the calling context of a marker of a two-way conditional, where it is told.
fn context_marker(marker: Value) -> Option<Value> {
    let previous = std::iter::successors(marker.previous(), |i| i.previous());
    let told = previous.take_while(|i| !is_call_of(*i, TWO) && !is_call_of(*i, DECIDED));
    told.into_iter().find(|i| is_call_of(*i, CONTEXT)).filter(|i| i.operand(1) == marker.operand(2))
}

/// The calling context that a marker of a two-way conditional tells, after [`spread`].
pub fn context_of(marker: Value) -> Option<Value> {
    marker.arguments().get(3).copied()
}

/// After optimisation: markers of two-way branches that still stand before the jump that decides by their condition are
/// spread over its edges, where covering a branch is one store to a constant address. Calling contexts become their fourth operands;
/// `first_goal` is the first branch of a goal.
pub fn spread(module: &Module, first_goal: u32) {
    let spread = Spread { module, builder: Builder::new(module.context()), first_goal };
    for function in module.functions() {
        for block in function.blocks() {
            let markers: Vec<Value> =
                block.instructions().into_iter().filter(|i| is_call_of(*i, TWO)).collect();
            for marker in markers {
                spread.one(marker);
            }
        }
    }
    if let Some(function) = module.function(CONTEXT) {
        function.users().into_iter().for_each(Value::erase);
    }
}

struct Spread<'m> {
    module: &'m Module,
    builder: Builder,
    first_goal: u32,
}

impl Spread<'_> {
    /// A marker of a two-way conditional.
    fn one(&self, marker: Value) {
        let context = context_marker(marker).map(|i| i.operand(0));
        let two_ways = |jump: &Value| matches!(jump.successors()[..], [one, other] if one != other);
        let jump = marker.block().terminator().filter(two_ways);
        let decided = jump.filter(|jump| jump.jump_condition() == Some(marker.operand(0)));
        let (name, int) = (if decided.is_some() { DECIDED } else { TWO }, self.module.context().int(32));
        match decided {
            Some(jump) => self.over_edges(marker, jump, context),
            None if context.is_none() => return,
            None => {
                self.builder.before(marker);
                let taken = self.builder.zext(self.builder.freeze(marker.operand(0)), int);
                self.goal(context, taken);
            }
        }
        self.builder.before(marker);
        let operands: Vec<Value> = (0..3).map(|k| marker.operand(k)).chain(context).collect();
        call(self.module, &self.builder, name, &operands);
        marker.erase();
    }

    fn over_edges(&self, marker: Value, jump: Value, context: Option<Value>) {
        let (first, int) = (marker.operand(1), self.module.context().int(32));
        for (edge, taken) in [(0, 1), (1, 0)] {
            let Some(end) = jump.split_edge(edge).terminator() else { continue };
            self.builder.before(end);
            let branch = self.builder.add(first, int.int(taken));
            call(self.module, &self.builder, EDGE, &[self.module.context().int(1).int(1), branch]);
            self.goal(context, int.int(taken));
        }
    }

    /// Covers outcome `taken` in the context: number `c` has branches from `first_goal + 2 (c - 1)` on.
    fn goal(&self, context: Option<Value>, taken: Value) {
        let Some(context) = context else { return };
        let (b, int) = (&self.builder, self.module.context().int(32));
        let first = b.add(b.add(context, context), int.int(u64::from(self.first_goal.wrapping_sub(2))));
        call(self.module, b, GOAL, &[b.add(first, taken)]);
    }
}

fn is_call_of(instruction: Value, name: &str) -> bool {
    instruction.is(Opcode::LLVMCall)
        && instruction.callee().is_function()
        && instruction.callee().name() == name
}

/// `memory(inaccessiblemem: readwrite)` as an attribute value: two bits per location, argument memory first.
pub const INACCESSIBLE_READ_WRITE: u64 = 3 << 2;

/// One entry per edge into `block`.
fn predecessors(block: crate::llvm::Block) -> Vec<crate::llvm::Block> {
    let mut all = Vec::new();
    for other in block.function().blocks() {
        let successors = other.terminator().map_or(Vec::new(), |t| t.successors());
        all.extend(successors.iter().filter(|&&s| s == block).map(|_| other));
    }
    all
}

/// First instruction of a function that is not an alloca.
pub fn first_after_allocas(function: Value) -> Option<Value> {
    function.blocks().first()?.instructions().into_iter().find(|i| !i.is(Opcode::LLVMAlloca))
}
