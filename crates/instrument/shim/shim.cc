// What LLVM's C API lacks, as a few functions with C linkage. Each is a thin call of one C++ function of
// LLVM; everything with a decision in it lives on the Rust side (src/llvm/).
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/SplitModule.h"
#include <atomic>
#include <memory>
#include <thread>
#include <vector>
using namespace llvm;

// Before `at`: if (cond) { unlikely block }. Returns the terminator of that block.
extern "C" LLVMValueRef sp_split_if_then(LLVMValueRef cond, LLVMValueRef at) {
  auto *I = cast<Instruction>(unwrap(at));
  MDNode *weights = MDBuilder(I->getContext()).createBranchWeights(1, 1 << 20);
  return wrap(SplitBlockAndInsertIfThen(unwrap(cond), I->getIterator(), false, weights));
}

// A fresh block on edge `k` of a terminator, with one incoming phi entry moved to it.
extern "C" LLVMBasicBlockRef sp_split_edge(LLVMValueRef terminator, unsigned k) {
  auto *T = cast<Instruction>(unwrap(terminator));
  BasicBlock *from = T->getParent(), *to = T->getSuccessor(k);
  auto *fresh = BasicBlock::Create(T->getContext(), "", from->getParent(), to);
  auto *jump = BranchInst::Create(to, fresh);
  jump->setDebugLoc(T->getDebugLoc());
  for (PHINode &phi : to->phis())
    phi.setIncomingBlock(phi.getBasicBlockIndex(from), fresh);
  T->setSuccessor(k, fresh);
  return wrap(fresh);
}

// Removes the phi entries for one edge from `predecessor`; phis without entries stay.
extern "C" void sp_forget_predecessor(LLVMBasicBlockRef block, LLVMBasicBlockRef predecessor) {
  unwrap(block)->removePredecessor(unwrap(predecessor), true);
}

// A second copy of the function's code, over the same static stack variables, that nothing jumps to. Returns its first
// block, or null where there cannot be two: addresses of blocks, calls that return twice or must not be copied.
extern "C" LLVMBasicBlockRef sp_copy_code(LLVMValueRef function) {
  auto *F = cast<Function>(unwrap(function));
  std::vector<BasicBlock *> blocks;
  for (BasicBlock &B : *F) {
    if (B.hasAddressTaken()) return nullptr;
    for (Instruction &I : B) {
      if (isa<CallBrInst>(I) || isa<IndirectBrInst>(I)) return nullptr;
      auto *C = dyn_cast<CallBase>(&I);
      if (C && (C->cannotDuplicate() || C->isConvergent() || C->hasFnAttr(Attribute::ReturnsTwice))) return nullptr;
    }
    blocks.push_back(&B);
  }
  ValueToValueMapTy map;
  SmallVector<BasicBlock *> copies;
  for (BasicBlock *B : blocks) {
    copies.push_back(CloneBasicBlock(B, map, "", F));
    map[B] = copies.back();
  }
  for (Instruction &I : F->getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca()) {
      cast<Instruction>(map[A])->eraseFromParent();
      map[A] = A;
    }
  remapInstructionsInBlocks(copies, map);
  return wrap(copies[0]);
}

// Before `at`, in the function's first block: if (cond) goto `other`.
extern "C" void sp_leave_for(LLVMValueRef cond, LLVMValueRef at, LLVMBasicBlockRef other) {
  auto *I = cast<Instruction>(unwrap(at));
  BasicBlock *head = I->getParent();
  BasicBlock *rest = head->splitBasicBlock(I->getIterator());
  auto *jump = BranchInst::Create(unwrap(other), rest, unwrap(cond));
  jump->setDebugLoc(I->getDebugLoc());
  ReplaceInstWithInst(head->getTerminator(), jump);
}

extern "C" LLVMValueRef sp_first_insertion(LLVMBasicBlockRef block) {
  BasicBlock *B = unwrap(block);
  auto at = B->getFirstInsertionPt();
  return at == B->end() ? nullptr : wrap(&*at);
}

extern "C" int sp_is_inline_asm(LLVMValueRef call) { return cast<CallBase>(unwrap(call))->isInlineAsm(); }

extern "C" int sp_is_static_alloca(LLVMValueRef alloca) {
  return cast<AllocaInst>(unwrap(alloca))->isStaticAlloca();
}

extern "C" int sp_param_is_readonly(LLVMValueRef call, unsigned k) {
  auto *C = cast<CallBase>(unwrap(call));
  return C->onlyReadsMemory(k) || C->onlyReadsMemory();
}

// Neither the function nor what a coroutine lowering expects may be touched.
extern "C" int sp_is_untouchable(LLVMValueRef function) {
  auto *F = cast<Function>(unwrap(function));
  return F->hasFnAttribute(Attribute::Naked) || F->isPresplitCoroutine();
}

// The underlying object of a pointer, looking through address arithmetic.
extern "C" LLVMValueRef sp_underlying_object(LLVMValueRef pointer) {
  return wrap(getUnderlyingObject(unwrap(pointer)));
}

