#!/usr/bin/env python3
"""Cheap runs (`--strategy fuzz`, flavour `fast`) against clang-19's libFuzzer: the harnesses that expat and cJSON bring, the same
seeds, the same length limit, in turn, each process tree on one core. Executions per CPU-second of the search (engine, server, program,
traced runs) and of everything (with compiling the executable, and building and confirming the suite, which libFuzzer has not). usage: cheap.py [--runs N] [--turns N] [--work DIR] [TARGET …]"""
import argparse, re, tempfile
from common import *

arguments = argparse.ArgumentParser()
arguments.add_argument("--runs", type=int, default=3_000_000)
arguments.add_argument("--turns", type=int, default=3)
arguments.add_argument("--max-len", type=int, default=4096)
arguments.add_argument("--core", default="0", help="core that everything runs on")
arguments.add_argument("--work", default="/tmp/spelunk-cheap")
arguments.add_argument("--name", default="cheap", help="name of the raw data below bench/runs")
arguments.add_argument("targets", nargs="*", default=["cjson", "expat"])
options = arguments.parse_args()
work = pathlib.Path(options.work).resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)
# Nothing is deleted between campaigns: ext4 takes long to find inodes that were not deleted lately, on anybody's bill.
fresh = pathlib.Path(tempfile.mkdtemp(prefix="campaigns-", dir=work))
ROOTS = {"cjson": "cjson/src", "expat": "expat/src/expat"}


def seeds(name):
    """The target's own seeds as the harness wants them: cJSON's takes four options in front and a NUL behind."""
    folder = work / f"{name}.seeds"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in sorted((targets / name / "seeds").iterdir()):
        data = path.read_bytes()
        data = b"1111" + data + b"\0" if name == "cjson" else data
        if len(data) <= options.max_len:
            (folder / path.name).write_bytes(data)
    return folder


def libfuzzer(name, flags, folder, seed):
    program, corpus = work / f"{name}.libfuzzer", fresh / f"{name}.corpus.{seed}"
    if not program.exists():
        subprocess.run(["clang-19", "-O2", "-w", "-fsanitize=fuzzer", *flags, ROOT / f"bench/cheap/{name}.c", "-o", program], check=True)
    corpus.mkdir()
    cpu, wall, _, status = cpu_run(["taskset", "-c", options.core, program, f"-seed={seed}", f"-runs={options.runs}",
                                    f"-max_len={options.max_len}", "-rss_limit_mb=4096", corpus, folder])
    return {"runs": options.runs, "cpu_s": cpu, "search_cpu_s": cpu, "wall_s": wall, "exit": status, "corpus": len(list(corpus.iterdir()))}


def spelunk(name, flags, folder, seed):
    out = fresh / f"{name}.out.{seed}"
    command = ["taskset", "-c", options.core, SPELUNK, "explore", ROOT / f"bench/cheap/{name}.c", "--cflags",
               " ".join(["-O2", "-w", *flags]), "--strategy", "fuzz", "--seeds", folder, "--seed", str(seed), "--runs",
               str(options.runs), "--max-input", str(options.max_len), "--no-check", "--out", out]
    cpu, wall, _, status = cpu_run(command)
    summary = json.loads((out / "summary.json").read_text())
    ledger = summary.get("ledger") or summary
    return {"runs": ledger["runs"], "cpu_s": cpu, "wall_s": wall, "exit": status, "search_cpu_s": summary["search_cpu_seconds"], "ledger": ledger}


rows = {}
for name in options.targets:
    subprocess.run([targets / name / "build.sh"], check=True, capture_output=True)
    flags = [f"-I{targets / ROOTS[name]}", f"-I{targets / ROOTS[name] / 'lib'}"]
    folder = seeds(name)
    spelunk(name, flags, folder, 0)  # derived programs are in the cache afterwards
    rows[name] = {"libfuzzer": [], "spelunk": []}
    for turn in range(1, options.turns + 1):
        rows[name]["libfuzzer"].append(libfuzzer(name, flags, folder, turn))
        rows[name]["spelunk"].append(spelunk(name, flags, folder, turn))
    for part in ["search_cpu_s", "cpu_s"]:
        rate = {tool: statistics.median(r["runs"] / r[part] for r in results) for tool, results in rows[name].items()}
        print(f"{name}, {part}: libFuzzer {rate['libfuzzer']:,.0f} runs per CPU-second, Spelunk {rate['spelunk']:,.0f}: "
              f"{rate['spelunk'] / rate['libfuzzer']:.2f}×", flush=True)
save(options.name, {"runs": options.runs, "max_len": options.max_len, "rows": rows})
shutil.rmtree(fresh)
