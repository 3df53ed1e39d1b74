//! `spelunk cc` and `spelunk c++`: the real clang with the same arguments, and besides
//!
//! * when compiling C and C++: `-g`, and the bitcode of each unit before optimisation in section `.llvmbc`
//!   of its object (`-Xclang -fembed-bitcode=all`; renamed afterwards, see [`crate::section`]); at `-O0` functions are not marked `optnone`, which
//!   changes nothing in the code made, and lets flavours derived later be optimised;
//! * when linking: a link record (see [`crate::note`]) in what is linked;
//! * link-time optimisation is kept where the build is plainly made for LLVM's linker or needs it (see `lto`).
//!
//! The wrappers stand in for whatever compiler a build names, most often GCC. What clang alone takes for an error by default in
//! C (old style: implicit `int` and the like) is a warning, as with GCC up to 13, and as configure scripts of old programs need it.
//!
//! Everything else (preprocessing, questions like `--version`, foreign machines) is passed on untouched.

use crate::args::{self, Action, InputKind, Invocation, Token};
use crate::log::{Entry, Log};
use crate::note::{self, Output};
use crate::{Cache, Clang, Error, Language, lto, relink, response, section};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Longest command line, in bytes, that is passed as words; longer ones go through a response file.
const MAX_COMMAND_LINE: usize = 100_000;

