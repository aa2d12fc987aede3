"""Writes botocore-requests.json: requests as they go over the wire, signed by botocore.

    python3 botocore_requests.py > botocore-requests.json

Needs boto3 (written with 1.43.11). The clock stands at 2026-01-02T03:04:05Z and the random numbers have a seed, so a
second run writes the same file.
"""

import datetime
import hashlib
import io
import json
import random
from unittest import mock
from urllib.parse import quote, urlsplit

import boto3
import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.client import Config
from botocore.credentials import Credentials

NOW = 1767323045
DATE = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
KEY, SECRET, TOKEN = "ASIAEXAMPLEKEY000001", "secretEXAMPLE+/key", "tok+/=EXAMPLE"

SEGMENTS = [
    "a", "public", "a b", "a+b", "c\u00e9", "cafe\u0301", "\u65e5\u672c", "\U0001f600", "us-east-1:id", "100%", "a%20b",
    "x=y&z", "(1)", "it's", "*", "~", "-_.", "a;b", "@", "!$", "[0]", '"q"', "#", "?", "a\\b", "\u200d",
]
DOTS = ["", ".", "..", "..."]
NAMES = ["list-type", "prefix", "x-id", "a", "A", "a-b", "a.b", "a b", "\u00e9", "uploads", "a=b", "~", "a+b", "%"]
VALUES = [
    "", "1", "2", "a b", "a+b", "a/b", "\u00e9", "\u65e5\u672c", "x=y", "&", "100%", "%20", "~-_.", "a,b", "b,a", "*",
]
SERVICES = ["cognito-idp", "cognito-identity", "execute-api", "appsync", "mobiletargeting", "sts"]


# Not signed, and different in each run or on each machine.
FIXED = {"amz-sdk-invocation-id": "9a1f", "user-agent": "test/1.0"}


def header_lists(headers):
    return [[name, FIXED.get(name.lower(), value)] for name, value in headers]


def host_of(url):
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}[parts.scheme]
    return parts.netloc if parts.port != default else parts.hostname


def record(name, method, url, headers, body, token, service, version=4, bucket=None):
    parts = urlsplit(url)
    if not any(key.lower() == "host" for key, _ in headers):
        headers = [["Host", host_of(url)], *headers]
    case = {
        "name": name, "version": version, "service": service, "method": method, "path": parts.path,
        "query": parts.query, "headers": headers, "bodyHash": hashlib.sha256(body).hexdigest(),
        "sessionToken": token,
    }
    if bucket:
        case["bucketOfHost"] = bucket
    return case


def random_url(dice, is_s3):
    segments = dice.choices(SEGMENTS + DOTS, k=dice.randint(0, 4))
    path = "/" + "/".join(quote(segment, safe="-_.~") for segment in segments)
    if dice.random() < 0.2:
        path += "/"
    if not is_s3 and dice.random() < 0.3:
        # A client of another service may leave reserved characters as they are.
        path += "/raw:(1)@x!$'*,;="
    names = dice.choices(NAMES, k=dice.choice([0, 0, 1, 2, 3, 5]))
    if names and dice.random() < 0.4:
        names += [names[0], names[0]]
    pairs = []
    for name in names:
        value = dice.choice(VALUES)
        text = quote(name, safe="-_.~")
        # The signer of botocore writes no equals sign after a name that stands alone, so there is always one.
        pairs.append(f"{text}={quote(value, safe='-_.~')}")
    host = dice.choice(["localhost:9000", "example.test", "[::1]:8080", "api.example.test:8443"])
    scheme = "http" if "example.test" not in host else dice.choice(["http", "https"])
    return f"{scheme}://{host}{path}" + ("?" + "&".join(pairs) if pairs else "")


def random_headers(dice):
    headers = [("User-Agent", "test/1.0"), ("amz-sdk-invocation-id", "9a1f")]
    if dice.random() < 0.5:
        headers.append(("Content-Type", dice.choice(["application/x-amz-json-1.1", "text/plain;  charset=utf-8"])))
    if dice.random() < 0.4:
        headers.append(("X-Amz-Target", "AWSCognitoIdentityProviderService.ListUsers"))
    if dice.random() < 0.4:
        headers.append(("X-Amz-Meta-Note", dice.choice(["  a   b  ", "a\tb", "", "one,two", '"a   b"'])))
        if dice.random() < 0.6:
            headers.append(("X-Amz-Meta-Note", "second"))
    if dice.random() < 0.3:
        headers.append(("Range", "bytes=0-99"))
    if dice.random() < 0.2:
        headers.append(("Date", "Thu, 01 Jan 1970 00:00:00 GMT"))
    dice.shuffle(headers)
    return headers


def signed(dice, index, kind):
    is_s3 = kind.startswith("s3")
    is_presigned = kind.endswith("query")
    service = "s3" if is_s3 else dice.choice(SERVICES)
    token = TOKEN if dice.random() < 0.5 else None
    body = b"" if is_presigned else dice.choice([b"", b"{}", bytes(dice.randrange(256) for _ in range(100))])
    method = "GET" if not body else dice.choice(["POST", "PUT"])
    request = AWSRequest(method, random_url(dice, is_s3), data=body)
    for name, value in random_headers(dice):
        request.headers.add_header(name, value)
    signer = {
        "s3": botocore.auth.S3SigV4Auth, "s3-query": botocore.auth.S3SigV4QueryAuth,
        "other": botocore.auth.SigV4Auth, "other-query": botocore.auth.SigV4QueryAuth,
    }[kind](Credentials(KEY, SECRET, token), service, "us-east-1")
    signer.add_auth(request)
    return record(
        f"{kind} {index}", method, request.url, header_lists(request.headers.items()), body, token, service)


