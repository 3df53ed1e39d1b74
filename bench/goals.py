#!/usr/bin/env python3
"""Goals beside branches (tests/programs/goals): tasks whose constraints all go through one `assume()`, and tables of handlers filled at
run time. Is the planted error found, and after how much CPU? Five seeds each, default options but for the budget; CPU time is that of the
whole process tree: building, instrumenting, searching, confirming.
usage: goals.py [--cpu N] [--seeds N] [--name NAME] [PROGRAM …]"""
import argparse, tempfile
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--cpu", type=float, default=10, help="CPU-seconds of the search")
arguments.add_argument("--seeds", type=int, default=5)
arguments.add_argument("--name", default="goals", help="name of the raw data below bench/runs")
arguments.add_argument("programs", nargs="*")
options = arguments.parse_args()
TASKS = ROOT / "tests/programs/goals"


def annotation(source, key):
    lines = [l.split(":", 1)[1].strip() for l in source.read_text().splitlines() if l.startswith(f"//! {key}:")]
    return lines[0] if lines else None


def first_seen(out):
    """Milliseconds from the session's beginning to the first run of a finding that says SOLVED when it is replayed."""
    import sqlite3
    shown = subprocess.run([SPELUNK, "replay", "--show", out], capture_output=True, text=True).stdout
    if not any(line.startswith("SOLVED") for line in shown.splitlines()):
        return None
    database = sqlite3.connect(out / "campaign.db")
    records = [json.loads(r[0]) for r in database.execute("select record from events order by seq")]
    names = ("reach_error", "last")
    for event in records:
        if event["event"] == "finding-seen" and any(event["stack"][:1] and event["stack"][0].startswith(n) for n in names):
            return event["at_ms"]
    return None


def one(source, seed, work):
    out, seeds = work / f"{source.stem}-{seed}", work / f"seeds-{source.stem}"
    command = [SPELUNK, "explore", source, "--cpu", f"{options.cpu}s", "--seed", str(seed), "--out", out]
    if text := annotation(source, "seed"):
        seeds.mkdir(exist_ok=True)
        (seeds / "0").write_text(text)
        command += ["--seeds", seeds]
    cpu, wall, _, code = cpu_run(command, env={"SPELUNK_CACHE": str(work / f"cache-{source.stem}-{seed}")})
    summary = json.loads((out / "summary.json").read_text())
    return {"program": source.stem, "seed": seed, "cpu": round(cpu, 2), "wall": round(wall, 2), "exit": code, "found_ms": first_seen(out),
            "search_cpu": round(summary["search_cpu_seconds"], 2), "runs": summary["ledger"]["runs"],
            "queries": summary["ledger"]["queries"], "ended": summary["ended"]}


results = []
sources = [s for s in sorted(TASKS.glob("*.c")) if not options.programs or s.stem in options.programs]
with tempfile.TemporaryDirectory() as folder:
    for source in sources:
        for seed in range(options.seeds):
            row = one(source, seed, pathlib.Path(folder))
            results.append(row)
            print(json.dumps(row), flush=True)
            shutil.rmtree(pathlib.Path(folder) / f"cache-{source.stem}-{seed}", ignore_errors=True)
for source in sources:
    rows = [r for r in results if r["program"] == source.stem]
    found = [r["found_ms"] for r in rows if r["found_ms"] is not None]
    worst = f"{max(found)} ms" if found else "-"
    print(f"{source.stem:18} found {len(found)}/{len(rows)}, at the latest after {worst} of the session")
save(options.name, {"cpu": options.cpu, "results": results})
