#!/usr/bin/env python3
"""Whether TestCov confirms the coverage that Spelunk claims, on programs exported as Test-Comp suites.

Explores each program of tests/programs/test-comp, exports the tests as a zipped Test-Comp suite, and runs TestCov (PyPI
package TestCov; it needs gcc, lcov and clang-tidy) on it. TestCov counts the branches of the C source as gcov sees them;
Spelunk those of clang's code (with every `&&` and a switch's missing default), so the totals differ; where Spelunk claims
all of them, TestCov must confirm all of its own.

    bench/testcov.py --testcov PATH/TO/testcov [--spelunk target/release/spelunk] [--runs 300] [--name NAME]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import common

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)


def claim(spelunk, campaign):
    """Branches covered and in all, as `spelunk coverage` says in its last line."""
    said = run([spelunk, "coverage", campaign]).stdout.strip().splitlines()[-1]
    covered, total = re.search(r"([\d,]+) of ([\d,]+)", said).groups()
    return int(covered.replace(",", "")), int(total.replace(",", ""))


def measure(arguments, program, folder):
    campaign, suite = folder / "campaign", folder / "suite.zip"
    explored = run([arguments.spelunk, "explore", program, "--out", campaign, "--runs", arguments.runs, "--seed", 1])
    if explored.returncode != 0:
        sys.exit(f"{program.name}: spelunk explore: {explored.stderr.strip()}")
    covered, total = claim(arguments.spelunk, campaign)
    exported = run([arguments.spelunk, "export", campaign, "--format", "test-comp", "-o", suite])
    if exported.returncode != 0:
        sys.exit(f"{program.name}: spelunk export: {exported.stderr.strip()}")
    told = run([arguments.testcov, "-64", "--no-isolation", "--no-plots", "--output", folder / "out", "--test-suite", suite, program], cwd=folder)
    text = told.stdout + told.stderr
    share = re.search(r"Coverage: ([\d.]+)%", text)
    goals = re.search(r"Number of goals: (\d+)", text)
    tests = re.search(r"Tests run: (\d+)", text)
    if not (share and goals and tests):
        sys.exit(f"{program.name}: testcov said:\n{text}")
    return {
        "program": program.stem,
        "spelunk_covered": covered,
        "spelunk_branches": total,
        "spelunk_percent": round(100 * covered / total, 1),
        "tests": int(tests.group(1)),
        "testcov_goals": int(goals.group(1)),
        "testcov_percent": float(share.group(1)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--testcov", required=True)
    parser.add_argument("--spelunk", type=pathlib.Path, default=ROOT / "target/release/spelunk")
    parser.add_argument("--runs", default="300")
    parser.add_argument("--name", default="testcov")
    arguments = parser.parse_args()
    arguments.spelunk = arguments.spelunk.resolve()
    rows = []
    print(f"{'program':12} {'Spelunk':>18} {'TestCov':>16} {'tests':>6}")
    for program in sorted((ROOT / "tests/programs/test-comp").glob("*.c")):
        with tempfile.TemporaryDirectory() as folder:
            row = measure(arguments, program, pathlib.Path(folder))
        rows.append(row)
        claimed = f"{row['spelunk_covered']} of {row['spelunk_branches']} {row['spelunk_percent']:5} %"
        print(f"{row['program']:12} {claimed:>18} {row['testcov_goals']:7} {row['testcov_percent']:6} % {row['tests']:6}")
    refuted = [r["program"] for r in rows if r["spelunk_percent"] == 100.0 and r["testcov_percent"] != 100.0]
    print(f"{len(rows)} programs; claims of full coverage that TestCov does not confirm: {refuted or 'none'}")
    common.save(arguments.name, {"rows": rows})


if __name__ == "__main__":
    main()
