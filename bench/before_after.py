#!/usr/bin/env python3
"""The shared targets with two builds of Spelunk, the same seeds and budget of CPU time, one after the other on one core: branch outcomes of
the final suite as llvm-cov counts them on a plain build. What was measured is kept in WORK/rows.json, so that it can be gone on with.
usage: before_after.py --before SPELUNK [--cpu N] [--seeds N] [--minutes N] [--work DIR] [TARGET …]"""
import argparse, itertools
from common import *

TARGETS_ALL = ["cjson", "libyaml", "expat", "lua", "bzip2", "http-parser", "tinyxml2", "gsl", "ddrescue", "md4c"]
ARGS = {"bzip2": ["-dc"], "ddrescue": ["-t", "-"], "gsl": ["all"]}
arguments = argparse.ArgumentParser()
arguments.add_argument("--before", required=True, type=pathlib.Path, help="the other build's executable")
arguments.add_argument("--cpu", type=int, default=60, help="CPU-seconds of a search")
arguments.add_argument("--seeds", type=int, default=5)
arguments.add_argument("--minutes", type=float, default=1e9, help="begin no campaign after this")
arguments.add_argument("--work", default="/tmp/spelunk-before-after")
arguments.add_argument("--name", default="before-after", help="name of the raw data below bench/runs")
arguments.add_argument("targets", nargs="*", default=TARGETS_ALL)
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
BUILDS = {"before": options.before.resolve(), "after": SPELUNK.resolve()}
started, kept = time.monotonic(), work / "rows.json"


def built(build):
    """A copy of the targets, each built with this Spelunk's wrappers."""
    targets = private_targets(work / build)
    for name in options.targets:
        done = targets / name / f"built-{build}"
        if not done.exists():
            spelunk = BUILDS[build]
            subprocess.run([targets / name / "build.sh"], check=True, capture_output=True,
                           env={**os.environ, "CC": f"{spelunk} cc", "CXX": f"{spelunk} c++"})
            done.touch()
    return targets


def campaign(targets, build, name, seed):
    folder = targets[build]
    program = folder / name / "build" / (folder / name / "bin").read_text().strip()
    out = work / f"{build}-{name}-{seed}"
    shutil.rmtree(out, ignore_errors=True)
    command = [BUILDS[build], "explore", program, "--seeds", folder / name / "seeds", "--cpu", f"{options.cpu}s", "-j", "1",
               "--seed", seed, "--out", out]
    if name in ARGS:
        command += ["--", *ARGS[name]]
    cpu, wall, peak, code = cpu_run(command, env={"SPELUNK_CACHE": str(work / f"cache-{build}")})
    # Both are measured on the same plain build.
    plain = targets["after"]
    told = subprocess.run([plain / "common/cov.sh", plain / name, folder / name / "seeds", out / "tests", out / "findings"],
                          capture_output=True, text=True).stdout.strip()
    covered, of = told.split("branch outcomes ")[1].split(" of ")
    summary = json.loads((out / "summary.json").read_text())
    shutil.rmtree(out, ignore_errors=True)
    return {"covered": int(covered), "of": int(of.split()[0]), "cpu_s": cpu, "wall_s": wall, "peak_mib": peak, "exit": code,
            "own": summary["ledger"]["branches"], "ledger": summary["ledger"]}


work.mkdir(parents=True, exist_ok=True)
rows = json.loads(kept.read_text()) if kept.exists() else {}
targets = {build: built(build) for build in BUILDS}
for seed, name in itertools.product(range(1, options.seeds + 1), options.targets):
    for build in BUILDS if seed % 2 else reversed(BUILDS):
        key = f"{name} {seed} {build}"
        if key in rows or time.monotonic() - started > 60 * options.minutes:
            continue
        rows[key] = campaign(targets, build, name, str(seed))
        print(key, rows[key]["covered"], f"{rows[key]['cpu_s']:.0f} CPU-s", flush=True)
        kept.write_text(json.dumps(rows))
for name in options.targets:
    seeds = [s for s in range(1, options.seeds + 1) if all(f"{name} {s} {b}" in rows for b in BUILDS)]
    if not seeds:
        continue
    of = {b: [rows[f"{name} {s} {b}"]["covered"] for s in seeds] for b in BUILDS}
    before, after = (statistics.median(of[b]) for b in BUILDS)
    print(f"{name:12} before {before:7.0f}  after {after:7.0f}  ratio {after / before:.3f}  seeds {len(seeds)}  {of['before']} {of['after']}")
save(options.name, {"cpu": options.cpu, "before": subprocess.run([BUILDS["before"], "--version"], capture_output=True, text=True).stdout.strip(),
                    "rows": rows})
