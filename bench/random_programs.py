#!/usr/bin/env python3
"""Random programs against hardware (tests/progen), with command, versions and summary kept.
usage: random_programs.py [--name NAME] [OPTIONS OF progen …]"""
from common import *

words = sys.argv[1:]
name = words[1] if words[:1] == ["--name"] else "random"
words = words[2:] if words[:1] == ["--name"] else words
PROGEN = pathlib.Path(os.environ.get("PROGEN", ROOT / "target/release/progen"))
summary = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"progen-{os.getpid()}.json"
start = time.monotonic()
status = subprocess.run([PROGEN, *words, "--json", summary]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
data = json.loads(summary.read_text())
summary.unlink()
save(name, {"progen": words, "exit": status, "wall_s": round(time.monotonic() - start), "cpu_s": round(used.ru_utime + used.ru_stime),
            "summary": data})
sys.exit(status)
