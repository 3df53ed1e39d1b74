//! A query as text that other SMT solvers read: SMT-LIB 2.6 (Barrett, Fontaine and Tinelli, "The SMT-LIB Standard", 2017). The
//! terms are those that Bitwuzla is asked about, printed by it, so that whoever reads the text is asked the same.

use crate::budget::Budget;
use crate::context::{Context, Term};
use crate::sys::Kind;
use crate::translate::{Failure, Translation};
use expr::{Arena, ExprId};
use rustc_hash::FxHashSet;
use solve::Limits;
use std::fmt::Write as _;

/// A query as text.
#[derive(Clone, Debug)]
pub struct Script {
    /// Declarations and one assertion.
    pub text: String,
    /// Names of the input bytes (object, offset) in it.
    pub inputs: Vec<((u32, u32), String)>,
    /// Functions that SMT-LIB lacks may have any value in it: a model is a candidate only.
    pub is_approximate: bool,
}

/// The constraints, all of which must be true, as text.
///
/// # Errors
/// A text for people, if some constraint cannot be expressed.
pub fn script(arena: &mut Arena, constraints: &[ExprId]) -> Result<Script, String> {
    Context::enter();
    written(arena, constraints).map_err(|failure| match failure {
        Failure::Stopped => "the circuits are too large".to_owned(),
        Failure::Unsupported(what) => what,
        Failure::Failed(error) => error.0,
    })
}

fn written(arena: &mut Arena, constraints: &[ExprId]) -> Result<Script, Failure> {
    let mut context = Context::new(&[("rewrite-level", 0)])?;
    context.name_variables();
    let mut translation = Translation::new();
    let mut budget = Budget::new(&Limits { work: 0, millis: 0 }, u64::MAX);
    let mut is_approximate = false;
    let mut all: Vec<Term> = Vec::new();
    // Constraints have definitions in common.
    let mut defined: FxHashSet<Term> = FxHashSet::default();
    for &constraint in constraints {
        all.push(translation.constraint(&mut context, arena, constraint, &mut budget)?);
        if let Some(conditions) = translation.conditions(constraint) {
            is_approximate |= conditions.is_approximate;
            all.extend(conditions.definitions.iter().filter(|&&term| defined.insert(term)));
        }
    }
    // As one term, so that what the constraints have in common is written once.
    let mut whole = context.boolean(true)?;
    for term in all {
        whole = context.mk2(Kind::And, whole, term)?;
    }
    let mut text = String::new();
    for (name, width) in context.variables() {
        let _ = writeln!(text, "(declare-const {name} (_ BitVec {width}))");
    }
    let _ = writeln!(text, "(assert {})", context.text(whole)?);
    let inputs =
        translation.inputs().filter_map(|(byte, term)| Some((byte, context.name_of(term)?.to_owned())));
    Ok(Script { text, inputs: inputs.collect(), is_approximate })
}
