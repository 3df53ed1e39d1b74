//! Programs whose bitcode needs what the user's linker did without: every flavour is made, and behaves as the program does.

use instrument::{Destination, Error, Flavour, build};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use toolchain::linkable::{self, Linkable};
use toolchain::{Cache, Clang, Language, Options, ProgramSource, program_of};

const ALL: [Flavour; 5] = [Flavour::Trace, Flavour::Fast, Flavour::Path, Flavour::Check, Flavour::Find];

/// A folder with sources, objects and archives.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        Project(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An archive of these sources' objects, compiled as `spelunk cc` does.
    fn archive(&self, name: &str, sources: &[&str], flags: &[&str]) -> PathBuf {
        let members = sources.iter().map(|source| {
            let object = self.path(source).with_extension("o");
            let language = if source.ends_with(".cc") { Language::Cxx } else { Language::C };
            let done = Command::new(Clang::find().unwrap().driver(language))
                .args(["-g", "-Xclang", "-fembed-bitcode=all", "-c"])
                .args(flags)
                .arg(self.path(source))
                .arg("-o")
                .arg(&object)
                .status();
            assert!(done.unwrap().success(), "{source}");
            match linkable::read(&object).unwrap() {
                Linkable::Object(member) => member,
                _ => panic!("{source}: no object"),
            }
        });
        let members: Vec<_> = members.collect();
        let file = self.path(name);
        std::fs::write(&file, linkable::write_archive(&members.iter().collect::<Vec<_>>())).unwrap();
        file
    }

    fn program(&self, targets: &[PathBuf], cflags: &[&str], ldflags: &[&str]) -> ProgramSource {
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect();
        let options = Options { cflags: words(cflags), ldflags: words(ldflags), ..Options::default() };
        program_of(targets, &options, &Cache::at(self.path("cache"))).unwrap_or_else(|e| panic!("{e}"))
    }

    fn flavours(&self, source: &ProgramSource) -> Vec<(Flavour, PathBuf)> {
        let to = Destination::Cache(self.path("cache"));
        let mut built = build(source, &ALL, &[], &to).unwrap_or_else(|e| panic!("{e}")).flavours;
        ALL.iter().map(|f| (*f, built.remove(f.name()).unwrap())).collect()
    }

    /// Every flavour answers these inputs as the program itself does.
    fn check(&self, source: &ProgramSource, inputs: &[&str]) -> Vec<(Flavour, PathBuf)> {
        let flavours = self.flavours(source);
        for input in inputs {
            let plain = run(&source.executable, input);
            for (flavour, file) in &flavours {
                let got = run(file, input);
                let (got, want) = ((got.status, got.stdout), (plain.status, &plain.stdout));
                assert_eq!((got.0, &got.1), want, "{flavour:?} on {input:?}");
            }
        }
        flavours
    }
}

