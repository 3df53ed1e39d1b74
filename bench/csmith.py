#!/usr/bin/env python3
"""csmith's random C programs, with their globals made from input: the same checksum by clang, gcc and every flavour, and a clean
trace check. csmith is another project's generator, so it holds what we did not think of.

The rule. Program N is what `csmith --seed N` writes with the options that `options(N)` draws from N (no constants: each global
can be written). Before its first function every integer that the checksum is made of, array elements and bit-fields too, is XORed with the
next two bytes of standard input (48 bytes; zeros behind them). Input 0 is all zeros, which is csmith's own program; inputs 1 and 2 are
drawn from N. A program that does not end within ten seconds on input 0 at -O1 is left out, and counted.

Compared are output and exit status of clang and gcc at -O0 to -O3 and of the flavours trace, fast, path and check, derived from the program
at level -O(N mod 4) and run by hand. `spelunk explore --check-trace` then evaluates every recorded expression of RUNS runs, the inputs above
its seeds. Where compilers disagree among themselves, or UndefinedBehaviorSanitizer or AddressSanitizer reports something, nothing is blamed on a flavour, and it is counted
apart.

usage: csmith.py [--programs N] [--first SEED] [--jobs J] [--runs RUNS] [--work DIR] [--name NAME] [--collect]
One line of JSON per program is kept in DIR/programs.jsonl; what stands there is not made again. --collect only writes the table."""
import argparse, collections, concurrent.futures, hashlib, random, re, tempfile
from common import *

LEVELS = [f"-O{k}" for k in range(4)]
FLAVOURS = ["trace", "fast", "path", "check"]
INPUT_BYTES = 48
SECONDS = 10         # for a run of the plain program
FLAVOUR_SECONDS = 60  # for a run of a flavour
PROLOGUE = """
#include <stdio.h>
static unsigned char spelunk_input[%d]; static unsigned spelunk_at;
static unsigned long long spelunk_next(void) {
  unsigned k = spelunk_at; spelunk_at += 2;
  return k + 1 < sizeof spelunk_input ? spelunk_input[k] | (unsigned long long)spelunk_input[k + 1] << 8 : 0;
}
""" % INPUT_BYTES


def options(seed):
    """The shape of a program: small ones, so that a thousand can be checked."""
    draw = random.Random(f"csmith {seed}")
    chosen = ["--no-consts", "--no-const-pointers", "--max-funcs", str(draw.randint(2, 8)), "--max-block-size", str(draw.randint(2, 4)),
              "--max-block-depth", str(draw.randint(1, 4)), "--max-expr-complexity", str(draw.randint(2, 10))]
    chosen += [f"--{switch}" for switch in ["builtins", "inline-function", "float"] if draw.random() < 0.3]
    for switch in ["bitfields", "packed-struct", "unions", "volatiles", "jumps", "math64", "pointers", "arrays"]:
        if draw.random() < 0.15:
            chosen.append(f"--no-{switch}")
    return chosen


def inputs(seed):
    draw = random.Random(f"inputs {seed}")
    return [bytes(INPUT_BYTES), draw.randbytes(INPUT_BYTES), bytes(draw.choice([0, 0, 1, 127, 128, 255]) for _ in range(INPUT_BYTES))]


def with_input(source):
    """The program with its globals made from input, and how many places it reads; None if there is none."""
    body = re.search(r"\n    (func_\d+\(\);)\n(.*?)    platform_main_end", source, re.S)
    if not body:
        return None, 0
    scramble, places = re.subn(r"transparent_crc\(([^\"]*?), \"[^\"]*\", print_hash_value\);", r"\1 ^= spelunk_next();", body[2])
    scramble = re.sub(r"transparent_crc_bytes.*?;", ";", scramble)
    scramble = re.sub(r"if \(print_hash_value\) printf\(.*?\);", "", scramble)
    read = "\n    if (!fread(spelunk_input, 1, sizeof spelunk_input, stdin)) return 0;\n"
    source = source.replace(f"\n    {body[1]}\n", f"{read}{scramble}\n    {body[1]}\n", 1)
    return source.replace('#include "csmith.h"\n', '#include "csmith.h"\n' + PROLOGUE, 1), places


