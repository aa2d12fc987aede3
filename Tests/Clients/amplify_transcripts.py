"""What amplify-swift and amplify-js send, byte for byte in form, and what they need in the answer.

    python3 amplify_transcripts.py http://127.0.0.1:20002 POOL CLIENT IDENTITY-POOL 'syncline outbox --data DIR'

The exchanges are written down from both clients' sources: the order and the case of header lines, the members of the bodies, the
spelling of big numbers, forms that are not escaped. Prints a line for each and ends with 1 if one failed."""

import base64
import gzip
import hashlib
import json
import re
import secrets
import socket
import subprocess
import sys
from datetime import datetime, timezone
from urllib.parse import parse_qs, quote, urlsplit

from srp_client import G, N, sign

URL, POOL, CLIENT, IDENTITY_POOL, OUTBOX = sys.argv[1:6]
HOST = urlsplit(URL).netloc
REGION, POOL_NAME = POOL.split("_")
PASSWORD = "Passw0rd!"
failed = 0

SWIFT = """POST / HTTP/1.1
Host: {host}
Accept: */*
Content-Type: application/x-amz-json-1.1
X-Amz-Target: {target}
User-Agent: aws-sdk-swift/1.5.51 ua/2.1 api/cognito_identity_provider#1.5.51 os/ios#18.5 lang/swift#6.1 lib/amplify-swift#2.51.0
amz-sdk-invocation-id: 7C2F5B7A-5D0E-4E6B-9A35-2E9D1E7C2A11
amz-sdk-request: attempt=1; max=1
Accept-Language: en-GB,en;q=0.9
Accept-Encoding: gzip, deflate
Content-Length: {length}
Connection: keep-alive
"""
JS = """POST / HTTP/1.1
host: {host}
connection: keep-alive
content-length: {length}
x-amz-target: {target}
cache-control: no-store
x-amz-user-agent: aws-amplify/6.15.5 auth/1 framework/1
content-type: application/x-amz-json-1.1
accept: */*
origin: http://localhost:3000
sec-fetch-site: cross-site
sec-fetch-mode: cors
referer: http://localhost:3000/
accept-encoding: gzip, deflate, br, zstd
"""


class Connection:
    """One connection that is kept open, as both clients keep theirs."""

    def __init__(self):
        host, port = HOST.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.file = self.socket.makefile("rb")

    def send(self, head, body=b""):
        """Status, headers by lower-case name, body."""
        self.socket.sendall(head.replace("\n", "\r\n").encode() + b"\r\n" + body)
        status = int(self.file.readline().split()[1])
        headers = {}
        while line := self.file.readline().strip():
            name, value = line.decode().split(":", 1)
            headers.setdefault(name.lower(), []).append(value.strip())
        length = int(headers.get("content-length", ["0"])[0])
        data = self.file.read(length)
        return status, headers, gzip.decompress(data) if headers.get("content-encoding") == ["gzip"] else data

    def call(self, head, target, body, fails=None):
        data = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        status, headers, answer = self.send(head.format(host=HOST, target=target, length=len(data)), data)
        assert headers["content-type"] == ["application/x-amz-json-1.1"], headers
        assert re.fullmatch("[0-9a-f-]{36}", headers["x-amzn-requestid"][0]), headers
        value = json.loads(answer)
        if fails:
            # Both read the header first, up to its colon, and the member `message` in lower case.
            assert status == 400, answer
            assert headers["x-amzn-errortype"][0].split(":")[0] == value["__type"] == fails, (headers, answer)
            assert value["message"]
        else:
            assert status == 200, answer
        return value


def idp(operation):
    return f"AWSCognitoIdentityProviderService.{operation}"


def identity(operation):
    return f"AWSCognitoIdentityService.{operation}"


def check(name):
    def run(function):
        global failed
        try:
            function()
            print("ok", name)
        except Exception as error:  # A check that fails says why, and the others go on.
            failed += 1
            print("FAIL", name, repr(error))

    return run


