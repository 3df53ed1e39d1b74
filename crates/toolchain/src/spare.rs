//! What the user's linker left out of the executable, and the bitcode may still call for.
//!
//! Native code inlines functions and drops dead calls, so that archive members with their definitions are not linked.
//! The bitcode is from before that and still refers to them. So the link record keeps, of every archive, the bitcode of
//! its members ([`write`]); [`Spare`] finds the member that defines a symbol, and [`Definitions`] tells whether the user's
//! executable does without a symbol.

use crate::executable::{self, Linked};
use crate::linkable::{self, Member};
use crate::note::Output;
use crate::{Error, section};
use object::read::archive::ArchiveFile;
use object::{File, Object as _, ObjectSymbol as _};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Archives with more bitcode than this are not kept, in bytes.
const LARGEST: usize = 512 << 20;

/// An archive of the bitcode of `members`, under the names and symbols of their objects; `None` where there is nothing to
/// keep, or too much.
pub(crate) fn write(members: &[Member]) -> Option<Vec<u8>> {
    let bitcode = |member: &Member| {
        let file = File::parse(&*member.bytes).ok()?;
        let bytes = section::bitcode_of(&file);
        Some(Member { name: member.name.clone(), bytes, has_bitcode: true })
    };
    let with = members.iter().filter(|m| m.has_bitcode);
    let (kept, symbols): (Vec<Member>, Vec<_>) =
        with.filter_map(|m| Some((bitcode(m)?, linkable::defined_symbols(&m.bytes)))).unzip();
    let size: usize = kept.iter().map(|m| m.bytes.len()).sum();
    let fits = size > 0 && size <= LARGEST;
    fits.then(|| linkable::write_indexed(&kept.iter().collect::<Vec<_>>(), &symbols))
}

/// The archive members that may be taken, of all archives of a link.
#[derive(Debug, Default)]
pub struct Spare {
    members: Vec<SpareMember>,
    /// Symbol → the first member that defines it.
    index: HashMap<String, usize>,
}

/// One of them.
#[derive(Debug)]
pub struct SpareMember {
    /// Its name in the archive.
    pub name: String,
    /// Its bitcode: one unit after another, see [`crate::bitcode::split`].
    pub bitcode: Vec<u8>,
}

impl Spare {
    /// Those of these archives, which [`crate::LinkPlan::spare`] names.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(archives: &[PathBuf]) -> Result<Spare, Error> {
        let mut spare = Spare::default();
        for path in archives {
            let bytes = std::fs::read(path).map_err(|e| Error::io(path, "read", e))?;
            let damaged = |e: object::Error| Error::NotAProgram {
                path: path.clone(),
                found: format!("a damaged archive of Spelunk's cache: {e}"),
            };
            spare.add(&bytes).map_err(damaged)?;
        }
        Ok(spare)
    }

    fn add(&mut self, bytes: &[u8]) -> object::Result<()> {
        let archive = ArchiveFile::parse(bytes)?;
        let mut at = HashMap::new();
        for symbol in archive.symbols()?.into_iter().flatten() {
            let symbol = symbol?;
            let n = match at.get(&symbol.offset().0) {
                Some(&n) => n,
                None => {
                    let member = archive.member(symbol.offset())?;
                    let name = String::from_utf8_lossy(member.name()).into_owned();
                    self.members.push(SpareMember { name, bitcode: member.data(bytes)?.to_vec() });
                    at.insert(symbol.offset().0, self.members.len() - 1);
                    self.members.len() - 1
                }
            };
            let name = String::from_utf8_lossy(symbol.name()).into_owned();
            self.index.entry(name).or_insert(n);
        }
        Ok(())
    }

    /// The number of the member that defines `symbol`.
    pub fn defining(&self, symbol: &str) -> Option<usize> {
        self.index.get(symbol).copied()
    }

    /// A member by its number.
    pub fn member(&self, number: usize) -> Option<&SpareMember> {
        self.members.get(number)
    }
}

/// What an executable or shared library defines itself or takes from shared libraries, and whether it has no symbol table.
fn symbols(path: &Path) -> Option<(HashSet<Vec<u8>>, bool)> {
    let bytes = std::fs::read(path).ok()?;
    let file = executable::parse(path, &bytes).ok()?;
    let imported = file.dynamic_symbols().filter_map(|s| s.name_bytes().ok().map(<[u8]>::to_vec));
    // Names of symbols with a version have it behind an `@` in the symbol table.
    let own = file.symbols().filter(|s| !s.is_undefined()).filter_map(|s| s.name_bytes().ok());
    let own = own.map(|n| n.split(|&b| b == b'@').next().unwrap_or(n).to_vec());
    Some((imported.chain(own).collect(), file.symbols().next().is_none()))
}

/// The symbols that an executable defines itself or takes from shared libraries.
#[derive(Debug, Default)]
pub struct Definitions {
    /// `None`: it cannot be told.
    names: Option<HashSet<Vec<u8>>>,
}

impl Definitions {
    /// Those of the executable at `path`. Of one without a symbol table only what it takes from shared libraries is
    /// known; that is enough where its link record is there, because then nothing that was linked is unknown.
    pub fn of(path: &Path) -> Definitions {
        let recorded =
            || Linked::read(path).is_ok_and(|l| l.records.iter().any(|r| r.output == Output::Executable));
        let known = symbols(path).filter(|(_, is_stripped)| !is_stripped || recorded());
        Definitions { names: known.map(|(names, _)| names) }
    }

    /// These and those of a shared library that has become part of the program: the library's own needs are the program's.
    #[must_use]
    pub fn with_library(mut self, path: &Path) -> Definitions {
        if let Some(names) = &mut self.names {
            match symbols(path) {
                Some((more, _)) => names.extend(more),
                None => self.names = None,
            }
        }
        self
    }

    /// Whether the executable surely runs without `symbol`.
    pub fn lack(&self, symbol: &str) -> bool {
        self.names.as_ref().is_some_and(|names| !names.contains(symbol.as_bytes()))
    }
}
