//! From a target to a [`ProgramSource`]: an executable is read; sources, objects and archives are compiled
//! and linked into an executable in the cache first, which is then read the same way.

use crate::args::source_language;
use crate::bitcode::{self, Unit};
use crate::executable::{self, Linked};
use crate::note::{LinkRecord, Output};
use crate::{
    Bitcode, Cache, Clang, Error, Language, LinkPlan, NEWEST_LLVM, Opaque, OpaqueUnit, ProgramSource,
    SOURCE_VERSION, SharedLibrary, linkable, wrapper,
};
use object::{Object as _, ObjectKind};
use std::path::{Path, PathBuf};

/// How to treat a target.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Compiler flags for sources.
    pub cflags: Vec<String>,
    /// Linker flags and libraries for sources, objects and archives.
    pub ldflags: Vec<String>,
    /// C sources, as (file name, text), that stand in for a test driver in the user's own executable: `main`
    /// for `LLVMFuzzerTestOneInput`, and the functions that ask for values. Each is linked only if something
    /// in it is missing, and is no part of the program.
    pub drivers: Vec<(String, String)>,
}

/// Reads a target.
///
/// # Errors
/// When it is no program, has no bitcode, is for another machine, or its sources do not compile.
pub fn program_of(targets: &[PathBuf], options: &Options, cache: &Cache) -> Result<ProgramSource, Error> {
    let inputs = targets.iter().map(|t| Input::of(t)).collect::<Result<Vec<_>, _>>()?;
    match &inputs[..] {
        [] => Err(Error::NoTarget),
        [Input { path, kind: Kind::Program }] => read_program(path, cache),
        _ => match inputs.iter().find(|i| i.kind == Kind::Program) {
            Some(program) => Err(Error::Mixed(program.path.display().to_string())),
            None => {
                let executable = build(&inputs, options, cache)?;
                let mut source = read_program(&executable, cache)?;
                source.name = linkable::file_name(&targets[0].with_extension(""));
                Ok(source)
            }
        },
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Program,
    Source(Language),
    ForLinker,
}

struct Input {
    path: PathBuf,
    kind: Kind,
}

impl Input {
    fn of(path: &Path) -> Result<Input, Error> {
        let path = behind_libtool(path);
        let not = |found: &str| Error::NotAProgram { path: path.clone(), found: found.to_string() };
        if path.is_dir() {
            return Err(not("a folder"));
        }
        let kind = match source_language(&path) {
            Some(language) => {
                std::fs::metadata(&path).map_err(|e| Error::io(&path, "read", e))?;
                Kind::Source(language)
            }
            None => {
                let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, "read", e))?;
                kind_of_binary(&path, &bytes)?
            }
        };
        Ok(Input { path, kind })
    }
}

fn kind_of_binary(path: &Path, bytes: &[u8]) -> Result<Kind, Error> {
    if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
        return Ok(Kind::ForLinker);
    }
    match executable::parse(path, bytes)?.kind() {
        ObjectKind::Relocatable => Ok(Kind::ForLinker),
        _ if Linked::read(path)?.is_program => Ok(Kind::Program),
        _ => Err(Error::NotAProgram { path: path.to_path_buf(), found: "a shared library".into() }),
    }
}

/// libtool puts a script in the place of an executable that needs libraries of the build; the executable
/// itself is in `.libs`.
fn behind_libtool(path: &Path) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_path_buf() };
    let mut start = Vec::new();
    let head = std::fs::File::open(path)
        .and_then(|f| std::io::Read::read_to_end(&mut std::io::Read::take(f, 512), &mut start));
    let is_script = head.is_ok() && start.starts_with(b"#!") && start.windows(7).any(|w| w == b"libtool");
    let real = path.with_file_name(".libs").join(name);
    if is_script && real.is_file() { real } else { path.to_path_buf() }
}

fn read_program(path: &Path, cache: &Cache) -> Result<ProgramSource, Error> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let linked = Linked::read(&path)?;
    let modules = modules_of(&path, &linked.bitcode, cache)?;
    if modules.is_empty() {
        return Err(no_bitcode(&path, &linked));
    }
    let mut plan = LinkPlan { cxx: linked.needs_cxx(), ..LinkPlan::default() };
    let mut opaque = Vec::new();
    let mut shared = Vec::new();
    for record in &linked.records {
        add_record(record, &mut plan, &mut opaque);
        shared.extend(record.shared.iter().cloned());
    }
    if !linked.records.iter().any(|r| r.output == Output::Executable) {
        without_record(&linked, &mut plan, &mut shared);
    }
    let mut defined = linked.defined;
    let mut source = ProgramSource {
        version: SOURCE_VERSION,
        name: linkable::file_name(&path),
        executable: path,
        modules,
        link: plan,
        opaque,
        libraries: Vec::new(),
    };
    for library in shared {
        absorb_library(&library, &mut defined, &mut source, cache)?;
    }
    Ok(source)
}

