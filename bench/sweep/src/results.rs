//! What test harnesses print: the outcome of each test, where they say it.

use regex::Regex;
use std::collections::BTreeMap;

/// Outcome of each test by its name, `pass`, `fail` or `skip`.
pub type Results = BTreeMap<String, &'static str>;

/// Reads the output of automake's harness, ctest, meson and TAP.
pub fn parse(log: &str) -> Results {
    let regex = |text| Regex::new(text).expect("a correct pattern");
    let automake = regex(r"^(PASS|FAIL|XPASS|XFAIL|SKIP|ERROR): (.+)$");
    let ctest = regex(r"^\s*\d+/\d+ Test\s+#\d+: (.+?) \.*\s*(Passed|\*\*\*[A-Za-z ]+)");
    let meson = regex(r"^\s*\d+/\d+ (.+?)\s+(OK|FAIL|SKIP|TIMEOUT|ERROR|EXPECTEDFAIL|UNEXPECTEDPASS)\b");
    let tap = regex(r"^(ok|not ok) (\d+)\b(.*)$");
    let mut results = Results::new();
    for line in log.lines() {
        let found = if let Some(c) = automake.captures(line) {
            Some((c[2].trim().to_string(), outcome(&c[1])))
        } else if let Some(c) = ctest.captures(line) {
            Some((c[1].to_string(), outcome(&c[2])))
        } else if let Some(c) = meson.captures(line) {
            Some((c[1].to_string(), outcome(&c[2])))
        } else {
            tap.captures(line).map(|c| {
                let skipped = c[3].to_ascii_lowercase().contains("# skip");
                (format!("{}{}", &c[2], &c[3]), if skipped { "skip" } else { outcome(&c[1]) })
            })
        };
        let Some((name, outcome)) = found else { continue };
        // A name that comes again is another test of that name, or the same in a summary of failures.
        match results.get(&name) {
            Some(&"fail") => {}
            _ => drop(results.insert(name, outcome)),
        }
    }
    results
}

fn outcome(word: &str) -> &'static str {
    match word {
        "PASS" | "XFAIL" | "Passed" | "OK" | "EXPECTEDFAIL" | "ok" => "pass",
        "SKIP" => "skip",
        _ if word.starts_with("***Skipped") || word.starts_with("***Not Run") => "skip",
        _ => "fail",
    }
}

/// Tests that passed in `plain` and did not in `other`.
pub fn lost<'a>(plain: &'a Results, other: &Results) -> Vec<&'a str> {
    let passed = plain.iter().filter(|(_, outcome)| **outcome == "pass");
    passed.filter(|(name, _)| other.get(*name) != Some(&"pass")).map(|(name, _)| name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harnesses_are_read() {
        let log = "PASS: a.sh\nFAIL: b\nXFAIL: c 1\nSKIP: d\n# PASS:  2\n\
                   1/3 Test  #1: first one ......   Passed    0.01 sec\n 2/3 Test #2: second ...***Failed  0.1 sec\n\
                   3/3 Test #3: crash .....***Exception: SegFault  0.1 sec\n\
                   1/2 x:y / name        OK              0.02s\n2/2 other      FAIL  0.1s exit status 1\n\
                   ok 1 - tap\nnot ok 2 - bad\nok 3 # SKIP none\n";
        let all = parse(log);
        let of =
            |outcome| all.iter().filter(|(_, o)| **o == outcome).map(|(n, _)| n.as_str()).collect::<Vec<_>>();
        assert_eq!(of("pass"), ["1 - tap", "a.sh", "c 1", "first one", "x:y / name"]);
        assert_eq!(of("fail"), ["2 - bad", "b", "crash", "other", "second"]);
        assert_eq!(of("skip"), ["3 # SKIP none", "d"]);
        assert_eq!(
            lost(&all, &parse("PASS: a.sh\nok 1 - tap\n1/3 Test #1: first one ...***Failed\n")),
            ["c 1", "first one", "x:y / name"]
        );
    }
}
