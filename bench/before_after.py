#!/usr/bin/env python3
"""The shared targets with two builds of Spelunk, the same seeds and budget of CPU time, both at once (two cores, nothing else at work). Two counts of branch
outcomes: those of the final suite, as llvm-cov counts them on a plain build, and those that the search had covered, as Spelunk counts them, when it had run for as
many seconds as the budget has, whatever the build thinks that a CPU-second is. What was measured is kept in WORK/rows.json, so that it can be gone on with.
usage: before_after.py --before SPELUNK [--cpu N] [--seeds N] [--minutes N] [--work DIR] [TARGET …]"""
import argparse, concurrent.futures, itertools, sqlite3
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
    told = subprocess.run([folder / "common/cov.sh", folder / name, folder / name / "seeds", out / "tests", out / "findings"],
                          capture_output=True, text=True).stdout.strip()
    covered, of = told.split("branch outcomes ")[1].split(" of ")
    summary = json.loads((out / "summary.json").read_text())
    database = sqlite3.connect(out / "campaign.db")
    at = [at_ms for at_ms, in database.execute("select at_ms from coverage")]
    database.close()
    shutil.rmtree(out, ignore_errors=True)
    return {"covered": int(covered), "of": int(of.split()[0]), "cpu_s": cpu, "wall_s": wall, "peak_mib": peak, "exit": code,
            "own": len(at), "own_in_time": sum(t <= 1000 * options.cpu for t in at), "ledger": summary["ledger"]}


work.mkdir(parents=True, exist_ok=True)
rows = json.loads(kept.read_text()) if kept.exists() else {}
targets = {build: built(build) for build in BUILDS}
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for seed, name in itertools.product(range(1, options.seeds + 1), options.targets):
        key = f"{name} {seed}"
        if key in rows or time.monotonic() - started > 60 * options.minutes:
            continue
        both = {build: pool.submit(campaign, targets, build, name, str(seed)) for build in BUILDS}
        rows[key] = {build: done.result() for build, done in both.items()}
        print(key, *[f"{b} {r['covered']} {r['own_in_time']} {r['cpu_s']:.0f} CPU-s" for b, r in rows[key].items()], flush=True)
        kept.write_text(json.dumps(rows))
for name in options.targets:
    of = [rows[key] for s in range(1, options.seeds + 1) if (key := f"{name} {s}") in rows]
    for count in ("covered", "own_in_time") if of else ():
        before, after = ([row[build][count] for row in of] for build in BUILDS)
        ratio = statistics.median(after) / statistics.median(before)
        print(f"{name:12} {count:12} ratio {ratio:.3f}  {before} {after}")
save(options.name, {"cpu": options.cpu, "before": subprocess.run([BUILDS["before"], "--version"], capture_output=True, text=True).stdout.strip(),
                    "rows": rows})
