//! Runs that freeze, and runs from there.

use execute::ForkServer;
use trace::{Advance, Advanced, Input, Mode, Request, Run, SnapshotId, Snapshots as _};

/// Goes on with this input, as `change` says.
pub fn advance_with(
    s: &mut ForkServer,
    from: Option<SnapshotId>,
    input: &Input,
    change: impl Fn(Advance<'_>) -> Advance<'_>,
) -> Advanced {
    let order = Advance {
        from,
        input,
        value_seed: 7,
        repeats: false,
        known: &|_| false,
        patience: 0,
        idle: 0,
        freeze_at: 0,
        freeze_behind: false,
        freeze_at_end: false,
        max_inputs: 0,
        stop: &|| false,
    };
    s.advance(&change(order)).unwrap_or_else(|e| panic!("{e}"))
}

/// A concrete run of this input from there.
pub fn go_with(s: &mut ForkServer, from: SnapshotId, input: &Input) -> Run {
    let request = Request { input, mode: Mode::Concrete, value_seed: None, max_inputs: None };
    s.run_from(from, &request).unwrap_or_else(|e| panic!("{e}"))
}

pub fn branches(run: &Run) -> Vec<u32> {
    run.covered.iter().map(|b| b.0).collect()
}
