"""Single steps, without sockets: the micro-benchmarks of `Micro`, a package of its own."""

import subprocess

from . import machine
from .result import Result, Row


def steps(bench):
    """single steps: parsing, validating, plan cache, writing, in CPU time"""
    command = machine.pinned(machine.SERVER_CORE, [str(bench.micro), str(bench.folder)])
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, bounds, missed = [], [], []
    for line in output.splitlines():
        name, nanoseconds, bound = line.split("\t")
        found.append(Row(name, cpu=float(nanoseconds) / 1000))
        if bound:
            bounds.append(f"{name} ≤ {float(bound) / 1000} µs")
            if float(nanoseconds) > float(bound):
                missed.append(f"{name} {float(nanoseconds) / 1000:.2f} µs")
    return Result("single steps (fastest of 60 passes)", "; ".join(bounds), found, "; ".join(missed) or "all kept",
                  not missed)  # fmt: skip
