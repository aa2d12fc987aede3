"""GraphQL under rules with real clients: gql with the tokens of a user pool and with signatures, over HTTP and over its
AppSync transport; and requests signed by botocore, with access keys and with credentials of the identity pool.

    python3 graphql_clients.py http://127.0.0.1:20002

The server serves authorization.graphql with authorization.json. Every check has what is allowed and what is refused,
with the exact errors. Prints a line for each check and ends with 1 if one failed."""

import asyncio
import contextlib
import json
import os
import re
import secrets
import sys

import boto3
import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.appsync_auth import (
    AppSyncApiKeyAuthentication,
    AppSyncIAMAuthentication,
    AppSyncJWTAuthentication,
)
from gql.transport.appsync_websockets import AppSyncWebsocketsTransport
from gql.transport.exceptions import TransportQueryError, TransportServerError
from pycognito.aws_srp import AWSSRP

URL = sys.argv[1]
ENDPOINT, HOST = f"{URL}/graphql", URL.split("/")[2]
REGION, SECONDS = "us-east-1", 20
POOL, APP = "us-east-1_Notes", "notesapp"
IDENTITY_POOL = "us-east-1:0f1e2d3c-4b5a-4968-8776-655443322110"
PASSWORD = "Passw0rd!"
TOOLS = Credentials("AKIATOOLS", "secret/of+the+tools")
READER = Credentials("AKIAREADER", "secret/of+the+reader")
# gql takes the region from here; nothing is ever signed with a key of this machine.
os.environ |= {"AWS_DEFAULT_REGION": REGION, "AWS_EC2_METADATA_DISABLED": "true"}

failed = 0


def aws(service):
    """A client for operations that need no signature."""
    return boto3.client(
        service, endpoint_url=URL, region_name=REGION, aws_access_key_id="-", aws_secret_access_key="-")


idp, identities = aws("cognito-idp"), aws("cognito-identity")


def check(name):
    def run(function):
        global failed
        try:
            if asyncio.iscoroutinefunction(function):
                asyncio.run(asyncio.wait_for(function(), SECONDS))
            else:
                function()
            print("ok", name, flush=True)
        except Exception as error:  # A check that fails says why, and the others go on.
            failed += 1
            print("FAIL", name, repr(error), flush=True)

    return run


def new(prefix):
    return f"{prefix}-{secrets.token_hex(6)}"


def equal(found, expected):
    assert found == expected, f"{found} is not {expected}"


def unauthorized(field, parent="Query"):
    return [("Unauthorized", f"Not Authorized to access {field} on type {parent}", [field])]


# Callers.


def sign_in(name):
    return AWSSRP(name, PASSWORD, POOL, APP, client=idp).authenticate_user()["AuthenticationResult"]


def jwt(token):
    return AppSyncJWTAuthentication(HOST, token)


ada, ben, sue = sign_in("ada"), sign_in("ben"), sign_in("sue")
ADA, BEN, SUE = (jwt(tokens["AccessToken"]) for tokens in (ada, ben, sue))
KEY = AppSyncApiKeyAuthentication(HOST, "da2-fakeApiId123456")


def identity(tokens=None):
    """Credentials of the identity pool, of a guest or of a user."""
    logins = {"Logins": {f"cognito-idp.{REGION}.amazonaws.com/{POOL}": tokens["IdToken"]}} if tokens else {}
    found = identities.get_id(IdentityPoolId=IDENTITY_POOL, **logins)["IdentityId"]
    keys = identities.get_credentials_for_identity(IdentityId=found, **logins)["Credentials"]
    return Credentials(keys["AccessKeyId"], keys["SecretKey"], keys["SessionToken"])


GUEST, MEMBER = identity(), identity(ada)


def iam(credentials):
    return AppSyncIAMAuthentication(HOST, region_name=REGION, credentials=credentials)


# Requests of gql.


async def execute(auth, query, **variables):
    """The data and the errors of an operation over HTTP."""
    transport = AIOHTTPTransport(url=ENDPOINT, auth=auth)
    async with Client(transport=transport) as session:
        request = gql(query)
        request.variable_values = variables
        try:
            return await session.execute(request), []
        except TransportQueryError as error:
            return error.data, [(each["errorType"], each["message"], each["path"]) for each in error.errors]


