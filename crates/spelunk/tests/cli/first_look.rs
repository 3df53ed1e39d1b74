//! Before a campaign: the program beside its flavours on a first input.

use crate::common::{GUARD, Place};
use std::process::Command;

const TARGET: i32 = 3;
const INTERNAL: i32 = 70;

/// Looks at how large its own executable is: an instrumented one is larger.
fn nosy(otherwise: &str) -> String {
    format!(
        r#"
        #include <stdio.h>
        #include <sys/stat.h>
        int seen;
        int main(void) {{
            struct stat own;
            int c = getchar();
            if (stat("/proc/self/exe", &own) == 0 && own.st_size > 400000) {{ {otherwise} }}
            puts(c == 'a' ? "a" : "other");
            return 0;
        }}
    "#
    )
}

fn explore(place: &Place, source: &str, more: &[&str]) -> crate::common::Told {
    place.spelunk(&[&["explore", source, "--out", "c", "--runs", "30"], more].concat())
}

#[test]
fn another_output_is_a_fault_of_spelunks() {
    let place = Place::with(&[("nosy.c", &nosy("puts(\"instrumented\");"))]);
    let told = explore(&place, "nosy.c", &[]).exits(INTERNAL);
    for words in ["a fault of Spelunk's own", "writes something else", "c-fault", "--no-compare"] {
        assert!(told.err.contains(words), "`{words}` is not in: {}", told.err);
    }
    assert!(!place.path("c").exists(), "a campaign was made for nothing");
    let read = |name: &str| std::fs::read_to_string(place.path(&format!("c-fault/{name}"))).expect("kept");
    assert_eq!(
        (read("own.stdout"), read("instrumented.stdout")),
        ("other\n".into(), "instrumented\nother\n".into())
    );
    let report = read("report.txt");
    for words in ["spelunk explore nosy.c", "clang", env!("CARGO_PKG_VERSION"), "exit code 0"] {
        assert!(report.contains(words), "`{words}` is not in: {report}");
    }
    explore(&place, "nosy.c", &["--no-compare"]).exits(0);
}

#[test]
fn a_crash_or_an_exit_code_of_the_instrumented_program_alone_is_one_too() {
    for (otherwise, what) in [
        ("volatile int *p = 0; *p = 1;", "is killed by signal 11 and yours ends with exit code 0"),
        ("puts(\"nine\"); return 9;", "ends with exit code 9 and yours ends with exit code 0"),
    ] {
        let place = Place::with(&[("nosy.c", &nosy(otherwise))]);
        let told = explore(&place, "nosy.c", &[]).exits(INTERNAL);
        assert!(told.err.contains(what), "{}", told.err);
        let kept = std::fs::read_to_string(place.path("c-fault/instrumented.stdout")).expect("kept");
        assert_eq!(kept, if otherwise.contains("nine") { "nine\n" } else { "" });
    }
}

#[test]
fn a_mistake_of_the_program_is_not_spelunks() {
    let place = Place::with(&[(
        "nosy.c",
        &nosy("puts(\"?\");").replace("int c =", "static char b[4]; b[4 + own.st_size * 0] = 1; int c ="),
    )]);
    let source = std::fs::read_to_string(place.path("nosy.c")).expect("there");
    place.write("nosy.c", source.replace("struct stat own;", "struct stat own = {0};").as_bytes());
    let told = explore(&place, "nosy.c", &[]).exits(0);
    assert!(
        told.err.contains("AddressSanitizer shows a mistake of the program there (global buffer overflow)"),
        "{}",
        told.err
    );
}

#[test]
fn what_every_compilation_makes_another_of_is_not_spelunks() {
    // A signed overflow: without optimisation it wraps.
    let main = r#"
        #include <stdio.h>
        int main(void) {
            int x = 2147483647 - (getchar() == 'a');
            puts(x + 1 > x ? "more" : "less");
            return 0;
        }
    "#;
    let place = Place::with(&[("main.c", main)]);
    let told = explore(&place, "main.c", &["--cflags", "-O0"]).exits(0);
    let says = "so does it when clang compiles it with other optimisations and nothing of Spelunk's in it";
    assert!(told.err.contains(says), "{}", told.err);
    assert!(!place.path("c-fault").exists());
}

