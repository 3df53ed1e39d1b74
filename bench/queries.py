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
arguments.add_argument("--jobs", type=int, default=2, help="targets recorded, or logs asked, at the same time")
arguments.add_argument("--work", default="/tmp/spelunk-queries")
arguments.add_argument("--name", default="queries", help="name of the raw data below bench/runs")
arguments.add_argument("--solver", action="append", help="as of the program `queries`; default: chain, bitwuzla")
arguments.add_argument("--first", type=int, default=2200, help="ask so many queries of each log")
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
def replay(name):
    """All solvers on one log, one after the other in one process; what they said."""
    out = work / f"{name}.json"
    command = [QUERIES, "--timeout", options.timeout, "--first", options.first, "--json", out, log_of(name)]
    command += [f"--solver={solver}" for solver in options.solver or ["chain", "bitwuzla"]]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    print(done.stdout or done.stderr, flush=True)
    return json.loads(out.read_text())[0]


def sums(logs):
    """A row for each solver: all logs together."""
    for k, first in enumerate(logs[0]["solvers"]):
        of = lambda key: sum(log["solvers"][k][key] for log in logs)
        answers = of("sat") + of("unsat")
        yield {"solver": first["solver"], "queries": of("queries"), "sat": of("sat"), "unsat": of("unsat"),
               "wrong": of("wrong"), "cpu_s": of("cpu_s"), "answers_per_cpu_s": answers / of("cpu_s")}


if not options.record_only:
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        logs = list(pool.map(replay, options.targets))
    rows = list(sums(logs))
    for row in rows:
        print(json.dumps(row))
    save(options.name, {"timeout_ms": options.timeout, "all": rows, "logs": logs})
    sys.exit(any(row["wrong"] for row in rows))
