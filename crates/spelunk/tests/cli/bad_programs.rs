//! Programs that do not behave: each costs its own runs, is reported, and the campaign ends as it should.

use crate::common::{DEAF, Place};

#[test]
fn a_program_that_crashes_at_once() {
    let place = Place::with(&[("crash.c", "#include <stdlib.h>\nint main(void) { abort(); }\n")]);
    let told = place.spelunk(&["explore", "crash.c", "--out", "c", "--runs", "10"]);
    told.exits(0).says(&["Findings: 1", "spelunk replay c/findings/0000-abort"]);
    assert_eq!(place.files("c/findings"), ["0000-abort"]);
    place.spelunk(&["replay", "c/findings/0000-abort"]).exits(0).says(&["abort", "0 different"]);
}

#[test]
fn a_program_that_never_reads_its_input() {
    let place = Place::with(&[("deaf.c", DEAF)]);
    let told = place.spelunk(&["explore", "deaf.c", "--out", "c", "--runs", "20"]).exits(0);
    told.says(&["1 of 2 branches", "20 runs", "concrete condition"]);
    assert_eq!(place.files("c/tests").len(), 1);
}

#[test]
fn a_program_that_hangs_and_ignores_every_polite_signal() {
    let program = "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n\
         int main(void) {\n\
         for (int s = 1; s < 32; s++) signal(s, SIG_IGN);\n\
         if (getchar() == 'h') for (;;) sleep(1000);\n\
         return 0; }\n";
    let name = "unkillable_by_term";
    let place = Place::with(&[(&format!("{name}.c"), program)]);
    let source = format!("{name}.c");
    let explore = ["explore", &source, "--out", "c", "--runs", "40", "--timeout", "300ms"];
    place.spelunk(&explore).exits(0).says(&["Findings: 1", "hang"]);
    assert_eq!(place.files("c/findings"), ["0000-hang"]);
    assert_eq!(std::fs::read(place.path("c/findings/0000-hang/input")).expect("there").first(), Some(&b'h'));
    place.spelunk(&["replay", "c"]).exits(0).says(&["hang", "0 different"]);
    assert_eq!(place.left_behind(name), Vec::<String>::new());
}

#[test]
fn a_program_that_cannot_start() {
    let program = "#include <stdlib.h>\n__attribute__((constructor)) static void early(void) { _Exit(9); }\n\
         int main(void) { return 0; }\n";
    let place = Place::with(&[("early.c", program)]);
    let told = place.spelunk(&["explore", "early.c", "--out", "c", "--runs", "5"]);
    told.fails(3, &["cannot be started"]);
    assert!(!place.path("c").exists());
}
