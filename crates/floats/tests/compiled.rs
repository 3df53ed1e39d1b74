//! Every operation against compiled C (`compiled.c`, clang, with and without optimisation): the same operands, random
//! and awkward ones, must give the same bits.

#![expect(clippy::disallowed_methods, reason = "compiles and runs a program")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use trace_abi::Op;

const FORMATS: [(&str, u16); 4] = [("f16", 16), ("f32", 32), ("f64", 64), ("f80", 80)];
const INTEGERS: [u16; 7] = [8, 16, 20, 32, 40, 64, 128];
const CASES: usize = 3000;

/// An operation as the program names it.
struct Case {
    name: String,
    op: Op,
    aux: u8,
    width: u16,
    operand_width: u16,
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (f, w) in FORMATS {
        let mut add = |name: String, op, aux, width, operand_width| {
            all.push(Case { name, op, aux, width, operand_width });
        };
        for (name, op) in [("add", Op::FAdd), ("sub", Op::FSub), ("mul", Op::FMul), ("div", Op::FDiv)]
            .into_iter()
            .chain([("rem", Op::FRem), ("sqrt", Op::FSqrt), ("fma", Op::FFma)])
        {
            add(format!("{name}_{f}"), op, 0, w, w);
        }
        for (name, op) in [("eq", Op::FEq), ("lt", Op::FLt), ("le", Op::FLe), ("uno", Op::FUno)] {
            add(format!("{name}_{f}"), op, 0, 1, w);
        }
        for mode in 0..trace_abi::rounding::COUNT {
            add(format!("round{mode}_{f}"), Op::FRound, mode, w, w);
        }
        for (g, v) in FORMATS.into_iter().filter(|&(_, v)| v != w) {
            add(format!("cvt_{f}_{g}"), Op::FCvt, 0, v, w);
        }
        for n in INTEGERS {
            add(format!("{f}_i{n}"), Op::FToS, 0, n, w);
            add(format!("{f}_u{n}"), Op::FToU, 0, n, w);
            add(format!("i{n}_{f}"), Op::SToF, 0, w, n);
            add(format!("u{n}_{f}"), Op::UToF, 0, w, n);
        }
    }
    all
}

/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014), figure 16.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A float of this width: mostly of moderate size, often special, halfway between two, or next to a power of two.
    fn float(&mut self, width: u16) -> u128 {
        let (exponent_bits, fraction) = match width {
            16 => (5, 10),
            32 => (8, 23),
            64 => (11, 52),
            _ => (15, 64),
        };
        let bias = (1u64 << (exponent_bits - 1)) - 1;
        let top = (1u64 << exponent_bits) - 1;
        let exponent = match self.below(12) {
            0 => 0,
            1 => top,
            2 => 1,
            3 => top - 1,
            4 => self.next() & top,
            5 => (bias + self.below(140)).min(top),
            _ => (bias + self.below(2 * u64::from(fraction as u16) + 8))
                .saturating_sub(fraction / 2 + 4)
                .min(top),
        };
        let stored_mask = if fraction == 64 { u64::MAX } else { (1 << fraction) - 1 };
        let random = self.next();
        let stored = match self.below(8) {
            0 => 0,
            1 => stored_mask,
            2 => 1,
            3 => 1 << (fraction - 1),
            4 => random << self.below(64),
            5 => random >> self.below(64),
            _ => random,
        } & stored_mask;
        // Of the x87's encodings mostly the valid ones.
        let stored =
            if width == 80 && exponent > 0 && self.below(16) != 0 { stored | 1 << 63 } else { stored };
        let sign = u128::from(self.next() & 1);
        (sign << exponent_bits | u128::from(exponent)) << fraction | u128::from(stored)
    }

    fn integer(&mut self, width: u16) -> u128 {
        let random = u128::from(self.next()) << 64 | u128::from(self.next());
        let v = match self.below(6) {
            0 => random >> self.below(128),
            1 => (1u128 << self.below(128)).wrapping_add(u128::from(self.below(5))).wrapping_sub(2),
            2 => u128::from(self.below(8)).wrapping_sub(4),
            3 => !(random >> self.below(128)),
            4 => random >> self.below(64) << self.below(64),
            _ => random,
        };
        v & mask(width)
    }
}

