#!/usr/bin/env python3
"""The shared targets, each explored for a while at -j1 from its seeds, with branch coverage measured by llvm-cov before and
after. usage: targets.py [--seconds N] [--jobs N] [--work DIR] [TARGET …]"""
import argparse, concurrent.futures
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--seconds", type=int, default=300)
arguments.add_argument("--jobs", type=int, default=2, help="targets explored at the same time")
arguments.add_argument("--work", default="/tmp/spelunk-targets")
arguments.add_argument("--name", default="targets", help="name of the raw data below bench/runs")
arguments.add_argument("targets", nargs="*", default=["cjson", "libyaml", "expat", "lua", "bzip2", "http-parser", "md4c"])
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)
ARGS = {"bzip2": ["-dc"], "ddrescue": ["-t", "-"], "gsl": ["all"]}


def coverage(name, *inputs):
    line = subprocess.run([targets / "common/cov.sh", targets / name, *inputs], capture_output=True, text=True).stdout.strip()
    return int(line.split("branch outcomes ")[1].split(" of ")[0]), int(line.split(" of ")[-1].split(" ")[0])


def one(name):
    subprocess.run([targets / name / "build.sh"], check=True, capture_output=True,
                   env={**os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++"})
    program = targets / name / "build" / (targets / name / "bin").read_text().strip()
    before = coverage(name)
    out = work / f"{name}.campaign"
    shutil.rmtree(out, ignore_errors=True)
    command = [SPELUNK, "explore", program, "--seeds", targets / name / "seeds", "--time", f"{options.seconds}s", "-j", "1",
               "--seed", "1", "--check-trace", "--out", out]
    if name in ARGS:
        command += ["--", *ARGS[name]]
    log = open(work / f"{name}.log", "w")
    process = subprocess.Popen([str(c) for c in command], stdout=log, stderr=subprocess.STDOUT)
    _, status, usage = os.wait4(process.pid, 0)
    after = coverage(name, targets / name / "seeds", out / "tests", out / "findings")
    summary = json.loads((out / "summary.json").read_text())
    return name, {"before": before[0], "after": after[0], "of": after[1], "peak_mib": usage.ru_maxrss / 1024,
                  "exit": os.waitstatus_to_exitcode(status), "cpu_s": usage.ru_utime + usage.ru_stime, "summary": summary}


with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    rows = dict(pool.map(one, options.targets))
for name, row in rows.items():
    print(name, json.dumps(row))
save(options.name, {"seconds": options.seconds, "rows": rows})
