"""What an open console costs the requests of clients: the live channel and the record of requests, in instructions."""

import base64
import json
import os
import socket
import threading

from .instructions import Counted
from .load import client
from .result import Result
from .rounds import SMALL

REQUESTS = 1000
FOLLOWED_MAX = 1.03


class Follower:
    """A WebSocket of the live channel, which follows topics and reads what comes."""

    def __init__(self, port, token, topics):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /operators/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Protocol: syncline.live.v1\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
        )
        head = self.socket.recv(4096)
        assert b" 101 " in head, head
        self.send({"follow": topics})
        answer = self.socket.recv(4096)
        assert b'"following"' in answer, answer
        self.socket.settimeout(None)
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, message):
        # Masked with zeros, so that the text stays as it is.
        text = json.dumps(message).encode()
        assert len(text) < 126, text
        self.socket.sendall(bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text)

    def read(self):
        try:
            while self.socket.recv(65536):
                pass
        except OSError:
            pass

    def close(self):
        self.socket.close()


def console(bench):
    """instructions of a get while a console follows requests and changes, × those of one without"""
    data = bench.copy(SMALL, "console")
    with Counted(bench, data, {"console": {"enabled": True}}) as server:

        def ask():
            result = client(bench, server, {"get": 1}, f"requests:{REQUESTS}", SMALL, connections=1)
            assert not result["get"]["errors"], "a get failed"

        for _ in range(2):
            ask()
        off = server.count(ask)[0] // REQUESTS
        token = ask_operators(data, "POST", "operators", {"name": "bench", "role": "owner"})["token"]
        follower = Follower(server.port, token, ["requests", "changes:Article"])
        ask()
        on = server.count(ask)[0] // REQUESTS
        kept = ask_operators(data, "GET", "requests?limit=1")["kept"]["requests"]
        assert kept >= REQUESTS, f"{kept} requests were recorded"
        follower.close()
    ratio = on / off
    return Result(
        console.__doc__, f"≤ {FOLLOWED_MAX} ×", found=f"{off:,} without, {on:,} with one: {ratio:.3f} ×",
        is_reached=ratio <= FOLLOWED_MAX,
    )  # fmt: skip


def ask_operators(data, method, path, body=None):
    """The answer of the operators' API over its socket."""
    text = json.dumps(body or {})
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(120)
        connection.connect(str(data / "operators.sock"))
        connection.sendall(
            f"{method} /operators/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Length: {len(text)}\r\n\r\n{text}".encode()
        )
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])
