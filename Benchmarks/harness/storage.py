"""Buckets: downloads beside nginx with the same files, unsigned and presigned; the CPU of an upload; memory of 1 GiB."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
import zlib
from datetime import datetime, timezone
from urllib.parse import quote

from . import machine
from .bodies import Memory, NginxFiles, is_up
from .load import Sample
from .result import Result, middle, rows

BUCKET, KEY, SECRET = "media", "AKIABENCHMARK", "benchmark-secret-of-the-key"
SETTINGS = {
    "storage": {"name": BUCKET, "anonymousRead": ["public/"]},
    "accessKeys": [{"id": KEY, "secret": SECRET}],
}
SMALL_COUNT, SMALL_BYTES = 10_000, 4 << 10
LARGE_COUNT, LARGE_BYTES = 4, 64 << 20
URL_COUNT = 10_000
PUTS = 8
GIBIBYTE, PART_BYTES, BLOCK_BYTES = 1 << 30, 64 << 20, 256 << 10
MEMORY_MAX = 16


# Signatures


def signature(date, scope, canonical):
    """Signature Version 4 of a canonical request."""
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{SECRET}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def moment():
    date = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return date, f"{date[:8]}/us-east-1/s3/aws4_request"


def presigned(server, path, expires):
    """The path and query of a URL for a GET."""
    date, scope = moment()
    query = "&".join([
        "X-Amz-Algorithm=AWS4-HMAC-SHA256", f"X-Amz-Credential={quote(f'{KEY}/{scope}', safe='')}", f"X-Amz-Date={date}",
        f"X-Amz-Expires={expires}", "X-Amz-SignedHeaders=host",
    ])  # fmt: skip
    canonical = f"GET\n{path}\n{query}\nhost:127.0.0.1:{server.port}\n\nhost\nUNSIGNED-PAYLOAD"
    return f"{path}?{query}&X-Amz-Signature={signature(date, scope, canonical)}"


def signed(server, method, path, query="", content_hash="UNSIGNED-PAYLOAD", headers=None):
    """The headers of a request; those of `headers` that must be signed are."""
    date, scope = moment()
    own = {"x-amz-content-sha256": content_hash, "x-amz-date": date}
    lines = own | {"host": f"127.0.0.1:{server.port}"}
    lines |= {name: value for name, value in (headers or {}).items() if name.startswith("x-amz-")}
    names = ";".join(sorted(lines))
    fields = "".join(f"{name}:{lines[name]}\n" for name in sorted(lines))
    canonical = f"{method}\n{path}\n{query}\n{fields}\n{names}\n{content_hash}"
    value = f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={names}, Signature="
    return own | {"Authorization": value + signature(date, scope, canonical)}


class Client:
    """A connection of an operator."""

    def __init__(self, server):
        self.server, self.connection = server, http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)

    def ask(self, method, path, body=b"", query="", headers=None, content_hash="UNSIGNED-PAYLOAD"):
        headers = signed(self.server, method, path, query, content_hash, headers) | (headers or {})
        target = f"{path}?{query}" if query else path
        self.connection.request(method, target, body, headers, encode_chunked="Transfer-Encoding" in headers)
        response = self.connection.getresponse()
        answer = response.read()
        assert response.status < 300, (response.status, answer)
        return response, answer

    def put(self, path, source, byte_count, kind="plain", query=""):
        """Uploads what `source` yields, block by block, with a checksum of a kind."""
        headers = {"Content-Length": str(byte_count)}
        content_hash = "UNSIGNED-PAYLOAD"
        match kind:
            case "chunked":
                content_hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
                headers = {
                    "Content-Encoding": "aws-chunked", "x-amz-decoded-content-length": str(byte_count),
                    "x-amz-trailer": "x-amz-checksum-crc32", "Transfer-Encoding": "chunked",
                }  # fmt: skip
                source = chunks(source)
            case str() if kind.startswith("sha256:"):
                content_hash = kind.removeprefix("sha256:")
            case str() if kind.startswith("crc32:"):
                headers["x-amz-checksum-crc32"] = kind.removeprefix("crc32:")
        return self.ask("PUT", path, source, query, headers, content_hash)


def chunks(source):
    """aws-chunked with a trailer; http.client adds HTTP's own chunks around it."""
    crc = 0
    for block in source:
        crc = zlib.crc32(block, crc)
        yield b"%x\r\n%b\r\n" % (len(block), block)
    yield b"0\r\nx-amz-checksum-crc32:%b\r\n\r\n" % base64.b64encode(crc.to_bytes(4))


