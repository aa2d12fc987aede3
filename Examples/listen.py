#!/usr/bin/env python3
"""Subscribes as an AppSync client does, and prints the frames: `>` what is sent, `<` what comes.

    Examples/listen.py 'subscription { onCreateMessage { id body } }' [VARIABLES]

Ends after EVENTS (0, for ever) events. SYNCLINE_URL is the endpoint, SYNCLINE_API_KEY the API key; with SYNCLINE_TOKEN it
subscribes by that token of a user instead. With READY, a file, it says when the subscription is acknowledged. Python's
own library only: a WebSocket client is this little.
"""

import base64
import json
import os
import socket
import sys
from urllib.parse import urlparse

url = urlparse(os.environ.get("SYNCLINE_URL", "http://127.0.0.1:20002/graphql"))
key = os.environ.get("SYNCLINE_API_KEY", "da2-fakeApiId123456")
events_wanted = int(os.environ.get("EVENTS", 0))
query, variables = sys.argv[1], json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}")

# AppSync's authorization header object: as a subprotocol at the upgrade, and once more with each subscription.
token = os.environ.get("SYNCLINE_TOKEN")
authorization = {"host": url.netloc} | ({"Authorization": token} if token else {"x-api-key": key})
carrier = base64.urlsafe_b64encode(json.dumps(authorization).encode()).decode().rstrip("=")

connection = socket.create_connection((url.hostname, url.port or 80))
incoming = connection.makefile("rb")
connection.sendall(
    f"GET {url.path}/realtime HTTP/1.1\r\nHost: {url.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
    f"Sec-WebSocket-Protocol: graphql-ws, header-{carrier}\r\n\r\n".encode()
)
status = incoming.readline().decode().strip()
if " 101 " not in status:
    sys.exit(f"No upgrade: {status}")
while incoming.readline().strip():
    pass


def frame(opcode, payload):
    """RFC 6455 §5.2; a client masks what it sends."""
    mask, length = os.urandom(4), len(payload)
    head = bytes([0x80 | opcode]) + (bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2, "big"))
    connection.sendall(head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload)))


def send(message):
    print(">", json.dumps(message), flush=True)
    frame(1, json.dumps(message).encode())


def receive():
    """The next message, or None at the end. The server's messages are single frames."""
    while head := incoming.read(2):
        length = head[1] & 127
        if length >= 126:
            length = int.from_bytes(incoming.read(2 if length == 126 else 8), "big")
        payload = incoming.read(length)
        opcode = head[0] & 15
        if opcode == 1:
            print("<", payload.decode(), flush=True)
            return json.loads(payload)
        if opcode == 8:
            print("the server closes:", int.from_bytes(payload[:2], "big"), payload[2:].decode(), flush=True)
            return None
        if opcode == 9:
            frame(10, payload)
    return None


send({"type": "connection_init"})
events = 0
while message := receive():
    kind = message["type"]
    if kind == "connection_ack":
        data = json.dumps({"query": query, "variables": variables})
        send({"id": "1", "type": "start", "payload": {"data": data, "extensions": {"authorization": authorization}}})
    elif kind == "start_ack" and "READY" in os.environ:
        open(os.environ["READY"], "w").close()
    elif kind == "data":
        events += 1
        if events == events_wanted:
            send({"id": "1", "type": "stop"})
    elif kind in ("complete", "error", "connection_error"):
        break
