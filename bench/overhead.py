#!/usr/bin/env python3
"""What instrumentation costs, as ratios to plain clang -O2 in one run: bzip2 compressing 8 MB concretely, and 64 KB with
every input byte symbolic and no solving. usage: overhead.py [WORK-DIR]"""
import pathlib, random, subprocess, sys, tempfile
from common import *

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/spelunk-overhead").resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)


def text(path, size):
    """Text-like data: words of a small vocabulary, the same every time."""
    draw, words = random.Random(1), []
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(2000)]
    while sum(map(len, words)) + len(words) < size:
        words += draw.choices(vocabulary, k=2000)
    path.write_bytes(" ".join(words).encode()[:size])


text(work / "8M", 8 << 20)
text(work / "64K", 64 << 10)
build = lambda out, **env: subprocess.run([targets / "bzip2/build.sh"], check=True, env={**os.environ, "CFLAGS": "-O2 -g", "OUT": str(work / out), **env})
build("plain", CC="clang-19")
build("wrapped", CC=f"{SPELUNK} cc")
flavours = {}
for flavour in ("trace", "fast"):
    flavours[flavour] = work / f"bzip2.{flavour}"
    subprocess.run([SPELUNK, "instrument", work / "wrapped/bzip2", "--flavour", flavour, "-o", flavours[flavour]], check=True)
plain = work / "plain/bzip2"
run = lambda exe, size, **env: dict(command=[exe, "-c"], stdin=work / size, env=env)
concrete = paired(5, plain=run(plain, "8M"), trace=run(flavours["trace"], "8M"), fast=run(flavours["fast"], "8M"))
# one run of the plain program on 64 KB is too short for the clock: it is measured as 64 runs in a shell loop
loop = dict(command=["sh", "-c", f"i=0; while [ $i -lt 64 ]; do {plain} -c <{work}/64K >/dev/null; i=$((i+1)); done"])
# the trace goes into memory, as the engine's does: on a disk the file system's work would be measured, too
with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
    symbolic = paired(5, plain64=loop, trace=run(flavours["trace"], "64K", SPELUNK_TRACE=f"{memory}/mapping"))
per_plain = median(symbolic["plain64"]) / 64
print(f"8 MB concrete: plain {median(concrete['plain']):.2f} s; trace {median(concrete['trace']) / median(concrete['plain']):.2f}x; "
      f"fast {median(concrete['fast']) / median(concrete['plain']):.2f}x (allowed for trace: 2.5x)")
print(f"64 KB symbolic, no solving: plain {per_plain * 1000:.1f} ms (process start included); trace {median(symbolic['trace']) / per_plain:.1f}x, "
      f"{median(symbolic['trace'], 2):.0f} MiB (allowed: 80x, 200 MB)")
(work / "trivial.c").write_text("#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n")
RUNS = 5000
explore = dict(command=[SPELUNK, "explore", work / "trivial.c", "--strategy", "random", "--runs", str(RUNS), "--out", work / "trivial"])
trivial = []
for turn in range(4):
    shutil.rmtree(work / "trivial", ignore_errors=True)
    result = cpu_run(**explore)
    if turn:
        trivial.append(result)
print(f"a trivial program through the fork server, engine and children together: {median(trivial) / RUNS * 1000:.2f} ms CPU a run (allowed: 2 ms)")
save("overhead", {"fields": ["cpu s", "wall s", "peak MiB", "exit"], "concrete": concrete, "symbolic": symbolic, "trivial": {"runs": RUNS, "results": trivial}})
