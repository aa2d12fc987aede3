"""Scenarios of reading alone."""

import os
import subprocess
import time
from contextlib import ExitStack
from statistics import median

from . import machine
from .load import Sample, client, wrk
from .result import Result, rows
from .rounds import LARGE, SMALL, check, in_turn, nginx_like, pinned


def read(bench, kind, items=SMALL):
    """Syncline against nginx on one kind of read; rows for both."""
    with bench.start(bench.store(items)) as server, nginx_like(bench, server, [kind], items) as nginx:
        rounds = in_turn(bench, {
            "nginx": pinned(bench, nginx, kind, items, f"/{kind}"),
            "Syncline": pinned(bench, server, kind, items),
        })  # fmt: skip
    found = check(rows(rounds), rounds)
    return found, next(row for row in found if row.contender == "Syncline")


def get(bench):
    """get by id, 8 fields, repeated document"""
    found, syncline = read(bench, "get")
    return Result(
        "get by id, 8 fields, repeated document", "≥ 0.50 × nginx by req/s (next: 0.65)", found,
        f"{syncline.rate_ratio:.2f}", syncline.rate_ratio >= 0.50, allocation_notes(bench),
    )  # fmt: skip


def get_large(bench):
    """the same over 1,000,000 items"""
    found, syncline = read(bench, "get", LARGE)
    return Result("the same, 1,000,000 items", "–", found, f"{syncline.rate_ratio:.2f}")


def allocation_notes(bench):
    """Allocations of a get: those of 2N requests without those of N, for each request."""
    counts, number = bench.work / "allocations", 20_000
    counts.unlink(missing_ok=True)
    environment = {"ALLOCATION_COUNTS": str(counts)}
    with bench.start(bench.store(SMALL), preload="count_allocations", environment=environment) as server:

        def after(requests):
            client(bench, server, {"get": 1}, f"requests:{requests}", SMALL, core=machine.LOAD_CORE)
            data = counts.read_bytes()
            return [int.from_bytes(data[at : at + 8], "little") for at in (0, 8)]

        after(number)
        start, once, twice = after(1), after(number), after(2 * number)
    # Between `once` and `twice` lie 2N requests, between `start` and `once` N; connecting is the same in both.
    allocations, size = [((c - b) - (b - a)) / number for a, b, c in zip(start, once, twice)]
    return [f"{allocations:.1f} allocations and {size:,.0f} bytes allocated per request (fewer than ten: "
            f"{'yes' if allocations < 10 else '**no**'})"]  # fmt: skip


def two_loops(bench):
    """get with two event loops, unpinned"""
    data = bench.store(SMALL)
    with ExitStack() as stack:
        server = stack.enter_context(bench.start(data, core=None, limits={"eventLoopCount": 2}))
        nginx = stack.enter_context(nginx_like(bench, server, ["get"], core=None, workers=2))

        def unpinned(server, path="/graphql"):
            return lambda seconds: wrk(bench, server, "get", SMALL, seconds, path=path, threads=2)

        rounds = in_turn(bench, {"nginx": unpinned(nginx, "/get"), "Syncline": unpinned(server)})
    found = check(rows(rounds), rounds)
    ratio = found[1].best_ratio
    return Result("the same with two event loops, unpinned", "≥ 0.60 × nginx with two workers", found,
                  f"{ratio:.2f}", ratio >= 0.60)  # fmt: skip


def list_100(bench):
    """list of 100 × 8 fields by secondary index"""
    found, syncline = read(bench, "list")
    return Result("list of 100 × 8 fields by secondary index", "≥ 0.10 × nginx (next: 0.25)", found,
                  f"{syncline.best_ratio:.2f}", syncline.best_ratio >= 0.10)  # fmt: skip


def nested(bench):
    """one thread, 20 messages, each with its author, against a list of 40"""
    kinds = ["thread", "list-40"]
    with bench.start(bench.store(SMALL)) as server, nginx_like(bench, server, kinds) as nginx:
        rounds = in_turn(bench, {
            "nginx": pinned(bench, nginx, "thread", path="/thread"),
            "Syncline": pinned(bench, server, "thread"),
            "Syncline, list of 40": pinned(bench, server, "list-40"),
        })  # fmt: skip
    found = check(rows(rounds), rounds)
    ratio = median(samples["Syncline"].cpu / samples["Syncline, list of 40"].cpu for samples in rounds)
    return Result("one thread, 20 messages, each with its author (22 statements)", "≤ 2.5 × CPU of a list of 40",
                  found, f"{ratio:.2f} ×", ratio <= 2.5)  # fmt: skip


def filtered(bench):
    """list with a filter that keeps 10 of 1,000, against the sqlite3 shell"""
    data = bench.store(SMALL)
    columns = ", ".join(f'"{name}"' for name in ("id", "owner", "status", "topic", "rank", "title", "body", "createdAt"))
    statement = (
        f"SELECT {columns} FROM (SELECT * FROM \"Article\" WHERE \"topic\" = 'topic-%04d' AND \"rank\" IS NOT NULL "
        "ORDER BY \"rank\" LIMIT 1000) WHERE \"status\" = 'rare';\n"
    )
    few, many = 50, 1050

    def shell(count):
        script = "".join(statement % (n % (SMALL // 1000)) for n in range(count))
        process = subprocess.Popen(
            machine.pinned(machine.SERVER_CORE, ["sqlite3", "-readonly", str(bench.database(data))]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        start = time.monotonic()
        output = process.communicate(script)[0]
        assert output.count("\n") == 10 * count, output[:300]
        return time.monotonic() - start

    def shell_sample(_):
        usage = []
        seconds = []
        for count in (few, many):
            before = os.times()
            seconds.append(shell(count))
            after = os.times()
            usage.append(after.children_user + after.children_system - before.children_user - before.children_system)
        # The difference of two lengths leaves out the shell's start.
        requests = many - few
        wall = max(seconds[1] - seconds[0], 1e-6) / requests * 1e6
        return Sample(requests, wall * requests / 1e6, 0, wall, None, (usage[1] - usage[0]) / requests * 1e6)

    with bench.start(data) as server, nginx_like(bench, server, ["filter"]) as nginx:
        rounds = in_turn(bench, {
            "nginx": pinned(bench, nginx, "filter", path="/filter"),
            "Syncline": pinned(bench, server, "filter"),
            "sqlite3 shell": shell_sample,
        })  # fmt: skip
    found = check(rows(rounds), rounds)
    ratio = median(samples["Syncline"].cpu / samples["sqlite3 shell"].cpu for samples in rounds)
    return Result("list with a filter that keeps 10 of 1,000", "≤ 2 × the same SQL in the sqlite3 shell", found,
                  f"{ratio:.2f} ×", ratio <= 2)  # fmt: skip


def new_document(bench):
    """a new document each request, against a cached one"""
    with bench.start(bench.store(SMALL)) as server, nginx_like(bench, server, ["get"]) as nginx:
        rounds = in_turn(bench, {
            "nginx": pinned(bench, nginx, "get", path="/get"),
            "Syncline, cached": pinned(bench, server, "get"),
            "Syncline, new": pinned(bench, server, "get-new"),
        })  # fmt: skip
    found = check(rows(rounds), rounds)
    more = median(samples["Syncline, new"].cpu - samples["Syncline, cached"].cpu for samples in rounds)
    return Result("new document each request", "≤ 60 µs CPU more than a cached one", found,
                  f"{more:.1f} µs more", more <= 60)  # fmt: skip
