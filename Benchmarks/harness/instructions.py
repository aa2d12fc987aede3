"""Instructions per request in user space, counted by callgrind: they repeat, whatever else the machine does."""

import re
import subprocess

from . import machine
from .load import client
from .realtime import SOCKETS, Subscribers
from .result import Result
from .rounds import SMALL
from .servers import Syncline

FIRST = b'{"query":"{ __typename }"}'
SUBSCRIBERS = 100
# Requests that are counted, after twice as many that warm up.
KINDS = {"get": 1000, "list": 300, "thread": 300, "create": 1000}
TITLES = {
    "get": "get", "list": "list of 100", "thread": "nested thread", "create": "create",
    "event": f"create, and its event to {SUBSCRIBERS} sockets",
}  # fmt: skip


class Counted(Syncline):
    """The server under callgrind. Without its symbols: valgrind 3.19 cannot read Swift's debug information."""

    START_SECONDS = 180

    def __init__(self, bench, data, settings=None, schema="schema.graphql"):
        stripped = bench.work / "syncline-stripped"
        subprocess.run(["strip", "-o", str(stripped), str(bench.binary)], check=True)
        self.output = bench.new_folder("callgrind")
        self.output.mkdir()
        self.dumps = 0
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.output}/out", str(stripped)]
        # Tables of hashes are laid out alike in each run.
        environment = {"SWIFT_DETERMINISTIC_HASHING": "1"}
        # Under callgrind a page takes longer than a loop gives to a read; workers keep no rows. Subscribers answer no pings.
        limits = SOCKETS | {"readMillisecondsMax": 3_600_000, "webSocketPingSeconds": 86_400}
        super().__init__(bench, data, machine.SERVER_CORE, limits, settings, "keep_main", environment, command, schema)
        self.ask_until_ready(FIRST)

    def __exit__(self, *_):
        # It would write the whole profile.
        self.process.kill()
        self.process.wait()

    def control(self, command):
        subprocess.run(["callgrind_control", command, str(self.pid)], check=True, capture_output=True)

    def count(self, work):
        """The instructions that the server runs while `work` is done, and what `work` returns."""
        self.control("-z")
        result = work()
        self.control("-d")
        self.dumps += 1
        totals = re.findall(r"^(?:totals|summary): (\d+)", (self.output / f"out.{self.dumps}").read_text(), re.MULTILINE)
        return int(totals[-1]), result


def measure(bench):
    """Instructions by operation, one request after the other on one connection."""
    found = {}
    with Counted(bench, bench.copy(SMALL, "instructions")) as server:
        for kind, number in KINDS.items():

            def ask():
                result = client(bench, server, {kind: 1}, f"requests:{number}", SMALL, connections=1)
                assert not result[kind]["errors"], f"{kind} failed"

            # The second time the server has met every body, and keeps what it keeps of them.
            for _ in range(2):
                ask()
            found[kind] = server.count(ask)[0] // number
        with Subscribers(bench, server.port, SUBSCRIBERS) as subscribers:

            def publish():
                return subscribers(f"fanout 1 {SUBSCRIBERS} 10")["messages"] // SUBSCRIBERS

            publish()
            total, events = server.count(publish)
            found["event"] = total // max(1, events)
    return found


def instructions(bench):
    """instructions per request, by callgrind"""
    bench.instructions = measure(bench)
    found = ", ".join(f"{TITLES[name]} {count:,}" for name, count in bench.instructions.items())
    return Result("instructions per request", "", found=found)
