//! Runs a pretend program concretely and symbolically.

use super::compile::{Code, compile};
use super::{Expr, Program, Stmt, address_of};
use crate::{
    Compared, Dropped, Event, EventKind, Input, Mode, Node, Object, ObjectKind, Op, Outcome, PackedNode,
    Reason, Request, Run, Target, TargetError, Trace, ValueType,
};
use expr::semantics::{apply64, mask};
use program::{CallId, CondId, FunctionId, ProgramMap};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use trace_abi::IndirectCall;

/// A [`Target`] that interprets a [`Program`].
#[derive(Clone, Debug)]
pub struct FakeTarget {
    bodies: Vec<Vec<Code>>,
    map: ProgramMap,
    /// Statements a run may execute before it counts as hanging.
    pub max_steps: u64,
    /// Runs made so far.
    pub runs: u64,
}

impl FakeTarget {
    /// A target that runs `program`.
    pub fn new(program: &Program) -> FakeTarget {
        let (bodies, map) = compile(program);
        FakeTarget { bodies, map, max_steps: 100_000, runs: 0 }
    }

    /// The program's map.
    pub fn map(&self) -> &ProgramMap {
        &self.map
    }
}

impl Target for FakeTarget {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        self.runs += 1;
        let mut m = Machine::new(self, request);
        let end = m.call(FunctionId(0));
        let outcome = end.err().unwrap_or(Outcome::Exit(0));
        Ok(m.finish(outcome, request.mode))
    }
}

/// A concrete value with its label.
#[derive(Clone, Copy, Debug)]
struct Value {
    width: u16,
    value: u64,
    label: u32,
}

/// Control goes on, or the run ended so.
type Flow = Result<(), Outcome>;

struct Machine<'t> {
    target: &'t FakeTarget,
    input: Input,
    /// Index of the next typed value in `input`.
    next_value: usize,
    value_seed: Option<u64>,
    vars: FxHashMap<String, Value>,
    trace: Trace,
    index: FxHashMap<[u64; 5], u32>,
    covered: BTreeSet<program::BranchId>,
    entered: BTreeSet<FunctionId>,
    indirect_calls: Vec<IndirectCall>,
    past_end: Vec<(u32, u64)>,
    compared: BTreeMap<CondId, i64>,
    stack: Vec<FunctionId>,
    steps: u64,
}

