//! The rule by which packages are drawn, as far as the archive's indices decide it. `bench/sweep/README.md` says it in
//! words; nothing here is a choice of single packages.

use crate::stanza::Stanza;
use regex::Regex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The fixed seed of the draw.
pub const SEED: &str = "spelunk sweep 1";
/// Sections of binary packages with programs that are swept.
const SECTIONS: &[&str] =
    &["utils", "text", "net", "admin", "shells", "interpreters", "math", "sound", "graphics", "libs"];
/// Largest upstream archive, in thousands of bytes of xz or their equivalent: what builds in some minutes.
const MAX_ARCHIVE_KB: u64 = 1000;
/// Most build dependencies: each is installed.
const MAX_BUILD_DEPENDS: usize = 20;
/// The same of those that are walked last, for quotas that the others did not fill.
const MAX_LATER_KB: u64 = 10_000;
const MAX_LATER_BUILD_DEPENDS: usize = 40;
/// Build dependencies (beginnings of their names) that say: another language, a graphical program, or the kernel.
const EXCLUDED: &[&str] = &[
    "qt",
    "libqt",
    "kf5",
    "libkf5",
    "extra-cmake-modules",
    "pkg-kde",
    "libgtk",
    "libgnome",
    "libwx",
    "libfltk",
    "libx11",
    "libxt-",
    "libxext",
    "libxft",
    "libxaw",
    "libxi-",
    "libxcb",
    "libxrandr",
    "xorg",
    "xserver",
    "libmotif",
    "libsdl",
    "libgl",
    "freeglut",
    "libgdk",
    "libcairo",
    "libpango",
    "default-jdk",
    "openjdk",
    "java",
    "javahelper",
    "ant",
    "maven",
    "gradle",
    "ghc",
    "haskell",
    "ocaml",
    "dh-ocaml",
    "rustc",
    "cargo",
    "dh-cargo",
    "golang",
    "dh-golang",
    "linux-headers",
    "dkms",
    "dh-dkms",
    "mono-",
    "gnat",
    "gfortran",
    "fp-compiler",
    "fpc",
    "texlive",
    "nodejs",
    "lazarus",
    "erlang",
    "g++-",
    "gcc-",
    "clang",
    "llvm",
    "dh-elpa",
    "swig",
    "libboost-all-dev",
    "gnustep",
    "gobjc",
    "libwayland",
];

/// A source package that the indices admit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Name of the source package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Section of its first admitted binary package.
    pub section: String,
    /// `c` or `c++`.
    pub language: &'static str,
    /// `cmake`, `meson` or `other`, by its build dependencies.
    pub build: &'static str,
    /// Size of the upstream archive, in thousands of bytes of xz or their equivalent.
    pub archive_kb: u64,
    /// So large, or with so many build dependencies, that it is walked last, for quotas that the others did not fill.
    pub later: bool,
    /// SHA-256 of seed and name: its place in the order.
    pub place: String,
}

/// All candidates in the order of the draw.
pub fn candidates(sources: &[Stanza], packages: &[Stanza]) -> Vec<Candidate> {
    let mut binaries: HashMap<&str, Vec<&Stanza>> = HashMap::new();
    for package in packages.iter().filter(|p| p.get("Architecture") == "amd64") {
        let source = package.get("Source").split(' ').next().filter(|s| !s.is_empty());
        binaries.entry(source.unwrap_or(package.get("Package"))).or_default().push(package);
    }
    let rule = Rule::new();
    let mut newest: HashMap<&str, &Stanza> = HashMap::new();
    for source in sources.iter().filter(|s| s.get("Extra-Source-Only") != "yes") {
        // Later indices (updates, security) hold newer versions.
        newest.insert(source.get("Package"), source);
    }
    let admitted = newest.values().filter_map(|source| {
        rule.admits(source, binaries.get(source.get("Package")).map_or(&[], Vec::as_slice))
    });
    let mut admitted: Vec<Candidate> = admitted.collect();
    admitted.sort_by(|a, b| (a.later, &a.place).cmp(&(b.later, &b.place)));
    admitted
}

struct Rule {
    c: Regex,
    cxx: Regex,
    archive: Regex,
    name: Regex,
    tools: Regex,
}

impl Rule {
    fn new() -> Rule {
        let regex = |text| Regex::new(text).expect("a correct pattern");
        Rule {
            c: regex(r"implemented-in::c(,|\s|$)"),
            cxx: regex(r"implemented-in::c\+\+"),
            archive: regex(r"\.tar\.(xz|gz|bz2|lzma)$"),
            name: regex(r"^[a-z0-9][a-z0-9+.-]*"),
            tools: regex(r"-(bin|tools|utils|progs)$"),
        }
    }

