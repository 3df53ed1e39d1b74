//! Decorator: what is said of one byte alone is decided by trying its 256 values.
//!
//! Programs that read text say a lot about single bytes: comparisons with characters, classes looked up in tables, the
//! same again in every loop. Each such constraint is evaluated once under all values of its byte, and the set of those
//! that satisfy it (its *domain*) is kept for the arena. In a query the domains of a byte are intersected: an empty one
//! is a contradiction, whose core are the constraints that made the set smaller; else a few ranges stand for all of
//! them. Where the goal reads one byte, each value of its domain is also tried on the rest of the query with all other
//! bytes as in the run. So most queries about text are answered without a solver, and the others are short.
//!
//! Domain propagation as in finite-domain constraint solvers, for unary constraints only; exact, by evaluation.

use crate::{Answer, Limits, Model, Query, Solver, StageStats, satisfies};
use expr::{Arena, ExprId, Op, Plan};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Steps of a constraint's evaluation up to which it is worth doing 256 times.
const MAX_STEPS: usize = 4096;
/// A domain of more ranges than this is passed on as the constraints that it comes from.
const MAX_RANGES: usize = 12;

/// Decides what single bytes decide, and asks `S` about the rest.
pub struct Domains<S> {
    inner: S,
    memory: Memory,
    /// Queries so far: where to begin among values that all do.
    asked: u64,
}

impl<S: Solver> Domains<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Domains<S> {
        Domains { inner, memory: Memory::default(), asked: 0 }
    }
}

/// Values of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Domain([u64; 4]);

impl Domain {
    const ALL: Domain = Domain([u64::MAX; 4]);
    const NONE: Domain = Domain([0; 4]);

    fn has(self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    fn insert(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    fn and(self, other: Domain) -> Domain {
        Domain(std::array::from_fn(|k| self.0[k] & other.0[k]))
    }

    /// Its values as ranges, both ends included, ascending.
    fn ranges(self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for value in (0..=u8::MAX).filter(|&v| self.has(v)) {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(value) => *last = value,
                _ => ranges.push((value, value)),
            }
        }
        ranges
    }
}

type Byte = (u32, u32);

/// Domains of the current arena's constraints; `None` where the evaluation is too long.
#[derive(Default)]
struct Memory {
    arena_id: Option<u64>,
    domains: FxHashMap<ExprId, Option<Domain>>,
}

impl Memory {
    fn domain(&mut self, query: &Query<'_>, constraint: ExprId) -> Option<Domain> {
        if self.arena_id != Some(query.arena_id) {
            self.arena_id = Some(query.arena_id);
            self.domains = FxHashMap::default();
        }
        *self.domains.entry(constraint).or_insert_with(|| domain_of(query.arena, constraint))
    }
}

/// The values under which a constraint that reads one byte holds.
fn domain_of(arena: &Arena, constraint: ExprId) -> Option<Domain> {
    let mut plan = Plan::new(arena, &[constraint]);
    if plan.len() > MAX_STEPS {
        return None;
    }
    let mut domain = Domain::NONE;
    for value in 0..=u8::MAX {
        if plan.first_false(&|_, _| value).is_none() {
            domain.insert(value);
        }
    }
    Some(domain)
}

/// What a query says of one byte alone.
#[derive(Debug)]
struct Unary {
    domain: Domain,
    /// The constraints that made the domain smaller.
    reasons: Vec<usize>,
}

/// A query taken apart.
struct Parts {
    bytes: BTreeMap<Byte, Unary>,
    /// The constraints that read several bytes, or none, or that are too long to evaluate.
    rest: Vec<usize>,
    /// The goal's byte, if it reads only one.
    goal: Option<Byte>,
}

impl<S: Solver> Domains<S> {
    fn parts(&mut self, query: &Query<'_>) -> Parts {
        let mut parts = Parts { bytes: BTreeMap::new(), rest: Vec::new(), goal: None };
        for (index, &constraint) in query.constraints.iter().enumerate() {
            let mut inputs = query.arena.inputs(constraint).iter();
            let byte = inputs.next().filter(|_| inputs.next().is_none());
            let domain = byte.and_then(|_| self.memory.domain(query, constraint));
            let (Some(byte), Some(domain)) = (byte, domain) else {
                parts.rest.push(index);
                continue;
            };
            if index + 1 == query.constraints.len() {
                parts.goal = Some(byte);
            }
            let unary = parts.bytes.entry(byte).or_insert(Unary { domain: Domain::ALL, reasons: Vec::new() });
            let both = unary.domain.and(domain);
            if both != unary.domain {
                unary.domain = both;
                unary.reasons.push(index);
            }
        }
        parts
    }
}

impl Parts {
    /// The constraints behind an empty domain.
    fn contradiction(&self) -> Option<Vec<usize>> {
        self.bytes.values().find(|unary| unary.domain == Domain::NONE).map(|unary| unary.reasons.clone())
    }

