//! Checks what a run by hand left: `check_trace MAP MAPPING`, after `SPELUNK_TRACE=MAPPING ./program < input`
//! with a flavour and its map from `derive`.

#[path = "../tests/support/mapping.rs"]
mod mapping;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [map, file] = &arguments[..] else { return Err("usage: check_trace MAP MAPPING".into()) };
    let map = postcard::from_bytes(&std::fs::read(map)?)?;
    let recorded = mapping::read_mapping(Path::new(file));
    let report = trace::check(&recorded.trace, &recorded.input, &map);
    println!("{} nodes, {} events compared, {} mismatches", report.nodes, report.events, report.total());
    println!("dropped: {:?}", recorded.trace.dropped);
    let mut lost = std::collections::BTreeMap::new();
    for e in recorded.trace.events.iter().filter(|e| e.kind == trace::EventKind::Lost as u8) {
        *lost.entry(trace_abi::Reason::from_u8(e.aux)).or_insert(0u64) += 1;
    }
    println!("lost: {lost:?}");
    recorded.problems.iter().for_each(|p| println!("malformed: {p}"));
    report.first.iter().for_each(|m| println!("{m}"));
    Ok(())
}
