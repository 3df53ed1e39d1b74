//! SARIF logs against the essentials of the standard's schema (OASIS SARIF 2.1.0, sections 3.13 ff.).

use events::{Diagnosis, Event, FindingId, Kind, Outcome, Related, RunId, SourceFrame, Verdict};
use program::ProgramMap;
use report::Data;
use serde_json::Value;

fn frame(function: &str, file: &str, line: u32) -> SourceFrame {
    SourceFrame { function: function.into(), file: file.into(), line }
}

fn diagnosis(kind: Kind, stack: Vec<SourceFrame>) -> Verdict {
    Verdict::Confirmed(Box::new(Diagnosis {
        kind,
        message: "what is \"wrong\"".into(),
        related: vec![Related { what: "allocated here".into(), stack: vec![frame("make", "/s r c/a.c", 3)] }],
        source: stack.first().map(|_| "p[4] = 'x';".into()),
        stack,
        own: Some(Outcome::Exit(0)),
        on_own: false,
        on_check: true,
        input_len: 2,
        first_len: 9,
        bytes: Vec::new(),
        minimise_runs: 7,
        minimal: true,
        every_run: false,
    }))
}

fn log() -> Value {
    let map = ProgramMap::default();
    let mut data = Data::new(&map, "/bin/prog", "out dir");
    let verdicts = [
        diagnosis(
            Kind::HeapBufferOverflow,
            vec![frame("f", "/s r c/a.c", 12), frame("main", "/s r c/a.c", 20)],
        ),
        diagnosis(Kind::Leak, vec![frame("", "b.c", 0)]),
        diagnosis(Kind::Hang, Vec::new()),
        diagnosis(Kind::Leak, vec![frame("g", "", 0)]),
        Verdict::SameAs { finding: FindingId(0) },
        Verdict::Unconfirmed,
    ];
    for (verdict, n) in verdicts.into_iter().zip(0..) {
        let (finding, run, outcome) = (FindingId(n), RunId(n.into()), Outcome::Abort);
        data.take(&Event::FindingSeen { finding, run, outcome, stack: Vec::new(), first: true, best: true });
        data.take(&Event::FindingJudged { finding, verdict });
    }
    data.findings.get_mut(&FindingId(0)).expect("there").file = Some("findings/0000-x".into());
    report::sarif(&data, "1.2.3")
}

/// A list, which a property of the schema must be.
fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("{name} is no list: {value}"))
}

fn check_location(location: &Value) {
    if let Some(physical) = location.get("physicalLocation") {
        let uri = physical["artifactLocation"]["uri"].as_str().expect("a URI");
        assert!(uri.bytes().all(|b| b.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&b)), "{uri}");
        if let Some(region) = physical.get("region") {
            assert!(region["startLine"].as_u64().is_some_and(|n| n >= 1), "{region}");
        }
    }
    for logical in location.get("logicalLocations").and_then(Value::as_array).into_iter().flatten() {
        assert!(logical["fullyQualifiedName"].as_str().is_some_and(|n| !n.is_empty()));
    }
}

#[test]
fn logs_keep_to_the_schema() {
    let log = log();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|s| s.ends_with("sarif-schema-2.1.0.json")));
    let run = &list(&log, "runs")[0];
    let driver = &run["tool"]["driver"];
    assert_eq!(
        (driver["name"].as_str(), driver["semanticVersion"].as_str()),
        (Some("Spelunk"), Some("1.2.3"))
    );
    let rules: Vec<&str> = list(driver, "rules").iter().map(|r| r["id"].as_str().expect("an id")).collect();
    let mut distinct = rules.clone();
    distinct.dedup();
    assert_eq!(rules, distinct, "rules have ids of their own");
    assert_eq!(list(run, "results").len(), 4, "confirmed ones, each once");
    for result in list(run, "results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(Some(rules[index]), result["ruleId"].as_str());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()));
        list(result, "locations").iter().chain(list(result, "relatedLocations")).for_each(check_location);
        for stack in list(result, "stacks") {
            assert!(!list(stack, "frames").is_empty(), "a stack has frames");
            list(stack, "frames").iter().for_each(|f| check_location(&f["location"]));
        }
        assert!(result["partialFingerprints"]["spelunkStack/v1"].is_string());
    }
}

#[test]
fn a_result_says_where_and_how_to_see_it() {
    let log = log();
    let first = &log["runs"][0]["results"][0];
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "file:///s%20r%20c/a.c");
    assert_eq!(
        (&place["region"]["startLine"], &place["region"]["snippet"]["text"]),
        (&12.into(), &"p[4] = 'x';".into())
    );
    assert_eq!(first["properties"]["replay"], "spelunk replay 'out dir/findings/0000-x'");
    assert_eq!(first["relatedLocations"][0]["message"]["text"], "allocated here");
}