/// Cuts bitcode into units and puts them into the store.
fn modules_of(path: &Path, section: &[u8], cache: &Cache) -> Result<Vec<Bitcode>, Error> {
    let units = bitcode::split(section).map_err(|d| Error::DamagedBitcode {
        path: path.to_path_buf(),
        offset: d.offset,
        what: d.what,
    })?;
    units.iter().enumerate().map(|(n, unit)| module_of(path, n, unit, cache)).collect()
}

fn module_of(path: &Path, n: usize, unit: &Unit<'_>, cache: &Cache) -> Result<Bitcode, Error> {
    let name = unit.source.clone().unwrap_or_else(|| format!("unit {}", n + 1));
    if unit.llvm_major().is_some_and(|v| v > NEWEST_LLVM) {
        let producer = unit.producer.clone().unwrap_or_default();
        return Err(Error::NewerLlvm { path: path.to_path_buf(), unit: name, producer, max: NEWEST_LLVM });
    }
    let stored = cache.put(unit.bytes, "bc")?;
    Ok(Bitcode { name, path: stored.path, hash: stored.hash, library: None })
}

fn no_bitcode(path: &Path, linked: &Linked) -> Error {
    let units: Vec<&OpaqueUnit> = linked.records.iter().flat_map(|r| &r.opaque).collect();
    let detail = match units.first() {
        Some(unit) => format!(" ({} of its units, such as {}: {})", units.len(), unit.name, unit.why.text()),
        None => String::new(),
    };
    Error::NoBitcode { path: path.to_path_buf(), detail }
}

fn add_record(record: &LinkRecord, plan: &mut LinkPlan, opaque: &mut Vec<OpaqueUnit>) {
    if record.output == Output::Executable {
        plan.args.extend(record.args.iter().cloned());
        plan.dropped_sanitizers.extend(record.dropped_sanitizers.iter().cloned());
    }
    plan.cxx |= record.cxx;
    plan.objects.extend(record.objects.iter().cloned());
    plan.spare.extend(record.spare.iter().cloned());
    opaque.extend(record.opaque.iter().cloned());
}

/// An executable linked without the wrapper: its dynamic section tells what it needs.
fn without_record(linked: &Linked, plan: &mut LinkPlan, shared: &mut Vec<PathBuf>) {
    for file in linked.needed_files() {
        match file {
            Ok(file) if file.parent().is_some_and(crate::libraries::is_system) => {
                plan.args.push(file.to_string_lossy().into_owned());
            }
            Ok(file) => shared.push(file),
            // Not found now; the link step names it when it is really needed.
            Err(name) => plan.args.push(format!("-l:{name}")),
        }
    }
    if linked.needed.is_empty() {
        plan.args.push("-static".into());
    }
    if !linked.is_pie {
        plan.args.push("-no-pie".into());
    }
}

/// A shared library of the build: its bitcode joins the program, unless it has none or defines a symbol the
/// program has too; then it stays a library.
fn absorb_library(
    library: &Path,
    defined: &mut std::collections::HashSet<Vec<u8>>,
    program: &mut ProgramSource,
    cache: &Cache,
) -> Result<(), Error> {
    let linked = Linked::read(library)?;
    let mut own = if linked.defined.is_disjoint(defined) {
        modules_of(library, &linked.bitcode, cache)?
    } else {
        Vec::new()
    };
    let plan = &mut program.link;
    if own.is_empty() {
        plan.args.push(library.to_string_lossy().into_owned());
        let dir = library.parent().unwrap_or(Path::new("/")).to_path_buf();
        if !plan.library_dirs.contains(&dir) {
            plan.library_dirs.push(dir);
        }
        program.opaque.push(OpaqueUnit { name: library.display().to_string(), why: Opaque::SharedLibrary });
        return Ok(());
    }
    // Objects without bitcode may use what the library hides; then nothing is hidden.
    let is_whole = linked.records.iter().all(|r| r.objects.is_empty());
    let exports = (is_whole && !linked.records.is_empty()).then(|| linked.exported.clone());
    own.iter_mut().for_each(|unit| unit.library = Some(program.libraries.len()));
    program.libraries.push(SharedLibrary { path: library.to_path_buf(), exports });
    defined.extend(linked.defined.iter().cloned());
    program.modules.extend(own);
    for record in &linked.records {
        plan.cxx |= record.cxx;
        plan.objects.extend(record.objects.iter().cloned());
        plan.spare.extend(record.spare.iter().cloned());
        plan.args.extend(record.args.iter().filter(|a| names_a_library(a)).cloned());
        program.opaque.extend(record.opaque.iter().cloned());
    }
    if linked.records.is_empty() {
        let files = linked.needed_files().into_iter().flatten();
        plan.args.extend(files.map(|f| f.to_string_lossy().into_owned()));
    }
    for nested in linked.records.iter().flat_map(|r| r.shared.clone()).filter(|n| n != library) {
        absorb_library(&nested, defined, program, cache)?;
    }
    Ok(())
}

