//! The programs that a build left: ELF executables, told apart from scripts, libraries, probes of build systems and programs
//! of other languages.

use object::{BinaryFormat, File, Object as _, ObjectKind, ObjectSection as _};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A program in a package's tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Below the tree.
    pub path: PathBuf,
    /// Whether it carries bitcode.
    pub bitcode: bool,
    /// Its units without bitcode, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opaque: Vec<String>,
    /// Why it needs none: another language, prebuilt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exempt: Option<String>,
}

/// What a tree holds.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Its programs, by path.
    pub programs: Vec<Program>,
    /// Folders with shared libraries.
    pub library_folders: BTreeSet<PathBuf>,
}

/// Paths of the ELF files that lie in a source before it is built.
pub fn prebuilt(source: &Path) -> BTreeSet<PathBuf> {
    files(source).filter(|f| std::fs::read(source.join(f)).is_ok_and(|b| b.starts_with(b"\x7fELF"))).collect()
}

/// Looks through a built tree.
pub fn find(source: &Path, prebuilt: &BTreeSet<PathBuf>) -> Tree {
    let mut tree = Tree::default();
    for path in files(source) {
        let whole = source.join(&path);
        let Ok(bytes) = std::fs::read(&whole) else { continue };
        if !bytes.starts_with(b"\x7fELF") {
            continue;
        }
        let Ok(file) = File::parse(&*bytes) else { continue };
        match kind(&file) {
            Some(Linked::Program) => tree.programs.push(program(&file, path, prebuilt)),
            Some(Linked::Library) => {
                tree.library_folders.extend(whole.parent().map(Path::to_path_buf));
            }
            None => {}
        }
    }
    tree
}

/// Regular files of a tree, without what build systems leave of their probes.
fn files(source: &Path) -> impl Iterator<Item = PathBuf> {
    let source = source.to_path_buf();
    let all = WalkDir::new(&source).sort_by_file_name().into_iter().filter_map(Result::ok);
    let all = all.filter(|e| e.file_type().is_file());
    let all = all.filter_map(move |e| Some(e.path().strip_prefix(&source).ok()?.to_path_buf()));
    all.filter(|p| !is_probe(p))
}

fn is_probe(path: &Path) -> bool {
    path.components().any(|c| {
        let name = c.as_os_str().to_string_lossy();
        name.starts_with("CompilerId")
            || matches!(&*name, "CMakeScratch" | "CMakeTmp" | "meson-private" | ".git" | ".pc")
            || name.starts_with("conftest")
    }) || path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("CMakeDetermineCompilerABI"))
}

enum Linked {
    Program,
    Library,
}

fn kind(file: &File<'_>) -> Option<Linked> {
    if file.format() != BinaryFormat::Elf || !file.is_64() {
        return None;
    }
    match file.kind() {
        ObjectKind::Executable => Some(Linked::Program),
        ObjectKind::Dynamic if file.section_by_name(".interp").is_some() => Some(Linked::Program),
        ObjectKind::Dynamic => Some(Linked::Library),
        _ => None,
    }
}

fn program(file: &File<'_>, path: PathBuf, prebuilt: &BTreeSet<PathBuf>) -> Program {
    let data = |name| file.section_by_name(name).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default();
    let bitcode = toolchain::section::has_bitcode(file);
    let records = toolchain::note::records_in(&data(toolchain::note::SECTION));
    let opaque = records.iter().flat_map(|r| &r.opaque).map(|u| format!("{} ({})", u.name, u.why.text()));
    let exempt = match () {
        () if prebuilt.contains(&path) => Some("it lay in the source, built".into()),
        () if bitcode => None,
        () => other_language(file, &String::from_utf8_lossy(&data(".comment"))),
    };
    Program { bitcode, opaque: opaque.collect(), exempt, path }
}

/// Which language a program without bitcode is written in, if not C or C++.
fn other_language(file: &File<'_>, comment: &str) -> Option<String> {
    let has = |name: &str| file.section_by_name(name).is_some();
    let language = match () {
        () if has(".go.buildinfo") || has(".note.go.buildid") => "Go",
        () if comment.contains("rustc") => "Rust",
        () if comment.contains("GHC") => "Haskell",
        () if has(".note.ocaml_eh") => "OCaml",
        () if comment.trim_matches(['\0', ' ']).is_empty() => "assembly",
        () => return None,
    };
    Some(format!("it is written in {language}"))
}
