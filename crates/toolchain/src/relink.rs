//! From a link command line to a [`LinkRecord`]: what is needed to link again once all bitcode has become one
//! module.
//!
//! Inputs with bitcode fall away (the executable carries it); objects and archive members without are copied
//! into the store, and so is the bitcode of the members of archives, which may be needed later though the linker does
//! not need them now (see [`crate::spare`]); libraries that belong to the build are recorded by path, installed ones by name; of the
//! options those stay that change how the result is linked or loaded.

use crate::args::{InputKind, Invocation, Token};
use crate::linkable::{self, Linkable, Member};
use crate::note::{LinkRecord, Output};
use crate::{Cache, Error, Language, Opaque, OpaqueUnit, SOURCE_VERSION, libraries, spare};
use std::path::{Path, PathBuf};

/// Options kept as they are.
const KEPT: &[&str] = &[
    "-pthread",
    "-pthreads",
    "-static",
    "-static-pie",
    "-pie",
    "-no-pie",
    "-nopie",
    "-rdynamic",
    "-static-libgcc",
    "-static-libstdc++",
    "-shared-libgcc",
    "-nostdlib",
    "-nodefaultlibs",
    "-nolibc",
    "-nostartfiles",
    "-nostdlib++",
    "-m64",
    "-fopenmp",
    "-lpthread",
];

/// Beginnings of options kept as they are.
const KEPT_PREFIXES: &[&str] = &[
    "-stdlib=",
    "-rtlib=",
    "-unwindlib=",
    "--unwindlib=",
    "-fuse-ld=",
    "--target=",
    "--sysroot=",
    "-fopenmp=",
];

/// Options kept with their separate argument.
const KEPT_SEPARATE: &[&str] = &["-u", "-z", "-target", "--sysroot", "-e", "--entry"];

/// Linker options (in `-Wl,` or `-Xlinker`) that are left out, with the number of words they take after them.
const DROPPED_LINKER: &[(&str, usize)] = &[
    ("--gc-sections", 0),
    ("--print-gc-sections", 0),
    ("-Map", 1),
    ("--Map", 1),
    ("--cref", 0),
    ("--whole-archive", 0),
    ("-whole-archive", 0),
    ("--no-whole-archive", 0),
    ("-no-whole-archive", 0),
    ("--start-group", 0),
    ("--end-group", 0),
    ("-start-group", 0),
    ("-end-group", 0),
    ("-(", 0),
    ("-)", 0),
    ("--fatal-warnings", 0),
    ("--version-script", 1),
    ("--retain-symbols-file", 1),
    ("-soname", 1),
    ("--soname", 1),
    ("-h", 1),
    ("--out-implib", 1),
    ("-s", 0),
    ("--strip-all", 0),
    ("-S", 0),
    ("--strip-debug", 0),
    ("-O1", 0),
    ("-O2", 0),
    ("-t", 0),
    ("--trace", 0),
    ("--verbose", 0),
    ("-plugin-opt", 1),
    ("--dependency-file", 1),
    ("--icf=all", 0),
    ("--icf=safe", 0),
    ("-M", 0),
    ("--print-map", 0),
    ("--stats", 0),
    ("--lto-O3", 0),
    ("--lto-O2", 0),
    ("--thinlto-jobs", 1),
    ("--no-undefined", 0),
    ("-x", 0),
];

/// Sanitizers whose checks are branches in the bitcode already and need no shadow memory of their own.
const BITCODE_SANITIZERS: &[&str] = &[
    "undefined",
    "alignment",
    "bool",
    "bounds",
    "array-bounds",
    "local-bounds",
    "builtin",
    "enum",
    "float-cast-overflow",
    "float-divide-by-zero",
    "function",
    "implicit-conversion",
    "implicit-integer-truncation",
    "implicit-integer-arithmetic-value-change",
    "implicit-integer-sign-change",
    "implicit-signed-integer-truncation",
    "implicit-unsigned-integer-truncation",
    "implicit-bitfield-conversion",
    "integer",
    "integer-divide-by-zero",
    "nonnull-attribute",
    "null",
    "nullability",
    "nullability-arg",
    "nullability-assign",
    "nullability-return",
    "object-size",
    "pointer-overflow",
    "return",
    "returns-nonnull-attribute",
    "shift",
    "shift-base",
    "shift-exponent",
    "signed-integer-overflow",
    "unreachable",
    "unsigned-integer-overflow",
    "unsigned-shift-base",
    "vla-bound",
    "vptr",
];

