//! Looking at what a linker is given: objects, archives (thin ones too), shared libraries.

use crate::{Error, section};
use object::read::archive::ArchiveFile;
use object::{BinaryFormat, File, Object as _, ObjectKind, ObjectSymbol as _};
use std::path::{Path, PathBuf};

/// An input of a linker.
pub enum Linkable {
    /// A relocatable object.
    Object(Member),
    /// An archive.
    Archive(Vec<Member>),
    /// A shared library.
    SharedLibrary,
    /// LLVM bitcode in place of an object: link-time optimisation.
    Bitcode,
    /// Something else: a linker script, an object of another machine.
    Unknown,
}

/// An object file, by itself or in an archive.
pub struct Member {
    /// Its file name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether it carries bitcode.
    pub has_bitcode: bool,
}

/// Reads a linker input.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path) -> Result<Linkable, Error> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, "read", e))?;
    if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
        return read_archive(path, &bytes).map(Linkable::Archive);
    }
    if is_bitcode(&bytes) {
        return Ok(Linkable::Bitcode);
    }
    let kind = match File::parse(&*bytes) {
        Ok(file) if file.format() == BinaryFormat::Elf => file.kind(),
        _ => return Ok(Linkable::Unknown),
    };
    Ok(match kind {
        ObjectKind::Relocatable => Linkable::Object(Member::new(file_name(path), bytes)),
        ObjectKind::Dynamic | ObjectKind::Executable => Linkable::SharedLibrary,
        _ => Linkable::Unknown,
    })
}

/// Whether a file is bitcode by itself (with or without the wrapper of some platforms).
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

impl Member {
    fn new(name: String, bytes: Vec<u8>) -> Member {
        let has_bitcode = File::parse(&*bytes).is_ok_and(|f| section::has_bitcode(&f));
        Member { name, bytes, has_bitcode }
    }
}

/// File name for people.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read_archive(path: &Path, bytes: &[u8]) -> Result<Vec<Member>, Error> {
    let damaged = |e: object::Error| Error::NotAProgram {
        path: path.to_path_buf(),
        found: format!("a damaged archive: {e}"),
    };
    let archive = ArchiveFile::parse(bytes).map_err(damaged)?;
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let content = if member.is_thin() {
            let file = path.parent().unwrap_or(Path::new("")).join(PathBuf::from(&name));
            std::fs::read(&file).map_err(|e| Error::io(&file, "read", e))?
        } else {
            member.data(bytes).map_err(damaged)?.to_vec()
        };
        // Archives may hold other things too (libtool puts nothing there, but people do).
        if content.starts_with(b"\x7fELF") {
            members.push(Member::new(file_name(Path::new(&name)), content));
        }
    }
    Ok(members)
}

/// An archive of these objects in GNU format, with the symbol index that linkers want.
pub fn write_archive(members: &[&Member]) -> Vec<u8> {
    let symbols: Vec<Vec<Vec<u8>>> = members.iter().map(|m| defined_symbols(&m.bytes)).collect();
    write_indexed(members, &symbols)
}

/// The same with these symbols in the index, for each member its own.
pub(crate) fn write_indexed(members: &[&Member], symbols: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let count: usize = symbols.iter().map(Vec::len).sum();
    let names_len: usize = symbols.iter().flatten().map(|s| s.len() + 1).sum();
    let index_len = (4 + 4 * count + names_len).next_multiple_of(2);
    let long_names: String = members.iter().map(|m| format!("{}/\n", m.name)).collect();
    let mut offset = 8 + 60 + index_len + 60 + long_names.len().next_multiple_of(2);
    let mut index = (count as u32).to_be_bytes().to_vec();
    for (member, symbols) in members.iter().zip(symbols) {
        for _ in symbols {
            index.extend((offset as u32).to_be_bytes());
        }
        offset += 60 + member.bytes.len().next_multiple_of(2);
    }
    for symbol in symbols.iter().flatten() {
        index.extend(symbol);
        index.push(0);
    }
    index.resize(index_len, 0);

    let mut out = b"!<arch>\n".to_vec();
    push_member(&mut out, "/", &index);
    push_member(&mut out, "//", long_names.as_bytes());
    let mut name_at = 0;
    for member in members {
        push_member(&mut out, &format!("/{name_at}"), &member.bytes);
        name_at += member.name.len() + 2;
    }
    out
}

fn push_member(out: &mut Vec<u8>, name: &str, data: &[u8]) {
    let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len());
    out.extend(header.as_bytes());
    out.extend(data);
    if data.len() % 2 == 1 {
        out.push(b'\n');
    }
}

/// Global symbols that an object defines.
pub(crate) fn defined_symbols(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Ok(file) = File::parse(bytes) else { return Vec::new() };
    file.symbols()
        .filter(|s| s.is_global() && !s.is_undefined())
        .filter_map(|s| s.name_bytes().ok().map(<[u8]>::to_vec))
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_round_trip() {
        let member = |name: &str, bytes: &[u8]| Member {
            name: name.to_string(),
            bytes: [b"\x7fELF", bytes].concat(),
            has_bitcode: false,
        };
        let long = "a-name-that-is-longer-than-sixteen-characters.o";
        let (one, two) = (member(long, b"odd"), member("b.o", b"even"));
        let archive = write_archive(&[&one, &two]);
        let back = read_archive(Path::new("x.a"), &archive).expect("a valid archive");
        let pairs: Vec<_> = back.iter().map(|m| (m.name.as_str(), m.bytes.as_slice())).collect();
        assert_eq!(pairs, [(long, one.bytes.as_slice()), ("b.o", two.bytes.as_slice())]);
    }
}
