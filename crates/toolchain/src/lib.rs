//! The user's build: compiler wrappers that keep bitcode in the executable (`spelunk cc`, `spelunk build`),
//! and reading it back as a [`ProgramSource`].
//!
//! How it fits together: [`wrapper`] runs clang so that each object carries its bitcode and each linked
//! file a link [`note`]; [`build`] runs a whole build with the wrappers in place of its compilers;
//! [`program_of`] reads a target back.

#![forbid(unsafe_code)]

pub mod args;
pub mod bitcode;
pub mod bounded;
pub mod build;
mod cache;
mod clang;
mod error;
mod executable;
mod libraries;
pub mod linkable;
pub mod log;
mod lto;
pub mod note;
mod program;
mod relink;
pub mod response;
pub mod section;
pub mod source;
mod spare;
pub mod wrapper;

pub use cache::{Cache, Stored, write_whole};
pub use clang::{Clang, Language, NEWEST_LLVM, OLDEST_CLANG};
pub use error::Error;
pub use program::{Options, program_of};
pub use section::texts;
pub use source::{Bitcode, LinkPlan, Opaque, OpaqueUnit, ProgramSource, SOURCE_VERSION, SharedLibrary};
pub use spare::{Definitions, Spare, SpareMember};
