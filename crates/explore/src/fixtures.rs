//! What unit tests of several files build.

use program::BranchId;
use std::time::Duration;
use trace::{Input, Outcome, Run};

/// A run of an empty input that ended well and covered these branches; the rest by `..`.
pub fn run(covered: &[u32]) -> Run {
    Run {
        input: Input::default(),
        outcome: Outcome::Exit(0),
        covered: covered.iter().map(|&b| BranchId(b)).collect(),
        entered: Vec::new(),
        indirect_calls: Vec::new(),
        trace: None,
        past_end: Vec::new(),
        compared: Vec::new(),
        crash_stack: Vec::new(),
        cpu: Duration::ZERO,
        max_rss: 0,
    }
}
