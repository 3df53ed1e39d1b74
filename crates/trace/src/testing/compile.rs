//! Gives the statements of a pretend program their ids and makes its program map.

use super::{Expr, Program, Stmt};
use program::{
    Block, BlockId, Branch, BranchId, Call, CallId, Callee, Cond, CondId, CondKind, FileId, Function,
    FunctionId, MAP_VERSION, ProgramMap, Span, Step, Succ,
};

/// A statement with its ids.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Plain(Stmt),
    If(CondId, Expr, Vec<Code>, Vec<Code>),
    While(CondId, Expr, Vec<Code>),
    Switch(CondId, Expr, Vec<(u64, Vec<Code>)>, Vec<Code>),
    Call(FunctionId),
    CallIndirect(CallId, Expr),
}

/// Bodies of the functions by id, and the map.
pub(super) fn compile(program: &Program) -> (Vec<Vec<Code>>, ProgramMap) {
    let map = ProgramMap { version: MAP_VERSION, files: vec!["fake.c".to_string()], ..ProgramMap::default() };
    let names = program.functions.iter().map(|(name, _)| name.as_str()).collect();
    let mut c = Compiler { map, names, function: FunctionId(0), line: 0 };
    let bodies = program.functions.iter().map(|(name, body)| c.function(name, body)).collect();
    (bodies, c.map)
}

struct Compiler<'p> {
    map: ProgramMap,
    names: Vec<&'p str>,
    function: FunctionId,
    line: u32,
}

impl Compiler<'_> {
    fn function(&mut self, name: &str, body: &[Stmt]) -> Vec<Code> {
        self.function = FunctionId(self.map.functions.len() as u32);
        self.line += 1;
        let span = self.span();
        let first_block = self.block();
        let code = self.body(body, first_block).0;
        let n_blocks = self.map.blocks.len() as u32 - first_block.0;
        let (name, linkage_name) = (name.to_string(), name.to_string());
        self.map.functions.push(Function {
            name,
            linkage_name,
            span,
            first_block,
            n_blocks,
            address_taken: true,
        });
        code
    }

    /// The code, and the block in which control goes on, if it does.
    fn body(&mut self, body: &[Stmt], mut at: BlockId) -> (Vec<Code>, Option<BlockId>) {
        let mut code = Vec::new();
        for stmt in body {
            self.line += 1;
            self.map.blocks[at.index()].lines.push(self.line);
            code.push(self.stmt(stmt, &mut at));
            if matches!(stmt, Stmt::Crash | Stmt::Abort | Stmt::Hang | Stmt::Exit(_)) {
                return (code, None);
            }
        }
        (code, Some(at))
    }

    fn stmt(&mut self, stmt: &Stmt, at: &mut BlockId) -> Code {
        match stmt {
            Stmt::If(e, then, otherwise) => {
                let (cond, first) = self.cond(*at, CondKind::If, 2);
                let [f, t] = [first, BranchId(first.0 + 1)].map(|b| self.branch_to(*at, b));
                let (then, end_t) = self.body(then, t);
                let (otherwise, end_f) = self.body(otherwise, f);
                *at = self.join([end_f, end_t]);
                Code::If(cond, e.clone(), then, otherwise)
            }
            Stmt::While(e, body) => {
                let head = self.join([Some(*at)]);
                let (cond, first) = self.cond(head, CondKind::If, 2);
                let [out, inside] = [first, BranchId(first.0 + 1)].map(|b| self.branch_to(head, b));
                let (code, end) = self.body(body, inside);
                self.link(end, head);
                *at = out;
                Code::While(cond, e.clone(), code)
            }
            Stmt::Switch(e, cases, default) => {
                let kind = CondKind::Switch { width: 64, cases: cases.iter().map(|c| c.0).collect() };
                let (cond, first) = self.cond(*at, kind, cases.len() as u32 + 1);
                let targets: Vec<BlockId> =
                    (0..=cases.len() as u32).map(|k| self.branch_to(*at, BranchId(first.0 + k))).collect();
                let (default, end) = self.body(default, targets[0]);
                let mut ends = vec![end];
                let code = cases.iter().zip(&targets[1..]).map(|((v, body), &target)| {
                    let (code, end) = self.body(body, target);
                    ends.push(end);
                    (*v, code)
                });
                let code = code.collect();
                *at = self.join(ends);
                Code::Switch(cond, e.clone(), code, default)
            }
            Stmt::Call(name) => {
                let callee = self.names.iter().position(|n| n == name).expect("the called function exists");
                let callee = FunctionId(callee as u32);
                self.call(*at, Callee::Function(callee));
                Code::Call(callee)
            }
            Stmt::CallIndirect(e) => Code::CallIndirect(self.call(*at, Callee::Indirect), e.clone()),
            other => Code::Plain(other.clone()),
        }
    }

    fn span(&self) -> Span {
        Span { file: Some(FileId(0)), line: self.line, column: 1 }
    }

    fn block(&mut self) -> BlockId {
        let block = Block {
            function: self.function,
            lines: vec![],
            file: Some(FileId(0)),
            steps: vec![],
            succs: vec![],
        };
        self.map.blocks.push(block);
        BlockId(self.map.blocks.len() as u32 - 1)
    }

    fn cond(&mut self, block: BlockId, kind: CondKind, n_branches: u32) -> (CondId, BranchId) {
        let cond = CondId(self.map.conds.len() as u32);
        let first_branch = BranchId(self.map.branches.len() as u32);
        self.map.branches.extend((0..n_branches).map(|outcome| Branch { cond, outcome }));
        let (function, span) = (self.function, self.span());
        self.map.conds.push(Cond { function, block, span, kind, first_branch, n_branches });
        (cond, first_branch)
    }

    fn call(&mut self, block: BlockId, callee: Callee) -> CallId {
        let call = CallId(self.map.calls.len() as u32);
        let span = self.span();
        self.map.calls.push(Call { block, span, callee });
        self.map.blocks[block.index()].steps.push(Step::Call(call));
        call
    }

    /// A new block at the end of a branch.
    fn branch_to(&mut self, from: BlockId, branch: BranchId) -> BlockId {
        let to = self.block();
        self.map.blocks[from.index()].succs.push(Succ { to, branch: Some(branch) });
        to
    }

    /// A new block after these.
    fn join(&mut self, ends: impl IntoIterator<Item = Option<BlockId>>) -> BlockId {
        let to = self.block();
        ends.into_iter().for_each(|end| self.link(end, to));
        to
    }

    fn link(&mut self, from: Option<BlockId>, to: BlockId) {
        if let Some(from) = from {
            self.map.blocks[from.index()].succs.push(Succ { to, branch: None });
        }
    }
}
