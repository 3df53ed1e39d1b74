//! The command line: every command and option, in one place. Parsed here, and passed down as plain values.

use crate::biased::Named;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use trace::{MAX_CONNECTIONS, Pieces};

/// The largest input there can be, in bytes: what fits into the memory shared with the program, without headers.
pub const MAX_INPUT: u64 = (64 << 20) - (1 << 16);

/// Gives C and C++ programs the tests they lack.
///
/// Build your program as always, behind `spelunk build`; then let Spelunk explore it:
///
///     spelunk build -- make
///     spelunk explore ./prog --seeds samples/ --time 5m -- @@
#[derive(Debug, Parser)]
#[command(name = "spelunk", version, about, long_about, verbatim_doc_comment, after_long_help = crate::help::after(), max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a build so that its executables can be explored
    Build(BuildArgs),
    /// Compile C as clang does, keeping the bitcode (for CC=)
    #[command(disable_help_flag = true)]
    Cc(CompilerArgs),
    /// Compile C++ as clang++ does, keeping the bitcode (for CXX=)
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArgs),
    /// Explore a program: find tests, crashes and hangs
    Explore(Box<ExploreArgs>),
    /// Run tests or findings again on the program they were found for
    Replay(ReplayArgs),
    /// Show what a campaign found: summary, or findings for code scanners
    Report(ReportArgs),
    /// Show what a campaign's tests cover
    Coverage(CoverageArgs),
    /// Explain why branches are open
    Why(WhyArgs),
    /// Write a campaign's tests in another tool's format
    Export(ExportArgs),
    /// Compare strategies on programs: repeated campaigns, statistics, plots, one page
    Bench(BenchArgs),
    /// Make an instrumented executable to run by hand
    Instrument(InstrumentArgs),
}

