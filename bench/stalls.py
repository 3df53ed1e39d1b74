#!/usr/bin/env python3
"""Where searches stand still: of campaigns, the stretches in which no run ended, and what was being done then. The times are those of the event log (campaign.db): ends
of single runs, and totals told four times a second, in which batches count. A batch is one stretch in the log, though its runs end one by one; it stands still
only as far as hardly any of its runs ended.
usage: stalls.py CAMPAIGN … | stalls.py --targets [--seconds N] [--work DIR] [TARGET …]   [--least SECONDS] [--name stalls]"""
import argparse, sqlite3
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--targets", action="store_true", help="explore the shared targets of these names (all without) first")
arguments.add_argument("--seconds", type=int, default=60, help="of each of these campaigns")
arguments.add_argument("--least", type=float, default=1.0, help="shortest stretch that counts, in seconds")
arguments.add_argument("--work", default="/tmp/spelunk-stalls")
arguments.add_argument("--name", default="stalls", help="name of the raw data below bench/runs")
arguments.add_argument("what", nargs="*")
options = arguments.parse_args()
# So many runs of a batch in a second are no standstill.
BUSY = 20


def explore(name, targets, work):
    subprocess.run([targets / name / "build.sh"], check=True, capture_output=True,
                   env={**os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++"})
    program = targets / name / "build" / (targets / name / "bin").read_text().strip()
    out = work / f"{name}.campaign"
    shutil.rmtree(out, ignore_errors=True)
    command = [SPELUNK, "explore", program, "--seeds", targets / name / "seeds", "--time", f"{options.seconds}s", "--seed", "1", "--out", out]
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def steps(folder):
    """Moments of the search: (milliseconds, what was told, its details), in order."""
    db = sqlite3.connect(f"file:{folder}/campaign.db?mode=ro", uri=True)
    for at, text in db.execute("SELECT at_ms, record FROM events ORDER BY seq"):
        record = json.loads(text)
        yield at, record.get("event"), record
        if record.get("event") == "campaign-ended":
            return


def doing(before, told, record, progress, last):
    """What the stretch that ended with this was spent on."""
    batch = progress.get("cheap_runs", 0) - last.get("cheap_runs", 0)
    solve = record.get("measured", {}).get("solve_us", 0) / 1e6
    if told == "run-done" and record.get("outcome") == "timeout":
        return "a run that hangs"
    if solve > 0.5:
        return "a solver"
    if batch > 0:
        return f"a batch of {batch} runs"
    if progress.get("reruns", 0) - last.get("reruns", 0) > 3:
        return "inputs made short"
    if told in ("flip-result", "repair-result", "probe-result"):
        return "a flip: lifting, and a query"
    if told == "run-done":
        cause = record.get("cause")
        return f"one run ({cause if isinstance(cause, str) else next(iter(cause or {'?': 0}))})"
    return f"unknown, then {told}"


def stalls(folder):
    began = ended_last = end = None
    last, progress, found, standing = {}, {}, [], 0.0
    for at, told, record in steps(folder):
        if told == "campaign-started":
            began = ended_last = at
        if ended_last is None:
            continue
        end, batch = at, 0
        if told == "progress":
            progress = record
            batch = progress.get("cheap_runs", 0) - last.get("cheap_runs", 0)
        runs = progress.get("runs", 0) + progress.get("reruns", 0) > last.get("runs", 0) + last.get("reruns", 0)
        if told not in ("run-done", "campaign-ended") and not (told == "progress" and runs):
            continue
        seconds = (at - ended_last) / 1000
        # Runs of a batch ended meanwhile, one after the other.
        seconds -= min(seconds, batch / BUSY)
        if seconds >= options.least:
            standing += seconds
            found.append({"at_s": round((ended_last - began) / 1000, 1), "seconds": round(seconds, 2),
                          "doing": doing(ended_last, told, record, progress, last)})
        ended_last, last = at, progress
    summary = folder / "summary.json"
    uses = json.loads(summary.read_text()).get("search_uses_seconds") if summary.exists() else None
    return {"campaign": folder.name, "searched_s": round(((end or 0) - (began or 0)) / 1000, 1), "stood_still_s": round(standing, 1),
            "longest_s": max((s["seconds"] for s in found), default=0), "stalls": found, "uses_s": uses}


if options.targets:
    work = pathlib.Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    targets = private_targets(work)
    names = options.what or sorted(p.name for p in targets.iterdir() if (p / "build.sh").exists() and (p / "bin").exists())
    folders = [explore(name, targets, work) for name in names]
else:
    folders = [pathlib.Path(p) for p in options.what]
rows = [stalls(folder) for folder in folders]
print(f"| campaign | searched, s | without a run's end, s (stretches of {options.least:g} s and more) | longest, s | at it | hung runs, s |")
print("|---|---|---|---|---|---|")
for row in rows:
    most = {}
    for stall in row["stalls"]:
        most[stall["doing"]] = most.get(stall["doing"], 0) + stall["seconds"]
    at_it = "; ".join(f"{what} ({seconds:.1f})" for what, seconds in sorted(most.items(), key=lambda m: -m[1])[:3])
    hung = (row["uses_s"] or {}).get("waiting for runs that hang", 0)
    print(f"| {row['campaign']} | {row['searched_s']} | {row['stood_still_s']} | {row['longest_s']} | {at_it} | {hung:.1f} |")
save(options.name, {"least": options.least, "campaigns": rows})
