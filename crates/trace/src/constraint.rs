//! What an event says about the input, as an expression of width 1.

use crate::lift::{Held, Lifted};
use crate::tables::TableView;
use crate::{Event, EventKind, Trace};
use expr::{ExprId, Op};
use program::{BranchId, CallId, CondId, CondKind, ProgramMap};
use rustc_hash::FxHashSet;

/// What is wanted at an event instead of what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// This branch of the event's conditional.
    Take(BranchId),
    /// Anything but what happened: the other branch, another case, another callee, an address outside the table.
    Other,
}

impl<T: AsRef<Trace>> Lifted<T> {
    /// What held at event `index`; `None` for events that constrain nothing or do not exist.
    ///
    /// Branch, switch case, indirect call and pin: the label has its value (of a pinned label wider than 64 bits the
    /// low 64); a switch's default: it has none of the cases' values; bounds: the address lies within the
    /// table.
    pub fn constraint(&mut self, index: usize, map: &ProgramMap) -> Option<ExprId> {
        match self.constraints.get(index) {
            Some(&Held::That(known)) => return Some(known),
            Some(Held::Nothing) => return None,
            Some(Held::Unasked) | None => {}
        }
        let event = *self.trace.as_ref().events.get(index)?;
        let made = self.held(&event, map);
        if self.constraints.len() <= index {
            self.constraints.resize(index + 1, Held::Unasked);
        }
        self.constraints[index] = made.map_or(Held::Nothing, Held::That);
        made
    }

    /// The condition under which event `index` would go as wanted, given that the path reaches it; `None` if the
    /// event decides nothing or the wanted branch is not one of its conditional.
    pub fn goal(&mut self, index: usize, wanted: Goal, map: &ProgramMap) -> Option<ExprId> {
        match wanted {
            Goal::Other => {
                let held = self.constraint(index, map)?;
                Some(self.arena.not(held))
            }
            Goal::Take(branch) => {
                let event = *self.trace.as_ref().events.get(index)?;
                let kind = EventKind::from_u8(event.kind)?;
                let (cond, outcome) = map.outcome_of(branch)?;
                let decided = match kind {
                    EventKind::Decision => map.library_cond(),
                    EventKind::IndirectCall => map.call_cond(CallId(event.site)),
                    _ => CondId(event.site),
                };
                if cond != decided {
                    return None;
                }
                match kind {
                    EventKind::Branch | EventKind::Decision | EventKind::IndirectCall => {
                        Some(self.equals(event.label, outcome.into()))
                    }
                    EventKind::Switch => self.switch_takes(&event, outcome, map),
                    _ => None,
                }
            }
        }
    }

    /// Constraints of all events before event `upto`, in order, conjunctions in parts, without repeats and without
    /// those that are always true. `with_pins`: including those of pinned values, which are no conditions of the program but choices
    /// of the tracer.
    pub fn path_constraint(&mut self, upto: usize, with_pins: bool, map: &ProgramMap) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut all = Vec::new();
        for index in 0..upto.min(self.trace.as_ref().events.len()) {
            let pin = self.trace.as_ref().events[index].kind == EventKind::Pin as u8;
            if pin && !with_pins {
                continue;
            }
            let Some(c) = self.constraint(index, map) else { continue };
            let parts = self.arena.conjuncts(c);
            all.extend(parts.into_iter().filter(|&c| !self.arena.is_true(c) && seen.insert(c)));
        }
        all
    }

    fn held(&mut self, event: &Event, map: &ProgramMap) -> Option<ExprId> {
        match EventKind::from_u8(event.kind)? {
            EventKind::Branch
            | EventKind::Decision
            | EventKind::IndirectCall
            | EventKind::Pin
            | EventKind::Assume
            | EventKind::Within => Some(self.equals(event.label, event.value)),
            EventKind::Switch => {
                let branch = map.branch_of(CondId(event.site), event.value)?;
                self.switch_takes(event, map.branches.get(branch.index())?.outcome, map)
            }
            EventKind::Bounds => self.within_table(event),
            EventKind::Lost | EventKind::Eof | EventKind::Failed | EventKind::Context => None,
        }
    }

    /// `label == value`, on the low 64 bits.
    fn equals(&mut self, label: u32, value: u64) -> ExprId {
        let mut e = self.expr(label);
        if self.arena.width(e) > 64 {
            e = self.arena.unary(Op::Trunc, 64, e);
        }
        let width = self.arena.width(e);
        let value = self.arena.const_u64(width, value);
        self.arena.binary(Op::Eq, e, value)
    }

    fn switch_takes(&mut self, event: &Event, outcome: u32, map: &ProgramMap) -> Option<ExprId> {
        let cond = map.conds.get(event.site as usize)?;
        match (&cond.kind, outcome) {
            (CondKind::If | CondKind::Select, _) => Some(self.equals(event.label, outcome.into())),
            (CondKind::Switch { cases, .. }, 0) => {
                let mut none = self.arena.bool(true);
                for &case in cases {
                    let hit = self.equals(event.label, case);
                    let miss = self.arena.not(hit);
                    none = self.arena.binary(Op::And, none, miss);
                }
                Some(none)
            }
            (CondKind::Switch { cases, .. }, k) => {
                Some(self.equals(event.label, *cases.get(k as usize - 1)?))
            }
            (CondKind::Goal(_), _) => None,
        }
    }

    /// The address of the access at event `index` lies at least 1 MiB outside its object. For an access to one of several
    /// objects that it goes to none of them. `None` for other events.
    pub fn far_outside(&mut self, index: usize) -> Option<ExprId> {
        const FAR: u64 = 1 << 20;
        let event = *self.trace.as_ref().events.get(index)?;
        match EventKind::from_u8(event.kind)? {
            EventKind::Within => Some(self.equals(event.label, 0)),
            EventKind::Bounds => {
                let table = TableView::at(&self.trace.as_ref().tables, event.value)?;
                let (base, len) = (table.base, table.len);
                let address = self.expr(event.label);
                let from = self.arena.const_u64(64, base.wrapping_sub(FAR));
                let offset = self.arena.binary(Op::Sub, address, from);
                let near = self.arena.const_u64(64, len.saturating_add(2 * FAR));
                Some(self.arena.binary(Op::Ule, near, offset))
            }
            _ => None,
        }
    }

    /// All bytes read lie in the table: `address - base <= len - read`, unsigned.
    fn within_table(&mut self, event: &Event) -> Option<ExprId> {
        let table = TableView::at(&self.trace.as_ref().tables, event.value)?;
        let last = table.len.checked_sub(u64::from(event.width / 8))?;
        let base = table.base;
        let address = self.expr(event.label);
        let base = self.arena.const_u64(64, base);
        let offset = self.arena.binary(Op::Sub, address, base);
        let last = self.arena.const_u64(64, last);
        Some(self.arena.binary(Op::Ule, offset, last))
    }
}
