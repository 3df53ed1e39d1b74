"""Targets, tools and one campaign: a tool on a target until a budget of CPU seconds of all its processes is used, with copies of what
it had found at each mark."""
import hashlib, os, pathlib, shutil, subprocess, sys, time
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import ROOT, SPELUNK
from cpu import Tree
from coverage import Replay, build as build_coverage

HERE = pathlib.Path(__file__).resolve().parent
MARKS = [10, 30, 60, 120, 180, 240, 300]
MAX_LEN = 4096
TIMEOUT_S = 2

# name: (arguments, how its main reads input, language)
TARGETS = {
    "bzip2": (["-dc"], "TOOL", "c"), "cjson": ([], "DRIVER", "c"), "ddrescue": (["-t", "-"], "TOOL", "c++"),
    "expat": ([], "DRIVER", "c"), "gsl": (["all"], "VALUES", "c"), "http-parser": ([], "DRIVER", "c"),
    "libyaml": ([], "DRIVER", "c"), "lua": ([], "DRIVER", "c"), "md4c": ([], "DRIVER", "c"), "tinyxml2": ([], "DRIVER", "c++"),
}
AFL = {"AFL_QUIET": "1"}
# variant of a build: (C compiler, C++ compiler, flags, environment)
BUILDS = {
    "libfuzzer": ("clang-19", "clang++-19", "-O2 -fsanitize=fuzzer-no-link", {}),
    "aflpp": ("afl-clang-lto", "afl-clang-lto++", "-O2", AFL),
    "cmplog": ("afl-clang-lto", "afl-clang-lto++", "-O2", {**AFL, "AFL_LLVM_CMPLOG": "1"}),
    "spelunk": (f"{SPELUNK} cc", f"{SPELUNK} c++", "-O2 -g", {}),
}


def program_name(target):
    return (target / "bin").read_text().strip()


def objects(target, variant, work):
    """Builds a target for a tool, with the harness in the place of its main; the objects of the program."""
    arguments, reading, language = TARGETS[target.name]
    out = work / "build" / target.name / variant
    listed = out / f"{program_name(target)}.objects"
    c, cxx, flags, env = BUILDS[variant]
    env = {**os.environ, **env}
    if not (out / "harness.o").exists():
        build_coverage(target)  # unpacks and configures the sources, which variants share
        out.mkdir(parents=True, exist_ok=True)
        front = f"-include {HERE}/tool.h" if reading == "TOOL" else f"-I{HERE}"
        flags = f"{flags} {front}"
        subprocess.run([target / "build.sh"], check=True, capture_output=True, env={
            **env, "CC": f"{HERE}/collect {c}", "CXX": f"{HERE}/collect {cxx}", "CFLAGS": flags, "CXXFLAGS": flags, "OUT": str(out)})
        words = ",".join(f'"{w}"' for w in [target.name, *arguments])
        language = language if reading == "TOOL" else "c"
        subprocess.run([*(cxx if language == "c++" else c).split(), *BUILDS[variant][2].split(), "-w", f"-DTARGET_{reading}",
                        f"-DTARGET_ARGUMENTS={words}", "-x", language, "-c", HERE / "harness.c", "-o", out / "harness.o"], check=True, env=env)
    return [*listed.read_text().split(), out / "harness.o"]


def linked(target, variant, work):
    """The fuzz target of libFuzzer or AFL++."""
    program = work / "build" / target.name / variant / "fuzz"
    if not program.exists():
        _, cxx, _, env = BUILDS[variant]
        subprocess.run([cxx, "-O2", "-fsanitize=fuzzer", *objects(target, variant, work), "-lm", "-lpthread", "-o", program], check=True,
                       env={**os.environ, **env}, stdout=subprocess.DEVNULL)
    return program


def libfuzzer(target, work, out, seed, strategy):
    program = linked(target, "libfuzzer", work)
    (out / "corpus").mkdir()
    command = lambda start: [program, f"-seed={seed + 1000 * start}", f"-max_len={MAX_LEN}", f"-timeout={TIMEOUT_S}", "-rss_limit_mb=2048",
                             "-close_fd_mask=3", "-detect_leaks=0", f"-artifact_prefix={out}/crash.", "corpus", target / "seeds"]
    return command, {}, ["corpus/*", "crash.*"]


def aflpp(target, work, out, seed, strategy):
    program, cmplog = linked(target, "aflpp", work), linked(target, "cmplog", work)
    # after a restart AFL++ goes on with what it has (AFL_AUTORESUME)
    command = lambda start: ["afl-fuzz", "-i", target / "seeds", "-o", out / "afl", "-s", seed, "-G", MAX_LEN, "-t", 1000 * TIMEOUT_S, "-m", "none",
                             "-c", cmplog, "--", program]
    env = {"AFL_SKIP_CPUFREQ": "1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1", "AFL_NO_UI": "1", "AFL_NO_AFFINITY": "1",
           "AFL_AUTORESUME": "1", "AFL_FAST_CAL": "1"}
    return command, env, ["afl/default/queue/id*", "afl/default/crashes*/id*", "afl/default/hangs*/id*"]


