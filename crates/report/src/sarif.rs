//! Findings in SARIF 2.1.0 (OASIS Standard, 27 March 2020), as code scanners and editors read them.
//!
//! One run, one rule per kind of finding that there is, one result per confirmed finding. What has no place in the format
//! is in `properties`: the reproducer, the command that shows it, and on which executable it shows.

use crate::{Data, Finding};
use events::{Diagnosis, FindingId, Kind, Level, SourceFrame};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Where the format's schema lies.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// The findings as a SARIF log; `version` is Spelunk's.
pub fn sarif(data: &Data<'_>, version: &str) -> Value {
    let confirmed: Vec<(FindingId, &Finding, &Diagnosis)> =
        data.distinct().into_iter().filter_map(|(id, f, _)| Some((id, f, f.diagnosis()?))).collect();
    let kinds: Vec<Kind> =
        confirmed.iter().map(|(_, _, d)| d.kind).collect::<BTreeSet<_>>().into_iter().collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Spelunk",
                "semanticVersion": version,
                "rules": kinds.iter().map(|&kind| rule(kind)).collect::<Vec<_>>(),
            } },
            "columnKind": "utf16CodeUnits",
            "results": confirmed.iter().map(|(id, f, d)| result(data, *id, f, d, &kinds)).collect::<Vec<_>>(),
            "properties": { "target": data.target },
        }],
    })
}

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.name(),
        "shortDescription": { "text": kind.text() },
        "helpUri": format!("https://cwe.mitre.org/data/definitions/{}.html", kind.cwe()),
        "defaultConfiguration": { "level": level(kind) },
        "properties": { "tags": [format!("external/cwe/cwe-{}", kind.cwe())] },
    })
}

fn level(kind: Kind) -> &'static str {
    match kind.level() {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn result(data: &Data<'_>, id: FindingId, finding: &Finding, d: &Diagnosis, kinds: &[Kind]) -> Value {
    let folder = finding.file.as_ref().map(|file| format!("{}/{file}", data.folder));
    let related = d.related.iter().filter_map(|r| {
        let mut place = location(r.stack.first()?, None);
        place["message"] = json!({ "text": r.what });
        Some(place)
    });
    let mut result = json!({
        "ruleId": d.kind.name(),
        "ruleIndex": kinds.iter().position(|&k| k == d.kind),
        "kind": "fail",
        "level": level(d.kind),
        "message": { "text": format!("{}. {}", d.message, d.shown_by()) },
        "locations": d.stack.first().map(|f| location(f, d.source.as_deref())).into_iter().collect::<Vec<_>>(),
        "stacks": [{ "frames": d.stack.iter().map(|f| json!({ "location": location(f, None) })).collect::<Vec<_>>() }],
        "relatedLocations": related.collect::<Vec<_>>(),
        "partialFingerprints": { "spelunkStack/v1": fingerprint(d) },
        "properties": {
            "finding": id.0,
            "onOwnExecutable": d.on_own,
            "onAddressSanitizer": d.on_check,
            "inputBytes": d.input_len,
            "everyRun": d.every_run,
            "folder": folder,
            "replay": folder.as_ref().map(|f| format!("spelunk replay {}", shell_words::quote(f))),
        },
    });
    if d.stack.is_empty() {
        // The format wants at least one frame in a stack.
        result["stacks"] = json!([]);
    }
    result
}

fn location(frame: &SourceFrame, source: Option<&str>) -> Value {
    let mut place = json!({});
    if !frame.function.is_empty() {
        place["logicalLocations"] = json!([{ "fullyQualifiedName": frame.function, "kind": "function" }]);
    }
    if !frame.file.is_empty() {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&frame.file) } });
        if frame.line > 0 {
            physical["region"] = json!({ "startLine": frame.line });
            if let Some(text) = source {
                physical["region"]["snippet"] = json!({ "text": text });
            }
        }
        place["physicalLocation"] = physical;
    }
    place
}

/// A path as a URI reference (RFC 3986): absolute ones get the scheme `file`.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte as char)
            }
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

/// The same for the same mistake, wherever its lines move (FNV-1a, 64 bits).
fn fingerprint(d: &Diagnosis) -> String {
    let names = d.stack.iter().take(3).map(|f| f.function.as_str());
    let text = std::iter::once(d.kind.name()).chain(names).collect::<Vec<_>>().join("\n");
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("/a b/c#.c"), "file:///a%20b/c%23.c");
        assert_eq!(uri("src/ä.c"), "src/%C3%A4.c");
    }
}
