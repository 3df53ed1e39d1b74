//! The C++ standard library's part of a program: what its headers declare `extern template`, and a few functions that
//! only its shared library has, as bitcode (design decision D4).
//!
//! Without it, symbolic data is lost in libstdc++.so: `std::string` and streams live there. The sources are our own
//! (`cxx/`): explicit instantiations of the templates, and small implementations of the rest, compiled once by the
//! user's clang with the user's headers ([`compile`]) and linked where the program declares them ([`join`]). The
//! functions carry the attribute [`LIBRARY`]: their branches are followed, but belong to no user's coverage table.
//!
//! The instrumented copies also take the place of the shared library's own (symbols of an executable come first), so
//! that virtual functions of stream buffers and facets which the library itself made are followed too: [`HOOKS`].

mod compile;

use crate::Error;
use crate::llvm::{Context, Diagnostics, Linkage, Module};
use fs_err as fs;
use std::path::Path;
use toolchain::ProgramSource;

/// Attribute of a function that belongs to the library, not to the program.
pub const LIBRARY: &str = "spelunk-library";

/// One source of ours, compiled.
#[derive(Clone, Debug)]
pub struct Unit {
    name: &'static str,
    bitcode: Vec<u8>,
    hooks: Vec<&'static str>,
}

/// A source of ours and when it is needed.
struct Source {
    name: &'static str,
    text: &'static str,
    /// What the program's symbols must contain.
    when: &'static [&'static str],
    /// Compiler flags beside the common ones; the first names the library.
    flags: &'static [&'static str],
}

/// In the order in which they are joined.
const SOURCES: &[Source] = &[
    TEMPLATES,
    Source {
        name: "libstdc++ streams",
        text: include_str!("../cxx/libstdcxx/streams.cc"),
        when: LIBSTDCXX,
        flags: &["-stdlib=libstdc++"],
    },
    Source {
        name: "libstdc++ numbers",
        text: include_str!("../cxx/libstdcxx/numbers.cc"),
        when: LIBSTDCXX,
        flags: &["-stdlib=libstdc++"],
    },
    Source {
        name: "libstdc++ containers",
        text: include_str!("../cxx/libstdcxx/containers.cc"),
        when: &["_Rb_tree_", "_List_node_base", "_Hash_bytes", "_Fnv_hash_bytes"],
        flags: &["-stdlib=libstdc++"],
    },
    // Again, for what the others use.
    TEMPLATES,
    Source {
        name: "libstdc++ templates, old strings",
        text: TEMPLATES.text,
        when: &["_ZNSs", "_ZNKSs"],
        flags: &["-stdlib=libstdc++", "-D_GLIBCXX_USE_CXX11_ABI=0"],
    },
    Source {
        name: "libc++ standard input",
        text: include_str!("../cxx/libcxx/stdin.cc"),
        when: &["_ZNSt3__13cinE"],
        flags: &[LIBCXX],
    },
    Source {
        name: "libc++ templates",
        text: include_str!("../cxx/libcxx/templates.cc"),
        when: &["NSt3__1", "_ZSt3__1"],
        flags: &[LIBCXX],
    },
];

const LIBCXX: &str = "-stdlib=libc++";

const TEMPLATES: Source = Source {
    name: "libstdc++ templates",
    text: include_str!("../cxx/libstdcxx/templates.cc"),
    when: LIBSTDCXX,
    flags: &["-stdlib=libstdc++"],
};

/// Parts of mangled names by which a program shows that it uses strings or streams of libstdc++.
const LIBSTDCXX: &[&str] = &["NSt7__cxx11", "_ZNSs", "_ZNKSs", "_ZNSi", "_ZNSo", "_ZSt", "_ZNSt", "_ZNKSt"];

