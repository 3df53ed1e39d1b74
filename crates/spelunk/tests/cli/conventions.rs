//! The ways in which programs take input: each leads to the same kind of guarded branch.

use crate::common::{Place, Told};

/// Explores `source` and wants its guarded crash found and confirmed.
#[track_caller]
fn finds(source: &str, options: &[&str], program_args: &[&str]) -> (Place, Told) {
    let place = Place::with(&[("program.c", source)]);
    let mut args = vec!["explore", "program.c", "--out", "c", "--runs", "300"];
    args.extend(options);
    if !program_args.is_empty() {
        args.push("--");
        args.extend(program_args);
    }
    let told = place.spelunk(&args).exits(0);
    assert_eq!(place.files("c/findings"), ["0000-abort"], "{}\n{}", told.out, told.err);
    let replayed = place.spelunk(&["replay", "c"]).exits(0).says(&["0 different"]);
    (place, replayed)
}

#[test]
fn a_file() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
            if (argc != 2) return 9;
            FILE *f = fopen(argv[1], "rb");
            if (!f) return 8;
            char line[16];
            if (fgets(line, sizeof line, f) && line[0] == 'o' && line[1] == 'k') abort();
            fclose(f);
            return 0;
        }"#;
    let (place, _) = finds(source, &[], &["@@"]);
    let input = std::fs::read(place.path("c/findings/0000-abort/input")).expect("there");
    assert!(input.starts_with(b"ok"));
}

#[test]
fn an_argument() {
    let source = r#"
        #include <stdlib.h>
        #include <string.h>
        int main(int argc, char **argv) {
            if (argc > 1 && strcmp(argv[1], "key") == 0) abort();
            return 0;
        }"#;
    finds(source, &["--symbolic-arg", "1:4"], &["x"]);
}

#[test]
fn a_fuzz_harness() {
    let source = r#"
        #include <stddef.h>
        #include <stdint.h>
        #include <stdlib.h>
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
            if (size >= 3 && data[0] == 'F' && data[1] == 'U' && data[2] == 'Z') abort();
            return 0;
        }"#;
    let (place, _) = finds(source, &[], &[]);
    let input = std::fs::read(place.path("c/findings/0000-abort/input")).expect("there");
    assert!(input.starts_with(b"FUZ"));
}

#[test]
fn crest() {
    let source = r#"
        #include <crest.h>
        #include <stdlib.h>
        int main(void) {
            int a; short b; unsigned char c;
            CREST_int(a); CREST_short(b); CREST_unsigned_char(c);
            if (a * 3 == 3 * 4711 && b == a - 1 && c == 200) abort();
            return 0;
        }"#;
    finds(source, &[], &[]);
}

#[test]
fn klee() {
    let source = r#"
        #include <klee/klee.h>
        #include <stdlib.h>
        int main(void) {
            struct { int kind; char name[4]; } it;
            klee_make_symbolic(&it, sizeof it, "it");
            klee_assume(it.kind > 10);
            if (it.kind <= 10) return 1;
            if (it.kind == 77 && it.name[2] == 'q') abort();
            return 0;
        }"#;
    let (_, replayed) = finds(source, &[], &[]);
    assert!(!replayed.out.contains("exit code 1"), "an assumption did not hold:\n{}", replayed.out);
}

#[test]
fn verifier_nondet() {
    let source = r#"
        #include <stdlib.h>
        extern int __VERIFIER_nondet_int(void);
        extern unsigned char __VERIFIER_nondet_uchar(void);
        int main(void) {
            int sum = 0;
            for (int i = 0; i < 3; i++) sum += __VERIFIER_nondet_uchar();
            if (sum == 600 && __VERIFIER_nondet_int() == -5) abort();
            return 0;
        }"#;
    finds(source, &[], &[]);
}

#[test]
fn spelunk_h() {
    let source = r#"
        #include <spelunk.h>
        #include <stdlib.h>
        int main(void) {
            unsigned char key[3];
            spelunk_bytes(key, sizeof key, "key");
            int n = spelunk_range(0, 50, "n");
            spelunk_assume(key[1] < 200);
            if (n < 0 || n > 50 || key[1] >= 200) return 1;
            if (key[0] == 'k' && key[2] == n && n == 33) abort();
            return 0;
        }"#;
    let (_, replayed) = finds(source, &[], &[]);
    assert!(!replayed.out.contains("exit code 1"), "a promise was broken:\n{}", replayed.out);
}

#[test]
fn an_assumption_that_the_first_inputs_break() {
    let source = r#"
        #include <klee/klee.h>
        #include <stdlib.h>
        int main(void) {
            int x = klee_int("x");
            klee_assume(x == 12345678);
            abort();
        }"#;
    finds(source, &[], &[]);
}
