"""The client's side of Cognito's SRP, for tests: one request in JSON on each line of the input, one answer on each line of
the output. Written from the specification, with Python's own integers."""

import base64
import hashlib
import hmac
import json
import secrets
import sys

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
G = 2


def pad(number):
    return number.to_bytes(number.bit_length() // 8 + 1, "big")


def digest(data):
    return hashlib.sha256(data).digest()


def number(data):
    return int.from_bytes(data, "big")


def private_key(salt, identity, password):
    return number(digest(pad(salt) + digest(f"{identity}:{password}".encode())))


def sign(request, identity, group, user):
    a, b_public, salt = (int(request[name], 16) for name in ("a", "B", "salt"))
    a_public = pow(G, a, N)
    u = number(digest(pad(a_public) + pad(b_public)))
    x = private_key(salt, identity, request["password"])
    k = number(digest(pad(N) + pad(G)))
    shared = pow((b_public - k * pow(G, x, N)) % N, a + u * x, N)
    seed = hmac.new(pad(u), pad(shared), "sha256").digest()
    key = hmac.new(seed, b"Caldera Derived Key\x01", "sha256").digest()[:16]
    message = group.encode() + user.encode() + base64.b64decode(request["block"]) + request["time"].encode()
    return base64.b64encode(hmac.new(key, message, "sha256").digest()).decode()


def answer(request):
    if request["op"] == "begin":
        a = secrets.randbits(256)
        return {"a": f"{a:x}", "A": f"{pow(G, a, N):x}"}
    if request["op"] == "sign":
        identity = request["pool"] + request["user"]
        return {"signature": sign(request, identity, request["pool"], request["user"])}
    if request["op"] == "device":
        identity = request["group"] + request["key"]
        return {"signature": sign(request, identity, request["group"], request["key"])}
    if request["op"] == "verifier":
        salt = secrets.randbits(128)
        x = private_key(salt, request["group"] + request["key"], request["password"])
        return {
            "Salt": base64.b64encode(pad(salt)).decode(),
            "PasswordVerifier": base64.b64encode(pad(pow(G, x, N))).decode(),
        }
    raise ValueError(request["op"])


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
