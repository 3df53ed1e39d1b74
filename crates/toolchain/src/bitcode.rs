//! Taking section `.llvmbc` apart: linkers put the bitcode of all units one after another.
//!
//! The bitstream container tells how long each block is (LLVM, "LLVM Bitcode File Format"), so units are
//! found by walking the blocks, not by searching for the magic number, which may occur inside data.

mod bits;

use bits::{Bits, Record};

/// `BC` 0xC0DE, at the start of each unit.
const MAGIC: u32 = 0xdec0_4342;
/// Magic of the wrapper that some platforms put around bitcode.
const WRAPPER_MAGIC: u32 = 0x0b17_c0de;
/// Words in a wrapper header.
const WRAPPER_WORDS: usize = 5;
const MODULE_BLOCK: u32 = 8;
const IDENTIFICATION_BLOCK: u32 = 13;

/// The bitcode of one unit, and what its first blocks say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// The bitcode, from its magic number on.
    pub bytes: &'a [u8],
    /// Source file, if recorded.
    pub source: Option<String>,
    /// Target triple, if recorded.
    pub triple: Option<String>,
    /// The program that wrote it, for example `LLVM19.1.7`.
    pub producer: Option<String>,
}

impl Unit<'_> {
    /// Major version of the LLVM that wrote it.
    pub fn llvm_major(&self) -> Option<u32> {
        let version = self.producer.as_deref()?.strip_prefix("LLVM")?;
        version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }
}

/// Something in the section is no bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Where, in bytes from the start of the section.
    pub offset: usize,
    /// What is wrong.
    pub what: &'static str,
}

/// Splits a section into its units; empty units are left out.
///
/// # Errors
/// When something that is no bitcode stands between units, or a unit ends early.
pub fn split(section: &[u8]) -> Result<Vec<Unit<'_>>, Damaged> {
    let mut units = Vec::new();
    let mut at = 0;
    while let Some(found) = word(section, at) {
        at = match found {
            MAGIC => {
                let end = end_of_unit(section, at)?;
                let bytes = &section[at..end];
                let info = describe(bytes);
                if info.has_module {
                    units.push(Unit {
                        bytes,
                        source: info.source,
                        triple: info.triple,
                        producer: info.producer,
                    });
                }
                end
            }
            // The unit inside follows the header; what pads it at the end is zero.
            WRAPPER_MAGIC => at + 4 * WRAPPER_WORDS,
            // Markers without bitcode leave a zero byte; linkers pad with zeros.
            _ if section[at] == 0 => at + section[at..].iter().take_while(|&&b| b == 0).count(),
            _ => return Err(Damaged { offset: at, what: "neither bitcode nor padding" }),
        };
    }
    Ok(units)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// End of the unit that starts at `start`: walks its top-level blocks.
fn end_of_unit(section: &[u8], start: usize) -> Result<usize, Damaged> {
    let mut at = start + 4;
    while let Some(header) = word(section, at) {
        // At the top level abbreviations are 2 bits wide, and only ENTER_SUBBLOCK (1) occurs there. A second
        // magic number (lowest bits 0b10), zero padding or a wrapper's magic ends the unit.
        if header & 3 != 1 {
            break;
        }
        let cut = Damaged { offset: at, what: "a block ends early" };
        let words = word(section, at + 4).ok_or(cut)? as usize;
        let next = words.checked_mul(4).and_then(|n| n.checked_add(at + 8)).ok_or(cut)?;
        if next > section.len() {
            return Err(cut);
        }
        at = next;
    }
    Ok(at)
}

#[derive(Default)]
struct Info {
    has_module: bool,
    source: Option<String>,
    triple: Option<String>,
    producer: Option<String>,
}

/// Reads the few records that describe a unit. What cannot be read is left out: the bitcode reader of LLVM
/// gives the real verdict later.
fn describe(unit: &[u8]) -> Info {
    let mut info = Info::default();
    let mut at = 4;
    while let (Some(header), Some(words)) = (word(unit, at), word(unit, at + 4)) {
        let id = (header >> 2) & 0xff;
        let abbreviation_width = (header >> 10) & 0xf;
        let body = unit.get(at + 8..at + 8 + 4 * words as usize).unwrap_or(&[]);
        match id {
            IDENTIFICATION_BLOCK => {
                bits::for_each_record(Bits::new(body), abbreviation_width, &mut |record| {
                    if record.code == 1 {
                        info.producer = text(record);
                    }
                })
            }
            MODULE_BLOCK => {
                info.has_module = true;
                bits::for_each_record(Bits::new(body), abbreviation_width, &mut |record| match record.code {
                    2 => info.triple = text(record),
                    16 => info.source = text(record),
                    _ => {}
                });
            }
            _ => {}
        }
        at += 8 + 4 * words as usize;
    }
    info
}

fn text(record: &Record) -> Option<String> {
    let bytes: Option<Vec<u8>> = record.operands.iter().map(|&c| u8::try_from(c).ok()).collect();
    bytes.and_then(|b| String::from_utf8(b).ok()).filter(|t| !t.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit of one block with this id and so many words of zeros.
    fn unit(id: u32, words: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        bytes.extend((1 | (id << 2) | (3 << 10)).to_le_bytes());
        bytes.extend(words.to_le_bytes());
        bytes.resize(bytes.len() + 4 * words as usize, 0);
        bytes
    }

    #[test]
    fn units_are_found_by_their_blocks() {
        let mut tricky = unit(MODULE_BLOCK, 4);
        // The magic number inside a block does not start a unit.
        tricky[16..20].copy_from_slice(&MAGIC.to_le_bytes());
        let section = [tricky.clone(), vec![0], unit(MODULE_BLOCK, 0), vec![0; 7], unit(23, 2)].concat();
        let units = split(&section).expect("whole");
        assert_eq!(units.len(), 2, "a unit without a module is left out");
        assert_eq!(units[0].bytes, tricky);
    }

    #[test]
    fn damage_is_told() {
        let whole = unit(MODULE_BLOCK, 3);
        assert_eq!(split(&whole[..whole.len() - 1]), Err(Damaged { offset: 4, what: "a block ends early" }));
        assert_eq!(split(b"garbage!").map_err(|d| d.offset), Err(0));
        assert_eq!(split(&[]), Ok(vec![]));
    }

    #[test]
    fn versions() {
        let unit = |producer: &str| Unit {
            bytes: &[],
            source: None,
            triple: None,
            producer: Some(producer.to_string()),
        };
        assert_eq!(unit("LLVM19.1.7").llvm_major(), Some(19));
        assert_eq!(unit("APPLE_1_1400.0.29").llvm_major(), None);
    }
}
