//! From a small C program to tests, findings, coverage and back.

use crate::common::{GUARD, Place};
use std::collections::BTreeSet;

/// The abort behind four bytes was found.
fn found_the_abort(place: &Place) {
    assert_eq!(place.files("c/findings"), ["0000-abort"]);
    let input = std::fs::read(place.path("c/findings/0000-abort/input")).expect("there");
    assert_eq!(&input[..4], b"Spe!");
    let deep = place.contents("c/tests").into_iter().filter(|t| t.starts_with(b"Spe")).count();
    // One test goes deep and returns; another, behind the last branch, aborts as expected.
    assert_eq!(deep, 2);
}

#[test]
fn from_a_program_to_its_tests() {
    let place = Place::with(&[("guard.c", GUARD)]);
    let explore = ["explore", "guard.c", "--out", "c", "--runs", "100", "--until", "covered"];
    let told = place.spelunk(&explore).exits(0);
    told.says(&["10 of 10 branches", "Findings: 1", "abort", "every branch is covered"]);
    found_the_abort(&place);
    let told = place.spelunk(&["replay", "c"]).exits(0);
    told.says(&["exit code 3", "findings/0000-abort: abort", "0 different"]);
    let told = place.spelunk(&["coverage", "c", "--lcov", "lcov"]).exits(0);
    told.says(&["guard.c", "main", "10 of 10", "100.0 %"]);
    let lcov = std::fs::read_to_string(place.path("lcov")).expect("there");
    let covered = lcov.lines().filter(|l| l.starts_with("BRDA:") && !l.ends_with(",-") && !l.ends_with(",0"));
    assert_eq!(covered.count(), 10, "{lcov}");
    assert!(
        lcov.contains("SF:") && lcov.contains("FNDA:1,main") && lcov.trim_end().ends_with("end_of_record")
    );
}

#[test]
fn branches_are_not_the_only_goals() {
    let program = "#include <stdio.h>\n#include <stdlib.h>\n\
         static void assume(int c) { if (!c) exit(1); }\n\
         static void reach_error(void) { abort(); }\n\
         void unused(void (**p)(void)) { *p = reach_error; }\n\
         void never(void) {}\n\
         int main(int argc, char **argv) { (void)argv; unsigned char b[4];\n\
         if (argc > 5) never();\n\
         for (int k = 0; k < 4; k++) b[k] = (unsigned char)getchar();\n\
         assume(b[0] * 3 == 102); assume(b[1] == b[0] + 7); assume((b[2] ^ b[3]) == 85); assume(b[2] > 200);\n\
         reach_error(); }\n";
    let place = Place::with(&[("tasks.c", program), ("seeds/a", "0000")]);
    let explore = ["explore", "tasks.c", "--out", "c", "--seeds", "seeds", "--runs", "200"];
    let told = place.spelunk(&explore).exits(0);
    told.says(&[
        "Findings: 1",
        "reach_error",
        "2 of 2 calls that report an error made",
        "8 of 8 outcomes of small checks",
        "functions never entered",
        "never",
    ]);
    assert_eq!(place.files("c/findings"), ["0000-abort"]);
    place
        .spelunk(&["why", "assume", "--dir", "c"])
        .exits(0)
        .says(&["function, entered", "condition, called from here"]);
    place
        .spelunk(&["why", "never", "--dir", "c"])
        .exits(0)
        .says(&["function, never entered", "called at tasks.c:8"]);
    let summary = std::fs::read_to_string(place.path("c/summary.json")).expect("there");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["goals"]["error_calls"]["reached"], 2);
    assert_eq!(summary["goals"]["functions_never_entered"], serde_json::json!(["never"]));
    // Asked to, it ends with the branches, the error unseen.
    let explore =
        ["explore", "tasks.c", "--out", "d", "--seeds", "seeds", "--runs", "200", "--until", "covered"];
    let program = program.replace("if (argc > 5) never();", "never();");
    place.write("tasks.c", program.as_bytes());
    place
        .spelunk(&explore)
        .exits(0)
        .says(&["every branch is covered", "calls that report an error, not made"]);
}

#[test]
fn a_count_that_optimisation_makes_a_sum_is_solved_at_once() {
    let program = "#include <stdio.h>\n\
         int main(void) { unsigned char s[10]; int n = 0;\n\
         if (fread(s, 1, 10, stdin) != 10) return 1;\n\
         for (int i = 0; i < 10; i++)\n\
         if (s[i] % 3 == 1) n++;\n\
         if (n == 9) puts(\"nine\");\n\
         return 0; }\n";
    let place = Place::with(&[("count.c", program), ("seeds/a", "ABCDEFGHIJ")]);
    // The seed, a flip of each byte's decision, and one of the last: six more bytes must come out otherwise for it.
    let explore = ["explore", "count.c", "--out", "c", "--seeds", "seeds", "--runs", "12"];
    let told = place.spelunk(&[&explore[..], &["--strategy", "generational"]].concat()).exits(0);
    told.says(&["7 of 8 branches", "11 solved, 0 infeasible", "0 diverged"]);
}

