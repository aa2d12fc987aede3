"""Scenarios of the process itself: how fast it is there, and what it holds."""

import time
from statistics import median

from . import machine
from .load import client
from .result import Result
from .rounds import LARGE, SMALL


def cold_start(bench):
    """from exec to the first answer, empty and with 1,000,000 items"""
    bench.store(LARGE)

    def start(data):
        begin = time.monotonic()
        with bench.start(data, core=None):
            return (time.monotonic() - begin) * 1000

    empty, large = [], []
    for _ in range(2 * bench.rounds):
        empty.append(start(bench.new_folder("empty")))
        large.append(start(bench.store(LARGE)))
    first, second = median(empty), median(large)
    return Result(
        "cold start to first answer, empty / with 1,000,000 items", "≤ 50 ms / ≤ 100 ms", [],
        f"{first:.0f} ms / {second:.0f} ms", first <= 50 and second <= 100,
        [f"fastest {min(empty):.0f} ms / {min(large):.0f} ms; an empty folder gets its tables, synced, on the way"],
    )  # fmt: skip


def memory(bench):
    """anonymous memory at rest, and after 1,000,000 requests"""
    with bench.start(bench.new_folder("empty")) as server:
        time.sleep(1)
        rest = machine.anonymous_mebibytes(server.pid)
    steps = []
    with bench.start(bench.copy(SMALL, "memory")) as server:
        mixture = {"get": 90, "list": 10}
        for requests in (100_000, 400_000, 500_000):
            client(bench, server, mixture, f"requests:{requests}", SMALL, core=machine.LOAD_CORE)
            steps.append(machine.anonymous_mebibytes(server.pid))
    growth = steps[-1] - steps[0]
    return Result(
        "anonymous memory at rest, empty store / after 1,000,000 requests", "≤ 25 MiB / no growth past the caches",
        [], f"{rest:.1f} MiB / {steps[-1]:.1f} MiB", rest <= 25 and growth <= 1,
        [f"{steps[0]:.1f} MiB after 100,000 requests, {steps[1]:.1f} after 500,000, {steps[2]:.1f} after 1,000,000"],
    )  # fmt: skip