def blocks(byte_count):
    """Bytes that differ, made as they are sent."""
    block = bytearray(os.urandom(BLOCK_BYTES))
    for number in range(byte_count // BLOCK_BYTES):
        block[:8] = number.to_bytes(8)
        yield bytes(block)


def blocks_of(path):
    with open(path, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            yield block


# Downloads


def files(bench):
    """The files that both serve; the same ones in every run."""
    folder = bench.work / "storage-files"
    if not (folder / "filled").exists():
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("small", "large"):
            (folder / BUCKET / "public" / name).mkdir(parents=True)
        for number in range(SMALL_COUNT):
            (folder / BUCKET / "public/small" / f"{number:05}").write_bytes(os.urandom(SMALL_BYTES))
        for number in range(LARGE_COUNT):
            (folder / BUCKET / "public/large" / f"{number:05}").write_bytes(os.urandom(LARGE_BYTES))
        (folder / "filled").touch()
    return folder


def upload(server, folder):
    """Puts all files into the bucket, on eight connections."""
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.name.isdigit())
    failures = []

    def work(mine):
        try:
            client = Client(server)
            for path in mine:
                client.ask("PUT", f"/{path}", (folder / path).read_bytes())
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(paths[index::8],)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    return paths


def wrk(bench, server, name, paths, connections):
    """wrk over paths, with the server's own CPU time around it."""
    file = bench.work / f"{name}.paths"
    file.write_text("\n".join(paths) + "\n")

    def run(seconds):
        before = machine.cpu_seconds(server.pid)
        process = subprocess.run(
            machine.pinned(machine.LOAD_CORE, [
                *("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s"),
                *("-s", str(bench.folder / "tools/paths.lua"), server.url("/"), "--", str(file)),
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

    return run


def downloads(bench, server, folder, kind, connections):
    """Rounds of nginx, unsigned and presigned GETs of one size."""
    names = [f"/{path.relative_to(folder)}" for path in sorted((folder / BUCKET / "public" / kind).iterdir())]
    urls = [presigned(server, names[number % len(names)], 86_400 - number) for number in range(URL_COUNT)]
    with NginxFiles(bench, folder) as nginx:
        while not is_up(nginx):
            time.sleep(0.05)
        contenders = {
            "nginx": wrk(bench, nginx, f"nginx-{kind}", names, connections),
            "unsigned": wrk(bench, server, f"unsigned-{kind}", names, connections),
            "presigned": wrk(bench, server, f"presigned-{kind}", urls, connections),
        }
        for run in contenders.values():
            run(1)
        rounds = [{name: run(bench.seconds) for name, run in contenders.items()} for _ in range(bench.rounds)]
    errors = {name: sample.errors for samples in rounds for name, sample in samples.items() if sample.errors}
    assert not errors, errors
    found = rows(rounds)
    for row in found:
        row.contender = f"{row.contender}, {kind}"
    return found


# Uploads


def child_cpu(command):
    """CPU seconds of a command on the server's core."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(machine.pinned(machine.SERVER_CORE, command), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def uploads(bench, server, folder):
    """CPU of a PUT of 64 MiB, and of its parts by other programs, in milliseconds; by the kind of checksum."""
    source = next((folder / BUCKET / "public/large").iterdir())
    content = source.read_bytes()
    crc = base64.b64encode(zlib.crc32(content).to_bytes(4)).decode()
    target = bench.work / "storage-copy"
    crc_script = "import sys, zlib, mmap; f = open(sys.argv[1], 'rb'); zlib.crc32(mmap.mmap(f.fileno(), 0, prot=1))"
    empty_script = "import sys, zlib, mmap"
    kinds = {
        "no checksum": ("plain", None),
        "SHA-256": (f"sha256:{hashlib.sha256(content).hexdigest()}", ["sha256sum", str(source)]),
        "CRC32": (f"crc32:{crc}", "crc32"),
        "aws-chunked, CRC32": ("chunked", "crc32"),
    }
    found = {}
    client = Client(server)
    for name, (kind, checksum) in kinds.items():
        own, parts = [], []
        for _ in range(PUTS):
            target.unlink(missing_ok=True)
            copy = child_cpu(["cp", str(source), str(target)]) + child_cpu(["sync", str(target)])
            md5 = child_cpu(["md5sum", str(source)])
            if checksum == "crc32":
                extra = child_cpu([sys.executable, "-c", crc_script, str(source)])
                extra -= child_cpu([sys.executable, "-c", empty_script])
            else:
                extra = child_cpu(checksum) if checksum else 0
            parts.append((copy, md5, extra))
            before = machine.cpu_seconds(server.pid)
            client.put(f"/{BUCKET}/public/put", blocks_of(source), len(content), kind)
            own.append(machine.cpu_seconds(server.pid) - before)
        target.unlink(missing_ok=True)
        copy, md5, extra = (1000 * middle([part[index] for part in parts]) for index in range(3))
        found[name] = (1000 * sum(own) / len(own), copy, md5, extra)
    return found


def storage(bench):
    """GETs of 4 KiB and 64 MiB beside nginx, and the CPU of a PUT of 64 MiB"""
    folder = files(bench)
    with bench.start(bench.new_folder("storage-data"), settings=SETTINGS) as server:
        upload(server, folder)
        small = downloads(bench, server, folder, "small", 64)
        large = downloads(bench, server, folder, "large", 4)
        puts = uploads(bench, server, folder)
    notes, is_reached, ratios = [], True, {}
    for bound, found in ((0.5, small), (0.9, large)):
        for row in found[1:]:
            ratios[row.contender] = row.rate_ratio
            is_reached &= row.rate_ratio >= bound
    worst = 0
    for name, (own, copy, md5, extra) in puts.items():
        ratio = own / (copy + md5 + extra)
        worst = max(worst, ratio)
        notes.append(
            f"PUT of 64 MiB, {name}: {own:.0f} ms of CPU, {ratio:.2f} × (cp + fsync {copy:.0f} ms, md5sum {md5:.0f} ms, "
            f"checksum {extra:.0f} ms)"
        )
    return Result(
        "GET of 4 KiB and 64 MiB, PUT of 64 MiB", "≥ 0.5 and 0.9 × nginx by req/s; PUT ≤ 1.3 × cp + MD5 + checksum",
        small + large, ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) + f"; PUT {worst:.2f}",
        is_reached and worst <= 1.3, notes,
    )  # fmt: skip


# Memory


def download(server, path, byte_count):
    """Reads an object and drops it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    connection.request("GET", path)
    response = connection.getresponse()
    assert response.status == 200, response.status
    buffer, count = bytearray(BLOCK_BYTES), 0
    while size := response.readinto(buffer):
        count += size
    assert count == byte_count, count


def storage_memory(bench):
    """1 GiB up and down through a bucket: plain, aws-chunked with a trailer, multipart; download by sendfile"""
    path, most, notes = f"/{BUCKET}/public/gibibyte", 0, []
    data = bench.new_folder("storage-memory")
    with bench.start(data, settings=SETTINGS) as server:
        # The first requests start threads and fill caches.
        Client(server).put(path, blocks(8 << 20), 8 << 20)
        download(server, path, 8 << 20)

        def multipart():
            client = Client(server)
            _, answer = client.ask("POST", path, query="uploads=")
            upload_id = answer.decode().partition("<UploadId>")[2].partition("</UploadId>")[0]
            parts = ""
            for number in range(1, GIBIBYTE // PART_BYTES + 1):
                query = f"partNumber={number}&uploadId={upload_id}"
                response, _ = client.put(path, blocks(PART_BYTES), PART_BYTES, query=query)
                parts += f"<Part><PartNumber>{number}</PartNumber><ETag>{response.headers['ETag']}</ETag></Part>"
            body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
            client.ask("POST", path, body, f"uploadId={upload_id}")

        ways = {
            "plain": lambda: Client(server).put(path, blocks(GIBIBYTE), GIBIBYTE),
            "aws-chunked with a trailer": lambda: Client(server).put(path, blocks(GIBIBYTE), GIBIBYTE, "chunked"),
            f"multipart, parts of {PART_BYTES >> 20} MiB": multipart,
            "download": lambda: download(server, path, GIBIBYTE),
        }
        for name, way in ways.items():
            with Memory(server.pid) as memory:
                start = time.monotonic()
                way()
                seconds = time.monotonic() - start
            most = max(most, memory.most)
            notes.append(f"{name}: {GIBIBYTE / seconds / 2**20:,.0f} MiB/s, {memory.most:.1f} MiB more than before")
    shutil.rmtree(data)
    return Result(
        "1 GiB up and down through a bucket", f"≤ {MEMORY_MAX} MiB", found=f"{most:.1f} MiB", notes=notes,
        is_reached=most <= MEMORY_MAX,
    )  # fmt: skip
