#!/usr/bin/env python3
"""Which branch outcomes one campaign covers and another does not, with the source lines: where to look when Spelunk is behind.
usage: missing.py --work DIR TARGET CAMPAIGN OTHER-CAMPAIGN   (folders below DIR/campaigns; WORK of the other with --other-work)"""
import argparse, json, pathlib, subprocess, sys
from coverage import LLVM, REPORT, Replay
from campaign import TARGETS


def outcomes(target, campaign):
    """(file, line, column, which) -> count of every branch outcome."""
    replay = Replay(target, TARGETS[target.name][0])
    for path in sorted([*(target / "seeds").iterdir(), *campaign.glob("mark-*/*")]):
        replay.add(path)
    replay.report()
    data = subprocess.run([f"llvm-cov-{LLVM}", "export", replay.command[0], *REPORT, f"-instr-profile={replay.profiles}/merged"],
                          check=True, capture_output=True, text=True).stdout
    found = {}
    for file in json.loads(data)["data"][0]["files"]:
        for line, column, _, _, true, false, *_ in file["branches"]:
            for which, count in (("true", true), ("false", false)):
                place = (file["filename"], line, column, which)
                found[place] = found.get(place, 0) + count
    return found


arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--work", type=pathlib.Path, required=True)
arguments.add_argument("--other-work", type=pathlib.Path)
arguments.add_argument("target")
arguments.add_argument("campaign")
arguments.add_argument("other")
options = arguments.parse_args()
target = (options.work / "targets" / options.target).resolve()
mine = outcomes(target, options.work.resolve() / "campaigns" / options.campaign)
other = outcomes(target, (options.other_work or options.work).resolve() / "campaigns" / options.other)
lines = {}
count = 0
for (file, line, column, which), hits in sorted(mine.items()):
    if hits and not other.get((file, line, column, which)):
        text = lines.setdefault(file, open(file, errors="replace").read().splitlines())
        print(f"{pathlib.Path(file).name}:{line}:{column} {which:5} {hits:6}×  {text[line - 1].strip()[:110]}")
        count += 1
back = sum(1 for place, hits in other.items() if hits and not mine.get(place))
print(f"{count} branch outcomes of {options.campaign} that {options.other} has not; {back} the other way")
