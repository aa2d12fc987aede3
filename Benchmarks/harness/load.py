"""Load: the requests of each kind, and running wrk or our own client with them."""

import json
import subprocess
from dataclasses import dataclass

from . import machine
from .servers import KEY

CONNECTIONS = 64
EIGHT = "id owner status topic rank title body createdAt"
GET = "query Get($id: ID!) { getArticle(id: $id) { " + EIGHT + " } }"
LIST = (
    "query List($owner: ID!, $limit: Int) { articlesByOwner(owner: $owner, limit: $limit) { items { "
    + EIGHT
    + " } nextToken } }"
)
THREAD = (
    "query Thread($id: ID!) { getThread(id: $id) { id name messages(limit: 20) { items { id body createdAt "
    "author { id username } } } } }"
)
FILTER = (
    "query Rare($topic: ID!) { articlesByTopic(topic: $topic, limit: 1000, filter: { status: { eq: \"rare\" } }) "
    "{ items { " + EIGHT + " } nextToken } }"
)
CREATE = "mutation Create($input: CreateArticleInput!) { createArticle(input: $input) { " + EIGHT + " } }"
SCAN = (
    "query Scan { listArticles(limit: 1000000, filter: { title: { contains: \"no such words\" } }) "
    "{ items { id } nextToken } }"
)


def body(query, **variables):
    return json.dumps({"query": query, "variables": variables})


def bodies(kind, items):
    """The request bodies of a kind, over a store of so many items."""
    owners, topics = items // 100, max(1, items // 1000)
    stride = max(1, items // 20_000)
    match kind:
        case "get":
            # As shuffled as random ids are: neighbours in time are no neighbours in the index.
            return [body(GET, id=f"article-{n * 7919 % items:07}") for n in range(0, items, stride)]
        case "get-new":
            return [body(GET + " # COUNTER", id="article-0000042")]
        case "list":
            return [body(LIST, owner=f"owner-{n * 7 % owners:05}", limit=100) for n in range(min(owners, 1000))]
        case "list-40":
            return [body(LIST, owner=f"owner-{n * 7 % owners:05}", limit=40) for n in range(min(owners, 1000))]
        case "thread":
            return [body(THREAD, id=f"thread-{n:02}") for n in range(100)]
        case "filter":
            return [body(FILTER, topic=f"topic-{n % topics:04}") for n in range(topics)]
        case "create":
            return [
                body(
                    CREATE,
                    input={
                        "owner": f"owner-{n * 31 % owners:05}",
                        "status": "draft",
                        "topic": f"topic-{n * 17 % topics + 9000:04}",
                        "rank": n,
                        "title": f"The title of article {n}",
                        "body": f"Some words that stand for the body of article {n}.",
                    },
                )
                for n in range(1000)
            ]
        case "scan":
            return [body(SCAN)]


@dataclass
class Sample:
    """What one run of one contender gave."""

    requests: int
    seconds: float
    errors: int
    p50: float  # microseconds
    p99: float
    cpu: float | None = None  # microseconds per request, of the server
    memory: float | None = None  # mebibytes

    @property
    def rate(self):
        return self.requests / self.seconds


def file_of_bodies(bench, kind, items):
    path = bench.work / f"{kind}-{items}.bodies"
    if not path.exists():
        path.write_text("\n".join(bodies(kind, items)) + "\n")
    return path


def file_of_requests(bench, kind, items):
    """The same as whole HTTP requests, for our own client."""
    path = bench.work / f"{kind}-{items}.requests"
    if not path.exists():
        with path.open("wb") as file:
            for text in bodies(kind, items):
                request = (
                    f"POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    f"x-api-key: {KEY}\r\nContent-Length: {len(text)}\r\n\r\n{text}"
                ).encode()
                file.write(b"%d\n%s" % (len(request), request))
    return path


def wrk(bench, server, kind, items, seconds, *, path="/graphql", core=None, threads=1, connections=CONNECTIONS):
    """wrk against a server, with the server's own CPU time around it."""
    before = machine.cpu_seconds(server.pid)
    process = subprocess.run(
        machine.pinned(core, [
            *("wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s"),
            *("-s", str(bench.folder / "tools/load.lua"), server.url(path), "--"),
            str(file_of_bodies(bench, kind, items)),
        ]),
        capture_output=True, text=True,
    )  # fmt: skip
    if process.returncode != 0:
        raise SystemExit(process.stdout + process.stderr)
    result = json.loads(process.stdout.splitlines()[-1])
    cpu = machine.cpu_seconds(server.pid) - before
    return Sample(
        result["requests"], result["seconds"], result["errors"] + result["timeouts"], result["p50"], result["p99"],
        cpu * 1e6 / max(1, result["requests"]), machine.anonymous_mebibytes(server.pid),
    )  # fmt: skip


def client(bench, server, mixture, amount, items, *, core=None, connections=CONNECTIONS):
    """Our own client: `mixture` is weights by kind, `amount` is `seconds:N` or `requests:N`. Results by kind."""
    files = [f"{weight}:{file_of_requests(bench, kind, items)}" for kind, weight in mixture.items()]
    command = [str(bench.tool("load")), str(server.port), str(connections), amount, *files]
    output = subprocess.run(machine.pinned(core, command), capture_output=True, text=True)
    if output.returncode != 0:
        raise SystemExit(output.stderr)
    return dict(zip(mixture, map(json.loads, output.stdout.splitlines())))
