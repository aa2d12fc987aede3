"""Tests of the Schema page: modelling, the file, deployment, versions. Registered by browser_test.py, whose helpers they use."""

import json
import re
import urllib.request
from pathlib import Path

from helpers import LOOKS, add_field, add_model, add_relationship, draft_of, press, ready, squeezed, until, violations
from playwright.sync_api import expect

PUBLIC = """type User @model @auth(rules: [{allow: public}]) {
  id: ID!
  username: String!
}

type Room @model @auth(rules: [{allow: public}]) {
  id: ID!
  description: String!
  city: String!
  price: Int!
  imageKey: String!
}

type Booking @model @auth(rules: [{allow: public}]) {
  id: ID!
  room: Room! @connection
  guestId: ID!
  checkInDate: AWSDate!
  checkOutDate: AWSDate!
}
"""
LAID_OUT = """type User @model {
  id: ID!
  username: String!
  bookings: [Booking] @connection(keyName: "byGuest", fields: ["id"])
}

enum Kind {
  SINGLE
  DOUBLE
}

type Address {
  street: String!
  city: String!
}

type Room @model {
  id: ID!
  description: String!
  city: String!
  price: Int!
  kind: Kind
  address: Address
  tags: [String!]
  available: Boolean
}

type Booking @model @key(name: "byGuest", fields: ["guestId", "checkInDate"]) {
  id: ID!
  room: Room! @connection
  guestId: ID!
  checkInDate: AWSDate!
  note: String
}

type Thread @model {
  id: ID!
  messages: [Message] @connection(name: "ThreadMessages")
}

type Message @model {
  id: ID!
  body: String!
  thread: Thread @connection(name: "ThreadMessages")
}
"""
CRLF = "# Owned by the booking team.\r\ntype Booking @model @audited(by: \"billing\") {\r\n  id: ID!\r\n  guest: String! # as typed in the app\r\n\r\n  # Both dates are local.\r\n  checkIn: AWSDate!\r\n  checkOut: AWSDate!\r\n}\r\n\r\ntype Room @model {\r\n  id: ID!\r\n  city: String\r\n}\r\n"


