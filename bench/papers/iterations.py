#!/usr/bin/env python3
"""Branch coverage over a number of runs, per strategy and seed, as in the figures of Burnim & Sen (UCB/EECS-2008-123): absolute, and
of the branches they call reachable: those of all functions that any campaign here entered.

usage: iterations.py NAME EXECUTABLE --work DIR [--runs 4000] [--seeds 1,2,3] [--depth 12] [--strategies …] [--auto-cpu]
                     [--dfs-args "…"] [-- ARGUMENTS OF THE PROGRAM]
The executable was built with `spelunk cc` (sources of the papers' programs: bench/papers/README.md). --dfs-args: other arguments for
depth-first search (the paper gives it shorter inputs). --auto-cpu: `auto` is bound not by runs but by as much CPU of the search as
`cfg` took with the same seed. Campaigns that are finished are not run again."""
import argparse, shlex, sqlite3, sys
sys.path.insert(0, str(__import__("pathlib").Path(__file__).resolve().parent.parent))
from common import *

STRATEGIES = ["random", "bounded-dfs", "uniform-random", "random-branch", "cfg", "auto"]
MARKS = [50, 100, 200, 300, 500, 1000, 2000, 3000, 4000]


def explore(options, strategy, seed, budget):
    """Runs a campaign, if it is not there, and returns its folder."""
    out = options.work / f"{options.name}-{strategy}-{seed}"
    if (out / "summary.json").exists():
        return out
    shutil.rmtree(out, ignore_errors=True)
    arguments = shlex.split(options.dfs_args) if strategy == "bounded-dfs" and options.dfs_args else options.arguments
    command = ["nice", SPELUNK, "explore", options.executable, "--strategy", strategy, *budget, "--seed", seed, "--depth", options.depth,
               "-j", "1", "--check-trace", "--no-check", "--minimise", "0", "--out", out, "--", *arguments]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{strategy}, seed {seed}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return out


def read(out, strategy, seed):
    """What a campaign covered, and at which run."""
    summary = json.loads((out / "summary.json").read_text())
    ledger = summary["ledger"]
    base = sqlite3.connect(f"file:{out}/campaign.db?mode=ro", uri=True)
    rows = base.execute("select runs, count(*) from coverage where branch < ? group by runs order by runs", (ledger["branches_total"],))
    curve, covered = [], 0
    for runs, new in rows:
        covered += new
        curve.append([runs, covered])
    wanted = ("runs", "branches", "branches_total", "functions", "functions_total", "queries", "sat", "unsat", "unknown", "flips_run",
              "divergences", "events_checked", "mismatches", "hangs", "crashes")
    return {"strategy": strategy, "seed": seed, "curve": curve, "entered": functions(out), "ended": summary["ended"],
            "cpu_seconds": round(summary["search_cpu_seconds"], 2), "seconds": round(summary["seconds"], 2),
            "peak_mib": summary["peak_mib"], **{key: ledger[key] for key in wanted}}


def functions(out):
    """Of each function that was entered: its branches, [all, covered, all as ifs, covered as ifs]. CREST's front end makes a chain of ifs
    of every switch, one for each label, so that n labels are 2n branches; here a switch of n labels has n + 1 outcomes."""
    path = out / "coverage.lcov"
    subprocess.run([str(SPELUNK), "coverage", str(out), "--lcov", str(path)], check=True, stdout=subprocess.DEVNULL)
    found = {}
    for part in path.read_text().split("SF:")[1:]:
        lines = part.splitlines()
        fields = lambda tag: [line[len(tag):].split(",") for line in lines if line.startswith(tag)]
        hit = {name for count, name in fields("FNDA:") if count != "0"}
        starts = sorted((int(line), name) for line, name in fields("FN:"))
        conditionals = {}
        for line, block, _, taken in fields("BRDA:"):
            conditionals.setdefault((int(line), block), []).append(taken not in ("0", "-"))
        for (line, _), outcomes in conditionals.items():
            name = max((start for start in starts if start[0] <= line), default=(0, ""))[1]
            if name in hit:
                ifs = [2, sum(outcomes)] if len(outcomes) == 2 else [2 * (len(outcomes) - 1), as_ifs(outcomes)]
                counts = found.setdefault(f"{pathlib.Path(lines[0]).name}:{name}", [0, 0, 0, 0])
                counts[:] = [c + more for c, more in zip(counts, [len(outcomes), sum(outcomes), *ifs])]
    path.unlink()
    return found


