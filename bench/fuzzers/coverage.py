"""Branch outcomes that llvm-cov counts for inputs on the plain build of targets/common/cov.sh: the same executable, profile mode and
report, but one replay of all inputs of a campaign in the order in which they came, with a reading at each mark."""
import os, pathlib, subprocess, tempfile

LLVM = os.environ.get("LLVM", "19")
REPORT = ["-ignore-filename-regex=targets/common/|/usr/"]


def build(target):
    """The executable with source coverage, made by cov.sh itself."""
    if not (target / "build-cov/.ok").exists():
        subprocess.run([target.parent / "common/cov.sh", target], check=True, capture_output=True)
    return target / "build-cov" / (target / "bin").read_text().strip()


class Replay:
    """Coverage of a growing set of inputs."""

    def __init__(self, target, arguments, timeout=4):
        self.command, self.timeout = [build(target), *arguments], timeout
        self.folder = tempfile.TemporaryDirectory()
        self.profiles = pathlib.Path(self.folder.name)
        self.slow = 0

    def add(self, path):
        env = {**os.environ, "LLVM_PROFILE_FILE": f"{self.profiles}/%m%c.profraw"}
        with open(path, "rb") as file:
            try:
                subprocess.run(self.command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                               cwd=self.profiles, timeout=self.timeout)
            except subprocess.TimeoutExpired:
                self.slow += 1

    def report(self, *options):
        merged = self.profiles / "merged"
        subprocess.run([f"llvm-profdata-{LLVM}", "merge", "-o", merged, *self.profiles.glob("*.profraw")], check=True)
        return subprocess.run([f"llvm-cov-{LLVM}", "report", self.command[0], *REPORT, f"-instr-profile={merged}", *options],
                              check=True, capture_output=True, text=True).stdout

    def branches(self):
        """(covered, all) branch outcomes."""
        total = next(line for line in self.report().splitlines() if line.startswith("TOTAL")).split()
        return int(total[10]) - int(total[11]), int(total[10])
