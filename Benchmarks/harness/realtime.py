"""Scenarios of subscriptions: how many messages a second, how soon, at what memory, and beside other requests."""

import base64
import json
import subprocess
from contextlib import contextmanager
from statistics import median

from . import machine
from .load import wrk
from .result import Result, Row
from .rounds import SMALL, in_turn
from .servers import KEY

CARRIER = base64.urlsafe_b64encode(json.dumps({"host": "127.0.0.1", "x-api-key": KEY}).encode()).decode().rstrip("=")
PROTOCOLS = f"graphql-ws, header-{CARRIER}"
EVERY = "subscription { onCreateMessage { id threadId authorId body createdAt } }"
ONE_THREAD = "subscription Of($thread: ID) { onMessageOf(threadId: $thread) { id threadId authorId body createdAt } }"
CREATE = (
    "mutation Create($input: CreateMessageInput!) { createMessage(input: $input) "
    "{ id threadId authorId body createdAt } }"
)
SOCKETS = {"connectionsMax": 20_000, "subscriptionsPerConnectionMax": 100}


class Subscribers:
    """tools/subscribe.c, connected and subscribed; commands go in, results come out."""

    def __init__(self, bench, port, sockets, per_socket=1, query=EVERY, publishers=1, thread="thread-0", bare=False,
                 core=machine.LOAD_CORE):  # fmt: skip
        start, mutation = bench.work / f"start-{port}", bench.work / f"mutation-{port}"
        authorization = {"host": "127.0.0.1", "x-api-key": KEY}
        data = json.dumps({"query": query, "variables": {"thread": "thread-$G"} if "$thread" in query else {}})
        start.write_text(json.dumps({
            "id": "$N", "type": "start", "payload": {"data": data, "extensions": {"authorization": authorization}},
        }))  # fmt: skip
        body = json.dumps({
            "query": CREATE,
            "variables": {"input": {"threadId": thread, "authorId": "user-1", "body": "@T" + "0" * 20}},
        })  # fmt: skip
        mutation.write_text(
            f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nx-api-key: {KEY}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        )
        command = [bench.tool("subscribe"), port, sockets, per_socket, "-" if bare else PROTOCOLS, start, mutation, publishers]
        self.process = subprocess.Popen(
            machine.pinned(core, [str(part) for part in command]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout.readline() == "ready\n", "the subscribers could not subscribe"

    def __call__(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        result = json.loads(self.process.stdout.readline())
        assert not result["errors"], "requests failed"
        return result

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)


@contextmanager
def least_server(bench, length):
    """tools/fanout.c: one `send` per message and socket, from C."""
    command = machine.pinned(machine.SERVER_CORE, [str(bench.tool("fanout")), str(length)])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        process.port = int(process.stdout.readline())
        yield process
    finally:
        process.kill()
        process.wait()


def delivery(server, subscribers, at_once, expected):
    """A run that publishes for so many seconds: messages a second, and server's CPU microseconds by message."""

    def run(seconds):
        before = machine.cpu_seconds(server.pid)
        result = subscribers(f"fanout {at_once} {expected} {seconds}")
        cpu = machine.cpu_seconds(server.pid) - before
        return Row("", result["messages"] / result["seconds"], cpu * 1e6 / max(1, result["messages"]))

    return run


def fan_out(bench):
    """one event to 1,000 and to 5,000 sockets, and eight at once"""
    found, verdicts, texts = [], [], []
    for count in (1000, 5000):
        data = bench.copy(SMALL, "fan-out")
        with bench.start(data, limits=SOCKETS) as server, least_server(bench, 250) as least:
            with (
                Subscribers(bench, server.port, count, publishers=8) as ours,
                Subscribers(bench, least.port, count, bare=True) as theirs,
            ):
                rounds = in_turn(bench, {
                    f"Syncline, {count:,}": delivery(server, ours, 1, count),
                    f"C send loop, {count:,}": delivery(least, theirs, 1, count),
                    f"Syncline, {count:,}, 8 at once": delivery(server, ours, 8, 8 * count),
                })  # fmt: skip
        names = list(rounds[0])
        for name in names:
            row = Row(name, *(median(getattr(samples[name], key) for samples in rounds) for key in ("rate", "cpu")))
            found.append(row)

        def ratio(above, below):
            rates = median(samples[above].rate / samples[below].rate for samples in rounds)
            cpu = median(samples[below].cpu / samples[above].cpu for samples in rounds)
            return max(rates, cpu)

        single, coalesced, gain = ratio(names[0], names[1]), ratio(names[2], names[1]), ratio(names[2], names[0])
        verdicts.append(single >= 0.5 and gain >= 4 and coalesced >= 1.5)
        texts.append(f"{count:,}: {single:.2f} ×; 8 at once {gain:.1f} × that, {coalesced:.1f} × C")
    return Result("fan-out of one event to 1,000 and 5,000 sockets", "≥ 0.5 × C; 8 at once ≥ 4 × and ≥ 1.5 × C", found,
                  "; ".join(texts), all(verdicts),
                  ["req/s are messages/s, CPU is by message; a ratio is the better of the two"])  # fmt: skip


def idle(bench):
    """10,000 idle sockets"""
    count, found = 10_000, []
    for per_socket in (0, 1):
        with bench.start(bench.copy(SMALL, "idle"), limits=SOCKETS) as server:
            before = machine.anonymous_mebibytes(server.pid)
            with Subscribers(bench, server.port, count, per_socket):
                memory = machine.anonymous_mebibytes(server.pid) - before
        found.append(Row(f"{per_socket} subscriptions each", memory=memory))
    each = [row.memory * 1024 / count for row in found]
    return Result("10,000 idle sockets", "≤ 20 KiB each", found,
                  f"{each[0]:.1f} KiB; subscribed {each[1]:.1f} KiB", each[0] <= 20)  # fmt: skip


def latency(bench):
    """publish to receive, 1,000 subscribers and 100 events a second"""
    with bench.start(bench.copy(SMALL, "latency"), limits=SOCKETS) as server:
        with Subscribers(bench, server.port, 1000, publishers=8) as subscribers:
            runs = [subscribers(f"rate 100 1000 {bench.seconds}") for _ in range(bench.rounds)]
    row = Row("Syncline", None, None, median(run["p50"] for run in runs), median(run["p99"] for run in runs))
    return Result("publish to receive, 1,000 subscribers, 100 events/s", "", [row], f"p99 {row.p99 / 1000:.1f} ms", None)


def filters(bench):
    """an event that matches 10 of 50,000 subscriptions with different arguments"""
    many, few = bench.copy(SMALL, "filters"), bench.copy(SMALL, "filters-few")
    with bench.start(many, limits=SOCKETS) as crowded, bench.start(few, limits=SOCKETS) as quiet:
        with (
            Subscribers(bench, crowded.port, 500, 100, ONE_THREAD, thread="thread-7") as all_of_them,
            Subscribers(bench, quiet.port, 10, 10, ONE_THREAD, thread="thread-7") as hundred,
        ):
            rounds = in_turn(bench, {
                "50,000 subscriptions": delivery(crowded, all_of_them, 1, 10),
                "100 subscriptions": delivery(quiet, hundred, 1, 10),
            })  # fmt: skip
    found = [
        Row(name, *(median(getattr(samples[name], key) for samples in rounds) for key in ("rate", "cpu")))
        for name in rounds[0]
    ]
    ratio = median(samples["50,000 subscriptions"].cpu / samples["100 subscriptions"].cpu for samples in rounds)
    return Result("event that matches 10 of 50,000 subscriptions", "by matches: ≤ 2 × the CPU with 100", found,
                  f"{ratio:.2f} ×", ratio <= 2, ["req/s are messages/s, CPU is by message"])  # fmt: skip


def beside(bench):
    """get while an event goes to 1,000 sockets 100 times a second (unpinned)"""
    with bench.start(bench.copy(SMALL, "beside"), core=None, limits=SOCKETS) as server:
        with Subscribers(bench, server.port, 1000, publishers=8, core=None) as subscribers:

            def alone(seconds):
                return wrk(bench, server, "get", SMALL, seconds)

            def together(seconds):
                command = f"rate 100 1000 {seconds + 1}\n"
                subscribers.process.stdin.write(command)
                subscribers.process.stdin.flush()
                sample = wrk(bench, server, "get", SMALL, seconds)
                assert not json.loads(subscribers.process.stdout.readline())["errors"]
                return sample

            rounds = in_turn(bench, {"get, alone": alone, "get, during fan-out": together})
    ratio = median(samples["get, during fan-out"].p99 / samples["get, alone"].p99 for samples in rounds)
    keys = ("rate", "cpu", "p50", "p99")
    found = [Row(name, *(median(getattr(samples[name], key) for samples in rounds) for key in keys)) for name in rounds[0]]
    return Result("get during a fan-out of 100 events/s to 1,000 sockets (unpinned)", "p99 ≤ 3 × its p99 alone", found,
                  f"{ratio:.1f} ×", ratio <= 3)  # fmt: skip
