//! How far an input is from satisfying the constraints: comparisons under conjunctions, disjunctions, negations and
//! choices. Of a conjunction the distance is the sum, of a disjunction the least.

use crate::atom;
use crate::problem::{NodeId, Problem};
use expr::Op;
use rustc_hash::FxHashMap;

/// Part of a constraint; parts come before what they are part of.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    /// Both.
    All(usize, usize),
    /// One of them.
    Any(usize, usize),
    /// The node, of width 1, has this value.
    Atom(NodeId, bool),
}

/// The constraints of a problem as formulas.
pub(crate) struct Formulas {
    pub formulas: Vec<Formula>,
    /// Of each constraint.
    pub roots: Vec<usize>,
    known: FxHashMap<(NodeId, bool), usize>,
    /// Distance of each in the last evaluation.
    pub distances: Vec<f64>,
}

impl Formulas {
    pub(crate) fn new(problem: &Problem) -> Formulas {
        let mut formulas =
            Formulas { formulas: vec![], roots: vec![], known: FxHashMap::default(), distances: vec![] };
        for &constraint in &problem.constraints {
            let root = formulas.place(problem, constraint, true);
            formulas.roots.push(root);
        }
        formulas.distances = vec![0.0; formulas.formulas.len()];
        formulas
    }

    /// Iterative: conditions may be deep.
    fn place(&mut self, problem: &Problem, node: NodeId, want: bool) -> usize {
        let mut stack = vec![(node, want)];
        while let Some(&(node, want)) = stack.last() {
            if self.known.contains_key(&(node, want)) {
                stack.pop();
                continue;
            }
            let parts = parts(problem, node, want);
            let missing: Vec<_> = parts.needed().filter(|part| !self.known.contains_key(part)).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            stack.pop();
            let made = self.made(&parts, node, want);
            self.known.insert((node, want), made);
        }
        self.known[&(node, want)]
    }

    fn made(&mut self, parts: &Parts, node: NodeId, want: bool) -> usize {
        let at = |formulas: &Formulas, part: (NodeId, bool)| formulas.known[&part];
        match *parts {
            Parts::None => self.push(Formula::Atom(node, want)),
            Parts::Same(part) => at(self, part),
            Parts::All(a, b) => self.push(Formula::All(at(self, a), at(self, b))),
            Parts::Any(a, b) => self.push(Formula::Any(at(self, a), at(self, b))),
            Parts::AnyOfTwo([a, b], [c, d]) => {
                let first = self.push(Formula::All(at(self, a), at(self, b)));
                let second = self.push(Formula::All(at(self, c), at(self, d)));
                self.push(Formula::Any(first, second))
            }
        }
    }

    fn push(&mut self, formula: Formula) -> usize {
        self.formulas.push(formula);
        self.formulas.len() - 1
    }

    /// Distances of all formulas in the last evaluation.
    pub(crate) fn measure(&mut self, problem: &Problem) {
        for k in 0..self.formulas.len() {
            self.distances[k] = match self.formulas[k] {
                Formula::All(a, b) => self.distances[a] + self.distances[b],
                Formula::Any(a, b) => self.distances[a].min(self.distances[b]),
                Formula::Atom(node, want) if atom::is_comparison(problem.nodes[node].op) => {
                    atom::of_node(problem, node, want)
                }
                Formula::Atom(node, want) => f64::from(u8::from((problem.value(node) == 1) != want)),
            };
        }
    }
}

type Part = (NodeId, bool);

/// What a condition is made of.
enum Parts {
    None,
    Same(Part),
    All(Part, Part),
    Any(Part, Part),
    /// Both of the first or both of the second.
    AnyOfTwo([Part; 2], [Part; 2]),
}

impl Parts {
    fn needed(&self) -> impl Iterator<Item = Part> {
        let parts = match *self {
            Parts::None => vec![],
            Parts::Same(a) => vec![a],
            Parts::All(a, b) | Parts::Any(a, b) => vec![a, b],
            Parts::AnyOfTwo([a, b], [c, d]) => vec![a, b, c, d],
        };
        parts.into_iter()
    }
}

fn parts(problem: &Problem, node: NodeId, want: bool) -> Parts {
    let n = &problem.nodes[node];
    let boolean = n.args.iter().all(|&a| problem.nodes[a].width == 1);
    let constant = |a: NodeId| (problem.nodes[a].op == Op::Const).then(|| problem.nodes[a].imm == 1);
    if n.width != 1 || !boolean {
        return Parts::None;
    }
    match (n.op, &n.args[..]) {
        (Op::And, &[a, b]) if want => Parts::All((a, true), (b, true)),
        (Op::And, &[a, b]) => Parts::Any((a, false), (b, false)),
        (Op::Or, &[a, b]) if want => Parts::Any((a, true), (b, true)),
        (Op::Or, &[a, b]) => Parts::All((a, false), (b, false)),
        (Op::Xor | Op::Ne | Op::Eq, &[a, b]) => {
            // Whether the operands are to differ.
            let differ = want == (n.op != Op::Eq);
            match (constant(a), constant(b)) {
                (_, Some(c)) => Parts::Same((a, c != differ)),
                (Some(c), _) => Parts::Same((b, c != differ)),
                _ => Parts::AnyOfTwo([(a, true), (b, !differ)], [(a, false), (b, differ)]),
            }
        }
        (Op::Ite, &[c, a, b]) => Parts::AnyOfTwo([(c, true), (a, want)], [(c, false), (b, want)]),
        _ => Parts::None,
    }
}
