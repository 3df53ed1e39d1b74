#!/usr/bin/env python3
"""The trace check on the shared targets and on GSL's special functions with raw doubles (gsl_special.c): each is explored for some
runs with --check-trace; every recorded expression must have, under its run's input, the value the program saw.
usage: trace_check.py [--runs N] [--seconds N] [--jobs N] [--work DIR] [TARGET …]"""
import argparse, concurrent.futures, struct
from common import *

ALL = ["bzip2", "cjson", "ddrescue", "expat", "gsl", "http-parser", "libyaml", "lua", "md4c", "tinyxml2", "gsl-special"]
ARGS = {"bzip2": ["-dc"], "ddrescue": ["-t", "-"], "gsl": ["all"]}

arguments = argparse.ArgumentParser()
arguments.add_argument("--runs", type=int, default=2000)
arguments.add_argument("--seconds", type=int, default=300, help="most that a target may take")
arguments.add_argument("--jobs", type=int, default=1, help="targets explored at the same time")
arguments.add_argument("--work", default="/tmp/spelunk-trace-check")
arguments.add_argument("targets", nargs="*", default=ALL)
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)
COMPILERS = {**os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++"}


def build(folder):
    """Builds a target; its executable."""
    if not (targets / folder / "build").exists():
        subprocess.run([targets / folder / "build.sh"], check=True, capture_output=True, env=COMPILERS)
    return targets / folder / "build" / (targets / folder / "bin").read_text().strip()


def build_gsl_special():
    """Our driver with the objects of target gsl; its executable and a folder of seeds, one for each function."""
    build("gsl")
    program = work / "gsl-special"
    objects = sorted((targets / "gsl/build").glob("o-g/*.o"))
    command = [SPELUNK, "cc", "-O1", "-g", "-I", targets / "gsl/src", ROOT / "bench/gsl_special.c", *objects, "-lm", "-o", program]
    subprocess.run(command, check=True, capture_output=True)
    seeds = work / "gsl-special.seeds"
    seeds.mkdir(exist_ok=True)
    for function in range(64):
        (seeds / f"{function:02}").write_bytes(bytes([function]) + struct.pack("<2d", 0.5 + function / 8, 1.5))
    return program, seeds


def one(name):
    program, seeds = build_gsl_special() if name == "gsl-special" else (build(name), targets / name / "seeds")
    out = work / f"{name}.campaign"
    shutil.rmtree(out, ignore_errors=True)
    command = [SPELUNK, "explore", program, "--seeds", seeds, "--runs", options.runs, "--time", f"{options.seconds}s", "-j", "1", "--seed",
               "1", "--check-trace", "--out", out]
    if name in ARGS:
        command += ["--", *ARGS[name]]
    log = work / f"{name}.log"
    with open(log, "w") as file:
        status = subprocess.run([str(c) for c in command], stdout=file, stderr=subprocess.STDOUT).returncode
    summary = json.loads((out / "summary.json").read_text())
    ledger = summary["ledger"]
    keep = ["runs", "symbolic_runs", "events_checked", "mismatches", "traces_rejected", "divergences", "flips", "queries", "sat"]
    return name, {"exit": status, **{k: ledger[k] for k in keep}}


if "gsl-special" in options.targets:
    build("gsl")
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    rows = dict(pool.map(one, options.targets))
for name, row in rows.items():
    print(f"{name:12} {row['mismatches']} mismatches of {row['events_checked']} events, {row['symbolic_runs']} symbolic runs, "
          f"{row['traces_rejected']} traces rejected, {row['divergences']} divergences of {row['flips']} flips")
save("trace-check", {"runs": options.runs, "seconds": options.seconds, "rows": rows})
sys.exit(any(row["mismatches"] or row["traces_rejected"] for row in rows.values()))
