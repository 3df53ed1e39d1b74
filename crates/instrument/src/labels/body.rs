//! One function: walks its blocks in reverse post-order, queues work in groups, fills label phis at the end.

use super::env::Env;
use super::group::{Group, Item};
use super::index::Left;
use super::may::{self, may};
use super::rules::{Rule, inputs, rule};
use super::shape::Shape;
use crate::llvm::{Block, Opcode, Value};
use crate::lower::marker_name;
use crate::mark;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;
use trace_abi::Reason;

/// Behind these, stack variables are gone: another may lie in their place, whose shadow is cleared as its life begins. Loads
/// of them may not wait any longer.
const ENDS_OF_VARIABLES: &[&str] = &["llvm.lifetime.end", "llvm.stackrestore"];
/// Conditions that are joined of others are looked through so deep.
const MOST_JOINED: u32 = 6;

/// Labels of a value, one per scalar.
pub type Labels = SmallVec<[Value; 2]>;

/// The function being instrumented.
pub struct Body<'a, 'm> {
    /// What the module shares.
    pub env: &'a Env<'m>,
    /// The function.
    pub function: Value,
    /// Its id in the program map.
    pub id: u32,
    /// Values that may carry labels.
    pub may: FxHashSet<Value>,
    /// Addresses without labels of their own.
    pub left: Left,
    /// Labels known so far; a value that is absent is concrete.
    pub labels: FxHashMap<Value, Labels>,
    /// Work queued for the next guard.
    pub group: Group,
    /// Conditions that a marker of this block has recorded.
    pub decided: FxHashSet<Value>,
    /// Stack slots of cold blocks, by role and size.
    pub slots: RefCell<FxHashMap<(u32, u64), Value>>,
}

impl<'a, 'm> Body<'a, 'm> {
    /// Ready to run.
    pub fn new(env: &'a Env<'m>, function: Value, id: u32) -> Self {
        Body {
            env,
            function,
            id,
            may: FxHashSet::default(),
            left: Left::default(),
            labels: FxHashMap::default(),
            group: Group::default(),
            decided: FxHashSet::default(),
            slots: RefCell::default(),
        }
    }

    /// Instruments the function.
    pub fn run(mut self) {
        self.split_invokes();
        let stack = self.gather_stack();
        self.may = may(self.env, self.function);
        self.leave_addresses();
        let order = reverse_postorder(self.function);
        let mut plain: FxHashSet<Block> = self.function.blocks().into_iter().collect();
        order.iter().for_each(|b| _ = plain.remove(b));
        let code: Vec<(Block, Vec<Value>)> = order.iter().map(|&b| (b, b.instructions())).collect();
        let phis = self.label_phis(&code);
        self.entry_labels();
        self.clear_stack(&stack, &plain);
        for (_, instructions) in &code {
            self.decided.clear();
            for &i in instructions {
                self.instruction(i);
            }
        }
        self.fill(&phis);
    }

    /// Shape of a value's type, for values that may carry labels.
    pub fn followed(&self, v: Value) -> Option<Rc<Shape>> {
        if self.may.contains(&v) { self.env.shape(v.ty()) } else { None }
    }

    /// Label of scalar `k` of `v`, as known outside the current group.
    pub fn label(&self, v: Value, k: usize) -> Value {
        self.labels.get(&v).and_then(|l| l.get(k)).copied().unwrap_or_else(|| self.env.zero())
    }

    /// Gives every invoke a normal destination of its own, where its result label can be read.
    fn split_invokes(&self) {
        for block in self.function.blocks() {
            if let Some(t) = block.terminator().filter(|t| t.is(Opcode::LLVMInvoke)) {
                t.split_edge(0);
            }
        }
    }

    fn label_phis(&mut self, code: &[(Block, Vec<Value>)]) -> Vec<(Value, Labels)> {
        let mut all = Vec::new();
        for (_, instructions) in code {
            for &phi in instructions.iter().take_while(|i| i.is(Opcode::LLVMPHI)) {
                let Some(shape) = self.followed(phi) else { continue };
                let fresh = |_| self.env.b.phi_before(self.env.i32t, instructions[0]);
                let labels: Labels = shape.slots.iter().map(fresh).collect();
                self.labels.insert(phi, labels.clone());
                all.push((phi, labels));
            }
        }
        all
    }

    fn fill(&self, phis: &[(Value, Labels)]) {
        for (phi, labels) in phis {
            for (value, block) in phi.incoming() {
                for (k, label) in labels.iter().enumerate() {
                    label.add_incoming(self.label(value, k), block);
                }
            }
        }
    }

    fn instruction(&mut self, i: Value) {
        use Opcode::*;
        match i.opcode() {
            LLVMPHI | LLVMAlloca | LLVMFence | LLVMLandingPad => {}
            LLVMLoad => self.load(i),
            LLVMStore if may::is_ours(i.operand(1)) => {}
            LLVMStore => self.store(i),
            LLVMAtomicRMW => self.atomic_rmw(i),
            LLVMAtomicCmpXchg => self.compare_exchange(i),
            LLVMCall | LLVMInvoke => self.call_or_intrinsic(i),
            LLVMCallBr => self.inline_assembly(i),
            LLVMRet => self.ret(i),
            LLVMVAArg => self.flush(i),
            _ if i.is_terminator() => {
                self.unmarked_jump(i);
                self.flush(i);
            }
            _ => self.pure(i),
        }
    }