/// `spelunk build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Your usual build command, for example `make -j4`
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `spelunk cc` and `spelunk c++`.
#[derive(Debug, Args)]
pub struct CompilerArgs {
    /// Arguments as for clang
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// What to explore, replay or instrument.
#[derive(Debug, Args)]
pub struct TargetArgs {
    /// An executable built with `spelunk build`, or the C/C++ sources, objects and archives of one program
    #[arg(required = true, value_name = "TARGET")]
    pub target: Vec<PathBuf>,
    /// Compiler flags for sources, one string
    #[arg(long, value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    pub cflags: String,
    /// Linker flags and libraries for sources, objects and archives, one string
    #[arg(long, value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    pub ldflags: String,
}

/// `spelunk explore`.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// How to choose what to try next
    #[arg(long, value_name = "STRATEGY", default_value_t = strategy::Kind::Auto, long_help = crate::help::strategies())]
    pub strategy: strategy::Kind,
    /// Stop after this many runs of the program
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// Stop after this many solver queries
    #[arg(long, value_name = "N")]
    pub queries: Option<u64>,
    /// Be done after this time, with preparing the program and confirming what was found: 30s, 5m, 2h
    ///
    /// All of the command takes a tenth and five seconds longer at most. What there was no time to confirm is left to --resume or
    /// replay, and told.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Stop the search after this much CPU time, all workers and their runs together: 30s, 5m, 2h
    ///
    /// Counted as the kernel counts it: workers, fork servers, runs (killed ones, too). Instrumenting is not in it, nor confirming tests and
    /// findings, which takes an eighth of it and five seconds at least where --time is not given; summary.json tells each.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub cpu: Option<Duration>,
    /// What ends the campaign before its budget is used [default: paths; goals where there is no budget]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub until: Option<Until>,
    /// Seed of all random choices; the same seed and budget of work give the same campaign with -j 1
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Number of workers
    #[arg(short = 'j', long = "jobs", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub jobs: u32,
    /// Folder of inputs to start from, one per file: plain bytes, Spelunk's JSON, .ktest, Test-Comp XML (or its .zip)
    #[arg(long, value_name = "DIR")]
    pub seeds: Option<PathBuf>,
    /// Campaign folder: tests/, findings/, corpus/, campaign.db [default: spelunk-out/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with the campaign in the folder of --out
    #[arg(long)]
    pub resume: bool,
    /// Depth of bounded depth-first search, in forced branches
    #[arg(long, value_name = "N", default_value_t = 14)]
    pub depth: u32,
    /// Values that a run may ask for (spelunk_int and the like); one that asks for more ends quietly
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_inputs: u32,
    /// How likely random inputs of a name are (may be repeated): key=0..9, x=-1.5..1.5, stdin="abc\n",
    /// connection=70:'a'..'z' 20:'\n' 10:*
    #[arg(long, value_name = "NAME=DISTRIBUTION", value_parser = Named::parse, long_help = crate::help::RANDOM)]
    pub random: Vec<Named>,
    /// Of strategy hybrid: share of the branches at which it stops
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_share)]
    pub theta1: f64,
    /// Of strategy hybrid: random values in a row without a new branch after which it searches [default: when, by its
    /// estimate, a search gives more than random values]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub theta2: Option<u32>,
    /// Of strategy hybrid: values that a run of the search asks for behind its snapshot (of standard input and connections, 3 bytes count as one; 9 values of one byte without --theta2)
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    pub lookahead: u32,
    /// Of strategy hybrid: the strategy that searches from snapshots [default: bounded-dfs with --theta2, auto without]
    #[arg(long, value_name = "STRATEGY", value_parser = parse_searching)]
    pub from_snapshot: Option<strategy::Kind>,
    /// Of strategy hybrid: runs of a search (with --theta2, doubled while searches find nothing; without, now and then a longer one)
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub search_runs: u32,
    /// Length of random inputs, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16)]
    pub initial_length: u32,
    /// Largest input, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 16, value_parser = clap::value_parser!(u64).range(1..=MAX_INPUT))]
    pub max_input: u64,
    /// Wall-clock limit of one run: 500ms, 2s
    ///
    /// In sessions that end by --time or --cpu a run that takes far longer than all before is stopped earlier; one of those alike is run
    /// again with all its time.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_time)]
    pub timeout: Duration,
    /// Memory limit of one run, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub memory: u64,
    /// Limit of one solver query: 500ms, 2s
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_time)]
    pub solver_timeout: Duration,
    /// Stages of solving to use, comma-separated (see --help) [default: all]
    #[arg(long, value_name = "STAGES", value_delimiter = ',', long_help = solvers::help())]
    pub solvers: Vec<solvers::Stage>,
    /// Record what the solver is asked, for the benchmark of recorded queries; one worker only
    #[arg(long, value_name = "FILE", hide = true)]
    pub record_queries: Option<PathBuf>,
    /// Make argument INDEX (1 is the first) an input of up to LENGTH bytes (may be repeated)
    #[arg(long, value_name = "INDEX:LENGTH", value_parser = parse_symbolic_arg)]
    pub symbolic_arg: Vec<(u32, u32)>,
    /// Make environment variable NAME an input of up to LENGTH bytes (may be repeated)
    #[arg(long, value_name = "NAME:LENGTH", value_parser = parse_symbolic_env)]
    pub symbolic_env: Vec<(String, u32)>,
    /// Make the file that the program opens as NAME (relative to its working directory) an input (may be repeated)
    #[arg(long, value_name = "NAME", value_parser = parse_file)]
    pub file: Vec<String>,
    /// Make what clients send on the first N connections that the program accepts inputs (1 by default for a program that
    /// listens where there is no other input). N:line, N:BYTES: clients send line by line or so many bytes at a time, the
    /// next when the program has read the last
    #[arg(long, value_name = "N[:PIECES]", value_parser = parse_connections)]
    pub connections: Option<(u32, Pieces)>,
    /// Make standard input an input beside others (it is one by default where there is no other)
    #[arg(long)]
    pub stdin: bool,
    /// Look for these undefined operations as well, comma-separated: overflow, div, bounds, null, shift, cast
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub find: Vec<program::CheckKind>,
    /// Re-evaluate every recorded expression of every run and compare it with what the program did
    #[arg(long)]
    pub check_trace: bool,
    /// Do not run findings and tests with AddressSanitizer; the program's own executable alone tells
    #[arg(long, overrides_with = "check")]
    pub no_check: bool,
    /// Run findings and tests with AddressSanitizer, too (the default)
    #[arg(long)]
    pub check: bool,
    /// Do not compare the instrumented program with your own on the first input (a difference ends the session with code 70)
    #[arg(long)]
    pub no_compare: bool,
    /// Spend up to this many runs on making the input of each finding small and simple; 0: leave it as it is
    #[arg(long, value_name = "RUNS", default_value_t = 600)]
    pub minimise: u32,
    /// Print events as JSON, one per line, instead of the status line
    #[arg(long)]
    pub json: bool,
    /// Arguments of the program; @@ is replaced by the path of the input file (without it, input is standard input)
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// What ends a campaign before its budget is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// Every branch is covered
    Covered,
    /// Besides, every function is entered, every call that reports an error is made, and what callers of `assume` and the like
    /// and the callees of indirect calls ask for is reached or out of reach
    Goals,
    /// No path is left to try; where the program does more with its input than can be followed, goals have to be reached as well
    Paths,
    /// The budget alone
    Budget,
}

