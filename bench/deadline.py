#!/usr/bin/env python3
"""Whether sessions end when they should: wall seconds and CPU of `explore --time` on many programs, from the start of the process to its end, with what
each phase took and what was left unconfirmed. A list has a line for each program: NAME <tab> PROGRAM <tab> SEEDS (may be empty) <tab> ARGS (shell words, @@ for
the input file). usage: deadline.py --list FILE [--time 20] [--cold] [--work DIR] [--name deadline] [-- MORE OPTIONS OF EXPLORE]"""
import argparse, shlex
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--list", required=True, type=pathlib.Path)
arguments.add_argument("--time", type=float, default=20, help="seconds")
arguments.add_argument("--cold", action="store_true", help="with an empty cache for each campaign")
arguments.add_argument("--work", default="/tmp/spelunk-deadline")
arguments.add_argument("--name", default="deadline", help="name of the raw data below bench/runs")
arguments.add_argument("more", nargs="*", help="options of explore")
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
allowed = options.time * 1.1 + 5


def campaign(name, program, seeds="", args=""):
    out, cache = work / f"{name}.campaign", work / f"{name}.cache"
    shutil.rmtree(out, ignore_errors=True)
    environment = {}
    if options.cold:
        shutil.rmtree(cache, ignore_errors=True)
        environment = {"SPELUNK_CACHE": str(cache)}
    command = [SPELUNK, "explore", program, "--time", f"{options.time}s", "--out", out, *options.more]
    command += ["--seeds", seeds] if seeds else []
    command += ["--", *shlex.split(args)] if args else []
    cpu, wall, _, status = cpu_run(command, env=environment)
    try:
        summary = json.loads((out / "summary.json").read_text())
    except OSError:
        summary = {}
    suite = summary.get("suite", {})
    return {"name": name, "seconds": round(wall, 2), "cpu_seconds": round(cpu, 2), "status": status, "in_time": wall <= allowed,
            "search_seconds": summary.get("seconds"), "phases": summary.get("phases"), "branches": summary.get("ledger", {}).get("branches"),
            "tests": suite.get("tests"), "pending": suite.get("pending"), "unchecked": suite.get("unchecked"),
            "findings": summary.get("findings"), "unjudged": summary.get("findings_unjudged")}


rows = []
print(f"{options.time:g} seconds asked for, {allowed:.1f} allowed")
print("| program | wall s | CPU s | search s | tests | not confirmed | not checked | branches | |")
print("|---|---|---|---|---|---|---|---|---|")
for line in options.list.read_text().splitlines():
    if not line.strip() or line.startswith("#"):
        continue
    row = campaign(*[field.strip() for field in line.split("\t")][:4])
    rows.append(row)
    search = "?" if row["search_seconds"] is None else f"{row['search_seconds']:.1f}"
    verdict = "" if row["in_time"] and row["status"] == 0 else ("LATE" if row["status"] == 0 else f"exit {row['status']}")
    print(f"| {row['name']} | {row['seconds']:.1f} | {row['cpu_seconds']:.1f} | {search} | {row['tests']} | {row['pending']} "
          f"| {row['unchecked']} | {row['branches']} | {verdict} |", flush=True)
late = [row["name"] for row in rows if not row["in_time"]]
print(f"{len(rows) - len(late)} of {len(rows)} in time; longest {max((row['seconds'] for row in rows), default=0):.1f} s")
save(options.name, {"time": options.time, "allowed": allowed, "cold": options.cold, "campaigns": rows})