#[test]
fn through_a_build_and_its_executable() {
    let place = Place::with(&[("guard.c", GUARD), ("Makefile", "guard: guard.c\n\t$(CC) -O2 -o $@ $<\n")]);
    place.spelunk(&["build", "--", "make"]).exits(0);
    place.spelunk(&["explore", "./guard", "--out", "c", "--runs", "100"]).exits(0);
    found_the_abort(&place);
    // The program as it is built next: replay tells that it behaves otherwise.
    place.write("guard.c", GUARD.replace("abort()", "return 5").as_bytes());
    place.spelunk(&["build", "--", "make", "-B"]).exits(0);
    place.spelunk(&["replay", "c"]).exits(1).says(&["DIFFERENT", "(was: abort", "2 different"]);
}

/// A helper that is linked into the program and into a shared library of the build, which hides its own: each calls its own.
#[test]
fn a_library_that_hides_what_the_program_has_too() {
    let place = Place::with(&[
        ("helper.c", "int helper(int x) { return x + BY; }\nint state = BY;\n"),
        (
            "library.c",
            "extern int state;\nint helper(int);\nint offered(int x) { return helper(x) + state; }\n",
        ),
        ("library.map", "{ global: offered; local: *; };\n"),
        (
            "main.c",
            "#include <stdio.h>\n#include <stdlib.h>\nint helper(int); int offered(int); extern int state;
            int main(void) {
                if (helper(0) + state != 2) return 9;
                int c = getchar();
                if (offered(c) == 'a' + 20) abort();
                return 0;
            }\n",
        ),
    ]);
    let script =
        "cc -O1 -fPIC -DBY=10 -shared library.c helper.c -Wl,--version-script=library.map -o liboffered.so
        cc -O1 -DBY=1 main.c helper.c -L. -loffered -Wl,-rpath,$PWD -o prog";
    place.spelunk(&["build", "--", "sh", "-ec", script]).exits(0);
    let told = place.spelunk(&["explore", "./prog", "--out", "c", "--runs", "100"]).exits(0);
    told.says(&["Findings: 1", "abort"]);
    let input = std::fs::read(place.path("c/findings/0000-abort/input")).expect("there");
    assert_eq!(&input[..1], b"a");
    place.spelunk(&["replay", "c"]).exits(0);
}

/// Flavours of a static program are linked with shared libraries; tests are confirmed on the static one.
#[test]
fn a_static_program() {
    let place = Place::with(&[("guard.c", GUARD)]);
    place.spelunk(&["build", "--", "cc", "-O2", "-static", "guard.c", "-o", "guard"]).exits(0);
    let told = place.spelunk(&["explore", "./guard", "--out", "c", "--runs", "100"]).exits(0);
    told.says(&["10 of 10 branches", "confirmed on the program itself"]);
    found_the_abort(&place);
    place.spelunk(&["replay", "c"]).exits(0);
}

#[test]
fn two_workers() {
    let place = Place::with(&[("guard.c", GUARD)]);
    place.spelunk(&["explore", "guard.c", "--out", "c", "--runs", "200", "-j", "2"]).exits(0);
    found_the_abort(&place);
}

#[test]
fn every_recorded_expression_is_true() {
    let place = Place::with(&[("guard.c", GUARD)]);
    let told =
        place.spelunk(&["explore", "guard.c", "--out", "c", "--runs", "60", "--check-trace", "--json"]);
    assert!(!told.exits(0).out.contains("trace-mismatch"));
}

/// The events that a campaign prints, without what was measured.
fn events(place: &Place, out: &str) -> Vec<serde_json::Value> {
    let args = ["explore", "guard.c", "--out", out, "--runs", "80", "--seed", "7", "--json"];
    let told = place.spelunk(&args).exits(0);
    let mut events: Vec<serde_json::Value> =
        told.out.lines().map(|line| serde_json::from_str(line).expect("one event per line")).collect();
    for event in &mut events {
        let fields = event.as_object_mut().expect("an object");
        fields.remove("at_ms");
        fields.remove("measured");
    }
    // Progress is told by the clock.
    events.retain(|event| event["event"] != "progress");
    events.iter_mut().for_each(|event| drop(event.as_object_mut().and_then(|fields| fields.remove("seq"))));
    events
}

#[test]
fn the_same_seed_and_budget_give_the_same_events() {
    let place = Place::with(&[("guard.c", GUARD)]);
    let (one, two) = (events(&place, "one"), events(&place, "two"));
    let kinds: BTreeSet<&str> = one.iter().filter_map(|event| event["event"].as_str()).collect();
    for kind in ["campaign-started", "run-done", "branch-covered", "finding-seen", "campaign-ended"] {
        assert!(kinds.contains(kind), "no {kind} in {kinds:?}");
    }
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(one, two);
    }
    assert_eq!(place.files("one/tests"), place.files("two/tests"));
}
