//! Inputs of the runs that strategies may come back to, stored as differences to their parents.
//!
//! Most inputs of a campaign are their parent's with a few bytes changed, so a campaign of a million runs
//! fits into a few hundred bytes each.

use events::RunId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use trace::Input;

/// Longest chain of differences; an input at its end is stored whole.
const MAX_CHAIN: u16 = 24;

enum Stored {
    Whole(Arc<Input>),
    Patch { parent: RunId, depth: u16, bytes: Box<[(u32, u32, u8)]> },
}

/// Inputs by run.
#[derive(Default)]
pub struct Inputs {
    stored: FxHashMap<RunId, Stored>,
    bytes: usize,
}

impl Inputs {
    /// Keeps the input of `run`, made from that of `parent`.
    pub fn keep(&mut self, run: RunId, input: &Input, parent: Option<RunId>) {
        let patch = parent.and_then(|p| self.as_patch(p, input));
        let stored = patch.unwrap_or_else(|| Stored::Whole(Arc::new(input.clone())));
        self.bytes += size_of::<(RunId, Stored)>() * 2;
        self.bytes += match &stored {
            Stored::Whole(input) => whole_bytes(input),
            Stored::Patch { bytes, .. } => size_of_val(&**bytes),
        };
        self.stored.insert(run, stored);
    }

    /// The input of `run`, if kept.
    pub fn get(&self, run: RunId) -> Option<Input> {
        let mut patches = Vec::new();
        let mut at = run;
        let mut input = loop {
            match self.stored.get(&at)? {
                Stored::Whole(input) => break (**input).clone(),
                Stored::Patch { parent, bytes, .. } => {
                    patches.push(bytes);
                    at = *parent;
                }
            }
        };
        for &(object, offset, byte) in patches.into_iter().rev().flat_map(|p| p.iter()) {
            input.objects[object as usize].data[offset as usize] = byte;
        }
        Some(input)
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn as_patch(&self, parent: RunId, input: &Input) -> Option<Stored> {
        let depth = match self.stored.get(&parent)? {
            Stored::Whole(_) => 1,
            Stored::Patch { depth, .. } => depth + 1,
        };
        if depth > MAX_CHAIN {
            return None;
        }
        let bytes = difference(&self.get(parent)?, input)?;
        let smaller = bytes.len() * size_of::<(u32, u32, u8)>() < whole_bytes(input);
        smaller.then(|| Stored::Patch { parent, depth, bytes: bytes.into() })
    }
}

fn whole_bytes(input: &Input) -> usize {
    size_of::<Input>()
        + input
            .objects
            .iter()
            .map(|o| size_of::<trace::Object>() + o.name.len() + o.data.len())
            .sum::<usize>()
}

/// Bytes in which `to` differs from `from`, or `None` if their objects differ otherwise.
fn difference(from: &Input, to: &Input) -> Option<Vec<(u32, u32, u8)>> {
    if from.objects.len() != to.objects.len() {
        return None;
    }
    let mut out = Vec::new();
    for (k, (a, b)) in from.objects.iter().zip(&to.objects).enumerate() {
        let same_form =
            (a.kind, a.value_type, &a.name, a.data.len()) == (b.kind, b.value_type, &b.name, b.data.len());
        if !same_form {
            return None;
        }
        let changed = a.data.iter().zip(&b.data).enumerate().filter(|(_, (x, y))| x != y);
        out.extend(changed.map(|(offset, (_, &byte))| (k as u32, offset as u32, byte)));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_comes_back_as_it_was() {
        let mut inputs = Inputs::default();
        let mut data = vec![0u8; 300];
        inputs.keep(RunId(0), &Input::stdin(data.clone()), None);
        let mut kept = vec![data.clone()];
        for k in 1..100u64 {
            data[(k as usize * 7) % 300] = k as u8;
            if k % 30 == 0 {
                data.push(1);
                data.resize(300 + k as usize, 9);
            }
            inputs.keep(RunId(k), &Input::stdin(data.clone()), Some(RunId(k - 1)));
            kept.push(data.clone());
        }
        for (k, data) in kept.into_iter().enumerate() {
            assert_eq!(inputs.get(RunId(k as u64)), Some(Input::stdin(data)), "run {k}");
        }
        assert_eq!(inputs.get(RunId(100)), None);
    }

    #[test]
    fn small_changes_cost_little() {
        let mut inputs = Inputs::default();
        let mut data = vec![0u8; 10_000];
        inputs.keep(RunId(0), &Input::stdin(data.clone()), None);
        let whole = inputs.bytes();
        for k in 1..20u64 {
            data[k as usize] = 1;
            inputs.keep(RunId(k), &Input::stdin(data.clone()), Some(RunId(k - 1)));
        }
        assert!(inputs.bytes() < whole + 20 * 300, "{} after {whole}", inputs.bytes());
    }
}