/// Builds the record of one link step. `assembled` names the source of an object made from assembly (for
/// people).
///
/// # Errors
/// When an input cannot be read or the store not written.
pub fn record(
    call: &Invocation,
    language: Language,
    cache: &Cache,
    assembled: &dyn Fn(&Path) -> Option<PathBuf>,
) -> Result<LinkRecord, Error> {
    let mut builder = Builder::new(call, language, cache, assembled);
    for token in &call.tokens {
        match token {
            Token::Input { path, kind: InputKind::Linker } => builder.file(Path::new(path))?,
            Token::Input { .. } | Token::Output(_) => {}
            Token::Library(name) => builder.library(name)?,
            Token::Flag(words) => builder.flag(words),
        }
    }
    builder.flush_linker();
    Ok(builder.record)
}

struct Builder<'a> {
    cache: &'a Cache,
    assembled: &'a dyn Fn(&Path) -> Option<PathBuf>,
    record: LinkRecord,
    library_dirs: Vec<PathBuf>,
    whole_archive: bool,
    only_static: bool,
    /// Words for the linker that wait for their separate arguments (`-Wl,-rpath -Wl,DIR`).
    linker_words: Vec<String>,
}

impl<'a> Builder<'a> {
    fn new(
        call: &Invocation,
        language: Language,
        cache: &'a Cache,
        assembled: &'a dyn Fn(&Path) -> Option<PathBuf>,
    ) -> Self {
        let has = |flag: &str| call.flags().any(|f| f == flag);
        let output = match (has("-r") || has("-Wl,-r"), has("-shared")) {
            (true, _) => Output::Relocatable,
            (_, true) => Output::Shared,
            _ => Output::Executable,
        };
        let record = LinkRecord {
            version: SOURCE_VERSION,
            output,
            cxx: language == Language::Cxx,
            args: Vec::new(),
            objects: Vec::new(),
            spare: Vec::new(),
            shared: Vec::new(),
            opaque: Vec::new(),
            dropped_sanitizers: Vec::new(),
        };
        Builder {
            cache,
            assembled,
            record,
            library_dirs: library_dirs(call),
            whole_archive: false,
            only_static: has("-static") || has("-static-pie"),
            linker_words: Vec::new(),
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), Error> {
        self.flush_linker();
        // A name without a folder that is not there may be found through -L (linker scripts say INPUT(x.o)).
        if !path.exists() || (self.record.output == Output::Shared && is_start_file(path)) {
            return Ok(());
        }
        match linkable::read(path)? {
            Linkable::Object(member) => {
                let unit = match (self.assembled)(path) {
                    Some(source) => OpaqueUnit { name: source.display().to_string(), why: Opaque::Assembly },
                    None => OpaqueUnit { name: path.display().to_string(), why: Opaque::Prebuilt },
                };
                self.object(&member, unit)
            }
            Linkable::Archive(members) => self.archive(path, &members),
            Linkable::SharedLibrary => {
                self.shared_library(path);
                Ok(())
            }
            // Its own bitcode is embedded in it and reaches the executable through link-time optimisation.
            Linkable::Bitcode => Ok(()),
            Linkable::Unknown => {
                self.record.args.push(absolute(path));
                Ok(())
            }
        }
    }

    fn object(&mut self, member: &Member, unit: OpaqueUnit) -> Result<(), Error> {
        if !member.has_bitcode {
            self.record.objects.push(self.cache.put(&member.bytes, "o")?.path);
            self.record.opaque.push(unit);
        }
        Ok(())
    }

    fn archive(&mut self, path: &Path, members: &[Member]) -> Result<(), Error> {
        let opaque: Vec<&Member> = members.iter().filter(|m| !m.has_bitcode).collect();
        for member in &opaque {
            let name = format!("{}({})", path.display(), member.name);
            let unit = OpaqueUnit { name, why: self.why_in_archive(path, member) };
            if self.whole_archive {
                self.object(member, unit)?;
            } else {
                self.record.opaque.push(unit);
            }
        }
        if !opaque.is_empty() && !self.whole_archive {
            let archive = linkable::write_archive(&opaque);
            self.record.objects.push(self.cache.put(&archive, "a")?.path);
        }
        // Of a whole archive every member is linked.
        if !self.whole_archive
            && let Some(archive) = spare::write(members)
        {
            self.record.spare.push(self.cache.put(&archive, "a")?.path);
        }
        Ok(())
    }

    /// Archives forget where their members were made; an object of that name beside the archive tells.
    fn why_in_archive(&self, archive: &Path, member: &Member) -> Opaque {
        match (self.assembled)(&archive.with_file_name(&member.name)) {
            Some(_) => Opaque::Assembly,
            None => Opaque::Prebuilt,
        }
    }

    fn shared_library(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        if path.parent().is_some_and(libraries::is_system) {
            self.record.args.push(path.to_string_lossy().into_owned());
        } else {
            self.record.shared.push(path);
        }
    }

    fn library(&mut self, name: &str) -> Result<(), Error> {
        self.flush_linker();
        match libraries::find(name, &self.library_dirs, self.only_static) {
            Some(file) if !file.parent().is_some_and(libraries::is_system) => self.file(&file),
            _ => {
                self.record.args.push(format!("-l{name}"));
                Ok(())
            }
        }
    }

    fn flag(&mut self, words: &[String]) {
        let first = words[0].as_str();
        if let Some(list) = first.strip_prefix("-Wl,") {
            self.linker_words.extend(list.split(',').map(String::from));
            return;
        }
        if first == "-Xlinker" {
            self.linker_words.extend(words.get(1).cloned());
            return;
        }
        self.flush_linker();
        if let Some(list) = first.strip_prefix("-fsanitize=") {
            self.sanitizers(list);
        } else if first == "-L" || first.starts_with("-L") || first == "-B" {
            let dir = words.get(1).map_or(&first[2..], String::as_str);
            self.record.args.push(format!("{}{}", &first[..2], absolute(Path::new(dir))));
        } else if first == "-T" {
            let script = words.get(1).map(|s| absolute(Path::new(s)));
            self.record.args.extend(std::iter::once("-T".to_string()).chain(script));
        } else if KEPT.contains(&first)
            || KEPT_PREFIXES.iter().any(|p| first.starts_with(p))
            || (KEPT_SEPARATE.contains(&first) && words.len() == 2)
        {
            self.record.args.extend(words.iter().cloned());
        }
    }

    fn sanitizers(&mut self, list: &str) {
        let (kept, dropped): (Vec<&str>, Vec<&str>) =
            list.split(',').partition(|s| BITCODE_SANITIZERS.contains(s));
        if !kept.is_empty() {
            self.record.args.push(format!("-fsanitize={}", kept.join(",")));
        }
        self.record.dropped_sanitizers.extend(dropped.into_iter().map(String::from));
    }

    /// Takes the collected linker words: keeps what matters, follows `--whole-archive` and `-Bstatic`.
    fn flush_linker(&mut self) {
        let mut words = std::mem::take(&mut self.linker_words).into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--whole-archive" | "-whole-archive" => self.whole_archive = true,
                "--no-whole-archive" | "-no-whole-archive" => self.whole_archive = false,
                "-Bstatic" | "-dn" | "-non_shared" => self.only_static = true,
                "-Bdynamic" | "-dy" | "-call_shared" => self.only_static = false,
                _ => {}
            }
            let name = word.split('=').next().unwrap_or(&word);
            if let Some((_, extra)) = DROPPED_LINKER.iter().find(|(n, _)| *n == name || *n == word) {
                if !word.contains('=') {
                    words.by_ref().take(*extra).for_each(drop);
                }
                continue;
            }
            self.record.args.extend(["-Xlinker".to_string(), word]);
        }
    }
}

/// Whether a file is one of the compiler's own that begin and end each executable and library: libtool names them when
/// it links C++ libraries, and an executable has them anyway.
fn is_start_file(path: &Path) -> bool {
    let name = linkable::file_name(path);
    let stem = name.strip_suffix(".o").unwrap_or_default();
    matches!(stem, "crti" | "crtn" | "crtbegin" | "crtbeginS" | "crtbeginT" | "crtend" | "crtendS")
        && path.is_absolute()
}

/// The `-L` folders in order, absolute.
fn library_dirs(call: &Invocation) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for token in &call.tokens {
        let Token::Flag(words) = token else { continue };
        if let Some(joined) = words[0].strip_prefix("-L") {
            let dir = words.get(1).map_or(joined, String::as_str);
            dirs.push(PathBuf::from(absolute(Path::new(dir))));
        }
    }
    dirs
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}
