//! Real builds through the wrappers: the build works, the executable behaves as it should, and all of its
//! bitcode comes back and can be linked again.

mod support;

use support::{Project, installed, text_of};
use toolchain::{Error, Opaque};

const MAIN: &str = r#"
#include <stdio.h>
int add(int, int);
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
    printf("%d\n", add(argc, 40));
    return argc > 2 ? 3 : 0;
}
"#;
const ADD: &str = "int add(int a, int b) { return a > 100 ? 0 : a + b; }\n";
const ASSEMBLY: &str = "
.globl add
.type add, @function
add: lea (%rdi,%rsi), %eax
     ret
.section .note.GNU-stack,\"\",@progbits
";

#[test]
fn plain_make_with_its_own_compiler() {
    let makefile = "CC = gcc\nCFLAGS = -O2 -Wall\nprog: main.o add.o\n\t$(CC) -o $@ $^\n";
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD), ("Makefile", makefile)]);
    let report = p.build("make -j2");
    assert!(report.contains("project/prog"), "{report}");
    p.check("prog", &["add.c", "main.c"]);
}

#[test]
fn old_style_c_is_compiled_as_gcc_does() {
    let old = "main() { return twice(0) + (later() != 7); }\nlater() { return 7; }\n
        twice(x) { char *p = x; return p != 0; }\n";
    let p = Project::new(&[("old.c", old)]);
    p.build("gcc -O1 -o prog old.c && ./prog");
    p.check("prog", &["old.c"]);
}

#[test]
fn link_and_compile_in_one_call_with_libraries() {
    let main = "#include <math.h>\n#include <pthread.h>\n#include <stdio.h>\n
        static void *f(void *p) { printf(\"%.3f\\n\", pow(2.5, *(int *)p)); return 0; }
        int main(int argc, char **v) { (void)v; pthread_t t; pthread_create(&t, 0, f, &argc);
                                       return pthread_join(t, 0); }\n";
    let p = Project::new(&[("a.c", main), ("b.c", "int unused(int x) { return x; }\n")]);
    p.build("$CC -fno-builtin -O2 a.c b.c -lm -pthread -o prog");
    let program = p.check("prog", &["a.c", "b.c"]);
    assert!(program.link.args.contains(&"-lm".into()) && program.link.args.contains(&"-pthread".into()));
}

#[test]
fn spaces_in_paths_and_output_folders() {
    let p = Project::in_folder("my project", &[("src dir/ma in.c", MAIN), ("src dir/add.c", ADD)]);
    p.build("mkdir 'out dir'; cd 'src dir'; $CC -c 'ma in.c' -o '../out dir/m.o'; $CC -c -o'../out dir/a.o' add.c");
    p.build("$CC 'out dir/m.o' 'out dir/a.o' -o 'out dir/the prog'");
    p.check("out dir/the prog", &["add.c", "ma in.c"]);
}

#[test]
fn response_files() {
    let rsp = "-O1\n\"main file.c\" -DX=\\\"y\\\"\n-o prog @more.rsp\n";
    let p = Project::new(&[("main file.c", MAIN), ("add.c", ADD), ("all.rsp", rsp), ("more.rsp", "'add.c'")]);
    p.build("$CC @all.rsp");
    p.check("prog", &["add.c", "main file.c"]);
}

#[test]
fn very_long_command_lines() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    p.build("for i in $(seq 1 9000); do echo \"-DLONG_MACRO_NAME_$i=1\"; done > all.rsp; $CC @all.rsp main.c add.c -o prog");
    p.check("prog", &["add.c", "main.c"]);
}

#[test]
fn assembly_by_itself_and_in_one_call() {
    let p = Project::new(&[("main.c", MAIN), ("add.S", ASSEMBLY), ("low.s", ASSEMBLY)]);
    p.build("$CC main.c add.S -o one; $CC -c low.s -o low.o; $CC -c main.c; $CC main.o low.o -o two");
    for (executable, source) in [("one", "add.S"), ("two", "low.s")] {
        let program = p.check(executable, &["main.c"]);
        assert_eq!(program.link.objects.len(), 1);
        assert!(program.opaque[0].name.ends_with(source) && program.opaque[0].why == Opaque::Assembly);
    }
}

#[test]
fn prebuilt_objects_survive_their_build_folder() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    p.build("env PATH=/usr/bin:/bin clang-19 -c add.c -o add.o; $CC main.c add.o -o prog; rm add.o");
    let program = p.check("prog", &["main.c"]);
    assert_eq!(program.opaque[0].why, Opaque::Prebuilt);
}

