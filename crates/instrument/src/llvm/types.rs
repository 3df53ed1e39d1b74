//! Types.

use super::{Context, Value};
use llvm_sys::LLVMTypeKind as K;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// A type; lives as long as the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type(pub(super) LLVMTypeRef);

/// What a type is, as far as instrumentation cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integer of that many bits.
    Int(u32),
    /// Floating point of that many bits of value: IEEE half, single, double, and x87 (80).
    Float(u32),
    /// Floating point of a format whose arithmetic is not followed (`bfloat`, 128 bits): bits only.
    OtherFloat(u32),
    /// Pointer (64 bits).
    Pointer,
    /// Fixed vector: element type and number of lanes.
    Vector(Type, u32),
    /// Array: element type and length.
    Array(Type, u64),
    /// Structure.
    Struct,
    /// `void`.
    Void,
    /// Anything else: labels, tokens, metadata, functions, scalable vectors.
    Other,
}

impl Type {
    /// What it is.
    pub fn kind(self) -> Kind {
        match ll!(LLVMGetTypeKind(self.0)) {
            K::LLVMIntegerTypeKind => Kind::Int(ll!(LLVMGetIntTypeWidth(self.0))),
            K::LLVMHalfTypeKind => Kind::Float(16),
            K::LLVMBFloatTypeKind => Kind::OtherFloat(16),
            K::LLVMFloatTypeKind => Kind::Float(32),
            K::LLVMDoubleTypeKind => Kind::Float(64),
            K::LLVMX86_FP80TypeKind => Kind::Float(80),
            K::LLVMFP128TypeKind | K::LLVMPPC_FP128TypeKind => Kind::OtherFloat(128),
            K::LLVMPointerTypeKind => Kind::Pointer,
            K::LLVMVectorTypeKind => Kind::Vector(self.element(), ll!(LLVMGetVectorSize(self.0))),
            K::LLVMArrayTypeKind => Kind::Array(self.element(), ll!(LLVMGetArrayLength2(self.0))),
            K::LLVMStructTypeKind => Kind::Struct,
            K::LLVMVoidTypeKind => Kind::Void,
            _ => Kind::Other,
        }
    }

    /// Bits of a scalar (integer, float, pointer), else `None`.
    pub fn scalar_width(self) -> Option<u32> {
        match self.kind() {
            Kind::Int(w) | Kind::Float(w) | Kind::OtherFloat(w) => Some(w),
            Kind::Pointer => Some(64),
            _ => None,
        }
    }

    /// Whether it is an integer.
    pub fn is_int(self) -> bool {
        matches!(self.kind(), Kind::Int(_))
    }

    /// Whether it is a pointer.
    pub fn is_pointer(self) -> bool {
        self.kind() == Kind::Pointer
    }

    /// Whether it is a float, or a vector of floats.
    pub fn is_floating(self) -> bool {
        match self.kind() {
            Kind::Float(_) | Kind::OtherFloat(_) => true,
            Kind::Vector(element, _) => element.is_floating(),
            _ => false,
        }
    }

    /// Type of the scalars in it: a vector's element, or itself.
    pub fn lane(self) -> Type {
        match self.kind() {
            Kind::Vector(element, _) => element,
            _ => self,
        }
    }

    /// Whether it has floats of a format without followed arithmetic.
    pub fn is_other_float(self) -> bool {
        matches!(self.lane().kind(), Kind::OtherFloat(_))
    }

    /// Bits of a float of a followed format (of each lane).
    pub fn float_width(self) -> Option<u32> {
        match self.lane().kind() {
            Kind::Float(w) => Some(w),
            _ => None,
        }
    }

    fn element(self) -> Type {
        Type(ll!(LLVMGetElementType(self.0)))
    }

    /// Field types of a structure; empty for anything else.
    pub fn fields(self) -> Vec<Type> {
        if self.kind() != Kind::Struct {
            return Vec::new();
        }
        let n = ll!(LLVMCountStructElementTypes(self.0));
        (0..n).map(|k| Type(ll!(LLVMStructGetTypeAtIndex(self.0, k)))).collect()
    }

    /// Whether values of it have a size.
    pub fn is_sized(self) -> bool {
        ll!(LLVMTypeIsSized(self.0)) != 0
    }

