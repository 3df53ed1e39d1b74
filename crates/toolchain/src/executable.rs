//! Reading an executable or shared library: machine, bitcode, link records, needed libraries.

use crate::note::{self, LinkRecord};
use crate::section::bitcode_of;
use crate::{Error, libraries};
use object::{
    Architecture, BinaryFormat, File, Object as _, ObjectKind, ObjectSection as _, ObjectSymbol as _,
    ObjectSymbolTable as _, RelocationFlags, RelocationTarget,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_PIE: u64 = 0x0800_0000;

/// What a linked ELF file says.
pub struct Linked {
    /// Bitcode of all units, empty if absent.
    pub bitcode: Vec<u8>,
    /// The link records.
    pub records: Vec<LinkRecord>,
    /// Whether it is a program rather than a shared library.
    pub is_program: bool,
    /// Names of the shared libraries it needs.
    pub needed: Vec<String>,
    /// Its run path, with `$ORIGIN` filled in.
    pub run_path: Vec<PathBuf>,
    /// Position-independent.
    pub is_pie: bool,
    /// Strong global symbols it defines in its own sections.
    pub defined: HashSet<Vec<u8>>,
    /// Names of the symbols that it offers to others, sorted.
    pub exported: Vec<String>,
}

impl Linked {
    /// Reads the ELF file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, is no ELF file, or is for another machine.
    pub fn read(path: &Path) -> Result<Linked, Error> {
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, "read", e))?;
        let file = parse(path, &bytes)?;
        let section = |name: &str| {
            file.section_by_name(name).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default()
        };
        let dynamic = Dynamic::read(&section(".dynamic"), &section(".dynstr"), path);
        let interpreted = file.section_by_name(".interp").is_some();
        Ok(Linked {
            bitcode: bitcode_of(&file),
            records: note::records_in(&section(note::SECTION)),
            is_program: file.kind() == ObjectKind::Executable || interpreted || dynamic.is_pie,
            needed: dynamic.needed,
            run_path: dynamic.run_path,
            is_pie: file.kind() == ObjectKind::Dynamic,
            defined: strong_symbols(&file),
            exported: exported_symbols(&file),
        })
    }

    /// Needed libraries as files, for executables without a link record; the C library and the compiler's
    /// own are left out, the driver adds them.
    pub fn needed_files(&self) -> Vec<Result<PathBuf, String>> {
        let own = ["libc.so.", "ld-linux", "libgcc_s.so.", "libstdc++.so.", "libc++.so.", "libc++abi.so."];
        let others = self.needed.iter().filter(|n| !own.iter().any(|o| n.starts_with(o)));
        others.map(|n| libraries::needed(n, &self.run_path).ok_or_else(|| n.clone())).collect()
    }

    /// Whether it needs the C++ standard library.
    pub fn needs_cxx(&self) -> bool {
        self.needed.iter().any(|n| n.starts_with("libstdc++.so.") || n.starts_with("libc++.so."))
    }
}

/// Parses an ELF file for this machine.
pub fn parse<'a>(path: &Path, bytes: &'a [u8]) -> Result<File<'a>, Error> {
    let not = |found: String| Error::NotAProgram { path: path.to_path_buf(), found };
    let file = File::parse(bytes).map_err(|_| not(describe(bytes)))?;
    if file.format() != BinaryFormat::Elf {
        return Err(not(format!("a {:?} file", file.format())));
    }
    if file.architecture() != Architecture::X86_64 || !file.is_64() {
        let width = if file.is_64() { 64 } else { 32 };
        let machine = format!("{width}-bit {:?}", file.architecture());
        return Err(Error::OtherMachine { path: path.to_path_buf(), machine });
    }
    Ok(file)
}

