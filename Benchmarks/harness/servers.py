"""The contenders: Syncline in its configurations, and nginx returning the same bytes."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request

from . import machine

KEY = "da2-fakeApiId123456"
# Debian keeps it where only root's PATH looks.
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"


class Server:
    """A process that answers on a port of this machine; a context manager that ends it."""

    START_SECONDS = 30

    def __init__(self, command, port, core, environment=None, log=None):
        self.port = port
        self.log = open(log, "ab") if log else subprocess.DEVNULL
        self.process = subprocess.Popen(
            machine.pinned(core, command), env=os.environ | (environment or {}), stdout=self.log, stderr=self.log
        )
        self.pid = self.process.pid

    def url(self, path="/graphql"):
        return f"http://127.0.0.1:{self.port}{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, body, path="/graphql"):
        """One request; the bytes of the answer."""
        headers = {"content-type": "application/json", "x-api-key": KEY}
        with urllib.request.urlopen(urllib.request.Request(self.url(path), body, headers), timeout=60) as answer:
            return answer.read()

    def ask_until_ready(self, body, path="/graphql"):
        """The first answer; the server may still be starting."""
        deadline = time.monotonic() + self.START_SECONDS
        while True:
            try:
                return self.ask(body, path)
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"The server ended with {self.process.returncode}; see {self.log.name}.")
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.001)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Syncline(Server):
    """`syncline serve` on a data folder. `limits` and `settings` go into its configuration file; `command` is
    what to run instead of the binary alone, `schema` a file of the benchmarks' folder."""

    def __init__(self, bench, data, core, limits=None, settings=None, preload=None, environment=None, command=None,
                 schema="schema.graphql"):  # fmt: skip
        port = free_port()
        configuration = bench.work / f"syncline-{port}.json"
        configuration.write_text(json.dumps({"limits": {"eventLoopCount": 1} | (limits or {})} | (settings or {})))
        environment = dict(environment or {})
        if preload:
            environment["LD_PRELOAD"] = str(bench.tool(preload))
        command = [
            *(*(command or [str(bench.binary)]), "serve", "--schema", str(bench.folder / schema), "--data", str(data)),
            *("--port", str(port), "--config", str(configuration), "--log-level", "warning"),
        ]
        super().__init__(command, port, core, environment, bench.work / "syncline.log")


class Nginx(Server):
    """nginx, returning prepared bodies: a short one from its configuration, a long one from a file."""

    def __init__(self, bench, bodies, core, workers=1):
        port = free_port()
        folder = bench.work / f"nginx-{port}"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "www").mkdir(parents=True)
        folder.chmod(0o755)
        locations = ""
        for name, body in bodies.items():
            text = body.decode()
            if len(body) <= 2048 and "'" not in text and "$" not in text:
                text = text.replace("\\", "\\\\")
                action = f"return 200 '{text}';"
            else:
                (folder / "www" / name).write_bytes(body)
                # A POST for a file is refused with 405, and the refusal answered with the file.
                action = f"root {folder}/www; error_page 405 =200 $uri;"
            locations += f"location = /{name} {{ default_type application/json; {action} }}\n"
        user = "user root;" if os.getuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"""{user} worker_processes {workers}; daemon off; pid {folder}/pid; error_log {folder}/error.log;
            events {{ worker_connections 1024; }}
            http {{
                access_log off; keepalive_requests 1000000000; client_body_buffer_size 64k;
                client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
                uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
                open_file_cache max=10; sendfile on; tcp_nopush on;
                server {{ listen 127.0.0.1:{port}; {locations} }}
            }}"""
        )
        super().__init__([NGINX, "-c", str(folder / "nginx.conf")], port, core, log=bench.work / "nginx.log")
        self.ask_until_ready(b"{}", "/" + next(iter(bodies)))
