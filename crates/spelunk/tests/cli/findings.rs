//! Findings: all that there are, each once, small, confirmed; none that is not there.

use crate::common::Place;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Mistakes of all kinds in one realistic program; `// BUG n: kind` stands where each is.
fn warehouse() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bugs")
}

/// Length of the smallest input for each of them.
const SMALLEST: [(&str, u64); 10] = [
    ("heap-buffer-overflow", "WH+a,0,0;la,\"A\"".len() as u64),
    ("stack-buffer-overflow", "WH#+".len() as u64),
    ("use-after-free", "WH+a,1,0;xa;!;".len() as u64),
    ("null-dereference", "WH?a;".len() as u64),
    ("division-by-zero", "WH+a,0,0;~a;".len() as u64),
    ("signed-overflow", "WH+a,99999,21475;$a;".len() as u64),
    ("assertion-failure", "WH+a,0,0;-a,1;".len() as u64),
    ("hang", "WH/0,1,0;".len() as u64),
    ("uncaught-exception", "WH@8;".len() as u64),
    ("leak", "WH&*".len() as u64),
];

/// Kind and line of the planted mistakes.
fn planted(source: &str) -> BTreeMap<String, u64> {
    let lines = source.lines().zip(1..);
    let of = |(text, line): (&str, u64)| {
        let (code, remark) = text.split_once("// BUG ")?;
        (!code.is_empty()).then_some((remark.split_once(": ")?.1.to_owned(), line))
    };
    lines.filter_map(of).collect()
}

/// The findings of a campaign, by kind.
fn findings(place: &Place, campaign: &str) -> Vec<Value> {
    place.spelunk(&["report", campaign, "--json", "report.json"]).exits(0);
    let text = std::fs::read(place.path("report.json")).expect("written");
    let report: Value = serde_json::from_slice(&text).expect("JSON");
    report["findings"].as_array().expect("a list").clone()
}

#[test]
fn ten_planted_mistakes_are_found_each_once() {
    let source = std::fs::read_to_string(warehouse().join("warehouse.cpp")).expect("there");
    let seeds = warehouse().join("seeds");
    let place = Place::with(&[("warehouse.cpp", &source)]);
    let explore =
        ["explore", "warehouse.cpp", "--out", "c", "--runs", "3000", "--seeds", &seeds.to_string_lossy()];
    place.spelunk(&[&explore[..], &["--find", "overflow"]].concat()).exits(0);
    let found = findings(&place, "c");
    let at = |f: &Value| {
        let kind = f["kind"].as_str().unwrap_or("unconfirmed").to_owned();
        (kind, f["verdict"]["stack"][0]["line"].as_u64().unwrap_or(0))
    };
    let places: BTreeMap<String, u64> = found.iter().map(at).collect();
    assert_eq!(places, planted(&source));
    assert_eq!(found.len(), SMALLEST.len(), "some more than once: {found:#?}");
    let length = |f: &Value| f["verdict"]["input_len"].as_u64().expect("a number");
    let lengths: BTreeMap<&str, u64> =
        found.iter().map(|f| (f["kind"].as_str().expect("confirmed"), length(f))).collect();
    assert_eq!(lengths, SMALLEST.into_iter().collect::<BTreeMap<_, _>>());
    place.spelunk(&["replay", "c/findings"]).exits(0).says(&["10 replayed, 10 as recorded, 0 different"]);
}

const TWO: &str = r#"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char b[12] = {0};
    fread(b, 1, 11, stdin);
    if (b[0] == 'h') {
        char *p = malloc(4);
        if (b[1] == 'x') memset(p, 7, 5);
        free(p);
    }
    if (b[0] == 'a' && b[2] == 'z') assert(b[1] < 10);
    return 0;
}
"#;

