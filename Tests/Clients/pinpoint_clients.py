"""Clients of Amazon Pinpoint against a server: boto3, and what amplify-swift and amplify-js send, byte for byte in form.

    python3 pinpoint_clients.py http://127.0.0.1:20002 access-key.json APP IDENTITY-POOL 'syncline analytics --data DIR'

The exchanges are written down from both clients' sources: the order and the case of header lines, the members of the bodies. Prints a
line for each check and ends with 1 if one failed."""

import hashlib
import hmac
import json
import secrets
import shlex
import socket
import subprocess
import sys
import urllib.request
import uuid
from datetime import datetime, timezone
from urllib.parse import quote, urlsplit

import boto3
from botocore.exceptions import ClientError

URL, KEY_FILE, APP, IDENTITY_POOL, ANALYTICS = sys.argv[1:6]
HOST = urlsplit(URL).netloc
KEY = json.load(open(KEY_FILE))
ACCEPTED = {"StatusCode": 202, "Message": "Accepted"}
failed = 0

SWIFT = """{method} {path} HTTP/1.1
Host: {host}
Accept: */*
Content-Type: application/json
User-Agent: aws-sdk-swift/1.5.51 ua/2.1 api/pinpoint#1.5.51 os/ios#18.5 lang/swift#6.1 lib/amplify-swift#2.51.0
amz-sdk-invocation-id: 7C2F5B7A-5D0E-4E6B-9A35-2E9D1E7C2A11
amz-sdk-request: attempt=1; max=1
X-Amz-Date: {date}
X-Amz-Security-Token: {token}
Authorization: {authorization}
Accept-Language: en-GB,en;q=0.9
Accept-Encoding: gzip, deflate
Content-Length: {length}
Connection: keep-alive
"""
JS = """{method} {path} HTTP/1.1
host: {host}
connection: keep-alive
content-length: {length}
content-type: application/json
x-amz-user-agent: aws-amplify/6.15.5 analytics/1 framework/1
x-amz-date: {date}
x-amz-security-token: {token}
authorization: {authorization}
accept: */*
origin: http://localhost:3000
sec-fetch-site: cross-site
sec-fetch-mode: cors
referer: http://localhost:3000/
accept-encoding: gzip, deflate, br, zstd
"""


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


def client(service, **keys):
    keys = keys or {"aws_access_key_id": KEY["accessKeyId"], "aws_secret_access_key": KEY["secretAccessKey"]}
    return boto3.client(service, endpoint_url=URL, region_name="us-east-1", **keys)


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def guest():
    identity = client("cognito-identity", aws_access_key_id="-", aws_secret_access_key="-")
    return identity.get_credentials_for_identity(IdentityId=identity.get_id(IdentityPoolId=IDENTITY_POOL)["IdentityId"])[
        "Credentials"
    ]


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return error.response
    raise AssertionError(f"{code} was expected")


def report(*arguments):
    command = shlex.split(ANALYTICS)
    command[2:2] = [*arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["items"]


def send(form, method, path, body, credentials):
    """One request, signed as both clients sign it: some header lines alone, and the path encoded twice."""
    data = json.dumps(body, separators=(",", ":")).encode() if body is not None else b""
    date = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    token = credentials["SessionToken"]
    signed = {"content-type": "application/json", "host": HOST, "x-amz-date": date, "x-amz-security-token": token}
    names = ";".join(sorted(signed))
    canonical = "\n".join([
        method, quote(path, safe="/-._~"), "", *(f"{name}:{signed[name]}" for name in sorted(signed)), "", names,
        hashlib.sha256(data).hexdigest(),
    ])  # fmt: skip
    scope = f"{date[:8]}/us-east-1/mobiletargeting/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + credentials["SecretKey"]).encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    authorization = (
        f"AWS4-HMAC-SHA256 Credential={credentials['AccessKeyId']}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    head = form.format(
        method=method, path=path, host=HOST, date=date, token=token, authorization=authorization, length=len(data)
    )
    with socket.create_connection(HOST.split(":"), timeout=30) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n" + data)
        with connection.makefile("rb") as answer:
            status = int(answer.readline().split()[1])
            headers = {}
            while line := answer.readline().strip():
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            return status, headers, json.loads(answer.read(int(headers["content-length"])))


pinpoint = client("pinpoint")


