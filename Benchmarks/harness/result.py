"""What a scenario found, and the one table of them all."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    """One contender of a scenario. `ratios` are medians of the ratios to nginx of the same round."""

    contender: str
    rate: float | None = None
    cpu: float | None = None
    p50: float | None = None
    p99: float | None = None
    memory: float | None = None
    rate_ratio: float | None = None
    cpu_ratio: float | None = None

    @property
    def best_ratio(self):
        return max(ratio for ratio in (self.rate_ratio, self.cpu_ratio, 0) if ratio is not None)


@dataclass
class Result:
    scenario: str
    requirement: str
    rows: list[Row] = field(default_factory=list)
    found: str = ""
    is_reached: bool | None = None
    notes: list[str] = field(default_factory=list)
    # Gigahertz of the server's core before and after: what is told in microseconds depends on them.
    clock: tuple[float, float] | None = None


def middle(values):
    """The median of what was measured; nothing where nothing was."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def rows(rounds, base="nginx"):
    """A row per contender of rounds, each a dictionary of samples by contender."""

    def ratio(name, key, is_inverse):
        pairs = [(getattr(samples[name], key), getattr(samples[base], key)) for samples in rounds]
        return middle(
            (other / own if is_inverse else own / other) if own and other else None for own, other in pairs
        )

    result = []
    for name in rounds[0]:
        keys = ("rate", "cpu", "p50", "p99", "memory")
        row = Row(name, *(middle(getattr(samples[name], key) for samples in rounds) for key in keys))
        if base in rounds[0]:
            row.rate_ratio, row.cpu_ratio = ratio(name, "rate", False), ratio(name, "cpu", True)
        result.append(row)
    return result


HEAD = ["scenario", "contender", "req/s", "CPU µs/req", "p50 µs", "p99 µs", "MiB", "× nginx, req/s", "× nginx, CPU"]
HEAD += ["must reach", "found", "reached", "GHz"]


def number(value, digits=0):
    if value is None:
        return "–"
    return f"{value:,.{digits or (2 if value < 10 else 1 if value < 100 else 0)}f}"


def cells(results):
    for result in results:
        for index, row in enumerate(result.rows or [Row("")]):
            first = index == 0
            clock = "–".join(sorted({f"{value:.1f}" for value in result.clock or ()}))
            verdict = {True: "yes", False: "**no**", None: "–"}[result.is_reached]
            yield [
                result.scenario if first else "",
                row.contender,
                *(number(value) for value in (row.rate, row.cpu, row.p50, row.p99, row.memory)),
                *(number(value, 2) for value in (row.rate_ratio, row.cpu_ratio)),
                *((result.requirement, result.found, verdict, clock) if first else ("", "", "", "")),
            ]


def table(results):
    """Markdown that lines up in a terminal too."""
    lines = [HEAD, *cells(results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]

    def line(values):
        return "| " + " | ".join(value.ljust(width) for value, width in zip(values, widths)) + " |"

    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    notes = [f"- {result.scenario}: {note}" for result in results for note in result.notes]
    return "\n".join([line(HEAD), rule, *map(line, lines[1:]), *([""] + notes if notes else [])])
