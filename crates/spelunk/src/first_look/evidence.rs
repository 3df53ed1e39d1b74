//! What Spelunk's authors need to see a fault of Spelunk's: a folder beside the campaign's.

use super::Look;
use super::compare::{Difference, Ended};
use std::io;
use std::path::{Path, PathBuf};
use trace::Input;

/// The folder of evidence of the campaign in `folder`.
pub fn folder(campaign: &Path) -> PathBuf {
    let name = campaign.file_name().map_or_else(Default::default, |n| n.to_string_lossy().into_owned());
    campaign.with_file_name(format!("{name}-fault"))
}

/// Writes it.
///
/// # Errors
/// When a file cannot be written.
pub fn keep(folder: &Path, look: &Look<'_>, difference: &Difference, input: &Input) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes);
    let outputs = |name: &str, ended: &Ended| -> io::Result<()> {
        write(&format!("{name}.stdout"), ended.stdout.as_deref().unwrap_or_default())?;
        write(&format!("{name}.stderr"), &ended.stderr)
    };
    outputs("own", &difference.own)?;
    outputs("instrumented", &difference.derived)?;
    write("input.json", &serde_json::to_vec_pretty(input)?)?;
    for (k, object) in input.objects.iter().enumerate() {
        write(&format!("input.{k}"), &object.data)?;
    }
    write("report.txt", report(look, difference).as_bytes())
}

fn report(look: &Look<'_>, difference: &Difference) -> String {
    let command: Vec<String> = std::env::args().map(|word| shell_words::quote(&word).into_owned()).collect();
    let kernel = std::fs::read_to_string("/proc/version").unwrap_or_default();
    let clang =
        toolchain::Clang::find().map(|clang| clang.driver(toolchain::Language::C).display().to_string());
    format!(
        "The instrumented program is not what the program is.\n\n\
         spelunk {}\ncommand: {}\nown executable: {}\ninstrumented: {} ({:?})\nclang: {}\nkernel: {}\n\n\
         own executable: {}\ninstrumented: {}\n\n\
         own.stdout, own.stderr, instrumented.stdout, instrumented.stderr: what they wrote (of standard error the end)\n\
         input.json: the input; input.N: its parts\n",
        env!("CARGO_PKG_VERSION"),
        command.join(" "),
        look.prepared.source.executable.display(),
        look.prepared.flavour.display(),
        difference.which,
        clang.unwrap_or_else(|e| e.to_string()),
        kernel.trim(),
        super::ended(difference.own.outcome),
        super::ended(difference.derived.outcome),
    )
}