    fn call_or_intrinsic(&mut self, i: Value) {
        if let Some(name) = marker_name(i) {
            self.marker(i, &name);
        } else if let Some(name) = i.intrinsic() {
            if ENDS_OF_VARIABLES.iter().any(|e| name.starts_with(e)) {
                self.flush(i);
            }
            if !self.memory_intrinsic(i) {
                self.pure(i);
            }
        } else if rule(i).is_some() {
            self.pure(i);
        } else {
            self.call(i);
        }
    }

    /// Queues a pure instruction.
    fn pure(&mut self, i: Value) {
        let Some(r) = rule(i) else { return };
        let wanted = match r {
            Rule::Lost(_) => inputs(i, r).iter().any(|v| self.may.contains(v)),
            _ => self.may.contains(&i) && i.is_used() && !self.left.has(i),
        };
        if wanted {
            self.queue(Item::Pure(i, r));
        }
    }

    /// A jump on a value that no marker of the block has recorded: optimisation makes some of selects and of bit
    /// arithmetic, and knows behind them what they decided. The value is pinned.
    fn unmarked_jump(&mut self, i: Value) {
        let Some(condition) = i.jump_condition() else { return };
        if self.may.contains(&condition) && !self.is_decided(condition) {
            self.queue(Item::Pin(condition, Reason::Jump, self.id));
        }
    }

    /// Whether a marker of this block has recorded the condition or its negation.
    fn is_decided(&self, condition: Value) -> bool {
        self.decided.contains(&condition) || same_but_one(condition).is_some_and(|v| self.is_decided(v))
    }

    fn marker(&mut self, i: Value, name: &str) {
        let watched = i.operand(0);
        self.record_comparison(i, name);
        match name {
            mark::TWO | mark::DECIDED => {
                self.decided.insert(watched);
                if self.may.contains(&watched) {
                    self.queue(Item::Two(i, steers(i, watched)));
                }
            }
            mark::CHECK if self.may.contains(&watched) => {
                self.decided.insert(watched);
                self.queue(Item::Two(i, true));
            }
            mark::SWITCH if self.may.contains(&watched) => {
                self.decided.extend([watched, without_extension(watched)]);
                self.queue(Item::Switch(i));
            }
            mark::GOTO if self.may.contains(&watched) => self.queue(Item::Goto(i)),
            mark::INDIRECT if self.may.contains(&watched) => self.queue(Item::Indirect(i)),
            _ => {}
        }
    }
}

/// The value that this one is the same as, or the negation of.
fn same_but_one(v: Value) -> Option<Value> {
    let same = v.is_instruction()
        && match v.opcode() {
            Opcode::LLVMFreeze => true,
            Opcode::LLVMXor => v.operand(1).is_constant(),
            _ => false,
        };
    same.then(|| v.operand(0))
}

/// Whether more than values depends on how a marker's condition comes out: its block jumps by it, or a select has the label of the chosen
/// side alone.
fn steers(marker: Value, watched: Value) -> bool {
    let condition = std::iter::successors(Some(watched), |&v| same_but_one(v)).last().unwrap_or(watched);
    let jump = marker.block().terminator().and_then(Value::jump_condition);
    let chooses = |user: Value| user.is(Opcode::LLVMSelect) && user.operand(0) == watched;
    jump.is_some_and(|jump| joins(jump, condition, MOST_JOINED)) || watched.users().into_iter().any(chooses)
}

/// Whether a condition is joined of others (`&&`, `||`, `!`), this one among them, at most so deep.
fn joins(whole: Value, part: Value, depth: u32) -> bool {
    use Opcode::*;
    let is_join = |v: Value| {
        matches!(v.opcode(), LLVMAnd | LLVMOr | LLVMXor | LLVMSelect | LLVMFreeze | LLVMZExt | LLVMTrunc)
    };
    whole == part
        || (depth > 0
            && whole.is_instruction()
            && is_join(whole)
            && whole.operands().into_iter().any(|v| joins(v, part, depth - 1)))
}

/// The value that this one extends with zeros, or itself.
fn without_extension(v: Value) -> Value {
    if v.is_instruction() && v.opcode() == Opcode::LLVMZExt { v.operand(0) } else { v }
}

/// Blocks reachable from the entry, in reverse post-order.
fn reverse_postorder(function: Value) -> Vec<Block> {
    let successors = |b: Block| b.terminator().map_or(Vec::new(), |t| t.successors());
    let Some(&entry) = function.blocks().first() else { return Vec::new() };
    let mut seen = FxHashSet::from_iter([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, successors(entry).into_iter())];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if seen.insert(next) => stack.push((next, successors(next).into_iter())),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