#[test]
fn a_missing_library_is_named() {
    let main = "#include <stdio.h>\nint far(int);\nint main(void) { return far(getchar()); }\n";
    let place = Place::with(&[("main.c", main), ("far.c", "int far(int c) { return c == 'a'; }\n")]);
    let library = Command::new("cc")
        .args(["-shared", "-fPIC", "far.c", "-o", "libfar.so"])
        .current_dir(place.path("."))
        .status();
    assert!(library.expect("a C compiler").success());
    place.spelunk(&["cc", "main.c", "-L.", "-lfar", "-o", "main"]).exits(0);
    explore(&place, "./main", &[]).fails(
        TARGET,
        &[
            "main cannot start",
            "the shared library libfar.so is not found (exit code 127)",
            "LD_LIBRARY_PATH",
        ],
    );
    assert!(!place.path("c").exists());
}

#[test]
fn void_main_is_recognised_and_gets_its_tests() {
    let main = r#"
        #include <stdio.h>
        int seen;
        static int weigh(int c) { return c * 3 + 1; }
        void main(void) {
            int c = getchar();
            if (c == 'a') seen = weigh(c);
            else if (c > 100) seen = -c;
        }
    "#;
    let place = Place::with(&[("main.c", main)]);
    let told = explore(&place, "main.c", &["--cflags", "-w"]).exits(0);
    assert!(told.err.contains("`main` of this program returns nothing"), "{}", told.err);
    assert!(!told.out.contains("left out"), "{}", told.out);
    assert!(place.files("c/tests").len() >= 2);
    place.spelunk(&["replay", "c/tests"]).exits(0).says(&["0 different"]);
}

#[test]
fn random_exit_codes_are_recognised_and_remembered() {
    let main = r#"
        #include <stdio.h>
        #include <sys/time.h>
        int seen;
        int main(void) {
            int c = getchar();
            if (c == 'a') seen = 1;
            else if (c > 100) seen = -c;
            struct timeval now;
            gettimeofday(&now, 0);
            return now.tv_usec / 16 % 200 + 1;
        }
    "#;
    let place = Place::with(&[("main.c", main)]);
    let told = explore(&place, "main.c", &[]).exits(0);
    assert!(told.err.contains("the exit code of this program is chance"), "{}", told.err);
    assert!(place.files("c/tests").len() >= 2, "{}", told.out);
    place.spelunk(&["replay", "c/tests"]).exits(0).says(&["0 different"]);
    let told = place.spelunk(&["explore", "main.c", "--out", "c", "--runs", "20", "--resume"]).exits(0);
    assert!(!told.out.contains("left out"), "{}", told.out);
    place.spelunk(&["replay", "c"]).exits(0).says(&["0 different"]);
}

#[test]
fn what_is_chance_is_not_blamed() {
    let body = |text: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n\
                 int main(int n, char **v) {{ int c = getchar(); {text} return c == 'a'; }}\n"
        )
    };
    let cases = [
        (
            "struct timeval t; gettimeofday(&t, 0); printf(\"%ld\\n\", (long)t.tv_usec);",
            Some("output of this program is chance"),
        ),
        ("printf(\"%p %p\\n\", (void *)main, malloc(3));", Some("output of this program is chance")),
        ("time_t t = time(0); printf(\"%s\", ctime(&t));", None),
        ("printf(\"%s %d\\n\", v[0], n);", None),
    ];
    for (text, says) in cases {
        let place = Place::with(&[("main.c", &body(text))]);
        let told = explore(&place, "main.c", &[]).exits(0);
        match says {
            Some(words) => assert!(told.err.contains(words), "{text}: {}", told.err),
            None => assert!(!told.err.contains("fault"), "{text}: {}", told.err),
        }
    }
}

#[test]
fn the_name_of_the_input_file_is_no_difference() {
    let main = "#include <stdio.h>\nint main(int n, char **v) { return printf(\"%s\\n\", v[n - 1]) < 0; }\n";
    let place = Place::with(&[("main.c", main)]);
    let told = explore(&place, "main.c", &["--", "@@"]).exits(0);
    assert!(!told.err.contains("warning"), "{}", told.err);
}

#[test]
fn seeds_that_all_crash_are_told_loudly() {
    let place = Place::with(&[("guard.c", GUARD), ("seeds/1", "Spe!"), ("seeds/2", "Spe!!")]);
    let told = explore(&place, "guard.c", &["--seeds", "seeds"]).exits(0);
    assert!(told.err.contains("every one of the 2 seeds crashes your own program (aborts)"), "{}", told.err);
    place.write("seeds/3", b"fine");
    let told = explore(&place, "guard.c", &["--seeds", "seeds", "--resume"]).exits(0);
    assert!(!told.err.contains("crashes your own program"), "{}", told.err);
}
