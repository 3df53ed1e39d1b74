//! Goals beside the source's branches: outcomes of a conditional in one calling context, and calls that report an error.
//!
//! In `void assume(int c) { if (!c) abort(); }` one conditional decides for all callers, so that covering its two branches
//! says next to nothing. Such small functions are found by the instrumenter; of each call of one, or of each two nested calls, the
//! conditional inside stands once more at the end of the map ([`GoalKind::Context`]). Their branches have coverage bytes
//! like all others, but belong to no coverage that a user sees.

use crate::{BranchId, CallId, CondId, CondKind, FunctionId, ProgramMap};
use serde::{Deserialize, Serialize};

/// What a goal beside the source's branches is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalKind {
    /// A conditional of a small function in one calling context; its branches are those of the conditional.
    Context {
        /// The conditional of the source.
        of: CondId,
        /// The calls that lead to it, innermost first, two at most; none: all contexts that are not told apart.
        calls: Vec<CallId>,
    },
    /// A call of a function that reports an error (`abort`, `__assert_fail`, `reach_error` …); its one branch is covered by
    /// runs that make the call.
    ErrorCall(CallId),
}

/// Functions whose call means that the program found an error.
pub const ERROR_FUNCTIONS: &[&str] = &[
    "abort",
    "reach_error",
    "unreachable",
    "__assert",
    "__assert_fail",
    "__assert_perror_fail",
    "__VERIFIER_error",
    "klee_abort",
];

impl ProgramMap {
    /// The first branch of a goal: all behind it are, too.
    pub fn first_goal(&self) -> usize {
        self.branches.len().saturating_sub(self.goal_branches as usize)
    }

    /// The conditionals that stand for goals, contexts first.
    pub fn goal_conds(&self) -> impl Iterator<Item = (CondId, &GoalKind)> {
        let first = self.first_goal_cond();
        let all = self.conds.iter().skip(first as usize).zip(first..);
        all.filter_map(|(cond, id)| match &cond.kind {
            CondKind::Goal(goal) => Some((CondId(id), goal)),
            _ => None,
        })
    }

    /// How many conditionals the source has: those with lower ids than goals.
    pub fn n_source_conds(&self) -> usize {
        self.first_goal_cond() as usize
    }

    fn first_goal_cond(&self) -> u32 {
        (self.conds.len() as u32).saturating_sub(self.goal_conds)
    }

    /// The conditional of calling context number `context`, from 1.
    pub fn context(&self, context: u16) -> Option<CondId> {
        let id = self.first_goal_cond() + u32::from(context.checked_sub(1)?);
        let is_context = |c: &crate::Cond| matches!(c.kind, CondKind::Goal(GoalKind::Context { .. }));
        self.conds.get(id as usize).filter(|c| is_context(c)).map(|_| CondId(id))
    }

    /// The number of the calling context that a conditional of [`ProgramMap::goal_conds`] stands for.
    pub fn context_number(&self, cond: CondId) -> u16 {
        let number = (cond.0 + 1).saturating_sub(self.first_goal_cond());
        u16::try_from(number).unwrap_or(0)
    }

    /// The calls of calling context number `context`, innermost first.
    pub fn context_calls(&self, context: u16) -> &[CallId] {
        match self.context(context).map(|cond| &self.conds[cond.index()].kind) {
            Some(CondKind::Goal(GoalKind::Context { calls, .. })) => calls,
            _ => &[],
        }
    }

    /// What `branch` is in calling context number `context`; `None` if its conditional is not told apart there.
    pub fn in_context(&self, branch: BranchId, context: u16) -> Option<BranchId> {
        let own = self.branches.get(branch.index())?;
        let cond = &self.conds[self.context(context)?.index()];
        match cond.kind {
            CondKind::Goal(GoalKind::Context { of, .. })
                if of == own.cond && own.outcome < cond.n_branches =>
            {
                Some(BranchId(cond.first_branch.0 + own.outcome))
            }
            _ => None,
        }
    }

    /// The number under which entering a function is told as something new, behind all other branches.
    pub fn entry_branch(&self, function: FunctionId) -> BranchId {
        let checks = self.check_branch(self.checks.len() as u32, false);
        BranchId(checks.0.saturating_add(function.0))
    }

    /// The name of the function that an external or direct call calls.
    pub fn callee_name(&self, call: CallId) -> Option<&str> {
        match &self.calls.get(call.index())?.callee {
            crate::Callee::Function(f) => self.functions.get(f.index()).map(|f| f.name.as_str()),
            crate::Callee::External(name) => Some(name),
            crate::Callee::Indirect => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockId, Branch, Cond, Span};

    /// A conditional of the source, and the same in two calling contexts.
    fn map() -> ProgramMap {
        let context = |calls: &[u32]| {
            let calls = calls.iter().map(|&c| CallId(c)).collect();
            CondKind::Goal(GoalKind::Context { of: CondId(0), calls })
        };
        let kinds = [(CondKind::If, 2), (CondKind::If, 2), (context(&[]), 2), (context(&[7, 8]), 2)];
        let error = (CondKind::Goal(GoalKind::ErrorCall(CallId(9))), 1);
        let mut map = ProgramMap::default();
        for (id, (kind, n_branches)) in (0..).zip(kinds.into_iter().chain([error])) {
            let span = Span { file: None, line: 0, column: 0 };
            let first_branch = BranchId(map.branches.len() as u32);
            map.branches.extend((0..n_branches).map(|outcome| Branch { cond: CondId(id), outcome }));
            let (function, block) = (FunctionId(0), BlockId(0));
            map.conds.push(Cond { function, block, span, kind, first_branch, n_branches });
        }
        (map.goal_conds, map.goal_branches) = (3, 5);
        map
    }

    #[test]
    fn goals_are_no_branches_of_the_source() {
        let map = map();
        assert_eq!((map.n_own_branches(), map.first_goal(), map.n_source_conds()), (4, 4, 2));
        assert_eq!(map.goal_conds().map(|g| g.0).collect::<Vec<_>>(), [CondId(2), CondId(3), CondId(4)]);
        assert_eq!(map.branch_of(CondId(3), 1), None, "a run does not decide there");
    }

    #[test]
    fn contexts_are_found_by_their_numbers() {
        let map = map();
        assert_eq!(map.in_context(BranchId(1), 2), Some(BranchId(7)));
        assert_eq!(map.in_context(BranchId(0), 1), Some(BranchId(4)));
        assert_eq!(map.in_context(BranchId(2), 2), None, "another conditional");
        assert_eq!((map.in_context(BranchId(1), 0), map.in_context(BranchId(1), 3)), (None, None));
        assert_eq!(map.context_calls(2), [CallId(7), CallId(8)]);
        assert_eq!((map.context_calls(0), map.context_calls(3)), (&[][..], &[][..]));
        assert_eq!((1..3).map(|k| map.context_number(map.context(k).unwrap())).collect::<Vec<_>>(), [1, 2]);
    }
}
