//! Contraction: forward and backward through the graph until nothing changes or the work is used up.
//!
//! HC4 over a directed acyclic graph with shared parts (Schichl and Neumaier, "Interval Analysis on Directed Acyclic Graphs
//! for Global Optimization", 2005): every node keeps its domain, so that what several constraints say of the same
//! expression meets there. With each domain goes the set of constraints that made it what it is; their union where a
//! domain becomes empty is an unsatisfiable core.

use crate::domain::Domain;
use crate::graph::Graph;
use crate::narrow::narrow;
use crate::reasons::Reasons;

/// Times forward and backward. Slow convergence is left to branching.
const MAX_ROUNDS: usize = 12;

/// A contradiction, and what it rests on.
#[derive(Clone, Copy, Debug)]
pub struct Contradiction(pub Reasons);

/// Domains of all nodes, and why.
#[derive(Clone, Debug)]
pub struct State {
    pub domains: Vec<Domain>,
    pub reasons: Vec<Reasons>,
}

impl State {
    /// Before anything is asked.
    pub fn new(graph: &Graph) -> State {
        let domains: Vec<Domain> = graph.nodes.iter().map(|node| node.initial).collect();
        State { reasons: vec![Reasons::default(); domains.len()], domains }
    }
}

/// What is to be looked at again.
pub struct Contraction<'g> {
    graph: &'g Graph,
    up: Vec<bool>,
    down: Vec<bool>,
}

impl<'g> Contraction<'g> {
    /// Nothing is to be looked at.
    pub fn new(graph: &'g Graph) -> Contraction<'g> {
        let none = vec![false; graph.nodes.len()];
        Contraction { graph, up: none.clone(), down: none }
    }

    /// Everything, with these roots (indexes of the graph's) true.
    ///
    /// # Errors
    /// They contradict each other.
    pub fn begin(
        &mut self,
        state: &mut State,
        roots: impl Iterator<Item = usize>,
        work: &mut u64,
    ) -> Result<(), Contradiction> {
        for (up, node) in self.up.iter_mut().zip(&self.graph.nodes) {
            *up = node.is_live && !node.operands().is_empty();
        }
        for k in roots {
            let node = self.graph.roots[k].node as usize;
            let reasons = state.reasons[node].with(Reasons::of(k));
            self.restrict(state, node, Domain::TRUE, reasons)?;
        }
        self.run(state, work)
    }

    /// A node's domain made smaller. [`Contraction::run`] sees to what follows.
    ///
    /// # Errors
    /// Nothing is left.
    pub fn restrict(
        &mut self,
        state: &mut State,
        node: usize,
        to: Domain,
        reasons: Reasons,
    ) -> Result<(), Contradiction> {
        let domain = state.domains[node].meet(to);
        if domain == state.domains[node] {
            return Ok(());
        }
        state.domains[node] = domain;
        state.reasons[node] = state.reasons[node].with(reasons);
        if domain.is_empty() {
            return Err(Contradiction(state.reasons[node]));
        }
        self.down[node] = true;
        for &user in &self.graph.nodes[node].users {
            self.up[user as usize] = self.graph.nodes[user as usize].is_live;
        }
        Ok(())
    }

    /// Until nothing changes, or `work` (operations evaluated, counted down) is used up: what is there then holds as well.
    ///
    /// # Errors
    /// The constraints contradict each other.
    pub fn run(&mut self, state: &mut State, work: &mut u64) -> Result<(), Contradiction> {
        let result = self.rounds(state, work);
        self.up.fill(false);
        self.down.fill(false);
        result
    }

    fn rounds(&mut self, state: &mut State, work: &mut u64) -> Result<(), Contradiction> {
        for _ in 0..MAX_ROUNDS {
            let mut any = false;
            for node in 0..self.up.len() {
                if std::mem::take(&mut self.up[node]) {
                    any = true;
                    self.forward(state, node, work)?;
                }
            }
            for node in (0..self.down.len()).rev() {
                if std::mem::take(&mut self.down[node]) {
                    any = true;
                    self.backward(state, node, work)?;
                }
            }
            if !any || *work == 0 {
                break;
            }
        }
        Ok(())
    }

    fn of_operands(&self, state: &State, node: usize) -> Reasons {
        let operands = self.graph.nodes[node].operands().iter();
        operands.fold(Reasons::default(), |all, &k| all.with(state.reasons[k as usize]))
    }

    fn forward(&mut self, state: &mut State, node: usize, work: &mut u64) -> Result<(), Contradiction> {
        *work = work.saturating_sub(1);
        let (operands, count) = self.graph.values(&state.domains, node as u32);
        let given = self.graph.nodes[node].operation.forward(&operands[..count]);
        let reasons = self.of_operands(state, node);
        self.restrict(state, node, given, reasons)?;
        // What the operands give anyway does not narrow them.
        self.down[node] = state.domains[node] != given;
        Ok(())
    }

    fn backward(&mut self, state: &mut State, node: usize, work: &mut u64) -> Result<(), Contradiction> {
        let n = &self.graph.nodes[node];
        if n.operands().is_empty() {
            return Ok(());
        }
        let (mut operands, count) = self.graph.values(&state.domains, node as u32);
        let mut done = 0;
        narrow(&n.operation, &mut operands[..count], state.domains[node], &mut done);
        *work = work.saturating_sub(done);
        let reasons = self.of_operands(state, node).with(state.reasons[node]);
        for (value, &operand) in operands.iter().zip(n.operands()) {
            self.restrict(state, operand as usize, value.domain, reasons)?;
        }
        Ok(())
    }
}
