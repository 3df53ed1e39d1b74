#!/usr/bin/env python3
"""What instrumentation costs, as ratios to plain clang -O2 in one run: bzip2 compressing 8 MB and expat
parsing 8 MB concretely, and bzip2 compressing 64 KB with every input byte symbolic and no solving. usage: overhead.py [WORK-DIR]"""
import pathlib, random, subprocess, sys, tempfile
from common import *

work = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/spelunk-overhead").resolve()
work.mkdir(parents=True, exist_ok=True)
targets = private_targets(work)
# the drivers read at most 1 MiB, which is over too soon to be measured
limit = targets / "common/stdin.h"
limit.write_text(limit.read_text().replace("1 << 20", "1 << 26"))


def text(path, size):
    """Text-like data: words of a small vocabulary, the same every time."""
    draw, words = random.Random(1), []
    vocabulary = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(2000)]
    while sum(map(len, words)) + len(words) < size:
        words += draw.choices(vocabulary, k=2000)
    path.write_bytes(" ".join(words).encode()[:size])


def xml(path, size):
    """A document of nested elements with attributes, text, references and comments, the same every time."""
    draw = random.Random(2)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(500)]
    word, parts, length = (lambda: draw.choice(words)), ['<?xml version="1.0"?>\n<all xmlns:n="urn:x">\n'], 0
    while length < size:
        name, body = "n:" + word(), " ".join(draw.choices(words, k=draw.randint(1, 30)))
        parts.append(f'<{name} id="i{len(parts)}" {word()}="{word()} &amp; {word()}"><b>{body} &lt;{word()}</b><empty/><!-- {word()} --></{name}>\n')
        length += len(parts[-1])
    path.write_text("".join(parts) + "</all>\n")


text(work / "8M", 8 << 20)
text(work / "64K", 64 << 10)
xml(work / "8M.xml", 8 << 20)


def build(target, out, **env):
    subprocess.run([targets / target / "build.sh"], check=True, env={**os.environ, "CFLAGS": "-O2 -g", "OUT": str(work / out), **env})
    return work / out / target


def built(target):
    """A target's plain executable and its flavours."""
    made = {"plain": build(target, f"plain-{target}", CC="clang-19")}
    wrapped = build(target, f"wrapped-{target}", CC=f"{SPELUNK} cc")
    for flavour in ("trace", "fast"):
        made[flavour] = work / f"{target}.{flavour}"
        subprocess.run([SPELUNK, "instrument", wrapped, "--flavour", flavour, "-o", made[flavour]], check=True)
    return made


def run(exe, *arguments, stdin, **env):
    return dict(command=[exe, *arguments], stdin=work / stdin, env=env)


bzip2, expat = built("bzip2"), built("expat")
plain = bzip2["plain"]
concrete = {
    "bzip2": paired(5, **{kind: run(exe, "-c", stdin="8M") for kind, exe in bzip2.items()}),
    "expat": paired(15, **{kind: run(exe, stdin="8M.xml") for kind, exe in expat.items()}),
}
# one run of the plain program on 64 KB is too short for the clock: it is measured as 64 runs in a shell loop
loop = dict(command=["sh", "-c", f"i=0; while [ $i -lt 64 ]; do {plain} -c <{work}/64K >/dev/null; i=$((i+1)); done"])
# the trace goes into memory, as the engine's does: on a disk the file system's work would be measured, too
with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
    symbolic = paired(5, plain64=loop, trace=run(bzip2["trace"], "-c", stdin="64K", SPELUNK_TRACE=f"{memory}/mapping"))
per_plain = median(symbolic["plain64"]) / 64
for name, results in concrete.items():
    base = median(results["plain"])
    print(f"{name}, concrete: plain {base:.3f} s; trace {median(results['trace']) / base:.2f}x; fast {median(results['fast']) / base:.2f}x (allowed for trace: 2x)")
print(f"64 KB symbolic, no solving: plain {per_plain * 1000:.1f} ms (process start included); trace {median(symbolic['trace']) / per_plain:.1f}x, "
      f"{median(symbolic['trace'], 2):.0f} MiB (allowed: 50x, 200 MB)")
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
