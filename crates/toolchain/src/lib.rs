//! The user's build: compiler wrappers that keep bitcode in the executable (`spelunk cc`, `spelunk build`),
//! and reading it back as a [`ProgramSource`].

pub mod source;

pub use source::{Bitcode, LinkPlan, Opaque, OpaqueUnit, ProgramSource, SOURCE_VERSION};