def as_ifs(outcomes):
    """Branches covered of a switch's labels, its default first, taken for a chain of ifs: a test fails if a later one is reached."""
    default, labels = outcomes[0], outcomes[1:]
    failed = sum(default or any(labels[k + 1:]) for k in range(len(labels)))
    return sum(labels) + failed


def at(curve, mark):
    return max((covered for runs, covered in curve if runs <= mark), default=0)


def table(results, runs):
    reachable = {}
    for result in results:
        reachable.update({name: (counts[0], counts[2]) for name, counts in result["entered"].items()})
    own, ifs = (sum(c[k] for c in reachable.values()) for k in (0, 1))
    total = results[0]["branches_total"]
    marks = [m for m in MARKS if m <= runs]
    print(f"{total} branches; {own} in the {len(reachable)} functions that a campaign entered, {ifs} with switches as chains of ifs")
    print(f"{'strategy':16}" + "".join(f"{m:>7}" for m in marks) + "   final (each seed), % of all, of reachable, of reachable as ifs; CPU s, runs/CPU s")
    for strategy in dict.fromkeys(r["strategy"] for r in results):
        mine = [r for r in results if r["strategy"] == strategy]
        mean = lambda f: statistics.mean(f(r) for r in mine)
        final = mean(lambda r: r["branches"])
        as_chain = mean(lambda r: sum(c[3] for c in r["entered"].values()))
        print(f"{strategy:16}" + "".join(f"{mean(lambda r: at(r['curve'], m)):7.0f}" for m in marks)
              + f"   {final:7.1f} {[r['branches'] for r in mine]}  {100 * final / total:.1f}  {100 * final / own:.1f}  {100 * as_chain / ifs:.1f}"
              + f"  {mean(lambda r: r['cpu_seconds']):.1f}  {mean(lambda r: r['runs'] / max(r['cpu_seconds'], 0.01)):.0f}")
    return {"branches": total, "reachable": own, "reachable_as_ifs": ifs}


def main():
    own, _, rest = " ".join(map(shlex.quote, sys.argv[1:])).partition(" -- ")
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("executable", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--work", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--depth", default="12")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--dfs-args", default="")
    parser.add_argument("--auto-cpu", action="store_true")
    options = parser.parse_args(shlex.split(own))
    options.arguments = shlex.split(rest)
    options.work.mkdir(parents=True, exist_ok=True)
    results = []
    for seed in options.seeds.split(","):
        for strategy in options.strategies.split(","):
            budget = ["--runs", options.runs]
            if strategy == "auto" and options.auto_cpu:
                same = next(r for r in results if r["strategy"] == "cfg" and r["seed"] == int(seed))
                budget = ["--cpu", f"{max(1, round(same['cpu_seconds']))}s"]
            results.append(read(explore(options, strategy, seed, budget), strategy, int(seed)))
            print(f"{strategy}, seed {seed}: {results[-1]['branches']}", file=sys.stderr, flush=True)
    command = [options.executable.name if word == sys.argv[2] else word for word in sys.argv[1:]]
    command = ["bench/papers/iterations.py", *("WORK" if before == "--work" else word for before, word in zip(["", *command], command))]
    here = {"machine": {**machine(), "command": shlex.join(command)}}
    save(f"papers-{options.name}", {**here, **table(results, options.runs), "runs": results})


if __name__ == "__main__":
    main()