/// `spelunk replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A campaign folder (all its tests and findings), or one test or finding inside it
    #[arg(value_name = "DIR|FILE")]
    pub what: PathBuf,
    /// Show what the program prints on standard error
    #[arg(long)]
    pub show: bool,
}

/// `spelunk report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A campaign folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Write the findings to this file, in SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the whole report to this file, in JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// `spelunk coverage`.
#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// A campaign folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Also write LCOV data to this file
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
}

/// `spelunk why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// A line of the program's source, or the name of a function
    #[arg(value_name = "FILE:LINE|FUNCTION")]
    pub what: String,
    /// The campaign folder [default: the one in spelunk-out that was written last]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// `spelunk export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A campaign folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Format of the tests
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Where to write: a folder; for `c` a file; for `test-comp` a folder or a file that ends with .zip
    #[arg(short, long, value_name = "PATH")]
    pub output: PathBuf,
    /// For `test-comp`: the program's source [default: the campaign's target]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
}

/// Formats of a test suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One C file with the inputs inside, that runs the program on each and checks how it ends
    C,
    /// A file of bytes per input, as AFL++ and libFuzzer take them
    Raw,
    /// KLEE's .ktest files
    Ktest,
    /// Test-Comp's XML files, for programs that call __VERIFIER_nondet_* and the like
    TestComp,
}

/// `spelunk bench`.
#[derive(Debug, Args)]
#[command(after_long_help = crate::help::bench_file())]
pub struct BenchArgs {
    /// The bench file (see --help)
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Folder of the results: report.html, campaigns.csv, curves.csv, plots/, campaigns/ [default: spelunk-bench/FILE]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Campaigns at the same time; they share the machine, so that wall-clock budgets want 1
    #[arg(short = 'j', long = "jobs", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub jobs: u32,
    /// Only campaigns whose TARGET/STRATEGY/BUDGET/SEED holds this text (may be repeated)
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Make no campaign, only the report of those that are complete
    #[arg(long, conflicts_with_all = ["only", "jobs", "keep"])]
    pub report: bool,
    /// Keep complete campaigns that another build of Spelunk made
    #[arg(long)]
    pub keep: bool,
}

/// `spelunk instrument`.
#[derive(Debug, Args)]
pub struct InstrumentArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Which flavour
    #[arg(long, value_enum)]
    pub flavour: Flavour,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Flavours of an instrumented executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Flavour {
    /// Coverage and symbolic trace
    Trace,
    /// Coverage only
    Fast,
    /// As trace, with a log of every branch, call and return
    Path,
    /// With AddressSanitizer, as findings are confirmed
    Check,
    /// Compiled as trace, with nothing of Spelunk's in it: to tell a fault of Spelunk's from the program's own
    Bare,
}

/// `90`, `90s`, `500ms`, `5m`, `2h`: a duration.
///
/// # Errors
/// For anything else.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 =
        number.parse().map_err(|_| format!("`{text}` is no time; write for example 30s, 5m or 2h"))?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time; use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is too long"))
}

/// A number in 0 … 1.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is no share; write a number from 0 to 1, for example 0.9"))
}

/// A strategy that can search from a snapshot.
fn parse_searching(text: &str) -> Result<strategy::Kind, String> {
    let kind: strategy::Kind = text.parse().map_err(|e: strategy::UnknownStrategy| e.to_string())?;
    if kind.wants_snapshots() || !kind.wants_solver() {
        return Err(format!(
            "`{text}` does not search from a snapshot; use one that solves, such as auto or bounded-dfs"
        ));
    }
    Ok(kind)
}

