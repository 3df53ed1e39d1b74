//! Narrow against wide, and both against plain integers.

use super::*;
use proptest::prelude::*;

fn same_width_ops() -> impl Strategy<Value = Op> {
    let ops: Vec<Op> = Op::ALL
        .iter()
        .copied()
        .filter(|&op| !op.is_float())
        .filter(|&op| op.is_predicate() || op.is_same_width() || matches!(op, Op::Fshl | Op::Fshr))
        .collect();
    proptest::sample::select(ops)
}

fn values(width: u16) -> impl Strategy<Value = u64> {
    let m = mask(width);
    prop_oneof![
        any::<u64>().prop_map(move |v| v & m),
        (0..70u64).prop_map(move |v| v & m),
        (0..3u64).prop_map(move |v| m.wrapping_sub(v) & m),
        (0..3u64).prop_map(move |v| (m >> 1).wrapping_add(v) & m),
    ]
}

fn result_width(op: Op, w: u16) -> u16 {
    if op.is_predicate() { 1 } else { w }
}

fn both(op: Op, w: u16, low: u64, args: &[Bits]) -> (Bits, Bits) {
    let refs: Vec<&Bits> = args.iter().collect();
    (apply(op, w, low, &refs), wide::apply(op, w, low, &refs))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn narrow_and_wide_agree(
        op in same_width_ops(),
        (w, a, b, c) in (1u16..=64).prop_flat_map(|w| (Just(w), values(w), values(w), values(w))),
    ) {
        let w = if op == Op::Bswap { w.div_ceil(8) * 8 } else { w };
        let args = [Bits::new(w, a), Bits::new(w, b), Bits::new(w, c)];
        let (narrow, wide) = both(op, result_width(op, w), 0, &args[..operands(op)]);
        prop_assert_eq!(narrow, wide, "{:?} {:?}", op, args);
    }

    #[test]
    fn narrow_and_wide_agree_on_casts(
        (from, a) in (1u16..=64).prop_flat_map(|w| (Just(w), values(w))),
        to in 1u16..=64, low in 0u16..64,
    ) {
        let v = [Bits::new(from, a)];
        let ops: &[Op] = if to <= from { &[Op::Trunc] } else { &[Op::ZExt, Op::SExt] };
        for &op in ops {
            let (narrow, wide) = both(op, to, 0, &v);
            prop_assert_eq!(narrow, wide);
        }
        if low + to <= from {
            let (narrow, wide) = both(Op::Extract, to, low.into(), &v);
            prop_assert_eq!(narrow, wide);
        }
        if from + to <= 64 {
            let (narrow, wide) = both(Op::Concat, from + to, 0, &[v[0].clone(), Bits::new(to, a)]);
            prop_assert_eq!(narrow, wide);
        }
    }

    /// At widths above 64, an operation on sign- or zero-extended operands agrees with 128-bit integers.
    #[test]
    fn wide_agrees_with_integers(a in any::<i128>(), b in any::<i128>(), small in 0u32..140) {
        let v = |x: i128| Bits::from_words(128, smallvec::smallvec![x as u64, (x >> 64) as u64]);
        let check = |op: Op, expect: i128| {
            let got = apply(op, 128, 0, &[&v(a), &v(b)]);
            prop_assert_eq!(got, v(expect), "{:?}", op);
            Ok(())
        };
        check(Op::Add, a.wrapping_add(b))?;
        check(Op::Sub, a.wrapping_sub(b))?;
        check(Op::Mul, a.wrapping_mul(b))?;
        check(Op::SAddSat, a.saturating_add(b))?;
        check(Op::SSubSat, a.saturating_sub(b))?;
        check(Op::UAddSat, (a as u128).saturating_add(b as u128) as i128)?;
        check(Op::USubSat, (a as u128).saturating_sub(b as u128) as i128)?;
        if b != 0 {
            check(Op::SDiv, a.wrapping_div(b))?;
            check(Op::SRem, a.wrapping_rem(b))?;
            check(Op::UDiv, (a as u128 / b as u128) as i128)?;
            check(Op::URem, (a as u128 % b as u128) as i128)?;
        }
        let flags = [
            (Op::SAddO, a.checked_add(b).is_none()),
            (Op::SSubO, a.checked_sub(b).is_none()),
            (Op::SMulO, a.checked_mul(b).is_none()),
            (Op::UAddO, (a as u128).checked_add(b as u128).is_none()),
            (Op::USubO, (a as u128).checked_sub(b as u128).is_none()),
            (Op::UMulO, (a as u128).checked_mul(b as u128).is_none()),
            (Op::Slt, a < b), (Op::Sle, a <= b),
            (Op::Ult, (a as u128) < b as u128), (Op::Ule, a as u128 <= b as u128),
        ];
        for (op, expect) in flags {
            prop_assert_eq!(apply(op, 1, 0, &[&v(a), &v(b)]), Bits::new(1, expect.into()), "{:?}", op);
        }
        let n = v(small.into());
        let shift = |op: Op| apply(op, 128, 0, &[&v(a), &n]);
        prop_assert_eq!(shift(Op::Shl), v(a.checked_shl(small).unwrap_or(0)));
        prop_assert_eq!(shift(Op::LShr), v((a as u128).checked_shr(small).unwrap_or(0) as i128));
        prop_assert_eq!(shift(Op::AShr), v(a >> small.min(127)));
        let un = |op: Op| apply(op, 128, 0, &[&v(a)]);
        prop_assert_eq!(un(Op::Bswap), v(a.swap_bytes()));
        prop_assert_eq!(un(Op::Bitreverse), v(a.reverse_bits()));
        prop_assert_eq!(un(Op::Abs), v(a.wrapping_abs()));
        prop_assert_eq!(un(Op::Ctpop).low(), u64::from(a.count_ones()));
        prop_assert_eq!(un(Op::Ctlz).low(), u64::from(a.leading_zeros()));
        prop_assert_eq!(un(Op::Cttz).low(), u64::from(a.trailing_zeros()));
    }
}

