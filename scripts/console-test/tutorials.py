"""Two tutorials and other days of work, played in the browser against a real server. See `tutorials`."""

import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from helpers import POLICY_REPORTS, Watched, add_field, add_model, add_relationship, cell, choose_identity, draft_of, first_loads, press, ready, rows, squeezed, type_query, until
from playwright.sync_api import expect, sync_playwright
from schema_test import PUBLIC

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FAILED = ROOT / ".build" / "console-test" / "failed"
STARTS_WITHIN_SECONDS = 60
SEE = Path(sys.argv[sys.argv.index("--see") + 1]) if "--see" in sys.argv else None
expect.set_options(timeout=20_000)

CHAT = (ROOT / "Examples" / "chat" / "schema.graphql").read_text()


class Server:
    """`syncline dev` in a folder of its own, on one port also after a restart."""

    def __init__(self, binary, folder, *options):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.binary, self.folder, self.options, self.process = binary, folder, options, None
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self):
        self.log = self.folder / "log"
        with self.log.open("w") as output:
            self.process = subprocess.Popen([self.binary, "dev", "--port", str(self.port), "--tls", "off", *self.options],
                                            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, "SYNCLINE_CONSOLE_FROM": str(ROOT / "Console")})
        until(lambda: "  Pull " in self.log.read_text() or self.process.poll() is not None, STARTS_WITHIN_SECONDS, "the server's start")
        assert self.process.poll() is None, f"the server ended: {self.log.read_text()}"
        self.key = re.search(r"API key +(\S+)", self.log.read_text())[1]
        return self

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(30) == 0, self.log.read_text()

    def link(self):
        """The one of the banner, as a person opens it."""
        return re.search(r"Console +(\S+)", self.log.read_text())[1]

    def syncline(self, *arguments, folder=None):
        result = subprocess.run([self.binary, *arguments], cwd=folder or self.folder, capture_output=True, text=True)
        assert result.returncode == 0, f"syncline {shlex.join(arguments)}: {result.stderr}"
        return result.stdout

    def graphql(self, query, **variables):
        """A request of an app, by the API key."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"x-api-key": self.key, "content-type": "application/json"})
        return json.load(urllib.request.urlopen(request))

    def create(self, model, **values):
        answer = self.graphql(f"mutation ($input: Create{model}Input!) {{ create{model}(input: $input) {{ id }} }}", input=values)
        assert "errors" not in answer, answer
        return answer["data"][f"create{model}"]["id"]


class Browser:
    def __init__(self, browser, server):
        self.server = server
        self.context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"])
        self.context.add_init_script(POLICY_REPORTS)
        self.context.tracing.start(screenshots=True, snapshots=True)
        self.watched = []

    def page(self, address="/console/"):
        page = self.context.new_page()
        self.watched.append(Watched(page, self.server.url))
        page.goto(address if address.startswith("http") else self.server.url + address)
        return page

    def check(self):
        for one in self.watched:
            one.check()


def see(page, name):
    if SEE:
        SEE.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SEE / f"{name}.png")


STEPS = []


@contextlib.contextmanager
def step(text):
    started = time.monotonic()
    STEPS.append(text)
    yield
    print(f"  {text} ({time.monotonic() - started:.1f} s)", flush=True)


def arrive(page, number):
    """New items wait for a click above the table, but for those that a page reads as it opens."""
    new = page.get_by_role("button", name=re.compile(r"^\d+ new items?"))

    def there():
        if new.count():
            new.click()
        return rows(page).count() == number
    until(there, what=f"{number} items without a reload")


def modelled(text):
    """A schema without the comments that `dev` begins it with."""
    return squeezed("\n".join(line for line in text.split("\n") if not line.startswith("#")))


def booking(browser, server):
    """Tutorial 1: model, deploy, pull; a client's items appear; a restart."""
    with step("an empty folder is served, and the banner's link signs in"):
        server.start()
        seat = Browser(browser, server)
        page = seat.page(server.link())
        expect(page.get_by_role("heading", level=2).first).to_have_text("Start with a schema")
        see(page, "1-first")
    with step("User, Room and Booking are modelled by keyboard"):
        page.goto(server.url + "/console/schema")
        dialog = page.get_by_role("dialog")
        ready(page, "/schema")
        add_model(page, "User")
        add_field(page, "username")
        press(page, "Escape")
        add_model(page, "Room")
        for name, type_ in (("description", "String"), ("city", "String"), ("price", "Int"), ("imageKey", "String")):
            add_field(page, name, type_)
        press(page, "Escape")
        add_model(page, "Booking")
        for name, type_ in (("guestId", "ID"), ("checkInDate", "AWSDate"), ("checkOutDate", "AWSDate")):
            add_field(page, name, type_)
        press(page, "Escape")
        for _ in add_relationship(page, "Room"):
            pass
        expect(page.locator(".say").first).to_contain_text("Each Booking has one Room, as room, always.")
        assert modelled(draft_of(page)) == squeezed(PUBLIC), draft_of(page)
        see(page, "1-modelled")
    with step("the plan creates three tables; it is deployed, and the pull command copied"):
        press(page, "Control+Enter")
        for name in ("User", "Room", "Booking"):
            expect(dialog.locator(".plan")).to_contain_text(f"Create the table of {name}")
        see(page, "1-plan")
        expect(dialog.get_by_role("button", name="Deploy", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("Deployed to dev in")
        see(page, "1-deployed")
        command = dialog.locator(".cmd code").inner_text()
        dialog.get_by_role("button", name="Copy command").click()
        press(page, "Escape")
        expect(page.locator(".changes")).to_have_count(0)
        # The page's policy lets nobody read the clipboard: it is pasted.
        press(page, "Control+k")
        expect(page.get_by_role("combobox")).to_be_focused()
        press(page, "Control+v")
        expect(page.get_by_role("combobox")).to_have_value(command)
        press(page, "Escape")
        assert modelled((server.folder / "schema.graphql").read_text()) == squeezed(PUBLIC)
    with step("the command writes the app's configuration, and the models are generated"):
        app = server.folder / "app"
        app.mkdir()
        words = shlex.split(command)
        assert words[:2] == ["syncline", "pull"], command
        server.syncline(*words[1:], folder=app)
        server.syncline("codegen", "models", "--target", "swift", "--out", str(app / "AmplifyModels"))
        configuration = json.loads((app / "amplifyconfiguration.json").read_text())
        api, = configuration["api"]["plugins"]["awsAPIPlugin"].values()
        assert api["endpoint"] == f"{server.url}/graphql" and api["apiKey"] == server.key, api
        assert (app / "awsconfiguration.json").exists()
        assert {"User.swift", "Room.swift", "Booking.swift"} <= {path.name for path in (app / "AmplifyModels").iterdir()}
    with step("a room is made in the browser; what an app creates appears without a reload"):
        page.goto(server.url + "/console/data/Room")
        ready(page, "/data")
        page.get_by_role("button", name="New item").first.click()
        panel = page.get_by_role("complementary")
        for name, value in (("description", "Loft"), ("city", "Paris"), ("price", "120"), ("imageKey", "loft")):
            panel.locator(f"#f-{name}").fill(value)
        press(page, "Control+s")
        expect(panel.get_by_role("heading", level=2)).to_have_text("Loft")
        press(page, "Escape")
        expect(rows(page)).to_have_count(1)
        loft = server.graphql("{ listRooms { items { id } } }")["data"]["listRooms"]["items"][0]["id"]
        server.create("Room", id="r-cabin", description="Cabin", city="Oslo", price=80, imageKey="cabin")
        server.create("Room", id="r-castle", description="Château", city="Blois", price=300, imageKey="chateau")
        arrive(page, 3)
        server.graphql("mutation ($input: UpdateRoomInput!) { updateRoom(input: $input) { id } }", input={"id": "r-cabin", "price": 75})
        until(lambda: "75" in [cell(page, n, "price").inner_text() for n in range(3)], what="the changed price")
        see(page, "1-rooms")
        page.goto(server.url + "/console/data/Booking")
        ready(page, "/data")
        for name, guest in (("b1", "Zoë  Müller ☕"), ("b2", "Ada")):
            server.create("Booking", id=name, guestId=guest, checkInDate="2026-12-15", checkOutDate="2026-12-18", bookingRoomId=loft)
        arrive(page, 2)
        expect(cell(page, 0, "room")).to_contain_text("Loft")
        see(page, "1-bookings")
    with step("a second device that creates an existing User is refused with a reason, which Logs show"):
        page.goto(server.url + "/console/logs")
        ready(page, "/logs")
        server.create("User", id="ada", username="ada")
        refused = server.graphql("mutation Again { createUser(input: {id: \"ada\", username: \"somebody else\"}) { id } }")
        assert refused["errors"][0]["errorType"] == "DynamoDB:ConditionalCheckFailedException", refused
        line = page.locator(".logs [role=row], .logs li, .logs tr").filter(has_text="Again").first
        expect(line).to_contain_text("ConditionalCheckFailed")
        line.click()
        expect(page.get_by_role("complementary")).to_contain_text("ConditionalCheckFailed")
        see(page, "1-refused")
    with step("a query runs as the API key, and a subscription receives an app's item"):
        page.goto(server.url + "/console/query")
        ready(page, "/query")
        type_query(page, "{ listRooms(filter: {price: {lt: 250}}) { items { city price } } }")
        choose_identity(page, "API key|default")
        page.get_by_role("button", name="Run").click()
        expect(page.locator(".result-window")).to_contain_text('"Oslo"')
        see(page, "1-query")
        type_query(page, "subscription Created { onCreateUser { id username } }")
        page.get_by_role("button", name="Run").click()
        expect(page.locator(".query-status")).to_contain_text("listening")
        # Subscribers receive the fields that the mutation selects.
        server.graphql("mutation { createUser(input: {id: \"grace\", username: \"grace\"}) { id username } }")
        expect(page.locator(".result-window")).to_contain_text("grace")
        see(page, "1-subscription")
    with step("the server restarts: the open tabs go on by themselves, signed in, and live"):
        page.goto(server.url + "/console/data/User")
        ready(page, "/data")
        expect(rows(page)).to_have_count(2)
        server.stop()
        expect(page.get_by_text(re.compile("does not answer|Reconnecting")).first).to_be_visible()
        server.start()
        expect(page.get_by_text(re.compile("does not answer|Reconnecting"))).to_have_count(0)

        # The channel connects some moments after the requests.
        def arrives():
            server.graphql("mutation ($input: UpdateUserInput!) { updateUser(input: $input) { id } }", input={"id": "ada", "username": f"Ada {time.monotonic():.2f}"})
            page.wait_for_timeout(400)
            return any("Ada" in cell(page, n, "username").inner_text() for n in range(2))
        until(arrives, 20, "a change after the restart")
        see(page, "1-restarted")
    seat.check()
    return seat


def chat(browser, server):
    """Tutorial 3: data sources, table, items, record."""
    with step("every type has a table, empty ones too"):
        (server.folder / "schema.graphql").write_text(CHAT)
        server.start()
        when = "2026-11-22T10:00:00.000Z"
        for name in ("ada", "noor"):
            server.create("User", id=name, sub=f"sub-{name}", username=name.title(), createdAt=when)
        seat = Browser(browser, server)
        page = seat.page(server.link())
        expect(page.get_by_role("heading", level=2).first).to_have_text("Your backend is ready")
        page.goto(server.url + "/console/data/User")
        ready(page, "/data")
        side = page.get_by_role("navigation", name="Data sources")
        assert sorted(text.split("\n")[0] for text in side.get_by_role("link").all_inner_texts()) == ["Message", "Reply", "Thread", "User", "UserThread"]
    with step("the record: postcode is not set, and not in the JSON; the app sets it, and it shows"):
        cell(page, [cell(page, n, "username").inner_text() for n in range(2)].index("Ada"), "username").click()
        panel = page.get_by_role("complementary")
        expect(panel.get_by_role("heading", level=2)).to_have_text("Ada")
        expect(panel.locator(".unset").first).to_contain_text("postcode")
        see(page, "3-record")
        panel.get_by_role("tab", name="JSON").click()
        expect(panel.locator("pre")).to_contain_text('"username": "Ada"')
        expect(panel.locator("pre")).not_to_contain_text("postcode")
        panel.get_by_role("tab", name="JSON").press("ArrowLeft")
        server.graphql("mutation ($input: UpdateUserInput!) { updateUser(input: $input) { id postcode } }", input={"id": "ada", "postcode": "N1 9GU"})
        expect(panel.locator("#f-postcode")).to_have_value("N1 9GU")
        page.goto(server.url + "/console/data/User/noor")
        expect(panel.get_by_role("heading", level=2)).to_have_text("Noor")
        expect(panel.locator(".unset").first).to_contain_text("postcode")
    with step("a message leads to its author, and Back returns"):
        lunch = server.create("Thread", name="Lunch", location="london", createdAt=when)
        for user in ("ada", "noor"):
            server.create("UserThread", userThreadUserId=user, userThreadThreadId=lunch, createdAt=when)
        for n in (2, 0, 1):
            server.create("Message", id=f"m{n}", body=f"Message {n}", messageAuthorId="ada" if n else "noor", messageThreadId=lunch, createdAt=f"2026-11-22T10:0{n}:00.000Z")
        page.goto(server.url + "/console/data/Message")
        ready(page, "/data")
        row = [cell(page, n, "body").inner_text() for n in range(3)].index("Message 0")
        cell(page, row, "author").get_by_role("link").click()
        expect(panel.get_by_role("heading", level=2)).to_have_text("Noor")
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Message")
    with step("a user's threads are found by the index"):
        page.goto(server.url + '/console/data/UserThread?filter={"userThreadUserId":{"eq":"ada"}}')
        ready(page, "/data")
        expect(rows(page)).to_have_count(1)
        expect(page.locator(".cost code")).to_have_text("byUser")
    with step("a thread's messages open from its record, sorted by createdAt"):
        page.goto(f"{server.url}/console/data/Thread/{lunch}")
        expect(panel.get_by_role("heading", level=2)).to_have_text("Lunch")
        panel.get_by_role("link", name="Open 3 items of messages").wait_for()
        panel.get_by_role("button", name="Show messages").click()
        expect(panel.locator(".linked li")).to_have_text([re.compile(f"m{n}") for n in range(3)])
        see(page, "3-thread")
        panel.get_by_role("link", name="Open 3 items of messages").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Message")
        until(lambda: rows(page).count() == 3, what="three messages")
        see(page, "3-messages")
        page.goto(server.url + "/console/data/User/ada")
        panel.get_by_role("link", name="Open 2 items of messages").wait_for()
    seat.check()
    return seat


HOTEL = PUBLIC.replace("  room: Room! @connection\n", "  room: Room! @connection\n  note: String\n")


def menu(page, button, item):
    page.get_by_role("button", name=button).first.click()
    page.get_by_role("menuitem", name=item).click()


def deployed(page):
    """Reviews the draft and deploys it."""
    press(page, "Control+Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Deploy", exact=True).wait_for()
    yield dialog
    dialog.get_by_role("button", name="Deploy", exact=True).click()
    expect(dialog).to_contain_text("Deployed to dev in")
    dialog.get_by_role("button", name="Close").last.click()


def everyday(browser, server):
    """What an operator does on other days: edit, link, import, delete, rename, and a colleague's change."""
    with step("1,000 rooms are imported, 2 bad rows are said with their line, and the rows arrive"):
        (server.folder / "schema.graphql").write_text(HOTEL)
        server.start()
        seat = Browser(browser, server)
        page = seat.page(server.link())
        expect(page.get_by_role("heading", level=2).first).to_have_text("Your backend is ready")
        page.goto(server.url + "/console/data/Room")
        ready(page, "/data")
        page.get_by_role("button", name="Import").last.click()
        dialog = page.get_by_role("dialog")
        text = "id,description,city,price,imageKey\r\n" + "".join(f"r{n:04d},Room {n},{('Nantes', 'Lyon', 'Porto')[n % 3]},{'many' if n in (7, 501) else 50 + n % 200},key{n}\r\n" for n in range(1002))
        dialog.locator("input[type=file]").set_input_files({"name": "rooms.csv", "mimeType": "text/csv", "buffer": text.encode()})
        dialog.get_by_role("button", name="Import", exact=True).click()
        expect(dialog).to_contain_text("1,000 items imported, 2 rejected.", timeout=60_000)
        expect(dialog.locator(".samples li").first).to_contain_text("Line 9")
        see(page, "d-imported")
        dialog.get_by_role("button", name="Close").last.click()
        until(lambda: rows(page).count() > 20, what="rows")
        expect(page.locator(".foot")).to_contain_text("of 1,000")
    with step("the first load of each page is within its budget"):
        print(f"    {first_loads(seat.page(), server.url)}")
    with step("a cell is edited, a bad value refused, and another writer's change of the same field shown"):
        cell(page, 0, "price").dblclick()
        editor = page.locator(".grid input:focus")
        editor.fill("much")
        press(page, "Enter")
        expect(page.locator(".cell-wrong, .wrong, [role=alert]").first).to_contain_text("whole number")
        editor.fill("61")
        press(page, "Enter")
        until(lambda: server.graphql("{ getRoom(id: \"r0000\") { price } }")["data"]["getRoom"]["price"] == 61, what="the price")
        page.goto(server.url + "/console/data/Room/r0001")
        panel = page.get_by_role("complementary")
        panel.locator("#f-city").fill("Brest")
        server.graphql("mutation { updateRoom(input: {id: \"r0001\", city: \"Metz\"}) { id city price description imageKey } }")
        expect(panel.locator(".versus")).to_contain_text("Metz")
        see(page, "d-both")
        press(page, "Control+s")
        if server.graphql("{ getRoom(id: \"r0001\") { city } }")["data"]["getRoom"]["city"] != "Brest":
            press(page, "Control+s")
        until(lambda: server.graphql("{ getRoom(id: \"r0001\") { city } }")["data"]["getRoom"]["city"] == "Brest", what="the city of this tab")
    with step("a booking is made, its room picked by title; absent, and the filter by the room's city finds it"):
        page.goto(server.url + "/console/data/Booking/+new")
        panel.locator("#f-room").click()
        dialog.get_by_role("combobox").fill("Room 42")
        expect(dialog.get_by_role("option").first).to_contain_text("Room 42")
        press(page, "Enter")
        for name, value in (("guestId", "ada"), ("checkInDate", "2026-12-15"), ("checkOutDate", "2026-12-18")):
            panel.locator(f"#f-{name}").fill(value)
        press(page, "Control+s")
        expect(panel.locator(".unset").first).to_contain_text("note")
        expect(panel.locator("#f-room")).to_contain_text("Room 42")
        see(page, "d-booking")
        page.goto(server.url + '/console/data/Booking?filter={"room":{"city":{"eq":"Nantes"}}}')
        ready(page, "/data")
        expect(rows(page)).to_have_count(1)
        page.goto(server.url + '/console/data/Booking?filter={"room":{"city":{"eq":"Lyon"}}}')
        expect(page.locator(".empty")).to_contain_text("No")
    with step("214 filtered rooms are exported and deleted, after their number was said"):
        page.goto(server.url + '/console/data/Room?filter={"and":[{"city":{"eq":"Porto"}},{"id":{"le":"r0641"}}]}')
        ready(page, "/data")
        expect(page.locator(".foot")).to_contain_text("of 214")
        page.get_by_role("button", name="Import or export").click()
        with page.expect_download() as saved:
            page.get_by_role("menuitem", name="CSV").click()
        assert len(Path(saved.value.path()).read_text().splitlines()) == 215
        page.locator(".grid-head input[type=checkbox]").check()
        page.get_by_role("button", name=re.compile("^Select all")).click()
        page.locator(".selbar").get_by_role("button", name="Delete").click()
        expect(dialog).to_contain_text("Delete 214 items of Room?")
        dialog.get_by_label("Type Room to go on").fill("Room")
        dialog.get_by_role("button", name="Delete 214 items").click()
        expect(page.locator(".toast").last).to_contain_text("Deleted 214 items.", timeout=60_000)
        left = server.graphql("{ listRooms(limit: 1000, filter: {city: {eq: \"Porto\"}}) { items { id } } }")["data"]["listRooms"]["items"]
        assert min(item["id"] for item in left) > "r0641", left[:2]
    with step("imageKey becomes photoKey and keeps its values; a required field is filled"):
        page.goto(server.url + "/console/schema?type=Room")
        ready(page, "/schema")
        page.get_by_role("button", name="Rename imageKey").click()
        expect(page.locator("input:focus")).to_have_value("imageKey")
        page.keyboard.type("photoKey")
        press(page, "Enter")
        expect(page.locator(".changes")).to_contain_text("Renames Room.imageKey to photoKey. No data loss.")
        for dialog in deployed(page):
            expect(dialog.locator(".plan")).to_contain_text("photoKey")
            see(page, "d-rename")
        assert server.graphql("{ getRoom(id: \"r0000\") { photoKey } }")["data"]["getRoom"]["photoKey"] == "key0"
        page.get_by_role("button", name="Add a field").click()
        add_field(page, "stars", "Int")
        press(page, "Escape")
        expect(page.locator(".changes")).to_contain_text("Adds field Room.stars")
        for dialog in deployed(page):
            see(page, "d-fill")
            dialog.get_by_label(re.compile("^Fill .* with")).fill("3")
        assert server.graphql("{ getRoom(id: \"r0000\") { stars } }")["data"]["getRoom"]["stars"] == 3
    with step("an error in the file is at its line, and the deployed API answers; a colleague's change is merged"):
        page.goto(server.url + "/console/schema?view=both&type=User")
        ready(page, "/schema")
        file = server.folder / "schema.graphql"
        file.write_text(file.read_text().replace("  username: String!\n", "  username: String\n  email: AWSEmail\n"))
        until(lambda: "data" in server.graphql("{ listUsers { items { email } } }"), what="the change on disk")
        page.goto(server.url + "/console/schema?view=file")
        ready(page, "/schema")
        page.locator(".CodeMirror-code").first.click()
        press(page, "Control+End")
        page.keyboard.type("\ntype Review @model { id: ID! stars: Imt ")
        expect(page.locator(".diagnostics")).to_contain_text("Imt")
        assert "data" in server.graphql("{ listRooms(limit: 1) { items { id } } }")
        file.write_text(file.read_text().replace("  email: AWSEmail\n", "  email: AWSEmail\n  phone: AWSPhone\n"))
        expect(page.locator(".banner", has_text="changed on disk")).to_be_visible()
        page.get_by_role("button", name="Compare and merge").click()
        see(page, "d-merge")
        page.get_by_role("dialog").get_by_role("button", name="Merge", exact=True).click()
        expect(page.locator(".banner", has_text="changed on disk")).to_have_count(0)
        assert "phone: AWSPhone" in draft_of(page) and "Imt" in draft_of(page)
    with step("an enum's values change their order"):
        page.goto(server.url + "/console/schema?view=model")
        ready(page, "/schema")
        page.get_by_role("button", name="Discard").click()
        page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
        expect(page.locator(".changes")).to_have_count(0)
        file.write_text(file.read_text() + "\nenum Kind {\n  SINGLE\n  DOUBLE # two beds\n  SUITE\n}\n")
        page.get_by_role("navigation", name="Types").get_by_role("link", name="Kind").click()
        page.get_by_role("button", name="More about SUITE").focus()
        press(page, "Alt+ArrowUp")
        until(lambda: "  SINGLE\n  SUITE\n  DOUBLE # two beds\n}" in draft_of(page), what="the other order")
    with step("versions list what was deployed, and bring one back"):
        page.goto(server.url + "/console/schema/deployments")
        listed = page.get_by_role("navigation", name="Deployments")
        expect(listed).to_contain_text("by the file")
        listed.locator('a[href$="/schema/deployments/1"]').click()
        see(page, "d-versions")
        page.get_by_role("button", name="Bring back").click()
        confirm = page.get_by_role("dialog").get_by_role("button", name="Replace draft")
        if confirm.count():
            confirm.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Schema")
        assert "stars" not in draft_of(page).split("type Booking")[0]
    seat.check()
    return seat


PLAYS = (("Tutorial 1", booking), ("Tutorial 3", chat), ("Other days", everyday))


def main():
    failed = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for title, play in [one for one in PLAYS if "--only" not in sys.argv or one[1].__name__ == sys.argv[sys.argv.index("--only") + 1]]:
            folder = Path(tempfile.mkdtemp(prefix="syncline-tutorial-"))
            server = Server(sys.argv[1], folder)
            print(title, flush=True)
            try:
                play(browser, server)
                server.stop()
            except Exception as error:
                failed += 1
                print(f"  FAILED: {STEPS[-1]}\n    " + "\n    ".join(str(error).split("Call log")[0].strip().splitlines()[:14]), flush=True)
                FAILED.mkdir(parents=True, exist_ok=True)
                for context in browser.contexts:
                    for n, page in enumerate(context.pages):
                        page.screenshot(path=FAILED / f"{play.__name__}-{n}.png")
                    context.tracing.stop(path=FAILED / f"{play.__name__}.zip")
                if "--long" in sys.argv:
                    raise
            finally:
                for context in browser.contexts:
                    context.close()
                with contextlib.suppress(AssertionError):
                    server.stop()
                if "--keep" in sys.argv:
                    print(f"  kept: {folder}")
                else:
                    shutil.rmtree(folder)
        browser.close()
    return 1 if failed else 0


sys.exit(main())
