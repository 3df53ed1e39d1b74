//! LCOV tracefiles (the format of `geninfo(1)`): what coverage viewers and CI services read.
//!
//! Counts are 0 or 1: how often something ran is not recorded. Branches are named by their conditional's
//! number in the map as "block", as LCOV wants them told apart within a line; `-` stands for a branch whose condition was
//! never decided.

use crate::Data;
use program::{BlockCoverage, CondId, FileId, FunctionId};
use std::fmt::Write;

/// The tracefile of a campaign: one section a source file with known name.
pub fn lcov(data: &Data<'_>) -> String {
    let map = data.map;
    let lines = BlockCoverage::new(map, &data.coverage).lines(map);
    let mut text = String::from("TN:\n");
    for (file, name) in (0..).map(FileId).zip(&map.files).filter(|(file, _)| lines.contains_key(file)) {
        let mut section = format!("SF:{name}\n");
        functions(data, file, &mut section);
        branches(data, file, &mut section);
        let lines = lines.get(&file);
        for (line, ran) in lines.into_iter().flatten() {
            put(&mut section, format_args!("DA:{line},{}", u8::from(*ran)));
        }
        let found = lines.map_or(0, |l| l.len());
        let hit = lines.map_or(0, |l| l.values().filter(|ran| **ran).count());
        put(&mut section, format_args!("LF:{found}\nLH:{hit}\nend_of_record"));
        text += &section;
    }
    text
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("writing to a string does not fail");
}

fn functions(data: &Data<'_>, file: FileId, text: &mut String) {
    let here = || (0..).map(FunctionId).zip(&data.map.functions[..data.map.n_own_functions()]);
    let here = || here().filter(|(_, f)| f.span.file == Some(file));
    let mut entered = 0;
    for (_, function) in here() {
        put(text, format_args!("FN:{},{}", function.span.line, function.linkage_name));
    }
    for (id, function) in here() {
        let hit = u8::from(data.coverage.entered(id));
        entered += u32::from(hit);
        put(text, format_args!("FNDA:{hit},{}", function.linkage_name));
    }
    put(text, format_args!("FNF:{}\nFNH:{entered}", here().count()));
}

fn branches(data: &Data<'_>, file: FileId, text: &mut String) {
    let (mut found, mut hit) = (0u32, 0u32);
    for (id, cond) in (0..)
        .map(CondId)
        .zip(&data.map.conds)
        .take(data.map.n_source_conds())
        .filter(|(_, c)| c.span.file == Some(file) && data.map.is_own(c.function))
    {
        let decided = data.map.branches_of(id).any(|b| data.coverage.has(b));
        for (k, branch) in data.map.branches_of(id).enumerate() {
            let covered = data.coverage.has(branch);
            let taken = match (decided, covered) {
                (false, _) => "-",
                (true, false) => "0",
                (true, true) => "1",
            };
            put(text, format_args!("BRDA:{},{},{k},{taken}", cond.span.line, id.0));
            found += 1;
            hit += u32::from(covered);
        }
    }
    put(text, format_args!("BRF:{found}\nBRH:{hit}"));
}
