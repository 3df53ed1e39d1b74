//! Link-time optimisation in the flags of a build.
//!
//! With it objects hold bitcode instead of code, which works as far as archivers, symbol listers and the linker of the
//! build know bitcode of this clang; those of GNU binutils often do not. The bitcode that Spelunk wants is embedded
//! either way and survives the link. So the flags are kept where the build is plainly made for LLVM's tools
//! (`-fuse-ld=lld`) or cannot do without (control-flow integrity, whole-program virtual tables), and left out
//! elsewhere, which changes nothing but the user's own executable's speed. Objects with both (`-ffat-lto-objects`)
//! are what the wrappers make anyway: clang cannot embed bitcode twice.

use crate::args::{self, Invocation, Token};

/// Flags that only have a meaning with link-time optimisation.
const WITH_LTO: &[&str] = &[
    "-ffat-lto-objects",
    "-funified-lto",
    "-fsplit-lto-unit",
    "-fwhole-program-vtables",
    "-fvirtual-function-elimination",
];

/// The call with link-time optimisation as far as it will work, and the flags left out.
pub fn usable(call: Invocation) -> (Invocation, Vec<String>) {
    let fat = call.flags().any(|f| f == "-ffat-lto-objects");
    let is_kept = |f: &str| !fat && (f.starts_with("-flto") || WITH_LTO.contains(&f));
    let keeps = !fat && call.flags().any(|f| f == "-fuse-ld=lld" || needs_lto(f));
    let Invocation { action, tokens } = call;
    let (dropped, tokens): (Vec<Token>, Vec<Token>) = tokens.into_iter().partition(|t| match t {
        Token::Flag(words) => is_lto(&words[0]) && !(keeps && is_kept(&words[0])),
        _ => false,
    });
    (Invocation { action, tokens }, args::words_of(&dropped))
}

fn is_lto(flag: &str) -> bool {
    flag.starts_with("-flto") || WITH_LTO.contains(&flag)
}

/// Whether clang refuses the flag without link-time optimisation.
fn needs_lto(flag: &str) -> bool {
    let sanitizers = flag.strip_prefix("-fsanitize=").unwrap_or_default();
    flag == "-fwhole-program-vtables"
        || flag == "-fvirtual-function-elimination"
        || sanitizers.split(',').any(|s| s == "cfi" || s.starts_with("cfi-"))
}

#[cfg(test)]
mod tests {
    use super::usable;
    use crate::args::Invocation;

    fn of(line: &str) -> (String, String) {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        let (call, dropped) = usable(Invocation::parse(&words));
        (call.words().join(" "), dropped.join(" "))
    }

    #[test]
    fn is_kept_where_the_build_is_made_for_it() {
        for line in ["-flto=thin -O2 a.o -fuse-ld=lld", "-flto -fsanitize=cfi -fvisibility=hidden -c a.c"] {
            assert_eq!(of(line), (line.to_string(), String::new()));
        }
    }

    #[test]
    fn is_left_out_elsewhere() {
        assert_eq!(of("-flto=auto -O2 a.o"), ("-O2 a.o".into(), "-flto=auto".into()));
        let fat = of("-flto -ffat-lto-objects -fuse-ld=lld -c a.c");
        assert_eq!(fat, ("-fuse-ld=lld -c a.c".into(), "-flto -ffat-lto-objects".into()));
    }
}
