//! Values: constants, globals, functions, parameters, instructions; and basic blocks.

use super::{Context, Linkage, Opcode, Ordering, Predicate, Type, shim, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMTailCallKind, LLVMValueKind};

/// A value of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub(super) LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block(pub(super) LLVMBasicBlockRef);

/// Address arithmetic taken apart: `base + constant + Σ variable · scale`, in bytes.
#[derive(Clone, Debug)]
pub struct Gep {
    /// The pointer it starts from.
    pub base: Value,
    /// Variables (integers of any width, sign-extended or truncated to 64 bits) with their scales.
    pub variables: Vec<(Value, i64)>,
    /// The constant part.
    pub constant: i64,
}

fn non_null(v: LLVMValueRef) -> Option<Value> {
    (!v.is_null()).then_some(Value(v))
}

/// Values of an intrusive list, collected so that the list may change while they are used.
fn chain(first: LLVMValueRef, next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value> {
    let mut all = Vec::new();
    let mut at = first;
    while let Some(v) = non_null(at) {
        all.push(v);
        at = ll!(next(at));
    }
    all
}

impl Value {
    /// Its type.
    pub fn ty(self) -> Type {
        Type(ll!(LLVMTypeOf(self.0)))
    }

    /// Its name, empty if none.
    pub fn name(self) -> String {
        let mut n = 0;
        let p = ll!(LLVMGetValueName2(self.0, &mut n));
        text(p, n)
    }

    /// Renames it.
    pub fn set_name(self, name: &str) {
        ll!(LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()));
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        !ll!(LLVMIsAInstruction(self.0)).is_null()
    }

    /// Whether it is a constant of any kind (globals and functions too).
    pub fn is_constant(self) -> bool {
        ll!(LLVMIsConstant(self.0)) != 0
    }

    /// Whether it is a constant expression.
    pub fn is_constant_expression(self) -> bool {
        !ll!(LLVMIsAConstantExpr(self.0)).is_null()
    }

    /// Whether it is a function's parameter.
    pub fn is_parameter(self) -> bool {
        !ll!(LLVMIsAArgument(self.0)).is_null()
    }

    /// Whether an addition, subtraction or multiplication is one of signed integers that must not overflow.
    pub fn has_no_signed_wrap(self) -> bool {
        ll!(LLVMGetNSW(self.0)) != 0
    }

    /// Whether it is undefined or poison.
    pub fn is_undef(self) -> bool {
        ll!(LLVMIsUndef(self.0)) != 0
    }

    /// Whether it is a null pointer or zero.
    pub fn is_null(self) -> bool {
        ll!(LLVMIsNull(self.0)) != 0
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        !ll!(LLVMIsAFunction(self.0)).is_null()
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        !ll!(LLVMIsAGlobalVariable(self.0)).is_null()
    }

    /// Value of a constant integer of at most 64 bits, zero-extended.
    pub fn as_u64(self) -> Option<u64> {
        let constant = !ll!(LLVMIsAConstantInt(self.0)).is_null();
        let narrow = matches!(self.ty().scalar_width(), Some(w) if w <= 64);
        (constant && narrow).then(|| ll!(LLVMConstIntGetZExtValue(self.0)))
    }

    /// Number of operands.
    pub fn n_operands(self) -> u32 {
        ll!(LLVMGetNumOperands(self.0)).max(0) as u32
    }

    /// Operand `k`, which must exist.
    pub fn operand(self, k: u32) -> Value {
        assert!(k < self.n_operands(), "operand {k} of {self:?}");
        Value(ll!(LLVMGetOperand(self.0, k)))
    }

    /// Replaces operand `k`, which must exist.
    pub fn set_operand(self, k: u32, new: Value) {
        assert!(k < self.n_operands(), "operand {k} of {self:?}");
        ll!(LLVMSetOperand(self.0, k, new.0));
    }

    /// Element `k` of a constant vector, array or structure; `None` if it has none or is no such constant.
    pub fn element(self, k: u32) -> Option<Value> {
        let found = ll!(LLVMGetAggregateElement(self.0, k));
        (!found.is_null()).then_some(Value(found))
    }

    /// All operands.
    pub fn operands(self) -> Vec<Value> {
        (0..self.n_operands()).map(|k| self.operand(k)).collect()
    }

    /// Users, one entry per use.
    pub fn users(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut at = ll!(LLVMGetFirstUse(self.0));
        while !at.is_null() {
            all.push(Value(ll!(LLVMGetUser(at))));
            at = ll!(LLVMGetNextUse(at));
        }
        all
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        !ll!(LLVMGetFirstUse(self.0)).is_null()
    }

    /// Makes every use of it use `other`.
    pub fn replace_all_uses(self, other: Value) {
        ll!(LLVMReplaceAllUsesWith(self.0, other.0));
    }

    // --- instructions ---

    /// Opcode of an instruction.
    pub fn opcode(self) -> Opcode {
        ll!(LLVMGetInstructionOpcode(self.0))
    }

    /// Whether it is an instruction with this opcode.
    pub fn is(self, opcode: Opcode) -> bool {
        self.is_instruction() && self.opcode() == opcode
    }

    /// Block of an instruction.
    pub fn block(self) -> Block {
        Block(ll!(LLVMGetInstructionParent(self.0)))
    }

    /// Next instruction of the block.
    pub fn next(self) -> Option<Value> {
        non_null(ll!(LLVMGetNextInstruction(self.0)))
    }

    /// Previous instruction of the block.
    pub fn previous(self) -> Option<Value> {
        non_null(ll!(LLVMGetPreviousInstruction(self.0)))
    }

    /// Removes an unused instruction; the handle is dead afterwards.
    pub fn erase(self) {
        ll!(LLVMInstructionEraseFromParent(self.0));
    }

    /// Moves an instruction before another.
    pub fn move_before(self, other: Value) {
        let builder = super::Builder::new(Context::of(self));
        ll!(LLVMInstructionRemoveFromParent(self.0));
        ll!(LLVMPositionBuilderBefore(builder.0, other.0));
        ll!(LLVMInsertIntoBuilder(builder.0, self.0));
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.is_instruction() && !ll!(LLVMIsATerminatorInst(self.0)).is_null()
    }

    /// What a conditional jump or a switch decides by.
    pub fn jump_condition(self) -> Option<Value> {
        let decides = match self.opcode() {
            Opcode::LLVMBr => self.successors().len() == 2,
            opcode => opcode == Opcode::LLVMSwitch,
        };
        decides.then(|| self.operand(0))
    }

    /// Successors of a terminator.
    pub fn successors(self) -> Vec<Block> {
        let n = ll!(LLVMGetNumSuccessors(self.0));
        (0..n).map(|k| Block(ll!(LLVMGetSuccessor(self.0, k)))).collect()
    }

    /// Makes a terminator go to `block` where its successor `k` was.
    pub fn set_successor(self, k: u32, block: Block) {
        ll!(LLVMSetSuccessor(self.0, k, block.0));
    }

    /// What an atomic read-modify-write does.
    pub fn rmw_operation(self) -> super::RmwOperation {
        ll!(LLVMGetAtomicRMWBinOp(self.0))
    }

    /// Predicate of an integer comparison.
    pub fn int_predicate(self) -> Predicate {
        ll!(LLVMGetICmpPredicate(self.0))
    }

    /// Pairs (value, block) of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        let n = ll!(LLVMCountIncoming(self.0));
        (0..n)
            .map(|k| {
                (Value(ll!(LLVMGetIncomingValue(self.0, k))), Block(ll!(LLVMGetIncomingBlock(self.0, k))))
            })
            .collect()
    }

    /// Adds a pair to a phi.
    pub fn add_incoming(self, value: Value, block: Block) {
        let (mut value, mut block) = (value.0, block.0);
        ll!(LLVMAddIncoming(self.0, &mut value, &mut block, 1));
    }

    /// Indices of an extractvalue or insertvalue.
    pub fn indices(self) -> Vec<u32> {
        let n = ll!(LLVMGetNumIndices(self.0)) as usize;
        let p = ll!(LLVMGetIndices(self.0));
        // SAFETY: LLVM returns an array of exactly that many indices, owned by the instruction.
        unsafe { std::slice::from_raw_parts(p, n) }.to_vec()
    }

    /// Lanes of a shufflevector; `None` for an undefined lane.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        let n = ll!(LLVMGetNumMaskElements(self.0));
        (0..n).map(|k| u32::try_from(ll!(LLVMGetMaskValue(self.0, k))).ok()).collect()
    }

    /// Takes scalar address arithmetic apart; `None` if it is not of that form.
    pub fn gep(self) -> Option<Gep> {
        const MOST: usize = 8;
        let mut variables = [std::ptr::null_mut(); MOST];
        let (mut scales, mut constant) = ([0; MOST], 0);
        let n = ll!(shim::sp_gep_offsets(
            self.0,
            variables.as_mut_ptr(),
            scales.as_mut_ptr(),
            MOST as u32,
            &mut constant
        ));
        let n = usize::try_from(n).ok()?;
        let variables = (0..n).map(|k| (Value(variables[k]), scales[k])).collect();
        Some(Gep { base: self.operand(0), variables, constant })
    }

    /// One piece of scalar address arithmetic as the source wrote it: base, type it starts from, indices. `None` for
    /// anything else.
    pub fn address_steps(self) -> Option<(Value, Type, Vec<Value>)> {
        let is_gep = if self.is_constant_expression() {
            ll!(LLVMGetConstOpcode(self.0)) == Opcode::LLVMGetElementPtr
        } else {
            self.is(Opcode::LLVMGetElementPtr)
        };
        if !is_gep || !self.ty().is_pointer() {
            return None;
        }
        let ty = Type(ll!(LLVMGetGEPSourceElementType(self.0)));
        let mut operands = self.operands();
        let base = operands.remove(0);
        Some((base, ty, operands))
    }

    /// The object a pointer points into, looking through address arithmetic.
    pub fn underlying_object(self) -> Value {
        Value(ll!(shim::sp_underlying_object(self.0)))
    }

    /// Type of an alloca's elements.
    pub fn allocated_type(self) -> Type {
        Type(ll!(LLVMGetAllocatedType(self.0)))
    }

    /// Whether an alloca lies in the entry block with a constant size.
    pub fn is_static_alloca(self) -> bool {
        ll!(shim::sp_is_static_alloca(self.0)) != 0
    }

    /// Alignment of a memory access or global, in bytes.
    pub fn set_alignment(self, bytes: u32) {
        ll!(LLVMSetAlignment(self.0, bytes));
    }

    /// Makes a load or store atomic.
    pub fn set_ordering(self, ordering: Ordering) {
        ll!(LLVMSetOrdering(self.0, ordering));
    }

    /// Whether it is a call, invoke or callbr.
    pub fn is_call(self) -> bool {
        self.is_instruction()
            && matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
    }

    /// What a call calls: a function, inline assembly or a pointer.
    pub fn callee(self) -> Value {
        Value(ll!(LLVMGetCalledValue(self.0)))
    }

    /// Function type of a call.
    pub fn called_type(self) -> Type {
        Type(ll!(LLVMGetCalledFunctionType(self.0)))
    }

    /// Arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        (0..ll!(LLVMGetNumArgOperands(self.0))).map(|k| self.operand(k)).collect()
    }

    /// Name of the intrinsic a call calls (`llvm.` and what follows), or `None`.
    pub fn intrinsic(self) -> Option<String> {
        if !self.is_call() {
            return None;
        }
        let callee = self.callee();
        (callee.is_function() && ll!(LLVMGetIntrinsicID(callee.0)) != 0).then(|| callee.name())
    }

    /// Whether a call is of inline assembly.
    pub fn is_inline_asm(self) -> bool {
        ll!(shim::sp_is_inline_asm(self.0)) != 0
    }

    /// The template of inline assembly.
    pub fn asm_template(self) -> String {
        let mut n = 0;
        let p = ll!(LLVMGetInlineAsmAsmString(self.0, &mut n));
        text(p, n)
    }

    /// The constraints of inline assembly.
    pub fn asm_constraints(self) -> String {
        let mut n = 0;
        let p = ll!(LLVMGetInlineAsmConstraintString(self.0, &mut n));
        text(p, n)
    }

    /// Whether inline assembly is in Intel's syntax.
    pub fn asm_is_intel(self) -> bool {
        ll!(LLVMGetInlineAsmDialect(self.0)) == llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel
    }

    /// Whether a call must be a tail call.
    pub fn is_must_tail(self) -> bool {
        self.is(Opcode::LLVMCall)
            && ll!(LLVMGetTailCallKind(self.0)) == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// Whether a call only reads memory through argument `k`.
    pub fn argument_is_readonly(self, k: u32) -> bool {
        ll!(shim::sp_param_is_readonly(self.0, k)) != 0
    }

    /// Where an invoke goes on if nothing is thrown.
    pub fn normal_destination(self) -> Block {
        Block(ll!(LLVMGetNormalDest(self.0)))
    }

    /// Attaches metadata `!{i32 number}`.
    pub fn set_number(self, context: Context, kind: u32, number: u32) {
        let mut constant = ll!(LLVMValueAsMetadata(context.int(32).int(number.into()).0));
        let node = ll!(LLVMMDNodeInContext2(context.0, &mut constant, 1));
        ll!(LLVMSetMetadata(self.0, kind, LLVMMetadataAsValue(context.0, node)));
    }

    /// Reads metadata `!{i32 number}`.
    pub fn number(self, kind: u32) -> Option<u32> {
        let node = non_null(ll!(LLVMGetMetadata(self.0, kind)))?;
        if ll!(LLVMGetMDNodeNumOperands(node.0)) != 1 {
            return None;
        }
        let mut operand = std::ptr::null_mut();
        ll!(LLVMGetMDNodeOperands(node.0, &mut operand));
        non_null(operand)?.as_u64().and_then(|n| u32::try_from(n).ok())
    }

    /// The text of a metadata operand, if it is a string.
    pub fn metadata_text(self) -> Option<String> {
        if ll!(LLVMIsAMDString(self.0)).is_null() {
            return None;
        }
        let mut n = 0;
        let p = ll!(LLVMGetMDString(self.0, &mut n));
        Some(text(p, n as usize))
    }

    // --- globals and functions ---

    /// Value type of a global or function.
    pub fn value_type(self) -> Type {
        Type(ll!(LLVMGlobalGetValueType(self.0)))
    }

    /// Whether a global or function has no definition here.
    pub fn is_declaration(self) -> bool {
        ll!(LLVMIsDeclaration(self.0)) != 0
    }

    /// Linkage of a global or function.
    pub fn linkage(self) -> Linkage {
        ll!(LLVMGetLinkage(self.0))
    }

    /// Sets the linkage.
    pub fn set_linkage(self, linkage: Linkage) {
        ll!(LLVMSetLinkage(self.0, linkage));
    }

    /// Whether the linker may choose another definition.
    pub fn is_weak(self) -> bool {
        use Linkage::*;
        matches!(
            self.linkage(),
            LLVMWeakAnyLinkage
                | LLVMWeakODRLinkage
                | LLVMLinkOnceAnyLinkage
                | LLVMLinkOnceODRLinkage
                | LLVMExternalWeakLinkage
        )
    }

    /// Whether the definition is a copy kept only for inlining.
    pub fn is_available_externally(self) -> bool {
        self.linkage() == Linkage::LLVMAvailableExternallyLinkage
    }

    /// Whether a global variable never changes.
    pub fn is_constant_global(self) -> bool {
        self.is_global_variable() && ll!(LLVMIsGlobalConstant(self.0)) != 0
    }

    /// Marks a global variable as constant.
    pub fn set_constant(self) {
        ll!(LLVMSetGlobalConstant(self.0, 1));
    }

    /// Whether a global variable is thread-local.
    pub fn is_thread_local(self) -> bool {
        ll!(LLVMIsThreadLocal(self.0)) != 0
    }

    /// Makes a global thread-local with the initial-exec model.
    pub fn set_initial_exec(self) {
        ll!(LLVMSetThreadLocalMode(self.0, llvm_sys::LLVMThreadLocalMode::LLVMInitialExecTLSModel));
    }

    /// Hides a global from other shared objects, so that its address is known when the executable is linked.
    pub fn set_hidden(self) {
        ll!(LLVMSetVisibility(self.0, llvm_sys::LLVMVisibility::LLVMHiddenVisibility));
    }

    /// Initial value of a global variable that is defined here.
    pub fn initializer(self) -> Option<Value> {
        if self.is_global_variable() { non_null(ll!(LLVMGetInitializer(self.0))) } else { None }
    }

    /// Bytes of a constant array of them.
    pub fn as_bytes(self) -> Option<Vec<u8>> {
        let is_data = !ll!(LLVMIsAConstantDataSequential(self.0)).is_null();
        if !is_data || ll!(LLVMIsConstantString(self.0)) == 0 {
            return None;
        }
        let mut n = 0;
        let p = ll!(LLVMGetAsString(self.0, &mut n));
        // SAFETY: LLVM keeps `n` bytes there for as long as the context lives; they are copied at once.
        Some(unsafe { std::slice::from_raw_parts(p.cast::<u8>(), n) }.to_vec())
    }

    /// Sets the initial value of a global variable.
    pub fn set_initializer(self, value: Value) {
        ll!(LLVMSetInitializer(self.0, value.0));
    }

    /// Section of a global, empty if the default.
    pub fn section(self) -> String {
        let p = ll!(LLVMGetSection(self.0));
        if p.is_null() {
            return String::new();
        }
        // SAFETY: LLVM returns a NUL-terminated string that it owns; it is copied at once.
        unsafe { std::ffi::CStr::from_ptr(p) }.to_string_lossy().into_owned()
    }

    /// Parameters of a function.
    pub fn parameters(self) -> Vec<Value> {
        chain(ll!(LLVMGetFirstParam(self.0)), LLVMGetNextParam)
    }

    /// Blocks of a function, entry first.
    pub fn blocks(self) -> Vec<Block> {
        let mut all = Vec::new();
        let mut at = ll!(LLVMGetFirstBasicBlock(self.0));
        while !at.is_null() {
            all.push(Block(at));
            at = ll!(LLVMGetNextBasicBlock(at));
        }
        all
    }

    /// Removes the definition of a function or global variable: an external declaration is left.
    pub fn undefine(self) {
        ll!(shim::sp_undefine(self.0));
    }

    /// Naked functions and coroutines before their lowering: not to be changed.
    pub fn is_untouchable(self) -> bool {
        ll!(shim::sp_is_untouchable(self.0)) != 0
    }

    /// Whether it is an alias or ifunc.
    pub fn is_alias_or_ifunc(self) -> bool {
        use LLVMValueKind::*;
        matches!(ll!(LLVMGetValueKind(self.0)), LLVMGlobalAliasValueKind | LLVMGlobalIFuncValueKind)
    }
}