async def refusal(auth, query="{ __typename }"):
    """The type and the text of the error of a request that is refused as a whole; gql does not keep the status."""
    async with Client(transport=AIOHTTPTransport(url=ENDPOINT, auth=auth)) as session:
        try:
            answer = await session.execute(gql(query))
        except TransportQueryError as error:
            assert error.data is None and len(error.errors) == 1 and "path" not in error.errors[0], error
            return error.errors[0]["errorType"], error.errors[0]["message"]
    raise AssertionError(f"{answer} is no refusal")


CREATE = "mutation ($id: ID!, $text: String) { create%s(input: {id: $id, text: $text}) { id text %s} }"
CREATE_NOTE, CREATE_NOTICE, CREATE_PLAN = CREATE % ("Note", "owner "), CREATE % ("Notice", ""), CREATE % ("Plan", "")


@contextlib.asynccontextmanager
async def listening(auth, query):
    """A list that the events of a subscription go into, once gql has seen its acknowledgement."""
    transport = AppSyncWebsocketsTransport(url=ENDPOINT.replace("http://", "ws://"), auth=auth)
    started = asyncio.Event()
    parse = transport._parse_answer

    def parse_answer(text):
        if json.loads(text).get("type") == "start_ack":
            started.set()
        return parse(text)

    transport._parse_answer = parse_answer
    async with Client(transport=transport) as session:
        found = []

        async def read():
            async for event in session.subscribe(gql(query)):
                found.append(event)

        task = asyncio.create_task(read())
        acknowledged = asyncio.create_task(started.wait())
        await asyncio.wait([task, acknowledged], return_when=asyncio.FIRST_COMPLETED, timeout=SECONDS)
        acknowledged.cancel()
        if task.done():
            task.result()
        try:
            yield found
        finally:
            task.cancel()


async def arrived(found, count):
    for _ in range(SECONDS * 100):
        if len(found) >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{found} has fewer than {count}")


async def refused_start(auth, query):
    try:
        async with listening(auth, query):
            pass
    except TransportQueryError as error:
        return [(each["errorType"], each["message"]) for each in error.errors[0]["errors"]]
    raise AssertionError("the subscription began")


async def refused_connection(auth):
    try:
        async with listening(auth, "subscription { onCreateNote { id } }"):
            pass
    except TransportServerError as error:
        return str(error)
    raise AssertionError("the connection was accepted")


# Requests that botocore signs.


def signed(credentials, query, variables=None, service="appsync", alter=lambda request: None, url=ENDPOINT):
    """The status, the data and the errors of a request."""
    body = json.dumps({"query": query, "variables": variables or {}})
    request = AWSRequest("POST", url, data=body, headers={"Content-Type": "application/json"})
    SigV4Auth(credentials, service, REGION).add_auth(request)
    prepared = request.prepare()
    alter(prepared)
    response = requests.post(url, data=prepared.body, headers=dict(prepared.headers), timeout=SECONDS)
    answer = response.json()
    if response.status_code != 200:
        equal(response.headers["x-amzn-ErrorType"], answer["errors"][0]["errorType"])
        equal(set(answer), {"errors"})
        return response.status_code, answer["errors"][0]["errorType"], answer["errors"][0]["message"]
    errors = [(each["errorType"], each["message"], each["path"]) for each in answer.get("errors", [])]
    return response.status_code, answer["data"], errors


