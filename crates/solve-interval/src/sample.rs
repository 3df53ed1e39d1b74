//! Inputs from a box: the nearest to the run's own, the middle, the ends, a random one.

use crate::domain::{Domain, Value, half, key, pattern, wide};
use crate::graph::Graph;
use expr::Plan;
use floats::Format;
use rustc_hash::FxHashMap;
use solve::Random;
use solve::{Model, Query};

/// How a value is chosen from a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Nearest,
    Middle,
    /// Ends: contraction stops where a value is possible.
    Least,
    Greatest,
    Any,
}

/// Inputs tried of one box.
const CHOICES: [Choice; 5] = [Choice::Nearest, Choice::Middle, Choice::Least, Choice::Greatest, Choice::Any];

/// Samples kept for a search.
const KEPT: usize = 6;

/// Makes and judges samples.
pub struct Sampler {
    /// The graph's constraints first, in its order, then those that it has not.
    plan: Plan,
    random: Random,
    known: usize,
    /// The best so far, by how many constraints hold before the first that does not, best first; of equals the last.
    kept: Vec<(usize, Model)>,
}

impl Sampler {
    /// For the constraints of a query.
    pub fn new(query: &Query<'_>, graph: &Graph, seed: u64) -> Sampler {
        let mut order: Vec<usize> = graph.roots.iter().map(|root| root.constraint).collect();
        let others: Vec<usize> = (0..query.constraints.len()).filter(|k| !order.contains(k)).collect();
        order.extend(others);
        let roots: Vec<expr::ExprId> = order.iter().map(|&k| query.constraints[k]).collect();
        let plan = Plan::new(query.arena, &roots);
        Sampler { plan, random: Random::new(seed), known: graph.roots.len(), kept: Vec::new() }
    }

    /// Expressions evaluated for one sample, at most.
    pub fn cost(&self) -> u64 {
        self.plan.len() as u64
    }

    /// A sample of the box that satisfies everything, if there is one among a few.
    pub fn some(&mut self, query: &Query<'_>, graph: &Graph, domains: &[Domain]) -> Option<Model> {
        for choice in CHOICES {
            let model = self.model(query, graph, domains, choice);
            match self.first_false(query, &model) {
                None => return Some(model),
                Some(k) => self.keep(k, model),
            }
        }
        None
    }

    /// Of a box of one input: whether it satisfies everything, or the graph's root that it does not.
    pub fn only(
        &mut self,
        query: &Query<'_>,
        graph: &Graph,
        domains: &[Domain],
    ) -> Result<Model, Option<usize>> {
        let model = self.model(query, graph, domains, Choice::Middle);
        match self.first_false(query, &model) {
            None => Ok(model),
            Some(k) => Err((k < self.known).then_some(k)),
        }
    }

    /// The best samples, best first.
    pub fn into_best(self) -> Vec<Model> {
        self.kept.into_iter().map(|(_, model)| model).collect()
    }

    fn first_false(&mut self, query: &Query<'_>, model: &Model) -> Option<usize> {
        let bytes: FxHashMap<(u32, u32), u8> = model.iter().map(|(&at, &value)| (at, value)).collect();
        self.plan.first_false(&|o, k| bytes.get(&(o, k)).copied().unwrap_or_else(|| (query.hint)(o, k)))
    }

    fn keep(&mut self, holding: usize, model: Model) {
        let place = self.kept.iter().position(|(k, _)| *k <= holding).unwrap_or(self.kept.len());
        if place < KEPT && !self.kept.iter().any(|(_, other)| *other == model) {
            self.kept.insert(place, (holding, model));
            self.kept.truncate(KEPT);
        }
    }

    fn model(&mut self, query: &Query<'_>, graph: &Graph, domains: &[Domain], choice: Choice) -> Model {
        let mut model = Model::new();
        for field in &graph.fields {
            let now =
                field.bytes.iter().rev().fold(0u128, |v, &(o, k)| v << 8 | u128::from((query.hint)(o, k)));
            let value = self.pick(graph.value(domains, field.node), now, choice);
            for (k, &byte) in field.bytes.iter().enumerate() {
                model.insert(byte, (value >> (8 * k)) as u8);
            }
        }
        model
    }

    /// A pattern from a domain. `now`: the run's own.
    fn pick(&mut self, value: Value, now: u128, choice: Choice) -> u128 {
        let Value { shape, domain } = value;
        if domain.contains(shape, &wide(shape.width, now as i128)) && choice == Choice::Nearest {
            return now;
        }
        let parts: Vec<_> = domain.parts().collect();
        let Some(&part) = self.random.pick(&parts) else {
            return shape.float.map_or(now, |format: Format| format.default_nan());
        };
        let x = match (choice, shape.float) {
            (Choice::Nearest, Some(format)) => key(format, now).unwrap_or(0).clamp(part.lo, part.hi),
            (Choice::Nearest, None) => {
                let half = half(shape.width);
                let now = now as i128;
                (if now >= half { now - 2 * half } else { now }).clamp(part.lo, part.hi)
            }
            (Choice::Least, _) => part.lo,
            (Choice::Greatest, _) => part.hi,
            (Choice::Middle, _) => part.lo + (part.hi - part.lo) / 2,
            (Choice::Any, _) => {
                let length = (part.hi - part.lo) as u128 + 1;
                part.lo + (self.random.wide() % length) as i128
            }
        };
        shape.float.map_or_else(|| value.pattern(x), |format| pattern(format, x))
    }
}
