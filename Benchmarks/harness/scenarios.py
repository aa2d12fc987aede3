"""Every scenario by its name, in the order of the report."""

from . import (
    authorization, bodies, console, datastore, events, instructions, life, reads, realtime, sign_in, steps, storage,
    together, writes,
)  # fmt: skip

ALL = {
    "get": reads.get,
    "get-1m": reads.get_large,
    "two-loops": reads.two_loops,
    "list": reads.list_100,
    "nested": reads.nested,
    "filter": reads.filtered,
    "create": writes.create,
    "slow-disk": writes.slow_disk,
    "mixed": together.mixed,
    "scan": together.scanned,
    "new-document": reads.new_document,
    "cold-start": life.cold_start,
    "memory": life.memory,
    "fan-out": realtime.fan_out,
    "idle-sockets": realtime.idle,
    "latency": realtime.latency,
    "filters": realtime.filters,
    "get-fan-out": realtime.beside,
    "base-sync": datastore.base,
    "delta-sync": datastore.delta,
    "versioned-update": datastore.update,
    "sign-in": sign_in.sign_in,
    "authorization": authorization.authorization,
    "events": events.events,
    "bodies": bodies.bodies,
    "storage": storage.storage,
    "storage-memory": storage.storage_memory,
    "steps": steps.steps,
    "console": console.console,
    "instructions": instructions.instructions,
}