#[test]
fn a_finding_is_explained_and_replays_with_one_command() {
    let place = Place::with(&[("two dirs/two.c", TWO)]);
    place.spelunk(&["explore", "two dirs/two.c", "--out", "my out", "--runs", "120"]).exits(0).says(&[
        "assertion `b[1] < 10` fails",
        "heap buffer overflow (silent)",
        "spelunk replay 'my out/findings/",
    ]);
    let mut names = place.files("my out/findings");
    names.iter_mut().for_each(|n| *n = n.split_off(5));
    names.sort();
    assert_eq!(names, ["assertion-failure", "heap-buffer-overflow"]);
    for folder in place.files("my out/findings") {
        let file = |name: &str| {
            std::fs::read(place.path(&format!("my out/findings/{folder}/{name}"))).expect("there")
        };
        let report = String::from_utf8(file("report.txt")).expect("text");
        let facts: Value = serde_json::from_slice(&file("finding.json")).expect("JSON");
        let command = shell_words::split(facts["replay"].as_str().expect("a command")).expect("quoted");
        assert!(report.contains("two.c:") && report.contains("no byte can go or become simpler"), "{report}");
        if folder.ends_with("assertion-failure") {
            assert_eq!(file("input").len(), 3);
            assert!(report.contains("if (b[0] == 'a' && b[2] == 'z') assert(b[1] < 10);"), "{report}");
        } else {
            assert_eq!(file("input"), b"hx");
            assert!(report.contains("writes 5 bytes, 0 bytes after 4-byte region"), "{report}");
            assert!(
                report.contains("stdin from byte 0 on: 'h' 'x'") && report.contains("allocated here"),
                "{report}"
            );
        }
        assert_eq!(command[..2], ["spelunk", "replay"]);
        let told = place.spelunk(&["replay", &command[2]]);
        told.exits(0).says(&["1 replayed, 1 as recorded, 0 different"]);
    }
}

#[test]
fn without_check_only_the_own_executable_tells() {
    let place = Place::with(&[("two.c", TWO)]);
    let explore = ["explore", "two.c", "--out", "c", "--runs", "120", "--no-check", "--minimise", "0"];
    place.spelunk(&explore).exits(0).says(&["Findings: 1", "assertion failure"]);
    assert_eq!(place.files("c/findings"), ["0000-assertion-failure"]);
}

const UNDEFINED: &str = r#"
#include <limits.h>
#include <stdio.h>
#include <string.h>
struct pair { int first, second; };
static int table[10], rest[100];
int main(void) {
    unsigned char b[16] = {0};
    size_t n = fread(b, 1, 16, stdin);
    int v = 0, k = n > 3 ? b[3] : 0;
    if (n < 4 || b[1] != 'z') return 0;
    memcpy(&v, b + 8, 4);
    switch (b[0]) {
    case '+': printf("%d", 2147483600 + k); break;
    case '/': printf("%d", 100 % (k - 'x')); break;
    case '[': printf("%d", table[k - '0'] + rest[0]); break;
    case '0': printf("%d", (k == '!' ? NULL : &(struct pair){1, 2})->second); break;
    case '<': printf("%d", 1 << k % 40); break;
    case '.': printf("%d", (int)(1e9 * (k / 16))); break;
    }
    return 0;
}
"#;

/// Name of the kind, how what is said of it begins, and what stands in its line.
const UNDEFINED_SAID: [(&str, &str, &str); 6] = [
    ("signed-overflow", "signed integer overflow: 2147483600 + 48 overflows int", "2147483600 + k"),
    ("division-by-zero", "division by zero or beyond the result's range: 100 % 0", "100 % (k - 'x')"),
    ("out-of-bounds", "index outside its array: index 49, array of 10", "table[k - '0']"),
    ("null-dereference", "null pointer dereference: reads 4 bytes at address 4", "->second"),
    ("shift", "shift by the operand's width or more: 1 << 32 in 32 bits", "1 << k % 40"),
    ("bad-cast", "conversion beyond the integer type's range: 3000000000 does not fit int", "(int)(1e9"),
];

