"""What rules cost, in instructions: items of an owner, read with her token, and events that few of many subscribers own."""

import base64
import http.client
import json
import os
import socket
import struct
import time

from .instructions import Counted
from .load import GET, LIST, body
from .realtime import CARRIER, CREATE, ONE_THREAD
from .result import Result
from .rounds import SMALL
from .servers import KEY
from .sign_in import CLIENT, settings

SCHEMA = "authorization.graphql"
OWNER = "owner-00001"
SOCKET_COUNT, PER_SOCKET, MATCHES = 100, 100, 10
OWNERS = SOCKET_COUNT * PER_SOCKET // MATCHES
EVENTS = 50
START_SECONDS = 600
BOUNDS = {"get": 1.35, "list of 100": 1.15, f"event to {MATCHES} of {SOCKET_COUNT * PER_SOCKET:,}": 1.3}
OWN = "subscription { onCreateMessage { id threadId authorId body createdAt } }"


class Connection(http.client.HTTPConnection):
    """Requests on one connection, all with the same header lines: `credential` is the one that decides."""

    def __init__(self, server, credential):
        super().__init__("127.0.0.1", server.port, timeout=600)
        self.credential = {"Content-Type": "application/json"} | credential

    def ask(self, text, path="/graphql", headers=None):
        deadline = time.monotonic() + START_SECONDS
        while True:
            self.request("POST", path, text, headers or self.credential)
            response = self.getresponse()
            answer = response.read()
            # The users of the configuration are still being made.
            if response.status != 503 or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        answer = json.loads(answer)
        assert "errors" not in answer and "__type" not in answer, answer
        return answer


def tokens(bench, data, names):
    """An access token of each user; the pool and its users are made on the way, by a server that is not counted."""
    with bench.start(data, settings=pool(names), schema=SCHEMA) as server:
        connection, target = Connection(server, {}), "AWSCognitoIdentityProviderService.InitiateAuth"
        return {name: connection.ask(json.dumps({
            "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": CLIENT,
            "AuthParameters": {"USERNAME": name, "PASSWORD": "Passw0rd!"},
        }), "/", {"X-Amz-Target": target})["AuthenticationResult"]["AccessToken"] for name in names}  # fmt: skip


def pool(names):
    found = settings(0)
    found["userPool"]["users"] = [{"username": name, "password": "Passw0rd!"} for name in names]
    return found


class Subscribers:
    """Subscriptions of many identities, a hundred on each socket; each with its own credential or variable."""

    def __init__(self, server, credentials, query, variables):
        self.sockets = [self.connect(server) for _ in range(SOCKET_COUNT)]
        for number, (credential, values) in enumerate(zip(credentials, variables, strict=True)):
            data = json.dumps({"query": query, "variables": values})
            authorization = {"host": "127.0.0.1"} | credential
            self.send(self.sockets[number // PER_SOCKET], {
                "id": str(number), "type": "start",
                "payload": {"data": data, "extensions": {"authorization": authorization}},
            })  # fmt: skip
            # One after the other: the counted server verifies a token in a tenth of a second.
            self.wait(self.sockets[number // PER_SOCKET], "start_ack")

    def connect(self, server):
        file = socket.create_connection(("127.0.0.1", server.port), timeout=600)
        key = base64.b64encode(os.urandom(16)).decode()
        file.sendall((
            f"GET /graphql/realtime HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: graphql-ws, header-{CARRIER}\r\n\r\n"
        ).encode())  # fmt: skip
        stream = file.makefile("rb")
        assert b" 101 " in stream.readline()
        while stream.readline() != b"\r\n":
            pass
        pair = (file, stream)
        self.send(pair, {"type": "connection_init"})
        self.wait(pair, "connection_ack")
        return pair

    @staticmethod
    def send(pair, message):
        data = json.dumps(message).encode()
        head = bytes([0x81]) + (bytes([0x80 | len(data)]) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data)))
        pair[0].sendall(head + bytes(4) + data)

    @staticmethod
    def wait(pair, kind):
        """Reads up to the next message of this type, past those that keep a connection alive."""
        while True:
            head = pair[1].read(2)
            length = head[1] if head[1] < 126 else struct.unpack("!H", pair[1].read(2))[0]
            message = json.loads(pair[1].read(length))
            if message["type"] == kind:
                return message
            assert message["type"] == "ka", message

    def close(self):
        for file, stream in self.sockets:
            stream.close()
            file.close()


def reads(server, credential):
    """Instructions of a get and of a list of one owner's hundred articles."""
    connection = Connection(server, credential)
    gets = [body(GET, id=f"article-{number:07}") for number in range(1, SMALL, SMALL // 100)]
    lists = [body(LIST, owner=OWNER, limit=100)]
    assert len(connection.ask(lists[0])["data"]["articlesByOwner"]["items"]) == 100, "not the owner of her articles"

    def count(texts, times):
        def run():
            for _ in range(times):
                for text in texts:
                    connection.ask(text)

        run()
        run()
        return server.count(run)[0] // (times * len(texts))

    return count(gets, 5), count(lists, 200)


def event(server, publisher, subscribers, values):
    """Instructions of a create and of its event, which reaches ten subscriptions on ten sockets; the least of three runs, as
    the first of them still has work of the ten thousand subscriptions beside it."""
    connection = Connection(server, publisher)
    text = body(CREATE, input=values)

    def run():
        for _ in range(EVENTS):
            connection.ask(text)
            for pair in subscribers.sockets[:: SOCKET_COUNT // MATCHES]:
                subscribers.wait(pair, "data")

    run()
    return min(server.count(run)[0] for _ in range(3)) // EVENTS


def measure(bench):
    """Instructions without rules by an API key, and with rules by a token, of each kind."""
    plain, ruled = bench.copy(SMALL, "authorization-plain"), bench.copy(SMALL, "authorization")
    names = [OWNER, *(f"user-{number}" for number in range(OWNERS))]
    token = tokens(bench, ruled, names)
    everyone = range(SOCKET_COUNT * PER_SOCKET)
    message = {"threadId": "thread-7", "authorId": "user-7", "body": "Some words that stand for the body of a message."}

    with Counted(bench, plain) as server:
        key = {"x-api-key": KEY}
        without = list(reads(server, key))
        subscribers = Subscribers(
            server, [key for _ in everyone], ONE_THREAD, [{"thread": f"thread-{n % OWNERS}"} for n in everyone])
        without.append(event(server, key, subscribers, message))
        subscribers.close()
    with Counted(bench, ruled, pool(names), schema=SCHEMA) as server:
        with_rules = list(reads(server, {"Authorization": token[OWNER]}))
        subscribers = Subscribers(
            server, [{"Authorization": token[f"user-{n % OWNERS}"]} for n in everyone], OWN, [{} for _ in everyone])
        with_rules.append(event(server, {"Authorization": token["user-7"]}, subscribers, message))
        subscribers.close()
    return dict(zip(BOUNDS, zip(without, with_rules)))


def authorization(bench):
    """what an owner rule and a token cost, in instructions"""
    found = measure(bench)
    ratios = {name: after / before for name, (before, after) in found.items()}
    result = Result(
        "an owner rule and a seen token, against an API key without rules",
        "; ".join(f"{name} ≤ {bound} ×" for name, bound in BOUNDS.items()),
        found="; ".join(f"{name} {ratio:.3f} ×" for name, ratio in ratios.items()),
        is_reached=all(ratios[name] <= bound for name, bound in BOUNDS.items()),
    )  # fmt: skip
    result.notes = [f"{name}: {before:,} → {after:,} instructions" for name, (before, after) in found.items()]
    return result