/// Whether an argument of a library's own link names what it needs: `-lNAME`, a file (CMake names libraries by their paths), threads.
fn names_a_library(arg: &str) -> bool {
    arg.starts_with("-l") || arg.starts_with('/') || matches!(arg, "-pthread" | "-pthreads")
}

/// Compiles and links a program given in parts; returns the executable in the cache.
fn build(inputs: &[Input], options: &Options, cache: &Cache) -> Result<PathBuf, Error> {
    let clang = Clang::find()?;
    let folder = cache.folder(&format!("programs/{}", key(inputs, options)))?;
    let work = cache.folder(&format!("tmp/program-{}", std::process::id()))?;
    let result = build_in(&work, &folder, &clang, inputs, options, cache);
    // What is left of a failed build is of no use; failing to remove it does no harm.
    let _ = std::fs::remove_dir_all(&work);
    result
}

fn build_in(
    work: &Path,
    folder: &Path,
    clang: &Clang,
    inputs: &[Input],
    options: &Options,
    cache: &Cache,
) -> Result<PathBuf, Error> {
    let text = |p: &Path| p.to_string_lossy().into_owned();
    let mut words = Vec::new();
    let mut language = Language::C;
    for (n, input) in inputs.iter().enumerate() {
        let Kind::Source(own) = input.kind else {
            words.push(text(&input.path));
            continue;
        };
        if own == Language::Cxx {
            language = Language::Cxx;
        }
        let object = work.join(format!("{n}.o"));
        let mut compile = vec!["-O1".to_string(), "-g".to_string()];
        compile.extend(options.cflags.iter().cloned());
        compile.extend(["-c".to_string(), text(&input.path), "-o".to_string(), text(&object)]);
        wrapper::compile_source(clang, own, &compile)?;
        let made = std::fs::read(&object).map_err(|e| Error::io(&object, "read", e))?;
        // Flags such as -m32 make objects for another machine: said of the source, before the linker fails.
        if !linkable::is_bitcode(&made) {
            kind_of_binary(&input.path, &made)?;
        }
        words.push(text(&object));
    }
    // Flags such as -pthread, -fsanitize=… and -m64 concern linking too.
    words.extend(options.cflags.iter().cloned());
    words.extend(options.ldflags.iter().cloned());
    let executable = work.join(linkable::file_name(&inputs[0].path.with_extension("")));
    words.extend(["-o".to_string(), text(&executable)]);
    let drivers = compile_drivers(work, clang, options)?;
    wrapper::link_program(clang, language, &words, &drivers, cache)?;
    let kept = folder.join(linkable::file_name(&executable));
    std::fs::rename(&executable, &kept).map_err(|e| Error::io(&kept, "write", e))?;
    Ok(kept)
}

/// An archive of the drivers, so that the linker takes only what is missing.
fn compile_drivers(work: &Path, clang: &Clang, options: &Options) -> Result<Vec<String>, Error> {
    let mut members = Vec::new();
    for (name, source) in &options.drivers {
        let (file, object) = (work.join(name), work.join(name).with_extension("driver.o"));
        std::fs::write(&file, source).map_err(|e| Error::io(&file, "write", e))?;
        let status = std::process::Command::new(clang.driver(Language::C))
            .args(["-O1", "-g", "-w", "-c"])
            .arg(&file)
            .arg("-o")
            .arg(&object)
            .status()
            .map_err(|e| Error::io(clang.driver(Language::C), "start", e))?;
        if !status.success() {
            let code = status.code().unwrap_or(1);
            return Err(Error::Compiler { what: format!("compiling the test driver {name}"), code });
        }
        if let linkable::Linkable::Object(member) = linkable::read(&object)? {
            members.push(member);
        }
    }
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let archive = work.join("drivers.a");
    let bytes = linkable::write_archive(&members.iter().collect::<Vec<_>>());
    std::fs::write(&archive, bytes).map_err(|e| Error::io(&archive, "write", e))?;
    Ok(vec![archive.to_string_lossy().into_owned()])
}

/// Names the folder of a program's executable: the same for the same files and flags.
fn key(inputs: &[Input], options: &Options) -> String {
    let mut hash = blake3::Hasher::new();
    for input in inputs {
        let path = input.path.canonicalize().unwrap_or_else(|_| input.path.clone());
        hash.update(path.to_string_lossy().as_bytes()).update(b"\0");
    }
    for flag in options.cflags.iter().chain(["--link".to_string()].iter()).chain(&options.ldflags) {
        hash.update(flag.as_bytes()).update(b"\0");
    }
    hash.finalize().to_hex()[..16].to_string()
}
