"""An app's side of sign-in, with Python's own library alone: SRP as Amplify clients do it, and GraphQL with a token."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

N = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510"
    "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7"
    "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF",
    16,
)


def pad(number):
    return number.to_bytes(number.bit_length() // 8 + 1, "big")


def digest(data):
    return int.from_bytes(hashlib.sha256(data).digest(), "big")


class App:
    """A client of a user pool at a server."""

    def __init__(self, url, pool, client, secret=None, key="da2-fakeApiId123456"):
        self.url, self.pool, self.client, self.secret, self.key = url, pool, client, secret, key

    def post(self, path, body, headers):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        try:
            return json.load(urllib.request.urlopen(request))
        except urllib.error.HTTPError as error:
            return json.load(error)

    def cognito(self, operation, **body):
        target = f"AWSCognitoIdentityProviderService.{operation}"
        return self.post("/", body, {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"})

    def proof(self, username, name="SECRET_HASH"):
        """What a client that has a secret sends beside a user name."""
        if not self.secret:
            return {}
        digest = hmac.digest(self.secret.encode(), (username + self.client).encode(), "sha256")
        return {name: base64.b64encode(digest).decode()}

    def graphql(self, token, query, variables=None):
        body = {"query": query, "variables": variables or {}}
        return self.post("/graphql", body, {"Authorization": token, "Content-Type": "application/json"})

    def graphql_by_key(self, query, variables=None):
        headers = {"X-Api-Key": self.key, "Content-Type": "application/json"}
        return self.post("/graphql", {"query": query, "variables": variables or {}}, headers)

    def listen(self, token, query, events):
        """Subscribes with listen.py, by the API key without a token; returns when the subscription runs or is refused."""
        ready = Path(tempfile.mkdtemp()) / "ready"
        more = {"SYNCLINE_URL": f"{self.url}/graphql", "EVENTS": str(events), "READY": str(ready)}
        more |= {"SYNCLINE_TOKEN": token} if token else {"SYNCLINE_API_KEY": self.key}
        script = Path(__file__).resolve().parent / "listen.py"
        listener = subprocess.Popen(
            [sys.executable, script, query], env=os.environ | more, stdout=subprocess.PIPE, text=True)
        for _ in range(300):
            if ready.exists() or listener.poll() is not None:
                return listener
            time.sleep(0.1)
        listener.kill()
        raise TimeoutError(f"no answer to {query}")

    def sign_in(self, username, password):
        """Signs in by SRP; the answer of the last step, or the first error."""
        a = secrets.randbits(256)
        public = pow(2, a, N)
        challenge = self.cognito(
            "InitiateAuth", AuthFlow="USER_SRP_AUTH", ClientId=self.client,
            AuthParameters={"USERNAME": username, "SRP_A": f"{public:x}"} | self.proof(username))
        if "ChallengeParameters" not in challenge:
            return challenge
        given = challenge["ChallengeParameters"]
        name, user = self.pool.split("_")[1], given["USER_ID_FOR_SRP"]
        server = int(given["SRP_B"], 16)
        inner = hashlib.sha256(f"{name}{user}:{password}".encode()).digest()
        x = digest(pad(int(given["SALT"], 16)) + inner)
        u = digest(pad(public) + pad(server))
        k = digest(pad(N) + pad(2))
        shared = pow((server - k * pow(2, x, N)) % N, a + u * x, N)
        seed = hmac.new(pad(u), pad(shared), "sha256").digest()
        key = hmac.new(seed, b"Caldera Derived Key\x01", "sha256").digest()[:16]
        now = datetime.datetime.now(datetime.timezone.utc)
        timestamp = now.strftime(f"%a %b {now.day} %H:%M:%S UTC %Y")
        message = f"{name}{user}".encode() + base64.b64decode(given["SECRET_BLOCK"]) + timestamp.encode()
        signature = base64.b64encode(hmac.new(key, message, "sha256").digest()).decode()
        return self.cognito(
            "RespondToAuthChallenge", ChallengeName="PASSWORD_VERIFIER", ClientId=self.client,
            ChallengeResponses={
                "USERNAME": given["USERNAME"], "PASSWORD_CLAIM_SECRET_BLOCK": given["SECRET_BLOCK"],
                "PASSWORD_CLAIM_SIGNATURE": signature, "TIMESTAMP": timestamp, **self.proof(given["USERNAME"]),
            })


def received(listener):
    """The payloads of a subscription until it ends: its events, or its error."""
    texts, _ = listener.communicate(timeout=30)
    messages = [json.loads(line[2:]) for line in texts.splitlines() if line.startswith("< ")]
    return [message["payload"] for message in messages if message["type"] in ("data", "error")]


def show(title, answer):
    print(f"# {title}")
    print(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))