fn run(file: &Path, input: &str) -> Output {
    let mut command = Command::new(file);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program need not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// As gnulib writes its headers: inline everywhere, out of line in one member of an archive.
const UTIL_H: &str = r#"
#include <stddef.h>
#ifndef UTIL_INLINE
# define UTIL_INLINE inline
#endif
void die_hard(const char *why);
int table_sum(const int *t, size_t n) __attribute__((pure));
int nobody_sums(const int *t, size_t n) __attribute__((pure));
UTIL_INLINE int is_wide(void) { return 0; }
UTIL_INLINE int at(const char *s, int i) { if (is_wide()) die_hard("int"); return s[i]; }
"#;
const UTIL_C: &str = "#define UTIL_INLINE extern inline\n#include \"util.h\"\n";
const DIE_C: &str = r#"
#include "util.h"
#include <stdio.h>
#include <stdlib.h>
static int deaths;
int count_deaths(void) { return deaths; }
void die_hard(const char *why) { deaths++; puts(why); abort(); }
"#;
const SUM_C: &str = r#"
#include "util.h"
int main_helper(void) { return 7; }
int table_sum(const int *t, size_t n) { int s = 0; for (size_t i = 0; i < n; i++) s += t[i]; return s; }
"#;
const MAIN_C: &str = r#"
#include "util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void nobody_has_this(int);
extern int nobody_has_that[];
/* The member of the archive that defines table_sum has one of this name, too. */
int main_helper(void) { return 3; }
int main(void) {
    char line[64] = "";
    int table[3] = {1, 2, 3};
    size_t n = fread(line, 1, sizeof line - 1, stdin);
    char *copy = malloc(n + 1);
    memcpy(copy, line, n + 1);
    (void)table_sum(table, 3);
    (void)nobody_sums(table, 3);
    (void)nobody_has_that[n];
    /* What flavours record of conditions keeps these calls. */
    if (table_sum(table, 2) > 5) {}
    if (nobody_sums(table, (size_t)line[0]) > 5) {}
    if (is_wide()) nobody_has_this(nobody_has_that[1]);
    int past = n > 3 && line[0] == 'x' && line[1] == 'y';
    printf("%d\n", at(copy, past ? (int)n + 1 : 0) == 'q');
    free(copy);
    return main_helper();
}
"#;

fn gnulib() -> Project {
    Project::new(&[
        ("util.h", UTIL_H),
        ("util.c", UTIL_C),
        ("die.c", DIE_C),
        ("sum.c", SUM_C),
        ("main.c", MAIN_C),
    ])
}

#[test]
fn inline_functions_come_from_archives_and_are_checked() {
    for level in ["-O1", "-O2"] {
        let p = gnulib();
        let library = p.archive("libutil.a", &["util.c", "die.c", "sum.c"], &[level]);
        let source = p.program(&[p.path("main.c"), library], &[level], &[]);
        assert_eq!(source.modules.len(), 1, "native code needs no member of the archive");
        let flavours = p.check(&source, &["", "q", "hello"]);
        let (_, check) = &flavours[3];
        let said = String::from_utf8(run(check, "xy..").stderr).unwrap();
        assert!(said.contains("heap-buffer-overflow") && said.contains(" in at "), "{level}: {said}");
    }
}

#[test]
fn without_the_archive_inline_copies_and_stand_ins_serve() {
    let p = gnulib();
    let mut source = p.program(&[p.path("main.c")], &["-O2"], &[]);
    source.link.spare.clear();
    p.check(&source, &["", "q"]);
}

#[test]
fn what_the_linker_collected_as_garbage_may_need_what_nobody_has() {
    let main = r#"
        #include <stdio.h>
        int elsewhere(int);
        extern __thread int somewhere;
        int unused(int n) { return elsewhere(n) + somewhere; }
        int main(void) { return getchar() == 'a'; }
    "#;
    let p = Project::new(&[("main.c", main)]);
    let flags = ["-O1", "-ffunction-sections", "-fdata-sections"];
    let source = p.program(&[p.path("main.c")], &flags, &["-Wl,--gc-sections"]);
    p.check(&source, &["", "a"]);
}

#[test]
fn extern_templates_come_from_archives() {
    let header = r#"
        #include <vector>
        template <class T> struct Stack {
            std::vector<T> all;
            __attribute__((noinline)) void fill(T n) { for (T k = 0; k < n; k++) push(k); }
            void push(T t) { all.push_back(t); }
            T top() const { return all.empty() ? T() : all.back(); }
            virtual ~Stack() {}
            virtual int depth() const { return (int)all.size(); }
        };
        extern template struct Stack<long>;
    "#;
    let main = r#"
        #include "stack.h"
        #include <cstdio>
        int main() { Stack<long> s; for (int c; (c = getchar()) > ' ';) s.push(c); std::printf("%ld\n", s.top()); return s.depth(); }
    "#;
    let p = Project::new(&[
        ("stack.h", header),
        ("stack.cc", "#include \"stack.h\"\ntemplate struct Stack<long>;\n"),
        ("main.cc", main),
    ]);
    let library = p.archive("libstack.a", &["stack.cc"], &["-O2"]);
    let source = p.program(&[p.path("main.cc"), library], &["-O2"], &[]);
    p.check(&source, &["", "abc\n"]);
}

#[test]
fn a_library_that_is_really_missing_is_told_in_one_line() {
    let main =
        "#include <zlib.h>\nint main(void) { return crc32(0, 0, 0) == 0 ? adler32(0, 0, 0) == 1 : 2; }\n";
    let main = main
        .replace("#include <zlib.h>", "unsigned long crc32(long, void *, int), adler32(long, void *, int);");
    let library = "unsigned long crc32(long a, void *b, int c) { return 0; }\nunsigned long adler32(long a, void *b, int c) { return 1; }\n";
    let p = Project::new(&[("main.c", &main), ("z.c", library)]);
    let archive = p.archive("libz.a", &["z.c"], &[]);
    let mut source = p.program(&[p.path("main.c"), archive], &[], &[]);
    // As if the record knew nothing of the library that the executable was linked with.
    source.modules.truncate(1);
    source.link.spare.clear();
    for flavour in [Flavour::Fast, Flavour::Check] {
        let error = build(&source, &[flavour], &[], &Destination::File(p.path("out"))).unwrap_err();
        assert!(
            matches!(&error, Error::Linker { missing, .. } if *missing == ["adler32", "crc32"]),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(text.contains("adler32, crc32 have no definition") && text.lines().count() == 1, "{text}");
    }
}
