//! What the bitcode needs and the link does not have.
//!
//! The user's executable was linked after optimisation. What native code had inlined, or dropped as dead, nobody defined
//! for the linker: archive members were left out, inline functions of headers kept no copy out of line, and some functions
//! are in no library at all. The bitcode is from before that and refers to all of them. So where the linker misses
//! something that the user's executable does without ([`Definitions::lack`]), it is supplied, in this order:
//!
//! 1. from the archives of the link, whose members the link record keeps as bitcode ([`Spare`]);
//! 2. from the copy for inlining that the program's own bitcode has (flavours `check` and `find`; the others have made
//!    functions of these before, see `prepare`);
//! 3. as a stand-in ([`stand_ins`]). A function that promised to have no effect returns zero: nobody uses its result, else
//!    the user's executable would call it. Any other function ends the run with a message and exit code 127, which is no
//!    finding: the user's executable has no such call, so what `check` does there says nothing about it. A variable
//!    is zero.
//!
//! Flavours `check` and `find` take the members into their one module, so that they are checked like the rest. In the
//! others members are plain code in an archive: the user's executable runs without them, so nothing that the search is
//! about happens there, and ids stay the same in all flavours.

use crate::llvm::{Context, Diagnostics, FUNCTION, Linkage, Module, TargetMachine, Value};
use crate::{Error, prepare};
use fs_err as fs;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use toolchain::{Definitions, ProgramSource, Spare};

/// What a name stands for that is declared and not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A function; `pure`: it writes no memory.
    Function { pure: bool },
    /// A variable.
    Data { bytes: u64, thread_local: bool },
}

/// Everything that a module declares, for [`stand_ins`].
#[derive(Debug, Default)]
pub struct Declared(FxHashMap<String, Shape>);

impl Declared {
    /// What `module` declares.
    pub fn of(module: &Module) -> Declared {
        let mut all = Declared::default();
        all.add(module);
        all
    }

    /// Adds what `module` declares. Done before attributes are stripped, a function is known by its promises.
    pub fn add(&mut self, module: &Module) {
        let is_open = |v: &Value| v.is_declaration() || v.is_available_externally();
        for function in module.functions().into_iter().filter(is_open) {
            let pure = function.attribute(FUNCTION, "memory").is_some_and(|effects| effects & WRITES == 0);
            self.0.entry(symbol(&function.name()).to_owned()).or_insert(Shape::Function { pure });
        }
        for global in module.globals().into_iter().filter(is_open) {
            let ty = global.value_type();
            let bytes = if ty.is_sized() { module.store_size(ty).max(SMALLEST) } else { SMALLEST };
            let shape = Shape::Data { bytes, thread_local: global.is_thread_local() };
            self.0.entry(symbol(&global.name()).to_owned()).or_insert(shape);
        }
    }
}

/// The name that the linker knows a value by: one that the source chose with `asm` is marked in the module.
fn symbol(name: &str) -> &str {
    name.trim_start_matches('\x01')
}

/// The bits of attribute `memory` that stand for writing (`llvm/Support/ModRef.h`: two bits a location, the upper one).
const WRITES: u64 = 0xaaaa_aaaa;
/// Bytes of a variable whose declaration does not say how many it has.
const SMALLEST: u64 = 4096;

/// What can be supplied to a program.
#[derive(Debug)]
pub struct Supply {
    spare: Spare,
    own: Definitions,
    /// What the linker missed.
    wanted: FxHashSet<String>,
}

impl Supply {
    /// For `source`, whose link missed these.
    ///
    /// # Errors
    /// When the archives cannot be read.
    pub fn new(source: &ProgramSource, missing: &[String]) -> Result<Supply, Error> {
        Ok(Supply {
            spare: Spare::read(&source.link.spare)?,
            own: source
                .libraries
                .iter()
                .fold(Definitions::of(&source.executable), |known, l| known.with_library(&l.path)),
            wanted: missing.iter().cloned().collect(),
        })
    }

    fn wants(&self, name: &str) -> bool {
        self.wanted.contains(symbol(name)) || self.own.lack(symbol(name))
    }

    /// Takes into `module` all that it needs and can have: members of archives, and its own copies for inlining.
    ///
    /// # Errors
    /// [`Error::Bitcode`] and [`Error::Link`] where a member does not fit.
    pub fn join(
        &self,
        module: &mut Module,
        context: Context,
        diagnostics: &Diagnostics,
    ) -> Result<(), Error> {
        let mut joined = FxHashSet::default();
        loop {
            let next = self.open(module).into_iter().find_map(|name| {
                let number = self.spare.defining(symbol(&name))?;
                joined.insert(number).then_some(number)
            });
            let Some(member) = next.and_then(|number| self.spare.member(number)) else { break };
            for unit in units(member, context, diagnostics)? {
                make_room(&unit, module);
                let conflict = |()| Error::Link { unit: member.name.clone(), why: diagnostics.take() };
                module.link(unit).map_err(conflict)?;
            }
        }
        for name in self.open(module) {
            let copy = module.function(&name).or_else(|| module.global(&name));
            if let Some(copy) = copy.filter(|c| c.is_available_externally()) {
                copy.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
            }
        }
        Ok(())
    }

    /// Names that `module` uses without a definition, and that may be supplied.
    fn open(&self, module: &Module) -> Vec<String> {
        let open = |v: &Value| (v.is_declaration() || v.is_available_externally()) && v.is_used();
        let all = module.functions().into_iter().chain(module.globals()).filter(open);
        all.map(Value::name).filter(|name| self.wants(name)).collect()
    }

