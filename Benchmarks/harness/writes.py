"""Scenarios of writing: group commit against one commit per create, on this disk and on a slow one."""

from contextlib import ExitStack
from statistics import median

from . import machine
from .load import Sample
from .result import Result, rows
from .rounds import SMALL, check, in_turn, nginx_like, pinned, ratio_of_rates

DISK = "disk: append + fdatasync"


def creates(bench, preload=None):
    """Rounds of durable creates: group commit, one commit per create, and what the disk gives."""
    with ExitStack() as stack:
        grouped, single = (
            stack.enter_context(bench.start(bench.copy(SMALL, name), limits=limits, preload=preload))
            for name, limits in (("grouped", {}), ("single", {"batchCountMax": 1}))
        )
        nginx = stack.enter_context(nginx_like(bench, grouped, ["create"]))

        def quiet(run):
            def quietly(seconds):
                bench.wait_for_quiet_disk()
                return run(seconds)

            return quietly

        def disk(overwrites):
            def run(seconds):
                rate = machine.sync_rate(bench.work, min(seconds, 1), overwrites)
                return Sample(int(rate), 1, 0, 1e6 / rate, None)

            return quiet(run)

        contenders = {
            "nginx": pinned(bench, nginx, "create", path="/create"),
            "Syncline": quiet(pinned(bench, grouped, "create")),
            "one commit per create": quiet(pinned(bench, single, "create")),
        }
        if not preload:
            contenders |= {DISK: disk(overwrites=False), "disk: overwrite + fdatasync": disk(overwrites=True)}
        rounds = in_turn(bench, contenders)
    return check(rows(rounds), rounds), rounds


def create(bench):
    """durable create (3 secondary indexes, synchronous=FULL), 64 clients"""
    found, rounds = creates(bench)
    to_single = ratio_of_rates(rounds, "Syncline", "one commit per create")
    to_disk = ratio_of_rates(rounds, "Syncline", DISK)
    disk_rate = median(samples[DISK].rate for samples in rounds)
    is_reached = to_single >= 2 and (to_disk >= 1.2 or disk_rate >= 15_000)
    return Result("durable create (3 secondary indexes, synchronous=FULL), 64 clients",
                  "≥ 2 × one commit per create; ≥ 1.2 × append + fdatasync below 15,000/s", found,
                  f"{to_single:.2f} ×; {to_disk:.2f} × of {disk_rate:,.0f}/s", is_reached)  # fmt: skip


def slow_disk(bench):
    """the same with each fsync delayed by 5 ms"""
    found, rounds = creates(bench, preload="slow_fsync")
    ratio = ratio_of_rates(rounds, "Syncline", "one commit per create")
    return Result("the same on a slow disk: each fsync takes 5 ms more", "≥ 20 × one commit per create", found,
                  f"{ratio:.1f} ×", ratio >= 20)  # fmt: skip
