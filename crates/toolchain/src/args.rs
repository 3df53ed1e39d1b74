//! Understanding a compiler's command line, as far as the wrapper needs it: what it does, its inputs, its
//! libraries, its output, and which flags matter when linking again.

use std::path::Path;

/// What a compiler call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Compiles to objects (`-c`).
    Compile,
    /// Links, and compiles the sources among its inputs first.
    Link,
    /// Anything else: preprocessing, questions like `--version`, assembly output. Left alone.
    Other,
}

/// What an input file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// C, C++, or something else that becomes bitcode.
    Source,
    /// Assembly.
    Assembly,
    /// For the linker: object, archive, shared library, linker script.
    Linker,
}

/// One piece of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// An input file.
    Input {
        /// Its path as given.
        path: String,
        /// What it is.
        kind: InputKind,
    },
    /// `-lNAME` (without the `-l`).
    Library(String),
    /// `-o FILE`.
    Output(String),
    /// Any other option, with its separate argument if it takes one.
    Flag(Vec<String>),
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// What it does.
    pub action: Action,
    /// Its pieces in order.
    pub tokens: Vec<Token>,
}

/// Options whose argument is the next word.
const SEPARATE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-L",
    "-F",
    "-B",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-A",
    "-G",
    "-V",
    "-b",
    "-include",
    "-isystem",
    "-idirafter",
    "-iquote",
    "-imacros",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iframework",
    "-isysroot",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xarch_host",
    "-arch",
    "-target",
    "--sysroot",
    "--param",
    "-mllvm",
    "-rpath",
    "-framework",
    "-aux-info",
    "-working-directory",
    "-gcc-toolchain",
    "--config",
    "-stdlib++-isystem",
    "-cxx-isystem",
    "-dumpdir",
    "-dumpbase",
    "-install_name",
    "-resource-dir",
    "-include-pch",
    "-ivfsoverlay",
    "-soname",
    "-specs",
    "--entry",
    "--output",
    "-entry",
];

/// Options after which nothing is compiled to an object or linked.
const QUESTIONS: &[&str] = &[
    "-E",
    "-M",
    "-MM",
    "-S",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "--analyze",
    "--precompile",
    "--version",
    "--help",
    "-help",
    "-###",
    "-dumpmachine",
    "-dumpversion",
    "-dumpspecs",
    "-cc1",
    "-cc1as",
    "-cc1gen-reproducer",
    "--print-supported-cpus",
    "-fdriver-only",
    "-verify-pch",
    "--preprocess",
    "--assemble",
    "-rewrite-objc",
];

impl Invocation {
    /// Parses a command line (without the compiler's name, response files already expanded).
    pub fn parse(args: &[String]) -> Invocation {
        let mut tokens = Vec::with_capacity(args.len());
        let mut language: Option<InputKind> = None;
        let mut only_compile = false;
        let mut question = false;
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            question |= is_question(arg);
            only_compile |= matches!(arg.as_str(), "-c" | "--compile");
            if arg == "-" || !arg.starts_with('-') {
                let kind = language.unwrap_or_else(|| kind_of(arg));
                tokens.push(Token::Input { path: arg.clone(), kind });
            } else if let Some(name) = arg.strip_prefix("-x") {
                let (flag, name) = with_value("-x", name, &mut rest);
                language = language_kind(&name);
                tokens.push(Token::Flag(flag));
            } else if let Some(name) = arg.strip_prefix("-l") {
                tokens.push(Token::Library(with_value("-l", name, &mut rest).1));
            } else if let Some(name) = output_of(arg) {
                tokens.push(Token::Output(with_value("-o", name, &mut rest).1));
            } else if SEPARATE.contains(&arg.as_str()) {
                tokens.push(Token::Flag(std::iter::once(arg).chain(rest.next()).cloned().collect()));
            } else {
                tokens.push(Token::Flag(vec![arg.clone()]));
            }
        }
        let has_input = tokens.iter().any(|t| matches!(t, Token::Input { .. } | Token::Library(_)));
        let action = match (question || !has_input, only_compile) {
            (true, _) => Action::Other,
            (_, true) => Action::Compile,
            (_, false) => Action::Link,
        };
        Invocation { action, tokens }
    }

    /// The output file, if named; the last one counts.
    pub fn output(&self) -> Option<&str> {
        self.tokens.iter().rev().find_map(|t| match t {
            Token::Output(path) => Some(path.as_str()),
            _ => None,
        })
    }

    /// Input files of one kind.
    pub fn inputs(&self, wanted: InputKind) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(move |t| match t {
            Token::Input { path, kind } if *kind == wanted => Some(path.as_str()),
            _ => None,
        })
    }

    /// First words of all options.
    pub fn flags(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.tokens.iter().filter_map(|t| match t {
            Token::Flag(words) => words.first().map(String::as_str),
            _ => None,
        })
    }

    /// The words again, in order.
    pub fn words(&self) -> Vec<String> {
        words_of(&self.tokens)
    }

    /// Whether code for this machine's 64-bit ABI is made, as far as the flags say.
    pub fn is_native(&self) -> bool {
        let mut native = true;
        for token in &self.tokens {
            let Token::Flag(words) = token else { continue };
            match (words[0].as_str(), words.get(1)) {
                ("-m32" | "-mx32" | "-m16", _) => native = false,
                ("-m64", _) => native = true,
                ("-target", Some(triple)) => native = is_native_triple(triple),
                (flag, _) if flag.starts_with("--target=") => native = is_native_triple(&flag[9..]),
                _ => {}
            }
        }
        native
    }
}

