#!/usr/bin/env python3
"""-j1 against -jN on shared targets: runs and queries per wall second, and how long the lock that workers share is held (CPU time of
its holders), which bounds how many workers can pay. In turn, the same wall time each; on a busy machine only the lock's share and
work per CPU-second mean something. Nothing else should run. With --same-work -j1 has N times as long: of two campaigns the one that
has done more asks harder queries, so rates over the same time compare different work.
usage: workers.py [--seconds N] [--jobs N] [--rounds N] [--same-work] [--work DIR] [TARGET …]"""
import argparse
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--seconds", type=int, default=60)
arguments.add_argument("--jobs", type=int, default=2)
arguments.add_argument("--rounds", type=int, default=3)
arguments.add_argument("--same-work", action="store_true", help="one worker has as many times as long as there are workers else")
arguments.add_argument("--work", default="/tmp/spelunk-workers")
arguments.add_argument("--strategy", default="auto")
arguments.add_argument("--name", default="workers", help="name of the raw data below bench/runs")
arguments.add_argument("targets", nargs="*", default=["lua", "libyaml", "expat"])
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)


def one(name, jobs, seed):
    program = targets / name / "build" / (targets / name / "bin").read_text().strip()
    out = work / f"{name}.campaign"
    seconds = options.seconds * (options.jobs if options.same_work and jobs == 1 else 1)
    shutil.rmtree(out, ignore_errors=True)
    cpu_run([SPELUNK, "explore", program, "--seeds", targets / name / "seeds", "--time", f"{seconds}s", "-j", jobs,
             "--seed", seed, "--strategy", options.strategy, "--no-check", "--out", out])
    s = json.loads((out / "summary.json").read_text())
    ledger = s["ledger"]
    traced = ledger["symbolic_runs"]
    return {"target": name, "jobs": jobs, "seed": seed, "wall_s": s["seconds"], "cpu_s": s["search_cpu_seconds"], "runs": ledger["runs"],
            "traced": traced, "queries": ledger["queries"], "branches": ledger["branches"], "lock_taken": s["lock_taken"],
            "lock_held_s": s["lock_held_seconds"]}


rows = []
for name in options.targets:
    subprocess.run([targets / name / "build.sh"], check=True, capture_output=True,
                   env={**os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++"})
    for seed in range(options.rounds):
        rows += [one(name, jobs, seed) for jobs in (1, options.jobs)]
for name in options.targets:
    of = lambda jobs, field: sum(r[field] for r in rows if r["target"] == name and r["jobs"] == jobs)
    rate = lambda jobs, field, by: of(jobs, field) / max(of(jobs, by), 1e-9)
    for by in ("wall_s", "cpu_s"):
        ratios = ", ".join(f"{field} {rate(options.jobs, field, by) / max(rate(1, field, by), 1e-9):.2f}x" for field in ("runs", "traced", "queries"))
        print(f"{name}: -j{options.jobs} against -j1 per {by[:-2]} second: {ratios}")
    share = rate(1, "lock_held_s", "cpu_s")
    print(f"{name}: -j1 {rate(1, 'cpu_s', 'wall_s'):.2f}, -j{options.jobs} {rate(options.jobs, 'cpu_s', 'wall_s'):.2f} cores used; the lock is held "
          f"{1e6 * rate(1, 'lock_held_s', 'traced'):.0f} us a traced run, {100 * share:.2f} % of CPU: at most {1 / max(share, 1e-9):.0f} workers' worth")
save(options.name, {"options": vars(options), "rows": rows})
