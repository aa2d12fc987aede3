"""Scenarios of DataStore: a base sync, a delta of few changes among many items, and what a version costs an update."""

import json
import subprocess
import time
from statistics import median

from . import machine
from .load import CONNECTIONS, EIGHT, body
from .result import Result, Row
from .rounds import LARGE, ratio_of_rates
from .servers import KEY

VERSIONED = {"resolverConfig": {"project": {"ConflictDetection": "VERSION", "ConflictHandler": "AUTOMERGE"}}}
METADATA = "_version _deleted _lastChangedAt"
SYNC = (
    "query Sync($limit: Int, $nextToken: String, $lastSync: AWSTimestamp) { syncArticles(limit: $limit, "
    "nextToken: $nextToken, lastSync: $lastSync) { items { " + f"{EIGHT} {METADATA}" + " } nextToken startedAt } }"
)
UPDATE = "mutation Update($input: UpdateArticleInput!) { updateArticle(input: $input) { " + EIGHT + " } }"


class Sample:
    """What one run of one contender gave: so many pieces of work in so many seconds, with the server's CPU time."""

    def __init__(self, count, seconds, cpu):
        self.rate, self.cpu = count / seconds, cpu * 1e6 / count


def measured(server, count, work):
    before, begin = machine.cpu_seconds(server.pid), time.monotonic()
    work()
    return Sample(count, time.monotonic() - begin, machine.cpu_seconds(server.pid) - before)


def page(server, **variables):
    answer = json.loads(server.ask(body(SYNC, **variables).encode()))
    assert "errors" not in answer, answer
    return answer["data"]["syncArticles"]


def row(name, samples):
    return Row(name, *(median(getattr(sample, key) for sample in samples) for key in ("rate", "cpu")))


def base(bench):
    """base sync of 100,000 items in pages of 1,000"""
    items = 100_000
    with bench.start(bench.copy(items, "base-sync"), settings=VERSIONED) as server:

        def walk():
            token, count = None, 0
            while True:
                found = page(server, limit=1000, nextToken=token)
                token, count = found["nextToken"], count + len(found["items"])
                if token is None:
                    break
            assert count == items, f"{count} of {items} items came"

        walk()
        samples = [measured(server, items, walk) for _ in range(bench.rounds)]
    found = row("Syncline", samples)
    return Result("base sync of 100,000 items in pages of 1,000", "", [found],
                  f"{items * found.cpu / 1e6:.2f} s of CPU", None, ["req/s are items/s, CPU is by item"])  # fmt: skip


def delta(bench):
    """delta sync of 10 changes in a store of 1,000,000"""
    count = 200
    with bench.start(bench.copy(LARGE, "delta-sync"), settings=VERSIONED) as server:
        started = page(server, limit=1)["startedAt"]
        time.sleep(0.01)  # The clock of the stamps counts milliseconds.
        started = page(server, limit=1)["startedAt"]
        for number in range(10):
            server.ask(body(UPDATE, input={"id": f"article-{number * 7919:07}", "title": "New", "_version": 1}).encode())

        def syncs():
            for _ in range(count):
                found = page(server, limit=1000, lastSync=started)
                assert len(found["items"]) == 10 and found["nextToken"] is None, len(found["items"])

        samples = [measured(server, count, syncs) for _ in range(bench.rounds)]
    found = row("Syncline", samples)
    return Result("delta sync of 10 changes in a store of 1,000,000", "≤ 1 ms of CPU", [found],
                  f"{found.cpu / 1000:.2f} ms", found.cpu <= 1000)  # fmt: skip


def updates(bench, server, name, version=None):
    """Updates of every item of the store once, by our own client."""
    items, path = 20_000, bench.work / f"{name}.requests"
    with path.open("wb") as file:
        for number in range(items):
            change = {"id": f"article-{number * 7919 % items:07}", "title": f"Title {version} of {number}"}
            text = body(UPDATE, input=change | ({"_version": version} if version else {}))
            request = (
                f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"x-api-key: {KEY}\r\nContent-Length: {len(text)}\r\n\r\n{text}"
            ).encode()
            file.write(b"%d\n%s" % (len(request), request))
    command = [bench.tool("load"), server.port, CONNECTIONS, f"requests:{items}", f"1:{path}"]

    def run():
        command_line = machine.pinned(machine.LOAD_CORE, [str(part) for part in command])
        output = subprocess.run(command_line, capture_output=True, text=True, check=True).stdout
        assert not json.loads(output)["errors"], "requests failed"

    bench.wait_for_quiet_disk()
    return measured(server, items, run)


def update(bench):
    """update of the stored version beside a plain update, 64 clients"""
    plain, versioned, rounds = bench.copy(20_000, "plain-update"), bench.copy(20_000, "versioned-update"), []
    with bench.start(plain) as without, bench.start(versioned, settings=VERSIONED) as server:
        for version in range(1, bench.rounds + 1):
            rounds.append({
                "plain": updates(bench, without, "plain-update"),
                "versioned": updates(bench, server, "versioned-update", version),
            })  # fmt: skip
        answer = server.ask(body("{ getArticle(id: \"article-0000042\") { _version } }").encode())
        assert json.loads(answer)["data"]["getArticle"]["_version"] == bench.rounds + 1, "an update was a conflict"
    found = [row(name, [samples[name] for samples in rounds]) for name in rounds[0]]
    ratio = ratio_of_rates(rounds, "versioned", "plain")
    return Result("update of the stored version, 64 clients", "≥ 0.8 × a plain update", found, f"{ratio:.2f} ×",
                  ratio >= 0.8)  # fmt: skip
