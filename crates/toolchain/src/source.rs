//! What a program is made of, as the build left it: the bitcode of its units and how to link them again.
//!
//! These types cross a process boundary: `spelunk` writes a [`ProgramSource`] as JSON and
//! `spelunk-instrument` reads it.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the JSON form of [`ProgramSource`] and of the note in section `.spelunk`.
pub const SOURCE_VERSION: u32 = 1;

/// A whole program: everything the instrumenter needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramSource {
    /// [`SOURCE_VERSION`].
    pub version: u32,
    /// Name for people: the file name of the executable or of the first source.
    pub name: String,
    /// The executable this was read from: the user's own, or the one linked from their sources. Tests are
    /// confirmed on it.
    pub executable: PathBuf,
    /// The bitcode of every unit, in link order; never empty.
    pub modules: Vec<Bitcode>,
    /// How to make an executable of the instrumented module.
    pub link: LinkPlan,
    /// Units of the executable without bitcode and why; they run, but are not followed.
    pub opaque: Vec<OpaqueUnit>,
    /// The shared libraries of the build whose bitcode is among `modules`.
    #[serde(default)]
    pub libraries: Vec<SharedLibrary>,
}

/// A shared library whose units have become part of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedLibrary {
    /// Where it lies.
    pub path: PathBuf,
    /// The symbols that others may use, where the library hides some (by a version script or by visibility) and nothing but
    /// its bitcode needs those: what it hides may be defined elsewhere in the program as well, and is another thing there.
    pub exports: Option<Vec<String>>,
}

impl ProgramSource {
    /// Hash of everything that decides what a derived executable looks like: bitcode, objects, link
    /// arguments. Equal hashes mean that a flavour derived earlier can be used again.
    pub fn content_hash(&self) -> String {
        let mut hash = blake3::Hasher::new();
        let mut add = |text: &str| {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        add(&self.version.to_string());
        for module in &self.modules {
            add(&module.hash);
        }
        // Objects live in the content-addressed store: their paths name their content.
        for object in &self.link.objects {
            add(&object.to_string_lossy());
        }
        for archive in &self.link.spare {
            add(&archive.to_string_lossy());
        }
        for arg in &self.link.args {
            add(arg);
        }
        add(if self.link.cxx { "c++" } else { "c" });
        for module in &self.modules {
            add(&module.library.map_or(String::new(), |n| n.to_string()));
        }
        for exports in self.libraries.iter().filter_map(|l| l.exports.as_ref()) {
            exports.iter().for_each(|name| add(name));
        }
        hash.finalize().to_hex().to_string()
    }
}

/// The pre-optimisation bitcode of one translation unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bitcode {
    /// Source file as given to the compiler, or `unit N` where the bitcode does not say.
    pub name: String,
    /// The bitcode itself, a file of the content-addressed store in the cache.
    pub path: PathBuf,
    /// Its BLAKE3 hash, hexadecimal.
    pub hash: String,
    /// The shared library it is from, an index into [`ProgramSource::libraries`].
    #[serde(default)]
    pub library: Option<usize>,
}

/// How an executable is linked from the instrumented module:
/// `CLANG[++] MODULE.o RUNTIME.a OBJECTS… ARGS… -o FILE`, with `clang++` if `cxx`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPlan {
    /// Objects without bitcode, and archives of such objects, in link order: files of the
    /// content-addressed store. Archives may need each other: put `-Wl,--start-group` and `--end-group`
    /// around them.
    pub objects: Vec<PathBuf>,
    /// Bitcode of the members of archives that were linked as far as they were needed, an archive each, for what the
    /// bitcode needs and the user's linker did not: files of the content-addressed store, read by [`crate::Spare`].
    #[serde(default)]
    pub spare: Vec<PathBuf>,
    /// Driver arguments in their order: libraries (`-lm`, `-L…`, absolute paths of shared libraries),
    /// `-pthread`, `-static`, `-rdynamic`, `-pie`/`-no-pie`, `-Wl,…`, `-fsanitize=undefined`. No inputs with
    /// bitcode, no `-o`, no optimisation level.
    pub args: Vec<String>,
    /// Link as C++.
    pub cxx: bool,
    /// Sanitizers of the user's build that have a run-time library of their own and are left out of `args`
    /// (`address`, `memory`, `thread`, `fuzzer`, …): they would get in the way of the shadow memory.
    pub dropped_sanitizers: Vec<String>,
    /// Folders in which the dynamic loader must look for shared libraries that are not installed
    /// (those of a build folder): give them as `-Wl,-rpath,…`.
    pub library_dirs: Vec<PathBuf>,
}

/// A part of the program without bitcode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OpaqueUnit {
    /// Its file, with the member for archives: `libx.a(y.o)`.
    pub name: String,
    /// Why there is no bitcode.
    pub why: Opaque,
}

/// Why a unit has no bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opaque {
    /// It was assembled from assembly source.
    Assembly,
    /// It was not compiled by the wrapper (prebuilt, or by another compiler).
    Prebuilt,
    /// It is a shared library.
    SharedLibrary,
}

impl Opaque {
    /// For people.
    pub const fn text(self) -> &'static str {
        match self {
            Opaque::Assembly => "assembly source has no bitcode",
            Opaque::Prebuilt => "not compiled by `spelunk cc` or `spelunk c++`",
            Opaque::SharedLibrary => "shared library without bitcode",
        }
    }
}