MISMATCH = (
    403, "InvalidSignatureException",
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details.")
UNKNOWN = (403, "UnrecognizedClientException", "The security token included in the request is invalid.")


@check("gql, tokens over HTTP: an owner's note is hers alone, and the staff reads it")
async def _():
    note = new("note")
    made = {"id": note, "text": "Milk", "owner": "ada"}
    equal(await execute(ADA, CREATE_NOTE, id=note, text="Milk"), ({"createNote": made}, []))
    get = "query ($id: ID!) { getNote(id: $id) { id text owner } }"
    equal(await execute(ADA, get, id=note), ({"getNote": made}, []))
    for auth in (jwt(ada["IdToken"]), jwt("Bearer " + ada["IdToken"]), SUE):
        equal(await execute(auth, get, id=note), ({"getNote": made}, []))
    equal(await execute(BEN, get, id=note), ({"getNote": None}, unauthorized("getNote")))
    equal(await execute(KEY, get, id=note), ({"getNote": None}, unauthorized("getNote")))
    listed = "{ listNotes { items { id } } }"
    for auth, sees in ((ADA, True), (SUE, True), (BEN, False)):
        data, errors = await execute(auth, listed)
        assert ({"id": note} in data["listNotes"]["items"]) is sees and errors == [], data
    equal(await execute(KEY, listed), ({"listNotes": None}, unauthorized("listNotes")))
    update = "mutation ($id: ID!) { updateNote(input: {id: $id, text: \"Mine\"}) { text } }"
    delete = "mutation ($id: ID!) { deleteNote(input: {id: $id}) { text } }"
    for auth in (BEN, SUE, KEY):
        equal(await execute(auth, update, id=note), ({"updateNote": None}, unauthorized("updateNote", "Mutation")))
        equal(await execute(auth, delete, id=note), ({"deleteNote": None}, unauthorized("deleteNote", "Mutation")))
    equal(await execute(BEN, update, id="none"), ({"updateNote": None}, unauthorized("updateNote", "Mutation")))
    equal(await execute(ADA, get, id=note), ({"getNote": made}, []))
    equal(await execute(ADA, update, id=note), ({"updateNote": {"text": "Mine"}}, []))
    equal(await execute(ADA, delete, id=note), ({"deleteNote": {"text": "Mine"}}, []))
    equal(await execute(ADA, get, id=note), ({"getNote": None}, []))


@check("gql, tokens over HTTP: an altered, a foreign and a signed-out token are refused")
async def _():
    head, claims, signature = ada["AccessToken"].split(".")
    other = ben["AccessToken"].split(".")
    tokens = [
        "nonsense", f"{head}.{claims}.", f"{head}.{other[1]}.{signature}", f"{head}.{claims}.{other[2]}",
        f"{head}.{claims}.{signature[:-8]}AAAAAAAA", ada["RefreshToken"],
    ]
    for token in tokens:
        equal(await refusal(jwt(token)), ("UnauthorizedException", "Unable to parse JWT token."))
    again = sign_in("ben")
    auth = jwt(again["AccessToken"])
    equal(await execute(auth, "{ __typename }"), ({"__typename": "Query"}, []))
    idp.revoke_token(Token=again["RefreshToken"], ClientId=APP)
    denied = ("UnauthorizedException", "You are not authorized to make this call.")
    equal(await refusal(auth), denied)
    equal(await refusal(AppSyncApiKeyAuthentication(HOST, "da2-wrong")), denied)
    equal(await execute(BEN, "{ __typename }"), ({"__typename": "Query"}, []))


@check("gql, tokens over the AppSync transport: subscribers see the notes that they may read, live")
async def _():
    live = "subscription { onCreateNote { id text owner } }"
    first, second, last, own, end = (new("live") for _ in range(5))
    async with listening(ADA, live) as hers, listening(BEN, live) as his, listening(SUE, live) as staff:
        await execute(ADA, CREATE_NOTE, id=first, text="Hers")
        await execute(BEN, CREATE_NOTE, id=second, text="His")
        await execute(ADA, CREATE_NOTE, id=last, text="Hers too")
        await execute(BEN, CREATE_NOTE, id=own, text="His too")
        await execute(ADA, CREATE_NOTE, id=end, text="The end")
        # A subscription receives events in the order of the writes: one that is not its own would stand before these.
        await arrived(his, 2)
        await arrived(hers, 3)
        await arrived(staff, 5)

        def event(note, text, owner):
            return {"onCreateNote": {"id": note, "text": text, "owner": owner}}

        adas = [event(first, "Hers", "ada"), event(last, "Hers too", "ada"), event(end, "The end", "ada")]
        bens = [event(second, "His", "ben"), event(own, "His too", "ben")]
        equal(hers, adas)
        equal(his, bens)
        equal(staff, [adas[0], bens[0], adas[1], bens[1], adas[2]])


@check("gql, tokens over the AppSync transport: what is refused at the connection and at a start")
async def _():
    live = "subscription { onCreateNote { id } }"
    field = [("Unauthorized", "Not Authorized to access onCreateNote on type Subscription")]
    equal(await refused_start(KEY, live), field)
    equal(await refused_start(BEN, "subscription { onCreateNote(owner: \"ada\") { id } }"), field)
    async with listening(ADA, "subscription { onCreateNote(owner: \"ada\") { id } }"):
        pass
    text = await refused_connection(jwt(ada["AccessToken"][:-8] + "AAAAAAAA"))
    for part in ("'errorType': 'UnauthorizedException'", "'message': 'Unable to parse JWT token.'", "'errorCode': 401"):
        assert part in text, text


@check("gql, signatures over HTTP: guests read notices, members write them, and neither reads notes")
async def _():
    notice = new("notice")
    made = {"id": notice, "text": "Closed"}
    equal(await execute(iam(MEMBER), CREATE_NOTICE, id=notice, text="Closed"), ({"createNotice": made}, []))
    get = "query ($id: ID!) { getNotice(id: $id) { id text } }"
    for credentials in (MEMBER, GUEST, TOOLS):
        equal(await execute(iam(credentials), get, id=notice), ({"getNotice": made}, []))
    denied = unauthorized("createNotice", "Mutation")
    equal(await execute(iam(GUEST), CREATE_NOTICE, id=new("notice")), ({"createNotice": None}, denied))
    equal(await execute(ADA, get, id=notice), ({"getNotice": None}, unauthorized("getNotice")))
    # No rule of notes and plans is about guests, so these are in no policy of theirs: the whole request is refused.
    permission = ("UnauthorizedException", "Permission denied")
    for query in ("{ listPlans { items { id } } }", "{ listNotes { items { id } } }"):
        equal(await refusal(iam(GUEST), query), permission)
    equal(await refusal(iam(MEMBER), "{ listNotes { items { id } } }"), permission)
    listed = {"listPlans": {"__typename": "ModelPlanConnection"}}
    equal(await execute(iam(MEMBER), "{ listPlans(limit: 1) { __typename } }"), (listed, []))


@check("gql, signatures over the AppSync transport: guests and members receive notices, and guests no plans")
async def _():
    notices, plans = "subscription { onCreateNotice { id text } }", "subscription { onCreatePlan { id } }"
    async with listening(iam(GUEST), notices) as guest, listening(iam(MEMBER), notices) as member, \
            listening(iam(MEMBER), plans) as planned, listening(iam(TOOLS), plans) as tools:
        notice, plan = new("notice"), new("plan")
        await execute(iam(MEMBER), CREATE_NOTICE, id=notice, text="Open")
        await execute(iam(MEMBER), CREATE_PLAN, id=plan)
        for found in (guest, member):
            await arrived(found, 1)
            equal(found, [{"onCreateNotice": {"id": notice, "text": "Open"}}])
        for found in (planned, tools):
            await arrived(found, 1)
            equal(found, [{"onCreatePlan": {"id": plan}}])
    equal(await refused_start(iam(GUEST), plans), [("UnauthorizedException", "Permission denied")])
    wrong = Credentials(GUEST.access_key, "wrong", GUEST.token)
    text = await refused_connection(iam(wrong))
    assert "'errorType': 'UnauthorizedException'" in text and "'errorCode': 401" in text, text


@check("botocore, credentials of the identity pool: guests and members have the policies of their roles")
def _():
    notice = new("notice")
    values = {"id": notice, "text": "Signed"}
    equal(signed(MEMBER, CREATE_NOTICE, values), (200, {"createNotice": values}, []))
    get = "query ($id: ID!) { getNotice(id: $id) { id text } }"
    for credentials in (MEMBER, GUEST):
        equal(signed(credentials, get, {"id": notice}), (200, {"getNotice": values}, []))
    denied = unauthorized("createNotice", "Mutation")
    equal(signed(GUEST, CREATE_NOTICE, {"id": new("n")}), (200, {"createNotice": None}, denied))
    permission = (401, "UnauthorizedException", "Permission denied")
    equal(signed(GUEST, "{ listPlans { nextToken } }"), permission)
    equal(signed(GUEST, CREATE_PLAN, {"id": new("p")}), permission)
    equal(signed(MEMBER, "{ listNotes { nextToken } }"), permission)
    # Of several root fields those that are permitted are answered.
    both = "query ($id: ID!) { getNotice(id: $id) { id } listPlans { nextToken } }"
    found = {"getNotice": {"id": notice}, "listPlans": None}
    equal(signed(GUEST, both, {"id": notice}), (200, found, unauthorized("listPlans")))
    plan = {"id": new("plan"), "text": "Members"}
    equal(signed(MEMBER, CREATE_PLAN, plan), (200, {"createPlan": plan}, []))
    # The session of one with the key of another, and an altered one.
    equal(signed(Credentials(GUEST.access_key, GUEST.secret_key, MEMBER.token), "{ __typename }"), UNKNOWN)
    equal(signed(Credentials(GUEST.access_key, GUEST.secret_key, GUEST.token + "A"), "{ __typename }"), UNKNOWN)
    equal(signed(Credentials(GUEST.access_key, GUEST.secret_key), "{ __typename }"), UNKNOWN)
    equal(signed(Credentials(GUEST.access_key, "wrong", GUEST.token), "{ __typename }"), MISMATCH)


@check("botocore, access keys: a key with an admin role has every model, and another what its resources and rules say")
def _():
    note = {"id": new("note"), "text": "By the tools"}
    made = signed(TOOLS, CREATE_NOTE, note)
    equal((made[0], made[1]["createNote"]["id"], made[2]), (200, note["id"], []))
    update = "mutation ($id: ID!) { updateNote(input: {id: $id, text: \"Again\"}) { text } }"
    equal(signed(TOOLS, update, {"id": note["id"]}), (200, {"updateNote": {"text": "Again"}}, []))
    plan = {"id": new("plan"), "text": "By the tools"}
    equal(signed(TOOLS, CREATE_PLAN, plan), (200, {"createPlan": plan}, []))
    get = "query ($id: ID!) { getPlan(id: $id) { id } }"
    equal(signed(READER, get, {"id": plan["id"]}), (200, {"getPlan": None}, unauthorized("getPlan")))
    equal(signed(READER, CREATE_PLAN, {"id": new("p")}), (401, "UnauthorizedException", "Permission denied"))
    equal(signed(Credentials("AKIASIGNIN", "secret/of+sign-in"), "{ __typename }"), UNKNOWN)
    equal(signed(Credentials("AKIANOBODY", "secret"), "{ __typename }"), UNKNOWN)


@check("botocore, altered requests: every part of a signature is verified")
def _():
    equal(signed(TOOLS, "{ __typename }"), (200, {"__typename": "Query"}, []))

    def body(request):
        request.body = request.body.replace("__typename", "listNotes{nextToken}")

    def altering(name, pattern, replacement):
        def alter(request):
            request.headers[name], count = re.subn(pattern, replacement, request.headers[name], count=1)
            assert count == 1, request.headers[name]
        return alter

    for alter in (
        body,
        altering("Authorization", f"/{REGION}/", "/eu-west-1/"),
        altering("Authorization", "/appsync/", "/cognito-idp/"),
        altering("Authorization", "(Signature=.*)[0-9a-f]", r"\1x"),
        altering("Authorization", "(Signature=.*)([0-7])", lambda match: match[1] + str(int(match[2]) + 1)),
        altering("Authorization", "Credential=AKIATOOLS/", "Credential=AKIAREADER/"),
        altering("Authorization", "SignedHeaders=content-type;", "SignedHeaders="),
        altering("Content-Type", "json", "graphql"),
        altering("X-Amz-Date", "[0-9]Z", "xZ"),
    ):
        answer = signed(TOOLS, "{ __typename }", alter=alter)
        assert answer[:2] in ((403, "InvalidSignatureException"), (400, "IncompleteSignatureException")), answer
    equal(signed(TOOLS, "{ __typename }", alter=body), MISMATCH)
    equal(signed(Credentials(TOOLS.access_key, "wrong"), "{ __typename }"), MISMATCH)
    equal(signed(TOOLS, "{ __typename }", service="cognito-idp"), MISMATCH)

    def beside(request):
        request.headers["x-api-key"] = "da2-fakeApiId123456"

    # A signature goes before a key: with both, the caller is the signer.
    equal(signed(TOOLS, "{ listNotes(limit: 1) { nextToken } }", alter=beside)[2], [])
    equal(signed(Credentials(TOOLS.access_key, "wrong"), "{ __typename }", alter=beside), MISMATCH)


sys.exit(1 if failed else 0)
