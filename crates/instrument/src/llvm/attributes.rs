//! Attributes of functions and call sites.

use super::{Context, Value};
use llvm_sys::LLVMAttributeIndex;
use llvm_sys::core::*;

/// Where an attribute stands: on the function, its result (0) or parameter k (k + 1).
pub type Place = LLVMAttributeIndex;
/// On the function itself.
pub const FUNCTION: Place = llvm_sys::LLVMAttributeFunctionIndex;

fn kind(name: &str) -> u32 {
    ll!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

impl Value {
    /// Adds an attribute to a function.
    pub fn add_attribute(self, context: Context, place: Place, name: &str, value: u64) {
        let attribute = ll!(LLVMCreateEnumAttribute(context.0, kind(name), value));
        ll!(LLVMAddAttributeAtIndex(self.0, place, attribute));
    }

    /// Adds an attribute to a call.
    pub fn add_call_attribute(self, context: Context, place: Place, name: &str) {
        let attribute = ll!(LLVMCreateEnumAttribute(context.0, kind(name), 0));
        ll!(LLVMAddCallSiteAttribute(self.0, place, attribute));
    }

    /// Removes an attribute from a function.
    pub fn remove_attribute(self, place: Place, name: &str) {
        ll!(LLVMRemoveEnumAttributeAtIndex(self.0, place, kind(name)));
    }

    /// Removes a string attribute from a function.
    pub fn remove_string_attribute(self, name: &str) {
        ll!(LLVMRemoveStringAttributeAtIndex(self.0, FUNCTION, name.as_ptr().cast(), name.len() as u32));
    }

    /// Removes an attribute from a call.
    pub fn remove_call_attribute(self, place: Place, name: &str) {
        ll!(LLVMRemoveCallSiteEnumAttribute(self.0, place, kind(name)));
    }

    /// Whether a function has an attribute.
    pub fn has_attribute(self, place: Place, name: &str) -> bool {
        !ll!(LLVMGetEnumAttributeAtIndex(self.0, place, kind(name))).is_null()
    }

    /// The number of an attribute of a function.
    pub fn attribute(self, place: Place, name: &str) -> Option<u64> {
        let attribute = ll!(LLVMGetEnumAttributeAtIndex(self.0, place, kind(name)));
        (!attribute.is_null()).then(|| ll!(LLVMGetEnumAttributeValue(attribute)))
    }

    /// The type of a type attribute of a function (`byval`, `sret`).
    pub fn type_attribute(self, place: Place, name: &str) -> Option<super::Type> {
        let attribute = ll!(LLVMGetEnumAttributeAtIndex(self.0, place, kind(name)));
        (!attribute.is_null()).then(|| super::Type(ll!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// The type of a type attribute of a call (`byval`, `sret`).
    pub fn call_type_attribute(self, place: Place, name: &str) -> Option<super::Type> {
        let attribute = ll!(LLVMGetCallSiteEnumAttribute(self.0, place, kind(name)));
        (!attribute.is_null()).then(|| super::Type(ll!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// The number of an attribute of a call (`align`).
    pub fn call_number_attribute(self, place: Place, name: &str) -> Option<u64> {
        let attribute = ll!(LLVMGetCallSiteEnumAttribute(self.0, place, kind(name)));
        (!attribute.is_null()).then(|| ll!(LLVMGetEnumAttributeValue(attribute)))
    }

    /// Adds a string attribute to a function.
    pub fn add_string_attribute(self, context: Context, name: &str) {
        let attribute = ll!(LLVMCreateStringAttribute(
            context.0,
            name.as_ptr().cast(),
            name.len() as u32,
            c"".as_ptr(),
            0
        ));
        ll!(LLVMAddAttributeAtIndex(self.0, FUNCTION, attribute));
    }

    /// Whether a function has a string attribute.
    pub fn has_string_attribute(self, name: &str) -> bool {
        !ll!(LLVMGetStringAttributeAtIndex(self.0, FUNCTION, name.as_ptr().cast(), name.len() as u32))
            .is_null()
    }

    /// The value of a function's string attribute.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let attribute =
            ll!(LLVMGetStringAttributeAtIndex(self.0, FUNCTION, name.as_ptr().cast(), name.len() as u32));
        if attribute.is_null() {
            return None;
        }
        let mut n = 0;
        let p = ll!(LLVMGetStringAttributeValue(attribute, &mut n));
        Some(super::text(p, n as usize))
    }
}