def outbox_code():
    lines = subprocess.run(OUTBOX, shell=True, capture_output=True, text=True, check=True).stdout.splitlines()
    return json.loads(lines[-1])["code"]


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def srp(connection, head, user, hexadecimal, more):
    """Both steps of USER_SRP_AUTH; the result."""
    a = secrets.randbits(1024 if head is JS else 2048)
    first = connection.call(head, idp("InitiateAuth"), {
        "AuthFlow": "USER_SRP_AUTH", "AuthParameters": {"USERNAME": user, "SRP_A": hexadecimal(pow(G, a, N))},
        "ClientId": CLIENT, **more,
    })  # fmt: skip
    assert first["ChallengeName"] == "PASSWORD_VERIFIER" and "Session" not in first
    given = first["ChallengeParameters"]
    assert all(isinstance(value, str) for value in given.values())
    assert re.fullmatch("[1-9a-f][0-9a-f]*", given["SRP_B"]) and re.fullmatch("[1-9a-f][0-9a-f]*", given["SALT"])
    # amplify-swift's decoder of base64 is strict.
    assert len(base64.b64decode(given["SECRET_BLOCK"], validate=True)) >= 32
    now = datetime.now(timezone.utc)
    stamp = f"{now:%a %b} {now.day} {now:%H:%M:%S} UTC {now.year}"
    inner = given["USER_ID_FOR_SRP"]
    request = {
        "a": f"{a:x}", "B": given["SRP_B"], "salt": given["SALT"], "password": PASSWORD,
        "block": given["SECRET_BLOCK"], "time": stamp,
    }  # fmt: skip
    answer = connection.call(head, idp("RespondToAuthChallenge"), {
        "ChallengeName": "PASSWORD_VERIFIER",
        "ChallengeResponses": {
            "USERNAME": given["USERNAME"], "PASSWORD_CLAIM_SECRET_BLOCK": given["SECRET_BLOCK"], "TIMESTAMP": stamp,
            "PASSWORD_CLAIM_SIGNATURE": sign(request, POOL_NAME + inner, POOL_NAME, inner),
        },
        "ClientId": CLIENT, **more,
    })  # fmt: skip
    result = answer["AuthenticationResult"]
    assert result["TokenType"] == "Bearer" and result["ExpiresIn"] > 0 and result["RefreshToken"]
    for token in (result["AccessToken"], result["IdToken"]):
        assert isinstance(claims(token)["exp"], int) and claims(token)["sub"]
    assert claims(result["AccessToken"])["username"] == inner
    return result


