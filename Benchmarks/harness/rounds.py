"""Contenders in turn, round by round, and what is true of all their samples."""

from statistics import median

from . import machine
from .load import bodies, wrk
from .servers import Nginx

SMALL, LARGE = 10_000, 1_000_000


def in_turn(bench, contenders):
    """Runs every contender in turn within each round, after a warm-up of each. Rounds of samples by contender."""
    for run in contenders.values():
        run(1)
    return [{name: run(bench.seconds) for name, run in contenders.items()} for _ in range(bench.rounds)]


def pinned(bench, server, kind, items=SMALL, path="/graphql"):
    return lambda seconds: wrk(bench, server, kind, items, seconds, path=path, core=machine.LOAD_CORE)


def nginx_like(bench, server, kinds, items=SMALL, **options):
    """nginx with the bytes that the server answers to the first request of each kind."""
    answers = {kind: server.ask(bodies(kind, items)[0].encode()) for kind in kinds}
    for kind, answer in answers.items():
        assert b'"errors"' not in answer, f"{kind}: {answer[:300]}"
    return Nginx(bench, answers, options.pop("core", machine.SERVER_CORE), **options)


def check(found, rounds):
    """A rate of errors is no rate."""
    errors = {name: sample.errors for samples in rounds for name, sample in samples.items() if sample.errors}
    if errors:
        raise SystemExit(f"Requests failed: {errors}")
    return found


def ratio_of_rates(rounds, above, below):
    return median(samples[above].rate / samples[below].rate for samples in rounds)
