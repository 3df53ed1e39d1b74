//! Floating-point instructions: reading and building.

use super::{Builder, Type, Value, builder::NAMELESS};
use llvm_sys::core::*;

/// Predicate of a floating-point comparison.
pub use llvm_sys::LLVMRealPredicate as FloatPredicate;

impl Value {
    /// Predicate of a floating-point comparison.
    pub fn float_predicate(self) -> FloatPredicate {
        ll!(LLVMGetFCmpPredicate(self.0))
    }

    /// Removes the permissions to compute something else (`fast`, `contract`, …) where an instruction has them.
    pub fn strip_fast_math(self) {
        if ll!(LLVMCanValueUseFastMathFlags(self.0)) != 0 {
            ll!(LLVMSetFastMathFlags(self.0, 0));
        }
    }
}

impl Type {
    /// The constant nearest to `value` of this floating-point type, or a vector of it.
    pub fn float(self, value: f64) -> Value {
        match self.kind() {
            super::Kind::Vector(element, n) => {
                let mut lanes = vec![element.float(value).0; n as usize];
                Value(ll!(LLVMConstVector(lanes.as_mut_ptr(), n)))
            }
            _ => Value(ll!(LLVMConstReal(self.0, value))),
        }
    }

    /// `i1`, or the vector of as many lanes: what a comparison of this type gives.
    pub fn boolean(self, context: super::Context) -> Type {
        match self.kind() {
            super::Kind::Vector(_, n) => context.vector(context.int(1), n),
            _ => context.int(1),
        }
    }
}

impl Builder {
    /// Floating-point comparison.
    pub fn fcmp(&self, predicate: FloatPredicate, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildFCmp(self.0, predicate, a.0, b.0, NAMELESS)))
    }
    /// Floating-point sum.
    pub fn fadd(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildFAdd(self.0, a.0, b.0, NAMELESS)))
    }
    /// Floating-point difference.
    pub fn fsub(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildFSub(self.0, a.0, b.0, NAMELESS)))
    }
    /// Floating-point product.
    pub fn fmul(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildFMul(self.0, a.0, b.0, NAMELESS)))
    }
    /// Floating-point quotient.
    pub fn fdiv(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildFDiv(self.0, a.0, b.0, NAMELESS)))
    }
    /// Floating point to floating point, or the value itself.
    pub fn fcast(&self, v: Value, to: Type) -> Value {
        if v.ty() == to { v } else { Value(ll!(LLVMBuildFPCast(self.0, v.0, to.0, NAMELESS))) }
    }
    /// Signed integer to floating point.
    pub fn sitofp(&self, v: Value, to: Type) -> Value {
        Value(ll!(LLVMBuildSIToFP(self.0, v.0, to.0, NAMELESS)))
    }
    /// Floating point to signed integer, cut towards zero.
    pub fn fptosi(&self, v: Value, to: Type) -> Value {
        Value(ll!(LLVMBuildFPToSI(self.0, v.0, to.0, NAMELESS)))
    }
    /// Floating point to unsigned integer, cut towards zero.
    pub fn fptoui(&self, v: Value, to: Type) -> Value {
        Value(ll!(LLVMBuildFPToUI(self.0, v.0, to.0, NAMELESS)))
    }
}
