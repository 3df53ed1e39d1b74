//! Source places from debug information.

use super::{Value, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

/// A source place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File as the compiler recorded it, with its folder in front unless absolute.
    pub file: String,
    /// Line, from 1; 0 for code without a source line.
    pub line: u32,
    /// Column, from 1; 0 unknown.
    pub column: u32,
}

fn file_of(scope: LLVMMetadataRef) -> String {
    if scope.is_null() {
        return String::new();
    }
    let file = ll!(LLVMDIScopeGetFile(scope));
    if file.is_null() {
        return String::new();
    }
    let mut n = 0;
    let p = ll!(LLVMDIFileGetFilename(file, &mut n));
    let name = text(p, n as usize);
    let mut n = 0;
    let p = ll!(LLVMDIFileGetDirectory(file, &mut n));
    let folder = text(p, n as usize);
    std::path::Path::new(&folder).join(name).to_string_lossy().into_owned()
}

impl Value {
    /// Source place of an instruction.
    pub fn location(self) -> Option<Location> {
        let location = ll!(LLVMInstructionGetDebugLoc(self.0));
        if location.is_null() {
            return None;
        }
        Some(Location {
            file: file_of(ll!(LLVMDILocationGetScope(location))),
            line: ll!(LLVMDILocationGetLine(location)),
            column: ll!(LLVMDILocationGetColumn(location)),
        })
    }

    /// Source place of a function's definition.
    pub fn definition(self) -> Option<Location> {
        let subprogram = ll!(LLVMGetSubprogram(self.0));
        if subprogram.is_null() {
            return None;
        }
        Some(Location {
            file: file_of(subprogram),
            line: ll!(LLVMDISubprogramGetLine(subprogram)),
            column: 0,
        })
    }

    pub(super) fn raw_location(self) -> LLVMMetadataRef {
        ll!(LLVMInstructionGetDebugLoc(self.0))
    }
}

impl super::Builder {
    /// New instructions get the source place of `instruction`.
    pub fn locate(&self, instruction: Value) {
        ll!(LLVMSetCurrentDebugLocation2(self.0, instruction.raw_location()));
    }

    /// New instructions get no source place.
    pub fn locate_nowhere(&self) {
        ll!(LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut()));
    }
}

impl super::Builder {
    /// New instructions get line 0 of `function` (calls in functions with debug information must have a place).
    pub fn locate_function(&self, function: Value) {
        let subprogram = ll!(LLVMGetSubprogram(function.0));
        if subprogram.is_null() {
            return self.locate_nowhere();
        }
        let context = ll!(llvm_sys::core::LLVMGetTypeContext(function.ty().0));
        let line = ll!(LLVMDISubprogramGetLine(subprogram));
        let place = ll!(LLVMDIBuilderCreateDebugLocation(context, line, 0, subprogram, std::ptr::null_mut()));
        ll!(LLVMSetCurrentDebugLocation2(self.0, place));
    }
}