    fn admits(&self, source: &Stanza, binaries: &[&Stanza]) -> Option<Candidate> {
        let programs: Vec<&&Stanza> = binaries.iter().filter(|b| self.has_programs(b)).collect();
        let first = programs.first()?;
        let depends = self.build_depends(source);
        let excluded = |name: &String| EXCLUDED.iter().any(|e| name.starts_with(e));
        if depends.len() > MAX_LATER_BUILD_DEPENDS || depends.iter().any(excluded) {
            return None;
        }
        let archive_kb = self.archive_kb(source);
        if archive_kb == 0 || archive_kb > MAX_LATER_KB {
            return None;
        }
        let name = source.get("Package").to_string();
        let cxx = programs.iter().any(|b| self.cxx.is_match(b.get("Tag")) || depends_on(b, "libstdc++6"));
        let has = |tool: &str| depends.iter().any(|d| d == tool);
        Some(Candidate {
            version: source.get("Version").to_string(),
            section: first.get("Section").to_string(),
            language: if cxx { "c++" } else { "c" },
            build: match (has("cmake"), has("meson")) {
                (true, _) => "cmake",
                (_, true) => "meson",
                _ => "other",
            },
            archive_kb,
            later: archive_kb > MAX_ARCHIVE_KB || depends.len() > MAX_BUILD_DEPENDS,
            place: place(&name),
            name,
        })
    }

    /// Whether a binary package has programs in C or C++, by its tags, else by what it depends on.
    fn has_programs(&self, binary: &Stanza) -> bool {
        let section = binary.get("Section");
        let name = binary.get("Package");
        let is_library = section == "libs" || name.starts_with("lib");
        if !SECTIONS.contains(&section) || (is_library && !self.tools.is_match(name)) {
            return false;
        }
        let tags = binary.get("Tag");
        if tags.contains("implemented-in::") {
            self.c.is_match(tags) || self.cxx.is_match(tags)
        } else {
            depends_on(binary, "libc6")
        }
    }

    fn build_depends(&self, source: &Stanza) -> Vec<String> {
        let all = format!("{},{}", source.get("Build-Depends"), source.get("Build-Depends-Arch"));
        all.split(',').filter_map(|d| Some(self.name.find(d.trim())?.as_str().to_string())).collect()
    }

    fn archive_kb(&self, source: &Stanza) -> u64 {
        let files = source.get("Files").lines().filter_map(|line| {
            let mut words = line.split_whitespace().skip(1);
            Some((words.next()?.parse::<u64>().ok()?, words.next()?))
        });
        let archives = files.filter(|(_, f)| self.archive.is_match(f) && !f.contains(".debian.tar."));
        // gzip's archives are a quarter larger than xz's, bzip2's a tenth.
        let bytes = archives.map(|(size, f)| match f.rsplit('.').next() {
            Some("gz") => size * 8 / 10,
            Some("bz2") => size * 9 / 10,
            _ => size,
        });
        bytes.sum::<u64>().div_ceil(1000)
    }
}

fn depends_on(binary: &Stanza, wanted: &str) -> bool {
    let all = format!("{},{}", binary.get("Depends"), binary.get("Pre-Depends"));
    all.split([',', '|']).any(|d| d.trim().split([' ', '(', ':']).next() == Some(wanted))
}

/// The place of a package in the order.
pub fn place(name: &str) -> String {
    Sha256::digest(format!("{SEED}\0{name}")).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stanza::parse;

    fn source(extra: &str) -> Vec<Stanza> {
        parse(&format!(
            "Package: a\nVersion: 1-1\nBuild-Depends: debhelper-compat (= 13), cmake{extra}\nFiles:\n 00 500000 a_1.orig.tar.gz\n 00 9000000 a_1-1.debian.tar.xz"
        ))
    }

    fn binary(section: &str, name: &str, rest: &str) -> Vec<Stanza> {
        parse(&format!(
            "Package: {name}\nSource: a (1)\nArchitecture: amd64\nSection: {section}\nDepends: libc6 (>= 2.3)\n{rest}"
        ))
    }

    #[test]
    fn a_plain_program_is_admitted() {
        let all = candidates(&source(""), &binary("utils", "a", ""));
        assert_eq!((all.len(), all[0].language, all[0].build, all[0].archive_kb), (1, "c", "cmake", 400));
    }

    #[test]
    fn tags_decide_where_there_are_any() {
        let of = |tag: &str| candidates(&source(""), &binary("utils", "a", &format!("Tag: x::y, {tag}")));
        assert_eq!(of("implemented-in::c++")[0].language, "c++");
        assert_eq!(of("implemented-in::c, role::program")[0].language, "c");
        assert!(of("implemented-in::perl").is_empty());
    }

    #[test]
    fn others_are_not() {
        assert!(candidates(&source(", qtbase5-dev"), &binary("utils", "a", "")).is_empty());
        assert!(candidates(&source(""), &binary("games", "a", "")).is_empty());
        assert!(candidates(&source(""), &binary("libs", "liba1", "")).is_empty());
        assert_eq!(candidates(&source(""), &binary("libs", "liba-bin", "")).len(), 1);
    }

    #[test]
    fn large_ones_are_walked_last() {
        let sources = ["big 4000000", "small 500000", "too-big 16000000", "tiny 100"].map(|words| {
            let (name, size) = words.split_once(' ').expect("two words");
            format!("Package: {name}\nVersion: 1-1\nFiles:\n 00 {size} {name}_1.orig.tar.xz")
        });
        let binaries = ["big", "small", "too-big", "tiny"]
            .map(|name| format!("Package: {name}\nArchitecture: amd64\nSection: utils\nDepends: libc6"));
        let all = candidates(&parse(&sources.join("\n\n")), &parse(&binaries.join("\n\n")));
        let later: Vec<bool> = all.iter().map(|c| c.later).collect();
        assert_eq!(later, [false, false, true]);
        assert_eq!(all[2].name, "big");
    }
}
