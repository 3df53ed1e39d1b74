//! [`Bitwuzla`], the back end.

use crate::budget::{Budget, Stop};
use crate::context::{Check, Context, Setting, Term};
use crate::translate::{Failure, Translation};
use expr::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};
use solve::{Answer, Limits, Model, Query, Solver, Unknown, satisfies};

/// What can be set; [`Settings::default`] is what was measured best on many small queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Seed of the solver's own random choices.
    pub seed: u32,
    /// Start over with an empty solver once the circuits of everything translated have about this many gates (a gate
    /// costs some hundred bytes in the end).
    pub max_gates: u64,
    /// Give up on a query whose constraints need more than about this many gates that are not there yet: Bitwuzla
    /// builds circuits without looking at its limits.
    pub max_query_gates: u64,
    /// Further options of Bitwuzla, by long name.
    pub options: Vec<(&'static str, u64)>,
}

impl Default for Settings {
    fn default() -> Settings {
        // Expressions were simplified when they were made: rewriting terms once more took longer than it saved (recorded
        // queries of cjson and tinyxml2: 14.4 s and 12.1 s with it, 3.3 s and 7.7 s without).
        let options = vec![("rewrite-level", 0)];
        Settings { seed: 0, max_gates: 2_000_000, max_query_gates: 400_000, options }
    }
}

/// The solver Bitwuzla. Remembers what it translated and learned while queries come from the same arena.
pub struct Bitwuzla {
    settings: Settings,
    session: Option<Session>,
    steps: u64,
}

/// What is kept between queries on one arena.
struct Session {
    arena_id: u64,
    context: Context,
    translation: Translation,
}

impl Default for Bitwuzla {
    fn default() -> Bitwuzla {
        Bitwuzla::new(Settings::default())
    }
}

impl Bitwuzla {
    /// A solver that has not seen anything yet.
    pub fn new(settings: Settings) -> Bitwuzla {
        Bitwuzla { settings, session: None, steps: 0 }
    }

    /// Version of the library.
    pub fn version() -> String {
        crate::context::version()
    }

    /// Steps used so far by all queries together; see [`crate::STEP`].
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The session to use for an arena: the one there is, if it fits and has not grown too large.
    fn session(&mut self, arena_id: u64) -> Result<&mut Session, Failure> {
        let fits = |session: &Session| {
            session.arena_id == arena_id && session.translation.gates() <= self.settings.max_gates
        };
        if !self.session.as_ref().is_some_and(fits) {
            // The old one goes first: two at once would double the peak.
            self.session = None;
            let mut options: Vec<Setting> = vec![
                ("produce-models", 1),
                ("produce-unsat-assumptions", 1),
                ("seed", self.settings.seed.into()),
            ];
            options.extend(&self.settings.options);
            let context = Context::new(&options)?;
            self.session = Some(Session { arena_id, context, translation: Translation::new() });
        }
        match &mut self.session {
            Some(session) => Ok(session),
            None => Err(Failure::Unsupported("no session".into())),
        }
    }
}

impl Solver for Bitwuzla {
    fn name(&self) -> &'static str {
        "bitwuzla"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        if let Some(index) = query.constraints.iter().position(|&e| query.arena.is_false(e)) {
            return Answer::Unsat(vec![index]);
        }
        Context::enter();
        let mut budget = Budget::new(limits, self.settings.max_query_gates);
        let result = self.session(query.arena_id).and_then(|session| session.solve(query, &mut budget));
        self.steps += budget.steps();
        match result {
            Ok(answer) => {
                if matches!(answer, Answer::Unknown(_)) {
                    self.session = None;
                }
                answer
            }
            Err(failure) => {
                if failure == Failure::Stopped || matches!(failure, Failure::Failed(_)) {
                    self.session = None;
                }
                Answer::Unknown(reason(&failure, &budget))
            }
        }
    }
}

fn reason(failure: &Failure, budget: &Budget) -> Unknown {
    match failure {
        Failure::Stopped => stopped(budget),
        Failure::Unsupported(what) => Unknown::Unsupported(what.clone()),
        Failure::Failed(error) => Unknown::Failed(error.0.clone()),
    }
}

fn stopped(budget: &Budget) -> Unknown {
    match budget.stopped() {
        Some(Stop::Work) => Unknown::WorkLimit,
        Some(Stop::Time) => Unknown::TimeLimit,
        None => Unknown::Failed("Bitwuzla gave up without a reason".into()),
    }
}

impl Session {
    fn solve(&mut self, query: &mut Query<'_>, budget: &mut Budget) -> Result<Answer, Failure> {
        let mut assumptions = Vec::with_capacity(query.constraints.len());
        // First index of each assumption: two constraints may have the same term.
        let mut index_of: FxHashMap<Term, usize> = FxHashMap::default();
        for (index, &constraint) in query.constraints.iter().enumerate() {
            let term = self.translation.constraint(&mut self.context, query.arena, constraint, budget)?;
            index_of.entry(term).or_insert_with(|| {
                assumptions.push(term);
                index
            });
        }
        let mut is_approximate = false;
        let mut defined: FxHashSet<Term> = FxHashSet::default();
        for conditions in query.constraints.iter().filter_map(|&c| self.translation.conditions(c)) {
            is_approximate |= conditions.is_approximate;
            assumptions.extend(conditions.definitions.iter().filter(|&&term| defined.insert(term)));
        }
        match self.context.check(&assumptions, &mut || budget.step())? {
            Check::Sat => match self.model(query)? {
                Answer::Sat(model) if is_approximate && !satisfies(query, &model) => {
                    Ok(Answer::Unknown(Unknown::Unsupported(ABSTRACTED.into())))
                }
                answer => Ok(answer),
            },
            Check::Unsat => self.core(&index_of),
            Check::Unknown => Ok(Answer::Unknown(stopped(budget))),
        }
    }

    fn model(&mut self, query: &mut Query<'_>) -> Result<Answer, Failure> {
        let mut inputs = expr_inputs(query.arena, query.constraints);
        let mut model = Model::new();
        for byte in inputs.drain(..) {
            if let Some(term) = self.translation.input(byte) {
                model.insert(byte, self.context.value(term)?);
            }
        }
        Ok(Answer::Sat(model))
    }

    fn core(&mut self, index_of: &FxHashMap<Term, usize>) -> Result<Answer, Failure> {
        let failed = self.context.failed_assumptions()?;
        let mut core: Vec<usize> = failed.iter().filter_map(|term| index_of.get(term).copied()).collect();
        core.sort_unstable();
        core.dedup();
        Ok(Answer::Unsat(core))
    }
}

/// Why a candidate is none.
const ABSTRACTED: &str = "functions of the mathematics library";

/// Input bytes that occur in the constraints.
fn expr_inputs(arena: &mut expr::Arena, constraints: &[ExprId]) -> Vec<(u32, u32)> {
    let mut all = expr::InputSet::EMPTY;
    for &constraint in constraints {
        let set = arena.input_set(constraint);
        all = arena.union_inputs(all, set);
    }
    arena.view_inputs(all).iter().collect()
}