/// Symbols that nothing in the program names, but through which libstdc++.so comes back to it: (what the program's
/// symbols contain, the symbol).
const HOOKS: &[(&[&str], &str)] = &[
    // std::cin's buffer, as it is and after sync_with_stdio(false).
    (&["_ZSt3cin"], "_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE"),
    (&["_ZSt3cin"], "_ZTVSt13basic_filebufIcSt11char_traitsIcEE"),
    // Numbers out of streams, and into those that are read back.
    (INPUT, "_ZTVSt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEE"),
    (&["stringstream"], "_ZTVSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE"),
    (FACETS, "_ZNKSt5ctypeIcE8do_widenEc"),
    (FACETS, "_ZNKSt5ctypeIcE9do_narrowEcc"),
    (FACETS, "_ZNKSt5ctypeIcE8do_widenEPKcS2_Pc"),
    (FACETS, "_ZNKSt5ctypeIcE9do_narrowEPKcS2_cPc"),
    (FACETS, "_ZNKSt5ctypeIcE10do_toupperEc"),
    (FACETS, "_ZNKSt5ctypeIcE10do_tolowerEc"),
    (FACETS, "_ZNKSt5ctypeIcE10do_toupperEPcPKc"),
    (FACETS, "_ZNKSt5ctypeIcE10do_tolowerEPcPKc"),
    (&["collateIcE"], "_ZTVNSt7__cxx117collateIcEE"),
    (MESSAGES, "_ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
    (MESSAGES, "_ZNSt13runtime_errorC2EPKc"),
    (MESSAGES, "_ZNSt11logic_errorC2EPKc"),
    (MESSAGES, "_ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
    // The same of libc++.
    (LIBCXX_INPUT, "_ZTVNSt3__17num_getIcNS_19istreambuf_iteratorIcNS_11char_traitsIcEEEEEE"),
    (&["stringstream"], "_ZTVNSt3__17num_putIcNS_19ostreambuf_iteratorIcNS_11char_traitsIcEEEEEE"),
    (LIBCXX_INPUT, "_ZNKSt3__15ctypeIcE8do_widenEc"),
    (LIBCXX_INPUT, "_ZNKSt3__15ctypeIcE9do_narrowEcc"),
    (LIBCXX_INPUT, "_ZNKSt3__15ctypeIcE10do_toupperEc"),
    (LIBCXX_INPUT, "_ZNKSt3__15ctypeIcE10do_tolowerEc"),
];
const INPUT: &[&str] = &[
    "_ZSt3cin",
    "_ZNSi",
    "ifstream",
    "basic_fstream",
    "stringstream",
    "_ZSt7getline",
    "_ZStrs",
    "basic_istream",
];
const MESSAGES: &[&str] = &["_error", "invalid_argument", "out_of_range"];
const LIBCXX_INPUT: &[&str] = &["istream", "stringstream", "ifstream", "ctypeIc", "_ZNSt3__13cinE"];
const FACETS: &[&str] = &["_ZSt3cin", "_ZNSi", "stream", "ctypeIcE", "_ZSt7getline", "_ZStrs"];

/// The units that `source` needs, compiled or taken from the cache below `root`.
///
/// A library whose headers clang does not find is left out with a warning: the program was compiled elsewhere, and
/// is explored without.
///
/// # Errors
/// When the program's bitcode or the cache cannot be read.
pub fn units(source: &ProgramSource, root: &Path) -> Result<Vec<Unit>, Error> {
    if !source.link.cxx {
        return Ok(Vec::new());
    }
    let mut symbols = Vec::new();
    for module in &source.modules {
        symbols.extend(fs::read(&module.path).map_err(|e| Error::io(&module.path, "read the bitcode", e))?);
    }
    let names = |parts: &[&str]| parts.iter().any(|p| contains(&symbols, p.as_bytes()));
    let is_libcxx = names(&["NSt3__1"]);
    let fits = |s: &&Source| (s.flags.first() == Some(&LIBCXX)) == is_libcxx && names(s.when);
    let mut units = Vec::new();
    for wanted in SOURCES.iter().filter(fits) {
        let Some(bitcode) = compile::unit(wanted.name, wanted.text, wanted.flags, root)? else {
            return Ok(Vec::new());
        };
        let hooks = HOOKS.iter().filter(|(when, _)| names(when)).map(|&(_, symbol)| symbol).collect();
        units.push(Unit { name: wanted.name, bitcode, hooks });
    }
    Ok(units)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    let Some(&first) = part.first() else { return true };
    let mut at = 0;
    while let Some(next) = text[at..].iter().position(|&b| b == first) {
        at += next;
        if text[at..].starts_with(part) {
            return true;
        }
        at += 1;
    }
    false
}

/// Links the units' definitions into `program` where it declares them or has copies for inlining only.
///
/// # Errors
/// [`Error::Bitcode`] and [`Error::Link`] where a unit does not fit, which is a mistake in it.
pub fn join(
    program: &mut Module,
    units: &[Unit],
    context: Context,
    diagnostics: &Diagnostics,
) -> Result<(), Error> {
    for unit in units {
        let broken = |why| Error::Bitcode { unit: unit.name.to_owned(), why };
        let module =
            Module::parse(context, unit.name, &unit.bitcode).map_err(|()| broken(diagnostics.take()))?;
        let own = prepare(&module, context);
        make_room(program, &module, &unit.hooks);
        let conflict = |()| Error::Link { unit: unit.name.to_owned(), why: diagnostics.take() };
        program.link_needed(module).map_err(conflict)?;
        settle(program, &own, &unit.hooks);
    }
    Ok(())
}

/// Marks the functions of a unit; returns the names of those that stand for functions of the shared library.
fn prepare(unit: &Module, context: Context) -> Vec<String> {
    let mut own = Vec::new();
    for function in unit.functions().into_iter().filter(|f| !f.is_declaration()) {
        function.add_string_attribute(context, LIBRARY);
        match function.linkage() {
            Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage | Linkage::LLVMLinkOnceODRLinkage => {}
            _ => own.push(function.name()),
        }
    }
    own
}

/// Turns into declarations what `unit` defines and the program has only as a copy for inlining (or, where the unit has
/// a definition of its own, as an inline function of a header), and declares the hooks.
fn make_room(program: &Module, unit: &Module, hooks: &[&str]) {
    for theirs in unit.functions().into_iter().filter(|f| !f.is_declaration()) {
        let Some(ours) = program.function(&theirs.name()) else { continue };
        let replaces = theirs.linkage() == Linkage::LLVMExternalLinkage && ours.is_weak();
        if !ours.is_declaration() && (ours.is_available_externally() || replaces) {
            ours.undefine();
        }
    }
    for theirs in unit.globals().into_iter().filter(|g| !g.is_declaration()) {
        let Some(ours) = program.global(&theirs.name()) else { continue };
        if ours.is_available_externally() {
            ours.undefine();
        }
    }
    let context = program.context();
    for &hook in hooks {
        if unit.function(hook).is_some_and(|f| !f.is_declaration()) {
            program.declare(hook, context.void().function(&[], false));
        } else if unit.global(hook).is_some_and(|g| !g.is_declaration()) && program.global(hook).is_none() {
            program.add_global(hook, context.pointer());
        }
    }
}

/// What the unit brought goes again if nothing uses it, except the hooks.
fn settle(program: &Module, own: &[String], hooks: &[&str]) {
    for name in own {
        let Some(function) = program.function(name).filter(|f| !f.is_declaration()) else { continue };
        let linkage = if hooks.contains(&name.as_str()) {
            Linkage::LLVMWeakODRLinkage
        } else {
            Linkage::LLVMLinkOnceODRLinkage
        };
        function.set_linkage(linkage);
    }
}
