//! The coverage table: one line a file, below it one line a function.

use crate::text::{align, of, percent};
use crate::verdict::{Verdict, verdict};
use crate::{Data, Look};
use comfy_table::{Cell, Table};
use program::{BranchId, FileId, FunctionId, Tally};
use std::collections::BTreeMap;

/// Branch coverage per file and function, with totals; functions that have no branches are counted as entered or not only.
pub fn coverage_table(data: &Data<'_>, look: &Look) -> String {
    let by_function = data.coverage.by_function(data.map);
    let before = data.before.as_ref().map(|b| b.by_function(data.map));
    let mut files: BTreeMap<Option<FileId>, Vec<FunctionId>> = BTreeMap::new();
    for (f, function) in (0..).map(FunctionId).zip(&data.map.functions[..data.map.n_own_functions()]) {
        files.entry(function.span.file).or_default().push(f);
    }
    let mut table = match before {
        Some(_) => look.table(&["", "branches", "%", "before", "mostly open because"], &[1, 2, 3]),
        None => look.table(&["", "branches", "%", "mostly open because"], &[1, 2]),
    };
    let mut open: BTreeMap<FunctionId, Vec<BranchId>> = BTreeMap::new();
    for branch in data.coverage.uncovered() {
        open.entry(data.map.function_of(branch)).or_default().push(branch);
    }
    let sum = |tallies: &[Tally], functions: &[FunctionId]| {
        functions.iter().fold(Tally::default(), |mut sum, f| {
            sum += tallies[f.index()];
            sum
        })
    };
    let add = |table: &mut Table, name: String, functions: &[FunctionId]| {
        let tally = sum(&by_function, functions);
        let entered = functions.iter().any(|&f| data.coverage.entered(f));
        let mut row = vec![Cell::new(name)];
        row.extend(numbers(tally, entered));
        if let Some(before) = &before {
            let tally = sum(before, functions);
            let text = if tally.total == 0 { String::new() } else { percent(tally) };
            row.push(align(Cell::new(text), true));
        }
        row.push(Cell::new(match functions {
            [only] if entered => open.get(only).map_or_else(String::new, |branches| reason(data, branches)),
            _ => String::new(),
        }));
        table.add_row(row);
    };
    let mut everything = Vec::new();
    for (file, functions) in &files {
        let name =
            file.and_then(|f| data.map.files.get(f.index())).map_or("(no debug information)", String::as_str);
        add(&mut table, tail(name, usize::from(look.width) / 2), functions);
        let mut functions = functions.clone();
        functions.sort_by_key(|f| (data.map.functions[f.index()].span.line, *f));
        for f in functions {
            add(&mut table, format!("  {}", data.map.functions[f.index()].name), &[f]);
            everything.push(f);
        }
    }
    add(&mut table, "all".into(), &everything);
    table.trim_fmt() + "\n"
}

/// The most frequent reason for which these branches are open.
fn reason(data: &Data<'_>, branches: &[BranchId]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for &branch in branches {
        if let Verdict::Open(why) = verdict(data, branch) {
            *counts.entry(why.text()).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, n)| *n);
    most.map_or_else(String::new, |(why, n)| format!("{n}: {why}"))
}

fn numbers(tally: Tally, entered: bool) -> [Cell; 2] {
    let text = match (tally.total, entered) {
        (0, true) => ["entered".into(), String::new()],
        (0, false) => ["never entered".into(), String::new()],
        (_, true) => [of(tally), percent(tally)],
        (_, false) => ["never entered".into(), percent(tally)],
    };
    text.map(|t| align(Cell::new(t), true))
}

/// The end of a long path.
fn tail(path: &str, width: usize) -> String {
    let chars = path.chars().count();
    if chars <= width {
        return path.to_owned();
    }
    let end: String = path.chars().skip(chars - width.saturating_sub(1)).collect();
    format!("…{}", end.find('/').map_or(end.as_str(), |i| &end[i..]))
}
