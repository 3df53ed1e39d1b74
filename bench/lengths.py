#!/usr/bin/env python3
"""Conditions on lengths, turns of loops and flags set in different places (tests/programs/lengths and flags, bench/lengths): whether each program's goal
is found, by how much CPU time of the search and after how many runs, default options, five seeds.
usage: lengths.py [--search N] [--seeds N] [--spelunk FILE] [--name NAME] [PROGRAM …]   (programs as lengths/records)"""
import argparse, re, sqlite3, tempfile
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--search", type=float, default=10, help="CPU-seconds of the search")
arguments.add_argument("--seeds", type=int, default=5)
arguments.add_argument("--spelunk", default=SPELUNK, help="the tool, of another build for instance")
arguments.add_argument("--name", default="lengths", help="name of the raw data below bench/runs")
arguments.add_argument("programs", nargs="*")
options = arguments.parse_args()
PROGRAMS = ROOT / "tests/programs"
names = options.programs or sorted(str(p.relative_to(PROGRAMS))[:-2] for d in ("lengths", "flags") for p in (PROGRAMS / d).glob("*.c"))
names = names if options.programs else names + sorted(f"../../bench/lengths/{p.stem}" for p in (ROOT / "bench/lengths").glob("*.c"))



def found_at(out):
    """CPU seconds of the search and runs when the finding was first seen; None if it was not."""
    base = sqlite3.connect(out / "campaign.db")
    for (record,) in base.execute("SELECT record FROM events ORDER BY seq"):
        record = json.loads(record)
        if record["event"] == "finding-seen":
            return record["measured"].get("search_cpu_us", 0) / 1e6, record["measured"]["runs"]
    return None


def solved_at(out, source, work):
    """The same for programs that print SOLVED on several ways: when the last branch was covered, if all ways were taken."""
    wanted = set(re.findall(r'"(SOLVED[^"]*)\\n"', source.read_text()))
    plain = work / source.stem
    subprocess.run(["clang-19", source, "-o", plain], check=True)
    printed = set()
    for test in (out / "tests").iterdir():
        run = subprocess.run([plain], stdin=open(test, "rb"), capture_output=True, text=True)
        printed.update(re.findall("SOLVED[^\n]*", run.stderr))
    if printed != wanted:
        return None
    return sqlite3.connect(out / "campaign.db").execute("SELECT max(cpu_us) / 1e6, max(runs) FROM coverage").fetchone()


def one(name, seed, work):
    source = PROGRAMS / f"{name}.c"
    out = work / f"{name.replace('/', '-').replace('..', '')}-{seed}"
    command = [options.spelunk, "explore", source, "--cpu", f"{options.search}s", "--seed", str(seed), "--out", out,
               "--cflags", f"-I{ROOT / 'include'}"]
    cpu, wall, _, code = cpu_run(command, env={"SPELUNK_CACHE": str(work / "cache")})
    found = found_at(out) if "finding:" in source.read_text() else solved_at(out, source, work)
    summary = json.loads((out / "summary.json").read_text())
    return {"program": name, "seed": seed, "found_cpu_s": found and found[0], "found_runs": found and found[1], "cpu_s": cpu,
            "wall_s": wall, "exit": code, "ledger": summary["ledger"]}


with tempfile.TemporaryDirectory() as folder:
    rows = []
    for name in names:
        rows += [one(name, seed, pathlib.Path(folder)) for seed in range(options.seeds)]
        own = rows[-options.seeds:]
        times = [f"{r['found_cpu_s']:.1f}" if r["found_cpu_s"] is not None else "-" for r in own]
        print(f"{name:22} {sum(t != '-' for t in times)} of {options.seeds}; CPU-s {' '.join(times)}", flush=True)
save(options.name, {"search": options.search, "rows": rows})
