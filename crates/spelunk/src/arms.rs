//! The ledger of a strategy that weighs parts against each other: what each cost and found.

use serde_json::json;
use std::fmt::Write as _;
use strategy::ArmCount;

/// The share of all work that each part had, in percent.
fn shares(arms: &[ArmCount]) -> impl Iterator<Item = f64> {
    let all: u64 = arms.iter().map(|arm| arm.work).sum();
    arms.iter().map(move |arm| 100.0 * arm.work as f64 / all.max(1) as f64)
}

/// New branches per second of work.
fn rate(arm: &ArmCount) -> f64 {
    if arm.work == 0 { 0.0 } else { arm.new_branches as f64 * 1e6 / arm.work as f64 }
}

/// A table for the terminal; empty if there are no parts, or nothing was asked of them. `measured`: by the clock, else
/// counted.
pub fn table(arms: &[ArmCount], measured: bool) -> String {
    if arms.iter().all(|arm| arm.goals == 0) {
        return String::new();
    }
    let how = if measured { "measured" } else { "counted" };
    let mut text = format!(
        "\nWhat was tried (seconds of work, {how})\n  {:14}{:>10}{:>12}{:>10}{:>8}{:>14}{:>12}\n",
        "how", "goals", "runs", "seconds", "share", "new branches", "per second"
    );
    for (arm, share) in arms.iter().zip(shares(arms)).filter(|(arm, _)| arm.goals > 0) {
        let ArmCount { name, goals, runs, work, new_branches } = arm;
        let (seconds, rate) = (*work as f64 / 1e6, rate(arm));
        let _ = writeln!(
            text,
            "  {name:14}{goals:>10}{runs:>12}{seconds:>10.2}{share:>6.0} %{new_branches:>14}{rate:>12.1}"
        );
    }
    text
}

/// For `summary.json`.
pub fn to_json(arms: &[ArmCount]) -> serde_json::Value {
    let row = |(arm, share): (&ArmCount, f64)| {
        json!({ "arm": arm.name, "goals": arm.goals, "runs": arm.runs, "work_seconds": arm.work as f64 / 1e6,
            "share_percent": share, "new_branches": arm.new_branches, "branches_per_second": rate(arm) })
    };
    arms.iter().zip(shares(arms)).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_rates_are_of_work() {
        let arm = |name, work, new_branches| ArmCount { name, goals: 1, runs: 2, work, new_branches };
        let arms =
            [arm("a", 1_500_000, 3), arm("b", 500_000, 0), ArmCount { name: "idle", ..ArmCount::default() }];
        let text = table(&arms, true);
        assert!(text.contains("75 %") && text.contains("2.0") && !text.contains("idle"), "{text}");
        assert_eq!(to_json(&arms)[0]["branches_per_second"], 2.0);
        assert_eq!(table(&arms[2..], true), "");
    }
}
