#!/usr/bin/env python3
"""CREST's `replace` (public repository jburnim/crest, benchmarks/replace): branch coverage over 3,000 iterations per strategy,
three seeds, as in the paper's figure 1. usage: replace.py FOLDER-WITH-replace.c [WORK-DIR]"""
import concurrent.futures, sys
from common import *

STRATEGIES = ["random", "bounded-dfs", "uniform-random", "random-branch", "cfg", "generational", "auto"]
MARKS = [50, 100, 200, 400, 800, 1500, 3000]


def one(strategy, seed):
    out = work / f"{strategy}-{seed}"
    shutil.rmtree(out, ignore_errors=True)
    command = [SPELUNK, "explore", source / "replace.c", "--cflags", "-w -std=gnu89", "--strategy", strategy, "--runs", "3000",
               "--seed", str(seed), "--depth", "14", "-j", "1", "--out", out, "--json"]
    events = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if events.returncode not in (0, 1):
        sys.exit(f"{strategy}, seed {seed}: exit {events.returncode}\n{events.stderr}")
    return strategy, seed, curve(events.stdout)


def curve(lines):
    """(run number, branches covered so far) at each run that covered something new."""
    runs = covered = 0
    points = []
    for line in lines.splitlines():
        event = json.loads(line)
        if event["event"] == "run-done":
            runs += 1
            if event["new_branches"]:
                covered += event["new_branches"]
                points.append([runs, covered])
    return points


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1]).resolve()
    work = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/tmp/spelunk-replace").resolve()
    work.mkdir(parents=True, exist_ok=True)
    at = lambda points, mark: max((c for r, c in points if r <= mark), default=0)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda job: one(*job), [(s, k) for s in STRATEGIES for k in (1, 2, 3)]))
    print(f"{'strategy':16}" + "".join(f"{m:>8}" for m in MARKS) + "   branches covered after that many runs, mean of three seeds")
    for strategy in STRATEGIES:
        curves = [c for s, _, c in results if s == strategy]
        print(f"{strategy:16}" + "".join(f"{statistics.mean(at(c, m) for c in curves):8.1f}" for m in MARKS))
    save("replace", {"curves": [{"strategy": s, "seed": k, "points": c} for s, k, c in results]})
