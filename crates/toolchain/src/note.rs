//! The link record: what a link step knows and cannot be derived from the executable later, kept as JSON in
//! an ELF note in section `.spelunk` of what was linked.
//!
//! A note (name `Spelunk`, type [`NOTE_TYPE`]) delimits itself, so that the records of partial links (`-r`)
//! and of the final link stand one after another in the section. It is not loaded at run time; linkers keep
//! notes under `--gc-sections`, `strip` keeps them too.

use crate::{Error, OpaqueUnit, SOURCE_VERSION};
use object::write::{Object, SectionFlags};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Section that holds link records.
pub const SECTION: &str = ".spelunk";
/// Type of the note.
pub const NOTE_TYPE: u32 = 0x4b4c_5053;
const OWNER: &[u8; 8] = b"Spelunk\0";

/// What was linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// An executable.
    Executable,
    /// A shared library (`-shared`).
    Shared,
    /// An object of objects (`-r`).
    Relocatable,
}

/// What one link step knew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkRecord {
    /// [`SOURCE_VERSION`].
    pub version: u32,
    /// What was made.
    pub output: Output,
    /// Linked by the C++ driver.
    pub cxx: bool,
    /// Arguments for linking again, as in [`crate::LinkPlan::args`].
    pub args: Vec<String>,
    /// Objects without bitcode, in the store.
    pub objects: Vec<PathBuf>,
    /// Bitcode of the members of archives, as in [`crate::LinkPlan::spare`]. Records of earlier versions have none.
    #[serde(default)]
    pub spare: Vec<PathBuf>,
    /// Shared libraries that are not installed: absolute paths.
    pub shared: Vec<PathBuf>,
    /// Units without bitcode.
    pub opaque: Vec<OpaqueUnit>,
    /// Sanitizers left out of `args`.
    pub dropped_sanitizers: Vec<String>,
}

/// An object file whose only content is the note of `record`.
///
/// # Errors
/// Never for records of reasonable size; the error is there because serialisation has one.
pub fn object_with(record: &LinkRecord) -> Result<Vec<u8>, Error> {
    let failed = |text: String| {
        Error::io(std::path::Path::new(SECTION), "make the link record", std::io::Error::other(text))
    };
    let json = serde_json::to_vec(record).map_err(|e| failed(e.to_string()))?;
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let section = object.add_section(Vec::new(), SECTION.into(), SectionKind::Note);
    object.append_section_data(section, &note(&json), 4);
    object.section_mut(section).flags =
        SectionFlags::Elf { sh_type: object::elf::SHT_NOTE, sh_flags: Default::default() };
    // Without this empty section linkers would assume that the object needs an executable stack.
    let stack = object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    object.section_mut(stack).flags =
        SectionFlags::Elf { sh_type: object::elf::SHT_PROGBITS, sh_flags: Default::default() };
    object.write().map_err(|e| failed(e.to_string()))
}

fn note(json: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24 + json.len());
    bytes.extend((OWNER.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(NOTE_TYPE.to_le_bytes());
    bytes.extend(OWNER);
    bytes.extend(json);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// The records in the content of a section `.spelunk`; notes of others and of other versions are skipped.
pub fn records_in(mut section: &[u8]) -> Vec<LinkRecord> {
    let mut records = Vec::new();
    while let Some((record, rest)) = next_note(section) {
        records.extend(record);
        section = rest;
    }
    records
}

/// Reads one note: its record, if it is one of ours, and what follows.
fn next_note(section: &[u8]) -> Option<(Option<LinkRecord>, &[u8])> {
    let word = |at: usize| section.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (name_len, desc_len) = (word(0)? as usize, word(4)? as usize);
    let name = section.get(12..12usize.checked_add(name_len)?)?;
    let start = 12 + name_len.next_multiple_of(4);
    let desc = section.get(start..start.checked_add(desc_len)?)?;
    let rest = section.get(start + desc_len.next_multiple_of(4)..).unwrap_or(&[]);
    let ours = name == OWNER && word(8)? == NOTE_TYPE;
    let record = ours.then(|| serde_json::from_slice::<LinkRecord>(desc).ok()).flatten();
    Some((record.filter(|r| r.version == SOURCE_VERSION), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str) -> LinkRecord {
        LinkRecord {
            version: SOURCE_VERSION,
            output: Output::Executable,
            cxx: false,
            args: vec![name.to_string()],
            objects: Vec::new(),
            spare: Vec::new(),
            shared: Vec::new(),
            opaque: Vec::new(),
            dropped_sanitizers: Vec::new(),
        }
    }

    #[test]
    fn notes_follow_one_another() {
        let json = |r: &LinkRecord| serde_json::to_vec(r).expect("serializable");
        let (one, two) = (record("-lm"), record("-lpthread"));
        let section = [note(&json(&one)), note(b"not json"), note(&json(&two))].concat();
        assert_eq!(records_in(&section), [one, two]);
    }

    #[test]
    fn damaged_sections_end_quietly() {
        let whole = note(b"{}");
        for end in 0..whole.len() {
            assert!(records_in(&whole[..end]).is_empty());
        }
        assert!(records_in(&[0xff; 64]).is_empty());
    }
}