def run(command, data, seconds):
    """Output and status of a run, or that it did not end."""
    try:
        done = subprocess.run([str(c) for c in command], input=data, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "timeout"
    return f"{done.returncode} {hashlib.sha256(done.stdout).hexdigest()[:16]} {done.stdout[-40:].decode(errors='replace').strip()}"


def tool(command, what, seconds=600, cwd=None):
    """Runs a compiler or Spelunk; its message if it failed."""
    try:
        done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, cwd=cwd)
    except subprocess.TimeoutExpired:
        return f"{what}: not done in {seconds} s"
    return None if done.returncode == 0 else f"{what}: exit {done.returncode}: {done.stderr.strip()[:600]}"


def sanitized(folder, source, data, target):
    """What the sanitizers say of a run of the plain program; None if nothing."""
    exe = folder / "sanitized"
    if tool(["clang-19", *CFLAGS, *target, "-O0", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", source, "-o", exe], "sanitizers"):
        return None
    try:
        done = subprocess.run([exe], input=data, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "does not end"
    return done.stderr.decode(errors="replace").strip()[:300] if done.returncode else None


CFLAGS = ["-w", "-fno-strict-aliasing", "-I/usr/include/csmith", "-fgnu89-inline"]


def check(seed, runs):
    with tempfile.TemporaryDirectory(prefix="csmith-") as name:
        return check_in(pathlib.Path(name), seed, runs)


def check_in(folder, seed, runs):
    entry = {"seed": seed, "options": options(seed), "level": LEVELS[seed % 4], "spelunk": VERSION}
    generated = subprocess.run(["csmith", "--seed", str(seed), *entry["options"]], capture_output=True, text=True, timeout=120, cwd=folder)
    source, entry["places"] = with_input(generated.stdout)
    if generated.returncode or source is None:
        return {**entry, "skipped": "csmith wrote no program"}
    file, data = folder / "program.c", inputs(seed)
    file.write_text(source)
    entry["lines"] = source.count("\n")
    # Some of csmith's builtins need more than the least of processors.
    target = ["-msse4.2"] if "__builtin_ia32_" in source else []
    plain = {}
    for compiler in ["clang-19", "gcc"]:
        for level in LEVELS:
            exe = folder / f"{compiler}{level}"
            if failed := tool([compiler, *CFLAGS, *target, level, file, "-o", exe], "compiling"):
                return {**entry, "skipped": f"{compiler} {level}: {failed}"}
            plain[f"{compiler} {level}"] = [run([exe], d, SECONDS) for d in data]
            if len(plain) == 1 and plain[f"{compiler} {level}"][0] == "timeout":
                return {**entry, "skipped": "does not end"}
    reference = plain[f"clang-19 {entry['level']}"]
    entry["compared"] = [k for k in range(len(data)) if all(p[k] == reference[k] for p in plain.values()) and reference[k] != "timeout"]
    entry["compilers_disagree"] = [k for k in range(len(data)) if len({p[k] for p in plain.values()} - {"timeout"}) > 1]
    differences, failures = [], []
    flags = " ".join([*CFLAGS, *target, entry["level"]])
    for flavour in FLAVOURS:
        exe = folder / flavour
        if failed := tool([SPELUNK, "instrument", "--flavour", flavour, "--cflags", flags, "-o", exe, file], f"flavour {flavour}"):
            failures.append(failed)
            continue
        for k in entry["compared"]:
            got = run([exe], data[k], FLAVOUR_SECONDS)
            if got != reference[k]:
                differences.append({"flavour": flavour, "input": k, "got": got, "plain": reference[k], "sanitizers": sanitized(folder, file, data[k], target)})
    seeds = folder / "seeds"
    seeds.mkdir()
    for k, d in enumerate(data):
        (seeds / str(k)).write_bytes(d)
    command = [SPELUNK, "explore", file, "--cflags", flags, "--seeds", seeds, "--out", folder / "out", "--runs", runs, "--time", "30s",
               "--strategy", "generational", "--check-trace", "--no-check", "--timeout", "20s"]
    # A program that each compiler makes another of is not compared on its first input either.
    command += ["--no-compare"] if entry["compilers_disagree"] else []
    if failed := tool(command, "explore", cwd=folder):
        failures.append(failed)
    else:
        summary = json.loads((folder / "out/summary.json").read_text())
        entry["explore"] = {key: summary["ledger"][key] for key in ["runs", "queries", "divergences", "events_checked", "mismatches"]}
        entry["findings"] = len(list((folder / "out/findings").glob("*"))) if (folder / "out/findings").is_dir() else 0
    return {**entry, "differences": differences, "failures": failures}


def version():
    return hashlib.sha256(SPELUNK.read_bytes() + SPELUNK.with_name("spelunk-instrument").read_bytes()).hexdigest()[:12]


def collect(entries, name):
    checked = [e for e in entries if "skipped" not in e]
    blamed = lambda e: [d for d in e["differences"] if not d["sanitizers"]]
    total = lambda key: sum((e.get("explore") or {}).get(key) or 0 for e in checked)
    summary = {
        "programs": len(checked), "skipped": dict(collections.Counter(e["skipped"].split(":")[0] for e in entries if "skipped" in e)),
        "runs_compared": sum(len(e["compared"]) * len(FLAVOURS) for e in checked),
        "programs_with_differences": [e["seed"] for e in checked if blamed(e)],
        "undefined_behaviour": [e["seed"] for e in checked if len(e["differences"]) > len(blamed(e))],
        "compilers_disagree": [e["seed"] for e in checked if e["compilers_disagree"]],
        "programs_with_failures": [e["seed"] for e in checked if e["failures"]],
        "trace_events_checked": total("events_checked"), "trace_mismatches": total("mismatches"),
        "queries": total("queries"), "divergences": total("divergences"), "by_level": dict(collections.Counter(e["level"] for e in checked)),
    }
    print(json.dumps(summary, indent=1))
    bad = [e for e in checked if e["differences"] or e["failures"] or e["compilers_disagree"] or (e.get("explore") or {}).get("mismatches")]
    save(name, {"summary": summary, "bad": bad, "columns": ["seed", "lines", "places", "level", "inputs compared", "trace events checked"],
                "rows": [[e["seed"], e["lines"], e["places"], e["level"], len(e["compared"]), (e.get("explore") or {}).get("events_checked")] for e in checked]})
    return 1 if summary["programs_with_differences"] or summary["programs_with_failures"] or summary["trace_mismatches"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "spelunk-csmith")
    parser.add_argument("--name", default="csmith")
    parser.add_argument("--collect", action="store_true")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    log = args.work / "programs.jsonl"
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    there = {e["seed"] for e in entries}
    # What derived executables the cache holds of earlier programs is of no use to later ones.
    os.environ["SPELUNK_CACHE"] = str(args.work / "cache")
    os.environ["SPELUNK_CACHE_MIB"] = "500"
    wanted = [] if args.collect else [s for s in range(args.first, args.first + args.programs) if s not in there]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, log.open("a") as out:
        for entry in pool.map(lambda seed: check(seed, args.runs), wanted):
            entries.append(entry)
            out.write(json.dumps(entry) + "\n")
            out.flush()
            trouble = entry.get("skipped") or entry.get("failures") or [d for d in entry["differences"]] or (entry.get("explore") or {}).get("mismatches")
            if trouble:
                print(entry["seed"], str(trouble)[:300], flush=True)
    return collect(entries, args.name)


VERSION = version()
if __name__ == "__main__":
    sys.exit(main())
