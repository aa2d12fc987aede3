"""What the machine is, and what a process has used of it: read from /proc, for Linux."""

import datetime
import os
import platform
import shutil
import subprocess
import time
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = CORES[0], CORES[-1]


def pinned(core, command):
    """The command, bound to one core; `None` leaves it to the scheduler."""
    return command if core is None else ["taskset", "-c", str(core), *command]


def family(pid):
    """The process and its children (nginx's workers)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(int(child) for child in children)]


def cpu_seconds(pid):
    """User and system time of the process and its children, as the kernel accounts it (proc(5), stat: 14, 15)."""
    ticks = 0
    for member in family(pid):
        fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS_PER_SECOND


def anonymous_mebibytes(pid):
    """Memory that belongs to the process alone; pages of files are the system's to take back."""
    kibibytes = 0
    for member in family(pid):
        for line in Path(f"/proc/{member}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                kibibytes += int(line.split()[1])
    return kibibytes / 1024


def sync_rate(folder, seconds, overwrites=False):
    """How many times a second the disk takes 4 KiB and says that they are safe: at the end of a file, which grows, or
    over what the file has already, as a database's log does once it was written back."""
    path, page, count = Path(folder) / "sync", bytes(4096), 0
    room = 1024 if overwrites else 0
    path.write_bytes(page * room)
    file = os.open(path, os.O_WRONLY)
    os.fsync(file)
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        os.pwrite(file, page, (count % room if overwrites else count) * len(page))
        os.fdatasync(file)
        count += 1
    rate = count / (time.monotonic() - start)
    os.close(file)
    path.unlink()
    return rate


def description(root):
    """The machine, the day and the commit, as the head of a report. No names of hosts."""

    def output(*command):
        try:
            result = subprocess.run(command, capture_output=True, text=True, cwd=root)
        except FileNotFoundError:
            return "not installed"
        return (result.stdout or result.stderr).strip()

    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    kibibytes = int(Path("/proc/meminfo").read_text().split()[1])
    changed = " and uncommitted changes" if output("git", "status", "--porcelain", "Sources") else ""
    return {
        "date": datetime.date.today().isoformat(),
        # The last that changed what is measured; the report itself comes after it.
        "commit": output("git", "log", "-1", "--format=%h", "--", "Sources") + changed,
        "cores": f"{os.cpu_count()} ({model})",
        "memory": f"{kibibytes / 2**20:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "nginx": output(shutil.which("nginx") or "/usr/sbin/nginx", "-v").rpartition("/")[2],
        "SQLite": output("sqlite3", "--version").split(" ")[0],
    }