#[test]
fn archives_plain_thin_mixed_and_whole() {
    let p = Project::new(&[
        ("main.c", MAIN),
        ("mid.c", "int low(int, int); int add(int a, int b) { return low(a, b); }\n"),
        ("low.s", &ASSEMBLY.replace("add", "low")),
        ("unused.c", "int unused(void) { return 1; }\n"),
    ]);
    p.build("$CC -c mid.c low.s unused.c; mkdir lib; ar rc lib/libmix.a mid.o low.o unused.o; ar rcT thin.a mid.o low.o");
    p.build("$CC main.c -Llib -lmix -o by_name; $CC main.c thin.a -o thin");
    p.build("$CC main.c -Wl,--whole-archive lib/libmix.a -Wl,--no-whole-archive -o whole");
    p.check("by_name", &["main.c", "mid.c"]);
    p.check("thin", &["main.c", "mid.c"]);
    let program = p.check("whole", &["main.c", "mid.c", "unused.c"]);
    assert_eq!(program.link.objects.len(), 1);
}

#[test]
fn partial_links_keep_what_they_hold() {
    let p = Project::new(&[
        ("main.c", MAIN),
        ("mid.c", "int low(int, int); int add(int a, int b) { return low(a, b); }\n"),
        ("low.s", &ASSEMBLY.replace("add", "low")),
    ]);
    p.build("$CC -c mid.c low.s; $CC -r -nostdlib mid.o low.o -o part.o; rm mid.o low.o; $CC main.c part.o -o prog");
    p.check("prog", &["main.c", "mid.c"]);
}

#[test]
fn a_shared_library_of_the_build_joins_the_program() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    p.build("$CC -fPIC -shared add.c -o libadd.so; $CC main.c -L. -ladd -Wl,-rpath,$PWD -o prog");
    let program = p.check("prog", &["add.c", "main.c"]);
    assert!(!program.link.args.iter().any(|a| a.contains("libadd")), "{:?}", program.link.args);
}

#[test]
fn what_a_shared_library_of_the_build_needs_is_needed_by_the_program() {
    let add = "void __gmpz_init(void *); void __gmpz_set_si(void *, long); long __gmpz_get_si(void *);
        int add(int a, int b) { long n[2]; __gmpz_init(n); __gmpz_set_si(n, a + b); return (int)__gmpz_get_si(n); }\n";
    let p = Project::new(&[("main.c", MAIN), ("add.c", add)]);
    // By its path, as CMake writes it, and by its name.
    for library in ["$(clang-19 -print-file-name=libgmp.so)", "-lgmp"] {
        p.build(&format!(
            "$CC -fPIC -shared add.c -o libadd.so {library}; $CC main.c -L. -ladd -Wl,-rpath,$PWD -o prog"
        ));
        let program = p.check("prog", &["add.c", "main.c"]);
        assert!(program.link.args.iter().any(|a| a.contains("gmp")), "{:?}", program.link.args);
    }
}

#[test]
fn a_foreign_shared_library_stays_a_library() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    p.build("env PATH=/usr/bin:/bin clang-19 -fPIC -shared add.c -o libadd.so");
    p.build("$CC main.c -L. -ladd -Wl,-rpath,$PWD -o prog");
    let program = p.check("prog", &["main.c"]);
    assert_eq!(program.opaque[0].why, Opaque::SharedLibrary);
    assert_eq!(program.link.library_dirs, std::slice::from_ref(&p.dir));
}

#[test]
fn cxx_with_exceptions() {
    let main = "#include <stdexcept>\n#include <iostream>\nint add(int, int);
        int main(int argc, char **) { try { std::cout << add(argc, 1) << '\\n'; }
                                      catch (const std::exception &e) { std::cout << e.what() << '\\n'; } }\n";
    let add = "#include <stdexcept>\nint add(int a, int b) { if (a > 1) throw std::runtime_error(\"many\"); return a + b; }\n";
    let p = Project::new(&[("main.cc", main), ("add.cpp", add)]);
    p.build("$CXX -O2 -c main.cc; $CXX -std=c++20 -c add.cpp; $CXX main.o add.o -o prog");
    assert!(p.check("prog", &["add.cpp", "main.cc"]).link.cxx);
}

#[test]
fn link_time_optimisation_is_left_out() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    let report = p.build("$CC -flto=thin -O2 -c main.c add.c; $CC -flto=thin main.o add.o -o prog");
    assert!(report.contains("-flto=thin"), "{report}");
    p.check("prog", &["add.c", "main.c"]);
}