@check("amplify-swift signs up, confirms, signs in by SRP, has credentials, refreshes and signs out everywhere")
def _():
    connection, name = Connection(), f"swift-{secrets.token_hex(4)}"
    # amplify-swift sends these two with each operation that starts something.
    more = {"ClientMetadata": {}, "UserContextData": {"EncodedData": base64.b64encode(b"{}").decode()}}
    made = connection.call(SWIFT, idp("SignUp"), {
        "ClientId": CLIENT, "ClientMetadata": {}, "Password": PASSWORD, "UserContextData": more["UserContextData"],
        "UserAttributes": [{"Name": "email", "Value": f"{name}@example.com"}], "Username": name, "ValidationData": [],
    })  # fmt: skip
    assert made["UserConfirmed"] is False and made["UserSub"]
    assert made["CodeDeliveryDetails"] == {
        "AttributeName": "email", "DeliveryMedium": "EMAIL", "Destination": "s***@e***"}
    confirm = {"ClientId": CLIENT, "ClientMetadata": {}, "Username": name}
    connection.call(SWIFT, idp("InitiateAuth"), {
        "AuthFlow": "USER_PASSWORD_AUTH", "AuthParameters": {"USERNAME": name, "PASSWORD": PASSWORD}, "ClientId": CLIENT,
    }, fails="UserNotConfirmedException")  # fmt: skip
    connection.call(SWIFT, idp("ConfirmSignUp"), confirm | {"ConfirmationCode": "0"}, fails="CodeMismatchException")
    connection.call(SWIFT, idp("ConfirmSignUp"), confirm | {"ConfirmationCode": outbox_code()})
    # Its big numbers are printed in upper case.
    result = srp(connection, SWIFT, name, lambda number: f"{number:X}", more)
    # It names AWS's host whatever host it talks to.
    logins = {f"cognito-idp.{REGION}.amazonaws.com/{POOL}": result["IdToken"]}
    found = connection.call(SWIFT, identity("GetId"), {"IdentityPoolId": IDENTITY_POOL, "Logins": logins})
    given = connection.call(
        SWIFT, identity("GetCredentialsForIdentity"), {"IdentityId": found["IdentityId"], "Logins": logins})
    assert set(given["Credentials"]) == {"AccessKeyId", "SecretKey", "SessionToken", "Expiration"}
    assert isinstance(given["Credentials"]["Expiration"], (int, float)) and given["IdentityId"] == found["IdentityId"]
    user = connection.call(SWIFT, idp("GetUser"), {"AccessToken": result["AccessToken"]})
    assert user["UserAttributes"][0]["Name"] == "sub" and user["Username"] == name
    new = connection.call(SWIFT, idp("GetTokensFromRefreshToken"), {
        "ClientId": CLIENT, "ClientMetadata": {}, "RefreshToken": result["RefreshToken"],
    })["AuthenticationResult"]  # fmt: skip
    assert "RefreshToken" not in new
    for member in ("auth_time", "origin_jti", "sub"):
        assert claims(new["AccessToken"])[member] == claims(result["AccessToken"])[member]
    assert connection.call(SWIFT, idp("GlobalSignOut"), {"AccessToken": new["AccessToken"]}) == {}
    # An error here would leave the app in a partial sign-out.
    assert connection.call(SWIFT, idp("RevokeToken"), {"ClientId": CLIENT, "Token": result["RefreshToken"]}) == {}
    connection.call(SWIFT, idp("GetUser"), {"AccessToken": new["AccessToken"]}, fails="NotAuthorizedException")


@check("amplify-swift exchanges a code of the hosted pages with a form that is not escaped")
def _():
    connection, name = Connection(), f"web-{secrets.token_hex(4)}"
    connection.call(SWIFT, idp("SignUp"), {
        "ClientId": CLIENT, "Password": PASSWORD, "Username": name,
        "UserAttributes": [{"Name": "email", "Value": f"{name}@example.com"}],
    })  # fmt: skip
    connection.call(SWIFT, idp("ConfirmSignUp"), {"ClientId": CLIENT, "Username": name, "ConfirmationCode": outbox_code()})
    verifier = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    redirect = "myapp://callback/"
    query = (
        f"response_type=code&code_challenge={challenge}&code_challenge_method=S256&client_id={CLIENT}"
        f"&redirect_uri={quote(quote(redirect, safe=''), safe='')}&scope=email%20openid%20profile&state=1234"
        "&userContextData=e30%3D"
    )
    head = "GET {path} HTTP/1.1\nHost: {host}\nAccept: text/html\n"
    status, headers, _ = connection.send(head.format(host=HOST, path=f"/oauth2/authorize?{query}"))
    assert status == 302 and headers["location"][0].startswith("/login?"), headers
    _, headers, page = connection.send(head.format(host=HOST, path=headers["location"][0]))
    cookie = headers["set-cookie"][0].split(";")[0]
    csrf = re.search(b'name="_csrf" value="([^"]+)"', page)[1].decode()
    form = f"_csrf={csrf}&username={name}&password={quote(PASSWORD)}".encode()
    status, headers, page = connection.send(
        f"POST /login?{query} HTTP/1.1\nHost: {HOST}\nCookie: {cookie}\nContent-Type: application/x-www-form-urlencoded\n"
        f"Content-Length: {len(form)}\n", form)
    assert status == 302 and headers["location"][0].startswith(redirect + "?"), (headers, page)
    given = parse_qs(urlsplit(headers["location"][0]).query)
    assert given["state"] == ["1234"] and re.fullmatch("[A-Za-z0-9-]+", given["code"][0])
    # `URLComponents.query`: nothing is escaped.
    form = (
        f"grant_type=authorization_code&client_id={CLIENT}&code={given['code'][0]}&redirect_uri={redirect}"
        f"&code_verifier={verifier}"
    ).encode()
    head = (
        f"POST /oauth2/token HTTP/1.1\nHost: {HOST}\nContent-Type: application/x-www-form-urlencoded\nAccept: */*\n"
        f"User-Agent: amplify-swift/2.51.0\nContent-Length: {len(form)}\n"
    )
    status, headers, body = connection.send(head, form)
    tokens = json.loads(body)
    assert status == 200 and headers["cache-control"] == ["no-store"], (status, headers, body)
    assert {"id_token", "access_token", "refresh_token", "expires_in", "token_type"} == set(tokens)
    assert claims(tokens["access_token"])["scope"] == "email openid profile"
    # It looks for `error` and never at the status.
    assert json.loads(connection.send(head, form)[2])["error"] == "invalid_grant"


