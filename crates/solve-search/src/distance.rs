//! How far an input is from satisfying the constraints: comparisons under conjunctions, disjunctions, negations and
//! choices. Of a conjunction the distance is the sum, of a disjunction the least.

use crate::atom;
use crate::part::{Node, NodeId};
use expr::Op;
use rustc_hash::FxHashMap;

/// Part of a constraint.
#[derive(Clone, Copy, Debug)]
pub enum Formula {
    /// Both.
    All(usize, usize),
    /// One of them.
    Any(usize, usize),
    /// The node, of width 1, has this value.
    Atom(NodeId, bool),
}

/// A constraint as formulas: parts come before what they are part of, the constraint is the last.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    formulas: Vec<Formula>,
    /// Distance of each in the last evaluation.
    distances: Vec<f64>,
}

/// Formulas by node and wanted value.
type Known = FxHashMap<(NodeId, bool), usize>;

impl Formulas {
    /// Of the last node.
    pub(crate) fn new(nodes: &[Node]) -> Formulas {
        let mut formulas = Formulas::default();
        let mut known = Known::default();
        let root = formulas.place(nodes, nodes.len() - 1, true, &mut known);
        // Everything is made for the constraint; what it is the same as may have been made before other parts.
        formulas.formulas.truncate(root + 1);
        formulas.distances = vec![0.0; root + 1];
        formulas
    }

    /// All of them, in order.
    pub fn all(&self) -> &[Formula] {
        &self.formulas
    }

    /// Iterative: conditions may be deep.
    fn place(&mut self, nodes: &[Node], node: NodeId, want: bool, known: &mut Known) -> usize {
        let mut stack = vec![(node, want)];
        while let Some(&(node, want)) = stack.last() {
            if known.contains_key(&(node, want)) {
                stack.pop();
                continue;
            }
            let parts = parts(nodes, node, want);
            let before = stack.len();
            stack.extend(parts.needed().filter(|part| !known.contains_key(part)));
            if stack.len() == before {
                stack.pop();
                let made = self.made(&parts, node, want, known);
                known.insert((node, want), made);
            }
        }
        known[&(node, want)]
    }

    fn made(&mut self, parts: &Parts, node: NodeId, want: bool, known: &Known) -> usize {
        let at = |part: Wanted| known[&part];
        match *parts {
            Parts::None => self.push(Formula::Atom(node, want)),
            Parts::Same(part) => at(part),
            Parts::All(a, b) => self.push(Formula::All(at(a), at(b))),
            Parts::Any(a, b) => self.push(Formula::Any(at(a), at(b))),
            Parts::AnyOfTwo([a, b], [c, d]) => {
                let first = self.push(Formula::All(at(a), at(b)));
                let second = self.push(Formula::All(at(c), at(d)));
                self.push(Formula::Any(first, second))
            }
        }
    }

    fn push(&mut self, formula: Formula) -> usize {
        self.formulas.push(formula);
        self.formulas.len() - 1
    }

    /// Distances of all formulas for these values.
    pub(crate) fn measure(&mut self, nodes: &[Node], value: &dyn Fn(NodeId) -> u128) {
        for k in 0..self.formulas.len() {
            self.distances[k] = match self.formulas[k] {
                Formula::All(a, b) => self.distances[a] + self.distances[b],
                Formula::Any(a, b) => self.distances[a].min(self.distances[b]),
                Formula::Atom(node, want) if atom::is_comparison(nodes[node].op) => {
                    let (a, b) = (nodes[node].arg(0), nodes[node].arg(1));
                    let (op, width) = (nodes[node].op, nodes[a].width);
                    if width > 64 {
                        atom::wide_distance(op, width, value(a), value(b), value(node) == 1, want)
                    } else {
                        atom::distance(op, width, value(a), value(b), want)
                    }
                }
                Formula::Atom(node, want) => f64::from(u8::from((value(node) == 1) != want)),
            };
        }
    }

    /// Distance of the constraint in the last evaluation.
    pub(crate) fn distance(&self) -> f64 {
        self.distances[self.distances.len() - 1]
    }

    /// A comparison that keeps the constraint from holding, with the value it should have. `choose` decides where there
    /// is a choice.
    pub(crate) fn culprit(&self, choose: &mut dyn FnMut() -> bool) -> (NodeId, bool) {
        let mut at = self.formulas.len() - 1;
        loop {
            let (a, b, is_all) = match self.formulas[at] {
                Formula::Atom(node, want) => return (node, want),
                Formula::All(a, b) => (a, b, true),
                Formula::Any(a, b) => (a, b, false),
            };
            at = match (self.distances[a] == 0.0, self.distances[b] == 0.0) {
                (true, false) if is_all => b,
                (false, true) if is_all => a,
                _ if choose() => a,
                _ => b,
            };
        }
    }
}

/// A node and the value it should have.
type Wanted = (NodeId, bool);

/// What a condition is made of.
enum Parts {
    None,
    Same(Wanted),
    All(Wanted, Wanted),
    Any(Wanted, Wanted),
    /// Both of the first or both of the second.
    AnyOfTwo([Wanted; 2], [Wanted; 2]),
}

impl Parts {
    fn needed(&self) -> impl Iterator<Item = Wanted> {
        let parts = match *self {
            Parts::None => vec![],
            Parts::Same(a) => vec![a],
            Parts::All(a, b) | Parts::Any(a, b) => vec![a, b],
            Parts::AnyOfTwo([a, b], [c, d]) => vec![a, b, c, d],
        };
        parts.into_iter()
    }
}

fn parts(nodes: &[Node], node: NodeId, want: bool) -> Parts {
    let n = &nodes[node];
    let boolean = n.args().iter().all(|&a| nodes[a as usize].width == 1);
    let constant = |a: NodeId| (nodes[a].op == Op::Const).then(|| nodes[a].imm == 1);
    if n.width != 1 || !boolean {
        return Parts::None;
    }
    let [a, b, c] = [n.arg(0), n.arg(1), n.arg(2)];
    match n.op {
        Op::And if want => Parts::All((a, true), (b, true)),
        Op::And => Parts::Any((a, false), (b, false)),
        Op::Or if want => Parts::Any((a, true), (b, true)),
        Op::Or => Parts::All((a, false), (b, false)),
        Op::Xor | Op::Ne | Op::Eq => {
            // Whether the operands are to differ.
            let differ = want == (n.op != Op::Eq);
            match (constant(a), constant(b)) {
                (_, Some(c)) => Parts::Same((a, c != differ)),
                (Some(c), _) => Parts::Same((b, c != differ)),
                _ => Parts::AnyOfTwo([(a, true), (b, !differ)], [(a, false), (b, differ)]),
            }
        }
        Op::Ite => Parts::AnyOfTwo([(a, true), (b, want)], [(a, false), (c, want)]),
        _ => Parts::None,
    }
}