fn mask(width: u16) -> u128 {
    u128::MAX >> (128 - width)
}

fn compile(folder: &Path, level: &str) -> PathBuf {
    let program = folder.join(format!("compiled{level}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled.c");
    let mut command = Command::new("clang-19");
    command
        .args([level, "-w", "-fno-vectorize", "-fno-builtin"])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-lm");
    assert!(command.status().expect("clang-19 is installed").success());
    program
}

fn run(program: &Path, name: &str, operands: &[[u128; 3]]) -> Vec<u128> {
    let mut child = Command::new(program);
    let mut child =
        child.arg(name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
    let bytes: Vec<u8> = operands.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&bytes).expect("written"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("written");
    assert!(output.status.success(), "{name} is not in compiled.c");
    output.stdout.chunks(16).map(|c| u128::from_le_bytes(c.try_into().expect("16 bytes"))).collect()
}

/// Whether the result has a meaning to compare.
fn is_defined(case: &Case, x: u128) -> bool {
    let Some(format) = floats::Format::of_width(case.operand_width) else { return true };
    let unpacked = floats::unpack(format, x);
    // Conversions to 128 bits are library functions without a meaning for what does not fit.
    if matches!(case.op, Op::FToS | Op::FToU) && case.width == 128 {
        let length = unpacked.exponent + 64 - unpacked.significand.leading_zeros() as i32;
        let negative = unpacked.sign && length > 0;
        return unpacked.class == floats::Class::Finite
            && length <= if case.op == Op::FToS { 127 } else { 128 }
            && !(negative && case.op == Op::FToU);
    }
    // Invalid encodings of the x87, where a library function looks at the bits.
    let by_library = (case.op == Op::FRound && case.aux == trace_abi::rounding::NEAREST_AWAY)
        || (case.op == Op::FCvt && case.width == 16);
    let invalid = format == floats::Format::Extended && x >> 64 & 0x7fff != 0 && x >> 63 & 1 == 0;
    !(by_library && invalid)
}

fn compare(program: &Path, case: &Case, random: &mut Random) -> Option<String> {
    let from_integer = matches!(case.op, Op::SToF | Op::UToF);
    let w = case.operand_width;
    let operand = |r: &mut Random| if from_integer { r.integer(w) } else { r.float(w) };
    let operands: Vec<[u128; 3]> =
        (0..CASES).map(|_| [operand(random), operand(random), operand(random)]).collect();
    let theirs = run(program, &case.name, &operands);
    assert_eq!(theirs.len(), operands.len());
    let mut wrong = (0, None);
    for (x, theirs) in operands.iter().zip(theirs) {
        let ours = floats::apply(case.op, case.width, w, case.aux, *x);
        if ours != theirs & mask(case.width) && (from_integer || is_defined(case, x[0])) {
            wrong.0 += 1;
            wrong.1.get_or_insert(format!("{x:x?}: ours {ours:x}, theirs {theirs:x}"));
        }
    }
    wrong.1.map(|first| format!("{}: {} of {CASES}, first {first}\n", case.name, wrong.0))
}

#[test]
fn operations_give_the_bits_that_compiled_code_gives() {
    let folder = std::env::temp_dir().join(format!("floats-compiled-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = String::new();
    for level in ["-O0", "-O2"] {
        let program = compile(&folder, level);
        let mut random = Random(7);
        for case in cases() {
            wrong.extend(compare(&program, &case, &mut random).map(|w| format!("{level} {w}")));
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(wrong.is_empty(), "\n{wrong}");
}
