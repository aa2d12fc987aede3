"""Sign-in: by SRP, beside other requests, and the cost of a token that was seen before."""

import http.client
import json
import subprocess
import sys

from . import machine
from .instructions import FIRST, Counted
from .load import client
from .result import Result, Row, middle
from .rounds import SMALL
from .servers import KEY

POOL, CLIENT = "us-east-1_benchmark", "benchmarkclient"
SIGN_INS = 64
INSTRUCTIONS_MAX = 6_000


def settings(users):
    return {
        "authConfig": {
            "defaultAuthentication": {"authenticationType": "API_KEY"},
            "additionalAuthenticationProviders": [{"authenticationType": "AMAZON_COGNITO_USER_POOLS"}],
        },
        "userPool": {
            "id": POOL, "name": "benchmark",
            "clients": [{
                "id": CLIENT, "name": "app",
                "explicitAuthFlows": ["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
            }],
            "users": [{"username": f"user-{number}", "password": "Passw0rd!"} for number in range(users)],
        },
    }  # fmt: skip


class SignIns:
    """tools/sign_in.py, for so many seconds."""

    def __init__(self, bench, server, connections, seconds):
        command = [sys.executable, str(bench.folder / "tools/sign_in.py"), str(server.port), POOL, CLIENT]
        self.process = subprocess.Popen(
            machine.pinned(machine.LOAD_CORE, [*command, str(connections), str(seconds)]), stdout=subprocess.PIPE, text=True
        )

    def result(self):
        output, _ = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, "a sign-in failed"
        return json.loads(output)


def token_instructions(bench):
    """Instructions of the least request, with an API key and with a token that was seen before."""
    data = bench.new_folder("sign-in-instructions")
    with Counted(bench, data, settings(1)) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

        def ask(path, body, headers):
            connection.request("POST", path, body, headers)
            return json.loads(connection.getresponse().read())

        body = {"AuthFlow": "USER_PASSWORD_AUTH", "ClientId": CLIENT,
                "AuthParameters": {"USERNAME": "user-0", "PASSWORD": "Passw0rd!"}}  # fmt: skip
        target = {"X-Amz-Target": "AWSCognitoIdentityProviderService.InitiateAuth"}
        token = ask("/", json.dumps(body), target)["AuthenticationResult"]["AccessToken"]

        def count(headers):
            def run():
                for _ in range(500):
                    assert ask("/graphql", FIRST, headers | {"Content-Type": "application/json"})["data"]

            run()
            return server.count(run)[0] // 500

        # Both requests have the same header lines, of which one decides.
        return count({"x-api-key": KEY, "Authorization": token}), count({"x-api-kez": KEY, "Authorization": token})


def sign_in(bench):
    """sign-in by SRP, and `get` beside 64 of them"""
    rates, costs, own, alone, beside = [], [], [], [], []
    data = bench.copy(SMALL, "sign-in")
    with bench.start(data, settings=settings(SIGN_INS)) as server:

        def get():
            return client(bench, server, {"get": 1}, f"seconds:{bench.seconds}", SMALL, core=machine.LOAD_CORE, connections=8)

        get()
        for _ in range(bench.rounds):
            before = machine.cpu_seconds(server.pid)
            found = SignIns(bench, server, 4, bench.seconds).result()
            costs.append((machine.cpu_seconds(server.pid) - before) / found["count"])
            rates.append(found["count"] / found["seconds"])
            own.append(found["own"])
            alone.append(get()["get"]["p99"])
            signing = SignIns(bench, server, SIGN_INS, bench.seconds + 2)
            beside.append(get()["get"]["p99"])
            signing.result()
    key, token = token_instructions(bench)
    cost, python = middle(costs), middle(own)
    result = Result(
        "sign-in by SRP", f"a seen token ≤ {INSTRUCTIONS_MAX:,} instructions",
        [Row("Syncline", rate=middle(rates), cpu=cost * 1e6)],
        f"{1 / cost:,.1f} a second and core; a token that was seen {token - key:+,} instructions against an API key",
    )  # fmt: skip
    result.is_reached = token - key <= INSTRUCTIONS_MAX
    result.notes = [
        f"Python's pow of the same operands takes {python * 1e3:.1f} ms, a whole sign-in {cost * 1e3:.1f} ms of the server",
        f"p99 of get: {middle(alone):,.0f} µs alone, {middle(beside):,.0f} µs beside {SIGN_INS} sign-ins at once",
        f"{FIRST.decode()}: {key:,} instructions with an API key, {token:,} with a token that was seen before",
    ]
    return result
