//! The table by feature.

use crate::{Program, Verdict};
use comfy_table::{Cell, CellAlignment, Table, presets};
use std::collections::BTreeMap;

/// Counts per feature, with a last row of sums.
pub fn by_feature(results: &[(Program, Verdict)]) -> String {
    let mut rows: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (program, verdict) in results {
        let row = rows.entry(&program.feature).or_default();
        row[0] += 1;
        row[match (verdict, &program.gap) {
            (Verdict::Solved, _) => 1,
            (Verdict::Unsolved(_), Some(_)) => 2,
            _ => 3,
        }] += 1;
    }
    let sums = rows.values().fold([0; 4], |sum, row| std::array::from_fn(|k| sum[k] + row[k]));
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["feature", "programs", "solved", "known gaps", "failed"]);
    for (feature, counts) in rows.into_iter().chain([("all", sums)]) {
        let numbers = counts.iter().map(|n| Cell::new(n).set_alignment(CellAlignment::Right));
        table.add_row(std::iter::once(Cell::new(feature)).chain(numbers));
    }
    table.to_string()
}