#[test]
fn undefined_operations_are_small_and_have_their_values() {
    for more in [&[][..], &["--no-check"]] {
        let place = Place::with(&[("undefined.c", UNDEFINED)]);
        let explore = ["explore", "undefined.c", "--out", "c", "--runs", "300", "--cflags", "-O1 -g"];
        let find = ["--find", "overflow,div,bounds,null,shift,cast"];
        place.spelunk(&[&explore[..], &find, more].concat()).exits(0);
        let found = findings(&place, "c");
        assert_eq!(found.len(), UNDEFINED_SAID.len(), "{found:#?}");
        for (kind, said, source) in UNDEFINED_SAID {
            let finding = found.iter().find(|f| f["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"));
            let verdict = &finding["verdict"];
            assert!(verdict["source"].as_str().is_some_and(|s| s.contains(source)), "{verdict}");
            assert_eq!((&verdict["input_len"], &verdict["minimal"]), (&4.into(), &true.into()), "{verdict}");
            // A division ends the program: without `check` that is all there is to say.
            let values = kind != "division-by-zero" || more.is_empty();
            let message = verdict["message"].as_str().expect("text");
            assert!(!values || message.starts_with(said), "{message}");
            let folder = finding["file"].as_str().expect("stored");
            let report =
                std::fs::read_to_string(place.path(&format!("c/{folder}/report.txt"))).expect("there");
            assert!(report.contains(message) && report.contains(source), "{report}");
        }
        place.spelunk(&["report", "c", "--sarif", "found.sarif"]).exits(0);
        let sarif = std::fs::read_to_string(place.path("found.sarif")).expect("written");
        assert!(sarif.contains("index outside its array: index 49, array of 10. "), "{sarif}");
        place.spelunk(&["replay", "c/findings"]).exits(0).says(&["6 replayed, 6 as recorded, 0 different"]);
    }
}

#[test]
fn what_a_program_prints_is_never_a_finding() {
    // Reports of its own making on every descriptor there is, then very much text.
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    const char *words = "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1 at pc 0x2\n    #0 0x1 (/p+0xffffffffffffffffff)\n"
        "x: a.c:1: f: Assertion `x' failed.\nterminate called after throwing an instance of 'int'\n";
    char b[2] = {0};
    if (fread(b, 1, 2, stdin) != 2) return 0;
    if (b[0] == 'q') for (int n = 0; n < 20000; n++) fwrite(words, 1, strlen(words), stderr);
    if (b[0] == 'r') fputs(words, stderr);
    return b[1] == 'x';
}
"#;
    let place = Place::with(&[("liar.c", source)]);
    let told = place.spelunk(&["explore", "liar.c", "--out", "c", "--runs", "60"]).exits(0);
    assert!(!told.out.contains("Findings"), "{}", told.out);
    assert!(place.files("c/findings").is_empty());
}

/// Aborts only where the clock stands, as it does in runs that Spelunk orders.
const ELSEWHERE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
    struct timespec now;
    int c = getchar();
    clock_gettime(CLOCK_REALTIME, &now);
    if (c == 'q' && now.tv_nsec == 0) abort();
    return c == 'x';
}
"#;

#[test]
fn what_no_executable_shows_is_never_told_as_a_finding() {
    let place = Place::with(&[("elsewhere.c", ELSEWHERE)]);
    let told = place.spelunk(&["explore", "elsewhere.c", "--out", "c", "--runs", "60"]).exits(0);
    assert!(
        told.err.contains("to be confirmed: abort") && told.err.contains("not confirmed: #0"),
        "{}",
        told.err
    );
    assert!(!told.err.contains("found: ") && !told.err.contains("\nconfirmed:"), "{}", told.err);
    let told = told.says(&["Not confirmed", "#0 (abort)"]);
    assert!(!told.out.contains("Findings"), "{}", told.out);
    assert_eq!(place.files("c/findings"), ["0000-unconfirmed-abort"]);
    let text = |file: &str| std::fs::read_to_string(place.path(file)).expect("there");
    let folder = "c/findings/0000-unconfirmed-abort";
    assert!(text(&format!("{folder}/report.txt")).starts_with("Finding #0: NOT CONFIRMED"));
    assert!(text(&format!("{folder}/how-to-replay.txt")).contains("it does not show there"));
    let json = |file: &str| serde_json::from_str::<Value>(&text(file)).expect("JSON");
    assert_eq!(json(&format!("{folder}/finding.json"))["confirmed"], false);
    let summary = json("c/summary.json");
    assert_eq!((&summary["findings"], &summary["findings_unconfirmed"]), (&0.into(), &1.into()));
    assert_eq!(findings(&place, "c")[0]["confirmed"], false);
    place.spelunk(&["report", "c", "--sarif", "found.sarif"]).exits(0);
    assert_eq!(json("found.sarif")["runs"][0]["results"], Value::Array(Vec::new()));
    place.spelunk(&["replay", folder]).exits(0).says(&["not confirmed; the instrumented program: abort"]);
}