def register(base):
    test, other, opened = base.test, base.other, base.opened

    def state(world, **changes):
        """The mock's schema, after a change of it."""
        request = urllib.request.Request(world.base + "/mock/schema", data=json.dumps(changes).encode(), method="POST", headers={"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(request))

    def schema(world, path="/schema", **options):
        page = world.page(path, **options)
        ready(page, "/schema")
        return page

    text_of = draft_of

    # Tutorial 1 ----------------------------------------------------------------------------------------------------

    @test("from an empty project, by keyboard only: three models, a relationship, the plan, the deployment, and the pull command", mock_only=True)
    def tutorial(world):
        with other(world, "--empty") as second:
            page = schema(second)
            expect(page.locator(".empty")).to_contain_text("The schema has no types yet.")
            add_model(page, "User")
            # The file changes as I type.
            page.keyboard.type("user")
            expect(page.locator(".file .pending")).to_contain_text("user: String")
            press(page, "Control+a")
            add_field(page, "username")
            expect(page.locator(".file pre")).to_contain_text("username: String!")
            press(page, "Escape")
            add_model(page, "Room")
            for name, type_ in (("description", "String"), ("city", "String"), ("price", "Int"), ("imageKey", "String")):
                add_field(page, name, type_)
            press(page, "Escape")
            add_model(page, "Booking")
            for name, type_ in (("guestId", "ID"), ("checkInDate", "AWSDate"), ("checkOutDate", "AWSDate")):
                add_field(page, name, type_)
            press(page, "Escape")
            # A relationship, in sentences.
            adding = add_relationship(page, "Room")
            dialog = next(adding)
            expect(dialog.locator(".sentence")).to_contain_text("Each Booking has one Room, as room. A Room does not list its Bookings.")
            expect(dialog.locator(".writes .add")).to_contain_text("room: Room @connection")
            next(adding)
            expect(dialog.locator(".writes .add")).to_contain_text("room: Room! @connection")
            assert next(adding, None) is None
            expect(page.locator(".say").first).to_contain_text("Each Booking has one Room, as room, always.")
            assert squeezed(text_of(page)) == squeezed(PUBLIC), text_of(page)
            expect(page.locator(".changes")).to_contain_text("3 undeployed changes. Adds model User, model Room and model Booking. No data loss.")
            # Plan and deployment.
            page.keyboard.press("Control+Enter")
            expect(dialog).to_contain_text("Deploy to dev")
            for name in ("User", "Room", "Booking"):
                expect(dialog.locator(".plan")).to_contain_text(f"Create table {name}")
            expect(dialog.locator(".plan")).to_contain_text("Existing app builds keep working")
            expect(dialog.get_by_role("button", name="Deploy", exact=True)).to_be_focused()
            page.keyboard.press("Enter")
            expect(dialog).to_contain_text("Deployed to dev in")
            command = dialog.locator(".cmd code").inner_text()
            assert command == f"syncline pull {second.base} --env dev", command
            for _ in range(8):
                if page.evaluate("document.activeElement?.getAttribute('aria-label')") == "Copy command":
                    break
                page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            until(lambda: page.evaluate("navigator.clipboard.readText()") == command, what="the command on the clipboard")
            page.keyboard.press("Escape")
            expect(page.locator(".changes")).to_have_count(0)
            assert squeezed(state(second)["served"]["schema.graphql"]) == squeezed(PUBLIC)

    @test("a renamed field keeps its values, and the plan says so and names what breaks", mock_only=True)
    def rename(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Room")
            page.get_by_role("button", name="Rename imageKey").click()
            page.keyboard.type("photoKey")
            page.keyboard.press("Enter")
            expect(page.locator("[data-field=photoKey]")).to_have_class(re.compile("changed"))
            expect(page.locator(".changes")).to_contain_text("Renames Room.imageKey to photoKey. No data loss.")
            page.get_by_role("button", name="Review and deploy").click()
            dialog = page.get_by_role("dialog")
            expect(dialog.locator(".plan")).to_contain_text("Rename column Room.imageKey to photoKey")
            expect(dialog.locator(".plan")).to_contain_text("Items keep their values")
            expect(dialog.locator(".plan")).to_contain_text("Room.imageKey is now photoKey.")
            # What decides stays in sight, however long the plan is.
            page.set_viewport_size({"width": 1440, "height": 420})
            expect(dialog.get_by_role("button", name="Deploy", exact=True)).to_be_in_viewport(ratio=1)
            page.set_viewport_size({"width": 1440, "height": 900})
            expect(dialog.locator(".chip.ochre")).to_have_text("breaking")
            # Back again: the column is renamed once more, and no value is lost.
            page.keyboard.press("Enter")
            expect(dialog).to_contain_text("Deployment 3.")
            page.keyboard.press("Escape")
            page.get_by_role("link", name="Versions").click()
            page.get_by_role("navigation", name="Deployments").get_by_role("link").nth(1).click()
            page.get_by_role("button", name="Bring back").click()
            expect(page.locator(".changes")).to_contain_text("Renames Room.photoKey to imageKey. No data loss.")
            page.get_by_role("button", name="Review and deploy").click()
            expect(dialog.locator(".plan")).to_contain_text("Rename column Room.photoKey to imageKey")
            expect(dialog.locator(".plan .destructive")).to_have_count(0)

    @test("a field that items lack is filled when it becomes required", mock_only=True)
    def backfill(world):
        with other(world) as second:
            state(second, missing={"Room.kind": 0, "Booking.note": 0, "Room.stars": 1000})
            state(second, disk={"schema.graphql": PUBLIC.replace("  price: Int!\n", "  price: Int!\n  stars: Int\n")}, served=True)
            page = schema(second, "/schema?type=Room")
            page.get_by_role("switch", name="stars is required").check()
            expect(page.locator(".changes")).to_contain_text("Changes Room.stars.")
            page.get_by_role("button", name="Review and deploy").click()
            dialog = page.get_by_role("dialog")
            expect(dialog.locator(".plan")).to_contain_text("1,000 items lack stars")
            expect(dialog.get_by_role("button", name="Deploy", exact=True)).to_have_attribute("aria-disabled", "true")
            fill = dialog.get_by_label("Fill 1,000 items with")
            fill.fill("many")
            expect(dialog.get_by_role("alert")).to_contain_text("A whole number.")
            fill.fill("3")
            dialog.get_by_role("button", name="Deploy", exact=True).click()
            expect(dialog).to_contain_text("Deployed to dev")
            assert state(second)["backfilled"] == {"Room.stars": 3}

    @test("an error in the file is at its line with a fix, and nothing is deployed until it is gone", mock_only=True)
    def broken(world):
        with other(world) as second:
            page = schema(second, "/schema?view=file")
            page.locator(".CodeMirror-code").click()
            press(page, "Control+End")
            page.keyboard.type("\ntype Visit @model {\nid: ID!\nat: AWSDat")
            page.keyboard.press("Escape")
            expect(page.locator(".diagnostics")).to_contain_text('Unknown type "AWSDat"')
            expect(page.locator(".CodeMirror-lint-marker-error")).to_be_visible()
            button = page.get_by_role("button", name="Review and deploy")
            expect(button).to_have_attribute("aria-disabled", "true")
            page.keyboard.press("Control+Enter")
            expect(page.get_by_role("dialog")).to_have_count(0)
            page.get_by_role("button", name="Use AWSDate").click()
            expect(page.locator(".diagnostics")).to_contain_text("No errors.")
            assert "at: AWSDate\n}" in text_of(page), text_of(page)
            expect(button).not_to_have_attribute("aria-disabled", "true")
            # A syntax error: the modeller keeps what it read last, and says where the error is.
            page.locator(".CodeMirror-code").click()
            press(page, "Control+Home")
            page.keyboard.type("type {")
            expect(page.locator(".banner")).to_contain_text("Line 1")
            page.get_by_role("tab", name="Model").click()
            expect(page.get_by_role("navigation", name="Types").get_by_role("link")).to_have_count(6)
            page.get_by_role("button", name="Add a field").click()
            expect(page.locator(".toast").last).to_contain_text("The file has an error")
            assert state(second)["served"] == state(second)["disk"]

    @test("a deployment that fails says at which step, and the draft is intact", mock_only=True)
    def fails(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Room")
            page.get_by_role("switch", name="price is required").uncheck()
            before = state(second, failAt="migrate")["disk"]
            page.get_by_role("button", name="Review and deploy").click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_role("button", name="Deploy", exact=True).click()
            expect(dialog.get_by_role("alert")).to_contain_text("“Migrate the tables” failed.")
            expect(dialog.get_by_role("alert")).to_contain_text("Files, tables and the API are as before. The draft is kept.")
            assert state(second)["disk"] == before == state(second)["served"]
            dialog.get_by_role("button", name="Cancel").click()
            expect(page.locator(".changes")).to_contain_text("1 undeployed change.")
            page.reload()
            expect(page.get_by_role("switch", name="price is required")).not_to_be_checked()
            page.get_by_role("button", name="Review and deploy").click()
            dialog.get_by_role("button", name="Deploy", exact=True).click()
            expect(dialog).to_contain_text("Deployed to dev")

    @test("more would be lost than the plan said: the new plan is shown, and nothing is deployed until it is accepted", mock_only=True)
    def grown(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Room")
            page.get_by_role("switch", name="price is required").uncheck()
            page.locator(".changes").wait_for()
            page.get_by_role("button", name="Review and deploy").click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_role("button", name="Deploy", exact=True).wait_for()
            state(second, failAt="migrate", grow={"schema.graphql": draft_of(page)})
            dialog.get_by_role("button", name="Deploy", exact=True).click()
            expect(dialog).to_contain_text("The data changed, and the plan with it. Look at it again.")
            expect(dialog.locator(".plan")).to_be_visible()
            dialog.get_by_role("button", name="Deploy", exact=True).click()
            expect(dialog).to_contain_text("Deployed to dev")
            # And it is undone as the server says.
            dialog.get_by_role("button", name="Undo deployment…").click()
            expect(dialog.get_by_role("button", name="Deploy", exact=True)).to_be_visible()
            assert "price: Int!" in draft_of(page)

    @test("comments, CRLF and an unknown directive survive ten edits, and undo restores every byte", mock_only=True)
    def bytes_stay(world):
        with other(world) as second:
            state(second, disk={"schema.graphql": CRLF}, served=True)
            page = schema(second, "/schema?type=Booking")
            assert text_of(page) == CRLF
            page.get_by_role("switch", name="checkOut is required").uncheck()
            page.get_by_role("button", name="Add a field").click()
            for name in ("note", "nights"):
                page.get_by_label("Name of the new field").fill(name)
                page.keyboard.press("Enter")
                expect(page.locator(f"[data-field={name}]")).to_be_visible()
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Rename guest").click()
            page.keyboard.type("guestName")
            page.keyboard.press("Enter")
            expect(page.locator("[data-field=guestName]")).to_be_visible()
            page.get_by_role("button", name="Type of nights: String").click()
            page.get_by_label("Search types").fill("Int")
            page.keyboard.press("Enter")
            expect(page.get_by_role("button", name="Type of nights: Int")).to_be_visible()
            page.locator("[data-field=note] .fn").focus()
            page.keyboard.press("Alt+ArrowUp")
            until(lambda: text_of(page).index("note") < text_of(page).index("checkOut"), what="note before checkOut")
            page.get_by_role("button", name="More about nights").click()
            page.get_by_role("menuitem", name="Remove").click()
            expect(page.locator("[data-field=nights]")).to_have_count(0)
            page.get_by_role("link", name="Room").click()
            page.get_by_role("switch", name="city is required").check()
            page.get_by_role("tab", name="Keys").click()
            page.get_by_role("button", name="Add an index").click()
            page.get_by_role("dialog").get_by_role("button", name="Add index").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
            page.get_by_role("tab", name="Rules").click()
            page.get_by_role("button", name="Add a rule").click()
            page.get_by_role("dialog").get_by_role("button", name="Add rule").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
            after = text_of(page)
            for kept in ("# Owned by the booking team.\r\n", '@audited(by: "billing")', "guestName: String! # as typed in the app\r\n", "\r\n\r\n  # Both dates are local.\r\n  checkIn: AWSDate!\r\n", "@auth(rules: [{ allow: owner }])", '@key(name: "byCity"'):
                assert kept in after, f"{kept!r} is not in {after!r}"
            assert not re.search(r"(?<!\r)\n", after), after
            page.get_by_role("tab", name="Model").focus()
            for _ in range(30):
                if page.get_by_role("button", name="Undo", exact=True).get_attribute("aria-disabled"):
                    break
                page.keyboard.press("Control+z")
            assert text_of(page) == CRLF
            expect(page.locator(".changes")).to_have_count(0)
            for _ in range(30):
                page.keyboard.press("Control+Shift+z")
            assert text_of(page) == after

    @test("typing in the file with CRLF, and the modeller beside it, share one undo", mock_only=True)
    def both_views(world):
        with other(world) as second:
            state(second, disk={"schema.graphql": CRLF}, served=True)
            page = schema(second, "/schema?type=Room&view=both")
            page.locator(".CodeMirror-code").click()
            press(page, "Control+End")
            page.keyboard.type("\nenum Kind { A }\n")
            expect(page.get_by_role("navigation", name="Types")).to_contain_text("Kind")
            assert text_of(page) == CRLF + "\r\nenum Kind { A }\r\n", repr(text_of(page))
            page.get_by_role("link", name="Room").click()
            page.get_by_role("switch", name="city is required").check()
            expect(page.locator(".CodeMirror-code")).to_contain_text("city: String!")
            page.locator(".CodeMirror-code").click()
            for _ in range(12):
                page.keyboard.press("Control+z")
            assert text_of(page) == CRLF
            expect(page.locator(".CodeMirror-code")).not_to_contain_text("Kind")

    @test("a colleague changes the file on disk: the draft merges both, or shows each conflict", mock_only=True)
    def colleague(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Booking")
            page.get_by_role("button", name="Add a field").click()
            page.get_by_label("Name of the new field").fill("note")
            page.keyboard.press("Enter")
            expect(page.locator("[data-field=note]")).to_be_visible()
            disk = state(second)["disk"]["schema.graphql"]
            state(second, disk={"schema.graphql": disk.replace("  username: String!\n", "  username: String!\n  email: AWSEmail\n")})
            expect(page.locator(".banner")).to_contain_text("The files changed on disk")
            page.get_by_role("button", name="Compare and merge").click()
            dialog = page.get_by_role("dialog")
            expect(dialog.locator(".sides")).to_contain_text("email: AWSEmail")
            dialog.get_by_role("button", name="Merge", exact=True).click()
            expect(page.locator(".banner")).to_have_count(0)
            assert "email: AWSEmail" in text_of(page) and "note: String" in text_of(page)
            expect(page.locator(".changes")).to_contain_text("1 undeployed change.")
            # The same line.
            page.get_by_role("switch", name="checkOutDate is required").uncheck()
            disk = state(second)["disk"]["schema.graphql"]
            state(second, disk={"schema.graphql": disk.replace("checkOutDate: AWSDate!", "checkOutDate: AWSDateTime!")})
            page.get_by_role("button", name="Compare and merge").click()
            dialog.get_by_role("button", name="Merge", exact=True).click()
            expect(page.locator(".conflicts")).to_contain_text("1 conflict")
            page.get_by_role("button", name="Take theirs").click()
            expect(page.locator(".conflicts")).to_have_count(0)
            assert "checkOutDate: AWSDateTime!" in text_of(page) and "<<<<" not in text_of(page)
            # A deployment of a draft that began before another change is refused with the way on.
            page.get_by_role("tab", name="Model").click()

    @test("a link from Query adds the index that a list lacks, with its fields filled in", mock_only=True)
    def add_index(world):
        page = schema(world, "/schema?add=key&type=Booking&fields=guestId,checkInDate")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Add an index to Booking")
        expect(dialog.get_by_label("Items of one")).to_have_value("guestId")
        expect(dialog.get_by_label("Sorted by")).to_have_value("checkInDate")
        expect(dialog.locator(".writes .add")).to_contain_text('@key(name: "byGuestIdAndCheckInDate", fields: ["guestId", "checkInDate"], queryField: "bookingsByGuestIdAndCheckInDate")')
        page.keyboard.press("Escape")
        assert "add=" not in page.url

    # States ----------------------------------------------------------------------------------------------------------

    @test("a viewer sees everything and changes nothing; a server without deployment plans and copies", mock_only=True)
    def read_only(world):
        with other(world, "--role", "viewer") as second:
            page = schema(second, "/schema?type=Room")
            expect(page.locator(".banner")).to_contain_text("Read only. Needs the owner role.")
            expect(page.get_by_role("switch", name="price is required")).to_be_disabled()
            page.get_by_role("button", name="Add a field").click(force=True)
            expect(page.locator(".toast")).to_contain_text("Needs the owner role")
            page.get_by_role("tab", name="File").click()
            page.locator(".CodeMirror-code").click()
            page.keyboard.type("x")
            expect(page.locator(".changes")).to_have_count(0)
        with other(world, "--mode", "serve") as second:
            page = schema(second, "/schema?type=Room")
            expect(page.locator(".banner")).to_contain_text("A draft can be planned and copied.")
            page.get_by_role("switch", name="price is required").uncheck()
            page.get_by_role("button", name="Review", exact=True).click()
            dialog = page.get_by_role("dialog")
            expect(dialog.locator(".cmd")).to_contain_text("syncline migrate")
            expect(dialog.get_by_role("button", name="Deploy", exact=True)).to_have_count(0)
            dialog.get_by_role("button", name="Copy text").click()
            assert "price: Int\n" in page.evaluate("navigator.clipboard.readText()")

    @test("each change is marked and undone by itself, also a removed one", mock_only=True)
    def marks(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Room")
            before = text_of(page)
            page.get_by_role("button", name="More about city").click()
            page.get_by_role("menuitem", name="Remove").click()
            expect(page.locator(".fs .removed")).to_contain_text("city")
            page.get_by_role("switch", name="price is required").uncheck()
            expect(page.locator("[data-field=price]")).to_have_class(re.compile("changed"))
            expect(page.locator(".changes")).to_contain_text("Data of Room.city is no longer served.")
            page.get_by_role("button", name="Undo: restore city").click()
            expect(page.locator("[data-field=city]")).to_be_visible()
            page.get_by_role("button", name="Undo the change of price").click()
            expect(page.locator(".changes")).to_have_count(0)
            assert text_of(page) == before
            page.get_by_role("button", name="More about Room").click()
            page.get_by_role("menuitem", name="Remove Room").click()
            page.get_by_role("dialog").get_by_role("button", name="Remove Room").click()
            expect(page.locator(".side .gone")).to_contain_text("Room")
            page.get_by_role("button", name="Review and deploy").click()
            dialog = page.get_by_role("dialog")
            deploy = dialog.get_by_role("button", name="Deploy", exact=True)
            expect(deploy).to_have_attribute("aria-disabled", "true")
            for box in dialog.get_by_label("I accept the loss").all():
                box.check()
            expect(deploy).not_to_have_attribute("aria-disabled", "true")
            dialog.get_by_role("button", name="Cancel").click()
            page.get_by_role("button", name="Undo: restore Room").click()
            expect(page.get_by_role("navigation", name="Types").get_by_role("link", name="Room", exact=True)).to_be_visible()

    @test("versions show what each deployment changed, and bring one back as a draft", mock_only=True)
    def versions(world):
        with other(world) as second:
            page = schema(second)
            page.get_by_role("link", name="Versions").click()
            expect(page.get_by_role("heading", level=1)).to_have_text("Versions")
            page.get_by_role("navigation", name="Deployments").get_by_role("link").nth(1).click()
            expect(page.get_by_role("heading", level=2, name="Deployment 1")).to_be_visible()
            page.get_by_role("button", name="Bring back").click()
            expect(page.get_by_role("heading", level=1)).to_have_text("Schema")
            expect(page.locator(".changes")).to_contain_text("undeployed changes")
            page.get_by_role("button", name="Discard").click()
            page.get_by_role("dialog").get_by_role("button", name="Discard draft").click()
            expect(page.locator(".changes")).to_have_count(0)

    @test("the editor completes types and directives, searches, folds, goes to definitions, and lets Tab out", mock_only=True)
    def editor(world):
        with other(world) as second:
            page = schema(second, "/schema?view=file")
            page.locator(".CodeMirror-code").click()
            press(page, "Control+End")
            page.keyboard.type("\ntype Visit @mo")
            expect(page.locator(".diagnostics")).to_contain_text("There is no directive @mo.")
            page.keyboard.press("Control+Space")
            expect(page.locator(".CodeMirror-hint").first).to_contain_text("model")
            page.keyboard.press("Enter")
            page.keyboard.type(" {\nid: ID!\nroom: RoomK")
            expect(page.locator(".diagnostics")).to_contain_text('Unknown type "RoomK"')
            page.keyboard.press("Control+Space")
            expect(page.locator(".CodeMirror-hint").first).to_contain_text("RoomKind")
            page.keyboard.press("Enter")
            until(lambda: "type Visit @model {\n  id: ID!\n  room: RoomKind" in text_of(page), what="the completed text: " + text_of(page)[-120:])
            press(page, "F12")
            until(lambda: page.locator(".CodeMirror-activeline").inner_text().strip().endswith("enum RoomKind {"), what="the definition")
            press(page, "Control+f")
            page.locator(".CodeMirror-dialog input").fill("imageKey")
            page.keyboard.press("Enter")
            expect(page.locator(".cm-searching").first).to_have_text("imageKey")
            page.keyboard.press("Escape")
            press(page, "Escape", "Tab")
            assert not page.evaluate("Boolean(document.activeElement.closest('.CodeMirror'))")

    @test("typing in the file is painted in time, and characters that the system inserts are not lost", mock_only=True)
    def typing(world):
        with other(world) as second:
            page = schema(second, "/schema?type=User&view=both")
            page.locator(".CodeMirror-code").click()
            press(page, "Control+Home")
            for character in "# Žluť 😀 end\n":
                (page.keyboard.type if character.isascii() else page.keyboard.insert_text)(character)
                page.wait_for_timeout(120)
            until(lambda: text_of(page).startswith("# Žluť 😀 end\n"), what="the text: " + text_of(page)[:40])
            page.get_by_role("switch", name="username is required").uncheck()
            until(lambda: "username: String\n" in text_of(page), what="an edit after characters of several bytes")
            page.locator(".CodeMirror-code").click()
            press(page, "Control+Home")
            times = page.evaluate("""async () => { const cm = document.querySelector('.CodeMirror').CodeMirror; const times = []; for (let n = 0; n < 40; n += 1) { const start = performance.now(); cm.replaceSelection('x', 'end', '+input');
                await new Promise(requestAnimationFrame); await new Promise((done) => setTimeout(done)); times.push(performance.now() - start); await new Promise((done) => setTimeout(done, 30)) } return times.sort((a, b) => a - b) }""")
            p95 = times[int(len(times) * 0.95)]
            # Other work shares the machine: the middle says what the page costs.
            assert times[len(times) // 2] < 50 * base.SLACK, f"{times[len(times) // 2]:.0f} ms"
            return f"median {times[len(times) // 2]:.0f} ms, p95 {p95:.0f} ms"

    @test("a reload during a deployment says that it runs, and what was deployed is no draft any more", mock_only=True)
    def reload_during(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Room")
            page.get_by_role("switch", name="price is required").uncheck()
            expect(page.locator(".changes")).to_contain_text("Draft kept")
            state(second, pause=1.2)
            page.get_by_role("button", name="Review and deploy").click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_role("button", name="Deploy", exact=True).click()
            expect(dialog).to_contain_text("Deploying")
            page.reload()
            expect(page.locator(".banner")).to_contain_text("owner deploys:")
            expect(page.locator(".banner")).to_have_count(0, timeout=15000)
            expect(page.locator(".changes")).to_have_count(0)
            expect(page.get_by_role("switch", name="price is required")).not_to_be_checked()

    @test("several files are tabs, and each change goes to the file that it belongs to", mock_only=True)
    def files(world):
        with other(world) as second:
            state(second, disk={"a.graphql": "type User @model {\n  id: ID!\n}\n", "b.graphql": "type Room @model {\n  id: ID!\n}\n"}, served=True)
            page = schema(second, "/schema?type=Room&view=both")
            page.get_by_role("button", name="Add a field").click()
            page.get_by_label("Name of the new field").fill("city")
            page.keyboard.press("Enter")
            expect(page.locator("[data-field=city]")).to_be_visible()
            page.get_by_role("tab", name=re.compile("^b.graphql")).click()
            expect(page.locator(".CodeMirror-code")).to_contain_text("city: String")
            page.locator(".CodeMirror-code").click()
            press(page, "Control+End")
            page.keyboard.type("enum Kind { A }")
            until(lambda: state(second)["drafts"].get("owner", {}).get("files", {}).get("b.graphql", "").endswith("enum Kind { A }"), what="the draft at the server")
            kept = state(second)["drafts"]["owner"]["files"]
            assert kept["a.graphql"] == state(second)["disk"]["a.graphql"]

    @test("a hundred models: names only until zoomed in, a search in the list, and edits in time", mock_only=True)
    def many(world):
        with other(world) as second:
            text = "".join(f"type Model{n} @model {{\n  id: ID!\n  name: String!\n" + (f"  parent: Model{n // 2} @connection\n" if n else "") + "}\n\n" for n in range(100))
            state(second, disk={"schema.graphql": text}, served=True)
            page = schema(second, "/schema?type=Model7")
            until(lambda: page.locator(".diagram .m").count() == 100, what="all cards")
            assert page.locator(".diagram .fn").count() == 0
            page.locator("svg.diagram").focus()
            for _ in range(12):
                page.keyboard.press("+")
            until(lambda: page.locator(".diagram .fn").count() > 200, what="fields of the cards")
            page.get_by_label("Search types and fields").fill("Model77")
            expect(page.get_by_role("navigation", name="Types").get_by_role("link")).to_have_count(1)
            spent = page.evaluate("""async () => { const start = performance.now(); document.querySelector("[aria-label='name is required']").click();
                while (!document.querySelector('.changes')) await new Promise(requestAnimationFrame); return performance.now() - start }""")
            return f"an edit {spent:.0f} ms"

    @test("at 320 px, at 200 % text, and by Tab: nothing of the Schema page is cut off, unnamed or a trap", mock_only=True)
    def schema_narrow(world):
        found = []
        for size in ((320, 700), (720, 450), (900, 700)):
            for path in ("/schema?type=Booking", "/schema?type=Booking&view=file", "/schema?type=Booking&tab=rules", "/schema/deployments"):
                page = schema(world, path, size=size)
                if size[0] == 720:
                    page.evaluate("document.documentElement.style.fontSize = '200%'")
                page.wait_for_timeout(150)
                wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if wide > 0:
                    found.append(f"{path} at {size[0]}: {wide} px too wide")
                cut = page.evaluate("""() => [...document.querySelectorAll('.head > *, .head .btn, .tabbar > *, .fs button, .fs input')].filter((e) => e.offsetParent && (e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1)).map((e) => e.className + ' ' + e.innerText.slice(0, 20))""")
                found.extend(f"{path} at {size[0]}: {one} is outside" for one in cut)
        assert not found, "\n".join(found)
        for path in ("/schema?type=Booking", "/schema?type=Booking&view=both", "/schema/deployments"):
            page = schema(world, path)
            page.evaluate("document.activeElement?.blur()")
            seen = []
            for _ in range(90):
                page.keyboard.press("Tab")
                stop = page.evaluate("""() => { const e = document.activeElement; if (!e || e === document.body) return null; const b = e.getBoundingClientRect();
                    const name = e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || e.title || document.getElementById(e.getAttribute('aria-labelledby'))?.innerText || '';
                    const style = getComputedStyle(e); const inner = e.closest('.CodeMirror'); return { name: name.trim().slice(0, 40), tag: e.tagName, ring: style.boxShadow !== 'none' || style.outlineStyle !== 'none' || Boolean(inner && getComputedStyle(inner).boxShadow !== 'none') } }""")
                if stop is None:
                    break
                assert stop["name"], f"{path}: a {stop['tag']} without a name after {seen[-3:]}"
                assert stop["ring"], f"{path}: no ring on {stop['name']}"
                page.wait_for_timeout(5)
                seen.append(stop["name"])
                assert len(seen) < 4 or len(set(seen[-4:])) > 1, f"{path}: the focus stays on {seen[-1]}"
            assert seen[0] == "Skip to content" and len(seen) > 12, seen

    @test("a dialog shows the whole line that it writes, however long it is", mock_only=True)
    def long_line(world):
        with other(world) as second:
            rules = ", ".join(f'{{allow: groups, groups: ["Group{n}"]}}' for n in range(8))
            state(second, disk={"schema.graphql": LAID_OUT.replace("type Room @model {", f"type Room @model @auth(rules: [{rules}]) {{")}, served=True)
            page = schema(second, "/schema?type=Room")
            page.get_by_role("tab", name=re.compile("^Keys")).click()
            page.get_by_role("button", name="Add an index").click()
            diff = page.get_by_role("dialog").locator(".writes .diff")
            expect(diff.locator(".add")).to_be_visible()
            wide = diff.evaluate("(element) => element.scrollWidth - element.clientWidth")
            assert wide <= 0, f"{wide} px are cut off"

    @test("no line of the diagram crosses a card that it does not belong to, as it is laid out", mock_only=True)
    def lines(world):
        with other(world) as second:
            state(second, disk={"schema.graphql": LAID_OUT}, served=True)
            page = schema(second, "/schema?type=Room")
            expect(page.locator(".diagram .m")).to_have_count(7)
            crossed = page.evaluate("""() => {
              const cards = [...document.querySelectorAll('.diagram .m')].map((m) => [m.dataset.type, m.querySelector('.card').getBoundingClientRect()]);
              return [...document.querySelectorAll('.diagram .edge path')].flatMap((path) => {
                const at = (share) => path.getPointAtLength(path.getTotalLength() * share).matrixTransform(path.getScreenCTM());
                const inside = (point, gap) => cards.filter(([, box]) => point.x > box.left + gap && point.x < box.right - gap && point.y > box.top + gap && point.y < box.bottom - gap).map(([name]) => name);
                return Array.from({ length: 99 }, (_, n) => inside(at((n + 1) / 100), 2)).flat();
              });
            }""")
            assert not crossed, f"crossed: {sorted(set(crossed))}"

    @test("the diagram shows each type and relationship, and moves, zooms and saves by keyboard and pointer", mock_only=True)
    def diagram(world):
        page = schema(world, "/schema?type=Booking")
        svg = page.locator("svg.diagram")
        expect(svg).to_have_attribute("aria-label", re.compile(r"Diagram of 3 models, 1 enum and 1 custom type\. Each Booking has one Room\."))
        expect(svg.locator(".m")).to_have_count(5)
        svg.locator("[data-type=Room] .title").click()
        expect(page.get_by_role("complementary", name="Room")).to_be_visible()
        svg.focus()
        press(page, "-", "ArrowLeft", "+", "+")
        expect(page.locator(".zoom .num")).not_to_have_text("100 %")
        page.get_by_role("button", name="Auto-layout").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save the diagram as SVG").click()
        content = saved.value.path().read_text()
        assert content.startswith("<svg") and "checkInDate" in content and "var(" not in content, content[:200]
        inside = page.evaluate("""() => { const host = document.querySelector('.canvas .host').getBoundingClientRect(); return [...document.querySelectorAll('.diagram .m')].every((m) => { const b = m.getBoundingClientRect(); return b.left >= host.left && b.right <= host.right && b.top >= host.top && b.bottom <= host.bottom }) }""")
        assert inside, "a card is outside after Auto-layout"
        # Where a card was put is kept by the server, for everyone.
        with other(world) as second:
            page = schema(second, "/schema?type=Booking")
            title = page.locator(".m[data-type=Room] .title").bounding_box()
            page.mouse.move(title["x"] + 5, title["y"] + 5)
            page.mouse.down()
            page.mouse.move(title["x"] + 65, title["y"] + 45, steps=4)
            page.mouse.up()
            put = until(lambda: state(second)["positions"].get("Room"), what="the kept place")
            page.evaluate("localStorage.clear()")
            page.reload()
            ready(page, "/schema")
            expect(page.locator(".m[data-type=Room]")).to_have_attribute("transform", f"translate({put[0]} {put[1]})")

    @test("the values of an enum change their order by keyboard, by the menu and by dragging, and undo gives the bytes back", mock_only=True)
    def enum_order(world):
        with other(world) as second:
            page = schema(second, "/schema?type=RoomKind")
            before = draft_of(page)
            values = lambda: page.locator(".values [data-field]").evaluate_all("(all) => all.map((one) => one.dataset.field)")
            first, *_, last = values()
            page.get_by_role("button", name=f"More about {last}").focus()
            press(page, "Alt+ArrowUp")
            until(lambda: values()[-2] == last, what="one up")
            expect(page.get_by_role("button", name=f"More about {last}")).to_be_focused()
            page.get_by_role("button", name=f"More about {first}").click()
            page.get_by_role("menuitem", name="Move down").click()
            until(lambda: values()[1] == first, what="one down")
            handle = page.locator(f".values [data-field={first}] .grip-handle").bounding_box()
            end = page.locator(".values [data-field]").last.bounding_box()
            page.mouse.move(handle["x"] + 4, handle["y"] + 8)
            page.mouse.down()
            page.mouse.move(end["x"] + 20, end["y"] + end["height"] - 2, steps=4)
            page.mouse.up()
            until(lambda: values()[-1] == first, what="the last")
            for _ in range(3):
                page.locator(".head").get_by_role("button", name="Undo").click()
                page.wait_for_timeout(100)
            until(lambda: draft_of(page) == before, what="the bytes as before")

    @test("a model that stands alone stays in sight as it grows, also in a view that was moved away", mock_only=True)
    def alone(world):
        with other(world, "--empty") as second:
            page = schema(second)
            add_model(page, "Room")
            card = lambda: page.locator(".m[data-type=Room] .card").bounding_box()
            canvas = page.locator(".canvas").bounding_box()
            for n in range(12):
                add_field(page, f"field{n}")
            until(lambda: abs(card()["x"] + card()["width"] / 2 - canvas["x"] - canvas["width"] / 2) < 30 and card()["y"] + card()["height"] < canvas["y"] + canvas["height"], what="the card in the middle")
            page.locator(".diagram").focus()
            for _ in range(20):
                page.keyboard.press("ArrowDown")
            assert card()["y"] + card()["height"] < canvas["y"], card()
            page.get_by_label("Name of the new field").focus()
            add_field(page, "last")
            until(lambda: card()["y"] >= canvas["y"], what="the card in sight")

    @test("the server ends while a draft is edited: it is kept in the browser and sent when the server is back", mock_only=True)
    def server_gone(world):
        with other(world) as second:
            page = schema(second, "/schema?view=file")
            second.server.stop()
            page.locator(".CodeMirror-code").click()
            press(page, "Control+End")
            page.keyboard.type("# kept\n")
            expect(page.locator(".changes")).to_contain_text("Kept in this browser only")
            second.server.start()
            page.reload()
            link = second.server.link()
            page.goto(f"{second.base}/console/#link={link}")
            page.get_by_role("heading", level=1).wait_for()
            page.goto(f"{second.base}/console/schema?view=file")
            expect(page.locator(".CodeMirror-code")).to_contain_text("# kept")
            until(lambda: "owner" in state(second)["drafts"], what="the draft at the server")

    @test("on a phone: the inspector by touch, types in a menu, and the file to read", mock_only=True)
    def phone(world):
        with other(world) as second:
            page = schema(second, "/schema?type=Room", size="phone")
            page.get_by_role("switch", name="price is required").tap()
            expect(page.locator(".changes")).to_contain_text("1 undeployed change.")
            page.get_by_role("button", name="Room").first.tap()
            page.get_by_role("menuitemradio", name="Booking").tap()
            expect(page.get_by_role("complementary", name="Booking")).to_be_visible()
            page.get_by_role("button", name="Booking").first.tap()
            page.get_by_role("menuitem", name="Show the file").tap()
            expect(page.locator(".plain-file")).to_contain_text("checkInDate: AWSDate!")
            page.get_by_role("button", name="Review and deploy").tap()
            expect(page.get_by_role("dialog")).to_contain_text("Deploy to dev")

    # Looks -----------------------------------------------------------------------------------------------------------

    def edited(page, size):
        """A draft with an addition, a change and a new model."""
        page.evaluate("""async () => { const { opened } = await import(document.documentElement.dataset.assets + '/pages/schema.js'); const draft = opened();
            await draft.edit({ kind: 'addField', type: 'Booking', field: { name: 'note', type: 'String' } }, 'note');
            await draft.edit({ kind: 'addModel', name: 'Review', rules: [{ allow: 'public' }], fields: [{ name: 'id', type: 'ID', required: true }, { name: 'stars', type: 'Int', required: true }, { name: 'text', type: 'String' }] }, 'Review');
            await draft.edit({ kind: 'addRelationship', type: 'Review', target: 'Booking', has: 'one', reverse: 'many', field: 'booking', reverseField: 'reviews' }, 'booking'); }""")
        page.locator(".changes").wait_for()

    STATES = {
        "schema": ("/schema?type=Booking", edited),
        "schema-both": ("/schema?type=Booking&view=both", edited),
        "schema-file": ("/schema?view=file", lambda page, size: None),
        "schema-keys": ("/schema?type=Booking&tab=keys", lambda page, size: None),
        "schema-rules": ("/schema?type=Booking&tab=rules", lambda page, size: None),
        "schema-api": ("/schema?type=Booking&tab=api", lambda page, size: page.get_by_role("button", name="bookingsByRoom", exact=True).click()),
        "schema-enum": ("/schema?type=RoomKind", lambda page, size: None),
        "schema-deploy": ("/schema?type=Booking", lambda page, size: (edited(page, size), page.get_by_role("button", name="Review and deploy").click(), page.locator(".plan").wait_for())),
        "schema-relationship": ("/schema?type=Booking", lambda page, size: (page.get_by_role("button", name="Add a relationship").click(), page.locator(".writes .add").first.wait_for())),
        "schema-type": ("/schema?type=Booking", lambda page, size: page.keyboard.press("n")),
        "schema-index": ("/schema?type=Booking&add=key&fields=guestId,checkInDate", lambda page, size: page.locator(".writes .add").first.wait_for()),
        "schema-rule": ("/schema?type=Booking&tab=rules", lambda page, size: (page.get_by_role("button", name="Add a rule").click(), page.locator(".writes .add").first.wait_for())),
        "schema-versions": ("/schema/deployments/2", lambda page, size: page.locator(".versions .file").wait_for()),
    }

    def looks(size, theme):
        def check(world):
            found = []
            with other(world) as second:
                page = schema(second, "/schema", size=size, theme=theme)
                for name, (path, act) in STATES.items():
                    page.goto(second.base + "/console" + path)
                    ready(page, "/schema")
                    act(page, size)
                    page.wait_for_timeout(450)
                    if base.PICTURES:
                        base.PICTURES.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=base.PICTURES / f"{name}-{theme}-{size}.png")
                    found.extend(violations(page, name, theme))
                    second.check()
                    page.goto(second.base + "/console/logs")
                    state(second, drafts={})
            assert not found, "\n".join(found)
        check.__name__ = f"schema_looks_{theme}_{size}"
        return check

    for size, theme in LOOKS:
        test(f"axe-core finds nothing on the Schema page, {theme}, {size}", mock_only=True)(looks(size, theme))

    @test("the pure modules of the schema: edits, differences, merging, places, completion, changes")
    def schema_units(world):
        page = world.page("/logs", bypass_csp=True)
        script = (Path(__file__).parent / "schema_units.js").read_text()
        result = page.evaluate("async ([source, base]) => (await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))).default(base)", [script, world.base + page.evaluate("document.documentElement.dataset.assets")])
        assert not result["failed"], "\n".join(result["failed"])
        return f"{result['passed']} checks"