impl Block {
    /// Forgets one edge from `predecessor` in its phis, which stay without entries.
    pub fn forget_predecessor(self, predecessor: Block) {
        ll!(shim::sp_forget_predecessor(self.0, predecessor.0));
    }

    /// Deletes it; no instruction is left in it, and nothing goes to it.
    pub fn delete(self) {
        ll!(LLVMDeleteBasicBlock(self.0));
    }

    /// Its instructions, collected.
    pub fn instructions(self) -> Vec<Value> {
        chain(ll!(LLVMGetFirstInstruction(self.0)), LLVMGetNextInstruction)
    }

    /// Its first instruction.
    pub fn first(self) -> Option<Value> {
        non_null(ll!(LLVMGetFirstInstruction(self.0)))
    }

    /// Its terminator.
    pub fn terminator(self) -> Option<Value> {
        non_null(ll!(LLVMGetBasicBlockTerminator(self.0)))
    }

    /// Where code may be inserted after phis and landing pads, or `None`.
    pub fn first_insertion(self) -> Option<Value> {
        non_null(ll!(shim::sp_first_insertion(self.0)))
    }

    /// Its function.
    pub fn function(self) -> Value {
        Value(ll!(LLVMGetBasicBlockParent(self.0)))
    }

    /// Its address as a constant.
    pub fn address(self) -> Value {
        Value(ll!(LLVMBlockAddress(self.function().0, self.0)))
    }
}

/// Splits the block before `at`: `if (condition) { cold }`. Returns the terminator of the cold block.
pub(super) fn split_if_then(condition: Value, at: Value) -> Value {
    Value(ll!(shim::sp_split_if_then(condition.0, at.0)))
}

impl Value {
    /// `if (condition) { cold block }` before this instruction; returns the terminator of the cold block.
    pub fn guard(self, condition: Value) -> Value {
        split_if_then(condition, self)
    }

    /// From before this instruction, which stands in its function's first block, goes to `other` if the condition holds.
    pub fn leave_for(self, condition: Value, other: Block) {
        ll!(shim::sp_leave_for(condition.0, self.0, other.0));
    }

    /// A second copy of this function's code over the same static stack variables, to which nothing jumps yet: its first
    /// block. `None` where there cannot be two.
    pub fn copy_code(self) -> Option<Block> {
        let first = ll!(shim::sp_copy_code(self.0));
        (!first.is_null()).then_some(Block(first))
    }

    /// A fresh block on edge `k` of this terminator.
    pub fn split_edge(self, k: u32) -> Block {
        Block(ll!(shim::sp_split_edge(self.0, k)))
    }
}