    /// A model of everything that is said of single bytes: bytes that may stay as in the run do.
    fn model(&self, hint: &dyn Fn(u32, u32) -> u8, from: u8) -> Model {
        let choice = |(&(o, k), unary): (&Byte, &Unary)| {
            let old = hint(o, k);
            let value = if unary.domain.has(old) { Some(old) } else { values(unary.domain, from).next() };
            value.map(|value| ((o, k), value))
        };
        self.bytes.iter().filter_map(choice).collect()
    }

    /// A model in which only bytes with unary constraints differ from the run, if trying the goal's byte gives one.
    fn by_goal(&self, query: &Query<'_>, from: u8) -> Option<Model> {
        let goal = self.goal?;
        let mut model = self.model(query.hint, from);
        // Those that read the goal's byte first: they are the ones that a value breaks.
        let reads = |&c: &ExprId| query.arena.inputs(c).contains(goal.0, goal.1);
        let reading: Vec<ExprId> =
            self.rest.iter().map(|&index| query.constraints[index]).filter(reads).collect();
        let mut plan = Plan::new(query.arena, &reading);
        let domain = self.bytes.get(&goal)?.domain;
        for value in values(domain, from) {
            model.insert(goal, value);
            let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| (query.hint)(o, k));
            if plan.first_false(&byte).is_none() {
                return satisfies(query, &model).then_some(model);
            }
        }
        None
    }

    /// A shorter list that says the same, with the constraints that each of it comes from; the goal is last.
    fn shorter(&self, query: &mut Query<'_>) -> (Vec<ExprId>, Vec<Vec<usize>>) {
        let mut list: Vec<(ExprId, Vec<usize>)> = Vec::new();
        let others = self.bytes.iter().filter(|(byte, _)| self.goal != Some(**byte));
        for (&byte, unary) in others {
            list.extend(unary.list(query, byte));
        }
        list.extend(self.rest.iter().map(|&index| (query.constraints[index], vec![index])));
        if let Some((goal, unary)) = self.goal.and_then(|byte| Some((byte, self.bytes.get(&byte)?))) {
            list.extend(unary.list(query, goal));
        }
        list.into_iter().unzip()
    }
}

impl Unary {
    /// Constraints that say the same.
    fn list(&self, query: &mut Query<'_>, byte: Byte) -> Vec<(ExprId, Vec<usize>)> {
        let ranges = self.domain.ranges();
        match ranges.len() {
            0..=MAX_RANGES => vec![(within(query.arena, byte, &ranges), self.reasons.clone())],
            _ => self.reasons.iter().map(|&index| (query.constraints[index], vec![index])).collect(),
        }
    }
}

/// The values of a domain upwards from one of them, printable ones first.
fn values(domain: Domain, from: u8) -> impl Iterator<Item = u8> {
    let all = move || (0..=u8::MAX).map(move |k| from.wrapping_add(k)).filter(move |&v| domain.has(v));
    let printable = |v: &u8| (b' '..=b'~').contains(v);
    all().filter(printable).chain(all().filter(move |v| !printable(v)))
}

/// The byte is in one of the ranges.
fn within(arena: &mut Arena, (object, offset): Byte, ranges: &[(u8, u8)]) -> ExprId {
    let byte = arena.input(object, offset);
    let mut any = arena.bool(false);
    for &(first, last) in ranges {
        let (low, span) = (arena.const_u64(8, first.into()), arena.const_u64(8, (last - first).into()));
        let inside = if first == last {
            arena.binary(Op::Eq, byte, low)
        } else {
            let from = arena.binary(Op::Sub, byte, low);
            arena.binary(Op::Ule, from, span)
        };
        any = arena.binary(Op::Or, any, inside);
    }
    any
}

impl<S: Solver> Solver for Domains<S> {
    fn name(&self) -> &'static str {
        "domains"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        // Another place to begin at in each query (Fibonacci hashing), so that inputs are not all alike.
        self.asked += 1;
        let from = (self.asked.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        let parts = self.parts(query);
        if let Some(core) = parts.contradiction() {
            return Answer::Unsat(core);
        }
        if parts.rest.is_empty() {
            return Answer::Sat(parts.model(query.hint, from));
        }
        if let Some(model) = parts.by_goal(query, from) {
            return Answer::Sat(model);
        }
        let (constraints, origins) = parts.shorter(query);
        let mut inner = Query {
            arena: query.arena,
            arena_id: query.arena_id,
            constraints: &constraints,
            hint: query.hint,
        };
        match self.inner.solve(&mut inner, limits) {
            Answer::Unsat(core) => {
                let mut core: Vec<usize> = core.iter().flat_map(|&k| origins[k].iter().copied()).collect();
                core.sort_unstable();
                core.dedup();
                Answer::Unsat(core)
            }
            answer => answer,
        }
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}
