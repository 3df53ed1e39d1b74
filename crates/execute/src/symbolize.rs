//! Link-time addresses of an executable → function, file, line, by its debug information.

use addr2line::gimli;
use object::{Object as _, ObjectSection as _};
use std::path::Path;

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Function, demangled; empty if unknown.
    pub function: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line, 0 if unknown.
    pub line: u32,
}

/// The debug information of one executable.
pub struct Symbolizer {
    loader: addr2line::Loader,
}

impl Symbolizer {
    /// Opens the debug information of `executable`.
    ///
    /// # Errors
    /// When the file cannot be read or is no object file; the message names it.
    pub fn open(executable: &Path) -> Result<Symbolizer, String> {
        addr2line::Loader::new(executable)
            .map(|loader| Symbolizer { loader })
            .map_err(|e| format!("cannot read the debug information of {}: {e}", executable.display()))
    }

    /// The frames at `address`, innermost inlined function first; empty if nothing is known about it.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut out = Vec::new();
        if let Ok(mut frames) = self.loader.find_frames(address) {
            while let Ok(Some(f)) = frames.next() {
                let function = f.function.as_ref().and_then(|n| n.demangle().ok()).map(|n| n.into_owned());
                let place = f.location.as_ref();
                out.push(Frame {
                    function: function.unwrap_or_default(),
                    file: place.and_then(|l| l.file).unwrap_or_default().to_owned(),
                    line: place.and_then(|l| l.line).unwrap_or(0),
                });
            }
        }
        // Code may lie outside the ranges that debug information gives to its function.
        if out.last().is_none_or(|f| f.function.is_empty())
            && let Some(function) = self.symbol(address)
        {
            match out.last_mut() {
                Some(last) => last.function = function,
                None => out.push(Frame { function, ..Frame::default() }),
            }
        }
        out
    }

    /// The symbol that holds an address, demangled; the program's `main` goes by another name in flavours.
    fn symbol(&self, address: u64) -> Option<String> {
        match self.loader.find_symbol(address)? {
            trace_abi::USER_MAIN => Some("main".into()),
            name => Some(addr2line::demangle_auto(name.into(), None).into_owned()),
        }
    }

    /// The frames of a call stack of return addresses, innermost first. The innermost address is exact; the others
    /// point behind the call, so one byte is taken off. Addresses of 0 (outside the executable) give one empty frame.
    pub fn stack(&self, addresses: &[u64]) -> Vec<Frame> {
        let frames_of = |(i, &a): (usize, &u64)| match a {
            0 => vec![Frame::default()],
            _ => self.frames(if i == 0 { a } else { a - 1 }),
        };
        addresses.iter().enumerate().flat_map(frames_of).collect()
    }
}

/// Whether a function of C is declared to return nothing, by the debug information of `executable`; false where that is not
/// known.
pub fn returns_nothing(executable: &Path, function: &str) -> bool {
    let Ok(bytes) = std::fs::read(executable) else { return false };
    let Ok(object) = object::File::parse(&*bytes) else { return false };
    declared_void(&object, function).unwrap_or(false)
}

fn declared_void(object: &object::File<'_>, function: &str) -> Result<bool, gimli::Error> {
    let load = |id: gimli::SectionId| {
        let section = object.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
        Ok::<_, gimli::Error>(section.unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load)?;
    let dwarf = sections.borrow(|bytes| gimli::EndianSlice::new(bytes, gimli::LittleEndian));
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut tree = unit.entries_tree(None)?;
        let mut entries = tree.root()?.children();
        while let Some(node) = entries.next()? {
            let entry = node.entry();
            let has = |name| entry.attr_value(name).is_some();
            if entry.tag() != gimli::DW_TAG_subprogram || !has(gimli::DW_AT_low_pc) {
                continue;
            }
            let name = entry.attr_value(gimli::DW_AT_name).and_then(|v| dwarf.attr_string(&unit, v).ok());
            if name.is_some_and(|n| n.slice() == function.as_bytes()) {
                return Ok(!has(gimli::DW_AT_type));
            }
        }
    }
    Ok(false)
}
