//! Checks put into the program on request (`--find`): undefined operations as goals.
//!
//! A check is a conditional of its own, beside those of the source, so that it never counts in coverage: outcome 0 is a defined
//! operation, outcome 1 an undefined one. The numbers of its conditional and branches lie behind all others
//! ([`ProgramMap::check_cond`]).

use crate::{BranchId, CondId, FunctionId, ProgramMap, Span};
use serde::{Deserialize, Serialize};
use trace_abi::MAX_CALLEES;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal, $text:literal;)+) => {
        /// What a check looks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum CheckKind { $($(#[doc = $doc])+ $name,)+ }
        impl CheckKind {
            /// Every kind.
            pub const ALL: &'static [CheckKind] = &[$(CheckKind::$name,)+];
            /// As written on the command line and in names of files.
            pub const fn name(self) -> &'static str { match self { $(CheckKind::$name => $word,)+ } }
            /// For people.
            pub const fn text(self) -> &'static str { match self { $(CheckKind::$name => $text,)+ } }
        }
    };
}

kinds! {
    /// Addition, subtraction or multiplication of signed integers whose result does not fit.
    Overflow = "overflow", "signed integer overflow";
    /// Division or remainder by zero, or of the smallest number by -1.
    Division = "div", "division by zero or beyond the result's range";
    /// Index outside an array of known length.
    Bounds = "bounds", "index outside its array";
    /// Access through a null pointer.
    Null = "null", "null pointer dereference";
    /// Shift by the operand's width or more, or by a negative number.
    Shift = "shift", "shift by the operand's width or more";
    /// Conversion of a floating-point value to an integer type that cannot hold it.
    Cast = "cast", "conversion beyond the integer type's range";
}

impl std::str::FromStr for CheckKind {
    type Err = String;

    fn from_str(word: &str) -> Result<CheckKind, String> {
        CheckKind::ALL.iter().copied().find(|k| k.name() == word).ok_or_else(|| {
            let known: Vec<&str> = CheckKind::ALL.iter().map(|k| k.name()).collect();
            format!("{word:?} is none of {}", known.join(", "))
        })
    }
}

/// A check in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    /// What it looks for.
    pub kind: CheckKind,
    /// Function in which it stands.
    pub function: FunctionId,
    /// Where the operation stands.
    pub span: Span,
}

impl ProgramMap {
    /// The conditional of check `check` (an index into [`ProgramMap::checks`]).
    pub fn check_cond(&self, check: u32) -> CondId {
        let before = self.conds.len() as u32 + 1 + self.calls.len() as u32;
        CondId(before.saturating_add(check))
    }

    /// The check of such a conditional.
    pub fn check_of(&self, cond: CondId) -> Option<u32> {
        let check = cond.0.checked_sub(self.check_cond(0).0)?;
        ((check as usize) < self.checks.len()).then_some(check)
    }

    /// The branch of check `check` with this outcome: `true` if the operation is undefined.
    pub fn check_branch(&self, check: u32, fails: bool) -> BranchId {
        BranchId(self.first_check_branch().saturating_add(2 * check + u32::from(fails)))
    }

    /// The check and outcome that a branch stands for; `None` for all others.
    pub fn check_outcome(&self, branch: BranchId) -> Option<(u32, bool)> {
        let beyond = branch.0.checked_sub(self.first_check_branch())?;
        ((beyond as usize / 2) < self.checks.len()).then_some((beyond / 2, beyond % 2 == 1))
    }

    fn first_check_branch(&self) -> u32 {
        let calls = (self.calls.len() as u32).saturating_mul(u32::from(MAX_CALLEES));
        (self.branches.len() as u32 + 2).saturating_add(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_numbers_of_their_own() {
        let span = Span { file: None, line: 0, column: 0 };
        let check = Check { kind: CheckKind::Shift, function: FunctionId(0), span };
        let map = ProgramMap { checks: vec![check; 3], ..ProgramMap::default() };
        for k in 0..3 {
            assert_eq!(map.check_of(map.check_cond(k)), Some(k));
            for fails in [false, true] {
                let branch = map.check_branch(k, fails);
                assert_eq!(map.check_outcome(branch), Some((k, fails)));
                assert_eq!(map.outcome_of(branch), Some((map.check_cond(k), u32::from(fails))));
                assert_eq!((map.library_outcome(branch), map.call_outcome(branch)), (None, None));
            }
        }
        assert_eq!(map.check_of(map.check_cond(3)), None);
    }

    #[test]
    fn kinds_are_known_by_their_names() {
        for &kind in CheckKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("divide".parse::<CheckKind>().is_err());
    }
}
