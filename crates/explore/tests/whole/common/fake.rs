//! A tiny language over 8-bit values, run the way an instrumented program runs: concretely, with labels.

use program::{
    Block, BlockId, Branch, BranchId, Cond, CondId, CondKind, Function, FunctionId, ProgramMap, Span,
};
use std::time::Duration;
use trace::*;

/// An expression of width 8 (or 1, for predicates).
#[derive(Clone, Debug)]
pub enum E {
    /// Input byte.
    Byte(usize),
    /// Typed value number so and so of the run.
    Value(usize),
    /// Constant.
    Num(u8),
    /// Operation.
    Op(Op, Box<E>, Box<E>),
}

pub fn byte(k: usize) -> E {
    E::Byte(k)
}
pub fn value(k: usize) -> E {
    E::Value(k)
}
pub fn num(n: u8) -> E {
    E::Num(n)
}
impl E {
    fn op(self, op: Op, other: E) -> E {
        E::Op(op, Box::new(self), Box::new(other))
    }
    pub fn eq(self, other: E) -> E {
        self.op(Op::Eq, other)
    }
    pub fn lt(self, other: E) -> E {
        self.op(Op::Ult, other)
    }
    pub fn add(self, other: E) -> E {
        self.op(Op::Add, other)
    }
    pub fn xor(self, other: E) -> E {
        self.op(Op::Xor, other)
    }
    pub fn mul(self, other: E) -> E {
        self.op(Op::Mul, other)
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum S {
    /// `if (condition) { .. } else { .. }`
    If(E, Vec<S>, Vec<S>),
    /// `switch (value) { case ..: .. break; .. default: .. }`
    Switch(E, Vec<(u8, Vec<S>)>, Vec<S>),
    /// `exit(code)`
    Exit(i32),
    /// A crash in the function of this name.
    Crash(&'static str),
    /// An endless loop.
    Hang,
    /// The value is pinned to what it is (as if used as an unknown address).
    Pin(E),
    /// `assume(condition)`
    Assume(E),
}

/// A program with its map.
pub struct Program {
    body: Vec<S>,
    pub map: ProgramMap,
}

impl Program {
    pub fn new(body: Vec<S>) -> Program {
        let span = Span { file: None, line: 0, column: 0 };
        let mut map = ProgramMap { version: program::MAP_VERSION, ..ProgramMap::default() };
        let name = String::from("main");
        map.functions.push(Function {
            linkage_name: name.clone(),
            name,
            span,
            first_block: BlockId(0),
            n_blocks: 1,
            address_taken: false,
        });
        map.blocks.push(Block {
            function: FunctionId(0),
            lines: vec![],
            file: None,
            steps: vec![],
            succs: vec![],
        });
        number(&body, &mut map, span);
        Program { body, map }
    }
}

/// Gives every conditional its id, in the order in which [`Machine::run`] counts them.
fn number(body: &[S], map: &mut ProgramMap, span: Span) {
    for s in body {
        let kind = match s {
            S::If(..) => CondKind::If,
            S::Switch(_, cases, _) => {
                CondKind::Switch { width: 8, cases: cases.iter().map(|c| c.0 as u64).collect() }
            }
            _ => continue,
        };
        let n_branches = match &kind {
            CondKind::Switch { cases, .. } => cases.len() as u32 + 1,
            _ => 2,
        };
        let id = CondId(map.conds.len() as u32);
        let first_branch = BranchId(map.branches.len() as u32);
        map.conds.push(Cond {
            function: FunctionId(0),
            block: BlockId(0),
            span,
            kind,
            first_branch,
            n_branches,
        });
        map.branches.extend((0..n_branches).map(|outcome| Branch { cond: id, outcome }));
        for b in bodies(s) {
            number(b, map, span);
        }
    }
}

fn bodies(s: &S) -> Vec<&Vec<S>> {
    match s {
        S::If(_, t, f) => vec![t, f],
        S::Switch(_, cases, default) => cases.iter().map(|c| &c.1).chain([default]).collect(),
        _ => vec![],
    }
}

fn conds_in(body: &[S]) -> u32 {
    let own = |s: &S| matches!(s, S::If(..) | S::Switch(..)) as u32;
    body.iter().map(|s| own(s) + bodies(s).into_iter().map(|b| conds_in(b)).sum::<u32>()).sum()
}

/// Runs a [`Program`].
pub struct Fake<'p> {
    program: &'p Program,
    /// Called on each run before it is handed out: to lie, to break.
    pub tamper: Box<dyn FnMut(&mut Run) + Send + 'p>,
}

impl<'p> Fake<'p> {
    pub fn new(program: &'p Program) -> Fake<'p> {
        Fake { program, tamper: Box::new(|_| ()) }
    }
}

impl Target for Fake<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        // Real runs take time; without this, one worker's random runs starve the others at the lock.
        std::thread::yield_now();
        let (values, bytes): (Vec<Object>, Vec<Object>) =
            request.input.objects.iter().cloned().partition(|o| o.kind == ObjectKind::Value);
        let mut m = Machine {
            map: &self.program.map,
            data: bytes.first().map_or(&[], |o| &o.data),
            objects: bytes.len(),
            values,
            asked: 0,
            seed: request.value_seed,
            trace: Trace { nodes: vec![PackedNode::default()], ..Trace::default() },
            covered: vec![false; self.program.map.branches.len()],
            past_end: 0,
            stack: vec![],
        };
        let outcome = m.run(&self.program.body, 0).err().unwrap_or(Outcome::Exit(0));
        let covered = m.covered.iter().enumerate().filter(|(_, c)| **c);
        let mut run = Run {
            input: Input { objects: bytes.iter().cloned().chain(m.values.drain(..m.asked)).collect() },
            outcome,
            covered: covered.map(|(k, _)| BranchId(k as u32)).collect(),
            entered: vec![FunctionId(0)],
            indirect_calls: vec![],
            past_end: if m.past_end > 0 { vec![(0, m.past_end)] } else { vec![] },
            compared: vec![],
            crash_stack: m.stack,
            cpu: Duration::from_micros(100),
            max_rss: 1 << 20,
            trace: (request.mode == Mode::Symbolic).then_some(m.trace),
        };
        (self.tamper)(&mut run);
        Ok(run)
    }
}

const ZERO: Node = Node { op: 0, aux: 0, width: 0, l: 0, r: 0, t: 0, a: 0, b: 0 };

struct Machine<'a> {
    map: &'a ProgramMap,
    data: &'a [u8],
    /// Objects before the first value.
    objects: usize,
    values: Vec<Object>,
    /// Values asked for so far.
    asked: usize,
    seed: Option<u64>,
    trace: Trace,
    covered: Vec<bool>,
    past_end: u64,
    stack: Vec<u64>,
}

