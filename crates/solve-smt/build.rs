//! Links Bitwuzla statically, building it first if no earlier build left it in the cache folder.

fn main() -> anyhow::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    for variable in ["SPELUNK_BITWUZLA_DIR", "SPELUNK_CACHE", "XDG_CACHE_HOME", "CXX"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let folder = bitwuzla_build::ensure(&|line| println!("{line}"))?;
    println!("cargo:rerun-if-changed={}", folder.join(bitwuzla_build::ARCHIVE).display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=spelunk_bitwuzla");
    // In this order: each needs the ones after it.
    let compiler = bitwuzla_build::compile::Compiler::find()?;
    for library in ["mpfr", "gmp", "stdc++"] {
        match compiler.static_library(library)? {
            Some(folder) => {
                println!("cargo:rustc-link-search=native={}", folder.display());
                println!("cargo:rustc-link-lib=static={library}");
            }
            None => println!("cargo:rustc-link-lib={library}"),
        }
    }
    Ok(())
}