#[test]
fn link_time_optimisation_is_kept_with_the_linker_for_it() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    for (kind, prog) in [("full", "a"), ("thin", "b")] {
        let flags = format!("-flto={kind} -fuse-ld=lld");
        let report = p.build(&format!("$CC {flags} -O2 -c main.c add.c; $CC {flags} main.o add.o -o {prog}"));
        assert!(!report.contains("-flto"), "{report}");
        let object = std::fs::read(p.dir.join("add.o")).expect("an object");
        assert!(object.starts_with(b"BC\xc0\xde"), "the object is bitcode, as without Spelunk");
        p.check(prog, &["add.c", "main.c"]);
    }
}

#[test]
fn several_executables_and_gone_ones() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    let report = p.build("$CC -c add.c; for n in a b conftest; do $CC main.c add.o -o $n; done; rm conftest");
    assert!(report.contains("project/a\"") && report.contains("project/b\""), "{report}");
    assert!(!report.contains("conftest"), "{report}");
    p.check("a", &["add.c", "main.c"]);
}

#[test]
fn cmake() {
    if !installed(&["cmake", "make"]) {
        return;
    }
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(p C CXX ASM)\nadd_library(add STATIC add.c)\n
        add_executable(prog main.c)\ntarget_link_libraries(prog add m)\nset(CMAKE_BUILD_TYPE Release)\n";
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD), ("CMakeLists.txt", lists)]);
    p.build("cmake -S . -B build && cmake --build build -j2");
    p.check("build/prog", &["add.c", "main.c"]);
}

#[test]
fn meson() {
    if !installed(&["meson", "ninja"]) {
        return;
    }
    let build = "project('p', 'c', default_options: ['b_lto=true', 'buildtype=release'])\n
        add = shared_library('add', 'add.c')\nexecutable('prog', 'main.c', link_with: add)\n";
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD), ("meson.build", build)]);
    p.build("meson setup build && ninja -C build");
    p.check("build/prog", &["add.c", "main.c"]);
}

#[test]
fn autotools_and_libtool() {
    if !installed(&["autoreconf", "libtoolize", "automake", "make"]) {
        return;
    }
    let configure = "AC_INIT([p],[1])\nAM_INIT_AUTOMAKE([foreign subdir-objects])\nAC_PROG_CC\nAM_PROG_AR\n
        LT_INIT\nAC_C_BIGENDIAN\nAC_CHECK_SIZEOF([long])\nAC_CHECK_FUNCS([strdup])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n";
    let makefile = "lib_LTLIBRARIES = libadd.la\nlibadd_la_SOURCES = add.c\nnoinst_LTLIBRARIES = libmid.la\n
libmid_la_SOURCES = mid.c\nbin_PROGRAMS = prog\nprog_SOURCES = main.c\nprog_LDADD = libmid.la libadd.la\n";
    let p = Project::new(&[
        ("main.c", &MAIN.replace("add(", "mid(")),
        ("mid.c", "int add(int, int); int mid(int a, int b) { return add(a, b); }\n"),
        ("add.c", ADD),
        ("configure.ac", configure),
        ("Makefile.am", makefile),
    ]);
    p.build("autoreconf -i && ./configure && make -j2");
    // `prog` is libtool's script; the executable behind it needs a library of the build folder.
    let program = p.program(&["prog"]).unwrap_or_else(|e| panic!("{e}"));
    assert!(program.executable.ends_with(".libs/prog"));
    assert_eq!(program.modules.len(), 3);
    p.build("./configure --disable-shared && make clean && make -j2");
    p.check("prog", &["add.c", "main.c", "mid.c"]);
}

#[test]
fn questions_and_failures_pass_through() {
    let p = Project::new(&[("bad.c", "int f( { }\n"), ("ok.c", "int f(void) { return 0; }\n")]);
    assert!(text_of(p.wrapper(&["cc", "--version"]), "--version").contains("clang version"));
    assert!(text_of(p.wrapper(&["cc", "-dumpmachine"]), "-dumpmachine").contains("linux"));
    assert!(text_of(p.wrapper(&["cc", "-E", "ok.c"]), "-E").contains("int f(void)"));
    assert!(text_of(p.wrapper(&["cc", "-S", "ok.c", "-o", "-"]), "-S").contains(".text"));
    assert!(text_of(p.wrapper(&["cc", "-fsyntax-only", "-Werror", "ok.c"]), "-fsyntax-only").is_empty());
    assert!(text_of(p.wrapper(&["cc", "-Werror", "-Wall", "-c", "ok.c"]), "-c").is_empty());
    assert_eq!(p.wrapper(&["cc", "-c", "bad.c"]).status.code(), Some(1));
    assert_ne!(p.wrapper(&["cc", "ok.c", "-o", "prog"]).status.code(), Some(0), "there is no main");
}

