"""What the measuring scripts share: where things are, timed runs, and the record of machine and versions."""
import json, os, pathlib, platform, resource, shutil, statistics, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPELUNK = pathlib.Path(os.environ.get("SPELUNK", ROOT / "target/release/spelunk"))
TARGETS = ROOT.parent / "shared/targets"


def cpu_run(command, stdin=None, env=None, cwd=None):
    """Runs a command once; returns (CPU seconds, wall seconds, peak resident MiB, exit status)."""
    start = time.monotonic()
    process = subprocess.Popen(
        [str(c) for c in command], stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})}, cwd=cwd)
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def paired(runs, **commands):
    """Runs each command `runs` times in turn (A B A B …) after one warm-up; returns name -> list of results."""
    results = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, arguments in commands.items():
            result = cpu_run(**arguments)
            if turn:
                results[name].append(result)
    return results


def median(results, field=0):
    return statistics.median(r[field] for r in results)


def machine():
    text = lambda *c: subprocess.run(c, capture_output=True, text=True).stdout.strip()
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
    return {
        "cpu": model, "cores": os.cpu_count(), "kernel": platform.release(),
        "clang": text("clang-19", "--version").splitlines()[0], "rustc": text("rustc", "--version"),
        "commit": text("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"),
        "date": time.strftime("%Y-%m-%d"), "command": " ".join(["WORK" if before in ("--work", "--before") else word for before, word in zip(["", *sys.argv], sys.argv)]),
    }


def private_targets(work):
    """A writable copy of the shared targets and of those here (their build scripts unpack sources beside themselves)."""
    copy = work / "targets"
    if not copy.exists():
        shutil.copytree(TARGETS, copy, copy_function=shutil.copy)
        shutil.copytree(ROOT / "bench/targets", copy, copy_function=shutil.copy, dirs_exist_ok=True)
        for path in copy.rglob("*"):
            path.chmod(path.stat().st_mode | 0o200)
    return copy


def save(name, data):
    out = ROOT / "bench/runs" / f"{time.strftime('%Y-%m-%d')}-{name}.json"
    out.write_text(json.dumps({"machine": machine(), **data}, indent=1) + "\n")
    print(f"raw data: {out.relative_to(ROOT)}")