#[test]
fn small_widths_agree_exhaustively() {
    for w in 1..=4u16 {
        let integer = Op::ALL.iter().filter(|op| !op.is_float());
        for &op in integer.filter(|op| (op.is_same_width() && **op != Op::Bswap) || op.is_predicate()) {
            for (a, b) in (0..1u64 << w).flat_map(|a| (0..1u64 << w).map(move |b| (a, b))) {
                let args = [Bits::new(w, a), Bits::new(w, b)];
                let (narrow, wide) = both(op, result_width(op, w), 0, &args[..operands(op)]);
                assert_eq!(narrow, wide, "{op:?} {args:?}");
            }
        }
    }
}

#[test]
fn division_by_zero_is_as_in_smt_lib() {
    let v = |x: u64| Bits::new(8, x);
    let div = |op, a| apply(op, 8, 0, &[&v(a), &v(0)]).low();
    assert_eq!(div(Op::UDiv, 7), 0xff);
    assert_eq!(div(Op::URem, 7), 7);
    assert_eq!((div(Op::SDiv, 7), div(Op::SDiv, 0xf9)), (0xff, 1));
    assert_eq!((div(Op::SRem, 7), div(Op::SRem, 0xf9)), (7, 0xf9));
}

#[test]
fn the_largest_width_works() {
    let w = trace_abi::MAX_WIDTH;
    let ones = Bits::ones(w);
    let one = Bits::new(w, 1);
    assert!(apply(Op::Add, w, 0, &[&ones, &one]).is_zero());
    assert_eq!(apply(Op::UMulO, 1, 0, &[&ones, &ones]).low(), 1);
    assert_eq!(apply(Op::SMulO, 1, 0, &[&ones, &ones]).low(), 0);
    assert_eq!(apply(Op::UDiv, w, 0, &[&ones, &ones]), one);
    assert_eq!(apply(Op::SAddSat, w, 0, &[&ones, &ones]), apply(Op::Shl, w, 0, &[&ones, &one]));
}