/// What a file that is no ELF file seems to be.
pub fn describe(bytes: &[u8]) -> String {
    match bytes {
        [] => "an empty file".into(),
        [b'#', b'!', ..] => "a script".into(),
        [0x7f, b'E', b'L', b'F', ..] => "a damaged ELF file".into(),
        [b'M', b'Z', ..] => "a Windows program".into(),
        [b'B', b'C', 0xc0, 0xde, ..] => "LLVM bitcode by itself".into(),
        _ if bytes.iter().take(512).all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => {
            "a text file".into()
        }
        _ => "not an ELF file".into(),
    }
}

fn strong_symbols(file: &File<'_>) -> HashSet<Vec<u8>> {
    // Start-up code and linkers define these in every executable and library.
    let common: [&[u8]; 9] = [
        b"_init",
        b"_fini",
        b"_edata",
        b"__bss_start",
        b"_end",
        b"_start",
        b"__data_start",
        b"data_start",
        b"_IO_stdin_used",
    ];
    let copied = copied_symbols(file);
    file.symbols()
        .chain(file.dynamic_symbols())
        .filter(|s| s.is_global() && !s.is_weak() && !s.is_undefined())
        .filter_map(|s| s.name_bytes().ok().map(<[u8]>::to_vec))
        .filter(|n| !common.contains(&n.as_slice()) && !copied.contains(n) && !n.is_empty())
        .collect()
}

fn exported_symbols(file: &File<'_>) -> Vec<String> {
    let symbols = file.dynamic_symbols().filter(|s| s.is_global() && !s.is_undefined());
    let mut names: Vec<String> = symbols.filter_map(|s| s.name().ok().map(String::from)).collect();
    names.sort();
    names.dedup();
    names
}

/// Variables of shared libraries that the executable holds a copy of: defined in it, but not by it.
fn copied_symbols(file: &File<'_>) -> HashSet<Vec<u8>> {
    let Some(symbols) = file.dynamic_symbol_table() else { return HashSet::new() };
    let relocations = file.dynamic_relocations().into_iter().flatten();
    relocations
        .filter(|(_, r)| r.flags() == RelocationFlags::Elf { r_type: object::elf::R_X86_64_COPY })
        .filter_map(|(_, r)| match r.target() {
            RelocationTarget::Symbol(index) => symbols.symbol_by_index(index).ok(),
            _ => None,
        })
        .filter_map(|s| s.name_bytes().ok().map(<[u8]>::to_vec))
        .collect()
}

#[derive(Default)]
struct Dynamic {
    needed: Vec<String>,
    run_path: Vec<PathBuf>,
    is_pie: bool,
}

impl Dynamic {
    fn read(section: &[u8], strings: &[u8], path: &Path) -> Dynamic {
        let mut dynamic = Dynamic::default();
        let origin = path.parent().unwrap_or(Path::new("")).canonicalize().unwrap_or_default();
        let string = |at: u64| {
            let bytes = strings.get(usize::try_from(at).ok()?..)?;
            let end = bytes.iter().position(|&b| b == 0)?;
            Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
        };
        for entry in section.chunks_exact(16) {
            let (tag, value) = entry.split_at(8);
            let number = |b: &[u8]| b.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
            let (tag, value) = (number(tag), number(value));
            match tag {
                DT_NULL => break,
                DT_NEEDED => dynamic.needed.extend(string(value)),
                DT_RPATH | DT_RUNPATH => {
                    let text = string(value).unwrap_or_default();
                    let origin = origin.to_string_lossy();
                    let filled = text.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
                    dynamic.run_path.extend(filled.split(':').filter(|d| !d.is_empty()).map(PathBuf::from));
                }
                DT_FLAGS_1 => dynamic.is_pie = value & DF_1_PIE != 0,
                _ => {}
            }
        }
        dynamic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_described() {
        assert_eq!(describe(b""), "an empty file");
        assert_eq!(describe(b"#!/bin/sh\n"), "a script");
        assert_eq!(describe(b"hello\n"), "a text file");
        assert_eq!(describe(&[0xff; 8]), "not an ELF file");
    }
}