@check("boto3 puts events, of which a bad one is refused alone and one that comes twice counts once")
def _():
    endpoint, kind = f"boto-{secrets.token_hex(4)}", f"boto-{secrets.token_hex(4)}"
    events = {
        "good": {"EventType": kind, "Timestamp": now(), "Attributes": {"color": "red"}, "Metrics": {"price": 1.5}},
        "bad": {"EventType": kind, "Timestamp": "yesterday"},
    }
    for _ in range(2):
        answer = pinpoint.put_events(
            ApplicationId=APP,
            EventsRequest={"BatchItem": {endpoint: {"Endpoint": {"User": {"UserId": "ada"}}, "Events": events}}},
        )
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 202
        result = answer["EventsResponse"]["Results"][endpoint]
        assert result["EndpointItemResponse"] == ACCEPTED and result["EventsItemResponse"]["good"] == ACCEPTED
        assert result["EventsItemResponse"]["bad"]["StatusCode"] == 400
    counts = {item["event"]: item["events"] for item in report("events", "--total")}
    assert counts[kind] == 1, counts
    assert report("events", "--event", kind, "--by", "color", "--total") == [{"color": "red", "events": 1}]


@check("boto3 updates, reads and deletes endpoints, and gets Pinpoint's exceptions")
def _():
    # With what is escaped in a path.
    endpoint, user = f"us-east-1:{uuid.uuid4()}/é ü", f"user-{secrets.token_hex(4)}"
    answer = pinpoint.update_endpoint(
        ApplicationId=APP, EndpointId=endpoint,
        EndpointRequest={"ChannelType": "GCM", "Attributes": {"team": ["a"]}, "User": {"UserId": user}},
    )  # fmt: skip
    assert answer["MessageBody"]["Message"] == "Accepted" and len(answer["MessageBody"]["RequestID"]) == 36
    pinpoint.update_endpoints_batch(
        ApplicationId=APP, EndpointBatchRequest={"Item": [{"Id": endpoint, "Address": "token", "Attributes": {"team": []}}]}
    )
    found = pinpoint.get_endpoint(ApplicationId=APP, EndpointId=endpoint)["EndpointResponse"]
    assert found["Id"] == endpoint and found["Address"] == "token" and "team" not in found["Attributes"], found
    listed = pinpoint.get_user_endpoints(ApplicationId=APP, UserId=user)["EndpointsResponse"]["Item"]
    assert [item["Id"] for item in listed] == [endpoint]
    messages = pinpoint.get_in_app_messages(ApplicationId=APP, EndpointId=endpoint)
    assert messages["InAppMessagesResponse"] == {"InAppMessageCampaigns": []}
    assert pinpoint.delete_endpoint(ApplicationId=APP, EndpointId=endpoint)["EndpointResponse"]["Id"] == endpoint
    refused("NotFoundException", pinpoint.get_endpoint, ApplicationId=APP, EndpointId=endpoint)
    refused("NotFoundException", pinpoint.get_user_endpoints, ApplicationId=APP, UserId=user)
    response = refused("NotFoundException", pinpoint.get_endpoint, ApplicationId="unknown", EndpointId="e")
    assert response["Message"] == "Resource not found" and response["RequestID"]
    many = {str(number): {"EventType": "t", "Timestamp": now()} for number in range(101)}
    batch = {"BatchItem": {"e": {"Endpoint": {}, "Events": many}}}
    refused("BadRequestException", pinpoint.put_events, ApplicationId=APP, EventsRequest=batch)


@check("Kinesis and Firehose are refused, and not as if they had taken anything")
def _():
    kinesis, firehose = client("kinesis"), client("firehose")
    refused("UnknownOperationException", kinesis.put_record, StreamName="s", Data=b"x", PartitionKey="p")
    refused("UnknownOperationException", firehose.put_record, DeliveryStreamName="s", Record={"Data": b"x"})


@check("a guest sends events and may not look at the endpoints of others")
def _():
    credentials = guest()
    own = client(
        "pinpoint", aws_access_key_id=credentials["AccessKeyId"], aws_secret_access_key=credentials["SecretKey"],
        aws_session_token=credentials["SessionToken"],
    )  # fmt: skip
    own.update_endpoint(ApplicationId=APP, EndpointId="guest", EndpointRequest={"Demographic": {"Platform": "web"}})
    refused("ForbiddenException", own.get_user_endpoints, ApplicationId=APP, UserId="ada")
    refused("ForbiddenException", own.delete_endpoint, ApplicationId=APP, EndpointId="guest")


def endpoint_of_swift(moment):
    return {
        "Address": "", "Attributes": {}, "ChannelType": "APNS_SANDBOX",
        "Demographic": {
            "AppVersion": "1.0", "Locale": "en_GB", "Make": "apple", "Model": "iPhone", "ModelVersion": "17.1",
            "Platform": "iOS", "PlatformVersion": "17.1", "Timezone": "Europe/London",
        },
        "EffectiveDate": moment, "Location": {"Country": "GB"}, "Metrics": {}, "OptOut": "ALL",
        "RequestId": str(uuid.uuid4()).upper(), "User": {"UserId": "ada", "UserAttributes": {"plan": ["free"]}},
    }  # fmt: skip


