"""Scenarios of unlike requests at one time: does one kind make another wait?"""

import json
import subprocess
import time
from statistics import median

from . import machine
from .load import bodies, client, file_of_requests, wrk
from .result import Result, Row, rows
from .rounds import LARGE, SMALL, check, in_turn


def mixed(bench):
    """90 % get, 9 % list, 1 % create, against each alone"""
    mixture = {"get": 90, "list": 9, "create": 1}
    with bench.start(bench.copy(SMALL, "mixed")) as server:

        def run(kinds):
            def run(seconds):
                bench.wait_for_quiet_disk()
                return client(bench, server, kinds, f"seconds:{seconds}", SMALL, core=machine.LOAD_CORE)

            return run

        # A store grows by its creates; the lists and gets stay on the items that were there.
        rounds = in_turn(bench, {**{kind: run({kind: 1}) for kind in mixture}, "mixed": run(mixture)})
    found, worst = [], []
    for kind in mixture:
        alone = [samples[kind][kind] for samples in rounds]
        together = [samples["mixed"][kind] for samples in rounds]
        assert not any(result["errors"] for result in alone + together), "requests failed"
        for name, results in ((f"{kind}, alone", alone), (f"{kind}, mixed", together)):
            found.append(Row(
                name, median(result["requests"] for result in results) / bench.seconds, None,
                median(result["p50"] for result in results), median(result["p99"] for result in results),
            ))  # fmt: skip
        worst.append((median(b["p99"] / a["p99"] for a, b in zip(alone, together)), kind))
    text = ", ".join(f"{kind} {ratio:.1f} ×" for ratio, kind in worst)
    return Result("mixed 90 % get, 9 % list, 1 % create", "each p99 ≤ 5 × its own alone", found, text,
                  max(worst)[0] <= 5)  # fmt: skip


def scanned(bench):
    """get while another client scans 1,000,000 rows (unpinned)"""
    with bench.start(bench.store(LARGE), core=None, limits={"pageItemsMax": LARGE}) as server:
        scan_body = bodies("scan", LARGE)[0].encode()
        scans = []

        def alone(seconds):
            return wrk(bench, server, "get", LARGE, seconds)

        def scanning(seconds):
            command = [*map(str, (bench.tool("load"), server.port, 1, f"seconds:{seconds + 1}"))]
            other = subprocess.Popen([*command, f"1:{file_of_requests(bench, 'scan', LARGE)}"], stdout=subprocess.PIPE)
            time.sleep(0.3)
            sample = wrk(bench, server, "get", LARGE, seconds)
            scans.append(json.loads(other.communicate()[0]))
            return sample

        answer = server.ask(scan_body)
        assert b'"items":[]' in answer and b'"errors"' not in answer, answer[:300]
        rounds = in_turn(bench, {"get, alone": alone, "get, while scanning": scanning})
    found = check(rows(rounds), rounds)
    ratio = median(samples["get, while scanning"].p99 / samples["get, alone"].p99 for samples in rounds)
    scan = median(scan["p50"] for scan in scans) / 1000
    return Result("get while another client scans 1,000,000 rows (unpinned)", "p99 ≤ 3 × its p99 alone", found,
                  f"{ratio:.1f} ×", ratio <= 3, [f"a scan took {scan:,.0f} ms"])  # fmt: skip
