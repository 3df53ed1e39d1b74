//! Making instructions.

use super::{Block, Context, Ordering, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::c_char;

/// Predicate of an integer comparison.
pub use llvm_sys::LLVMIntPredicate as Predicate;

pub(super) const NAMELESS: *const c_char = c"".as_ptr();

/// Makes instructions at a place. Constant operands fold to constants.
#[derive(Debug)]
pub struct Builder(pub(super) LLVMBuilderRef);

impl Drop for Builder {
    fn drop(&mut self) {
        ll!(LLVMDisposeBuilder(self.0));
    }
}

/// A place and source place of a builder.
#[derive(Clone, Copy, Debug)]
pub struct Saved(Option<Block>, LLVMMetadataRef);

type Binary = unsafe extern "C" fn(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, *const c_char) -> LLVMValueRef;
type Cast = unsafe extern "C" fn(LLVMBuilderRef, LLVMValueRef, LLVMTypeRef, *const c_char) -> LLVMValueRef;

impl Builder {
    /// A builder without a place.
    pub fn new(context: Context) -> Builder {
        Builder(ll!(LLVMCreateBuilderInContext(context.0)))
    }

    /// Goes before `instruction` and takes its source place.
    pub fn before(&self, instruction: Value) {
        ll!(LLVMPositionBuilderBefore(self.0, instruction.0));
        self.locate(instruction);
    }

    /// Goes to the end of `block`.
    pub fn at_end(&self, block: Block) {
        ll!(LLVMPositionBuilderAtEnd(self.0, block.0));
    }

    /// Where it stands, for [`Builder::restore`]: before the terminator of a block, or nowhere yet.
    pub fn save(&self) -> Saved {
        let block = ll!(LLVMGetInsertBlock(self.0));
        Saved((!block.is_null()).then_some(Block(block)), ll!(LLVMGetCurrentDebugLocation2(self.0)))
    }

    /// Goes back before the terminator of the block where it stood; if it stood nowhere, it stays.
    pub fn restore(&self, saved: Saved) {
        let Some(block) = saved.0 else { return };
        match block.terminator() {
            Some(end) => ll!(LLVMPositionBuilderBefore(self.0, end.0)),
            None => self.at_end(block),
        }
        ll!(LLVMSetCurrentDebugLocation2(self.0, saved.1));
    }

    /// The block it stands in.
    pub fn block(&self) -> Block {
        Block(ll!(LLVMGetInsertBlock(self.0)))
    }

    fn binary(&self, f: Binary, a: Value, b: Value) -> Value {
        Value(ll!(f(self.0, a.0, b.0, NAMELESS)))
    }

    fn cast(&self, f: Cast, v: Value, to: Type) -> Value {
        Value(ll!(f(self.0, v.0, to.0, NAMELESS)))
    }

    /// `a + b`.
    pub fn add(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildAdd, a, b)
    }
    /// `a - b`.
    pub fn sub(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildSub, a, b)
    }
    /// `a * b`.
    pub fn mul(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildMul, a, b)
    }
    /// Logical shift right.
    pub fn lshr(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildLShr(self.0, a.0, b.0, NAMELESS)))
    }
    /// `a & b`.
    pub fn and(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildAnd, a, b)
    }
    /// `a | b`.
    pub fn or(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildOr, a, b)
    }
    /// `a ^ b`.
    pub fn xor(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildXor, a, b)
    }
    /// `a << b`.
    pub fn shl(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildShl, a, b)
    }
    /// `a >> b`, signed.
    pub fn ashr(&self, a: Value, b: Value) -> Value {
        self.binary(LLVMBuildAShr, a, b)
    }
    /// Zero extension, or the value itself.
    pub fn zext(&self, v: Value, to: Type) -> Value {
        if v.ty() == to { v } else { self.cast(LLVMBuildZExt, v, to) }
    }
    /// Sign extension, or the value itself.
    pub fn sext(&self, v: Value, to: Type) -> Value {
        if v.ty() == to { v } else { self.cast(LLVMBuildSExt, v, to) }
    }
    /// Truncation, or the value itself.
    pub fn trunc(&self, v: Value, to: Type) -> Value {
        if v.ty() == to { v } else { self.cast(LLVMBuildTrunc, v, to) }
    }
    /// The low bits, or zeros above.
    pub fn trunc_or_zext(&self, v: Value, to: Type) -> Value {
        if v.ty().scalar_width() > to.scalar_width() { self.trunc(v, to) } else { self.zext(v, to) }
    }
    /// A constant scalar in every lane of a vector type; the scalar itself for any other type.
    pub fn splat(&self, scalar: Value, ty: Type) -> Value {
        match ty.kind() {
            super::Kind::Vector(_, n) => {
                Value(ll!(LLVMConstVector(vec![scalar.0; n as usize].as_mut_ptr(), n)))
            }
            _ => scalar,
        }
    }
    /// Bits as another type of the same size.
    pub fn bitcast(&self, v: Value, to: Type) -> Value {
        self.cast(LLVMBuildBitCast, v, to)
    }
    /// Pointer to integer.
    pub fn ptr_to_int(&self, v: Value, to: Type) -> Value {
        self.cast(LLVMBuildPtrToInt, v, to)
    }
    /// Integer to pointer.
    pub fn int_to_ptr(&self, v: Value, to: Type) -> Value {
        self.cast(LLVMBuildIntToPtr, v, to)
    }
    /// A value without undefined bits.
    pub fn freeze(&self, v: Value) -> Value {
        Value(ll!(LLVMBuildFreeze(self.0, v.0, NAMELESS)))
    }
    /// Integer or pointer comparison.
    pub fn icmp(&self, predicate: Predicate, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildICmp(self.0, predicate, a.0, b.0, NAMELESS)))
    }
    /// `v != 0`.
    pub fn is_not_zero(&self, v: Value) -> Value {
        self.icmp(Predicate::LLVMIntNE, v, v.ty().zero())
    }
    /// `condition ? a : b`.
    pub fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        if a == b { a } else { Value(ll!(LLVMBuildSelect(self.0, condition.0, a.0, b.0, NAMELESS))) }
    }
    /// A jump to one block or the other.
    pub fn jump_if(&self, condition: Value, then: Block, other: Block) -> Value {
        Value(ll!(LLVMBuildCondBr(self.0, condition.0, then.0, other.0)))
    }

    /// A phi without entries, before `first`, the first instruction of a block (or the first after a split).
    pub fn phi_before(&self, ty: Type, first: Value) -> Value {
        let saved = ll!(LLVMGetCurrentDebugLocation2(self.0));
        ll!(LLVMPositionBuilderBeforeInstrAndDbgRecords(self.0, first.0));
        let phi = Value(ll!(LLVMBuildPhi(self.0, ty.0, NAMELESS)));
        ll!(LLVMSetCurrentDebugLocation2(self.0, saved));
        phi
    }
    /// A load with this alignment.
    pub fn load(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let v = Value(ll!(LLVMBuildLoad2(self.0, ty.0, pointer.0, NAMELESS)));
        v.set_alignment(alignment);
        v
    }
    /// A store with this alignment.
    pub fn store(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        let v = Value(ll!(LLVMBuildStore(self.0, value.0, pointer.0)));
        v.set_alignment(alignment);
        v
    }
    /// A load that loop optimisation leaves where it is.
    pub fn load_monotonic(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let v = self.load(ty, pointer, alignment);
        v.set_ordering(Ordering::LLVMAtomicOrderingMonotonic);
        v
    }
    /// A store that loop optimisation leaves where it is.
    pub fn store_monotonic(&self, value: Value, pointer: Value, alignment: u32) {
        self.store(value, pointer, alignment).set_ordering(Ordering::LLVMAtomicOrderingMonotonic);
    }
    /// `pointer + bytes`, without any promise about overflow.
    pub fn offset(&self, context: Context, pointer: Value, bytes: Value) -> Value {
        if bytes.is_null() {
            return pointer;
        }
        let mut index = bytes.0;
        Value(ll!(LLVMBuildGEP2(self.0, context.int(8).0, pointer.0, &mut index, 1, NAMELESS)))
    }
    /// A stack slot.
    pub fn alloca(&self, ty: Type) -> Value {
        Value(ll!(LLVMBuildAlloca(self.0, ty.0, NAMELESS)))
    }
    /// Lane `k` of a vector.
    pub fn extract_element(&self, vector: Value, k: Value) -> Value {
        Value(ll!(LLVMBuildExtractElement(self.0, vector.0, k.0, NAMELESS)))
    }
    /// Field or element `k` of an aggregate.
    pub fn extract_value(&self, aggregate: Value, k: u32) -> Value {
        Value(ll!(LLVMBuildExtractValue(self.0, aggregate.0, k, NAMELESS)))
    }
    /// The aggregate with field or element `k` replaced.
    pub fn insert_value(&self, aggregate: Value, value: Value, k: u32) -> Value {
        Value(ll!(LLVMBuildInsertValue(self.0, aggregate.0, value.0, k, NAMELESS)))
    }
    /// A sequentially consistent atomic read-modify-write.
    pub fn atomic_rmw(&self, operation: super::RmwOperation, pointer: Value, value: Value) -> Value {
        let ordering = Ordering::LLVMAtomicOrderingSequentiallyConsistent;
        Value(ll!(LLVMBuildAtomicRMW(self.0, operation, pointer.0, value.0, ordering, 0)))
    }
    /// A sequentially consistent compare-and-exchange.
    pub fn compare_exchange(&self, pointer: Value, expected: Value, new: Value) -> Value {
        let ordering = Ordering::LLVMAtomicOrderingSequentiallyConsistent;
        Value(ll!(LLVMBuildAtomicCmpXchg(self.0, pointer.0, expected.0, new.0, ordering, ordering, 0)))
    }
    /// A sequentially consistent fence.
    pub fn fence(&self) {
        let ordering = Ordering::LLVMAtomicOrderingSequentiallyConsistent;
        ll!(LLVMBuildFence(self.0, ordering, 0, NAMELESS));
    }
    /// A vector with lane `k` replaced.
    pub fn insert_element(&self, vector: Value, v: Value, k: Value) -> Value {
        Value(ll!(LLVMBuildInsertElement(self.0, vector.0, v.0, k.0, NAMELESS)))
    }
    /// A call.
    pub fn call(&self, ty: Type, callee: Value, arguments: &[Value]) -> Value {
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|v| v.0).collect();
        let n = arguments.len() as u32;
        Value(ll!(LLVMBuildCall2(self.0, ty.0, callee.0, arguments.as_mut_ptr(), n, NAMELESS)))
    }
}