def explored(program, words, target, out, seed, strategy):
    """Exploring `program`. What is compiled for it is in the cache before the clock starts, as the others' builds are done by then."""
    options = ["--seeds", target / "seeds", "--seed", seed, "--max-input", MAX_LEN, "--timeout", f"{TIMEOUT_S}s", "-j", 1,
               *(["--strategy", strategy] if strategy else [])]
    explore = [SPELUNK, "explore", *program, *options, "--out"]
    subprocess.run([str(c) for c in [*explore, out / "warm-up", "--runs", 300, *words]], check=True, capture_output=True)
    # a limit that is never reached: with one, the strategy weighs its parts by the clock
    command = lambda start: [*explore, out / "campaign", "--time", "24h", *(["--resume"] if start else []), *words]
    return command, {}, ["campaign/tests/*", "campaign/corpus/*", "campaign/findings/*/input"]


def spelunk(target, work, out, seed, strategy):
    libraries = "-lm -lpthread" + (" -lstdc++" if TARGETS[target.name][2] == "c++" else "")
    return explored([*objects(target, "spelunk", work), "--ldflags", libraries], [], target, out, seed, strategy)


def spelunk_cli(target, work, out, seed, strategy):
    """The target as it is, without a harness: one process a run."""
    build = work / "build" / target.name / "spelunk-cli"
    if not (build / program_name(target)).exists():
        build_coverage(target)
        subprocess.run([target / "build.sh"], check=True, capture_output=True, env={
            **os.environ, "CC": f"{SPELUNK} cc", "CXX": f"{SPELUNK} c++", "CFLAGS": "-O2 -g", "OUT": str(build)})
    arguments = TARGETS[target.name][0]
    return explored([build / program_name(target)], ["--", *arguments] if arguments else [], target, out, seed, strategy)


TOOLS = {"libfuzzer": libfuzzer, "aflpp": aflpp, "spelunk": spelunk, "spelunk-cli": spelunk_cli}


class Finds:
    """Copies of all files that a tool ever showed, by content, with the mark by which each was there."""

    def __init__(self, out, patterns):
        self.out, self.patterns, self.names, self.contents = out, patterns, set(), set()

    def take(self, mark):
        folder = self.out / f"mark-{mark:03}"
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(p for pattern in self.patterns for p in self.out.glob(pattern)):
            if path in self.names or not path.is_file():
                continue
            try:
                data = path.read_bytes()
            except FileNotFoundError:  # replaced by a smaller one meanwhile
                continue
            self.names.add(path)
            digest = hashlib.sha1(data).hexdigest()
            if digest not in self.contents:
                self.contents.add(digest)
                (folder / digest).write_bytes(data)
        return len(self.contents)


def explore(tree, finds, budget):
    """Runs a tool until its budget is used; [(mark, CPU seconds, inputs)], and whether it ended by itself."""
    marks, readings = [m for m in MARKS if m < budget] + [budget], []
    tree.start()
    began, short = 0.0, 0
    while True:
        used = tree.used()
        while marks and used >= marks[0]:
            readings.append([marks[0], round(used, 2), finds.take(marks[0])])
            marks.pop(0)
        if not marks:
            return readings, False
        if tree.is_over():
            short = short + 1 if used - began < 0.2 else 0  # it cannot be started
            began = used
            if tree.process.returncode == 0 or short > 20:
                readings += [[mark, round(tree.used(), 2), finds.take(mark)] for mark in marks]
                return readings, True
            tree.start()
        time.sleep(0.05)


def curve(target, folder, readings):
    """[(mark, inputs, covered branch outcomes)], from the seeds on, and all branch outcomes."""
    replay = Replay(target, TARGETS[target.name][0])
    points = []
    steps = [(0, target / "seeds")] + [(mark, folder / f"mark-{mark:03}") for mark, _, _ in readings]
    inputs = 0
    for mark, inputs_folder in steps:
        for path in sorted(inputs_folder.iterdir()):
            replay.add(path)
            inputs += 1
        covered, total = replay.branches()
        points.append([mark, inputs, covered])
    return points, total, replay.slow


def run(target, tool, seed, budget, work, strategy):
    """One campaign; its record."""
    out = work / "campaigns" / f"{target.name}.{tool}{'.' + strategy if strategy else ''}.{seed}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    command, env, patterns = TOOLS[tool](target, work, out, seed, strategy)
    load, start = os.getloadavg(), time.monotonic()
    finds = Finds(out, patterns)
    with open(out / "log", "wb") as log:
        tree = Tree(command, log, env, out)
        try:
            readings, ended = explore(tree, finds, budget)
        finally:
            tree.stop()
    record = {"target": target.name, "tool": tool, "strategy": strategy, "seed": seed, "budget_cpu_s": budget, "max_len": MAX_LEN,
              "readings": readings, "starts": tree.starts, "ended_by_itself": ended, "wall_s": round(time.monotonic() - start, 1),
              "load_before": load, "load_after": os.getloadavg(), "command": [str(c).replace(str(work), "WORK") for c in command(0)],
              "env": {name: str(value).replace(str(work), "WORK") for name, value in env.items()},
              "runs": executions(tool, out)}
    record["curve"], record["branches"], record["replay_timeouts"] = curve(target, out, readings)
    return record


def executions(tool, out):
    """How many runs the tool says it made; None where it does not say."""
    import re, json
    text = (out / "log").read_text(errors="replace")
    if tool == "libfuzzer":
        numbers = re.findall(r"^#(\d+)", text, re.M)
        return int(numbers[-1]) if numbers else None
    if tool == "aflpp":
        stats = out / "afl/default/fuzzer_stats"
        found = re.search(r"execs_done\s*:\s*(\d+)", stats.read_text()) if stats.exists() else None
        return int(found[1]) if found else None
    summary = out / "campaign/summary.json"
    if not summary.exists():
        return None
    data = json.loads(summary.read_text())
    return (data.get("ledger") or data).get("runs")
