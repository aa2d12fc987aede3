"""1 GiB up and down: client body to file, file to client, beside nginx doing the same with the same client."""

import os
import shutil
import subprocess
import threading
import time

from . import machine
from .result import Result
from .servers import NGINX, Server, free_port

MEBIBYTES = 1024
MEMORY_MAX = 8


class FileServer(Server):
    """`Bodies`, over one file."""

    def __init__(self, bench, folder):
        port = free_port()
        super().__init__([str(bench.bodies), str(port), str(folder / "file")], port, machine.SERVER_CORE)


class NginxFiles(Server):
    """nginx over a folder, which takes files by WebDAV's PUT."""

    def __init__(self, bench, folder):
        port = free_port()
        folder.chmod(0o777)
        user = "user root;" if os.getuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"""{user} worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log;
            events {{ }}
            http {{
                access_log off; client_max_body_size 4g; client_body_temp_path {folder}/body;
                proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
                uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; sendfile on;
                server {{ listen 127.0.0.1:{port}; root {folder}; dav_methods PUT; }}
            }}"""
        )
        super().__init__([NGINX, "-c", str(folder / "nginx.conf")], port, machine.SERVER_CORE, log=bench.work / "nginx.log")


class Memory(threading.Thread):
    """The most that a process and its children keep while `with` lasts, more than before, in MiB."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.before, self.most, self.ends = pid, machine.anonymous_mebibytes(pid), 0, threading.Event()

    def run(self):
        while not self.ends.wait(0.005):
            self.most = max(self.most, machine.anonymous_mebibytes(self.pid) - self.before)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()


def transfer(server, *arguments):
    """Seconds that curl takes, and the server's memory meanwhile."""
    command = ["curl", "-sS", "--fail", "-o", "/dev/null", *arguments, server.url("/file")]
    with Memory(server.pid) as memory:
        start = time.monotonic()
        subprocess.run(machine.pinned(machine.LOAD_CORE, command), check=True)
        return time.monotonic() - start, memory.most


def bodies(bench):
    """1 GiB up and down through a file, beside nginx"""
    source = bench.new_folder("bodies-source")
    source.mkdir()
    with open(source / "file", "wb") as file:
        for _ in range(MEBIBYTES):
            file.write(os.urandom(1 << 20))
    folders = {name: bench.new_folder(f"bodies-{name}") for name in ("syncline", "nginx")}
    for folder in folders.values():
        folder.mkdir()
    ratios, most, found = {"up": [], "down": []}, 0, []
    with FileServer(bench, folders["syncline"]) as own, NginxFiles(bench, folders["nginx"]) as other:
        deadline = time.monotonic() + 30
        for server in own, other:
            while not is_up(server):
                assert time.monotonic() < deadline, "the server does not start"
                time.sleep(0.05)
        for _ in range(bench.rounds):
            for way, arguments in ("up", ["-T", str(source / "file")]), ("down", []):
                seconds, memory = transfer(own, *arguments)
                nginx_seconds, _ = transfer(other, *arguments)
                ratios[way].append(nginx_seconds / seconds)
                most = max(most, memory)
                found.append(f"{way}: {MEBIBYTES / seconds:,.0f} MiB/s, nginx {MEBIBYTES / nginx_seconds:,.0f}")
        assert (folders["syncline"] / "file").read_bytes() == (source / "file").read_bytes(), "another file"
    for folder in (source, *folders.values()):
        shutil.rmtree(folder)
    up, down = (sorted(ratios[way])[len(ratios[way]) // 2] for way in ("up", "down"))
    return Result(
        "1 GiB body to file, file to client", f"≥ 0.5 × nginx, ≤ {MEMORY_MAX} MiB",
        found=f"up {up:.2f} ×, down {down:.2f} × nginx; {most:.1f} MiB", notes=found,
        is_reached=min(up, down) >= 0.5 and most <= MEMORY_MAX,
    )  # fmt: skip


def is_up(server):
    """Whether the server answers at all."""
    try:
        return subprocess.run(["curl", "-s", "-o", "/dev/null", server.url("/none")]).returncode == 0
    except OSError:
        return False
