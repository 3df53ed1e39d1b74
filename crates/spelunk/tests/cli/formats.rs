//! Tests in other tools' formats: written, used there, and read back as seeds.

use crate::common::{GUARD, Place};
use std::process::Command;

const VALUES: &str = r#"
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x * 7 == 7 * 123456) {
        if (__VERIFIER_nondet_uchar() == 200) return 5;
        return 4;
    }
    if (x < -5) return 3;
    return 0;
}
"#;

fn cc(place: &Place, args: &[&str]) {
    let status = Command::new("cc").args(args).current_dir(place.path("")).status().expect("cc starts");
    assert!(status.success(), "cc {args:?}");
}

/// Runs the executable of an exported C file: all tests must do as recorded.
fn runs_as_recorded(place: &Place, args: &[&str]) -> String {
    let output =
        Command::new(place.path("tests")).args(args).current_dir(place.path("")).output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn values_as_a_c_file_and_back_as_seeds() {
    let place = Place::with(&[("program.c", VALUES)]);
    place
        .spelunk(&["explore", "program.c", "--out", "c", "--runs", "60"])
        .exits(0)
        .says(&["6 of 6 branches"]);
    place.spelunk(&["export", "c", "--format", "c", "-o", "tests.c"]).exits(0);
    cc(&place, &["-c", "-Dmain=spelunk_program_main", "program.c"]);
    cc(&place, &["-Wall", "-Werror", "-o", "tests", "tests.c", "program.o"]);
    assert!(runs_as_recorded(&place, &[]).contains("tests as expected"));
    for (format, to) in [("test-comp", "suite.zip"), ("test-comp", "suite"), ("ktest", "k")] {
        place.spelunk(&["export", "c", "--format", format, "-o", to]).exits(0);
        let again = format!("again-{format}-{to}");
        let told = place.spelunk(&["explore", "program.c", "--out", &again, "--runs", "60", "--seeds", to]);
        told.exits(0).says(&["6 of 6 branches", "6 (100.0 %) by the seeds alone"]);
    }
    place.spelunk(&["export", "c", "--format", "raw", "-o", "r"]).fails(6, &["a value", "export as"]);
}

#[test]
fn streams_as_a_c_file_and_as_a_fuzzers_folder() {
    let place = Place::with(&[("guard.c", GUARD)]);
    place.spelunk(&["explore", "guard.c", "--out", "c", "--runs", "100"]).exits(0);
    place.spelunk(&["export", "c", "--format", "c", "-o", "tests.c"]).exits(0);
    cc(&place, &["-o", "tests", "tests.c"]);
    cc(&place, &["-o", "guard", "guard.c"]);
    let said = runs_as_recorded(&place, &["guard"]);
    assert!(said.contains("finding-0000-abort"), "{said}");
    place.spelunk(&["export", "c", "--format", "raw", "-o", "queue"]).exits(0);
    assert!(place.contents("queue").iter().any(|input| input.starts_with(b"Spe!")));
    place.spelunk(&["export", "c", "--format", "test-comp", "-o", "t.zip"]).fails(6, &["standard input"]);
}

#[test]
fn damaged_suites_are_refused() {
    let place = Place::with(&[("program.c", VALUES), ("s.zip", "no zip"), ("k/1.ktest", "KTEST\0\0\0\u{1}")]);
    place
        .spelunk(&["explore", "program.c", "--out", "a", "--runs", "1", "--seeds", "s.zip"])
        .fails(6, &["zip"]);
    place
        .spelunk(&["explore", "program.c", "--out", "b", "--runs", "1", "--seeds", "k"])
        .fails(6, &["cut off"]);
}
