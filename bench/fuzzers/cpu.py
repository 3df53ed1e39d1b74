"""CPU seconds of a whole tree of processes, orphans included: this process adopts them, so what ended is in its own account of
children, and what runs is found under /proc."""
import ctypes, os, resource, signal, subprocess, time

TICK = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(pid):
    """All processes below `pid`, which is not among them; each thread has children of its own."""
    children = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += map(int, open(f"/proc/{pid}/task/{thread}/children").read().split())
    except OSError:
        pass  # it ended meanwhile
    return [p for child in children for p in [child, *descendants(child)]]


def ended():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def running():
    """CPU seconds of everything below this process that was not waited for by it."""
    ticks = 0
    for pid in descendants(os.getpid()):
        try:
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            ticks += sum(map(int, fields[11:15]))  # its own and its children's
        except (OSError, IndexError):
            pass
    return ticks / TICK


class Tree:
    """A tool, started anew when it ends before its budget, e.g. at a crash of the program. One at a time."""

    def __init__(self, command, log, env, cwd):
        self.command, self.log, self.env, self.cwd = command, log, env, cwd
        self.before, self.seen, self.starts, self.process = ended(), 0.0, 0, None

    def start(self):
        self.process = subprocess.Popen(
            [str(c) for c in self.command(self.starts)], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, **self.env}, cwd=self.cwd, start_new_session=True)
        self.starts += 1

    def used(self):
        # A process that ends between the two looks would be missed for a moment: the account never goes back.
        self.seen = max(self.seen, ended() - self.before + running())
        return self.seen

    def is_over(self):
        return self.process.poll() is not None

    def stop(self, patience=3):
        """Ends the tool and everything it started."""
        self.process.terminate()
        end = time.monotonic() + patience
        while not self.is_over() and time.monotonic() < end:
            time.sleep(0.05)
        for _ in range(100):
            left = descendants(os.getpid())
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.poll()
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(0.05)
