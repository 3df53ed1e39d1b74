//! Help beyond the options.

/// What follows `spelunk --help`.
pub fn after() -> String {
    format!("Exit codes:\n{}", crate::exit::table())
}

/// Long help of `--strategy`.
pub fn strategies() -> String {
    let rows = strategy::Kind::ALL.iter().map(|kind| format!("  {:15} {}\n", kind.name(), kind.help()));
    format!("How to choose what to try next:\n{}", rows.collect::<String>())
}

/// Long help of `--random`.
pub const RANDOM: &str = "\
How likely random inputs of a name are, in strategies random and hybrid (may be repeated; what is solved or searched is not
bound by it). NAME is that of a value (as in spelunk_int(\"key\")), stdin, connection, argument, variable, file, data (a fuzz
target's), one argument's number, a file's or a variable's name, or * for all that have none of their own.
DISTRIBUTION is one part or several with blanks between them, each WEIGHT:RANGES or RANGES:
  key=0..9                              whole numbers, all alike; 0x1f, -3 and 'a' are numbers, too
  op=5:'i' 5:'d' 1:*                    weights; * is any value
  x=-1.5..1.5                           of float and double, all between these
  stdin=\"abc\\n\"                        one of these characters for each byte
  connection=70:'a'..'z',' ' 20:'\\n' 10:*
Of whole numbers those count that the value's type holds. A program can say so itself: SPELUNK_RANDOM in spelunk.h. A further
session of a campaign (--resume) goes on with what the first was given, unless it is given something itself";

/// What stands in a bench file, for `spelunk bench --help`.
pub fn bench_file() -> &'static str {
    BENCH_FILE
}

const BENCH_FILE: &str = "\
The bench file (TOML; what it names is relative to its folder; ${NAME} is a variable of the environment):
  title, note, reference   texts for the page; reference says where values of `paper` come from
  metric = \"relative\"      what is compared: relative, reachable, comparable, absolute (per cent of branches), branches
  seeds = [0, 1, 2]        seeds of random choices, or how many (seeds = 10) [default: 0 alone]
  repetitions = 1          how often each seed
  limit = \"1h\"             a campaign that takes longer is lost
  [[target]]
    name                   [default: the program's]
    program = \"prog\"       or sources, objects and archives: [\"a.c\", \"b.c\"]
    args = [\"@@\"]          of the program
    inputs = \"samples\"     folder of inputs to start from
    options = { stdin = true, max-input = 64, symbolic-arg = [\"1:8\"] }   of spelunk explore
    reached = \"abort\"      a kind of finding (or \"finding\"), a function, or a line (\"file.c:12\"): when it was reached
    aside = [\"f\", \"g\"]     functions that \"comparable\" leaves out of what is reachable, and of what is covered
    paper = { cfg = 60 }   values of a paper by strategy, shown beside ours
    metric, seeds, strategies = [\"…\"], budgets = [\"…\"]   for this target alone
  [[strategy]]
    name                   [default: the strategy's]
    strategy = \"cfg\"       of spelunk explore [default: the name]
    options = { depth = 20 }
    budgets = [\"…\"]        for this strategy alone
  [[budget]]
    name                   [default: made of the rest]
    runs, queries, cpu = \"30s\", time = \"5m\"   the first that is used up ends a campaign
A campaign ends when every branch is covered; where something is to be reached, when every other goal is reached, too (--until).
A campaign that is complete is not made again unless its program, inputs, options or Spelunk changed.
";