    /// The members of archives that supply what is wanted, and what these need in turn, as plain objects.
    ///
    /// # Errors
    /// [`Error::Bitcode`] for a member that cannot be read, [`Error::Internal`] where LLVM refuses it.
    pub fn objects(&self, declared: &mut Declared, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut open: Vec<String> = self.wanted.iter().cloned().collect();
        open.sort_unstable();
        let (mut taken, mut objects) = (FxHashSet::default(), Vec::new());
        while let Some(name) = open.pop() {
            let Some(number) = self.spare.defining(&name).filter(|&n| taken.insert(n)) else { continue };
            let Some(member) = self.spare.member(number) else { continue };
            let (context, diagnostics) = Context::new();
            for (k, unit) in units(member, context, &diagnostics)?.into_iter().enumerate() {
                declared.add(&unit);
                let needed = unit.functions().into_iter().chain(unit.globals());
                let needed = needed.filter(|v| v.is_declaration()).map(|v| symbol(&v.name()).to_owned());
                open.extend(needed.filter(|name| self.own.lack(name)));
                prepare::drop_foreign(&unit);
                let failed = |why| Error::Internal { during: "compiling a member of an archive", why };
                let machine = TargetMachine::new(&unit.triple()).map_err(failed)?;
                let object = folder.join(format!("spare{number}-{k}.o"));
                machine.emit(unit, std::slice::from_ref(&object)).map_err(failed)?;
                objects.push(object);
            }
        }
        Ok(objects)
    }

    /// A C source that defines those of `missing` that the user's executable does without; `None` if there are none.
    pub fn stand_ins(&self, missing: &[String], declared: &Declared) -> Option<String> {
        let known = missing.iter().filter(|name| self.own.lack(name));
        let known: Vec<(&String, Shape)> =
            known.filter_map(|name| Some((name, *declared.0.get(name)?))).collect();
        (!known.is_empty()).then(|| stand_ins(&known))
    }
}

/// The units of a member of an archive.
fn units(
    member: &toolchain::SpareMember,
    context: Context,
    diagnostics: &Diagnostics,
) -> Result<Vec<Module>, Error> {
    let bad = |why: String| Error::Bitcode { unit: member.name.clone(), why };
    let units = toolchain::bitcode::split(&member.bitcode).map_err(|d| bad(d.what.to_owned()))?;
    let parse = |unit: toolchain::bitcode::Unit<'_>| {
        let module =
            Module::parse(context, &member.name, unit.bytes).map_err(|()| bad(diagnostics.take()))?;
        module.verify().map_err(bad)?;
        Ok(module)
    };
    units.into_iter().map(parse).collect()
}

/// Turns into declarations what a member defines and the program has, too: the user's linker did not take the member, so the
/// program's own counts.
fn make_room(member: &Module, program: &Module) {
    let has = |name: &str| {
        let own = program.function(name).or_else(|| program.global(name));
        own.is_some_and(|v| !v.is_declaration() && !v.is_available_externally() && !v.is_weak())
    };
    for value in member.functions().into_iter().chain(member.globals()) {
        let is_external = value.linkage() == Linkage::LLVMExternalLinkage;
        if is_external && !value.is_declaration() && has(&value.name()) {
            value.undefine();
        }
    }
}

/// Definitions in the place of what nobody has.
fn stand_ins(missing: &[(&String, Shape)]) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <unistd.h>\n\
         static void gone(const char *name) {\n\
         \x20 fprintf(stderr, \"spelunk: the program calls %s, which your executable was linked without; this run ends here\\n\", name);\n\
         \x20 _exit(127);\n}\n",
    );
    for (k, (name, shape)) in missing.iter().enumerate() {
        let label = format!("__asm__(\"{name}\")");
        // Writing to a string does not fail.
        let _ = match shape {
            Shape::Function { pure: true } => {
                writeln!(text, "long f{k}(void) {label};\nlong f{k}(void) {{ return 0; }}")
            }
            Shape::Function { pure: false } => {
                writeln!(text, "void f{k}(void) {label};\nvoid f{k}(void) {{ gone(\"{name}\"); }}")
            }
            Shape::Data { bytes, thread_local } => {
                let class = if *thread_local { "__thread " } else { "" };
                writeln!(
                    text,
                    "extern {class}char d{k}[{bytes}] {label};\n{class}char d{k}[{bytes}] __attribute__((aligned(64)));"
                )
            }
        };
    }
    text
}

/// Writes the archive of `objects` that a linker takes members from as it needs them.
///
/// # Errors
/// When an object cannot be read, or the archive cannot be written.
pub fn archive(objects: &[PathBuf], folder: &Path) -> Result<PathBuf, Error> {
    use toolchain::linkable::{self, Linkable};
    let mut members = Vec::new();
    for object in objects {
        if let Linkable::Object(member) = linkable::read(object)? {
            members.push(member);
        }
    }
    let file = folder.join("spare.a");
    let bytes = linkable::write_archive(&members.iter().collect::<Vec<_>>());
    fs::write(&file, bytes).map_err(|e| Error::io(&file, "write", e))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_have_the_names_that_are_missing() {
        let (f, g, v) = ("_ZN1a1fEv".to_owned(), "g".to_owned(), "v".to_owned());
        let text = stand_ins(&[
            (&f, Shape::Function { pure: false }),
            (&g, Shape::Function { pure: true }),
            (&v, Shape::Data { bytes: 8, thread_local: true }),
        ]);
        assert!(text.contains("void f0(void) __asm__(\"_ZN1a1fEv\");"), "{text}");
        assert!(text.contains("long f1(void) { return 0; }"), "{text}");
        assert!(text.contains("extern __thread char d2[8] __asm__(\"v\");"), "{text}");
    }
}
