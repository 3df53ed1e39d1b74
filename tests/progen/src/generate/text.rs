//! Library functions on text and memory, on a string made of input.

use super::convert::convert;
use super::{Gen, INPUT_BYTES, StmtRule};
use crate::feature::Feature;
use crate::tree::{Expr, Stmt};
use crate::types::{I32, Ty};

/// The rules with their weights.
pub(super) const STATEMENTS: &[(usize, StmtRule)] =
    &[(6, string_search), (4, string_compare), (4, number), (3, print), (3, sort)];

/// Is-it functions: whether the result is zero is all that is promised.
const CTYPE: &[&str] =
    &["isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isxdigit", "ispunct", "isprint"];

/// Character classes.
pub(super) fn ctype(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Ctype).then_some(())?;
    let sub = g.expr(Ty::int(8, false), depth);
    let template = match g.rng.below(3) {
        0 => format!("{}((u8)$)", g.rng.pick(&["toupper", "tolower"])),
        _ => format!("({}((u8)$) != 0)", g.rng.pick(CTYPE)),
    };
    Some(convert(Expr::new(I32, &template, vec![sub]), ty))
}

/// A string of 7 characters or less: bytes of input, mapped into some characters.
fn string(g: &mut Gen, name: &str) -> Option<String> {
    g.scope.input.then_some(())?;
    let from = g.rng.below(INPUT_BYTES - 8);
    let map =
        g.rng.pick(&["\"abcdefgh\"[b_ & 7]", "\"ab,;\"[b_ & 3]", "(b_ & 127)", "\"0123456789\"[b_ % 10]"]);
    Some(format!(
        "char {name}[8]; for (int i_ = 0; i_ < 7; i_++) {{ u8 b_ = in[{from} + i_]; {name}[i_] = {map}; }} {name}[7] = 0; "
    ))
}

fn into(g: &mut Gen) -> Option<(String, String)> {
    let to = g.target(|v| v.ty.is_int() && v.ty != Ty::Bool)?;
    Some((to.name, to.ty.name()))
}

fn string_search(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (to, ty) = into(g)?;
    g.take(Feature::Strings).then_some(())?;
    let s = g.name("s");
    let make = string(g, &s)?;
    let offset = |call: &str| format!("({{ const char *p_ = {call}; p_ ? p_ - {s} : -1; }})");
    let value = match g.rng.below(9) {
        0 => format!("strlen({s})"),
        1 => offset(&format!("strchr({s}, 'b')")),
        2 => offset(&format!("strrchr({s}, 'a')")),
        3 => offset(&format!("(const char *)memchr({s}, 'c', 7)")),
        4 => format!("strspn({s}, \"abc\")"),
        5 => format!("strcspn({s}, \",;\")"),
        6 => offset(&format!("strstr({s}, \"ab\")")),
        7 => offset(&format!("strpbrk({s}, \"dh;\")")),
        _ => format!("strnlen({s}, 5)"),
    };
    Some(Stmt::text(format!("{{ {make}{to} = ({ty})({value}); }}")))
}

/// Only the sign of a comparison is promised.
fn string_compare(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (to, ty) = into(g)?;
    g.take(Feature::Strings).then_some(())?;
    let (s, t) = (g.name("s"), g.name("s"));
    let make = string(g, &s)? + &string(g, &t)?;
    let other =
        if g.rng.chance(50) { t } else { g.rng.pick(&["\"abcd\"", "\"b\"", "\"\"", "\"12\""]).to_owned() };
    let value = match g.rng.below(4) {
        0 => format!("sign(strcmp({s}, {other}))"),
        1 => format!("sign(strncmp({s}, {other}, 3))"),
        2 => format!("(memcmp({s}, {other}, 1) == 0)"),
        _ => format!("(strlen(strcpy({s}, {other})) * 3 + (u8){s}[0])"),
    };
    Some(Stmt::text(format!("{{ {make}{to} = ({ty})({value}); }}")))
}

/// Digits of input, as a number.
fn number(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (to, ty) = into(g)?;
    if !g.scope.input || !g.take(Feature::Numbers) {
        return None;
    }
    let (s, from, n) = (g.name("s"), g.rng.below(INPUT_BYTES - 8), g.rng.between(1, 6));
    let sign =
        g.rng.pick(&["in[from] & 1 ? '-' : '+'", "' '", "'-'", "'0'"]).replace("from", &from.to_string());
    let value = match g.rng.below(6) {
        0 => format!("atoi({s})"),
        1 => format!("strtol({s}, 0, 10)"),
        2 => format!("strtoul({s}, 0, 16)"),
        3 => format!("({{ char *e_; long v_ = strtol({s}, &e_, 0); v_ * 8 + (e_ - {s}); }})"),
        4 => format!("({{ int v_ = -1; int n_ = sscanf({s}, \"%d\", &v_); v_ + n_; }})"),
        _ => format!("atoll({s})"),
    };
    let make = format!(
        "char {s}[9]; {s}[0] = {sign}; for (int i_ = 1; i_ <= {n}; i_++) {s}[i_] = '0' + in[{from} + i_] % 10; {s}[{n} + 1] = 0; "
    );
    Some(Stmt::text(format!("{{ {make}{to} = ({ty})({value}); }}")))
}

/// A number as text; its characters are read back.
fn print(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (to, ty) = into(g)?;
    g.take(Feature::Print).then_some(())?;
    let s = g.name("s");
    let format = g.rng.pick(&["%d", "%u", "%x", "%5d", "%03u", "<%d>"]);
    let value = g.expr(I32, 2);
    let template = format!(
        "{{ char {s}[24]; int n_ = snprintf({s}, sizeof {s}, \"{format}\", $); {to} = ({ty})(n_ * 1000 + {s}[0] * 3 + {s}[n_ - 1]); }}"
    );
    Some(Stmt::new(&template, vec![value], vec![]))
}

/// Bytes of input sorted and searched.
fn sort(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (to, ty) = into(g)?;
    if !g.scope.input || !g.take(Feature::Sort) {
        return None;
    }
    let (a, from, n) = (g.name("a"), g.rng.below(INPUT_BYTES - 8), g.rng.between(2, 6));
    let search = g.rng.chance(40);
    let found = format!(
        "({{ int k_ = in[{from}] % 64; int *p_ = bsearch(&k_, {a}, {n}, sizeof *{a}, by_value); p_ ? p_ - {a} : -1; }})"
    );
    let value = if search { found } else { format!("{a}[0] * 64 + {a}[{n} / 2]") };
    Some(Stmt::text(format!(
        "{{ int {a}[{n}]; for (int i_ = 0; i_ < {n}; i_++) {a}[i_] = in[{from} + i_] % 64; qsort({a}, {n}, sizeof *{a}, by_value); {to} = ({ty})({value}); }}"
    )))
}

/// What the statements above call.
pub(super) const SUPPORT: &str = "static int by_value(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }";