/// A loop of many lines, whose work is done in functions.
const ENDLESS: &str = r#"
#include <stdio.h>
static volatile int total;
static void add(int n) {
    total += n;
    total ^= 1;
}
static void take(int n) {
    total -= n;
}
int main(void) {
    int step = getchar() == 'h' ? 0 : 1;
    for (int at = 0; at < 9; at += step) // THE LOOP
    {
        if (at % 2 == 0) {
            add(at);
            add(1);
        } else {
            take(at);
        }
        take(1);
        total += 3;
    }
    return 0;
}
"#;

#[test]
fn a_hang_has_the_line_of_its_loop_whenever_it_is_stopped() {
    let line = ENDLESS.lines().position(|l| l.contains("THE LOOP")).expect("there") + 1;
    for _ in 0..2 {
        let place = Place::with(&[("endless.c", ENDLESS)]);
        let explore = ["explore", "endless.c", "--out", "c", "--runs", "30", "--timeout", "1s"];
        place.spelunk(&[&explore[..], &["--until", "covered"]].concat()).exits(0);
        let found = findings(&place, "c");
        assert_eq!(found.len(), 1, "{found:#?}");
        let frame = &found[0]["verdict"]["stack"][0];
        assert_eq!((&frame["function"], &frame["line"]), (&"main".into(), &line.into()), "{found:#?}");
    }
}

#[test]
fn code_scanners_get_their_format() {
    let place = Place::with(&[("two.c", TWO)]);
    place.spelunk(&["explore", "two.c", "--out", "c", "--runs", "120"]).exits(0);
    place.spelunk(&["report", "c", "--sarif", "found.sarif"]).exits(0);
    let text = std::fs::read(place.path("found.sarif")).expect("written");
    let log: Value = serde_json::from_slice(&text).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let mut rules: Vec<&str> = results.iter().filter_map(|r| r["ruleId"].as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["assertion-failure", "heap-buffer-overflow"]);
    for result in results {
        let place_of = &result["locations"][0]["physicalLocation"];
        assert!(
            place_of["artifactLocation"]["uri"].as_str().is_some_and(|u| u.ends_with("/two.c")),
            "{result}"
        );
    }
    place.spelunk(&["report", "nowhere", "--sarif", "x"]).exits(5);
}

/// A driver that frees nothing, whatever its input is; what it drives hangs at `h` and leaks at `x`.
const LEAKY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void set_up(void) { memset(malloc(40), 1, 40); }
static void tear(void) { memset(malloc(7), 2, 7); }
int main(void) {
    char b[8] = {0};
    volatile unsigned turns = 0;
    set_up();
    fread(b, 1, 7, stdin);
    if (b[0] == 'h') for (;;) turns++;
    if (b[0] == 'x') tear();
    return 0;
}
"#;

#[test]
fn what_every_run_does_is_told_once_and_hides_nothing() {
    let place = Place::with(&[("leaky.c", LEAKY)]);
    let told = place
        .spelunk(&[
            "explore",
            "leaky.c",
            "--cflags",
            "-O0",
            "--out",
            "c",
            "--runs",
            "100",
            "--timeout",
            "300ms",
        ])
        .exits(0);
    told.says(&["On every input, also the empty one: of the harness, told once", "40 bytes never freed"]);
    let found = findings(&place, "c");
    let told: Vec<(&str, bool, u64)> = found
        .iter()
        .map(|f| {
            let d = &f["verdict"];
            let every_run = d["every_run"].as_bool().expect("known");
            (f["kind"].as_str().expect("confirmed"), every_run, d["input_len"].as_u64().expect("a number"))
        })
        .collect();
    let of = |kind| told.iter().filter(|t| t.0 == kind).map(|t| (t.1, t.2)).collect::<Vec<_>>();
    assert_eq!(of("hang"), [(false, 1)], "{told:?}");
    let mut leaks = of("leak");
    leaks.sort_unstable();
    assert_eq!(leaks, [(false, 1), (true, 0)], "{told:?}");
}