impl<'t> Machine<'t> {
    fn new(target: &'t FakeTarget, request: &Request<'_>) -> Machine<'t> {
        let input = request.input.clone();
        let values = |o: &Object| o.kind == ObjectKind::Value;
        let next_value = input.objects.iter().position(values).unwrap_or(input.objects.len());
        let unused = PackedNode::default();
        Machine {
            target,
            input,
            next_value,
            value_seed: request.value_seed,
            vars: FxHashMap::default(),
            trace: Trace { nodes: vec![unused], dropped: Dropped::default(), ..Trace::default() },
            index: FxHashMap::default(),
            covered: BTreeSet::new(),
            entered: BTreeSet::new(),
            indirect_calls: vec![],
            past_end: vec![],
            compared: BTreeMap::new(),
            stack: vec![],
            steps: 0,
        }
    }

    fn finish(mut self, outcome: Outcome, mode: Mode) -> Run {
        self.input.objects.truncate(self.next_value);
        let crash_stack = match outcome {
            Outcome::Signal(_) | Outcome::Abort => self.stack.iter().rev().map(|f| address_of(f.0)).collect(),
            _ => vec![],
        };
        Run {
            input: self.input,
            outcome,
            covered: self.covered.into_iter().collect(),
            entered: self.entered.into_iter().collect(),
            indirect_calls: self.indirect_calls,
            trace: (mode == Mode::Symbolic).then_some(self.trace),
            past_end: self.past_end,
            compared: self.compared.into_iter().map(|(cond, apart)| Compared { cond, apart }).collect(),
            crash_stack,
            cpu: Duration::from_micros(self.steps),
            max_rss: 1 << 20,
        }
    }

    fn call(&mut self, f: FunctionId) -> Flow {
        self.entered.insert(f);
        self.stack.push(f);
        if self.stack.len() > 200 {
            return Err(Outcome::Signal(11));
        }
        let target = self.target;
        self.body(&target.bodies[f.index()])?;
        self.stack.pop();
        Ok(())
    }

    fn body(&mut self, body: &[Code]) -> Flow {
        body.iter().try_for_each(|code| self.code(code))
    }

    fn code(&mut self, code: &Code) -> Flow {
        self.steps += 1;
        if self.steps > self.target.max_steps {
            return Err(Outcome::Timeout);
        }
        match code {
            Code::Plain(stmt) => self.plain(stmt),
            Code::If(cond, e, then, otherwise) => {
                if self.decide(*cond, e) {
                    self.body(then)
                } else {
                    self.body(otherwise)
                }
            }
            Code::While(cond, e, body) => {
                while self.decide(*cond, e) {
                    self.body(body)?;
                    self.steps += 1;
                    if self.steps > self.target.max_steps {
                        return Err(Outcome::Timeout);
                    }
                }
                Ok(())
            }
            Code::Switch(cond, e, cases, default) => {
                let v = self.eval(e, 32);
                self.event(EventKind::Switch, v, cond.0);
                self.cover(*cond, v.value);
                match cases.iter().find(|c| c.0 == v.value) {
                    Some((_, body)) => self.body(body),
                    None => self.body(default),
                }
            }
            Code::Call(f) => self.call(*f),
            Code::CallIndirect(call, e) => self.call_indirect(*call, e),
        }
    }

    fn plain(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::Let(name, e) => {
                let v = self.eval(e, 32);
                self.vars.insert(name.clone(), v);
            }
            Stmt::Assume(e) => {
                let v = self.eval(e, 1);
                self.event(EventKind::Assume, v, 0);
                if v.value == 0 {
                    return Err(Outcome::Exit(0));
                }
            }
            Stmt::Pin(e) => {
                let v = self.eval(e, 32);
                self.event_with(EventKind::Pin, v, 0, Reason::StoreAddress as u8);
            }
            Stmt::Lose(e) => {
                let v = self.eval(e, 32);
                self.event_with(EventKind::Lost, v, 0, Reason::ExternalCall as u8);
            }
            Stmt::Crash => return Err(Outcome::Signal(11)),
            Stmt::Abort => return Err(Outcome::Abort),
            Stmt::Hang => return Err(Outcome::Timeout),
            Stmt::Exit(code) => return Err(Outcome::Exit(*code)),
            _ => unreachable!("compiled to code of its own"),
        }
        Ok(())
    }

    fn decide(&mut self, cond: CondId, e: &Expr) -> bool {
        let v = match e {
            Expr::Binary(op, a, b) if op.is_predicate() => {
                let (x, y) = self.sides(a, b);
                self.compared.insert(cond, x.value.wrapping_sub(y.value) as i64);
                self.binary(*op, x, y)
            }
            _ => self.eval(e, 1),
        };
        self.event(EventKind::Branch, v, cond.0);
        self.cover(cond, v.value);
        v.value != 0
    }

    fn cover(&mut self, cond: CondId, value: u64) {
        self.covered.extend(self.target.map.branch_of(cond, value));
    }

    fn call_indirect(&mut self, call: CallId, e: &Expr) -> Flow {
        let v = self.eval(e, 64);
        self.event(EventKind::IndirectCall, v, call.0);
        let callee = (0..self.target.bodies.len() as u32).find(|&f| address_of(f) == v.value);
        let Some(f) = callee else { return Err(Outcome::Signal(11)) };
        let seen = IndirectCall { call: call.0, function: f };
        if !self.indirect_calls.contains(&seen) {
            self.indirect_calls.push(seen);
        }
        self.call(FunctionId(f))
    }

    fn event(&mut self, kind: EventKind, v: Value, site: u32) {
        self.event_with(kind, v, site, 0);
    }

    fn event_with(&mut self, kind: EventKind, v: Value, site: u32, aux: u8) {
        if v.label != 0 {
            let e = Event { kind: kind as u8, aux, width: 0, site, label: v.label, pos: 0, value: v.value };
            self.trace.events.push(e);
        }
    }

    /// Value of an expression; a constant without a width of its own gets `width`.
    fn eval(&mut self, e: &Expr, width: u16) -> Value {
        match e {
            Expr::Const(0, v) => Value { width, value: v & mask(width), label: 0 },
            Expr::Const(w, v) => Value { width: *w, value: v & mask(*w), label: 0 },
            Expr::Byte(object, offset) => self.byte(*object, *offset),
            Expr::Var(name) => *self.vars.get(name).unwrap_or(&Value { width: 32, value: 0, label: 0 }),
            Expr::Value(name, bytes) => self.typed(name, *bytes),
            Expr::Unary(op, w, a) => {
                let a = self.eval(a, *w);
                self.unary(*op, *w, a)
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = self.sides(a, b);
                self.binary(*op, x, y)
            }
            Expr::Lookup(table, index) => {
                let index = self.eval(index, 64);
                self.lookup(table, index)
            }
        }
    }

    /// Both sides of an operation; a constant without a width of its own gets that of the other.
    fn sides(&mut self, a: &Expr, b: &Expr) -> (Value, Value) {
        match (a, b) {
            (Expr::Const(0, _), other) => {
                let y = self.eval(other, 32);
                (self.eval(a, y.width), y)
            }
            (first, second) => {
                let x = self.eval(first, 32);
                (x, self.eval(second, x.width))
            }
        }
    }

    fn byte(&mut self, object: u32, offset: u32) -> Value {
        match self.input.byte(object, offset) {
            Some(b) => {
                let a = u64::from(object) << 32 | u64::from(offset);
                Value { width: 8, value: b.into(), label: self.node(Op::Input, 8, [0, 0, 0], a, 0) }
            }
            None => {
                let needed = u64::from(offset) + 1;
                self.past_end.push((object, needed));
                let kind = EventKind::Eof as u8;
                self.trace.events.push(Event {
                    kind,
                    aux: 0,
                    width: 0,
                    site: object,
                    label: 0,
                    pos: 0,
                    value: needed,
                });
                Value { width: 8, value: 0, label: 0 }
            }
        }
    }

    /// The next typed value: from the input, from the seed, or zero.
    fn typed(&mut self, name: &str, bytes: u32) -> Value {
        let k = self.next_value;
        if k == self.input.objects.len() {
            let drawn = self.value_seed.map_or(0, |s| split_mix(s.wrapping_add(k as u64)));
            let data = drawn.to_le_bytes()[..bytes as usize].to_vec();
            let mut object = Object::new(ObjectKind::Value, name, data);
            object.value_type = ValueType::Signed;
            self.input.objects.push(object);
        }
        self.input.objects[k].data.resize(bytes as usize, 0);
        self.next_value += 1;
        let low = self.byte(k as u32, 0);
        (1..bytes).fold(low, |v, j| {
            let high = self.byte(k as u32, j);
            self.binary(Op::Concat, high, v)
        })
    }

    fn unary(&mut self, op: Op, width: u16, a: Value) -> Value {
        let op = match op {
            Op::ZExt | Op::SExt if a.width > width => Op::Trunc,
            Op::ZExt | Op::SExt if a.width == width => return a,
            other => other,
        };
        let value = apply64(op, width, a.width, 0, a.value, 0, 0);
        let label = if a.label == 0 { 0 } else { self.node(op, width, [a.label, 0, 0], 0, 0) };
        Value { width, value, label }
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let width = match op {
            Op::Concat => a.width + b.width,
            _ if op.is_predicate() => 1,
            _ => a.width,
        };
        let value = apply64(op, width, a.width, 0, a.value, b.value, 0);
        let label = if a.label == 0 && b.label == 0 {
            0
        } else {
            let constant = |v: Value| if v.label == 0 { v.value } else { 0 };
            self.node(op, width, [a.label, b.label, 0], constant(a), constant(b))
        };
        Value { width, value, label }
    }

    /// A read of one byte at address `base + index`, with its table and bounds event.
    fn lookup(&mut self, table: &[u8], index: Value) -> Value {
        const BASE: u64 = 0x5000_0000;
        let base = Value { width: 64, value: BASE, label: 0 };
        let address = self.binary(Op::Add, index, base);
        let value = usize::try_from(index.value).ok().and_then(|k| table.get(k)).copied().unwrap_or(0);
        if address.label == 0 || index.value >= table.len() as u64 {
            return Value { width: 8, value: value.into(), label: 0 };
        }
        let at = self.trace.tables.len() as u64;
        self.trace.tables.extend_from_slice(&BASE.to_le_bytes());
        self.trace.tables.extend_from_slice(&(table.len() as u32).to_le_bytes());
        self.trace.tables.extend_from_slice(&0u32.to_le_bytes());
        self.trace.tables.extend_from_slice(table);
        self.trace.tables.resize(self.trace.tables.len().next_multiple_of(8), 0);
        let kind = EventKind::Bounds as u8;
        let bounds = Event { kind, aux: 0, width: 8, site: 0, label: address.label, pos: 0, value: at };
        self.trace.events.push(bounds);
        Value { width: 8, value: value.into(), label: self.node(Op::Read, 8, [address.label, 0, 0], at, 0) }
    }

    fn node(&mut self, op: Op, width: u16, [l, r, t]: [u32; 3], a: u64, b: u64) -> u32 {
        let shape = u64::from(op as u8) << 16 | u64::from(width);
        let key = [shape, u64::from(l) << 32 | u64::from(r), t.into(), a, b];
        let nodes = &mut self.trace.nodes;
        *self.index.entry(key).or_insert_with(|| {
            nodes.push(PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t, a, b }));
            nodes.len() as u32 - 1
        })
    }
}

/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014), figure 16.
fn split_mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