/// The words of some tokens, in order.
pub fn words_of(tokens: &[Token]) -> Vec<String> {
    let mut words = Vec::new();
    for token in tokens {
        match token {
            Token::Input { path, .. } => words.push(path.clone()),
            Token::Library(name) => words.push(format!("-l{name}")),
            Token::Output(path) => words.extend(["-o".to_string(), path.clone()]),
            Token::Flag(flag) => words.extend(flag.iter().cloned()),
        }
    }
    words
}

fn is_native_triple(triple: &str) -> bool {
    triple.starts_with("x86_64") && triple.contains("linux") && !triple.ends_with("x32")
}

fn is_question(arg: &str) -> bool {
    QUESTIONS.contains(&arg)
        || arg.starts_with("-print-")
        || arg.starts_with("--print-")
        || arg.starts_with("--help-")
}

/// The value of an `-o` option in one word (empty when it is the next word); `None` for other options that
/// merely start with these letters, like `-object`.
fn output_of(arg: &str) -> Option<&str> {
    if let Some(name) = arg.strip_prefix("--output=") {
        return Some(name);
    }
    arg.strip_prefix("-o").filter(|_| !arg.starts_with("-objc") && !arg.starts_with("-object"))
}

/// An option's words and value, when the value may be joined to it or be the next word.
fn with_value<'a>(
    option: &str,
    joined: &str,
    rest: &mut impl Iterator<Item = &'a String>,
) -> (Vec<String>, String) {
    if !joined.is_empty() {
        return (vec![format!("{option}{joined}")], joined.to_string());
    }
    let value = rest.next().cloned().unwrap_or_default();
    (vec![option.to_string(), value.clone()], value)
}

fn language_kind(name: &str) -> Option<InputKind> {
    match name {
        "none" => None,
        "assembler" | "assembler-with-cpp" => Some(InputKind::Assembly),
        _ => Some(InputKind::Source),
    }
}

fn kind_of(path: &str) -> InputKind {
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("");
    match extension {
        "c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "CC" | "CXX" | "ii" | "cppm"
        | "m" | "mi" | "mm" | "M" | "mii" | "h" | "hh" | "H" | "hp" | "hxx" | "hpp" | "h++" | "ll" | "bc" => {
            InputKind::Source
        }
        "s" | "S" | "sx" | "asm" => InputKind::Assembly,
        _ => InputKind::Linker,
    }
}

/// Whether a path names a C or C++ source by its extension, and which language it is.
pub fn source_language(path: &Path) -> Option<crate::Language> {
    match path.extension()?.to_str()? {
        "c" | "i" => Some(crate::Language::C),
        "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" => Some(crate::Language::Cxx),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Invocation {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        Invocation::parse(&words)
    }

    #[test]
    fn actions() {
        assert_eq!(parse("-c a.c -o a.o").action, Action::Compile);
        assert_eq!(parse("a.o -lm -o prog").action, Action::Link);
        assert_eq!(parse("-x c - -o prog").action, Action::Link);
        for other in [
            "--version",
            "-v",
            "-dumpmachine",
            "-print-search-dirs",
            "-E a.c",
            "-S a.c",
            "-M a.c",
            "-fsyntax-only a.c",
            "-print-prog-name=ld",
            "-Wl,--version",
            "-MM -MT x a.c",
            "",
        ] {
            assert_eq!(parse(other).action, Action::Other, "{other}");
        }
    }

    #[test]
    fn inputs_keep_their_kind() {
        let call = parse("-I inc a.c -DX=1 b.S -x assembler c.txt -x none d.o libe.a -lf -l g -o out");
        assert_eq!(call.inputs(InputKind::Source).collect::<Vec<_>>(), ["a.c"]);
        assert_eq!(call.inputs(InputKind::Assembly).collect::<Vec<_>>(), ["b.S", "c.txt"]);
        assert_eq!(call.inputs(InputKind::Linker).collect::<Vec<_>>(), ["d.o", "libe.a"]);
        assert_eq!(call.output(), Some("out"));
        assert_eq!(call.tokens.iter().filter(|t| matches!(t, Token::Library(_))).count(), 2);
    }

    #[test]
    fn separate_arguments_are_not_inputs() {
        let call = parse("-include conf.h -MF dep.d -Xlinker foo.o -isystem dir.c -c a.c");
        assert_eq!(call.inputs(InputKind::Source).collect::<Vec<_>>(), ["a.c"]);
        assert_eq!(call.inputs(InputKind::Linker).count(), 0);
    }

    #[test]
    fn machine() {
        assert!(parse("a.c").is_native());
        assert!(!parse("-m32 a.c").is_native());
        assert!(!parse("--target=aarch64-linux-gnu a.c").is_native());
        assert!(parse("-target x86_64-pc-linux-gnu a.c").is_native());
    }
}
