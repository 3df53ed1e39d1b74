#!/usr/bin/env python3
"""Long campaigns: memory, descriptors and processes of the engine and its tree every half minute, branches over time, and what is
left behind. usage: long.py [--seconds N] [--work DIR] [TARGET …] (default: an hour each of lua and libyaml, side by side)"""
import argparse, concurrent.futures, re
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--seconds", type=int, default=3600)
arguments.add_argument("--every", type=float, default=30, help="seconds between samples")
arguments.add_argument("--work", default="/tmp/spelunk-long")
arguments.add_argument("--name", default="long", help="name of the raw data below bench/runs")
arguments.add_argument("targets", nargs="*", default=["lua", "libyaml"])
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)


def tree(root):
    """Process ids below and with `root`."""
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def memory(pid):
    """Private and shared resident MiB."""
    try:
        text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0, 0
    of = lambda word: sum(int(n) for n in re.findall(rf"^{word}:\s+(\d+)", text, re.M)) / 1024
    return of("Private_Dirty") + of("Private_Clean"), of("Rss")


def sample(process, log, start):
    pids = tree(process.pid)
    each = [memory(p) for p in pids]
    shown = re.findall(r"branches (\d+)/\d+\s+runs (\d+).*?queries (\d+)", log.read_text(errors="replace"))
    return {"s": round(time.monotonic() - start), "engine_rss_mib": round(each[0][1]), "tree_private_mib": round(sum(e[0] for e in each)),
            "engine_descriptors": len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir())), "processes": len(pids),
            "branches_runs_queries": [int(n) for n in shown[-1]] if shown else None}


def shared_files():
    return sorted(p.name for p in pathlib.Path("/dev/shm").iterdir())


def one(name):
    subprocess.run([targets / name / "build.sh"], check=True, capture_output=True,
                   env={**os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++"})
    program = targets / name / "build" / (targets / name / "bin").read_text().strip()
    out, log = work / f"{name}.campaign", work / f"{name}.log"
    shutil.rmtree(out, ignore_errors=True)
    command = [SPELUNK, "explore", program, "--seeds", targets / name / "seeds", "--time", f"{options.seconds}s", "-j", "1", "--seed", "1",
               "--out", out]
    shared, start = shared_files(), time.monotonic()
    with open(log, "w") as to:
        process = subprocess.Popen([str(c) for c in command], stdout=to, stderr=subprocess.STDOUT, start_new_session=True)
    samples = []
    while process.poll() is None:
        try:
            samples.append(sample(process, log, start))
        except OSError:
            break  # it ended meanwhile
        (work / f"{name}.samples.json").write_text(json.dumps(samples))
        try:
            process.wait(options.every)
        except subprocess.TimeoutExpired:
            pass
    process.wait()
    left = [p.parent.name for p in pathlib.Path("/proc").glob("[0-9]*/stat") if session(p) == process.pid]
    return name, {"exit": process.returncode, "samples": samples, "processes_left": left, "shared_files_left": sorted(set(shared_files()) - set(shared)),
                  "summary": json.loads((out / "summary.json").read_text())}


def session(stat):
    try:
        return int(stat.read_text().rsplit(")", 1)[1].split()[3])
    except OSError:
        return None


with concurrent.futures.ThreadPoolExecutor() as pool:
    rows = dict(pool.map(one, options.targets))
for name, row in rows.items():
    print(f"{name}: exit {row['exit']}; left: processes {row['processes_left']}, shared files {row['shared_files_left']}")
    print("      s  engine MiB  tree private MiB  descriptors  processes  branches runs queries")
    for s in row["samples"][:: max(1, len(row["samples"]) // 12)] + row["samples"][-1:]:
        print(f"{s['s']:7} {s['engine_rss_mib']:11} {s['tree_private_mib']:17} {s['engine_descriptors']:12} {s['processes']:10}  {s['branches_runs_queries']}")
save(options.name, {"seconds": options.seconds, "rows": rows})