#[test]
fn a_verbose_link_names_no_object_that_is_gone_later() {
    let p = Project::new(&[("add.c", ADD)]);
    assert!(p.wrapper(&["cc", "-fPIC", "-c", "add.c"]).status.success());
    let link = p.wrapper(&["cc", "-shared", "-v", "add.o", "-o", "libadd.so"]);
    let text = String::from_utf8_lossy(&link.stderr).into_owned();
    let objects: Vec<&str> =
        text.split_whitespace().filter(|w| w.trim_matches('"').ends_with(".o")).collect();
    assert!(objects.len() > 2, "{text}");
    for object in objects {
        let path = p.dir.join(object.trim_matches('"'));
        assert!(path.exists(), "libtool would keep {object}: {text}");
    }
}

#[test]
fn a_library_linked_with_the_start_files_by_name() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD)]);
    let shared = "$CC -fPIC -O2 -c add.c; $CC -shared -nostdlib $($CC -print-file-name=crti.o) \
        $($CC -print-file-name=crtbeginS.o) add.o -lc $($CC -print-file-name=crtendS.o) \
        $($CC -print-file-name=crtn.o) -o libadd.so";
    p.build(&format!("{shared}; $CC main.c -L. -ladd -Wl,-rpath,$PWD -o prog"));
    let program = p.check("prog", &["add.c", "main.c"]);
    assert!(program.opaque.is_empty(), "{:?}", program.opaque);
}

#[test]
fn the_exit_code_of_a_build_is_the_commands() {
    let p = Project::new(&[("x", "")]);
    assert_eq!(p.wrapper(&["build", "sh", "-c", "exit 7"]).status.code(), Some(7));
}

#[test]
fn sources_objects_and_archives_of_one_program() {
    let p = Project::new(&[("main.c", MAIN), ("add.c", ADD), ("more.c", "int more(void) { return 1; }\n")]);
    p.build("$CC -c add.c more.c; ar rc libadd.a add.o more.o");
    for targets in [&["main.c", "add.c"][..], &["main.c", "add.o"], &["main.c", "libadd.a"]] {
        let program = p.program(targets).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(program.modules.len(), 2, "{targets:?}");
        assert_eq!(program.name, "main");
        assert!(program.executable.is_file());
    }
}

#[test]
fn an_executable_without_link_record() {
    let main = "#include <math.h>\n#include <stdio.h>\nint main(int c, char **v) { (void)v; printf(\"%f\\n\", sin(c)); }\n";
    let p = Project::new(&[("a.c", main)]);
    p.build("env PATH=/usr/bin:/bin clang-19 -O1 -g -Xclang -fembed-bitcode=all a.c -lm -o prog");
    p.check("prog", &["a.c"]);
}

#[test]
fn targets_that_cannot_be_used_are_told_apart() {
    let p = Project::new(&[
        ("main.c", MAIN),
        ("add.c", ADD),
        ("text", "hello\n"),
        ("empty", ""),
        ("bad.c", "int"),
    ]);
    p.build("$CC main.c add.c -o good; env PATH=/usr/bin:/bin clang-19 main.c add.c -o plain");
    p.build(
        "$CC -shared -fPIC add.c -o libadd.so; $CC main.c add.c -s -o stripped; printf '\\177ELFxxxx' > cut",
    );
    let message = |targets: &[&str]| p.program(targets).map(|_| ()).expect_err("an error").to_string();
    assert!(message(&["none"]).contains("no such file"));
    assert!(message(&["none.c"]).contains("no such file"));
    assert!(message(&["text"]).contains("a text file"));
    assert!(message(&["empty"]).contains("an empty file"));
    assert!(message(&["cut"]).contains("damaged ELF"));
    assert!(message(&["."]).contains("a folder"));
    assert!(message(&["libadd.so"]).contains("a shared library"));
    assert!(message(&["plain"]).contains("spelunk build -- make"));
    assert!(message(&["good", "add.c"]).contains("cannot be combined"));
    assert!(matches!(p.program(&["bad.c"]), Err(Error::Compiler { code: 1, .. })));
    assert!(p.program(&["stripped"]).is_ok());
    assert!(message(&[]).contains("no target"));
}

#[test]
fn other_machines_are_refused() {
    let p = Project::new(&[("a.c", "int x;\n")]);
    p.build("$CC -m32 -c a.c -o a.o; ! test -s none");
    let message = p.program(&["a.o"]).map(|_| ()).expect_err("an error").to_string();
    assert!(message.contains("32-bit"), "{message}");
}
