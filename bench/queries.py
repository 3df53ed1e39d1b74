#!/usr/bin/env python3
"""Records the queries of short explorations of all ten shared targets (default options, their seeds, -j1, --seed 1, up to a
number of queries), asks them of the solving chain and of other solvers, and keeps what they said. The logs themselves are not
kept: they are made anew, and are the same again where the programs are. usage: queries.py [--queries N] [--seconds N]
[--work DIR] [--solver SOLVER …] [--record-only|--replay-only] [TARGET …]"""
import argparse, concurrent.futures
from common import *

TEN = ["bzip2", "cjson", "ddrescue", "expat", "gsl", "http-parser", "libyaml", "lua", "md4c", "tinyxml2"]
ARGS = {"bzip2": ["-dc"], "ddrescue": ["-t", "-"], "gsl": ["all"]}

arguments = argparse.ArgumentParser()
arguments.add_argument("--queries", type=int, default=3000, help="queries of each target")
arguments.add_argument("--seconds", type=int, default=180, help="and at most so long")
arguments.add_argument("--jobs", type=int, default=2, help="targets recorded at the same time")
arguments.add_argument("--work", default="/tmp/spelunk-queries")
arguments.add_argument("--name", default="queries", help="name of the raw data below bench/runs")
arguments.add_argument("--solver", action="append", help="as of the program `queries`; default: chain, bitwuzla")
arguments.add_argument("--timeout", type=int, default=1000, help="limit of one query, in milliseconds")
arguments.add_argument("--record-only", action="store_true")
arguments.add_argument("--replay-only", action="store_true", help="the logs of an earlier call are in --work")
arguments.add_argument("targets", nargs="*", default=TEN)
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
QUERIES = SPELUNK.parent / "queries"


def log_of(name):
    return work / f"{name}.queries"


def record(name):
    targets = private_targets(work)
    built = targets / name / "build"
    if not built.exists():
        subprocess.run([targets / name / "build.sh"], check=True, capture_output=True,
                       env={**os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++"})
    program = built / (targets / name / "bin").read_text().strip()
    out = work / f"{name}.campaign"
    shutil.rmtree(out, ignore_errors=True)
    command = [SPELUNK, "explore", program, "--seeds", targets / name / "seeds", "--queries", options.queries,
               "--time", f"{options.seconds}s", "-j", "1", "--seed", "1", "--no-check", "--minimise", "0", "--out", out,
               "--record-queries", log_of(name)]
    if name in ARGS:
        command += ["--", *ARGS[name]]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    shutil.rmtree(out, ignore_errors=True)
    lines = [line for line in done.stderr.splitlines() if "queries recorded" in line]
    print(name, lines[0] if lines else done.stderr[-500:], flush=True)


if not options.replay_only:
    private_targets(work)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(record, options.targets))
if not options.record_only:
    solvers = options.solver or ["chain", "bitwuzla"]
    results = work / "queries.json"
    command = [QUERIES, "--timeout", str(options.timeout), "--json", results, "--each", work / "each.txt"]
    command += [f"--solver={solver}" for solver in solvers] + [log_of(name) for name in options.targets]
    code = subprocess.run([str(c) for c in command]).returncode
    save(options.name, {"timeout_ms": options.timeout, "logs": json.loads(results.read_text())})
    sys.exit(code)