class Captured(Exception):
    pass


def client_request(name, service, call, token, **options):
    """What a client of boto3 sends, caught before it goes to the socket."""
    client = make_client(service, token, **options)
    caught = []

    def catch(request, **_):
        caught.append(request)
        raise Captured()

    client.meta.events.register("before-send.*", catch)
    try:
        call(client)
    except Captured:
        pass
    request = caught[0]
    body = request.body or b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        body = body.encode()
    headers = header_lists(
        (key, value.decode() if isinstance(value, bytes) else value) for key, value in request.headers.items())
    # The name under which a client signs may differ from its own: pinpoint signs as mobiletargeting.
    return record(
        name, request.method, request.url, headers, body, token, client.meta.service_model.signing_name)


def make_client(service, token, **options):
    return boto3.client(
        service, region_name="us-east-1", endpoint_url="http://localhost:9000", aws_access_key_id=KEY,
        aws_secret_access_key=SECRET, aws_session_token=token, **options)


def client_cases():
    key = "public/us-east-1:id/a b+c\u00e9 (1)//../\u65e5.jpg"
    v4 = Config(signature_version="s3v4", s3={"addressing_style": "path"})
    calls = [
        ("get_object", lambda c: c.get_object(Bucket="media", Key=key, Range="bytes=0-99")),
        ("put_object", lambda c: c.put_object(
            Bucket="media", Key=key, Body=io.BytesIO(b"hello world"), Metadata={"note": "two  words"})),
        ("copy_object", lambda c: c.copy_object(Bucket="media", Key=key, CopySource={"Bucket": "media", "Key": key})),
        ("list_objects_v2", lambda c: c.list_objects_v2(Bucket="media", Prefix="a b/\u00e9+", Delimiter="/")),
        ("create_multipart_upload", lambda c: c.create_multipart_upload(Bucket="media", Key="..")),
        ("list_buckets", lambda c: c.list_buckets()),
    ]
    cases = [client_request(f"client s3 {name}", "s3", call, TOKEN, config=v4) for name, call in calls]
    cases.append(client_request(
        "client cognito-idp admin_get_user", "cognito-idp",
        lambda c: c.admin_get_user(UserPoolId="us-east-1_abc", Username="Ren\u00e9"), None))
    cases.append(client_request(
        "client cognito-identity get_identity_pool_roles", "cognito-identity",
        lambda c: c.get_identity_pool_roles(IdentityPoolId="us-east-1:id"), None))
    cases.append(client_request(
        "client sts get_caller_identity", "sts", lambda c: c.get_caller_identity(), TOKEN))
    cases.append(client_request(
        "client pinpoint update_endpoint", "pinpoint",
        lambda c: c.update_endpoint(ApplicationId="a b", EndpointId="us-east-1:id/\u00e9", EndpointRequest={}), TOKEN))
    for name, parameters in presigned_calls(key):
        client = make_client("s3", TOKEN, config=v4)
        url = client.generate_presigned_url(name, Params=parameters, ExpiresIn=3000)
        method = "PUT" if name in ("put_object", "upload_part") else "GET"
        cases.append(record(f"client presigned {name}", method, url, [], b"", TOKEN, "s3"))
    return cases


def presigned_calls(key):
    return [
        ("get_object", {"Bucket": "media", "Key": key, "ResponseContentDisposition": 'attachment; filename="a b"'}),
        ("put_object", {"Bucket": "media", "Key": key}),
        ("upload_part", {"Bucket": "media", "Key": key, "PartNumber": 2, "UploadId": "a+/="}),
        ("list_objects_v2", {"Bucket": "media", "Prefix": "a b+\u00e9"}),
    ]


def version_2_cases():
    key = "public/us-east-1:id/a b+c\u00e9 (1)//../\u65e5.jpg"
    cases = []
    for style, bucket in [("path", None), ("virtual", "media")]:
        config = Config(signature_version="s3", s3={"addressing_style": style})
        for token in [None, TOKEN]:
            client = make_client("s3", token, config=config)
            for name, parameters in presigned_calls(key):
                if name == "put_object":
                    parameters |= {"ContentType": "image/jpeg", "Metadata": {"note": "two words"}}
                url = client.generate_presigned_url(name, Params=parameters, ExpiresIn=3000)
                method = "PUT" if name in ("put_object", "upload_part") else "GET"
                case = record(f"version 2 {style} {name}", method, url, [], b"", token, "s3", 2, bucket)
                cases.append(case)
    return cases


def main():
    dice = random.Random(15)
    with (
        mock.patch("botocore.auth.get_current_datetime", lambda *_, **__: DATE),
        mock.patch("botocore.auth.time.time", lambda: NOW),
    ):
        cases = [signed(dice, i, kind) for kind in ["s3", "s3-query", "other", "other-query"] for i in range(16)]
        cases += client_cases() + version_2_cases()
    print(json.dumps(
        {"now": NOW, "accessKeyID": KEY, "secret": SECRET, "requests": cases}, indent=1, ensure_ascii=True))


main()