// Splits a scalar GEP (instruction or constant) into `constant + sum(vars[i] * scales[i])`. Returns the
// number of variables, or -1 if it has more than `cap` or is not of that form.
extern "C" int sp_gep_offsets(LLVMValueRef gep, LLVMValueRef *vars, int64_t *scales, unsigned cap,
                              int64_t *constant) {
  auto *G = dyn_cast<GEPOperator>(unwrap(gep));
  if (!G || G->getType()->isVectorTy()) return -1;
  const Module *M = nullptr;
  if (auto *I = dyn_cast<Instruction>(unwrap(gep))) M = I->getModule();
  else if (auto *V = dyn_cast<GlobalValue>(G->getPointerOperand())) M = V->getParent();
  if (!M) return -1;
  const DataLayout &DL = M->getDataLayout();
  MapVector<Value *, APInt> variable;
  APInt fixed(64, 0);
  if (!G->collectOffset(DL, 64, variable, fixed) || variable.size() > cap) return -1;
  unsigned n = 0;
  for (auto &entry : variable) {
    vars[n] = wrap(entry.first);
    scales[n++] = entry.second.getSExtValue();
  }
  *constant = fixed.getSExtValue();
  return n;
}

extern "C" void sp_append_to_used(LLVMModuleRef module, LLVMValueRef global) {
  appendToUsed(*unwrap(module), {cast<GlobalValue>(unwrap(global))});
}

// Allocation size in bytes of a static alloca or of a global with a definition, or -1.
extern "C" int64_t sp_object_size(LLVMModuleRef module, LLVMValueRef object) {
  const DataLayout &DL = unwrap(module)->getDataLayout();
  if (auto *A = dyn_cast<AllocaInst>(unwrap(object))) {
    auto size = A->getAllocationSize(DL);
    return size && !size->isScalable() ? (int64_t)size->getFixedValue() : -1;
  }
  if (auto *G = dyn_cast<GlobalVariable>(unwrap(object)))
    if (G->getValueType()->isSized() && G->hasDefinitiveInitializer())
      return (int64_t)DL.getTypeAllocSize(G->getValueType()).getFixedValue();
  return -1;
}

static bool emit_object(Module &M, TargetMachine &TM, const char *path) {
  std::error_code error;
  raw_fd_ostream file(path, error);
  if (error) return false;
  legacy::PassManager passes;
  if (TM.addPassesToEmitFile(passes, file, nullptr, CodeGenFileType::ObjectFile)) return false;
  passes.run(M);
  file.flush();
  return !file.has_error();
}

// Object code of the module into `n` files, one thread and one context each. The module is changed (locals
// become hidden symbols when it is split). Returns 0, or 1 if a file could not be written.
extern "C" int sp_emit_parallel(LLVMModuleRef module, LLVMTargetMachineRef machine, const char **paths,
                                unsigned n) {
  auto *TM = reinterpret_cast<TargetMachine *>(machine);
  Module &M = *unwrap(module);
  // Constructors in .init_array: glibc ignores .ctors, the library default.
  TM->Options.UseInitArray = true;
  if (n == 1) return !emit_object(M, *TM, paths[0]);
  std::vector<SmallString<0>> parts;
  SplitModule(M, n, [&](std::unique_ptr<Module> part) {
    parts.emplace_back();
    raw_svector_ostream out(parts.back());
    WriteBitcodeToFile(*part, out);
  });
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < parts.size(); ++k)
    threads.emplace_back([&, k] {
      LLVMContext context;
      auto part = parseBitcodeFile(MemoryBufferRef(parts[k].str(), "part"), context);
      if (!part) {
        consumeError(part.takeError());
        failed = true;
        return;
      }
      std::unique_ptr<TargetMachine> own(TM->getTarget().createTargetMachine(
          TM->getTargetTriple().str(), TM->getTargetCPU(), TM->getTargetFeatureString(), TM->Options,
          TM->getRelocationModel(), TM->getCodeModel(), TM->getOptLevel()));
      if (!emit_object(**part, *own, paths[k])) failed = true;
    });
  for (auto &thread : threads) thread.join();
  return failed;
}

// Links those definitions of `from` (used up) into `into` that it declares, and what they need. 0: done.
extern "C" int sp_link_needed(LLVMModuleRef into, LLVMModuleRef from) {
  return Linker::linkModules(*unwrap(into), std::unique_ptr<Module>(unwrap(from)), Linker::Flags::LinkOnlyNeeded);
}

// Leaves the declaration of a global or function: no body, no initial value, no comdat.
extern "C" void sp_undefine(LLVMValueRef global) {
  auto *G = cast<GlobalObject>(unwrap(global));
  if (auto *F = dyn_cast<Function>(G)) {
    F->deleteBody();
    F->setSubprogram(nullptr);
  }
  G->setComdat(nullptr);
  if (auto *V = dyn_cast<GlobalVariable>(G)) V->setInitializer(nullptr);
  G->setLinkage(GlobalValue::ExternalLinkage);
}

// Leaves of debug information what says which place in the source an instruction comes from.
extern "C" void sp_drop_variables(LLVMModuleRef module) { stripNonLineTableDebugInfo(*unwrap(module)); }
