"""docs/performance.md: what was measured, where and when. Written by the run alone, but for the part by hand."""

import itertools

from . import machine
from .instructions import TITLES
from .result import table

BY_HAND = "<!-- By hand from here: what was tried, and what the profile shows. -->"

INSTRUCTIONS_HEAD = "| date | commit | " + " | ".join(TITLES.values()) + " |"
INSTRUCTIONS_RULE = "| --- | --- " + "| ---: " * len(TITLES) + "|"

HEAD = """# Performance

`make bench` measures all of this anew on your machine; `make bench SCENARIO=get` one scenario. The server runs on one
core and the load (`wrk`, 64 connections, keep-alive) on the other; every contender runs in turn within each round;
ratios are medians of the rounds' ratios to nginx returning the same bytes in the same round. CPU is user and system
time of the server's process, by request. A ratio of CPU is nginx's over ours, so that more is better everywhere. GHz is
the clock of the server's core, measured before and after a scenario: microseconds go with it, ratios do not.
"""


def write_instructions(bench):
    """Adds a row to the table of instructions, which has one for each commit that was counted."""
    path = bench.root / "docs/performance.md"
    text = path.read_text()
    head, rule = INSTRUCTIONS_HEAD, INSTRUCTIONS_RULE
    assert f"{head}\n{rule}\n" in text, "docs/performance.md has no table of instructions"
    description = machine.description(bench.root)
    cells = [description["date"], description["commit"], *(f"{count:,}" for count in bench.instructions.values())]
    before, after = text.split(f"{head}\n{rule}\n")
    rows = list(itertools.takewhile(lambda line: line.startswith("|"), after.splitlines()))
    rest = after[sum(len(line) + 1 for line in rows) :]
    rows = [line for line in rows if f"| {description['commit']} |" not in line]
    rows.append("| " + " | ".join(cells) + " |")
    path.write_text(f"{before}{head}\n{rule}\n" + "\n".join(rows) + "\n" + rest)


def write(bench, results):
    path = bench.root / "docs/performance.md"
    by_hand = path.read_text().partition(BY_HAND)[2] if path.exists() else "\n"
    machine_lines = "\n".join(f"| {name} | {value} |" for name, value in machine.description(bench.root).items())
    path.write_text(
        f"{HEAD}\n| | |\n| --- | --- |\n{machine_lines}\n"
        f"| rounds | {bench.rounds} of {bench.seconds} s |\n\n{table(results)}\n\n{BY_HAND}{by_hand}"
    )