@check("amplify-js asks for leave first, signs in by SRP, names its issuer to the identity pool, and signs out")
def _():
    connection, name = Connection(), f"js-{secrets.token_hex(4)}"
    preflight = (
        "OPTIONS / HTTP/1.1\nhost: {host}\naccept: */*\naccess-control-request-method: POST\n"
        "access-control-request-headers: cache-control,content-type,x-amz-target,x-amz-user-agent\n"
        "origin: http://localhost:3000\nsec-fetch-mode: cors\n"
    )
    status, headers, _ = connection.send(preflight.format(host=HOST))
    assert status in (200, 204) and headers["access-control-allow-origin"][0] in ("*", "http://localhost:3000")
    allowed = headers["access-control-allow-headers"][0].lower()
    assert all(name in allowed for name in ("cache-control", "content-type", "x-amz-target", "x-amz-user-agent"))
    connection.call(JS, idp("SignUp"), {
        "Username": name, "Password": PASSWORD, "UserAttributes": [{"Name": "email", "Value": f"{name}@example.com"}],
        "ClientId": CLIENT,
    })  # fmt: skip
    connection.call(JS, idp("ConfirmSignUp"), {"Username": name, "ConfirmationCode": outbox_code(), "ClientId": CLIENT})
    data = json.dumps({"AuthFlow": "USER_SRP_AUTH"}).encode()
    _, headers, _ = connection.send(JS.format(host=HOST, target=idp("InitiateAuth"), length=len(data)), data)
    exposed = headers["access-control-expose-headers"][0].lower()
    assert "x-amzn-requestid" in exposed and "x-amzn-errortype" in exposed
    # Lower case, and no zero in front: an odd number of digits is usual.
    result = srp(connection, JS, name, lambda number: f"{number:x}", {})
    login = claims(result["IdToken"])["iss"].replace("http://", "").replace("https://", "")
    assert login == f"{HOST}/{POOL}"
    found = connection.call(
        JS, identity("GetId"), {"IdentityPoolId": IDENTITY_POOL, "Logins": {login: result["IdToken"]}})
    connection.call(JS, identity("GetCredentialsForIdentity"), {
        "IdentityId": found["IdentityId"], "Logins": {login: result["IdToken"]},
    })  # fmt: skip
    guest = connection.call(JS, identity("GetId"), {"IdentityPoolId": IDENTITY_POOL})
    connection.call(JS, identity("GetCredentialsForIdentity"), {"IdentityId": guest["IdentityId"]})
    assert guest["IdentityId"] != found["IdentityId"] and guest["IdentityId"].startswith(IDENTITY_POOL.split(":")[0])
    assert connection.call(JS, idp("RevokeToken"), {"ClientId": CLIENT, "Token": result["RefreshToken"]}) == {}
    connection.call(
        JS, idp("GetTokensFromRefreshToken"), {"RefreshToken": result["RefreshToken"], "ClientId": CLIENT},
        fails="NotAuthorizedException")


sys.exit(1 if failed else 0)
