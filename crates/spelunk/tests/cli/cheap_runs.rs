//! Strategies that make cheap runs: what batches find is confirmed, counted, and the same for the same seed.

use crate::common::Place;

/// A fuzz target with a word to guess letter by letter, state that leaks, and an exit.
const TARGET: &str = r#"
    #include <stddef.h>
    #include <stdint.h>
    #include <stdlib.h>
    static unsigned calls;
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        calls++;
        if (calls > 100 && size == 5) abort();
        if (size > 0 && data[0] == 'q') exit(7);
        if (size > 2 && data[0] == 'F')
            if (data[1] == 'U')
                if (data[2] == 'Z') __builtin_trap();
        return 0;
    }"#;

fn ledger(place: &Place, folder: &str) -> serde_json::Value {
    let text = std::fs::read(place.path(folder).join("summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    summary["ledger"].clone()
}

#[test]
fn mutation_finds_what_is_there_and_nothing_else() {
    let place = Place::with(&[("target.c", TARGET), ("seeds/a", "Fbcd")]);
    let explore = |out: &str| {
        let args = [
            "explore",
            "target.c",
            "--strategy",
            "fuzz",
            "--seeds",
            "seeds",
            "--runs",
            "20000",
            "--seed",
            "3",
        ];
        place.spelunk(&[&args[..], &["--out", out]].concat()).exits(0);
        ledger(&place, out)
    };
    let first = explore("one");
    assert_eq!(place.files("one/findings").len(), 1, "{:?}", place.files("one/findings"));
    assert!(first["cheap_runs"].as_u64() > Some(15_000) && first["queries"] == 0, "{first}");
    assert_eq!(explore("two"), first, "the same seed, the same campaign");
    assert_eq!(place.contents("two/tests"), place.contents("one/tests"));
    place.spelunk(&["replay", "one"]).exits(0).says(&["0 different"]);
}

#[test]
fn programs_with_main_are_fuzzed_too() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
            int a = getchar(), b = getchar();
            if (a == 'x') { if (b == 'y') abort(); return 1; }
            return 0;
        }"#;
    let place = Place::with(&[("program.c", source), ("seeds/a", "ab")]);
    place
        .spelunk(&[
            "explore",
            "program.c",
            "--strategy",
            "auto",
            "--seeds",
            "seeds",
            "--time",
            "1s",
            "--out",
            "c",
        ])
        .exits(0);
    assert_eq!(place.files("c/findings"), ["0000-abort"]);
}

#[test]
fn random_runs_are_made_in_batches_and_the_budget_is_kept() {
    let place = Place::with(&[("target.c", TARGET)]);
    place.spelunk(&["explore", "target.c", "--strategy", "random", "--runs", "5000", "--out", "c"]).exits(0);
    let ledger = ledger(&place, "c");
    assert_eq!((&ledger["runs"], &ledger["queries"]), (&5000.into(), &0.into()), "{ledger}");
    assert!(ledger["cheap_runs"].as_u64() > Some(4900), "{ledger}");
}
