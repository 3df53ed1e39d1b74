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

/// What stands in a bench file, for `spelunk bench --help`.
pub fn bench_file() -> &'static str {
    BENCH_FILE
}

const BENCH_FILE: &str = "\
The bench file (TOML; what it names is relative to its folder; ${NAME} is a variable of the environment):
  title, note, reference   texts for the page; reference says where values of `paper` come from
  metric = \"relative\"      what is compared: relative, reachable, absolute (per cent of branches), branches
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
A campaign that is complete is not made again unless its program, inputs, options or Spelunk changed.
";
