//! The section that holds bitcode, and its name.
//!
//! clang names it `.llvmbc`. Tools of GNU binutils that load LLVM's linker plugin (Debian installs it for
//! `ar`, `nm` and `ranlib` along with clang) take an object with a section of that name for bitcode *only*,
//! and when the plugin is of another LLVM version they see no symbols in it: archives get no index, libtool's
//! checks fail. The wrappers therefore rename the section in what they make; both names are read.

use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{File, Object as _, ObjectSection as _};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The name clang gives.
const CLANG_NAME: &str = ".llvmbc";
/// The name in what the wrappers make; of the same length, so that it can be changed in place.
const OWN_NAME: &str = ".spelbc";

/// Bitcode smaller than this is an empty marker.
const MARKER: u64 = 4;

/// Whether a file carries bitcode.
pub fn has_bitcode(file: &File<'_>) -> bool {
    file.sections().any(|s| is_bitcode(&s) && s.size() > MARKER)
}

/// All bitcode of a file, one unit after another.
pub fn bitcode_of(file: &File<'_>) -> Vec<u8> {
    let sections = file.sections().filter(is_bitcode);
    sections.filter_map(|s| s.uncompressed_data().ok()).flat_map(|data| data.into_owned()).collect()
}

/// The texts in section `name` of the file at `path`, each with a zero behind it; none where there is no such section.
pub fn texts(path: &Path, name: &str) -> Vec<String> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = File::parse(&*bytes) else { return Vec::new() };
    let section = file.section_by_name(name).and_then(|section| section.uncompressed_data().ok());
    let all = section.unwrap_or_default();
    let texts = all.split(|&b| b == 0).filter(|text| !text.is_empty());
    texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

fn is_bitcode<'a>(section: &impl object::ObjectSection<'a>) -> bool {
    section.name().is_ok_and(|n| n == CLANG_NAME || n == OWN_NAME)
}

/// Renames the bitcode section of the object, executable or library at `path`, in place; anything else is
/// left alone, and so is a file that cannot be read or written.
pub fn rename(path: &Path) {
    if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return;
    }
    let Ok(bytes) = std::fs::read(path) else { return };
    if let Some(at) = name_position(&bytes)
        && let Ok(file) = OpenOptions::new().write(true).open(path)
    {
        // Without the new name the object is as clang made it, and is read as well.
        let _ = file.write_all_at(OWN_NAME.as_bytes(), at as u64);
    }
}

/// Where in an ELF file the name `.llvmbc` of its section stands.
fn name_position(bytes: &[u8]) -> Option<usize> {
    let File::Elf64(file) = File::parse(bytes).ok()? else { return None };
    let endian = file.endian();
    let table = file.elf_section_table();
    let header = file.elf_header();
    let names =
        table.section(header.shstrndx(endian, bytes).ok().map(|i| object::SectionIndex(i as usize))?).ok()?;
    let section = file.section_by_name(CLANG_NAME)?;
    let at = names.sh_offset(endian).checked_add(section.elf_section_header().sh_name(endian).into())?;
    let at = usize::try_from(at).ok()?;
    let end = at + CLANG_NAME.len();
    (bytes.get(at..end)? == CLANG_NAME.as_bytes() && bytes.get(end) == Some(&0)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::write::Object;
    use object::{Architecture, BinaryFormat, Endianness, SectionKind};

    fn object_with(section: &str) -> Vec<u8> {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let id = object.add_section(Vec::new(), section.into(), SectionKind::Data);
        object.append_section_data(id, b"some bitcode", 1);
        object.write().expect("a valid object")
    }

    #[test]
    fn the_section_is_renamed_in_place_and_still_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("x.o");
        std::fs::write(&path, object_with(CLANG_NAME)).expect("written");
        rename(&path);
        let bytes = std::fs::read(&path).expect("read");
        let file = File::parse(&*bytes).expect("still an object");
        assert!(file.section_by_name(CLANG_NAME).is_none());
        assert!(has_bitcode(&file));
        assert_eq!(bitcode_of(&file), b"some bitcode");
        assert_eq!(bytes, object_with(OWN_NAME));
    }

    #[test]
    fn other_files_are_left_alone() {
        for bytes in [object_with(".text"), b"text".to_vec(), Vec::new()] {
            assert_eq!(name_position(&bytes), None);
        }
    }
}
