//! What came out, in sums and for people.

use crate::check::Counts;
use crate::worker::Done;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Sums over all programs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Programs checked.
    pub programs: u64,
    /// Sums over their checks.
    pub counts: Counts,
    /// Programs by feature.
    pub features: BTreeMap<String, u64>,
    /// Programs by compiler flags.
    pub flags: BTreeMap<String, u64>,
    /// Failures: seed, check, detail.
    pub failures: Vec<(u64, String, String)>,
}

impl Summary {
    /// Adds a program.
    pub fn add(&mut self, seed: u64, done: &Done) {
        self.programs += 1;
        self.counts.add(&done.counts);
        for feature in &done.features {
            *self.features.entry(feature.clone()).or_default() += 1;
        }
        *self.flags.entry(done.flags.join(" ")).or_default() += 1;
        if let Some((kind, detail, _)) = &done.failure {
            self.failures.push((seed, kind.clone(), detail.clone()));
        }
    }

    /// Whether nothing failed.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = &self.counts;
        writeln!(f, "programs      {}", self.programs)?;
        writeln!(f, "flags         {}", list(&self.flags))?;
        writeln!(f, "features      {}", list(&self.features))?;
        writeln!(f, "runs          {}", c.runs)?;
        writeln!(f, "trace check   {} events, {} nodes", c.events, c.nodes)?;
        writeln!(
            f,
            "other inputs  {} symbolic and {} constant observations compared",
            c.predicted, c.constant
        )?;
        writeln!(f, "not compared  {}", list(&c.uncompared))?;
        writeln!(f, "lost          {}", list(&c.lost))?;
        let mut by_kind = BTreeMap::new();
        for (_, kind, _) in &self.failures {
            *by_kind.entry(kind.clone()).or_insert(0u64) += 1;
        }
        write!(f, "failures      {}", if by_kind.is_empty() { "0".into() } else { list(&by_kind) })
    }
}

fn list(counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return "none".into();
    }
    counts.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
}