/// `INDEX:LENGTH` of `--symbolic-arg`.
fn parse_symbolic_arg(text: &str) -> Result<(u32, u32), String> {
    let wrong = || {
        format!("`{text}` is not INDEX:LENGTH; write for example 1:8 for up to 8 bytes of the first argument")
    };
    let (index, length) = text.split_once(':').ok_or_else(wrong)?;
    match (index.parse(), length.parse()) {
        (Ok(index @ 1..), Ok(length @ 1..=4096)) => Ok((index, length)),
        _ => Err(wrong()),
    }
}

/// `NAME:LENGTH` of `--symbolic-env`.
fn parse_symbolic_env(text: &str) -> Result<(String, u32), String> {
    let wrong = || format!("`{text}` is not NAME:LENGTH; write for example LANG:8 for up to 8 bytes of LANG");
    let (name, length) = text.rsplit_once(':').ok_or_else(wrong)?;
    match length.parse() {
        Ok(length @ 1..=4096) if !name.is_empty() && !name.contains('=') => Ok((name.to_owned(), length)),
        _ => Err(wrong()),
    }
}

/// `N` or `N:PIECES` of `--connections`.
fn parse_connections(text: &str) -> Result<(u32, Pieces), String> {
    let (number, pieces) = text.split_once(':').unwrap_or((text, ""));
    let number = number.parse().ok().filter(|&n: &u32| n as usize <= MAX_CONNECTIONS);
    let pieces = match (pieces, Pieces::of_name(text.as_bytes())) {
        ("", Pieces::Whole) => (!text.ends_with(':')).then_some(Pieces::Whole),
        (_, Pieces::Whole) => None,
        (_, known) => Some(known),
    };
    number.zip(pieces).ok_or_else(|| {
        format!(
            "`{text}` is not N or N:PIECES; write for example 2 for two connections, 1:line for one whose client sends \
             line by line, 1:16 for 16 bytes at a time (there can be {MAX_CONNECTIONS} connections)"
        )
    })
}

/// The name of `--file`: what can stand in the run's own working directory.
fn parse_file(text: &str) -> Result<String, String> {
    let plain = |c| matches!(c, Component::Normal(_) | Component::CurDir);
    if text.is_empty() || text == "@@" || !Path::new(text).components().all(plain) {
        return Err(format!(
            "`{text}` is not the name of a file below the program's working directory; write for example config.txt \
             (other places are the user's own, and no run may write there: let the program take a path, and use @@)"
        ));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times() {
        assert_eq!(parse_time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("2h"), Ok(Duration::from_secs(7200)));
        assert!(parse_time("soon").is_err());
        assert!(parse_time("5 parsecs").is_err());
        assert!(parse_time("-1s").is_err());
    }

    #[test]
    fn symbolic_arguments() {
        assert_eq!(parse_symbolic_arg("2:8"), Ok((2, 8)));
        for bad in ["", "2", "0:8", "2:0", "2:x", "2:99999"] {
            assert!(parse_symbolic_arg(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn files_and_variables_that_are_inputs() {
        assert_eq!(parse_symbolic_env("LANG:8"), Ok(("LANG".into(), 8)));
        for bad in ["LANG", ":8", "A=B:8", "A:0", "A:x"] {
            assert!(parse_symbolic_env(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_connections("2"), Ok((2, Pieces::Whole)));
        assert_eq!(parse_connections("0:line"), Ok((0, Pieces::Lines)));
        assert_eq!(parse_connections("16:512"), Ok((16, Pieces::Bytes(512))));
        for bad in ["", "x", "17", "1:", "1:0", "1:lines", "-1"] {
            assert!(parse_connections(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_file("etc/a.conf"), Ok("etc/a.conf".into()));
        for bad in ["", "/etc/passwd", "../x", "@@"] {
            assert!(parse_file(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn wrapper_arguments_pass_through_untouched() {
        let cli = Cli::parse_from(["spelunk", "cc", "--version", "-O2", "-c", "a b.c", "-o", "x.o"]);
        let Command::Cc(args) = cli.command else { panic!("not cc") };
        assert_eq!(args.args, ["--version", "-O2", "-c", "a b.c", "-o", "x.o"]);
    }
}
