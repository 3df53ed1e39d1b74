#!/usr/bin/env python3
"""Three small programs (bench/small): every feasible branch within ten CPU-seconds, default options, three seeds. The CPU time is
that of the whole process tree: building the program, instrumenting it, searching, confirming the suite. Branches are those of llvm-cov
on a plain build that the final suite is replayed on; what no input reaches is marked in the sources (INFEASIBLE).
usage: small.py [--search N] [--seeds N] [PROGRAM …]"""
import argparse, re, tempfile
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--search", type=float, default=8, help="CPU-seconds of the search")
arguments.add_argument("--seeds", type=int, default=3)
arguments.add_argument("--name", default="small", help="name of the raw data below bench/runs")
arguments.add_argument("programs", nargs="*", default=["maze", "numeric", "machine"])
options = arguments.parse_args()
SMALL = ROOT / "bench/small"
LLVM = os.environ.get("LLVM", "19")


def infeasible(source):
    """Outcomes that are marked: (line, number of the condition in its line, outcome) -> reason."""
    marks = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if mark := re.search(r"INFEASIBLE (\d+)\.(true|false): (.*)", line):
            marks[number, int(mark[1]), mark[2] == "true"] = mark[3]
    return marks


def outcomes(binary, source, inputs, work):
    """All branch outcomes of the program and whether the inputs reach them, as llvm-cov counts."""
    for old in work.glob("*.profraw"):
        old.unlink()
    for n, path in enumerate([None, *inputs]):
        given = open(path, "rb") if path else subprocess.DEVNULL
        subprocess.run([binary], stdin=given, env={**os.environ, "LLVM_PROFILE_FILE": str(work / f"{n}.profraw")},
                       capture_output=True, timeout=10)
    profile = work / "all.profdata"
    subprocess.run([f"llvm-profdata-{LLVM}", "merge", "-o", profile, *work.glob("*.profraw")], check=True)
    export = subprocess.run([f"llvm-cov-{LLVM}", "export", binary, f"-instr-profile={profile}"], check=True, capture_output=True)
    regions = json.loads(export.stdout)["data"][0]["files"][0]["branches"]
    found, place = {}, {}
    for line, column, _, _, true, false, *_ in sorted(regions):
        key = place.setdefault((line, column), (line, 1 + sum(k[0] == line for k in place)))
        for outcome, count in ((True, true), (False, false)):
            found[(*key, outcome)] = found.get((*key, outcome), False) or count > 0
    return found


def one(name, seed, work):
    source = SMALL / f"{name}.c"
    binary = work / name
    if not binary.exists():
        subprocess.run([f"clang-{LLVM}", "-O0", "-fprofile-instr-generate", "-fcoverage-mapping", source, "-o", binary], check=True)
    out, cache = work / f"{name}-{seed}", work / f"cache-{name}-{seed}"
    command = [SPELUNK, "explore", source, "--cpu", f"{options.search}s", "--seed", str(seed), "--out", out]
    cpu, wall, peak, code = cpu_run(command, env={"SPELUNK_CACHE": str(cache)})
    summary = json.loads((out / "summary.json").read_text())
    reached = outcomes(binary, source, sorted((out / "tests").iterdir()) + sorted(out.glob("findings/*/input*")), work)
    marks = infeasible(source)
    wrong = [k for k in marks if reached.get(k, True)]
    missed = sorted(k for k, hit in reached.items() if not hit and k not in marks)
    return {"program": name, "seed": seed, "cpu_s": cpu, "wall_s": wall, "peak_mib": peak, "exit": code,
            "outcomes": len(reached), "infeasible": len(marks), "marks_that_are_wrong": wrong,
            "reached": sum(reached.values()), "missed": missed, "summary": summary}


with tempfile.TemporaryDirectory() as folder:
    rows = [one(name, seed, pathlib.Path(folder)) for name in options.programs for seed in range(options.seeds)]
for r in rows:
    feasible = r["outcomes"] - r["infeasible"]
    missed = ", ".join(f"{line}:{n} {str(outcome).lower()}" for line, n, outcome in r["missed"])
    print(f"{r['program']:8} seed {r['seed']}: {r['reached']} of {feasible} feasible outcomes, {r['cpu_s']:.1f} CPU-s "
          f"(search {r['summary']['search_cpu_seconds']:.1f}), {r['summary']['ledger']['runs']} runs; {missed or 'all'}"
          + (f"; MARKED BUT REACHED: {r['marks_that_are_wrong']}" if r["marks_that_are_wrong"] else ""))
save(options.name, {"search": options.search, "rows": rows})