impl Machine<'_> {
    /// Runs `body`, whose first conditional has number `cond`; `Err` is how the run ended.
    fn run(&mut self, body: &[S], mut cond: u32) -> Result<(), Outcome> {
        for s in body {
            let inner = cond + 1;
            match s {
                S::If(e, t, f) => {
                    let (label, value) = self.eval(e);
                    self.decide(EventKind::Branch, cond, label, value);
                    let (body, first) = if value != 0 { (t, inner) } else { (f, inner + conds_in(t)) };
                    self.run(body, first)?;
                }
                S::Switch(e, cases, default) => {
                    let (label, value) = self.eval(e);
                    self.decide(EventKind::Switch, cond, label, value);
                    let mut first = inner;
                    let mut chosen = default;
                    for (case, body) in cases {
                        if *case as u64 == value {
                            chosen = body;
                            break;
                        }
                        first += conds_in(body);
                    }
                    self.run(chosen, first)?;
                }
                S::Exit(code) => return Err(Outcome::Exit(*code)),
                S::Hang => return Err(Outcome::Timeout),
                S::Crash(name) => {
                    self.stack = name.bytes().map(u64::from).collect();
                    return Err(Outcome::Signal(11));
                }
                S::Pin(e) => {
                    let (label, value) = self.eval(e);
                    self.event(EventKind::Pin, Reason::LoadAddress as u8, 0, label, value);
                }
                S::Assume(e) => {
                    let (label, value) = self.eval(e);
                    self.event(EventKind::Assume, 0, 0, label, value);
                    if value == 0 {
                        return Err(Outcome::Exit(77));
                    }
                }
            }
            cond += conds_in(std::slice::from_ref(s));
        }
        Ok(())
    }

    fn decide(&mut self, kind: EventKind, cond: u32, label: u32, value: u64) {
        let branch = self.map.branch_of(CondId(cond), value).expect("a numbered conditional");
        self.covered[branch.index()] = true;
        self.event(kind, 0, cond, label, value);
    }

    fn event(&mut self, kind: EventKind, aux: u8, site: u32, label: u32, value: u64) {
        if label != 0 {
            self.trace.events.push(Event { kind: kind as u8, aux, width: 0, site, label, pos: 0, value });
        }
    }

    fn eval(&mut self, e: &E) -> (u32, u64) {
        match e {
            E::Num(n) => (0, *n as u64),
            E::Value(k) => {
                while self.values.len() <= *k {
                    let drawn = self.seed.map_or(0, |s| (s >> (8 * (self.values.len() % 8))) as u8);
                    self.values.push(Object {
                        value_type: ValueType::Unsigned,
                        ..Object::new(ObjectKind::Value, "v", [drawn])
                    });
                }
                self.asked = self.asked.max(k + 1);
                let a = ((self.objects + k) as u64) << 32;
                (self.node(Node { op: Op::Input as u8, width: 8, a, ..ZERO }), self.values[*k].data[0] as u64)
            }
            E::Byte(k) => match self.data.get(*k) {
                Some(&b) => {
                    (self.node(Node { op: Op::Input as u8, width: 8, a: *k as u64, ..ZERO }), b as u64)
                }
                None => {
                    self.past_end = self.past_end.max(*k as u64 + 1);
                    let value = *k as u64 + 1;
                    self.trace.events.push(Event {
                        kind: EventKind::Eof as u8,
                        aux: 0,
                        width: 0,
                        site: 0,
                        label: 0,
                        pos: 0,
                        value,
                    });
                    (0, 0)
                }
            },
            E::Op(op, l, r) => {
                let (ll, lv) = self.eval(l);
                let (rl, rv) = self.eval(r);
                let value = match op {
                    Op::Eq => (lv == rv) as u64,
                    Op::Ult => (lv < rv) as u64,
                    Op::Add => (lv + rv) & 255,
                    Op::Xor => lv ^ rv,
                    Op::Mul => (lv * rv) & 255,
                    _ => unreachable!("not an operation of the language"),
                };
                if ll == 0 && rl == 0 {
                    return (0, value);
                }
                let width = if op.is_predicate() { 1 } else { 8 };
                let constant = |label: u32, v: u64| if label == 0 { v } else { 0 };
                let node = Node {
                    op: *op as u8,
                    width,
                    l: ll,
                    r: rl,
                    a: constant(ll, lv),
                    b: constant(rl, rv),
                    ..ZERO
                };
                (self.node(node), value)
            }
        }
    }

    fn node(&mut self, node: Node) -> u32 {
        let found = self.trace.nodes.iter().position(|n| n.unpack() == node);
        found.unwrap_or_else(|| {
            self.trace.nodes.push(PackedNode::new(node));
            self.trace.nodes.len() - 1
        }) as u32
    }
}