/// Old style in C that clang takes for an error by default, and GCC up to 13 for a warning. The user's own flags come later
/// and win.
const OLD_STYLE: &[&str] = &[
    "-Wno-error=implicit-int",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// Compiles and links as clang would; returns its exit code.
///
/// # Errors
/// When there is no clang, or it cannot be started.
pub fn run(language: Language, given: &[OsString]) -> Result<u8, Error> {
    let clang = Clang::find()?;
    let driver = clang.driver(language);
    let words: Option<Vec<String>> = given.iter().map(|a| a.to_str().map(String::from)).collect();
    let Some(words) = words else {
        // A name that is not UTF-8 cannot be recorded; the build goes on without bitcode for this call.
        return Err(replace_by(driver, given));
    };
    let call = Invocation::parse(&response::expand(&words));
    if call.action == Action::Other || !call.is_native() {
        return Err(replace_by(driver, given));
    }
    let log = Log::from_env();
    let (call, dropped) = lto::usable(call);
    if !dropped.is_empty() {
        log.add(&Entry::Dropped { flags: dropped.clone() });
        if !log.is_on() {
            eprintln!(
                "spelunk: note: {} left out: objects would hold bitcode instead of code",
                dropped.join(" ")
            );
        }
    }
    match call.action {
        Action::Compile => compile(driver, &call, &log),
        _ => link(driver, language, &call, &Cache::from_env(), &log, &[]),
    }
}

/// Compiles one source of a program given to `spelunk explore` as sources.
///
/// # Errors
/// When clang cannot be started or refuses the source.
pub(crate) fn compile_source(clang: &Clang, language: Language, words: &[String]) -> Result<(), Error> {
    let (call, _) = lto::usable(Invocation::parse(words));
    if !call.is_native() {
        let path = call.inputs(InputKind::Source).next().unwrap_or_default().into();
        return Err(Error::OtherMachine { path, machine: "another machine by its compiler flags".into() });
    }
    let status = start(clang.driver(language), &with_bitcode_flags(&call))?;
    check(status, "compiling the sources")?;
    objects_of(&call, InputKind::Source).for_each(|(object, _)| section::rename(&object));
    Ok(())
}

/// Links a program given to `spelunk explore` as sources, objects and archives; `extra` words (inputs that
/// are no part of the program) go last and are not recorded.
pub(crate) fn link_program(
    clang: &Clang,
    language: Language,
    words: &[String],
    extra: &[String],
    cache: &Cache,
) -> Result<(), Error> {
    let (call, _) = lto::usable(Invocation::parse(words));
    let code = link(clang.driver(language), language, &call, cache, &Log::off(), extra)?;
    match code {
        0 => Ok(()),
        code => Err(Error::Compiler { what: "linking the program (it needs main or LLVMFuzzerTestOneInput, and its libraries in --ldflags)".into(), code: code.into() }),
    }
}

fn check(status: ExitStatus, what: &str) -> Result<(), Error> {
    match exit_code(status) {
        0 => Ok(()),
        code => Err(Error::Compiler { what: what.to_string(), code: code.into() }),
    }
}

fn compile(driver: &Path, call: &Invocation, log: &Log) -> Result<u8, Error> {
    for (object, source) in objects_of(call, InputKind::Assembly) {
        log.add(&Entry::Assembled { object, source });
    }
    if call.inputs(InputKind::Source).next().is_none() {
        return Err(replace_by(driver, &os(&call.words())));
    }
    let code = exit_code(start(driver, &with_bitcode_flags(call))?);
    if code == 0 {
        objects_of(call, InputKind::Source).for_each(|(object, _)| section::rename(&object));
    }
    Ok(code)
}

/// The objects a compiling call makes from inputs of one kind, with their sources, as absolute paths.
fn objects_of(call: &Invocation, kind: InputKind) -> impl Iterator<Item = (PathBuf, PathBuf)> {
    let absolute = |p: PathBuf| std::path::absolute(&p).unwrap_or(p);
    call.inputs(kind).map(move |source| {
        let source = PathBuf::from(source);
        let object = match call.output() {
            Some(named) => PathBuf::from(named),
            None => PathBuf::from(source.with_extension("o").file_name().unwrap_or_default()),
        };
        (absolute(object), absolute(source))
    })
}

/// The words of a call that compiles C or C++, with what makes clang keep the bitcode.
fn with_bitcode_flags(call: &Invocation) -> Vec<String> {
    // Saved temporaries make clang compile in several steps, each of which would embed bitcode.
    let kept: Vec<Token> = call
        .tokens
        .iter()
        .filter(|t| !matches!(t, Token::Flag(w) if w[0].starts_with("-save-temps") || w[0].starts_with("--save-temps")))
        .cloned()
        .collect();
    let mut words: Vec<String> = OLD_STYLE.iter().map(|w| (*w).to_string()).collect();
    words.extend(args::words_of(&kept));
    let debug = call.flags().rev().find(|f| f.starts_with("-g") && !f.starts_with("-gcc"));
    if debug.is_none_or(|f| f == "-g0" || f == "-ggdb0") {
        words.push("-g".into());
    }
    words.extend(["-Xclang", "-fembed-bitcode=all"].map(String::from));
    let level = call.flags().rev().find(|f| f.starts_with("-O"));
    if level.is_none_or(|l| l == "-O0") {
        words.extend(["-Xclang", "-disable-O0-optnone"].map(String::from));
    }
    words
}

fn link(
    driver: &Path,
    language: Language,
    call: &Invocation,
    cache: &Cache,
    log: &Log,
    extra: &[String],
) -> Result<u8, Error> {
    let mut assembled = log.assembled();
    let call = match assembly_compiled_first(driver, call, cache, &mut assembled)? {
        Ok(call) => call,
        Err(code) => return Ok(code),
    };
    let has_sources = call.inputs(InputKind::Source).next().is_some();
    let mut words = if has_sources { with_bitcode_flags(&call) } else { call.words() };
    words.extend(extra.iter().cloned());
    let source_of = |object: &Path| assembled.get(&std::path::absolute(object).ok()?).cloned();
    let record = relink::record(&call, language, cache, &source_of);
    let record = record.and_then(|r| Ok((note::object_with(&r)?, r)));
    let note = match record {
        Ok((bytes, record)) => TemporaryObject::new(&bytes).map(|file| (file, record)),
        Err(error) => Err(error),
    };
    match &note {
        Ok((file, _)) => words.insert(0, file.path.to_string_lossy().into_owned()),
        Err(error) => eprintln!("spelunk: warning: linking without a link record: {error}"),
    }
    let code = exit_code(start(driver, &words)?);
    if code != 0 {
        return Ok(code);
    }
    let output = PathBuf::from(call.output().unwrap_or("a.out"));
    section::rename(&output);
    if let Ok((_, record)) = note
        && record.output != Output::Relocatable
    {
        let output = std::path::absolute(&output).unwrap_or(output);
        log.add(&Entry::Linked { output, shared: record.output == Output::Shared, opaque: record.opaque });
    }
    Ok(code)
}

/// When a call compiles assembly and links in one step, its objects would be temporary: assembles them into
/// the cache first, and notes their sources. The inner `Err` holds the exit code of an assembler that failed.
fn assembly_compiled_first(
    driver: &Path,
    call: &Invocation,
    cache: &Cache,
    assembled: &mut HashMap<PathBuf, PathBuf>,
) -> Result<Result<Invocation, u8>, Error> {
    let mut call = call.clone();
    let flags: Vec<Token> = call.tokens.iter().filter(|t| matches!(t, Token::Flag(_))).cloned().collect();
    for (n, token) in call.tokens.iter_mut().enumerate() {
        let Token::Input { path, kind: kind @ InputKind::Assembly } = token else { continue };
        let part = cache.folder("tmp")?.join(format!("asm-{}-{n}.o", std::process::id()));
        let mut words = args::words_of(&flags);
        words.extend(["-Qunused-arguments", "-c", path.as_str(), "-o"].map(String::from));
        words.push(part.to_string_lossy().into_owned());
        let code = exit_code(start(driver, &words)?);
        if code != 0 {
            return Ok(Err(code));
        }
        let bytes = std::fs::read(&part).map_err(|e| Error::io(&part, "read", e))?;
        // The copy in the store is what is linked; a leftover does no harm.
        let _ = std::fs::remove_file(&part);
        let stored = cache.put(&bytes, "o")?.path;
        assembled.insert(stored.clone(), PathBuf::from(path.as_str()));
        *path = stored.to_string_lossy().into_owned();
        *kind = InputKind::Linker;
    }
    Ok(Ok(call))
}

fn os(words: &[String]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn too_long(words: &[String]) -> bool {
    words.iter().map(|w| w.len() + 1).sum::<usize>() > MAX_COMMAND_LINE
}

/// Runs the driver and waits for it.
fn start(driver: &Path, words: &[String]) -> Result<ExitStatus, Error> {
    let mut command = Command::new(driver);
    let mut response = None;
    if too_long(words) {
        let file = TemporaryObject::new(response::quote(words).as_bytes())?;
        command.arg(format!("@{}", file.path.display()));
        response = Some(file);
    } else {
        command.args(words);
    }
    let status = command.status().map_err(|e| Error::io(driver, "start", e));
    drop(response);
    status
}

/// Becomes the driver. Only comes back, with the error, when that fails.
fn replace_by(driver: &Path, words: &[impl AsRef<OsStr>]) -> Error {
    Error::io(driver, "start", Command::new(driver).args(words).exec())
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// A file that lives as long as a link step.
struct TemporaryObject {
    path: PathBuf,
}

impl TemporaryObject {
    fn new(bytes: &[u8]) -> Result<TemporaryObject, Error> {
        let base = std::env::temp_dir();
        let mut n = 0u32;
        loop {
            // Not `.o`: libtool asks for a verbose link and takes every `.o` in it for a part of the compiler, to be
            // named in each later link. Linkers know objects by their content.
            let path = base.join(format!("spelunk-{}-{n}.note", std::process::id()));
            match std::fs::File::create_new(&path) {
                Ok(mut file) => {
                    let written = std::io::Write::write_all(&mut file, bytes);
                    let kept = TemporaryObject { path: path.clone() };
                    return written.map(|()| kept).map_err(|e| Error::io(&path, "write", e));
                }
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && n < 1000 => n += 1,
                Err(e) => return Err(Error::io(&path, "write", e)),
            }
        }
    }
}

impl Drop for TemporaryObject {
    fn drop(&mut self) {
        // Nothing can be done about a temporary file that is gone already.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn debug_information_is_added_once() {
        let flags =
            |line: &str| with_bitcode_flags(&Invocation::parse(&words(line)))[OLD_STYLE.len()..].join(" ");
        assert_eq!(flags("-O2 -g3 -c a.c"), "-O2 -g3 -c a.c -Xclang -fembed-bitcode=all");
        assert!(flags("-O2 -c a.c").contains(" -g "));
        assert!(flags("-O2 -g -g0 -c a.c").ends_with("-g -Xclang -fembed-bitcode=all"));
        assert!(flags("-c a.c").ends_with("-disable-O0-optnone"));
        assert!(!flags("-O0 -O -c a.c").contains("optnone"));
    }
}
