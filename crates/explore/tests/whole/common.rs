//! A pretend program with honest traces, and a solver that tries everything: what the tests of the loop run.

mod brute;
mod fake;
mod session;

pub use brute::BruteForce;
pub use fake::{Fake, Program, S, byte, num, value};
pub use session::{Session, program, session, session_with};

/// Nested conditions that random inputs do not get through: `if (b0 == 'm') if (b1 + b2 == 200) ...`.
pub fn maze() -> &'static Program {
    let deep = S::If(byte(3).xor(byte(1)).eq(num(0x5a)), vec![S::Crash("deep")], vec![]);
    let sum = S::If(byte(1).add(byte(2)).eq(num(200)), vec![deep], vec![S::Exit(3)]);
    let magic = S::If(byte(0).eq(num(b'm')), vec![sum], vec![]);
    let kinds = vec![(7, vec![]), (9, vec![S::If(byte(5).lt(num(3)), vec![], vec![S::Exit(4)])])];
    let switch = S::Switch(byte(4), kinds, vec![]);
    let tail = S::If(byte(6).mul(num(3)).eq(num(33)), vec![S::Exit(5)], vec![]);
    program(vec![magic, switch, tail])
}
