#!/usr/bin/env python3
"""Branch outcomes of `replace` that llvm-cov counts for the suites of bench/replace.py, on a plain build: independent of Spelunk's own
coverage. usage: replace_cov.py FOLDER-WITH-replace.c [WORK-DIR of replace.py]"""
import struct, sys, tempfile
from common import *
from replace import STRATEGIES

source = pathlib.Path(sys.argv[1]).resolve() / "replace.c"
campaigns = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/tmp/spelunk-replace").resolve()
work = pathlib.Path(tempfile.mkdtemp())
program = work / "replace"
subprocess.run(["clang-19", "-w", "-std=gnu89", "-g", "-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm",
                "-runtime-counter-relocation", f"-I{ROOT}/include", source, ROOT / "include/replay/values.c", "-o", program], check=True)


def outcomes(campaign):
    """(covered, all) branch outcomes of a campaign's tests and findings."""
    profiles = pathlib.Path(tempfile.mkdtemp(dir=work))
    for number, test in enumerate(sorted([*campaign.glob("tests/*"), *campaign.glob("findings/*/input")])):
        values = [bytes(o["data"]) for o in json.loads(test.read_text())["objects"]]
        (work / "values").write_bytes(b"".join(struct.pack("<I", len(v)) + v for v in values))
        try:
            subprocess.run([program], env={**os.environ, "SPELUNK_REPLAY": str(work / "values"),
                           "LLVM_PROFILE_FILE": f"{profiles}/{number}%c.profraw"}, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5)
        except subprocess.TimeoutExpired:
            pass  # a hang counts for what it covered
    merged = profiles / "all"
    subprocess.run(["llvm-profdata-19", "merge", "-o", merged, *profiles.glob("*.profraw")], check=True, stderr=subprocess.DEVNULL)
    report = subprocess.run(["llvm-cov-19", "report", program, f"-instr-profile={merged}"], capture_output=True, text=True)
    total = next(line for line in report.stdout.splitlines() if "replace.c" in line).split()
    return int(total[10]) - int(total[11]), int(total[10])


rows = {strategy: [outcomes(campaigns / f"{strategy}-{seed}") for seed in (1, 2, 3)] for strategy in STRATEGIES}
for strategy, results in rows.items():
    mean = statistics.mean(covered / total for covered, total in results)
    print(f"{strategy:16} {[covered for covered, _ in results]} of {results[0][1]}: {100 * mean:.1f} %")
save("replace-llvm-cov", {"rows": rows})
