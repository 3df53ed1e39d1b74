#!/usr/bin/env python3
"""Branches covered in five CPU-minutes on the ten shared targets: Spelunk, clang-19's libFuzzer and AFL++ with CmpLog, same harness
(bench/fuzzers/harness.c), seeds, length limit and timeout. Resumable: a campaign that is recorded below --work or in bench/runs is not made
again. usage: fuzzers.py [--tools libfuzzer,aflpp] [--seeds 1,2,3] [--budget CPU-SECONDS] [--strategy NAME] [--table] [--collect] [--plot FILE] [TARGET …]"""
import argparse, signal
from common import *
sys.path.insert(0, str(ROOT / "bench/fuzzers"))
import campaign, figures

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--tools", default="libfuzzer,aflpp,spelunk")
arguments.add_argument("--seeds", default="1,2,3", help="random seeds, in the order in which all targets get them")
arguments.add_argument("--budget", type=int, default=300, help="CPU seconds of all processes of a tool")
arguments.add_argument("--strategy", help="of Spelunk; its default if not given")
arguments.add_argument("--work", default="/tmp/spelunk-fuzzers")
arguments.add_argument("--name", default="fuzzers", help="name of the raw data below bench/runs")
arguments.add_argument("--again", action="store_true", help="make recorded campaigns again")
arguments.add_argument("--table", action="store_true", help="only show what is recorded")
arguments.add_argument("--at", type=int, help="show the table after so many CPU seconds instead of all")
arguments.add_argument("--collect", action="store_true", help="only put what is recorded into bench/runs, e.g. while another call measures")
arguments.add_argument("--plot", help="draw the curves into this SVG file")
arguments.add_argument("targets", nargs="*", default=list(campaign.TARGETS))
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
(work / "records").mkdir(parents=True, exist_ok=True)


def records():
    """What is recorded: in bench/runs, and newer, below the work folder."""
    kept = sorted((ROOT / "bench/runs").glob(f"*-{options.name}.json"))
    found = {figures.key(r): r for path in kept for r in json.loads(path.read_text())["campaigns"]}
    found |= {figures.key(r): r for r in map(lambda p: json.loads(p.read_text()), (work / "records").glob("*.json"))}
    return found


def measure():
    targets = private_targets(work)
    for seed in map(int, options.seeds.split(",")):
        for tool in options.tools.split(","):
            for name in options.targets:
                strategy = options.strategy if tool.startswith("spelunk") else None
                key = (name, tool, strategy, seed, options.budget)
                if key in records() and not options.again:
                    continue
                record = {**campaign.run(targets / name, tool, seed, options.budget, work, strategy), "machine": machine()}
                (work / "records" / ("-".join(map(str, key)) + ".json")).write_text(json.dumps(record))
                print(f"{name:12} {tool:10} seed {seed}: {record['curve'][-1][2]} of {record['branches']} branch outcomes, "
                      f"{record['runs']} runs, {record['starts']} starts, {record['wall_s']} s", flush=True)


if not (options.table or options.plot or options.collect):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped; what is recorded stays, the same command goes on"))
    measure()
found = [r for r in records().values() if r["budget_cpu_s"] == options.budget]
print(figures.table(found, options.at))
if options.plot:
    pathlib.Path(options.plot).write_text(figures.svg(found))
elif not options.table:
    save(options.name, {"campaigns": sorted(records().values(), key=lambda r: [str(k) for k in figures.key(r)])})
