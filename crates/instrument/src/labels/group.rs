//! The work queued between two guards, and the guard itself.

use super::body::{Body, Labels};
use super::rules::{Rule, inputs};
use super::varargs::Variable;
use crate::llvm::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use trace_abi::Reason;

/// Something to be done in the cold block.
#[derive(Clone, Debug)]
pub enum Item {
    /// Labels of a pure instruction's result (or its loss).
    Pure(Value, Rule),
    /// Labels of a loaded value.
    Load(Value),
    /// Labels into memory.
    Store(Value),
    /// A copy of this many bytes: instruction, destination, source.
    Copy(Value, u64),
    /// A fill of this many bytes.
    Fill(Value, u64),
    /// A marker of a two-way branch or select, and whether more than values depends on it.
    Two(Value, bool),
    /// A marker of a switch.
    Switch(Value),
    /// A marker of a computed goto.
    Goto(Value),
    /// A marker of an indirect call through a pointer that may be symbolic.
    Indirect(Value),
    /// A value pinned to what it is.
    Pin(Value, Reason, u32),
    /// A value whose labels end here.
    Lost(Value, Reason, u32),
    /// Labels of a call's arguments, by slot of the thread-local record, and of its variable ones by place.
    Arguments(Value, Vec<(u64, Value, usize)>, Vec<Variable>),
    /// The value that a `longjmp` takes along.
    LongJump(Value),
    /// An atomic read-modify-write.
    Rmw(Value),
    /// An atomic compare-and-exchange.
    CompareExchange(Value),
}

impl Item {
    /// The instruction whose result gets labels, if any.
    fn defines(&self) -> Option<Value> {
        match self {
            Item::Pure(_, Rule::Lost(_)) => None,
            Item::Pure(i, _) | Item::Load(i) | Item::Rmw(i) | Item::CompareExchange(i) => Some(*i),
            _ => None,
        }
    }

    /// The values whose labels it looks at.
    fn reads(&self) -> Vec<Value> {
        match self {
            Item::Pure(i, rule) => inputs(*i, *rule),
            Item::Load(i) => vec![i.operand(0)],
            Item::Store(i) | Item::Rmw(i) => vec![i.operand(0), i.operand(1)],
            Item::CompareExchange(i) => vec![i.operand(0), i.operand(1), i.operand(2)],
            Item::LongJump(i) => vec![i.operand(1)],
            Item::Copy(..) => Vec::new(),
            Item::Fill(i, _) => vec![i.operand(1)],
            Item::Two(i, _) | Item::Switch(i) | Item::Goto(i) | Item::Indirect(i) => vec![i.operand(0)],
            Item::Pin(v, ..) | Item::Lost(v, ..) => vec![*v],
            Item::Arguments(_, slots, variable) => {
                slots.iter().map(|s| s.1).chain(variable.iter().map(|v| v.value)).collect()
            }
        }
    }
}

/// Queued work with what its guard has to test.
#[derive(Debug, Default)]
pub struct Group {
    items: Vec<Item>,
    members: FxHashSet<Value>,
    leaves: Vec<Value>,
    raws: Vec<Value>,
}

impl Body<'_, '_> {
    /// Queues work; labels that come from outside the group are tested by its guard.
    pub fn queue(&mut self, item: Item) {
        let read: Vec<Value> = item.reads().into_iter().flat_map(|v| self.with_labels(v)).collect();
        for v in read {
            if self.group.members.contains(&v) {
                continue;
            }
            for &label in self.labels.get(&v).into_iter().flatten() {
                if !label.is_constant() && !self.group.leaves.contains(&label) {
                    self.group.leaves.push(label);
                }
            }
        }
        self.group.members.extend(item.defines());
        self.group.items.push(item);
    }

    /// The values whose labels are those of `v`: itself, or the parts of an address without one.
    fn with_labels(&self, v: Value) -> Vec<Value> {
        match self.left.parts(v) {
            Some(parts) => vec![parts.base, parts.index],
            None => vec![v],
        }
    }

    /// Adds a word of shadow to what the guard tests.
    pub fn test(&mut self, raw: Value) {
        self.group.raws.push(raw);
    }

    /// Puts the guard and the cold block of the queued work before `at`.
    pub fn flush(&mut self, at: Value) {
        let group = std::mem::take(&mut self.group);
        if group.leaves.is_empty() && group.raws.is_empty() {
            return;
        }
        let env = self.env;
        env.b.before(at);
        let condition = self.any(&group);
        let head = env.b.block();
        let end = at.guard(condition);
        env.b.before(end);
        env.b.locate(at);
        let mut fresh: FxHashMap<Value, Labels> = FxHashMap::default();
        for item in &group.items {
            self.cold(item, &mut fresh);
        }
        let cold = env.b.block();
        self.join(&group, &fresh, (head, cold), at);
    }

    fn any(&self, group: &Group) -> Value {
        let b = &self.env.b;
        let labels = group.leaves.iter().copied().reduce(|x, y| b.or(x, y));
        let wide = |v: Value| b.zext(v, self.env.i64t);
        let all = group.raws.iter().copied().reduce(|x, y| b.or(wide(x), wide(y)));
        let all = match (labels, all) {
            (Some(l), Some(r)) => b.or(wide(l), wide(r)),
            (Some(v), None) | (None, Some(v)) => v,
            (None, None) => self.env.zero(),
        };
        b.is_not_zero(all)
    }

    /// Labels that are used after the group: 0 unless the cold block was taken.
    fn join(
        &mut self,
        group: &Group,
        fresh: &FxHashMap<Value, Labels>,
        (head, cold): (crate::llvm::Block, crate::llvm::Block),
        at: Value,
    ) {
        let env = self.env;
        env.b.before(at);
        for i in group.items.iter().filter_map(Item::defines) {
            let Some(labels) = fresh.get(&i) else { continue };
            let used_later = i.users().iter().any(|u| !group.members.contains(u));
            if !used_later {
                continue;
            }
            let joined = labels.iter().map(|&label| {
                if label.is_constant() {
                    return label;
                }
                let phi = env.b.phi_before(env.i32t, at);
                phi.add_incoming(env.zero(), head);
                phi.add_incoming(label, cold);
                phi
            });
            let joined: Labels = joined.collect();
            self.labels.insert(i, joined);
        }
    }
}