@check("amplify-swift's batch of a session is accepted event by event, and again after an answer that was lost")
def _():
    credentials, endpoint, moment = guest(), str(uuid.uuid4()).upper(), now()
    session = {"Id": "0123456789abcdef-01020304-030405678", "StartTimestamp": moment}
    common = {
        "AppPackageName": "com.example.app", "AppTitle": "App", "AppVersionCode": "1", "Attributes": {},
        "ClientSdkVersion": "2.51.0", "Metrics": {}, "SdkName": "amplify-swift", "Timestamp": moment,
    }  # fmt: skip
    stop = {**session, "StopTimestamp": moment, "Duration": 1234}
    events = {
        str(uuid.uuid4()).upper(): {**common, "EventType": "_session.start", "Session": session},
        str(uuid.uuid4()).upper(): {
            **common, "EventType": "swift", "Session": session, "Attributes": {"screen": "Home"}, "Metrics": {"n": 1.0},
        },
        str(uuid.uuid4()).upper(): {**common, "EventType": "_session.stop", "Session": stop},
    }  # fmt: skip
    body = {"BatchItem": {endpoint: {"Endpoint": endpoint_of_swift(moment), "Events": events}}}
    for _ in range(2):
        status, headers, answer = send(SWIFT, "POST", f"/v1/apps/{APP}/events", body, credentials)
        assert status == 202 and headers["content-type"] == "application/json", (status, headers)
        result = answer["Results"][endpoint]
        assert result == {
            "EndpointItemResponse": ACCEPTED, "EventsItemResponse": {event: ACCEPTED for event in events},
        }  # fmt: skip
    found = {item["event"]: item["events"] for item in report("events", "--total")}
    assert found["swift"] == 1, found
    path = f"/v1/apps/{APP}/endpoints/{endpoint}"
    status, _, answer = send(SWIFT, "PUT", path, endpoint_of_swift(now()), credentials)
    assert status == 202 and answer["Message"] == "Accepted" and answer["RequestID"]
    status, _, answer = send(SWIFT, "GET", f"{path}/inappmessages", None, credentials)
    assert (status, answer) == (200, {"InAppMessageCampaigns": []})


@check("amplify-js asks for leave first, updates its endpoint, and puts events of which a page reads the answer")
def _():
    credentials, endpoint, moment = guest(), f"us-east-1:{uuid.uuid4()}", now()
    request = urllib.request.Request(f"{URL}/v1/apps/{APP}/events", method="OPTIONS", headers={
        "Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-amz-date,x-amz-security-token,x-amz-user-agent",
    })  # fmt: skip
    with urllib.request.urlopen(request) as answer:
        assert answer.status in (200, 204) and answer.headers["Access-Control-Allow-Origin"] in ("*", "http://localhost:3000")
        assert "x-amz-security-token" in answer.headers["Access-Control-Allow-Headers"].lower()
    update = {
        "RequestId": str(uuid.uuid4()), "EffectiveDate": moment, "Attributes": {},
        "Demographic": {"AppVersion": "5.0 (Macintosh)", "Make": "Chrome", "Model": "MacIntel", "Platform": "MacIntel",
                        "Locale": "en-GB", "ModelVersion": "138", "Timezone": "Europe/London"},
        "Location": {}, "Metrics": {}, "OptOut": "NONE", "User": {"UserId": "js", "UserAttributes": {}},
    }  # fmt: skip
    status, headers, answer = send(
        JS, "PUT", f"/v1/apps/{APP}/endpoints/{quote(endpoint, safe='')}", update, credentials)
    assert status == 202 and answer["Message"] == "Accepted", answer
    assert "x-amzn-requestid" in headers["access-control-expose-headers"].lower()
    session = {"Id": str(uuid.uuid4()), "StartTimestamp": moment}
    event = str(uuid.uuid4())
    body = {"BatchItem": {endpoint: {"Endpoint": {}, "Events": {event: {
        "EventType": "pageView", "Timestamp": moment, "Attributes": {"url": "http://localhost:3000/js"}, "Metrics": {},
        "Session": session,
    }}}}}  # fmt: skip
    status, _, answer = send(JS, "POST", f"/v1/apps/{APP}/events", body, credentials)
    assert status == 202 and answer["Results"][endpoint]["EventsItemResponse"] == {event: ACCEPTED}, answer
    screens = {item["screen"]: item["views"] for item in report("screens", "--total")}
    assert screens["http://localhost:3000/js"] == 1, screens


sys.exit(1 if failed else 0)
