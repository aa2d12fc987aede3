"""Signs in by SRP, over and over: `sign_in.py PORT POOL CLIENT CONNECTIONS SECONDS`, as user-0, user-1 and so on with the password
`Passw0rd!`. Prints how many sign-ins there were, and the seconds of Python's own `pow` over the server's operands of one."""

import base64
import http.client
import json
import secrets
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests/Clients"))
from srp_client import G, N, digest, number, pad, sign  # noqa: E402

port, pool, client, connections, seconds = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
PASSWORD = "Passw0rd!"
end = time.monotonic() + seconds
counts = [0] * connections


def call(connection, operation, body):
    connection.request(
        "POST", "/", json.dumps(body), {"X-Amz-Target": f"AWSCognitoIdentityProviderService.{operation}"})
    answer = json.loads(connection.getresponse().read())
    assert "__type" not in answer, answer
    return answer


def run(index):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    name, a = f"user-{index}", secrets.randbits(256)
    public = f"{pow(G, a, N):x}"
    while time.monotonic() < end:
        first = call(connection, "InitiateAuth", {
            "AuthFlow": "USER_SRP_AUTH", "ClientId": client, "AuthParameters": {"USERNAME": name, "SRP_A": public},
        })["ChallengeParameters"]  # fmt: skip
        moment = datetime.now(timezone.utc)
        stamp = f"{moment:%a %b} {moment.day} {moment:%H:%M:%S} UTC {moment.year}"
        part, user = pool.split("_")[1], first["USER_ID_FOR_SRP"]
        request = {
            "a": f"{a:x}", "B": first["SRP_B"], "salt": first["SALT"], "password": PASSWORD,
            "block": first["SECRET_BLOCK"], "time": stamp,
        }  # fmt: skip
        answer = call(connection, "RespondToAuthChallenge", {
            "ChallengeName": "PASSWORD_VERIFIER", "ClientId": client,
            "ChallengeResponses": {
                "USERNAME": user, "PASSWORD_CLAIM_SECRET_BLOCK": first["SECRET_BLOCK"], "TIMESTAMP": stamp,
                "PASSWORD_CLAIM_SIGNATURE": sign(request, part + user, part, user),
            },
        })  # fmt: skip
        assert answer["AuthenticationResult"]["AccessToken"]
        counts[index] += 1


def own_powers():
    """The three powers of a sign-in at the server: of its public value, and two of the shared secret."""
    a, b, x = (secrets.randbits(256) for _ in range(3))
    verifier, public = pow(G, x, N), pow(G, a, N)
    u = number(digest(pad(public) + pad(verifier)))
    rounds = 20
    begin = time.process_time()
    for _ in range(rounds):
        pow(G, b, N)
        pow(public * pow(verifier, u, N), b, N)
    return (time.process_time() - begin) / rounds


begin = time.monotonic()
threads = [threading.Thread(target=run, args=(index,)) for index in range(connections)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"count": sum(counts), "seconds": time.monotonic() - begin, "own": own_powers()}))
