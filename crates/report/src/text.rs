//! How text looks: width, colour, and the small things every report writes.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use program::{BranchId, CondKind, GoalKind, ProgramMap, Span, Tally};
use trace::Outcome;

/// What the reader's screen can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: u16,
    /// Bold headings and colours (ANSI sequences); off when the text does not go to a terminal.
    pub colour: bool,
}

impl Default for Look {
    /// 80 columns, plain.
    fn default() -> Look {
        Look { width: 80, colour: false }
    }
}

impl Look {
    /// A heading.
    pub(crate) fn heading(self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m\n") } else { format!("{text}\n") }
    }

    /// Lines indented by two, wrapped at the width (words longer than a line stay whole).
    pub(crate) fn list(self, lines: &[String]) -> String {
        let mut text = String::new();
        for line in lines {
            let mut column = 0;
            for word in line.split(' ') {
                let len = word.chars().count();
                if column > 0 && column + 1 + len <= usize::from(self.width) {
                    text.push(' ');
                    column += 1;
                } else {
                    let indent = if column == 0 { "  " } else { "\n    " };
                    text.push_str(indent);
                    column = indent.trim_start_matches('\n').len();
                }
                text.push_str(word);
                column += len;
            }
            text.push('\n');
        }
        text
    }

    /// A table without frame; numbers to the right.
    pub(crate) fn table(self, header: &[&str], right: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(self.width.max(40));
        table.force_no_tty();
        table.set_header(header.iter().enumerate().map(|(i, h)| align(Cell::new(h), right.contains(&i))));
        table
    }
}

/// A cell, to the right if it is a number.
pub(crate) fn align(cell: Cell, right: bool) -> Cell {
    cell.set_alignment(if right { CellAlignment::Right } else { CellAlignment::Left })
}

/// `12 of 40`.
pub(crate) fn of(tally: Tally) -> String {
    format!("{} of {}", grouped(tally.covered.into()), grouped(tally.total.into()))
}

/// `30.0 %`.
pub(crate) fn percent(tally: Tally) -> String {
    format!("{:.1} %", tally.percent())
}

/// Digits in groups of three.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 test`, `2 tests`.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// `file.c:12`; the end of the path only, as reports name many places.
pub(crate) fn place(map: &ProgramMap, span: Span) -> String {
    let file = span.file.and_then(|f| map.files.get(f.index()));
    match file {
        Some(file) if span.line > 0 => format!("{}:{}", short(file), span.line),
        Some(file) => short(file).to_owned(),
        None => "unknown place".into(),
    }
}

fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// `parse.c:12 true`, for a branch.
pub(crate) fn branch(map: &ProgramMap, branch: BranchId) -> String {
    let cond = map.branches[branch.index()].cond;
    format!("{} {}", place(map, map.conds[cond.index()].span), outcome_name(map, branch))
}

/// `true`, `case 7`: which outcome of its conditional a branch is.
pub(crate) fn outcome_name(map: &ProgramMap, branch: BranchId) -> String {
    let b = map.branches[branch.index()];
    match (&map.conds[b.cond.index()].kind, b.outcome) {
        (CondKind::If | CondKind::Select, 0) => "false".into(),
        (CondKind::If | CondKind::Select, _) => "true".into(),
        (CondKind::Goal(GoalKind::Context { .. }), 0) => "false".into(),
        (CondKind::Goal(GoalKind::Context { .. }), _) => "true".into(),
        (CondKind::Goal(GoalKind::ErrorCall(_)), _) => "called".into(),
        (CondKind::Switch { .. }, 0) => "default".into(),
        (CondKind::Switch { cases, .. }, k) => match cases.get(k as usize - 1) {
            Some(value) => format!("case {value}"),
            None => format!("case number {k}"),
        },
    }
}

/// How a run ended, for people.
pub(crate) fn outcome(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exit(code) => format!("exit with code {code}"),
        Outcome::Signal(11) => "segmentation fault".into(),
        Outcome::Signal(7) => "bus error".into(),
        Outcome::Signal(8) => "arithmetic fault".into(),
        Outcome::Signal(4) => "illegal instruction".into(),
        Outcome::Signal(5) => "trap".into(),
        Outcome::Signal(n) => format!("killed by signal {n}"),
        Outcome::Abort => "abort".into(),
        Outcome::Timeout => "hang".into(),
        Outcome::OutOfMemory => "out of memory".into(),
        Outcome::OutputLimit => "too much output".into(),
        Outcome::Undefined(kind) => kind.text().into(),
    }
}
