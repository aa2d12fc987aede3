"""The console's server for tests: serves Console/ with the exact policy, and answers the operators' API with seeded data.

    python3 mock_server.py --port 20999 --link LINK [--role viewer] [--mode serve] [--empty] [--slow MILLISECONDS]

Test-time only. A million bookings are made when they are read. Writes are kept in memory and published on the live
channel, so that two tabs see each other. Nothing here is part of the product."""

import argparse
import asyncio
import collections
import csv
import functools
import gzip
import hashlib
import io
import json
import re
import secrets
import time
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import unquote

import graphql
import mock_schema
from aiohttp import WSMsgType, web
from sources import without_comments

ROOT = Path(__file__).resolve().parent.parent.parent
CONSOLE, BUILT = ROOT / "Console", ROOT / ".build" / "console"
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2"}
BOOKINGS = 1_000_000
COUNT_MAX = 10_000
SCAN_MAX = 12_000
MULTIPLIER, MODULUS = 2654435761, 1 << 32
INVERSE = pow(MULTIPLIER, -1, MODULUS)
NOW = datetime.now(timezone.utc)
CSP = ("default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
       "connect-src 'self'; media-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
TRUSTED = "; require-trusted-types-for 'script'; trusted-types 'none'"

GUESTS = ["Ж. Иванова", "ada.lovelace", "Sam Hart", "Renée Ōkubo", "m.dupont", "noor", "Priya Nair", "Jón Þór", "li wei", "oluwaseun", "Greta B.", "tomás", "kenji.m", "A. Farouk"]
ROOMS = [("Sea view double", "Nantes"), ("Attic studio", "Nantes"), ("Courtyard twin", "Lyon"), ("Garden suite", "Porto"), ("Family loft", "Lyon"), ("Blue room", "Nantes")]
NOTES = ["Late arrival, after 22:00", "", "Cot in the room, please", None, "Gluten-free breakfast", "Two keys", "Anniversary", "Ground floor if there is one", "Will pay in cash"]


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def field(name, type_, required=False, kind="scalar", **more):
    return {"name": name, "type": type_, "kind": kind, "required": required, "list": False, **more}


META = [field("createdAt", "AWSDateTime", True, readOnly=True), field("updatedAt", "AWSDateTime", True, readOnly=True)]
VERSIONED = [field("_version", "Int", True, readOnly=True), field("_lastChangedAt", "AWSTimestamp", True, readOnly=True)]


def model(name, fields, title, keys=(), kind="model", versioned=False):
    return {"name": name, "kind": kind, "table": name, "count": {"value": 0, "exact": True}, "bytes": 4096, "versioned": versioned, "title": title,
            "keys": [{"name": None, "primary": True, "partition": "id", "sort": []}, *keys],
            "fields": [field("id", "ID", True, readOnly=True), *fields, *(VERSIONED if versioned else []), *META]}


def sources():
    return [
        model("Booking", [field("guestId", "ID", True), field("room", "Room", True, "belongsTo", keys=["roomID"]), field("roomID", "ID", True), field("checkInDate", "AWSDate", True),
                          field("checkOutDate", "AWSDate", True), field("note", "String"), field("reviews", "Review", False, "hasMany")], ["guestId", "checkInDate"],
              [{"name": "byRoom", "partition": "roomID", "sort": ["checkInDate"], "queryField": "bookingsByRoom"}], versioned=True),
        model("Room", [field("description", "String", True), field("city", "String", True), field("price", "Int"), field("kind", "RoomKind", kind="enum", values=["SINGLE", "DOUBLE", "SUITE"]), field("seaView", "Boolean"),
                       field("tags", "String", **{"list": True}), field("address", "Address", kind="custom", fields=[field("street", "String", True), field("city", "String"), field("floor", "Int")]), field("bookings", "Booking", False, "hasMany")], ["description"],
              [{"name": "byCity", "partition": "city", "sort": [], "queryField": "roomsByCity"}]),
        model("User", [field("username", "String", True), field("email", "AWSEmail"), field("phone", "AWSPhone"), field("website", "AWSURL"), field("address", "AWSIPAddress"), field("birthday", "AWSDate"), field("wakes", "AWSTime"),
                       field("lastSeen", "AWSDateTime"), field("since", "AWSTimestamp"), field("settings", "AWSJSON"), field("score", "Float"), field("visits", "Int")], ["username"]),
        model("Review", [field("text", "String", True), field("stars", "Int", True), field("booking", "Booking", True, "belongsTo", keys=["bookingID"]), field("bookingID", "ID", True)], ["text"]),
        model("Amenity", [field("name", "String", True), field("rooms", "RoomAmenity", False, "hasMany")], ["name"]),
        model("RoomAmenity", [field("room", "Room", True, "belongsTo", keys=["roomID"]), field("roomID", "ID", True), field("amenity", "Amenity", True, "belongsTo", keys=["amenityID"]), field("amenityID", "ID", True)], [], kind="join"),
    ]


def chat_sources():
    """The chat of the third tutorial. As in version 1, the key of a message's author is no field."""
    by = lambda name, partition, sort=(): {"name": name, "partition": partition, "sort": list(sort), "queryField": name}
    return [
        model("User", [field("username", "String", True), field("postcode", "String"), field("threads", "UserThread", False, "hasMany"), field("messages", "Message", False, "hasMany")], ["username"]),
        model("Thread", [field("name", "String", True), field("users", "UserThread", False, "hasMany"), field("messages", "Message", False, "hasMany")], ["name"]),
        model("UserThread", [field("user", "User", True, "belongsTo", keys=["userID"]), field("userID", "ID", True), field("thread", "Thread", True, "belongsTo", keys=["threadID"]), field("threadID", "ID", True)], [], [by("byUser", "userID"), by("byThread", "threadID")], kind="join"),
        model("Message", [field("thread", "Thread", True, "belongsTo", keys=["threadID"]), field("threadID", "ID", True), field("author", "User", False, "belongsTo", keys=["authorID"]), field("body", "String", True)], ["body"], [by("messagesByThread", "threadID", ["createdAt"])]),
        model("Reaction", [field("emoji", "String", True), field("message", "Message", True, "belongsTo", keys=["messageID"]), field("messageID", "ID", True)], ["emoji"]),
    ]


# A key that is no field of the API; the operators' filter has it all the same.
HIDDEN = ("authorID",)


def chat_item(model_, n):
    made = {"createdAt": stamp(NOW - timedelta(minutes=500 - n)), "updatedAt": stamp(NOW)}
    people, threads = ["ada", "noor", "kenji"], ["t-lunch", "t-work"]
    return {"User": lambda: {"id": people[n], "username": people[n].title()}, "Thread": lambda: {"id": threads[n], "name": threads[n][2:].title()},
            "UserThread": lambda: {"id": f"ut-{n}", "userID": people[n % 3], "threadID": threads[n % 2]}, "Message": lambda: {"id": f"m-{n:03d}", "threadID": threads[n % 2], "authorID": people[n % 3], "body": f"Message {n}"}}[model_]() | made


class Fault(Exception):
    def __init__(self, status, code, message, **more):
        self.status, self.body = status, {"error": {"code": code, "message": message, "requestId": f"{secrets.token_hex(4)}-0000-4000-8000-000000000000", **more}}


class Table:
    """Items of a model: made by number, with what was written over them."""

    def __init__(self, source, size, make):
        self.source, self.size, self.make = source, size, make
        self.written, self.created, self.numbers = {}, [], {}

    def item(self, number):
        made = self.make(number)
        return self.written.get(made["id"]) or self.wrap(made)

    def wrap(self, values):
        source = self.source
        names = [one["name"] for one in source["fields"] if one["kind"] in ("scalar", "enum", "custom")]
        item = {"key": [values["id"]], "values": {**values}, "deleted": False, "links": {}}
        item["absent"] = [name for name in names if name not in item["values"]]
        if source["versioned"]:
            item["version"] = values["_version"]
        item["changedAt"] = values.get("updatedAt")
        return item

    @property
    def total(self):
        return self.size + len(self.created)

    def at(self, number):
        if number < len(self.created):
            return self.written[self.created[number]]
        return self.item(number - len(self.created))

    def find(self, key):
        if key in self.written:
            return None if self.written[key]["deleted"] and not self.source["versioned"] else self.written[key]
        number = self.number(key)
        return None if number is None else self.item(number)

    def number(self, key):
        if self.source["name"] == "Booking":
            try:
                number = (int(key[:8], 16) * INVERSE) % MODULUS
            except ValueError:
                return None
            return number if number < self.size and self.make(number)["id"] == key else None
        if not self.numbers:
            self.numbers = {self.make(n)["id"]: n for n in range(self.size)}
        return self.numbers.get(key)


@functools.lru_cache(maxsize=50_000)
def booking(n):
    seed = hashlib.blake2b(str(n).encode(), digest_size=12).digest()
    first = f"{(n * MULTIPLIER) % MODULUS:08x}"
    start = date(2026, 12, 1) + timedelta(days=(n // 2) % 3650)
    values = {"id": f"{first}-{seed[:2].hex()}-4{seed[2:4].hex()[1:]}-9{seed[4:6].hex()[1:]}-{seed[6:12].hex()}", "guestId": GUESTS[seed[0] % len(GUESTS)], "roomID": f"r-{n % 42:02d}" if n >= 6 else f"r-{n:02d}", "checkInDate": start.isoformat(),
              "checkOutDate": (start + timedelta(days=1 + seed[1] % 7)).isoformat(), "_version": 1 + seed[2] % 5}
    changed = NOW - timedelta(seconds=120 + (n * 3571) % 200_000)
    values["_lastChangedAt"] = int(changed.timestamp() * 1000)
    values["createdAt"] = stamp(changed - timedelta(days=3))
    values["updatedAt"] = stamp(changed)
    if seed[3] % 3 == 0:
        values["note"] = NOTES[seed[4] % len(NOTES)]
    return values


@functools.lru_cache
def room(n):
    name, city = ROOMS[n % len(ROOMS)]
    values = {"id": f"r-{n:02d}", "description": name if n < 6 else f"{name} {n}", "city": city, "price": 60 + n * 5, "kind": ["SINGLE", "DOUBLE", "SUITE"][n % 3], "seaView": n % 4 == 0, "createdAt": stamp(NOW - timedelta(days=30)), "updatedAt": stamp(NOW - timedelta(days=2))}
    if n % 2 == 0:
        values["tags"] = ["quiet", "balcony"]
        values["address"] = {"street": f"{n + 1} Rue de la Paix", "city": city}
    return values


def user(n):
    name = f"{GUESTS[n % len(GUESTS)]} {n}" if n >= len(GUESTS) else GUESTS[n]
    values = {"id": f"u-{n:03d}", "username": name, "email": f"user{n}@example.com", "score": n / 7, "visits": n * 3, "since": 1_700_000_000 + n * 86_400, "createdAt": stamp(NOW - timedelta(days=60)), "updatedAt": stamp(NOW - timedelta(days=n % 40))}
    if n % 3 == 0:
        values |= {"phone": "+44 20 7946 0018", "website": "https://example.com/a/rather/long/path/to/a/page", "lastSeen": stamp(NOW - timedelta(hours=n)), "settings": json.dumps({"theme": "dark", "lines": list(range(40))})}
    if n == 1:
        values["username"] = "<img src=x onerror=alert(1)>"
    return values


class Server:
    def __init__(self, options):
        self.options = options
        self.sources = [] if options.empty else chat_sources() if options.chat else sources()
        sizes = {"Booking": BOOKINGS, "Room": 42, "User": 318, "Review": 0, "RoomAmenity": 97, "Amenity": 3}
        plain = {"createdAt": stamp(NOW), "updatedAt": stamp(NOW)}
        makers = {"Booking": booking, "Room": room, "User": user, "Review": None, "Amenity": lambda n: {"id": f"am-{n}", "name": ["Wi-Fi", "Bath", "Desk"][n], **plain}, "RoomAmenity": lambda n: {"id": f"a-{n}", "roomID": f"r-{n % 42:02d}", "amenityID": f"am-{(n + n // 42) % 3}", **plain}}
        if options.chat:
            sizes = {"User": 3, "Thread": 2, "UserThread": 6, "Message": 40, "Reaction": 0}
            makers = {name: functools.partial(chat_item, name) for name in sizes}
        self.tables = {one["name"]: Table(one, sizes[one["name"]], makers[one["name"]]) for one in self.sources}
        self.links = {options.link}
        self.kept = Path(options.sessions) if options.sessions else None
        self.sessions, self.jobs, self.live, self.number = {}, {}, [], time.time_ns() // 1000
        self.recent, self.loop = collections.deque(maxlen=1000), None
        self.subscribers, self.requests, self.recording = [], [], None
        self.schema = self.graphql_schema()
        self.seed_requests()
        if self.kept and self.kept.exists():
            self.sessions = json.loads(self.kept.read_text())

    # Access ------------------------------------------------------------------------------------------------

    def session(self, request):
        return self.sessions.get(request.cookies.get(f"syncline-{self.options.port}"))

    def guard(self, request):
        if request.host not in (f"127.0.0.1:{self.options.port}", f"localhost:{self.options.port}"):
            raise Fault(421, "misdirected", "This server does not answer under this name.")
        origin = request.headers.get("Origin")
        if origin and origin != f"http://{request.host}":
            raise Fault(403, "forbidden", "Requests from other pages are refused.")
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise Fault(403, "forbidden", "Requests from other pages are refused.")

    def need(self, request, role=None):
        session = self.session(request)
        if not session:
            raise Fault(401, "signed_out", "No session, or it ended.", hint="Sign in with a new link.")
        if request.method != "GET" and request.headers.get("x-syncline-csrf") != session["csrf"]:
            raise Fault(403, "forbidden", "The request lacks the session's secret.")
        ranks = ["viewer", "editor", "owner"]
        if role and ranks.index(session["role"]) < ranks.index(role):
            raise Fault(403, "forbidden", f"Needs the {role} role.")
        return session

    async def sign_in(self, request):
        body = await request.json()
        if body.get("link") in self.links:
            self.links.discard(body["link"])
        elif (body.get("name"), body.get("password")) != ("ada", "correct horse"):
            raise Fault(401, "signed_out", "This link was used already, or is too old." if "link" in body else "Name or password is wrong.", hint="Print a new one with: syncline console --print" if "link" in body else None)
        token = secrets.token_urlsafe(32)
        self.sessions[token] = {"operator": "owner" if self.options.role == "owner" else "vera", "role": self.options.role, "csrf": secrets.token_urlsafe(16)}
        if self.kept:
            self.kept.write_text(json.dumps(self.sessions))
        answer = web.json_response(self.session_body(self.sessions[token]), status=201)
        answer.set_cookie(f"syncline-{self.options.port}", token, httponly=True, samesite="Strict", path="/operators")
        return answer

    def session_body(self, session):
        return {**session, "environment": "dev" if self.options.mode == "dev" else "production", "mode": self.options.mode, "version": "0.1.0", "serverId": "mock", "project": "Room booking", "expiresAt": stamp(NOW + timedelta(days=30)),
                "hosts": [f"127.0.0.1:{self.options.port}", f"192.168.1.20:{self.options.port}"], "capabilities": ["data"] if self.options.plain else ["data", "live", "bulk", "generate", "identities", "query", "logs", "functionCalls", "logLines", "metrics", "schema", "users", *(["access"] if not self.options.empty else [])]}

    # Items -------------------------------------------------------------------------------------------------

    def linked(self, source, item):
        item = {**item, "links": {}}
        if self.options.plain:
            values = {name: value for name, value in item["values"].items() if not name.startswith("_")}
            return {name: value for name, value in item.items() if name != "links"} | {"values": values}
        for one in source["fields"]:
            if one["kind"] == "belongsTo":
                key = item["values"].get(one["keys"][0])
                found = self.tables[one["type"]].find(key) if key else None
                if found:
                    target = self.tables[one["type"]].source
                    item["links"][one["name"]] = {"key": found["key"], "title": ", ".join(str(found["values"].get(name, "")) for name in target["title"]) or key}
        return item

    def matches(self, source, item, wanted):
        if not wanted:
            return True
        for name, part in wanted.items():
            if name == "and":
                if not all(self.matches(source, item, one) for one in part):
                    return False
            elif name == "or":
                if not any(self.matches(source, item, one) for one in part):
                    return False
            else:
                one = next((f for f in source["fields"] if f["name"] == name), field(name, "ID") if name in HIDDEN else None)
                if one is None:
                    raise Fault(422, "invalid", f"{source['name']} has no field {name}.", field=name)
                if one["kind"] == "belongsTo":
                    target = self.tables[one["type"]]
                    found = target.find(item["values"].get(one["keys"][0]))
                    if not found or not self.matches(target.source, found, part):
                        return False
                elif not all(compare(item["values"].get(name, Ellipsis), op, value) for op, value in part.items()):
                    return False
        return True

    def list(self, name, query):
        table = self.table(name)
        source = table.source
        wanted = json.loads(query.get("filter", "null"))
        order, descending = query.get("order"), query.get("direction", "").startswith("desc")
        limit, offset = min(int(query.get("limit", 100)), 500), int(query.get("offset", 0))
        started = time.perf_counter()
        text = json.dumps(wanted)
        indexed = next((key["name"] for key in source["keys"] if key["name"] and f'"{key["partition"]}": {{"eq"' in text), None)
        related = any(f["kind"] == "belongsTo" and f'"{f["name"]}"' in text for f in source["fields"])
        if order and order != "id" and not (order == "checkInDate" and related) and table.size > 10_000 and not indexed and query.get("scan") != "true":
            raise Fault(409, "needs_scan", f"No index of {name} serves this order.", details={"items": table.total, "milliseconds": 83})
        deleted = query.get("deleted")
        simple = not wanted and not deleted and not (order and order != "id")
        if simple:
            numbers = range(offset, min(offset + limit, table.total))
            if descending:
                numbers = [table.total - 1 - n for n in numbers]
            items = [table.at(n) for n in numbers]
            items = [one for one in items if not one["deleted"]]
            more = offset + limit < table.total
            count = {"value": table.total - sum(1 for item in table.written.values() if item["deleted"]), "exact": True}
            read = {"index": None, "items": len(items), "scan": False}
        else:
            found = []
            for n in range(min(table.total, SCAN_MAX)):
                item = table.at(n)
                if deleted and n % 11 == 10 and source["versioned"] and n < 200:
                    item = {**item, "deleted": True}
                if (deleted == "only") != item["deleted"] and not (deleted == "include"):
                    continue
                if self.matches(source, item, wanted):
                    found.append(item)
            if order:
                found.sort(key=lambda item: (item["values"].get(order) is None, item["values"].get(order) or ""), reverse=descending)
            items = found[offset:offset + limit]
            more = offset + limit < len(found)
            count = {"value": min(len(found), COUNT_MAX), "exact": len(found) < COUNT_MAX and table.total <= SCAN_MAX or bool(indexed or related)}
            index = indexed or ("byRoom" if related else None)
            read = {"index": index, "items": min(len(found), limit) if index else min(table.total, SCAN_MAX), "scan": not index}
        read["milliseconds"] = round((time.perf_counter() - started) * 100 if simple else 0.8, 2)
        return {"items": [self.linked(source, one) for one in items], "next": "more" if more else None, "read": read, "count": count}

    def table(self, name):
        if name not in self.tables:
            raise Fault(404, "not_found", f"No data source is named {name}.")
        return self.tables[name]

    def found(self, name, key):
        item = self.table(name).find(key)
        if item is None:
            raise Fault(404, "not_found", "The item does not exist.")
        return item

    def check(self, source, values, whole):
        problems = []
        for one in source["fields"]:
            if one["kind"] in ("scalar", "enum") and whole and one["required"] and not one.get("readOnly") and values.get(one["name"]) is None:
                problems.append({"field": one["name"], "message": f"{one['name']} is required."})
        if str(values.get("note", "")).startswith("refuse"):
            problems.append({"field": "note", "message": "note must not begin with refuse."})
        if problems:
            raise Fault(422, "invalid", problems[0]["message"], field=problems[0]["field"], details={"fields": problems})

    def write(self, name, values, kind, version=1, deleted=False):
        table = self.table(name)
        moment = datetime.now(timezone.utc)
        values = {**values, "updatedAt": stamp(moment)}
        if table.source["versioned"]:
            values |= {"_version": version, "_lastChangedAt": int(moment.timestamp() * 1000)}
        item = table.wrap(values)
        item["deleted"] = deleted
        if values["id"] not in table.written and kind == "create":
            table.created.insert(0, values["id"])
        table.written[values["id"]] = item
        self.publish(f"changes:{name}", {"kind": kind, "key": item["key"], "version": version if table.source["versioned"] else None})
        for topic, put in self.subscribers:
            if topic == f"on{ {'create': 'Create', 'update': 'Update', 'delete': 'Delete'}[kind] }{name}":
                put(item)
        return self.linked(table.source, item)

    def publish(self, topic, data):
        if self.loop is None:
            return
        self.loop.call_soon_threadsafe(self.deliver, topic, data)

    def deliver(self, topic, data):
        self.number += 1
        message = {"topic": topic, "n": self.number, "data": data}
        self.recent.append(message)
        for follow in self.live:
            if topic in follow["topics"]:
                follow["send"](message)

    def start_job(self, kind, target, session, work):
        """Runs `work(job)`, a coroutine that counts in the job, and looks for its end."""
        job = {"id": f"j{len(self.jobs) + 1}", "kind": kind, "target": target, "by": session["operator"], "state": "running", "startedAt": stamp(datetime.now(timezone.utc)), "endedAt": None, "steps": [], "progress": {"done": 0, "total": None, "rejected": 0}, "result": None, "error": None}
        self.jobs[job["id"]] = job

        async def run():
            try:
                job["result"] = await work(job)
                job["state"] = "done" if job["state"] == "running" else job["state"]
            except Fault as fault:
                job["state"], job["error"] = "failed", fault.body["error"]
            job["endedAt"] = stamp(datetime.now(timezone.utc))
            self.publish("jobs", job)
        job["task"] = asyncio.ensure_future(run())
        return web.json_response({"job": self.job_body(job)}, status=202)

    def job_body(self, job):
        return {name: value for name, value in job.items() if name not in ("task", "rejects")}

    async def step(self, job, n):
        job["progress"]["done"] = n
        if n % (5 if job["kind"] == "data.delete" else 50) == 0:
            await asyncio.sleep(0.005)
        return job["state"] != "cancelled"

    # GraphQL -----------------------------------------------------------------------------------------------

    def graphql_schema(self):
        schema = graphql.build_schema("""
          scalar AWSDate
          type Query { listBookings(filter: ModelBookingFilterInput, limit: Int, nextToken: String): ModelBookingConnection getBooking(id: ID!): Booking bookingsByRoom(roomID: ID!, checkInDate: ModelStringKeyConditionInput, limit: Int): ModelBookingConnection listRooms(limit: Int): ModelRoomConnection }
          type Mutation { createBooking(input: CreateBookingInput!): Booking }
          type Subscription { onCreateBooking: Booking }
          input ModelStringInput { eq: String ne: String ge: String le: String contains: String beginsWith: String }
          input ModelStringKeyConditionInput { eq: String ge: String le: String }
          input ModelBookingFilterInput { guestId: ModelStringInput checkInDate: ModelStringInput note: ModelStringInput and: [ModelBookingFilterInput] or: [ModelBookingFilterInput] }
          input CreateBookingInput { id: ID guestId: ID! roomID: ID! checkInDate: AWSDate! checkOutDate: AWSDate! note: String }
          type ModelBookingConnection { items: [Booking] nextToken: String }
          type ModelRoomConnection { items: [Room] nextToken: String }
          "One stay of one guest." type Booking { id: ID! guestId: ID! roomID: ID! room: Room checkInDate: AWSDate! checkOutDate: AWSDate! note: String _version: Int! _lastChangedAt: Float createdAt: String updatedAt: String }
          type Room { id: ID! description: String! city: String! price: Int }""")
        if self.options.empty:
            return schema
        query = schema.query_type.fields
        flat = lambda item: {**item["values"]}
        query["listBookings"].resolve = lambda _, info, filter=None, limit=100, nextToken=None: {"items": [flat(i) for i in self.list("Booking", {"filter": json.dumps(filter), "limit": min(limit, 100)})["items"]], "nextToken": None}
        query["bookingsByRoom"].resolve = lambda _, info, roomID, checkInDate=None, limit=100: {"items": [flat(i) for i in self.list("Booking", {"filter": json.dumps({"roomID": {"eq": roomID}, **({"checkInDate": checkInDate} if checkInDate else {})}), "limit": limit})["items"]], "nextToken": None}
        query["listRooms"].resolve = lambda _, info, limit=100: {"items": [flat(i) for i in self.list("Room", {"limit": limit})["items"]], "nextToken": None}
        query["getBooking"].resolve = lambda _, info, id: (lambda item: item and flat(item))(self.tables["Booking"].find(id))
        schema.type_map["Booking"].fields["room"].resolve = lambda one, info: (lambda item: item and flat(item))(self.tables["Room"].find(one["roomID"]))
        schema.mutation_type.fields["createBooking"].resolve = lambda _, info, input: flat(self.write("Booking", {"createdAt": stamp(datetime.now(timezone.utc)), **input, "id": input.get("id") or new_id()}, "create"))
        return schema

    async def run_graphql(self, request):
        session = self.need(request)
        body = await request.json()
        started = time.perf_counter()
        as_ = request.headers.get("x-syncline-as", "admin")
        try:
            document = graphql.parse(body["query"])
        except graphql.GraphQLError as error:
            return web.json_response({"errors": [error.formatted]}, status=400)
        kinds = {one.operation.value for one in document.definitions if hasattr(one, "operation")}
        if kinds - {"query"} and session["role"] == "viewer":
            raise Fault(403, "forbidden", "Needs the editor role.")
        result = await asyncio.to_thread(graphql.graphql_sync, self.schema, body["query"], None, None, body.get("variables"), body.get("operationName"))
        answer = {"data": result.data}
        if result.errors:
            answer["errors"] = [one.formatted for one in result.errors]
        status = 200
        if as_ == "iam:guest":
            status, answer = 401, {"errors": [{"message": "You are not authorized to make this call.", "errorType": "UnauthorizedException"}]}
        took = (time.perf_counter() - started) * 1000
        id_ = f"{secrets.token_hex(4)}-52be-4e0b-9c11-0f6f1d2ab9e4"
        explain = self.explain(id_, took, as_)
        if "filter:" in body["query"] and "listBookings" in body["query"]:
            alias = re.search(r"(\w+): *listBookings", body["query"])
            explain["reads"] = [{"path": alias[1] if alias else "listBookings", "index": None, "scan": True, "sql": None, "itemsRead": BOOKINGS, "itemsKept": 12, "milliseconds": 61.0}]
            explain["warnings"] = [{"kind": "scan", "message": "A full scan of Booking: no index serves this request."}]
        if request.headers.get("x-syncline-explain"):
            answer["extensions"] = {"syncline": explain}
        if "__schema" not in body["query"]:
            self.requests.insert(0, self.request_entry(id_, body, as_, status, took, explain, json.dumps(answer)[:2000]))
            self.publish("requests", {"id": id_})
        return web.json_response(answer, status=status, headers={"x-request-id": id_})

    def explain(self, id_, took, as_="key:default"):
        if as_.startswith("user:"):
            return self.explain(id_, took) | {"authorization": [{"path": "Query.bookingsByRoom", "subject": "list Booking", "outcome": "conditional", "reason": None, "rule": None, "unmet": [],
                                                                 "conditional": [{"rule": "Booking:userPools:owner", "why": "items whose field owner is the caller's user name"}]}]}
        denied = as_ == "iam:guest"
        return {"requestId": id_, "plan": {"cached": True, "uses": 41},
                "authorization": [{"path": "Query.bookingsByRoom", "subject": "list Booking", "outcome": "denied" if denied else "allowed", "reason": None if denied or as_ == "admin" else "the caller has an API key",
                                   "rule": None if denied else ("administrator" if as_ == "admin" else "Booking:apiKey:public"), "place": {"file": "schema.graphql", "line": 7, "column": 3},
                                   "conditional": [], "unmet": [{"rule": "Booking:apiKey:public", "why": "the request has no API key"}] if denied else []}],
                "reads": [] if denied else [{"path": "bookingsByRoom", "index": "byRoom", "sql": "SELECT … FROM Booking\nWHERE roomID = ? AND checkInDate >= ?\nORDER BY checkInDate LIMIT 21", "itemsRead": 2, "itemsKept": 2, "milliseconds": 0.9, "rowCacheHits": 0},
                          {"path": "bookingsByRoom.items.room", "index": None, "sql": None, "itemsRead": 2, "itemsKept": 2, "milliseconds": 0.1, "rowCacheHits": 1}],
                "writes": [], "redacted": [], "events": [], "warnings": [], "milliseconds": {"plan": 0.1, "authorize": 0.1, "execute": round(max(took, 0.9), 2), "answer": 0.2}}

    def request_entry(self, id_, body, as_, status, took, explain, answer, at=None):
        match = re.search(r"(query|mutation|subscription)\s+(\w+)", body["query"])
        return {"id": id_, "at": stamp(at or datetime.now(timezone.utc)), "transport": "http", "recorded": bool(self.is_recording()), "operation": {"name": match[2] if match else None, "type": match[1] if match else "query", "fields": re.findall(r"\{\s*(\w+)", body["query"])[:1], "document": body["query"], "variables": body.get("variables") or {}},
                "identity": self.identity_of(as_), "method": "POST", "path": "/graphql", "address": "127.0.0.1", "itemsRead": sum(one["itemsRead"] for one in explain["reads"]), "index": next((one["index"] for one in explain["reads"] if one["index"]), None), "access": [f"Booking by {one['index'] or 'scan'}" for one in explain["reads"] if one["index"] or one.get("scan")], "scan": any(one.get("scan") for one in explain["reads"]), "answerIsCut": False, "client": "amplify-swift/2.60", "status": status, "errorTypes": ["UnauthorizedException"] if status == 401 else [], "milliseconds": round(took, 2), "bytes": len(answer),
                "headers": {"x-api-key": "…3456", "user-agent": "amplify-swift/2.60", "content-type": "application/json"}, "explain": explain, "answer": answer}

    def identity_of(self, as_):
        kind, _, name = as_.partition(":")
        return {"key": {"mode": "apiKey", "name": name}, "user": {"mode": "userPool", "username": name}, "iam": {"mode": "iam", "role": name}, "none": None, "admin": {"mode": "admin", "name": "owner"}}.get(kind, {"mode": "userPool", "username": name[:40]})

    def request_body(self, entry, detail):
        hidden = {"explain", "answer", "headers"} if not detail else set()
        out = {name: value for name, value in entry.items() if name not in hidden}
        recorded = self.options.mode == "dev" or entry.get("recorded")
        if not detail or not recorded:
            out["operation"] = {name: value for name, value in entry["operation"].items() if name not in ("document", "variables")}
        if detail and not recorded:
            out["answer"] = None
        return out

    def is_recording(self):
        if self.recording and self.recording["until"] < stamp(datetime.now(timezone.utc)):
            self.recording = None
        return self.recording

    def seed_requests(self):
        shapes = [("query", "December", "query December($room: ID!) {\n  bookingsByRoom(roomID: $room, checkInDate: { ge: \"2026-12-01\" }, limit: 20) {\n    items { id guestId checkInDate room { description city } }\n    nextToken\n  }\n}", "byRoom"),
                  ("mutation", "createBooking", "mutation createBooking($input: CreateBookingInput!) {\n  createBooking(input: $input) { id _version }\n}", None), ("query", "listBookings", "query listBookings {\n  listBookings(limit: 100) { items { id } }\n}", "scan"), ("subscription", "onCreateBooking", "subscription onCreateBooking {\n  onCreateBooking { id }\n}", None)]
        for n in range(0 if self.options.empty else 260):
            kind, name, document, index = shapes[(n * 7 + n // 5) % 4]
            status = 401 if n % 23 == 5 else 200
            took = 0.6 + (n * 37 % 90) / 20 + (40 if index == "scan" else 0)
            id_ = f"{hashlib.sha256(str(n).encode()).hexdigest()[:8]}-52be-4e0b-9c11-0f6f1d2ab9e4"
            explain = self.explain(id_, took)
            explain["reads"] = [{**explain["reads"][0], "index": None if index == "scan" else index, "scan": index == "scan", "itemsRead": 1_000_000 if index == "scan" else 2}] if kind == "query" else []
            if index == "scan":
                explain["warnings"] = [{"kind": "scan", "message": "A full scan of Booking: no index serves this request."}]
            entry = self.request_entry(id_, {"query": document, "variables": {"room": "r-02"} if name == "December" else {}}, "key:default", status, took, explain, '{"data":{"bookingsByRoom":{"items":[]}}}', NOW - timedelta(seconds=n * 9))
            if n % 3 == 1:
                entry["identity"] = {"mode": "userPool", "username": GUESTS[n % len(GUESTS)]}
            entry |= {"itemsRead": sum(one["itemsRead"] for one in explain["reads"]), "index": next((one["index"] for one in explain["reads"] if one["index"]), None), "access": [f"Booking by {one['index'] or 'scan'}" for one in explain["reads"] if one["index"] or one.get("scan")], "scan": index == "scan"}
            self.requests.append(entry)


def new_id():
    return f"{secrets.token_hex(4)}-{secrets.token_hex(2)}-4{secrets.token_hex(2)[1:]}-9{secrets.token_hex(2)[1:]}-{secrets.token_hex(6)}"


def compare(stored, op, value):
    absent = stored is Ellipsis
    stored = None if absent else stored
    if op == "attributeExists":
        return absent != bool(value)
    if op == "eq":
        return stored == value
    if op == "ne":
        return stored != value
    if stored is None:
        return False
    if op == "size":
        return all(compare(len(stored), inner, one) for inner, one in value.items())
    try:
        return {"lt": lambda: stored < value, "le": lambda: stored <= value, "gt": lambda: stored > value, "ge": lambda: stored >= value, "between": lambda: value[0] <= stored <= value[1], "beginsWith": lambda: str(stored).startswith(value),
                "contains": lambda: value in stored, "notContains": lambda: value not in stored}[op]()
    except (TypeError, KeyError):
        raise Fault(422, "invalid", f"{op} does not take this value.")


def application(options):
    server = Server(options)
    routes = web.RouteTableDef()
    V1 = "/operators/v1"

    @web.middleware
    async def guarded(request, handler):
        try:
            if request.path.startswith(("/operators", "/console")):
                server.guard(request)
            if request.path.startswith(V1) and "+" in request.raw_path.partition("?")[2]:
                # The server takes a "+" in an address as it is.
                raise Fault(422, "invalid", "A space in an address is %20.")
            if options.slow and request.path.startswith(V1):
                await asyncio.sleep(options.slow / 1000)
            if options.plain and (request.path.removeprefix(V1 + "/") in ("connect", "metrics", "live", "api-keys", "users", "jobs") or re.search("/(links/|delete$|import$|export$|generate$|requests)", request.path)):
                raise web.HTTPNotFound
            response = await handler(request)
        except Fault as fault:
            response = web.json_response(fault.body, status=fault.status)
        except web.HTTPNotFound:
            response = web.json_response({"error": {"code": "not_found", "message": "No such route."}}, status=404)
        if not response.prepared:
            response.headers.setdefault("X-Content-Type-Options", "nosniff")
            response.headers.setdefault("Referrer-Policy", "no-referrer")
            response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
            response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    @routes.get("/")
    @routes.get("/_/")
    async def root(request):
        raise web.HTTPSeeOther("/console/")

    packed = {}

    @routes.get("/console/assets/{hash}/{path:.*}")
    async def asset(request):
        path = request.match_info["path"]
        for folder in (CONSOLE, BUILT):
            file = (folder / path).resolve()
            if file.is_file() and folder in file.parents and file.suffix in TYPES:
                headers = {"Content-Type": TYPES[file.suffix], "Cache-Control": "public, max-age=31536000, immutable"}
                body = without_comments(file.read_bytes()) if file.suffix == ".js" else file.read_bytes()
                if file.suffix == ".woff2":
                    return web.Response(body=body, headers=headers)
                # As the server does it: once, at the highest level.
                if packed.get(path, (None,))[0] != body:
                    packed[path] = (body, gzip.compress(body, 9))
                return web.Response(body=packed[path][1], headers=headers | {"Content-Encoding": "gzip"})
        raise Fault(404, "not_found", "No such file.")

    @routes.get("/console")
    @routes.get("/console/{path:.*}")
    async def shell(request):
        nonce = secrets.token_urlsafe(16)
        text = (CONSOLE / "index.html").read_text().replace("{{nonce}}", nonce).replace("{{assets}}", "/console/assets/test")
        is_query = request.match_info.get("path", "").split("/")[0] == "query"
        return web.Response(text=text, content_type="text/html", headers={"Content-Security-Policy": CSP.format(nonce=nonce) + ("" if is_query else TRUSTED), "Permissions-Policy": "camera=(), geolocation=(), microphone=(), clipboard-write=(self)"})

    @routes.get(f"{V1}/session")
    async def session(request):
        return web.json_response(server.session_body(server.need(request)))

    @routes.post(f"{V1}/session")
    async def sign_in(request):
        return await server.sign_in(request)

    @routes.delete(f"{V1}/session")
    async def sign_out(request):
        server.need(request)
        server.sessions.pop(request.cookies.get(f"syncline-{options.port}"), None)
        return web.json_response({})

    @routes.get(f"{V1}/status")
    async def status(request):
        server.need(request)
        findings = [] if options.empty else [{"kind": "conflict", "message": "2 conflicts auto-merged in Booking", "action": "Review", "path": "/sync"}, {"kind": "scan", "message": "6 full scans of Booking by listBookings", "action": "Show", "path": "/logs?scans=true"}]
        return web.json_response({"project": "Room booking", "endpoint": f"http://127.0.0.1:{options.port}/graphql", "startedAt": stamp(NOW), "startMilliseconds": 20, "connections": 3, "p95": 0.9, "lastDeployment": {"number": 7, "at": stamp(NOW), "operator": "ada"}, "findings": findings})

    @routes.get(f"{V1}/connect")
    async def connect(request):
        server.need(request)
        client, host = request.query.get("client", "swift"), f"{request.query.get('host', '127.0.0.1')}:{options.port}"
        snippets = {"swift": "try Amplify.add(plugin: AWSDataStorePlugin(modelRegistration: AmplifyModels()))\ntry Amplify.add(plugin: AWSAPIPlugin())\ntry Amplify.configure()", "kotlin": "Amplify.addPlugin(AWSApiPlugin())\nAmplify.configure(applicationContext)", "javascript": "import { Amplify } from \"aws-amplify\"\nimport outputs from \"./amplify_outputs.json\"\nAmplify.configure(outputs)",
                    "flutter": "await Amplify.addPlugins([AmplifyAPI()]);\nawait Amplify.configure(amplifyconfig);", "curl": f"curl http://{host}/graphql \\\n  -H 'x-api-key: KEY' -H 'content-type: application/json' \\\n  -d '{{\"query\": \"{{ listBookings {{ items {{ id }} }} }}\"}}'"}
        return web.json_response({"endpoint": f"http://{host}/graphql", "pull": f"syncline pull http://{host} --env dev", "files": ["amplifyconfiguration.json", "awsconfiguration.json", "AmplifyModels/"], "snippet": snippets[client],
                                  "notes": [*(["App Transport Security: clear text is allowed for addresses of the local network."] if "192" in host and client == "swift" else []), *(["'syncline codegen models --target swift --out AmplifyModels' generates the models."] if client == "swift" else [])], "lastPull": {"at": stamp(datetime.now(timezone.utc) - timedelta(minutes=4)), "from": "127.0.0.1"} if client == "swift" else None})

    @routes.get(f"{V1}/metrics")
    async def metrics(request):
        server.need(request)
        to = datetime.now(timezone.utc)
        wave = lambda base, n, m: [0 if options.empty else int(base + base * 0.6 * (((k * m) % 17) / 17) + n * (60 - abs(30 - k)) / 30) for k in range(60)]
        return web.json_response({"from": stamp(to - timedelta(minutes=15)), "to": stamp(to), "step": 15, "series": {"queries": wave(24, 6, 5), "mutations": wave(5, 2, 7), "events": wave(12, 4, 3)}, "errors": 0 if options.empty else 3, "p95": 0.9, "devices": 3})

    @routes.get(f"{V1}/data")
    async def data(request):
        server.need(request)
        for source in server.sources:
            source["count"] = {"value": server.tables[source["name"]].total, "exact": True}
        return web.json_response({"items": server.sources, "next": None})

    @routes.get(V1 + "/data/{model}/items")
    async def items(request):
        server.need(request)
        return web.json_response(await asyncio.to_thread(server.list, request.match_info["model"], dict(request.query)))

    @routes.get(V1 + "/data/{model}/count")
    async def count(request):
        server.need(request)
        query = request.query
        found = (await asyncio.to_thread(server.list, request.match_info["model"], {"filter": query.get("filter", "null"), "limit": 1, "scan": "true", **({"deleted": query["deleted"]} if query.get("deleted") else {})}))["count"]
        return web.json_response({"value": max(found["value"], 24_117), "exact": True} if query.get("exact") and not found["exact"] else found)

    @routes.post(V1 + "/data/{model}/items")
    async def create(request):
        server.need(request, "editor")
        body = await request.json()
        values = body.get("values", body)
        table = server.table(request.match_info["model"])
        server.check(table.source, values, True)
        values = {"createdAt": stamp(datetime.now(timezone.utc)), **values, "id": values.get("id") or new_id()}
        if table.find(values["id"]):
            raise Fault(409, "conflict", f"An item with the key {values['id']} exists.", field="id")
        return web.json_response(server.write(request.match_info["model"], values, "create"), status=201)

    def key_of(request):
        return unquote(request.match_info["key"])

    @routes.get(V1 + "/data/{model}/items/{key}")
    async def item(request):
        server.need(request)
        name = request.match_info["model"]
        return web.json_response(server.linked(server.table(name).source, server.found(name, key_of(request))))

    @routes.patch(V1 + "/data/{model}/items/{key}")
    async def change(request):
        server.need(request, "editor")
        name, body = request.match_info["model"], await request.json()
        table, stored = server.table(name), server.found(request.match_info["model"], key_of(request))
        expect = body.get("expect", {})
        changed = [k for k, v in expect.get("values", {}).items() if stored["values"].get(k) != v]
        if "version" in expect and expect["version"] != stored["version"]:
            changed = [k for k in body.get("set", {}) if stored["values"].get(k) != body["set"][k]] or ["note"]
        if changed:
            raise Fault(409, "conflict", "The item changed since you opened it.", hint="Compare the values and choose.", details={"item": server.linked(table.source, stored), "changed": changed})
        server.check(table.source, body.get("set", {}), False)
        values = {**stored["values"], **body.get("set", {})}
        for gone in body.get("unset", []):
            values.pop(gone, None)
        return web.json_response(server.write(name, values, "update", stored.get("version", 0) + 1))

    @routes.delete(V1 + "/data/{model}/items/{key}")
    async def delete(request):
        server.need(request, "editor")
        name = request.match_info["model"]
        stored = server.found(name, key_of(request))
        server.write(name, stored["values"], "delete", stored.get("version", 0) + 1, deleted=True)
        return web.json_response({})

    @routes.get(V1 + "/data/{model}/items/{key}/links/{field}")
    async def links(request):
        server.need(request)
        name, one = request.match_info["model"], next(f for f in server.table(request.match_info["model"]).source["fields"] if f["name"] == request.match_info["field"])
        target = server.table(one["type"]).source
        back = next(f for f in target["fields"] if f["kind"] == "belongsTo" and f["type"] == name)
        key = next((key for key in target["keys"] if key["partition"] == back["keys"][0] and key["sort"]), None)
        found = server.list(one["type"], {"filter": json.dumps({back["keys"][0]: {"eq": key_of(request)}}), "limit": request.query.get("limit", 100), **({"order": key["sort"][0]} if key else {})})
        far = next((f for f in target["fields"] if f["kind"] == "belongsTo" and f["name"] != back["name"]), None) if target["kind"] == "join" else None
        if far:
            found["items"] = [{**server.linked(server.table(far["type"]).source, server.found(far["type"], join["values"][far["keys"][0]])), "join": {"model": one["type"], "key": join["key"]}} for join in found["items"]]
        return web.json_response({"items": found["items"], "next": found["next"], "count": found["count"], "target": far["type"] if far else one["type"]})

    @routes.get(V1 + "/data/{model}/items/{key}/access")
    async def access(request):
        server.need(request)
        as_ = request.query.get("as", "admin")
        rule, text = f"{request.match_info['model']}:apiKey:public", "{allow: public}"
        yes = {"allowed": True, "rule": rule, "text": text, "why": "the caller has an API key", "fields": None, "unmet": []}
        no = {"allowed": False, "rule": None, "text": None, "why": None, "fields": None, "unmet": [{"rule": rule, "why": "the request has no API key"}]}
        if as_ == "admin":
            yes |= {"rule": None, "text": None, "why": "No rules apply to an administrator"}
        if as_ == "user:ada":
            return web.json_response({"as": as_, "read": yes, "update": yes | {"fields": ["note"]}, "delete": no})
        one = yes if as_ == "admin" or as_.startswith("key:") else no
        return web.json_response({"as": as_, "read": one, "update": one, "delete": one})

    @routes.post(V1 + "/data/{model}/delete")
    async def delete_many(request):
        session = server.need(request, "editor")
        name, body = request.match_info["model"], await request.json()
        table = server.table(name)
        if "keys" in body:
            items = [server.found(name, key[0]) for key in body["keys"]]
        else:
            items, page = [], None
            while page is None or page["next"]:
                page = server.list(name, {"filter": json.dumps(body["filter"]), "limit": 500, "offset": len(items), "scan": "true"})
                items += page["items"]
            if "expectCount" in body and body["expectCount"] != len(items):
                raise Fault(409, "conflict", f"The filter finds {len(items)} items, not {body['expectCount']}.", details={"count": {"value": len(items), "exact": True}})
        if body.get("dryRun"):
            return web.json_response({"count": {"value": len(items), "exact": True}, "samples": [server.linked(table.source, one) for one in items[:10]]})

        async def work(job):
            job["progress"]["total"] = len(items)
            deleted = 0
            for n, item in enumerate(items, 1):
                stored = server.found(name, item["key"][0])
                server.write(name, stored["values"], "delete", stored.get("version", 0) + 1, deleted=True)
                deleted += 1
                if not await server.step(job, n):
                    break
            return {"deleted": deleted, "rejected": 0, "rejects": []}
        return server.start_job("data.delete", name, session, work)

    @routes.post(V1 + "/data/{model}/import")
    async def import_(request):
        session = server.need(request, "editor")
        name, dry, mode = request.match_info["model"], request.query.get("dryRun") == "true", request.query.get("mode", "create")
        source, columns = server.table(name).source, json.loads(request.query.get("columns", "{}"))
        text = (await request.read()).decode("utf-8-sig")
        if request.content_type == "text/csv":
            rows = list(csv.DictReader(io.StringIO(text)))
        else:
            rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]
        known = {one["name"]: one for one in source["fields"]}
        for column in dict.fromkeys(name_ for row in rows for name_ in row):
            if columns.get(column, column) is not None and columns.get(column, column) not in known:
                raise Fault(422, "invalid", f"{source['name']} has no field {columns.get(column, column)}.", field=column)

        def read(value, one):
            if not isinstance(value, str) or request.content_type != "text/csv":
                return value
            if value == "":
                return None
            try:
                return int(value) if one["type"] == "Int" else float(value) if one["type"] == "Float" else {"true": True, "false": False}[value] if one["type"] == "Boolean" else json.loads(value) if one["list"] or one["kind"] == "custom" else value
            except (ValueError, KeyError):
                raise Fault(422, "invalid", f"{one['name']} must be of type {one['type']}.", field=one["name"])

        async def work(job):
            job["progress"]["total"], rejects, counts = len(rows), [], collections.Counter()
            for n, row in enumerate(rows, 1):
                try:
                    values = {}
                    for column, value in row.items():
                        target = columns.get(column, column)
                        if target is not None and (value := read(value, known[target])) is not None:
                            if known[target]["type"] == "AWSDate":
                                try:
                                    date.fromisoformat(value)
                                except ValueError:
                                    raise Fault(422, "invalid", f"{target} must be a date like 2026-12-05.", field=target)
                            values[target] = value
                    server.check(source, values, True)
                    found = values.get("id") and server.table(name).find(values["id"])
                    if found and mode == "create":
                        raise Fault(409, "conflict", f"An item with the key {values['id']} exists.")
                    counts["skipped" if found and mode == "skip" else "updated" if found else "created"] += 1
                    if not dry and not (found and mode == "skip"):
                        server.write(name, {**(found["values"] if found else {"createdAt": stamp(NOW)}), **values, "id": values.get("id") or new_id()}, "update" if found else "create")
                except Fault as fault:
                    error = fault.body["error"]
                    rejects.append({"line": n + (1 if request.content_type == "text/csv" else 0), "reason": error["message"], "field": error.get("field")})
                    job["progress"]["rejected"] = len(rejects)
                if not await server.step(job, n):
                    break
            job["rejects"] = rejects
            return {"accepted": counts["created"] + counts["updated"], **counts, "rejected": len(rejects), "rejects": rejects[:1000]}
        return server.start_job("data.import", name, session, work)

    @routes.get(V1 + "/data/{model}/export")
    async def export(request):
        server.need(request)
        name, format_ = request.match_info["model"], request.query.get("format", "json")
        rows, page = [], None
        while (page is None or page["next"]) and len(rows) < 10_000:
            page = server.list(name, {"filter": request.query.get("filter", "null"), "limit": 500, "offset": len(rows), "scan": "true"})
            rows += page["items"]
        names = [one for one in request.query.get("fields", "").split(",") if one] or [one["name"] for one in server.table(name).source["fields"] if one["kind"] in ("scalar", "enum", "custom")]
        values = [{one: row["values"][one] for one in names if one in row["values"]} for row in rows]
        if format_ == "csv":
            out = io.StringIO()
            writer = csv.DictWriter(out, names, lineterminator="\r\n")
            writer.writeheader()
            writer.writerows([{k: f"'{v}" if isinstance(v, str) and v[:1] in ("=", "+", "-", "@") else v for k, v in one.items()} for one in values])
            body = out.getvalue()
        else:
            body = json.dumps(values) if format_ == "json" else "".join(json.dumps(one) + "\n" for one in values)
        return web.Response(text=body, content_type={"csv": "text/csv", "json": "application/json", "jsonl": "application/x-ndjson"}[format_], headers={"Content-Disposition": f'attachment; filename="{name}.{format_}"'})

    def generator_of(one):
        if one["kind"] == "belongsTo":
            return {"generator": "link"}, ["link", "none"]
        if one["kind"] == "custom":
            return {"generator": "custom", "fields": {inner["name"]: generator_of(inner)[0] for inner in one.get("fields", [])}}, ["custom", "none"]
        if one["kind"] == "enum":
            return {"generator": "enum", "values": one["values"]}, ["enum", "constant", "none"]
        if one["list"]:
            return {"generator": "list", "of": {"generator": "word"}, "min": 0, "max": 3}, ["word", "sentence", "city", "none"]
        by_type = {"Int": {"generator": "price", "min": 5, "max": 500} if one["name"] == "price" else {"generator": "integer", "min": 0, "max": 100}, "Float": {"generator": "float", "min": 0, "max": 100, "decimals": 2}, "Boolean": {"generator": "boolean", "share": 0.5}, "AWSDate": {"generator": "date", "from": "2026-01-01", "to": "2026-12-31"}, "AWSTime": {"generator": "time"},
                   "AWSDateTime": {"generator": "dateTime", "from": "2026-01-01T00:00:00.000Z", "to": "2026-12-31T00:00:00.000Z"}, "AWSTimestamp": {"generator": "timestamp", "from": 1767225600, "to": 1798675200}, "AWSEmail": {"generator": "email"}, "AWSPhone": {"generator": "phone"}, "AWSURL": {"generator": "url"}, "AWSIPAddress": {"generator": "ip"}, "AWSJSON": {"generator": "json"}, "ID": {"generator": "uuid"}}
        default = by_type.get(one["type"]) or {"generator": {"username": "username", "city": "city", "text": "sentence"}.get(one["name"], "word")}
        more = {"String": ["word", "sentence", "paragraph", "person", "city", "country", "company", "constant", "sequence"], "Int": ["integer", "price", "sequence", "constant"]}.get(one["type"], ["constant"])
        return default, list(dict.fromkeys([default["generator"], *more, "none"]))

    def generators(name):
        source = server.table(name).source
        hidden = {key for one in source["fields"] if one["kind"] == "belongsTo" for key in one["keys"]} | {"id"}
        return [one for one in source["fields"] if not one.get("readOnly") and one["kind"] != "hasMany" and one["name"] not in hidden]

    def generated(name, plan, chosen, seed, n):
        pick = lambda values, salt="": values[int(hashlib.sha256(f"{seed}.{n}.{salt}".encode()).hexdigest()[:8], 16) % len(values)]
        values = {}
        for one in plan:
            gen = chosen.get(one["name"]) or generator_of(one)[0]
            kind = gen["generator"]
            if kind == "none":
                continue
            if kind == "link":
                table = server.tables[one["type"]]
                if table.total:
                    values[one["keys"][0]] = table.at(pick(range(min(table.total, 500)), one["name"]))["key"][0]
                continue
            values[one["name"]] = {"constant": lambda: gen.get("value"), "sequence": lambda: f"{gen.get('prefix', '')}{gen.get('start', 1) + n}" if one["type"] == "String" else gen.get("start", 1) + n, "integer": lambda: pick(range(gen["min"], gen["max"] + 1), one["name"]), "price": lambda: pick(range(gen["min"], gen["max"] + 1), one["name"]),
                                   "float": lambda: round(pick(range(10_000), one["name"]) / 100, 2), "boolean": lambda: pick([True, False], one["name"]), "enum": lambda: pick(gen["values"], one["name"]), "date": lambda: (date.fromisoformat(gen["from"]) + timedelta(days=pick(range(300), one["name"]))).isoformat(), "time": lambda: "14:30:00.000Z", "dateTime": lambda: gen["from"], "timestamp": lambda: gen["from"] + n,
                                   "email": lambda: f"user{n}@example.com", "phone": lambda: "+44 20 7946 0018", "url": lambda: "https://example.com/a", "ip": lambda: "192.0.2.7", "json": lambda: '{"a":1}', "city": lambda: pick(["Nantes", "Lyon", "Porto"], one["name"]), "list": lambda: ["quiet"], "custom": lambda: {"street": f"{n} High Street", "city": "Lyon", "floor": 2}}.get(kind, lambda: f"{kind.title()} {pick(range(1000), one['name'])}")()
        return values

    @routes.get(V1 + "/data/{model}/generate")
    async def generators_of(request):
        server.need(request, "editor")
        fields = [(one, *generator_of(one)) for one in generators(request.match_info["model"])]
        return web.json_response({"fields": [{"name": one["name"], "type": one["type"], "required": one["required"], "generator": default, "choices": choices} for one, default, choices in fields]})

    @routes.post(V1 + "/data/{model}/generate")
    async def generate(request):
        session = server.need(request, "editor")
        name, body = request.match_info["model"], await request.json()
        plan, chosen, seed = generators(name), body.get("fields", {}), body["seed"]
        for field_, gen in chosen.items():
            if isinstance(gen.get("value"), str) and gen["value"] == "":
                raise Fault(422, "invalid", f"{field_}: a constant needs a value.", field=field_)
        if body.get("dryRun"):
            return web.json_response({"samples": [generated(name, plan, chosen, seed, n) for n in range(min(10, body["count"]))]})

        async def work(job):
            job["progress"]["total"] = body["count"]
            for n in range(body["count"]):
                server.write(name, {"createdAt": stamp(NOW), **generated(name, plan, chosen, seed, n), "id": new_id()}, "create")
                if not await server.step(job, n + 1):
                    break
            return {"created": job["progress"]["done"], "rejected": 0, "rejects": [], "seed": seed}
        return server.start_job("data.generate", name, session, work)

    @routes.get(V1 + "/jobs")
    async def jobs(request):
        server.need(request)
        return web.json_response({"items": [server.job_body(one) for one in reversed(server.jobs.values())], "next": None})

    def job_of(request):
        if request.match_info["id"] not in server.jobs:
            raise Fault(404, "not_found", "This job is not kept any more.")
        return server.jobs[request.match_info["id"]]

    @routes.get(V1 + "/jobs/{id}")
    async def job(request):
        server.need(request)
        return web.json_response(server.job_body(job_of(request)))

    @routes.delete(V1 + "/jobs/{id}")
    async def cancel(request):
        server.need(request)
        found = job_of(request)
        if found["state"] != "running":
            raise Fault(409, "conflict", "The job has ended.")
        found["state"] = "cancelled"
        return web.json_response(server.job_body(found))

    @routes.get(V1 + "/jobs/{id}/rejects")
    async def rejects(request):
        server.need(request)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerows([["line", "reason"], *([one["line"], one["reason"]] for one in job_of(request).get("rejects", []))])
        return web.Response(text=out.getvalue(), content_type="text/csv", headers={"Content-Disposition": 'attachment; filename="rejects.csv"'})

    @routes.get(f"{V1}/function-calls")
    async def function_calls(request):
        server.need(request)
        query = request.query
        calls = [{"at": stamp(NOW - timedelta(seconds=7 * n)), "kind": ["resolver", "trigger", "authorizer"][n % 3], "function": ["price", "welcome", "gate"][n % 3], "url": f"http://127.0.0.1:9000/{['price', 'welcome', 'gate'][n % 3]}", "milliseconds": 2.4 + n % 40,
                  "status": None if n == 4 else 200, "failed": n == 4, "error": "The connection was refused." if n == 4 else None, "bytes": None if n == 4 else 17, "answer": '{"price": 120}' if n % 3 == 0 else None, "answerIsCut": False} for n in range(130)]
        calls = [one for one in calls if query.get("function", one["function"]) == one["function"] and query.get("kind", one["kind"]) == one["kind"] and (one["failed"] or not query.get("errors")) and one["milliseconds"] > float(query.get("slower", 0))]
        start, limit = int(query.get("after", 0)), int(query.get("limit", 100))
        return web.json_response({"items": calls[start:start + limit], "next": str(start + limit) if start + limit < len(calls) else None})

    @routes.get(f"{V1}/log")
    async def log(request):
        server.need(request)
        lines = [{"at": stamp(NOW), "level": "error", "message": "The function price did not answer.", "fields": {"cause": "The connection was refused.", "count": 5}}, {"at": stamp(NOW - timedelta(seconds=3)), "level": "warning", "message": "A request read all items of Booking.", "fields": {"items": 1_000_000}}, {"at": stamp(NOW - timedelta(minutes=2)), "level": "info", "message": "Ready.", "fields": {"url": f"http://127.0.0.1:{options.port}/graphql"}}]
        least = ["info", "warning", "error"].index(request.query.get("level", "info"))
        return web.json_response({"items": [one for one in lines if ["info", "warning", "error"].index(one["level"]) >= least and request.query.get("text", "").lower() in json.dumps(one).lower()], "next": None})

    @routes.get(f"{V1}/requests")
    async def requests(request):
        server.need(request)
        query = request.query

        def shown(one):
            operation, identity = one["operation"], one["identity"] or {}
            text, who = query.get("text", "").lower(), query.get("identity", "").lower()
            return ((not query.get("type") or operation["type"] == query["type"]) and (not query.get("operation") or operation["name"] == query["operation"])
                    and (not text or text in (operation["name"] or "").lower() or any(text in name.lower() for name in operation["fields"]) or one["id"].startswith(text))
                    and (not who or any(who in str(value).lower() for value in identity.values())) and (not query.get("errorType") or query["errorType"] in one["errorTypes"])
                    and (not query.get("slower") or one["milliseconds"] > float(query["slower"])) and (query.get("errors") != "true" or one["errorTypes"] or one["status"] >= 400) and (query.get("scans") != "true" or one["scan"]))
        found = [one for one in server.requests if shown(one)]
        after, limit = int(query.get("after", 0)), int(query.get("limit", 100))
        return web.json_response({"items": [server.request_body(one, False) for one in found[after:after + limit]], "next": str(after + limit) if after + limit < len(found) else None,
                                  "recording": server.is_recording(), "kept": {"requests": len(server.requests), "bytes": 812_345, "since": server.requests[-1]["at"] if server.requests else None}})

    @routes.post(f"{V1}/requests/record")
    async def record(request):
        session = server.need(request, "owner")
        seconds = (await request.json())["seconds"]
        server.recording = {"until": stamp(datetime.now(timezone.utc) + timedelta(seconds=seconds)), "by": session["operator"]} if seconds else None
        return web.json_response({"recording": server.recording})

    @routes.get(V1 + "/requests/{id}")
    async def one_request(request):
        server.need(request)
        found = next((one for one in server.requests if one["id"] == request.match_info["id"]), None)
        if not found:
            raise Fault(404, "not_found", "This request is not kept any more.")
        return web.json_response(server.request_body(found, True))

    @routes.get(V1 + "/users")
    async def users(request):
        server.need(request)
        return web.json_response({"items": [{"username": name} for name in ("ada", "noor", "kenji")], "next": None})

    @routes.get(V1 + "/api-keys")
    async def keys(request):
        server.need(request, "owner")
        return web.json_response({"items": [{"name": "default"}], "next": None})

    @routes.post(f"{V1}/graphql")
    async def run(request):
        return await server.run_graphql(request)

    @routes.get(f"{V1}/graphql")
    async def graphql_socket(request):
        session = server.need(request, "editor")
        socket = web.WebSocketResponse(protocols=["graphql-transport-ws"])
        await socket.prepare(request)
        mine, loop = [], asyncio.get_running_loop()
        async for message in socket:
            if message.type != WSMsgType.TEXT:
                break
            body = json.loads(message.data)
            payload = body.get("payload") or {}
            if body["type"] == "connection_init":
                if payload.get("csrf") != session["csrf"]:
                    await socket.close(code=4403)
                    break
                if payload.get("x-syncline-as") == "iam:guest":
                    await socket.close(code=4403, message=b"No rule lets guests subscribe.")
                    break
                await socket.send_json({"type": "connection_ack"})
            elif body["type"] == "subscribe":
                id_, name = body["id"], re.search(r"\{\s*(\w+)", payload["query"])[1]
                if name not in ("onCreateBooking",):
                    await socket.send_json({"id": id_, "type": "error", "payload": [{"message": f"Cannot query field '{name}' on type 'Subscription'."}]})
                    continue
                put = lambda item, id_=id_, name=name: asyncio.run_coroutine_threadsafe(socket.send_json({"id": id_, "type": "next", "payload": {"data": {name: {k: item["values"].get(k) for k in ("id", "guestId", "checkInDate")}}}}), loop)
                mine.append((id_, (name, put)))
                server.subscribers.append(mine[-1][1])
            elif body["type"] == "complete":
                for id_, entry in list(mine):
                    if id_ == body["id"]:
                        server.subscribers.remove(entry)
                        mine.remove((id_, entry))
        for _, entry in mine:
            server.subscribers.remove(entry)
        return socket

    @routes.get(f"{V1}/live")
    async def live(request):
        session = server.need(request)
        socket = web.WebSocketResponse(protocols=["syncline.live.v1"])
        await socket.prepare(request)
        first = await socket.receive_json()
        if first.get("csrf") != session["csrf"]:
            await socket.close(code=4403)
            return socket
        loop, sent = asyncio.get_running_loop(), {}
        put = lambda message: None if socket.closed else asyncio.ensure_future(socket.send_json(message))

        def send(message):
            topic = message["topic"]
            number, left = sent.get(topic, (0, 0))
            if number == 0:
                loop.call_later(1, flush, topic)
            if number < 20:
                put(message)
            sent[topic] = (number + 1, left + (number >= 20))

        def flush(topic):
            left = sent.pop(topic)[1]
            if left:
                put({"topic": topic, "n": server.number, "gap": left})
        follow = {"topics": set(), "send": send, "session": session, "socket": socket}
        server.live.append(follow)
        try:
            async for message in socket:
                if message.type != WSMsgType.TEXT:
                    continue
                body = json.loads(message.data)
                if "follow" not in body:
                    continue
                follow["topics"] = set(body["follow"])
                await socket.send_json({"following": body["follow"], "n": server.number})
                since = body.get("since")
                if since is not None and since < server.number:
                    if server.recent and server.recent[0]["n"] <= since + 1:
                        for one in [one for one in server.recent if one["n"] > since and one["topic"] in follow["topics"]]:
                            await socket.send_json(one)
                    else:
                        for topic in follow["topics"]:
                            await socket.send_json({"topic": topic, "n": server.number, "gap": 1})
        finally:
            server.live.remove(follow)
        return socket

    @routes.post("/mock/link")
    async def link(request):
        fresh = secrets.token_urlsafe(32)
        server.links.add(fresh)
        return web.json_response({"link": fresh})

    @routes.post("/mock/forget")
    async def forget(request):
        server.sessions.clear()
        for follow in list(server.live):
            await follow["socket"].close(code=4401)
        return web.json_response({})

    @routes.post("/mock/write/{model}")
    async def write(request):
        """A client writes: `{"kind", "values"}`."""
        body, name = await request.json(), request.match_info["model"]
        stored = server.table(name).find(body["values"].get("id") or "")
        values = {"createdAt": stamp(NOW), **(stored["values"] if stored else {}), **body["values"]}
        values.setdefault("id", new_id())
        return web.json_response(server.write(name, values, body["kind"], (stored or {}).get("version", 0) + 1, deleted=body["kind"] == "delete"))

    @routes.post("/mock/field/{model}/{name}")
    async def add_field(request):
        """A deployment adds a field."""
        server.table(request.match_info["model"]).source["fields"].append(field(request.match_info["name"], "String"))
        server.publish("schema", {"hash": secrets.token_hex(8), "deployment": 8})
        return web.json_response({})

    @routes.post("/mock/unfollow/{model}")
    async def unfollow(request):
        """The server follows a model no more: a client's write is missed, and an error says so."""
        body, name = await request.json(), request.match_info["model"]
        topic, stored = f"changes:{name}", server.table(name).find(body["id"])
        followers = [follow for follow in server.live if topic in follow["topics"]]
        for follow in followers:
            follow["topics"].discard(topic)
        server.write(name, {**stored["values"], **body}, "update", (stored.get("version") or 0) + 1)
        for follow in followers:
            await follow["socket"].send_json({"topic": topic, "error": {"code": "not_found", "message": f"The API has no model {name}."}})
        return web.json_response({"followers": len(followers)})

    async def remember_loop(app):
        server.loop = asyncio.get_running_loop()

    def items_of(name):
        return server.tables[name].total if name in server.tables else 0

    state = mock_schema.SchemaState(options.empty, options.mode == "dev", server.publish, items_of, server.jobs)
    mock_schema.add_routes(routes, V1, server, state, options.port, Fault)

    app = web.Application(middlewares=[guarded], client_max_size=64 * 1024 * 1024)
    app.add_routes(routes)
    app.on_startup.append(remember_loop)
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=20999)
    parser.add_argument("--link", default="test-link-of-the-console")
    parser.add_argument("--role", default="owner")
    parser.add_argument("--mode", default="dev")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--sessions", help="a file that keeps the sessions over a restart")
    parser.add_argument("--chat", action="store_true", help="the models of a chat")
    parser.add_argument("--plain", action="store_true", help="a server that has only data: no live channel, no figures, no titles of links")
    parser.add_argument("--slow", type=int, default=0)
    chosen = parser.parse_args()
    print(f"Console  http://127.0.0.1:{chosen.port}/console/#link={chosen.link}", flush=True)
    web.run_app(application(chosen), host="127.0.0.1", port=chosen.port, print=None, handler_cancellation=True, shutdown_timeout=0.2)
