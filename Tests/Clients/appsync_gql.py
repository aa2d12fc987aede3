"""The Python client gql, its AppSync transport, against the chat: a client that was written for the service.

    appsync_gql.py ENDPOINT

Subscribes with and without arguments, over one socket and over two, writes by HTTP, and compares what arrives. Every
wait has a deadline. Prints what was checked; ends with 1 when something differs.
"""

import asyncio
import json
import sys
import urllib.request

from gql import Client, gql
from gql.transport.appsync_auth import AppSyncApiKeyAuthentication
from gql.transport.appsync_websockets import AppSyncWebsocketsTransport
from gql.transport.exceptions import TransportQueryError, TransportServerError

ENDPOINT = sys.argv[1]
HOST = ENDPOINT.split("/")[2]
KEY = "da2-fakeApiId123456"
SECONDS = 15


def transport(key=KEY):
    # gql keeps the scheme of the URL: an endpoint in clear text is dialled as ws://.
    url = ENDPOINT.replace("http://", "ws://")
    return AppSyncWebsocketsTransport(url=url, auth=AppSyncApiKeyAuthentication(host=HOST, api_key=key))


def execute(query, **variables):
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = urllib.request.Request(ENDPOINT, body, {"content-type": "application/json", "x-api-key": KEY})
    with urllib.request.urlopen(request, timeout=SECONDS) as response:
        answer = json.load(response)
    assert "errors" not in answer, answer
    return answer["data"]


async def write(query, **variables):
    return await asyncio.get_running_loop().run_in_executor(None, lambda: execute(query, **variables))


async def events(session, query, count, ready=None):
    """The first events of a subscription."""
    found = []
    iterator = session.subscribe(gql(query))
    if ready:
        ready.set()
    async for event in iterator:
        found.append(event)
        if len(found) == count:
            return found


MESSAGE = """mutation ($id: ID!, $body: String!) {
  createMessage(input: {id: $id, body: $body, messageAuthorId: "gql-ada", messageThreadId: "gql-thread"}) {
    id body author { username } thread { id name } } }"""


async def two_subscribers_hear_the_same():
    listening = "subscription { onCreateMessage { id body author { username } } }"
    async with Client(transport=transport()) as one, Client(transport=transport()) as two:
        heard = [asyncio.create_task(events(session, listening, 3)) for session in (one, one, two)]
        deleted = asyncio.create_task(events(two, "subscription { onDeleteMessage { id body } }", 1))
        await acknowledged(one, 2)
        await acknowledged(two, 2)
        for number in range(3):
            await write(MESSAGE, id=f"gql-m{number}", body=f"Message {number}")
        await write('mutation { deleteMessage(input: {id: "gql-m1"}) { id body } }')
        expected = [
            {"onCreateMessage": {"id": f"gql-m{number}", "body": f"Message {number}", "author": {"username": "Ada"}}}
            for number in range(3)
        ]
        for task in heard:
            assert await task == expected, task.result()
        assert await deleted == [{"onDeleteMessage": {"id": "gql-m1", "body": "Message 1"}}], deleted.result()


async def acknowledged(session, count):
    """gql keeps to itself that a subscription was acknowledged: ask until a probe's event comes through."""
    probe = "subscription { onCreateThread { id } }"
    task = asyncio.create_task(events(session, probe, 1))
    # The server reads a socket's messages in order: when the probe hears, what was sent before it is registered.
    number = 0
    while not task.done():
        number += 1
        name = f"probe-{id(session)}-{count}-{number}"
        await write('mutation ($id: ID!) { createThread(input: {id: $id, name: "x", location: "y"}) { id } }', id=name)
        await asyncio.wait([task], timeout=0.05)
    await task


async def an_invalid_document_is_refused_and_the_socket_lives():
    async with Client(transport=transport()) as session:
        try:
            await events(session, "subscription { onCreateNothing { id } }", 1)
        except TransportQueryError as error:
            assert "FieldUndefined" in str(error), error
        else:
            raise AssertionError("the document was accepted")
        await acknowledged(session, 1)


async def a_wrong_key_is_refused():
    try:
        async with Client(transport=transport(key="da2-wrong")):
            raise AssertionError("the key was accepted")
    except TransportServerError as error:
        assert "not authorized" in str(error), error


async def main():
    await write('mutation { createUser(input: {id: "gql-ada", sub: "s-1", username: "Ada"}) { id } }')
    await write('mutation { createThread(input: {id: "gql-thread", name: "Groceries", location: "SW1A"}) { id } }')
    for check in (
        two_subscribers_hear_the_same,
        an_invalid_document_is_refused_and_the_socket_lives,
        a_wrong_key_is_refused,
    ):
        await asyncio.wait_for(check(), SECONDS)
        print("gql:", check.__name__.replace("_", " "))


asyncio.run(main())