    /// The zero of this type.
    pub fn zero(self) -> Value {
        Value(ll!(LLVMConstNull(self.0)))
    }

    /// All bits one.
    pub fn ones(self) -> Value {
        Value(ll!(LLVMConstAllOnes(self.0)))
    }

    /// A poison value of this type.
    pub fn poison(self) -> Value {
        Value(ll!(LLVMGetPoison(self.0)))
    }

    /// A constant of this integer type, from 64 bits.
    pub fn int(self, value: u64) -> Value {
        Value(ll!(LLVMConstInt(self.0, value, 0)))
    }

    /// A constant of this integer type, from 64-bit words, the lowest first.
    pub fn int_of_words(self, words: &[u64]) -> Value {
        Value(ll!(LLVMConstIntOfArbitraryPrecision(self.0, words.len() as u32, words.as_ptr())))
    }

    /// A constant of this integer type, sign-extended from 64 bits.
    pub fn int_signed(self, value: i64) -> Value {
        Value(ll!(LLVMConstInt(self.0, value as u64, 1)))
    }

    /// The function type with this result.
    pub fn function(self, params: &[Type], variadic: bool) -> Type {
        let mut params: Vec<LLVMTypeRef> = params.iter().map(|t| t.0).collect();
        let n = params.len() as u32;
        Type(ll!(LLVMFunctionType(self.0, params.as_mut_ptr(), n, variadic.into())))
    }

    /// Parameter types of a function type.
    pub fn params(self) -> Vec<Type> {
        let n = ll!(LLVMCountParamTypes(self.0)) as usize;
        let mut params = vec![std::ptr::null_mut(); n];
        ll!(LLVMGetParamTypes(self.0, params.as_mut_ptr()));
        params.into_iter().map(Type).collect()
    }

    /// Whether a function type takes `...`.
    pub fn is_variadic(self) -> bool {
        ll!(LLVMIsFunctionVarArg(self.0)) != 0
    }
}

impl Context {
    /// Integer of `bits` bits.
    pub fn int(self, bits: u32) -> Type {
        Type(ll!(LLVMIntTypeInContext(self.0, bits)))
    }

    /// `float`.
    pub fn single(self) -> Type {
        Type(ll!(LLVMFloatTypeInContext(self.0)))
    }

    /// `double`.
    pub fn double(self) -> Type {
        Type(ll!(LLVMDoubleTypeInContext(self.0)))
    }

    /// `ptr`.
    pub fn pointer(self) -> Type {
        Type(ll!(LLVMPointerTypeInContext(self.0, 0)))
    }

    /// `void`.
    pub fn void(self) -> Type {
        Type(ll!(LLVMVoidTypeInContext(self.0)))
    }

    /// `[n x element]`.
    pub fn array(self, element: Type, n: u64) -> Type {
        Type(ll!(LLVMArrayType2(element.0, n)))
    }

    /// `<n x element>`.
    pub fn vector(self, element: Type, n: u32) -> Type {
        Type(ll!(LLVMVectorType(element.0, n)))
    }

    /// Inline assembly without an instruction that memory is not moved across.
    pub fn barrier(self, ty: Type) -> Value {
        let constraints = c"~{memory}";
        let (text, n) = (c"".as_ptr().cast_mut(), constraints.count_bytes());
        let dialect = llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        Value(ll!(LLVMGetInlineAsm(ty.0, text, 0, constraints.as_ptr().cast_mut(), n, 1, 0, dialect, 0)))
    }

    /// A constant array.
    pub fn const_array(self, element: Type, values: &[Value]) -> Value {
        let mut values: Vec<LLVMValueRef> = values.iter().map(|v| v.0).collect();
        Value(ll!(LLVMConstArray2(element.0, values.as_mut_ptr(), values.len() as u64)))
    }

    /// A constant array of bytes.
    pub fn const_bytes(self, bytes: &[u8]) -> Value {
        Value(ll!(LLVMConstStringInContext2(self.0, bytes.as_ptr().cast(), bytes.len(), 1)))
    }

    /// A constant structure with the natural layout.
    pub fn const_struct(self, values: &[Value]) -> Value {
        let mut values: Vec<LLVMValueRef> = values.iter().map(|v| v.0).collect();
        Value(ll!(LLVMConstStructInContext(self.0, values.as_mut_ptr(), values.len() as u32, 0)))
    }
}
