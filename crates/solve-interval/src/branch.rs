//! Branch and prune: contraction of boxes, which are halved where they may hold solutions (Van Hentenryck, McAllester and
//! Kapur, "Solving Polynomial Systems Using a Branch and Prune Approach", 1997; RealPaver, Granvilliers and Benhamou 2006).
//!
//! A box is a domain for each field of the input. The oldest box comes first, so that all parts of the input space are looked
//! at, and every other time the smallest, because where contraction left little a solution is likely; the widest field of those that open constraints read is halved, for floats by positions (so an exponent as often as a
//! digit). Each box is sampled. If every box is closed the constraints are unsatisfiable, and what closed them is a core.

use crate::contract::{Contraction, Contradiction, State};
use crate::domain::Domain;
use crate::graph::Graph;
use crate::range::Range;
use crate::reasons::Reasons;
use crate::sample::Sampler;
use solve::{Model, Query};
use std::collections::VecDeque;

/// What is known of the fields.
struct Box {
    fields: Vec<(Domain, Reasons)>,
    /// Bits of all fields that are open.
    bits: u32,
}

/// What came of it.
pub enum Outcome {
    /// A model.
    Sat(Model),
    /// These roots of the graph contradict each other.
    Unsat(Reasons),
    /// The work is used up, or boxes are left that cannot be halved. The best samples, best first.
    Open(Vec<Model>),
}

/// Searches the box that contraction left. `finds`: boxes are sampled.
pub fn search(
    query: &Query<'_>,
    graph: &Graph,
    root: &State,
    sampler: Sampler,
    finds: bool,
    work: &mut u64,
) -> Outcome {
    let mut search =
        Search { query, graph, root, sampler, finds, closed: Reasons::default(), is_open: false };
    let found = search.run(work);
    match found {
        Some(model) => Outcome::Sat(model),
        None if search.is_open => Outcome::Open(search.sampler.into_best()),
        None => Outcome::Unsat(search.closed),
    }
}

struct Search<'q> {
    query: &'q Query<'q>,
    graph: &'q Graph,
    root: &'q State,
    sampler: Sampler,
    finds: bool,
    /// What closed the boxes so far.
    closed: Reasons,
    /// A box was left.
    is_open: bool,
}

impl Search<'_> {
    fn run(&mut self, work: &mut u64) -> Option<Model> {
        let mut contraction = Contraction::new(self.graph);
        let mut state = self.root.clone();
        let mut boxes = VecDeque::new();
        if let Some(model) = self.look(&state, &mut boxes, work) {
            return Some(model);
        }
        for turn in 0.. {
            let Some(next) = chosen(&mut boxes, turn) else { break };
            if *work == 0 {
                self.is_open = true;
                break;
            }
            state.clone_from(self.root);
            match self.enter(&mut contraction, &mut state, &next, work) {
                Err(Contradiction(reasons)) => self.closed = self.closed.with(reasons),
                Ok(()) => {
                    if let Some(model) = self.look(&state, &mut boxes, work) {
                        return Some(model);
                    }
                }
            }
        }
        None
    }

    fn enter(
        &self,
        contraction: &mut Contraction<'_>,
        state: &mut State,
        to: &Box,
        work: &mut u64,
    ) -> Result<(), Contradiction> {
        for (field, &(domain, reasons)) in self.graph.fields.iter().zip(&to.fields) {
            let node = field.node as usize;
            state.reasons[node] = state.reasons[node].with(reasons);
            contraction.restrict(state, node, domain, reasons)?;
        }
        contraction.run(state, work)
    }

    /// Samples a box that is contracted, and halves it.
    fn look(&mut self, state: &State, boxes: &mut VecDeque<Box>, work: &mut u64) -> Option<Model> {
        if self.finds {
            *work = work.saturating_sub(self.sampler.cost());
            if let Some(model) = self.sampler.some(self.query, self.graph, &state.domains) {
                return Some(model);
            }
        }
        let open = self.open_fields(state, work);
        let value = |field: u32| self.graph.value(&state.domains, self.graph.fields[field as usize].node);
        let widest =
            open.iter().copied().max_by_key(|&field| (size(value(field).domain), std::cmp::Reverse(field)));
        let halves = widest.and_then(|field| Some((field, halves(value(field).domain)?)));
        match halves {
            Some((field, halves)) => {
                for half in halves {
                    boxes.push_back(self.with(state, field, half));
                }
                None
            }
            None => self.close(state),
        }
    }

    /// The box with another domain for one field.
    fn with(&self, state: &State, field: u32, domain: Domain) -> Box {
        let of = |node: u32| (state.domains[node as usize], state.reasons[node as usize]);
        let mut fields: Vec<_> = self.graph.fields.iter().map(|field| of(field.node)).collect();
        fields[field as usize].0 = domain;
        let bits = fields.iter().map(|field| size(field.0).ilog2() + 1).sum();
        Box { fields, bits }
    }

    /// Fields of constraints that do not hold everywhere in the box.
    fn open_fields(&self, state: &State, work: &mut u64) -> Vec<u32> {
        let mut open = vec![false; self.graph.fields.len()];
        let natural = self.graph.natural(&state.domains, work);
        for root in &self.graph.roots {
            if natural[root.node as usize] != Domain::TRUE {
                root.fields.iter().for_each(|&field| open[field as usize] = true);
            }
        }
        (0..open.len() as u32).filter(|&field| open[field as usize]).collect()
    }

    /// A box that cannot be halved: it is one input, if every field has one pattern.
    fn close(&mut self, state: &State) -> Option<Model> {
        let is_one =
            |field: &crate::graph::Field| self.graph.value(&state.domains, field.node).as_bits().is_some();
        if self.graph.fields.iter().all(is_one) {
            match self.sampler.only(self.query, self.graph, &state.domains) {
                Ok(model) => return Some(model),
                // With other bytes in memory the same fields may do.
                Err(Some(root)) if !self.graph.reads_input() => {
                    let fields = self.graph.roots[root].fields.iter();
                    let nodes = fields.map(|&field| self.graph.fields[field as usize].node as usize);
                    let why = nodes.fold(Reasons::of(root), |all, node| all.with(state.reasons[node]));
                    self.closed = self.closed.with(why);
                    return None;
                }
                Err(_) => {}
            }
        }
        self.is_open = true;
        None
    }
}

/// The next box: the oldest, or the smallest.
fn chosen(boxes: &mut VecDeque<Box>, turn: u64) -> Option<Box> {
    if turn.is_multiple_of(2) {
        return boxes.pop_front();
    }
    let smallest = (0..boxes.len()).min_by_key(|&k| boxes[k].bits)?;
    boxes.remove(smallest)
}

/// How many values there are.
fn size(domain: Domain) -> u128 {
    domain.parts().map(|part| (part.hi - part.lo) as u128 + 1).sum::<u128>() + u128::from(domain.nan)
}

/// A domain in two, `None` if it cannot be halved.
fn halves(domain: Domain) -> Option<[Domain; 2]> {
    let numbers = domain.with_nan(false);
    if domain.nan {
        return (!numbers.is_empty()).then_some([numbers, Domain::NAN]);
    }
    if !domain.minus.is_empty() && !domain.plus.is_empty() {
        return Some([domain.plus, domain.minus].map(Domain::number));
    }
    let all = domain.hull();
    let middle = all.lo + (all.hi - all.lo) / 2;
    let halves = [Range::new(all.lo, middle), Range::new(middle + 1, all.hi)];
    halves.iter().all(|half| !half.is_empty()).then_some(halves.map(Domain::number))
}
