"""Events of apps: instructions of an event in batches of 100, beside those of a create."""

import hashlib
import hmac
import http.client
import json
import uuid
from datetime import datetime, timezone

from .instructions import Counted
from .load import client
from .result import Result
from .rounds import SMALL

APP, KEY, SECRET = "benchmark", "AKIABENCHMARK", "benchmark-secret-of-the-key"
PATH = f"/v1/apps/{APP}/events"
BATCHES, EVENTS, CREATES = 20, 100, 1000
SETTINGS = {"analytics": {"appId": APP}, "accessKeys": [{"id": KEY, "secret": SECRET}]}


def batch(endpoint):
    """What amplify-swift sends of 100 events, in form."""
    moment = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    session = {"Id": "0123456789abcdef-01020304-030405678", "StartTimestamp": moment}
    events = {
        str(uuid.uuid4()): {
            "AppPackageName": "com.example.app", "AppTitle": "App", "AppVersionCode": "1", "ClientSdkVersion": "2.51.0",
            "EventType": f"screen-{number % 10}", "Timestamp": moment, "SdkName": "amplify-swift", "Session": session,
            "Attributes": {"screen": "Home", "color": "red", "plan": "free"}, "Metrics": {"price": 1.5},
        }
        for number in range(EVENTS)
    }  # fmt: skip
    demographic = {"AppVersion": "1.0", "Make": "apple", "Model": "iPhone", "Platform": "iOS", "PlatformVersion": "17.1"}
    members = {"Demographic": demographic, "EffectiveDate": moment, "User": {"UserId": endpoint}}
    return json.dumps({"BatchItem": {endpoint: {"Endpoint": members, "Events": events}}}).encode()


def signed(port, body):
    """The headers of a request, signed in version 4."""
    date = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    lines = {"content-type": "application/json", "host": f"127.0.0.1:{port}", "x-amz-date": date}
    names = ";".join(lines)
    head = "".join(f"{name}:{value}\n" for name, value in lines.items())
    canonical = f"POST\n{PATH}\n\n{head}\n{names}\n{hashlib.sha256(body).hexdigest()}"
    scope = f"{date[:8]}/us-east-1/mobiletargeting/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return lines | {
        "authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={names}, Signature={signature}"
    }


def events(bench):
    """instructions of an event in batches of 100, beside a create's"""
    with Counted(bench, bench.copy(SMALL, "events"), SETTINGS) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)

        def send():
            for number in range(BATCHES):
                body = batch(f"endpoint-{number}")
                connection.request("POST", PATH, body, signed(server.port, body))
                answer = connection.getresponse()
                text = answer.read()
                assert answer.status == 202 and text.count(b'"Accepted"') == EVENTS + 1, text[:300]

        def create():
            result = client(bench, server, {"create": 1}, f"requests:{CREATES}", SMALL, connections=1)
            assert not result["create"]["errors"], "create failed"

        costs = {}
        for name, work, number in (("event", send, BATCHES * EVENTS), ("create", create, CREATES)):
            # The second time the server has prepared every statement.
            for _ in range(2):
                work()
            costs[name] = server.count(work)[0] // number
    share = costs["event"] / costs["create"]
    result = Result("events in batches of 100", "≤ ⅓ of a create's instructions")
    result.found = f"{costs['event']:,} instructions for an event, {costs['create']:,} for a create: {share:.2f}"
    result.is_reached = share <= 1 / 3
    return result
