"""Tests of the console in a real browser: Debian's Chromium, driven by Playwright.

    scripts/console-test/run [PART OF A NAME …] [--pictures FOLDER] [--jobs N] [--all] [--list] [--long]

By itself it starts mock servers, and runs tests beside each other, each process with a browser of its own. CONSOLE_URL and CONSOLE_LINK name a running server instead; tests that need the
mock's own data or switches are then skipped, and say so. For every page it is asserted that nothing is written to the
browser's console as an error, that no policy is violated, and that no request goes to another origin.

Prints a line for each test, and ends with 1 if one failed. A failed test runs a second time, and leaves a trace in
.build/console-test/failed. If it passes then, it is counted as unsteady; more than two of those are a failure as well."""

import contextlib
import gzip
import json
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from pathlib import Path
from queue import Empty

import schema_test
from helpers import LOOKS, POLICY_REPORTS, Watched, cell, choose_identity, first_loads, ready, rows, save, type_query, until, violations
from playwright.sync_api import Error, expect, sync_playwright
from sources import without_comments

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
REAL = os.environ.get("CONSOLE_URL")
PICTURES = Path(sys.argv[sys.argv.index("--pictures") + 1]) if "--pictures" in sys.argv else None
FAILED = ROOT / ".build" / "console-test" / "failed"
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
# Fewer processes, and no emulation of a graphics card: a fifth less work.
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--in-process-gpu", "--disable-software-rasterizer", "--renderer-process-limit=2", "--disable-extensions", "--disable-background-networking"]
# Budgets hold on a quiet machine; here two cores are shared.
SLACK = float(os.environ.get("CONSOLE_SLACK", "1.5" if REAL else "4"))
# For a machine that others use too: waiting costs nothing where nothing fails.
expect.set_options(timeout=20_000)

# KB of all pages together, as they are sent: each file compressed by itself. No page loads them all.
OWN_CODE = 192

TESTS = []


def test(name, mock_only=False):
    def register(function):
        TESTS.append((name, function, mock_only))
        return function
    return register


class Mock:
    def __init__(self, *options):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.options = options
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "mock_server.py"), "--port", str(self.port), *self.options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdout.readline()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(self.url + "/console/").read()
                return
            time.sleep(0.05)
        raise SystemExit("the mock server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def link(self):
        return json.load(urllib.request.urlopen(urllib.request.Request(self.url + "/mock/link", method="POST")))["link"]

    def forget(self):
        urllib.request.urlopen(urllib.request.Request(self.url + "/mock/forget", method="POST")).read()

    def write(self, model, kind="update", **values):
        """A client's write, not one of the console."""
        body = json.dumps({"kind": kind, "values": values}).encode()
        return json.load(urllib.request.urlopen(urllib.request.Request(f"{self.url}/mock/write/{model}", body, {"Content-Type": "application/json"}, method="POST")))


class Real:
    url = (REAL or "").rstrip("/")

    def link(self):
        return os.environ["CONSOLE_LINK"].split("link=")[-1]


class World:
    def __init__(self, browser, server):
        self.browser, self.server, self.base = browser, server, server.url
        self.state, self.open, self.traced, self.name = None, [], False, ""

    def sign_in(self):
        context = self.browser.new_context()
        # As the page does it, which a test of its own looks at.
        answer = context.request.post(f"{self.base}/operators/v1/session", data={"link": self.server.link()})
        assert answer.ok, answer.text()
        self.state = context.storage_state()
        context.close()

    def page(self, path="/", size="wide", theme="light", signed_in=True, wait=True, **options):
        if signed_in and not self.state:
            self.sign_in()
        width, height = SIZES[size] if isinstance(size, str) else size
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, has_touch=width < 700, reduced_motion="reduce", storage_state=self.state if signed_in else None,
                                           permissions=["clipboard-read", "clipboard-write"], **options)
        context.add_init_script(POLICY_REPORTS)
        if self.traced:
            context.tracing.start(screenshots=True, snapshots=True)
        page = context.new_page()
        watched = Watched(page, self.base)
        page.watched = watched
        self.open.append((context, watched))
        page.goto(f"{self.base}/console{path}")
        if wait:
            page.get_by_role("heading", level=1).wait_for()
        return page

    def close(self, failed=None):
        for n, (context, watched) in enumerate(self.open):
            if failed:
                FAILED.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(Error):
                    watched.page.screenshot(path=FAILED / f"{failed}-{n}.png")
                    if self.traced:
                        context.tracing.stop(path=FAILED / f"{failed}-{n}.zip")
            context.close()
        self.open = []

    def check(self):
        for _, watched in self.open:
            watched.check()


def opened(world, path, **options):
    """A page, once it shows its content."""
    page = world.page(path, **options)
    ready(page, path)
    return page


@contextlib.contextmanager
def other(world, *options):
    """Another mock server, with other switches."""
    server = Mock(*options)
    second = World(world.browser, server)
    second.traced, second.name = world.traced, world.name
    try:
        yield second
        second.check()
    except Exception:
        second.close(world.name)
        raise
    finally:
        second.close()
        server.stop()


FILTER = '?filter={"and":[{"room":{"city":{"eq":"Nantes"}}},{"checkInDate":{"ge":"2026-12-01"}}]}&order=checkInDate&deleted=include'

# Start and access ------------------------------------------------------------------------------------------------


@test("a link signs in, leaves the address, and does not work twice", mock_only=True)
def link(world):
    secret = world.server.link()
    page = world.page(f"/#link={secret}", signed_in=False)
    expect(page.get_by_role("heading", level=2).first).to_have_text("Your backend is ready")
    assert "link" not in page.url
    again = world.page(f"/#link={secret}", signed_in=False)
    expect(again.get_by_role("heading", level=1)).to_have_text("Sign in to the console")
    expect(again.get_by_role("alert")).to_contain_text("used already")


@test("without JavaScript the page names the command line, in both widths", mock_only=True)
def without_script(world):
    # The driver's own switch leaves the parser in the belief that scripts run.
    browser = world.browser.browser_type.launch(executable_path=CHROMIUM, args=[*FLAGS, "--blink-settings=scriptEnabled=false"])
    for width, height in SIZES.values():
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(world.base + "/console/")
        expect(page.locator(".plain-page")).to_be_in_viewport()
    browser.close()


@test("without a session the page names the command that prints a link, and takes a pasted one", mock_only=True)
def door(world):
    page = world.page("/data", signed_in=False)
    expect(page.get_by_text("syncline console --print")).to_be_visible()
    page.get_by_label("Link", exact=True).fill("nonsense")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not a link")
    page.get_by_label("Link", exact=True).fill(f"http://127.0.0.1/console/#link={world.server.link()}")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Booking")


@test("a name and a password sign in too, and a wrong one says so", mock_only=True)
def password(world):
    page = world.page("/", signed_in=False)
    page.get_by_role("button", name="Sign in with a name and password").click()
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Name or password is wrong.")
    page.get_by_label("Password").fill("correct horse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2).first).to_have_text("Your backend is ready")


@test("a viewer sees data, and every control that needs more says which role", mock_only=True)
def viewer(world):
    with other(world, "--role", "viewer") as second:
        page = opened(second, "/data/Booking")
        button = page.get_by_role("button", name="New item")
        expect(button).to_have_attribute("aria-disabled", "true")
        button.click(force=True)
        expect(page.locator(".toast")).to_contain_text("Needs the editor role")
        cell(page, 0, "note").click()
        page.get_by_role("complementary").get_by_role("button", name="Save").wait_for()
        expect(page.get_by_label("guestId")).not_to_be_editable()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Import or export").click()
        for name in ("Import…", "Generate items…"):
            expect(page.get_by_role("menuitem", name=name)).to_have_attribute("aria-disabled", "true")
        with page.expect_download():
            page.get_by_role("menuitem", name="CSV").click()
        drag_select(page, 2)
        page.locator(".selbar").get_by_role("button", name="Delete").click(force=True)
        expect(page.get_by_role("dialog")).to_have_count(0)
        # The API agrees.
        refused = page.evaluate("""async () => { const session = await (await fetch('/operators/v1/session')).json(); const answer = await fetch('/operators/v1/data/Booking/delete',
            { method: 'POST', headers: { 'Content-Type': 'application/json', 'x-syncline-csrf': session.csrf }, body: '{"keys":[]}' }); return [answer.status, (await answer.json()).error.message] }""")
        assert refused == [403, "Needs the editor role."], refused


@test("the session ends while working: a dialog signs in, and what was typed is kept", mock_only=True)
def signed_out(world):
    page = opened(world, "/data/Booking")
    cell(page, 1, "guestId").click()
    field = page.locator("#f-guestId")
    field.fill("typed before")
    world.server.forget()
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Signed out")
    dialog.get_by_label("Link", exact=True).fill(world.server.link())
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(field).to_have_value("typed before")
    save(page)
    world.state = None


# Home --------------------------------------------------------------------------------------------------------------


@test("Home shows how to connect, the last minutes and the models, and copies the pull command")
def home(world):
    page = opened(world, "/")
    command = page.locator(".cmd code").first.inner_text()
    assert command.startswith("syncline pull http")
    page.get_by_role("button", name="Copy command").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == command
    # A command in a sentence of the server is code.
    expect(page.locator(".steps p.small code", has_text=re.compile("^syncline codegen models --target swift"))).to_be_visible()
    page.get_by_role("tab", name="Swift").press("ArrowRight")
    expect(page.get_by_role("tab", name="Kotlin")).to_be_focused()
    page.get_by_role("link", name="Room", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Room")


@test("an empty project starts with a schema, and every page says what ends its emptiness", mock_only=True)
def empty(world):
    with other(world, "--empty") as second:
        page = second.page("/")
        expect(page.get_by_text("Start with a schema")).to_be_visible()
        for path, text in (("/data", "The schema has no models."), ("/logs", "No requests yet.")):
            page.goto(second.base + "/console" + path)
            expect(page.locator(".empty")).to_contain_text(text)


# Data --------------------------------------------------------------------------------------------------------------


@test("the first rows of a million arrive in time, and few elements show them")
def first_rows(world):
    page = opened(world, "/data/Room")
    started = time.monotonic()
    page.get_by_role("link", name=re.compile("^Booking")).click()
    cell_text = page.locator(".grid[aria-label=Booking] .gr[data-row='0']:not(.wait)")
    cell_text.wait_for()
    took = (time.monotonic() - started) * 1000
    assert took < 300 * SLACK, f"{took:.0f} ms"
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/items?" in request.url else None)
    page.get_by_role("link", name=re.compile("^User")).click()
    page.locator(".grid[aria-label=User] .gr[data-row='0']:not(.wait)").wait_for()
    assert len(asked) == 1, asked
    assert page.locator(".grid-body .gr").count() <= 60
    return f"{took:.0f} ms"


@test("scrolling goes to the end, to the middle and by key, and shows rows each time")
def scroll(world):
    page = opened(world, "/data/Booking")
    total = int(page.get_by_role("grid").get_attribute("aria-rowcount")) - 1
    cell(page, 0, "guestId").click()
    page.keyboard.press("Escape")
    page.locator(".panel").wait_for(state="detached")
    page.locator(".grid-body .gr[data-row='0'] .gc").nth(2).focus()
    slowest = 0
    for act in (lambda: page.keyboard.press("Control+End"), lambda: page.evaluate("() => { const g = document.querySelector('.grid'); g.scrollTop = g.scrollHeight / 2 }"), lambda: page.evaluate("() => { document.querySelector('.grid').scrollTop = 0 }"),
                lambda: page.evaluate("() => { const g = document.querySelector('.grid'); g.scrollTop = g.scrollHeight * 0.9 }")):
        act()
        page.wait_for_timeout(60)
        started = time.monotonic()
        until(lambda: page.evaluate("""() => { const g = document.querySelector('.grid').getBoundingClientRect();
            const seen = [...document.querySelectorAll('.grid-body .gr:not([hidden])')].filter((r) => { const b = r.getBoundingClientRect(); return b.bottom > g.top + 46 && b.top < g.bottom });
            return seen.length > 10 && seen.every((r) => !r.classList.contains('wait')) }"""), what="rows in sight")
        slowest = max(slowest, (time.monotonic() - started) * 1000)
        assert page.locator(".grid-body .gr").count() <= 60
    assert slowest < 300 * SLACK, f"{slowest:.0f} ms"
    page.locator(".grid-body .gr:not([hidden]) .gc:nth-child(3)").nth(8).click()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+End")
    until(lambda: page.locator(f".grid-body .gr[data-row='{total - 1}']:not(.wait)").count(), what="the last row")
    return f"slowest {slowest:.0f} ms"


@test("scrolling a million rows costs the same few milliseconds and elements at each step")
def frames(world):
    page = opened(world, "/data/Booking")
    # The thread's own time, which other programs on the machine do not change, and what the browser had to do.
    driver = page.context.new_cdp_session(page)
    driver.send("Performance.enable", {"timeDomain": "threadTicks"})
    measured = lambda: {one["name"]: one["value"] for one in driver.send("Performance.getMetrics")["metrics"]}
    step = """async () => { const g = document.querySelector('.grid'); for (let n = 0; n < 60; n += 1) { g.scrollTop += 340; await new Promise(requestAnimationFrame) } }"""
    page.evaluate(step)
    before, elements = measured(), page.evaluate("document.querySelectorAll('*').length")
    page.evaluate(step)
    after = measured()
    script = (after["ScriptDuration"] - before["ScriptDuration"]) * 1000 / 60
    layouts = (after["LayoutCount"] - before["LayoutCount"]) / 60
    assert script < 4, f"{script:.1f} ms of script a step"
    assert layouts < 3, f"{layouts:.1f} layouts a step"
    assert page.locator(".grid-body .gr").count() <= 60
    assert abs(page.evaluate("document.querySelectorAll('*').length") - elements) < 20
    return f"script {script:.1f} ms, {layouts:.1f} layouts a step"


@test("a filter with a space and a plus finds its items", mock_only=True)
def spaces(world):
    page = opened(world, '/data/Booking?filter={"guestId":{"eq":"Sam Hart"}}')
    expect(cell(page, 0, "guestId")).to_have_text("Sam Hart")
    page.goto(world.base + '/console/data/Booking?filter={"guestId":{"eq":"a%2Bb"}}')
    expect(page.locator(".empty")).to_contain_text("No item matches the filter.")


@test("a filter is made by keyboard only, is in the address, and opens again from there")
def filter_by_keyboard(world):
    page = opened(world, "/data/Booking")
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Field")).to_be_focused()
    page.keyboard.type("room.city")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Nantes")
    page.keyboard.press("Enter")
    expect(page.locator(".fl")).to_have_text(re.compile(r"room\.city\s*is\s*Nantes"))
    assert "filter=" in page.url
    until(lambda: rows(page).count() > 5, what="filtered rows")
    expect(page.locator(".cost")).to_contain_text("read")
    page.reload()
    until(lambda: rows(page).count() > 5, what="filtered rows again")
    page.keyboard.press("f")
    dialog.get_by_label("Field").select_option("checkInDate")
    dialog.get_by_label("Operator").select_option("ge")
    dialog.get_by_label("Value").fill("2026-12-05")
    page.keyboard.press("Enter")
    expect(page.locator(".fl")).to_have_count(2)
    until(lambda: rows(page).count() > 5, what="rows of both")
    # Shared: the same view, at another operator's.
    shared = world.page(page.url.removeprefix(world.base + "/console"))
    until(lambda: rows(shared).count() > 5, what="the shared rows")
    assert shared.locator(".fl").all_inner_texts() == page.locator(".fl").all_inner_texts()
    assert cell(shared, 0, "id").inner_text() == cell(page, 0, "id").inner_text()
    for _ in range(2):
        page.get_by_role("button", name=re.compile("^Remove filter")).first.click()
    expect(page.locator(".fl")).to_have_count(0)
    assert "filter=" not in page.url


@test("a bad filter value is refused in the dialog, with what is expected")
def bad_filter(world):
    page = opened(world, "/data/Booking")
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Field").select_option("checkInDate")
    dialog.get_by_label("Operator").select_option("ge")
    dialog.get_by_label("Value").fill("tomorrow")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("must be a date like 2026-12-05")


@test("an order that no index serves says its cost before it is read", mock_only=True)
def needs_scan(world):
    page = opened(world, "/data/Booking")
    page.get_by_role("columnheader", name=re.compile("^note")).click()
    expect(page.locator(".cover")).to_contain_text("Reading all 1,000,000 items of Booking takes about")
    page.get_by_role("button", name="Read all items").click()
    until(lambda: rows(page).count() > 5, what="rows")
    expect(page.locator(".cost")).to_contain_text("Full scan")


@test("a filter that matches nothing offers to clear it, and an empty model offers to fill it")
def nothing(world):
    page = world.page('/data/Room?filter={"city":{"eq":"Nowhere"}}')
    expect(page.locator(".empty")).to_contain_text("No item matches the filter.")
    page.get_by_role("button", name="Clear filter").click()
    until(lambda: rows(page).count() > 5, what="rows")


@test("absent, null and the empty string look and read differently", mock_only=True)
def three_values(world):
    page = opened(world, "/data/Booking")
    labels = until(lambda: (lambda found: found if {"not set", "empty string"} <= found else None)(set(page.locator(".grid-body .gc[aria-label]").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))"))), what="labels")
    assert "not set" in labels
    cell(page, 1, "guestId").click()
    panel = page.get_by_role("complementary")
    panel.get_by_role("button", name="Clear note").click()
    page.get_by_role("menuitem", name="Set to null").click()
    save(page)
    panel.get_by_role("tab", name="JSON").click()
    expect(panel.locator("pre")).to_contain_text('"note": null')
    panel.get_by_role("tab", name="Record").click()
    panel.get_by_role("button", name="Clear note").click()
    page.get_by_role("menuitem", name="Remove attribute").click()
    page.keyboard.press("Control+s")
    expect(panel.locator(".unset").first).to_contain_text("note")
    panel.get_by_role("tab", name="JSON").click()
    expect(panel.locator("pre")).not_to_contain_text('"note"')


@test("a cell is edited by keyboard: a bad value is refused there, Esc restores it, Enter saves")
def edit_cell(world):
    page = opened(world, "/data/Booking")
    target = cell(page, 3, "checkOutDate")
    before = target.inner_text()
    target.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("2026-13-40")
    page.keyboard.press("Enter")
    expect(page.locator(".cell-error")).to_contain_text("checkOutDate must be a date like 2026-12-05")
    page.keyboard.press("Escape")
    expect(page.locator(".in-cell")).to_have_count(0)
    assert target.inner_text() == before
    expect(target).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("2031-01-02")
    page.keyboard.press("Enter")
    expect(cell(page, 3, "checkOutDate")).to_have_text("2031-01-02")


@test("a change in one tab flashes in another, which keeps a field that is being edited")
def live(world):
    one, two = world.page("/data/Room"), world.page("/data/Room")
    ready(one, "/data")
    ready(two, "/data")
    expect(two.locator(".chip.moss")).to_contain_text("live")
    name = f"Changed {time.time():.0f}"
    cell(one, 2, "description").dblclick()
    one.keyboard.press("Control+a")
    one.keyboard.type(name)
    one.keyboard.press("Enter")
    expect(cell(two, 2, "description")).to_have_text(name)


@test("two tabs edit one item: the second shows both values and chooses per field")
def conflict(world):
    one, two = world.page("/data/Booking"), world.page("/data/Booking")
    for page in (one, two):
        ready(page, "/data")
    # The second tab has no live channel: it does not hear of the change before it saves.
    cell(two, 5, "guestId").click()
    two.locator("#f-guestId").fill("from the second")
    two.route("**/operators/v1/data/Booking/items/*", lambda route: route.continue_() if route.request.method != "GET" else route.abort())
    two.watched.allowed.append("Failed to load resource")
    cell(one, 5, "guestId").click()
    one.locator("#f-guestId").fill("from the first")
    save(one)
    two.keyboard.press("Control+s")
    panel = two.get_by_role("complementary")
    expect(panel.get_by_role("alert")).to_contain_text("changed since you opened it")
    expect(panel.locator(".versus")).to_contain_text("from the first")
    expect(panel.locator(".versus")).to_contain_text("from the second")
    save(two)
    expect(two.locator("#f-guestId")).to_have_value("from the second")


@test("a link is picked by searching its title, and a new target is made from the picker")
def picker(world):
    page = opened(world, "/data/Booking")
    cell(page, 4, "guestId").click()
    panel = page.get_by_role("complementary")
    panel.locator("#f-room").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("Garden")
    expect(dialog.get_by_role("option").first).to_contain_text("Garden suite")
    page.keyboard.press("Enter")
    expect(panel.locator("#f-room")).to_contain_text("Garden suite")
    save(page)
    panel.locator("#f-room").click()
    page.get_by_role("button", name="Create and link").click()
    form = page.get_by_role("dialog")
    form.get_by_label("description").fill("Tree house")
    form.get_by_role("button", name="Create and link").click()
    expect(form).to_contain_text("city is required.")
    form.get_by_label("city").fill("Oslo")
    form.get_by_role("button", name="Create and link").click()
    expect(panel.locator("#f-room")).to_contain_text("Tree house")


@test("a new item names what is required, is made, and opens")
def new_item(world):
    page = opened(world, "/data/Room")
    page.keyboard.press("n")
    panel = page.get_by_role("complementary")
    panel.get_by_label("description").fill("Boat")
    page.keyboard.press("Control+s")
    expect(panel).to_contain_text("city is required.")
    expect(panel.locator("#f-city")).to_be_focused()
    page.keyboard.type("Bergen")
    panel.get_by_label("price").fill("much")
    page.keyboard.press("Control+s")
    expect(panel).to_contain_text("price must be a whole number")
    panel.get_by_label("price").fill("90")
    page.keyboard.press("Control+s")
    expect(page.locator(".toast").last).to_contain_text("Created Boat")
    expect(panel.get_by_role("heading", level=2)).to_have_text("Boat")
    # What was made here is shown anyway, also if the table is read again after the live channel told of it.
    page.keyboard.press("Escape")
    page.evaluate("""() => { const now = window.fetch; window.fetch = async (url, options) => { if (options?.method === 'GET' && /Room.items\\?/.test(url)) await new Promise((done) => setTimeout(done, 1200)); return now(url, options) } }""")
    page.keyboard.press("n")
    for name, value in (("description", "Raft"), ("city", "Bergen")):
        panel.locator(f"#f-{name}").fill(value)
    page.keyboard.press("Control+s")
    expect(page.locator(".toast").last).to_contain_text("Created Raft")
    page.wait_for_timeout(800)
    expect(page.get_by_role("button", name=re.compile("new item"))).to_have_count(0)


@test("the record: what is not set stands apart, its links lead on, and Back returns")
def record(world):
    page = opened(world, "/data/Booking")
    cell(page, 0, "guestId").click()
    panel = page.get_by_role("complementary")
    expect(panel.get_by_role("heading", name="Not set")).to_be_visible()
    address = page.url
    panel.get_by_role("link", name="Open Sea view double").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Room")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Booking")
    assert page.url == address
    expect(panel.locator("#f-guestId")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


@test("a draft survives a reload")
def draft(world):
    page = opened(world, "/data/Booking")
    cell(page, 6, "guestId").click()
    page.locator("#f-guestId").fill("half typed")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("#f-guestId")).to_have_value("half typed")
    page.get_by_role("button", name="Discard").click()


def drag_select(page, count):
    page.locator(".grid-body .gr[data-row='2'] .gc").nth(1).focus()
    page.keyboard.press("Space")
    for _ in range(count - 1):
        page.keyboard.press("Shift+ArrowDown")
    expect(page.locator(".selbar")).to_contain_text(f"{count} selected")


@test("selected items are deleted after their number, samples and what refers to them are said", mock_only=True)
def delete(world):
    page = opened(world, "/data/Room")
    drag_select(page, 3)
    page.keyboard.press("Delete")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete 3 items of Room?")
    expect(dialog.locator(".samples li")).to_have_count(3)
    expect(dialog).to_contain_text("Booking.room")
    dialog.get_by_role("button", name="Cancel").click()
    page.goto(world.base + "/console/data/RoomAmenity")
    ready(page, "/data")
    drag_select(page, 3)
    page.keyboard.press("Delete")
    dialog.get_by_role("button", name="Delete 3 items").click()
    expect(page.locator(".toast").last).to_contain_text("Deleted 3 items.")


@test("all items of a filter are deleted: the model's name is typed, a subscriber gets an event for each, and tombstones stay", mock_only=True)
def delete_filtered(world):
    with other(world) as second:
        page, watching = opened(second, '/data/Booking?filter={"roomID":{"eq":"r-07"}}'), opened(second, "/logs")
        number = int(page.locator(".foot span").first.inner_text().split(" of ")[1].rstrip("+").replace(",", ""))
        assert number > 100, number
        watching.evaluate("""async () => { const session = await (await fetch('/operators/v1/session')).json(); window.seen = 0;
            const socket = new WebSocket(location.origin.replace('http', 'ws') + '/operators/v1/live', 'syncline.live.v1');
            socket.onopen = () => { socket.send(JSON.stringify({ csrf: session.csrf })); socket.send(JSON.stringify({ follow: ['changes:Booking'] })); };
            socket.onmessage = (event) => { const message = JSON.parse(event.data); window.seen += message.gap ?? (message.data ? 1 : 0); } }""")
        page.locator(".grid-head input[type=checkbox]").check()
        page.get_by_role("button", name=re.compile("^Select all")).click()
        page.locator(".selbar").get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog")
        button = dialog.get_by_role("button", name=f"Delete {number} items")
        expect(button).to_be_disabled()
        expect(dialog.locator(".samples li")).to_have_count(11)
        dialog.get_by_label("Type Booking to go on").fill("Booking")
        button.click()
        expect(page.locator(".toast").last).to_contain_text(f"Deleted {number} items.", timeout=20_000)
        expect(page.locator(".empty")).to_contain_text("No item matches the filter.")
        until(lambda: watching.evaluate("window.seen") == number, what=f"{number} events")
        page.get_by_role("button", name="Filter and view").click()
        page.get_by_role("menuitemradio", name="Only").click()
        until(lambda: page.locator(".gr.gone").count() > 5, what="tombstones")


@test("a range is selected over rows that were not read yet", mock_only=True)
def select_range(world):
    page = opened(world, "/data/Booking")
    page.locator(".grid-body .gr[data-row='1'] .check").click()
    # The bar of a million rows is scaled: this is a jump of thousands.
    page.evaluate("() => { document.querySelector('.grid').scrollTop = 24_000 }")
    seen = page.locator(".grid-body .gr:not(.wait):not([hidden])")
    row = until(lambda: (lambda found: found[0] if found and found[0] > 1000 else None)(sorted(seen.evaluate_all("(all) => all.map((one) => Number(one.dataset.row))"))[8:9]), what="rows after a jump")
    page.locator(f".grid-body .gr[data-row='{row}'] .check").click(modifiers=["Shift"])
    expect(page.locator(".selbar")).to_contain_text(f"{row:,} selected")


@test("a deletion that is cancelled half-way says how far it came, and can be tried again", mock_only=True)
def delete_cancelled(world):
    with other(world) as second:
        page = opened(second, '/data/Booking?filter={"guestId":{"eq":"noor"}}')
        page.locator(".grid-head input[type=checkbox]").check()
        page.get_by_role("button", name=re.compile("^Select all")).click()
        for _ in range(2):
            page.locator(".selbar").get_by_role("button", name="Delete").click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_label("Type Booking to go on").fill("Booking")
            dialog.locator(".danger-main").click()
            expect(dialog.get_by_role("status")).to_have_text(re.compile(r"^Deleting: \d"))
            dialog.get_by_role("button", name="Cancel").click()
            expect(dialog.get_by_role("status")).to_contain_text("Cancelled.")
            dialog.get_by_role("button", name="Close").last.click()
            page.locator(".grid-head input[type=checkbox]").check()
            page.get_by_role("button", name=re.compile("^Select all")).click()


@test("one field of all selected items is changed, and what changed meanwhile is left alone", mock_only=True)
def change_many(world):
    with other(world) as second:
        page = opened(second, "/data/Room")
        drag_select(page, 4)
        page.get_by_role("button", name="Edit a field…").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("heading")).to_have_text("Edit a field of 4 items")
        dialog.get_by_label("Field").select_option("price")
        dialog.get_by_role("textbox", name="Value").fill("dear")
        dialog.get_by_role("button", name="Change 4 items").click()
        expect(dialog.get_by_role("alert")).to_contain_text("price must be a whole number")
        dialog.get_by_role("textbox", name="Value").fill("77")
        second.server.write("Room", id="r-03", price=5)
        dialog.get_by_role("button", name="Change 4 items").click()
        expect(dialog).to_contain_text("3 items changed.")
        expect(dialog).to_contain_text("r-03: The item changed since you opened it.")
        dialog.get_by_role("button", name="Close").last.click()
        expect(cell(page, 2, "price")).to_have_text("77")
        expect(cell(page, 3, "price")).to_have_text("5")


@test("selected items are saved as CSV, where a formula is text", mock_only=True)
def export_selected(world):
    with other(world) as second:
        second.server.write("Room", id="r-02", description='=1+1, "sum"')
        page = opened(second, "/data/Room")
        drag_select(page, 2)
        page.locator(".selbar").get_by_role("button", name="Export").click()
        with page.expect_download() as saved:
            page.get_by_role("menuitem", name="CSV").click()
        lines = Path(saved.value.path()).read_text().splitlines()
        assert lines[0].startswith("id,description,city,price,kind") and lines[1].startswith("""r-02,"'=1+1, ""sum\"\"",Lyon,70""") and len(lines) == 3, lines
        page.get_by_role("button", name="Import or export").click()
        with page.expect_download() as saved:
            page.get_by_role("menuitem", name="JSON lines").click()
        assert len(Path(saved.value.path()).read_text().splitlines()) == 42


def import_dialog(page, name, content):
    page.get_by_role("button", name="Import or export").click()
    page.get_by_role("menuitem", name="Import…").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
    return dialog


@test("a CSV file is shown first: columns go to fields, what does not fit is marked, and it is checked before it is imported", mock_only=True)
def import_csv(world):
    page = opened(world, "/data/Room")
    dialog = import_dialog(page, "rooms.csv", b'Description,town,price,colour\r\n"Tower, high",Graz,90,red\r\nNo city,,many,blue\r\n')
    expect(dialog.get_by_label("Field for Description")).to_have_value("description")
    expect(dialog.get_by_label("Field for colour")).to_have_value("")
    expect(dialog.locator("th").nth(2)).to_contain_text("1 problem")
    expect(dialog).to_contain_text("city has no column.")
    expect(dialog.get_by_role("button", name="Import", exact=True)).to_be_disabled()
    dialog.get_by_label("Field for town").select_option("city")
    expect(dialog.locator("td.bad")).to_have_text(["", "many"])
    dialog.get_by_role("button", name="Check only").click()
    expect(dialog.get_by_role("status")).to_contain_text("1 item can be imported, 1 rejected.")
    expect(dialog).to_contain_text("Line 3:")
    dialog.get_by_role("button", name="Import 1 item").click()
    expect(dialog).to_contain_text("1 item imported, 1 rejected.")


@test("10,000 rows are imported with progress; the 3 bad ones are in a file, with line and reason", mock_only=True)
def import_many(world):
    with other(world) as second:
        page = opened(second, "/data/Review")
        rows_ = "".join(f"Text {n},{'many' if n in (17, 5_000, 9_999) else n % 5},00000000-0000-4000-9000-000000000000\r\n" for n in range(10_000))
        page.get_by_role("button", name="Import or export").wait_for()
        dialog = import_dialog(page, "reviews.csv", ("text,stars,bookingID\r\n" + rows_).encode())
        expect(dialog).to_contain_text("The first 20 rows.")
        dialog.get_by_role("button", name="Import", exact=True).click()
        expect(dialog.get_by_role("progressbar")).to_be_visible()
        expect(dialog).to_contain_text("9,997 items imported, 3 rejected.", timeout=30_000)
        expect(dialog.locator(".samples li")).to_have_text(["Line 19: stars must be of type Int.", "Line 5,002: stars must be of type Int.", "Line 10,001: stars must be of type Int."])
        with page.expect_download() as saved:
            dialog.get_by_role("button", name="Save the rejects").click()
        assert Path(saved.value.path()).read_text().splitlines()[1] == "19,stars must be of type Int."
        dialog.get_by_role("button", name="Close").last.click()
        expect(page.locator(".foot")).to_contain_text("of 9,997")


@test("an import is cancelled half-way, and says how far it came", mock_only=True)
def import_cancelled(world):
    with other(world) as second:
        page = opened(second, "/data/Amenity")
        dialog = import_dialog(page, "amenities.jsonl", "".join(json.dumps({"name": f"Thing {n}"}) + "\n" for n in range(30_000)).encode())
        dialog.get_by_role("button", name="Import", exact=True).click()
        expect(dialog.get_by_role("status")).to_have_text(re.compile(r"^Importing: \d"))
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog.get_by_role("status")).to_contain_text("Cancelled.")


@test("items are generated by a generator per field, with samples first", mock_only=True)
def generate(world):
    with other(world) as second:
        page = second.page("/data/Review")
        expect(page.locator(".empty")).to_contain_text("Review has no items.")
        page.locator(".empty").get_by_role("button", name="Generate").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Number of items").fill("20000")
        dialog.get_by_role("button", name="Generate", exact=True).click()
        expect(dialog).to_contain_text("between 1 and 10,000")
        dialog.get_by_label("Number of items").fill("50")
        expect(dialog.get_by_label("Generator of booking")).to_have_value("link")
        dialog.get_by_label("Generator of text").select_option("sequence")
        dialog.get_by_label("text: prefix").fill("Review ")
        dialog.get_by_label("stars: to").fill("5")
        dialog.get_by_role("button", name="Show samples").click()
        expect(dialog.get_by_role("region", name="Samples").locator("tbody tr")).to_have_count(10)
        expect(dialog.get_by_role("region", name="Samples")).to_contain_text("Review 1")
        dialog.get_by_role("button", name="Generate", exact=True).click()
        expect(page.locator(".toast").last).to_contain_text("Generated 50 items, seed ")
        until(lambda: "50" in page.locator(".foot").inner_text() and rows(page).count() > 20, what="50 rows")
        expect(cell(page, 0, "text")).to_contain_text("Review ")
        # What the server refuses is said at its field; a constant is a value of its field's type; optional fields may be left out.
        page.get_by_role("button", name="Import or export").click()
        page.get_by_role("menuitem", name="Generate items…").click()
        dialog.get_by_label("Generator of text").select_option("constant")
        dialog.get_by_role("button", name="Show samples").click()
        expect(dialog.locator(".gens .wrong")).to_have_text("text: a constant needs a value.")
        sent = []
        page.on("request", lambda request: sent.append(request.post_data_json) if request.url.endswith("/generate") and request.method == "POST" else None)
        dialog.get_by_label("text: value").fill("12")
        dialog.get_by_label("Generator of stars").select_option("constant")
        dialog.get_by_label("stars: value").fill("4")
        dialog.get_by_role("button", name="Show samples").click()
        expect(dialog.get_by_role("region", name="Samples")).to_be_visible()
        assert sent[-1]["fields"] == {"text": {"generator": "constant", "value": "12"}, "stars": {"generator": "constant", "value": 4}}, sent[-1]
        assert dialog.get_by_label("text: % without").count() == 0
        dialog.get_by_role("button", name="Cancel").click()
        # On a phone the samples come into sight.
        page = opened(second, "/data/Room", size="phone")
        page.get_by_role("button", name="Filter and view").tap()
        page.get_by_role("menuitem", name="Generate items…").tap()
        page.get_by_role("dialog").get_by_role("button", name="Show samples").tap()
        expect(page.get_by_role("dialog").get_by_role("region", name="Samples").locator("th").first).to_be_in_viewport()
        page = opened(second, "/data/Room")
        dialog = page.get_by_role("dialog")
        # Every scalar, an enum and a custom type have generators too.
        for model in ("User", "Room"):
            page.goto(f"{second.base}/console/data/{model}")
            ready(page, "/data")
            page.get_by_role("button", name="Import or export").click()
            page.get_by_role("menuitem", name="Generate items…").click()
            dialog.get_by_role("button", name="Show samples").click()
            expect(dialog.get_by_role("region", name="Samples").locator("tbody tr")).to_have_count(10)
            dialog.get_by_role("button", name="Cancel").click()


@test("a record says who may do what with it, and the rule that decides", mock_only=True)
def access(world):
    page = opened(world, "/data/Booking")
    cell(page, 1, "guestId").click()
    panel = page.get_by_role("complementary")
    panel.get_by_role("tab", name="Access").click()
    lines = panel.locator(".access-of .lines li")
    expect(lines).to_have_text([re.compile(f"{one}.*allowed.*allow: public") for one in ("read", "update", "delete")])
    panel.get_by_label("Identity").select_option("user")
    panel.get_by_label("User name").fill("ada")
    page.keyboard.press("Enter")
    expect(lines.nth(1)).to_contain_text("Only note.")
    expect(lines.nth(2)).to_contain_text("denied")
    expect(lines.nth(2)).to_contain_text("Booking:apiKey:public: the request has no API key.")
    panel.get_by_label("Identity").select_option("claims")
    # Claims are typed by the operator and are not kept.
    assert "claims" not in page.evaluate("JSON.stringify(localStorage)")
    panel.get_by_label("Identity").select_option("iam:guest")
    expect(lines.nth(0)).to_contain_text("denied")


@test("values that are HTML are text", mock_only=True)
def html_values(world):
    page = opened(world, "/data/User")
    expect(cell(page, 1, "username")).to_have_text("<img src=x onerror=alert(1)>")
    cell(page, 1, "username").click()
    expect(page.get_by_role("complementary").get_by_role("heading", level=2)).to_have_text("<img src=x onerror=alert(1)>")
    page.goto(world.base + "/console/data/%3Cimg%20src%3Dx%3E")
    expect(page.locator(".empty")).to_contain_text("<img src=x>")
    assert page.locator("img").count() == 0


# The chat: data sources, table, items, record -------------------------------------------------------------------------


@test("the chat: every type has a table, a record lists what is not set, and a client's write shows in it live", mock_only=True)
def chat_record(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/User")
        side = page.get_by_role("navigation", name="Data sources")
        assert [text.split("\n")[0] for text in side.get_by_role("link").all_inner_texts()] == ["User", "Thread", "Message", "Reaction", "UserThread"]
        # By keyboard alone: to the table, to the item, to its JSON.
        page.locator(".grid-body .gr[data-row='0'] .gc").nth(2).focus()
        page.keyboard.press("o")
        panel = page.get_by_role("complementary")
        expect(panel.get_by_role("heading", level=2)).to_be_focused()
        expect(panel.get_by_role("heading", level=2)).to_have_text("Ada")
        expect(panel.locator(".unset").first).to_contain_text("postcode")
        page.keyboard.press("Tab")
        for _ in range(3):
            page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        expect(panel.get_by_role("tab", name="JSON")).to_be_focused()
        expect(panel.locator("pre")).to_contain_text('"username": "Ada"')
        expect(panel.locator("pre")).not_to_contain_text("postcode")
        page.keyboard.press("ArrowLeft")
        second.server.write("User", id="ada", postcode="N1 9GU")
        expect(panel.locator("#f-postcode")).to_have_value("N1 9GU")
        expect(page.locator(".gr.live .gc").nth(3)).to_have_text("N1 9GU")
        page.keyboard.press("]")
        expect(panel.get_by_role("heading", level=2)).to_have_text("Noor")
        expect(panel.locator(".unset").first).to_contain_text("postcode")


@test("the chat: a link leads to the author and Back returns, a filter names its index, and a thread's messages open in order", mock_only=True)
def chat_links(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/Message")
        cell(page, 1, "author").get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("User")
        expect(page.get_by_role("complementary").get_by_role("heading", level=2)).to_have_text("Noor")
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Message")
        page.goto(second.base + '/console/data/UserThread?filter={"userID":{"eq":"ada"}}')
        ready(page, "/data")
        expect(page.locator(".cost code")).to_have_text("byUser")
        page.goto(second.base + "/console/data/Thread/t-lunch")
        panel = page.get_by_role("complementary")
        panel.get_by_role("link", name="Open 20 items of messages").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Message")
        assert "order=createdAt" in page.url
        expect(page.locator(".cost code")).to_have_text("messagesByThread")
        until(lambda: rows(page).count() >= 20, what="messages")
        assert cell(page, 0, "body").inner_text() < cell(page, 1, "body").inner_text()
        # Also where the key is no field of the API, as in version 1.
        page.goto(second.base + "/console/data/User/ada")
        panel.get_by_role("button", name="Show messages").click()
        expect(panel.locator(".linked li")).to_have_count(10)
        panel.get_by_role("link", name="Open 14 items of messages").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Message")
        expect(page.locator(".fl", has_text="authorID")).to_be_visible()
        until(lambda: rows(page).count() == 14, what="the messages of ada")
        page.get_by_role("button", name="Edit filter: authorID is ada").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")


@test("the chat: a link is cleared, several items are linked to a record and unlinked from it", mock_only=True)
def chat_linking(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/Message/m-000")
        panel = page.get_by_role("complementary")
        panel.locator("#f-author").click()
        page.get_by_role("dialog").get_by_role("button", name="Clear").click()
        save(page)
        expect(panel.locator(".unset").first).to_contain_text("author")
        # Many to many, from the side of a thread.
        page.goto(second.base + "/console/data/Thread/t-work")
        panel.get_by_role("button", name="Show users").click()
        expect(panel.locator(".linked li")).to_have_count(3)
        panel.get_by_role("button", name="Unlink Noor").click()
        expect(panel.locator(".linked li")).to_have_count(2)
        panel.get_by_role("button", name="Link to users").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("combobox").fill("oo")
        expect(dialog.get_by_role("option")).to_have_count(1)
        page.keyboard.press("Enter")
        dialog.get_by_role("combobox").fill("")
        expect(dialog.get_by_role("option").first).to_be_visible()
        dialog.get_by_role("button", name="New").click()
        form = page.get_by_role("dialog")
        form.get_by_label("username").fill("Mira")
        form.get_by_role("button", name="Create and link").click()
        dialog.get_by_role("button", name="Link 2 items").click()
        expect(panel.locator(".linked")).to_contain_text("Mira")
        expect(panel.locator(".linked")).to_contain_text("Noor")
        expect(panel.get_by_role("link", name="Open 4 items of users")).to_be_visible()


@test("a field that is being edited keeps what is typed when the item changes elsewhere, and shows both values", mock_only=True)
def edited_elsewhere(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/User/kenji")
        panel = page.get_by_role("complementary")
        panel.get_by_label("username").fill("Kenji M.")
        second.server.write("User", id="kenji", username="Kenji Mori", postcode="100-0001")
        expect(panel.get_by_role("alert")).to_contain_text("changed while you edit it")
        expect(panel.locator("#f-username")).to_have_value("Kenji M.")
        expect(panel.locator("#f-postcode")).to_have_value("100-0001")
        expect(panel.locator(".versus")).to_contain_text("Kenji Mori")
        panel.get_by_role("radio").nth(1).check()
        expect(panel.locator("#f-username")).to_have_value("Kenji Mori")
        panel.locator("#f-username").fill("Kenji")
        save(page)


@test("new items wait for a click above the table, and only those that the filter shows are counted", mock_only=True)
def new_items(world):
    with other(world, "--chat") as second:
        all_, some = opened(second, "/data/User"), opened(second, '/data/User?filter={"username":{"beginsWith":"Z"}}')
        page = opened(second, "/data/User")
        cell(page, 1, "username").dblclick()
        page.keyboard.type("half ty")
        for name in ("Zoe", "Max", "Zed"):
            second.server.write("User", "create", id=name.lower(), username=name)
        expect(all_.get_by_role("button", name="3 new items")).to_be_visible()
        expect(some.get_by_role("button", name="2 new items")).to_be_visible()
        second.server.write("User", id="noor", username="Noor II")
        expect(cell(all_, 1, "username")).to_have_text("Noor II")
        expect(page.locator(".in-cell")).to_have_value("half ty")
        all_.get_by_role("button", name="3 new items").click()
        until(lambda: rows(all_).count() == 6, what="six rows")
        expect(all_.locator(".news")).to_have_count(0)


@test("a model that the server follows no more is read again, and followed again after the next deployment", mock_only=True)
def unfollowed(world):
    with other(world, "--chat") as second:
        page, record = opened(second, "/data/User"), opened(second, "/data/User/noor")
        answer = urllib.request.urlopen(urllib.request.Request(second.base + "/mock/unfollow/User", json.dumps({"id": "noor", "username": "Noor II"}).encode(), {"Content-Type": "application/json"}, method="POST"))
        assert json.load(answer)["followers"] == 2
        expect(cell(page, 1, "username")).to_have_text("Noor II")
        expect(record.locator("#f-username")).to_have_value("Noor II")
        urllib.request.urlopen(urllib.request.Request(second.base + "/mock/field/User/nickname", method="POST")).read()
        expect(page.get_by_role("columnheader", name=re.compile("^nickname"))).to_be_visible()
        expect(record.get_by_role("complementary").locator(".unset").first).to_contain_text("nickname")
        second.server.write("User", id="noor", username="Noor III")
        expect(cell(page, 1, "username")).to_have_text("Noor III")
        expect(record.locator("#f-username")).to_have_value("Noor III")


@test("a field that is deployed appears in the open table and record, and what was typed stays", mock_only=True)
def deployed_field(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/User/ada")
        page.locator("#f-username").fill("Ada L.")
        urllib.request.urlopen(urllib.request.Request(second.base + "/mock/field/User/nickname", method="POST")).read()
        expect(page.get_by_role("columnheader", name=re.compile("^nickname"))).to_be_visible()
        names = [text.split("\n")[0] for text in page.get_by_role("columnheader").all_inner_texts()]
        assert names.index("nickname") < names.index("createdAt"), names
        expect(page.get_by_role("complementary").locator(".unset").first).to_contain_text("nickname")
        expect(page.locator("#f-username")).to_have_value("Ada L.")
        save(page)


@test("a link with a long title leaves its button in sight, and a key that is the title is shown once", mock_only=True)
def long_title(world):
    with other(world, "--chat") as second:
        second.server.write("User", id="noor", username="Noor " + "with a long name " * 8)
        for size in SIZES:
            page = opened(second, "/data/Message/m-001", size=size)
            panel = page.get_by_role("complementary")
            open_ = panel.get_by_role("link", name=re.compile("^Open Noor with a long name"))
            expect(open_).to_be_visible()
            inner, outer = open_.bounding_box(), panel.bounding_box()
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] - 8, (size, inner, outer)
        page = opened(second, "/data/UserThread")
        cell(page, 0, "id").click()
        page.keyboard.press("o")
        header = page.get_by_role("complementary").locator("header")
        title = header.get_by_role("heading").inner_text()
        assert header.inner_text().split() == title.split(), header.inner_text()


@test("a custom type is edited member by member", mock_only=True)
def custom_type(world):
    with other(world) as second:
        page = opened(second, "/data/Room/r-00")
        panel = page.get_by_role("complementary")
        group = panel.get_by_role("group", name="address")
        group.get_by_label("floor").fill("third")
        page.keyboard.press("Control+s")
        expect(group).to_contain_text("floor must be a whole number")
        group.get_by_label("floor").fill("3")
        save(page)
        panel.get_by_role("tab", name="JSON").click()
        expect(panel.locator("pre")).to_contain_text('"floor": 3')


# States ------------------------------------------------------------------------------------------------------------


@test("an error says what, why and its request id; Retry mends it, and the rest of the page works")
def error_state(world):
    page = opened(world, "/logs")
    broken = {"error": {"code": "internal", "message": "The store is busy.", "hint": "Try again.", "requestId": "66b6b857-52be-4e0b-9c11-0f6f1d2ab9e4"}}
    page.route("**/operators/v1/data/*/items?*", lambda route: route.fulfill(status=500, content_type="application/json", body=json.dumps(broken)))
    page.goto(world.base + "/console/data/Room")
    failure = page.get_by_role("alert")
    expect(failure).to_contain_text("The items could not be loaded.")
    expect(failure).to_contain_text("66b6b857-52be-4e0b-9c11-0f6f1d2ab9e4")
    page.unroute("**/operators/v1/data/*/items?*")
    failure.get_by_role("button", name="Retry").click()
    until(lambda: rows(page).count() > 5, what="rows")


@test("a slow answer: skeleton lines, then that it takes long, with Cancel")
def slow_state(world):
    page = opened(world, "/logs")
    held = []
    page.route("**/operators/v1/requests?*", lambda route: held.append(route))
    page.goto(world.base + "/console/logs")
    expect(page.locator(".skeleton i").first).to_be_visible()
    expect(page.get_by_text("Still loading")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Loading was cancelled.")).to_be_visible()
    page.unroute("**/operators/v1/requests?*")
    page.get_by_role("button", name="Retry").click()
    page.locator(".logs").wait_for()


@test("the server goes away: each page says so within four seconds, keeps its content, and recovers by itself")
def server_gone(world):
    page = opened(world, "/data/Booking")
    cell(page, 2, "guestId").click()
    page.locator("#f-guestId").fill("typed while away")
    page.context.set_offline(True)
    page.watched.allowed.append("ERR_INTERNET_DISCONNECTED")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("The server does not answer. This page keeps its content")).to_be_visible(timeout=4000)
    expect(page.locator("#f-guestId")).to_have_value("typed while away")
    assert rows(page).count() > 5
    page.context.set_offline(False)
    expect(page.get_by_text("This page keeps its content")).to_have_count(0)
    save(page)


@test("the server is restarted: the open tab goes on by itself, signed in, and live", mock_only=True)
def restarted(world):
    with tempfile.TemporaryDirectory() as folder, other(world, "--chat", "--sessions", f"{folder}/sessions") as second:
        page = opened(second, "/data/User")
        expect(page.locator(".chip.moss")).to_contain_text("live")
        second.server.stop()
        expect(page.get_by_text("The server does not answer.").or_(page.get_by_text("Reconnecting")).first).to_be_visible(timeout=4000 * SLACK)
        assert rows(page).count() == 3
        second.server.start()
        expect(page.locator(".banner")).to_have_count(0, timeout=20_000)
        expect(page.locator(".chip.moss")).to_contain_text("live", timeout=20_000)
        second.server.write("User", id="ada", username="Ada after")
        expect(cell(page, 0, "username")).to_have_text("Ada after")
        assert page.get_by_role("dialog").count() == 0


@test("the live channel is refused because the session ended: the dialog opens, and live goes on after the sign-in", mock_only=True)
def live_signed_out(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/User")
        expect(page.locator(".chip.moss")).to_contain_text("live")
        second.server.forget()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Signed out")
        dialog.get_by_label("Link", exact=True).fill(second.server.link())
        dialog.get_by_role("button", name="Sign in", exact=True).click()
        expect(dialog).to_be_hidden()
        expect(page.locator(".chip.moss")).to_contain_text("live")
        second.server.write("User", id="noor", username="Noor after")
        expect(cell(page, 1, "username")).to_have_text("Noor after")


@test("a sign-in in another tab gives the session another secret: this tab takes it over", mock_only=True)
def other_secret(world):
    with other(world, "--chat") as second:
        page = opened(second, "/data/User/ada")
        tab = page.context.new_page()
        tab.goto(f"{second.base}/console/#link={second.server.link()}")
        tab.get_by_role("heading", level=1).wait_for()
        page.get_by_label("username").fill("Ada from the first tab")
        save(page)


@test("the server stops: every page says so within four seconds, keeps its content and what was typed, and goes on by itself", mock_only=True)
def all_say_so(world):
    with tempfile.TemporaryDirectory() as folder, other(world, "--sessions", f"{folder}/sessions") as second:
        pages = {path: opened(second, path) for path in ("/", "/data/Room/r-01", "/logs", "/query")}
        type_query(pages["/query"], "query Kept { __typename }")
        pages["/data/Room/r-01"].locator("#f-city").fill("typed while away")
        second.server.stop()
        deadline = time.monotonic() + 4 * SLACK
        for path, page in pages.items():
            expect(page.get_by_text(re.compile("The server does not answer. This page keeps its content"))).to_be_visible(timeout=max(1, (deadline - time.monotonic()) * 1000))
        assert rows(pages["/data/Room/r-01"]).count() > 5 and pages["/logs"].locator(".logs tbody tr").count() > 50 and pages["/"].locator(".strata").count() == 1
        second.server.start()
        for page in pages.values():
            expect(page.get_by_text("This page keeps its content")).to_have_count(0, timeout=20_000)
        expect(pages["/query"].locator(".graphiql-query-editor")).to_contain_text("Kept")
        expect(pages["/data/Room/r-01"].locator("#f-city")).to_have_value("typed while away")
        save(pages["/data/Room/r-01"])


@test("an unknown address says so and offers Search")
def unknown(world):
    page = world.page("/nowhere")
    expect(page.locator(".empty")).to_contain_text("/console/nowhere")
    page.locator(".empty").get_by_role("button", name="Search").click()
    expect(page.get_by_role("combobox")).to_be_focused()


@test("production is unmistakable: a brick chip, a line, and the environment's name before anything is deleted", mock_only=True)
def production(world):
    with other(world, "--mode", "serve") as second:
        page = opened(second, "/")
        expect(page.locator(".head .chip.brick")).to_have_text("production")
        expect(page.locator(".line-prod")).to_be_visible()
        page.goto(second.base + "/console/data/Room")
        ready(page, "/data")
        cell(page, 0, "description").click()
        page.get_by_role("button", name="Delete item").click()
        expect(page.get_by_role("dialog").get_by_role("button", name="Delete 1 item")).to_be_disabled()
        page.keyboard.type("production")
        expect(page.get_by_role("dialog").get_by_role("button", name="Delete 1 item")).to_be_enabled()


@test("a server that has only data: no page of what it lacks, no failure, and links by their keys", mock_only=True)
def plain(world):
    with other(world, "--plain") as second:
        page = second.page("/")
        page.get_by_role("link", name="Room", exact=True).wait_for()
        assert page.get_by_role("navigation", name="Console", exact=True).get_by_role("link").all_inner_texts() == ["", "Home", "Data", "Query"]
        assert page.get_by_role("alert").count() == 0
        page.goto(second.base + "/console/data/Booking")
        ready(page, "/data")
        expect(cell(page, 0, "room")).to_have_text("r-00")
        expect(cell(page, 0, "_version")).to_have_text(re.compile(r"^\d+$"))
        cell(page, 0, "guestId").click()
        page.locator("#f-guestId").fill("without a channel")
        page.wait_for_timeout(4000)
        assert page.get_by_text("Reconnecting").count() == 0
        save(page)
        expect(page.locator("#f-room")).to_contain_text("r-00")


# Query and logs ----------------------------------------------------------------------------------------------------


@test("a query runs as an identity, and Explain names the rule and the index")
def query(world):
    page = opened(world, "/query")
    type_query(page, 'query December { bookingsByRoom(roomID: "r-02", limit: 5) { items { id guestId room { city } } } }')
    choose_identity(page, "default")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".query-status")).to_contain_text("200")
    expect(page.locator(".result-window")).to_contain_text("bookingsByRoom")
    explain = page.get_by_role("complementary", name="Explain")
    expect(explain).to_contain_text("Booking:apiKey:public")
    expect(explain).to_contain_text("Index byRoom")
    choose_identity(page, "Guest")
    page.locator(".graphiql-query-editor .CodeMirror").click()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".query-status")).to_contain_text("401")
    expect(explain).to_contain_text("Denied" if not REAL else "")


@test("a subscription shows an event that another tab causes; after Stop the dot is gone")
def subscribe(world):
    page = opened(world, "/query")
    type_query(page, "subscription Created { onCreateBooking { id guestId } }")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".query-status")).to_contain_text("listening")
    expect(page.locator(".result-window")).to_contain_text("Listening for events")
    second = opened(world, "/query")
    type_query(second, 'mutation { createBooking(input: { guestId: "from a test", roomID: "r-01", checkInDate: "2026-12-05", checkOutDate: "2026-12-06" }) { id guestId } }')
    second.get_by_role("button", name="Run").click()
    expect(second.locator(".query-status")).to_contain_text("200")
    expect(page.locator(".result-window")).to_contain_text("from a test")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".query-status")).to_contain_text("stopped")


@test("after a reload the tabs and the identity are there, without an extra empty tab")
def tabs(world):
    page = opened(world, "/query")
    type_query(page, "query First { listRooms { items { id } } }")
    page.get_by_role("button", name="Add tab").click()
    type_query(page, "query Second { listRooms { items { city } } }")
    page.locator(".graphiql-editor-tool .CodeMirror").first.evaluate("""(element) => element.CodeMirror.setValue('{ "room": "r-02" }')""")
    choose_identity(page, "No identity")
    page.wait_for_timeout(700)
    for _ in range(2):
        page.reload()
        ready(page, "/query")
        names = page.locator(".graphiql-tab").all_inner_texts()
        assert [name.strip() for name in names] == ["First", "Second"], names
        expect(page.get_by_role("button", name=re.compile("^Identity"))).to_contain_text("No identity")
        expect(page.locator(".graphiql-editor-tool .CodeMirror").first).to_contain_text('"room"')


@test("docs, history and explorer open from our bar, and close again")
def panes(world):
    page = opened(world, "/query")
    for name, found in (("Docs", ".graphiql-doc-explorer"), ("History", ".graphiql-history-header"), ("Explorer", ".docExplorerWrap, .graphiql-explorer-root")):
        page.locator(".query-tools").get_by_role("button", name=name).click()
        expect(page.locator(found).first).to_be_visible()
        page.locator(".query-tools").get_by_role("button", name=name).click()
    # On a phone a pane fills the page, and a query that is run closes it.
    page = opened(world, "/query", size="phone")
    page.locator(".query-tools").get_by_role("button", name="Docs").click()
    expect(page.get_by_placeholder("Find")).to_be_in_viewport()
    expect(page.locator(".query-name")).not_to_be_visible()
    expect(page.locator(".graphiql-tabs")).not_to_be_visible()
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".graphiql-doc-explorer")).not_to_be_in_viewport()
    expect(page.locator(".query-status")).to_contain_text("200")
    expect(page.locator(".graphiql-query-editor .CodeMirror-line").first).to_be_in_viewport()


def outcome(page, name):
    page.get_by_role("button", name=re.compile("^Outcome")).click()
    page.get_by_role("menuitemradio", name=name).click()


@test("Logs list requests, filter them, explain one, and replay it in Query", mock_only=True)
def logs(world):
    # A server of its own: its log has only what it begins with.
    with other(world) as second:
        page = opened(second, "/logs")
        outcome(page, "Errors only")
        until(lambda: all("Unauthorized" in text for text in page.locator(".logs tbody tr").all_inner_texts()), what="only errors")
        outcome(page, "UnauthorizedException")
        assert "errorType=UnauthorizedException" in page.url
        outcome(page, "Any outcome")
        page.get_by_role("button", name="Identity: any").click()
        page.get_by_role("menuitemradio", name="noor").click()
        until(lambda: all("noor" in text for text in page.locator(".logs tbody tr").all_inner_texts()), what="only one identity")
        page.get_by_role("button", name="Identity: noor").click()
        page.get_by_role("menuitemradio", name="Any identity").click()
        page.get_by_label("Scans only").check()
        until(lambda: all("scan" in text for text in page.locator(".logs tbody tr").all_inner_texts()), what="only scans")
        page.get_by_label("Scans only").uncheck()
        page.get_by_label("Search by operation or request id").fill("December")
        until(lambda: all("December" in text for text in page.locator(".logs tbody tr").all_inner_texts()), what="only one operation")
        page.locator(".logs tbody tr:not(:has(.brick)) a").first.click()
        panel = page.get_by_role("complementary")
        expect(panel).to_contain_text("…3456")
        expect(panel.locator("dd", has_text="Booking by byRoom")).to_have_text("2 items, Booking by byRoom")
        expect(page.locator(".logs tbody tr.on code")).to_have_text("byRoom")
        expect(page.locator(".logs tbody tr.on")).to_contain_text("API key")
        panel.get_by_role("tab", name="Explain").click()
        expect(panel).to_contain_text("Index byRoom")
        panel.get_by_role("tab", name="Answer").click()
        expect(panel.locator("pre")).to_contain_text('"data"')
        panel.get_by_role("link", name="Replay in Query").click()
        ready(page, "/query")
        expect(page.locator(".graphiql-query-editor")).to_contain_text("December")
        assert "document=" not in page.url
        expect(page.get_by_role("button", name=re.compile("^Identity"))).to_contain_text("API key")


@test("a new request appears in Logs by itself, and not while it is paused")
def logs_live(world):
    page = opened(world, "/logs")
    expect(page.locator(".head .chip")).to_contain_text("live")
    name = f"Live{time.time_ns() % 100_000}"
    send = lambda text: page.evaluate("""async (query) => { const session = await (await fetch('/operators/v1/session')).json();
        await fetch('/operators/v1/graphql', { method: 'POST', headers: { 'Content-Type': 'application/json', 'x-syncline-csrf': session.csrf, 'x-syncline-as': 'admin' }, body: JSON.stringify({ query }) }) }""", text)
    send(f"query {name} {{ listRooms {{ items {{ id }} }} }}")
    expect(page.get_by_role("link", name=name)).to_be_visible()
    page.keyboard.press("p")
    send(f"query {name}Paused {{ listRooms {{ items {{ id }} }} }}")
    expect(page.locator(".head .chip")).to_contain_text("paused, 1 new")
    assert page.get_by_role("link", name=f"{name}Paused").count() == 0


@test("a failed request is found by its id, with the key masked, is copied as curl and replayed", mock_only=True)
def logs_by_id(world):
    page = opened(world, "/logs?errors=true")
    id_ = page.locator(".logs tbody a").first.get_attribute("id").removeprefix("request-")
    page.goto(world.base + "/console/logs")
    page.get_by_label("Search by operation or request id").fill(id_[:8])
    until(lambda: page.locator(".logs tbody tr").count() == 1, what="one request")
    page.locator(".logs tbody a").click()
    panel = page.get_by_role("complementary")
    expect(panel.locator("dd", has_text="…3456")).to_be_visible()
    panel.get_by_role("button", name="Copy as curl").click()
    copied = until(lambda: (text := page.evaluate("navigator.clipboard.readText()")).startswith("curl ") and text, what="the copied command")
    assert "3456" not in copied, copied
    panel.get_by_role("link", name="Replay in Query").click()
    ready(page, "/query")


@test("Logs have calls of functions and the server's lines, each with filters", mock_only=True)
def other_logs(world):
    page = opened(world, "/logs")
    page.get_by_role("tab", name="Function calls").click()
    entries = page.locator(".entries li")
    expect(entries).to_have_count(100)
    page.get_by_role("button", name="Show older").click()
    expect(entries).to_have_count(130)
    entries.first.locator("summary").click()
    expect(entries.first).to_contain_text('{"price": 120}')
    page.get_by_label("Errors only").check()
    expect(entries).to_have_count(1)
    expect(entries.first.locator("summary")).to_contain_text("no answer")
    page.get_by_label("Errors only").uncheck()
    page.get_by_role("button", name="Kind: Any kind").click()
    page.get_by_role("menuitemradio", name="Triggers").click()
    until(lambda: all("trigger" in text for text in entries.all_inner_texts()), what="only triggers")
    page.get_by_role("tab", name="Server").click()
    expect(entries).to_have_count(3)
    page.get_by_role("button", name="Level: Any level").click()
    page.get_by_role("menuitemradio", name="error and above").click()
    expect(entries).to_have_count(1)
    expect(entries).to_contain_text("cause=The connection was refused.")
    page.get_by_label("Text of a line").fill("nothing")
    expect(page.locator(".empty")).to_contain_text("No recent entry matches.")
    page.get_by_role("button", name="Clear filter").click()
    expect(entries).to_have_count(3)
    page.reload()
    expect(entries).to_have_count(3)
    page.get_by_role("tab", name="Requests").click()
    expect(page.locator(".logs tbody tr").first).to_be_visible()


@test("in serve, documents are kept only while an owner records; others see that it is recorded", mock_only=True)
def record_requests(world):
    with other(world, "--mode", "serve") as second:
        page = opened(second, "/logs")
        page.locator(".logs tbody a").first.click()
        expect(page.get_by_role("complementary")).to_contain_text("kept only while an owner records")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Record documents and variables").click()
        page.get_by_role("menuitem", name="5 minutes", exact=True).click()
        expect(page.locator(".head .chip.brick")).to_contain_text("recording until")
        query_page = opened(second, "/query")
        type_query(query_page, "query Recorded { listRooms { items { id } } }")
        query_page.get_by_role("button", name="Run").click()
        page.get_by_role("link", name="Recorded").click()
        expect(page.get_by_role("complementary").get_by_role("region", name="Document")).to_contain_text("query Recorded")
        page.get_by_role("button", name="Stop recording").click()
        expect(page.locator(".head .chip.brick")).to_have_count(0)
    with other(world, "--mode", "serve", "--role", "editor") as second:
        page = opened(second, "/logs")
        expect(page.get_by_role("button", name="Record")).to_have_attribute("aria-disabled", "true")


@test("a query as the API key, as a user, as groups and as guest: Explain names what decided each", mock_only=True)
def identities(world):
    page = opened(world, "/query")
    sent = []
    page.on("request", lambda request: sent.append(request.headers["x-syncline-as"]) if request.url.endswith("/v1/graphql") else None)
    type_query(page, 'query Mine { bookingsByRoom(roomID: "r-02", limit: 5) { items { id } } }')

    def run(name):
        page.get_by_role("button", name="Run").click()
        until(lambda: sent and sent[-1] == name, what=name)
    choose_identity(page, "default")
    run("key:default")
    expect(page.get_by_role("complementary", name="Explain")).to_contain_text("Booking:apiKey:public")
    choose_identity(page, "ada")
    run("user:ada")
    explain = page.get_by_role("complementary", name="Explain")
    expect(explain).to_contain_text("Conditional")
    expect(explain).to_contain_text("Booking:userPools:owner may allow it: items whose field owner is the caller's user name.")
    for entry, label, text, wanted in (("A user by name…", "User name", "grace", "user:grace"), ("Groups…", "Groups, separated by commas", "admins, night shift", "group:admins,night shift"), ("Custom claims…", "Claims", '{ "sub": "ada" }', 'claims:{"sub":"ada"}')):
        page.get_by_role("button", name=re.compile("^Identity")).click()
        page.get_by_role("menu").get_by_text(entry).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label(label).fill("")
        dialog.locator("footer .btn.main").click()
        expect(dialog.get_by_role("alert")).to_be_visible()
        dialog.get_by_label(label).fill(text)
        dialog.locator("footer .btn.main").click()
        run(wanted)
    choose_identity(page, "Guest")
    run("iam:guest")
    expect(page.get_by_role("complementary", name="Explain")).to_contain_text("the request has no API key")
    page.route("**/operators/v1/graphql", lambda route: route.fulfill(status=422, json={"error": {"code": "invalid", "message": "Identities of an identity pool are no callers of this API."}}))
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("complementary", name="Explain")).to_contain_text("The request was refused before it was executed")
    # Claims are typed by the operator and are not kept.
    assert "claims" not in page.evaluate("JSON.stringify(localStorage)")


@test("the identity, a query and its explanation by keyboard alone", mock_only=True)
def query_by_keyboard(world):
    page = opened(world, "/query")
    page.get_by_role("button", name=re.compile("^Identity")).focus()
    page.keyboard.press("Enter")
    page.keyboard.type("gue")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=re.compile("^Identity"))).to_contain_text("Guest")
    expect(page.get_by_role("button", name=re.compile("^Identity"))).to_be_focused()
    page.locator(".graphiql-query-editor textarea").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("query Keys { __typename }", delay=5)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".query-status")).to_contain_text("401")
    expect(page.get_by_role("complementary", name="Explain")).to_contain_text("Denied")


@test("the events of a subscription pause and are cleared; a refused subscription says why", mock_only=True)
def subscription_controls(world):
    page = opened(world, "/query")
    type_query(page, "subscription Created { onCreateBooking { id guestId } }")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".query-status")).to_contain_text("listening")
    made = lambda guest: world.server.write("Booking", "create", guestId=guest, roomID="r-01", checkInDate="2026-12-05", checkOutDate="2026-12-06")
    expect(page.locator(".result-window")).to_contain_text("Listening for events")
    made("first guest")
    expect(page.locator(".result-window")).to_contain_text("first guest")
    page.get_by_role("button", name="Pause").click()
    made("second guest")
    expect(page.locator(".query-status")).to_contain_text("2 events")
    expect(page.locator(".result-window")).not_to_contain_text("second guest")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".result-window")).to_contain_text("second guest")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".result-window")).not_to_contain_text("first guest")
    assert page.locator(".query-name .dot").count() == 1
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".query-name .dot")).to_have_count(0)
    choose_identity(page, "Guest")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".result-window")).to_contain_text("No rule lets guests subscribe.")


@test("a copied filter runs in Query and finds the same items", mock_only=True)
def copied_filter(world):
    page = opened(world, '/data/Booking?filter={"and":[{"guestId":{"eq":"noor"}},{"checkInDate":{"le":"2026-12-31"}}]}')
    page.get_by_role("button", name="Filter and view").click()
    page.get_by_role("menuitem", name="Copy as GraphQL").click()
    expect(page.locator(".toast").last).to_contain_text("Copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert 'guestId: { eq: "noor" }' in text, text
    keys = page.locator(".grid-body .gr:not([hidden]):not(.wait) input").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label').slice(7))")
    page.get_by_role("button", name="Filter and view").click()
    page.get_by_role("menuitem", name="Copy as Swift predicate").click()
    until(lambda: 'booking.guestId == "noor" && booking.checkInDate <= "2026-12-31"' in page.evaluate("navigator.clipboard.readText()"), what="a predicate")
    page.get_by_role("button", name="Filter and view").click()
    page.get_by_role("menuitem", name="Open in Query").click()
    ready(page, "/query")
    expect(page.locator(".graphiql-query-editor")).to_contain_text("BookingItems")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".query-status")).to_contain_text("200")
    answer = page.locator(".result-window .CodeMirror").evaluate("(element) => element.CodeMirror.getValue()")
    found = [one["id"] for one in json.loads(answer)["data"]["listBookings"]["items"]]
    assert found[:len(keys)] == keys and len(keys) > 3, (found[:3], keys[:3])


@test("a list without an index shows the scan, with the way to an index where there is a modeller", mock_only=True)
def add_index(world):
    page = opened(world, '/data/Booking?order=note&filter={"guestId":{"eq":"noor"}}')
    modeller = page.get_by_role("navigation", name="Console", exact=True).get_by_role("link", name="Schema").count() > 0
    links = page.locator(".cover").get_by_role("link", name="Add an index")
    expect(links).to_have_count(1 if modeller else 0)
    if modeller:
        assert links.get_attribute("href") == "/console/schema?type=Booking&add=key&fields=guestId%2Cnote"
    page = opened(world, "/query")
    type_query(page, 'query Noted { noted: listBookings(filter: { note: { eq: "Two keys" } }) { items { id } } }')
    page.get_by_role("button", name="Run").click()
    explain = page.get_by_role("complementary", name="Explain")
    expect(explain).to_contain_text("Full scan, read 1,000,000 items, kept 12.")
    links = explain.get_by_role("link", name="Add an index")
    expect(links).to_have_count(1 if modeller else 0)
    if modeller:
        assert links.get_attribute("href") == "/console/schema?type=Booking&add=key&fields=note"


@test("a copied request and Home name the address of the API, also where the console has one of its own", mock_only=True)
def address(world):
    page = world.page("/logs")
    page.route("**/operators/v1/connect*", lambda route: route.fulfill(json={"endpoint": "https://api.example.com/graphql", "pull": None, "files": [], "snippet": "", "notes": [], "lastPull": None}))
    page.goto(world.base + "/console/")
    expect(page.locator(".hello code")).to_have_text("https://api.example.com/graphql")
    page.goto(world.base + "/console/query")
    ready(page, "/query")
    page.get_by_role("button", name="Copy as").click()
    page.get_by_role("menuitem", name="curl").click()
    until(lambda: page.evaluate("navigator.clipboard.readText()").startswith("curl 'https://api.example.com/graphql'"), what="the copied command")


# Keyboard ----------------------------------------------------------------------------------------------------------


@test("the palette goes to pages, models and commands")
def palette(world):
    page = opened(world, "/")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("dark th")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("Control+k")
    page.keyboard.type("roomam")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("RoomAmenity")
    page.keyboard.press("g")
    page.keyboard.press("l")
    expect(page.get_by_role("heading", level=1)).to_have_text("Logs")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Single-letter keys")
    page.keyboard.press("Escape")
    page.evaluate("localStorage.removeItem('syncline.theme')")


@test("a walk by Tab over each page: every stop is seen, named and ringed, and none holds the focus")
def walk(world):
    for path in ("/", "/data/Room", "/logs", "/query"):
        page = opened(world, path)
        page.evaluate("document.activeElement?.blur()")
        seen = []
        for _ in range(70):
            page.keyboard.press("Tab")
            stop = page.evaluate("""() => { const e = document.activeElement; if (!e || e === document.body) return null; const b = e.getBoundingClientRect();
                const name = e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || e.title || document.getElementById(e.getAttribute('aria-labelledby'))?.innerText || '';
                const style = getComputedStyle(e); const inner = e.closest('.search');
                const held = e === window.stopBefore; window.stopBefore = e;
                return { held, name: name.trim().slice(0, 40), tag: e.tagName, seen: b.width > 0 && b.height > 0 && b.bottom > 0 && b.top < innerHeight && b.right > 0 && b.left < innerWidth,
                    ring: style.boxShadow !== 'none' || style.outlineStyle !== 'none' || (inner && getComputedStyle(inner).boxShadow !== 'none') } }""")
            if stop is None:
                break
            assert stop["name"], f"{path}: a {stop['tag']} without a name after {seen[-3:]}"
            assert stop["ring"], f"{path}: no ring on {stop['name']}"
            page.wait_for_timeout(5)
            seen.append(stop["name"])
            assert not stop["held"], f"{path}: the focus stays on {seen[-1]}"
        assert seen[0] == "Skip to content", seen[:3]
        assert len(seen) > 8, seen


@test("Tab leaves the editors of Query until something is typed, and after Esc, and changes no text")
def query_leaves(world):
    page = opened(world, "/query")
    text = lambda: page.locator(".graphiql-query-editor .CodeMirror").evaluate("(element) => element.CodeMirror.getValue()")
    inside = lambda: page.evaluate("Boolean(document.activeElement.closest('.graphiql-query-editor .CodeMirror'))")
    area, before = page.locator(".graphiql-query-editor textarea"), text()
    for key in ("Tab", "Shift+Tab"):
        area.focus()
        page.keyboard.press(key)
        assert not inside() and text() == before, key
    area.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("#")
    page.keyboard.press("Tab")
    assert inside() and text() != "#" + before, "Tab indents while something is typed"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not inside(), "Esc, then Tab leaves"


@test("on a phone Tab reaches nothing that lies under an open item or request, and closing it gives the focus back")
def under_panel(world):
    for path, open_ in (("/data/Room", ".rec"), ("/logs", ".log-cards a")):
        page = opened(world, path, size="phone")
        page.locator(open_).locator("visible=true").first.tap()
        panel = page.get_by_role("complementary")
        panel.get_by_role("heading", level=2).wait_for()
        for key in ("Tab", "Shift+Tab"):
            for _ in range(40):
                page.keyboard.press(key)
                where = page.evaluate("(() => { const e = document.activeElement; return e === document.body || e.closest('.panel') ? '' : `${e.tagName} ${e.className} ${e.innerText.slice(0, 20)}` })()")
                assert not where, f"{path}: {where}"
        panel.get_by_role("button", name="Close").tap()
        expect(panel).to_have_count(0)
        expect(page.get_by_role("navigation", name="Console, short")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_be_visible()


@test("the grid by keyboard: arrows, Home and End, selection, copy, and one stop of Tab")
def grid_keys(world):
    page = opened(world, "/data/Room")
    page.locator(".grid-body .gr[data-row='0'] .gc").nth(1).focus()
    for key in ("ArrowDown", "ArrowRight", "End", "Home", "ArrowRight", "PageDown", "PageUp"):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell", key
        assert page.locator(".gc[tabindex='0']").count() == 1, key
    page.keyboard.press("Space")
    expect(page.locator(".selbar")).to_contain_text("1 selected")
    page.keyboard.press("Control+c")
    expect(page.locator(".toast").last).to_contain_text("Copied 1 row.")
    assert "\t" in page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "columnheader"
    page.keyboard.press("ArrowRight")
    before = page.evaluate("document.activeElement.offsetWidth")
    page.keyboard.press("Alt+ArrowRight")
    assert page.evaluate("document.activeElement.offsetWidth") == before + 16
    page.keyboard.press("ArrowDown")
    page.keyboard.press("o")
    expect(page.get_by_role("complementary")).to_be_visible()


# Phone -------------------------------------------------------------------------------------------------------------


@test("on a phone: two lines for each item, the record fills the screen, and the bar leads everywhere")
def phone(world):
    page = opened(world, "/data/Booking", size="phone")
    page.locator(".rec:not([hidden])").first.tap()
    panel = page.get_by_role("complementary")
    box = panel.bounding_box()
    assert box["width"] == 390 and box["y"] == 0, box
    panel.get_by_label("guestId").fill("by touch")
    panel.get_by_role("button", name="Save").tap()
    expect(page.locator(".toast").last).to_contain_text("Saved.")
    panel.get_by_role("button", name="Close").tap()
    expect(panel).to_have_count(0)
    page.get_by_role("navigation", name="Console, short").get_by_role("link", name="Home").tap()
    expect(page.locator(".hello")).to_be_visible()
    page.get_by_role("button", name="More").tap()
    expect(page.get_by_role("menuitem", name="Search")).to_be_visible()
    # A page of the menu looks like its other entries, not like those of the bar.
    left = lambda name: page.get_by_role("menuitem", name=name).locator(".grow").bounding_box()["x"]
    assert left("Logs") == left("Search")
    page.get_by_role("menuitem", name="Logs").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Logs")


@test("on a phone by touch: a link signs in, a value that is not set, a bad date, and a subscription", mock_only=True)
def phone_scenarios(world):
    with other(world) as second:
        page = second.page(f"/#link={second.server.link()}", signed_in=False, size="phone")
        expect(page.get_by_role("heading", level=2).first).to_have_text("Your backend is ready")
        bar = page.get_by_role("navigation", name="Console, short")
        bar.get_by_role("link", name="Data").tap()
        page.get_by_role("button", name="Choose a model").tap()
        page.get_by_role("menuitemradio", name="User").tap()
        expect(page.get_by_role("heading", level=1)).to_have_text("User")
        page.locator(".rec:not([hidden])", has_text="Sam Hart").first.tap()
        panel = page.get_by_role("complementary")
        expect(panel.locator(".unset").first).to_contain_text("phone")
        panel.get_by_role("tab", name="JSON").tap()
        expect(panel.locator("pre")).not_to_contain_text('"phone"')
        panel.get_by_role("tab", name="Record").tap()
        panel.get_by_role("button", name="Set birthday").tap()
        panel.locator("#f-birthday").fill("2026-13-40")
        panel.get_by_role("button", name="Save").tap()
        expect(panel.locator(".wrong")).to_contain_text("birthday must be a date like 2026-12-05")
        panel.locator("#f-birthday").fill("1815-12-10")
        panel.get_by_role("button", name="Save").tap()
        expect(page.locator(".toast").last).to_contain_text("Saved.")
        panel.get_by_role("button", name="Close").tap()
        bar.get_by_role("link", name="Query").tap()
        ready(page, "/query")
        type_query(page, "subscription Created { onCreateBooking { id guestId } }")
        page.get_by_role("button", name="Run").tap()
        expect(page.locator(".query-status")).to_contain_text("listening")
        expect(page.locator(".result-window")).to_contain_text("Listening for events")
        second.server.write("Booking", "create", guestId="by touch", roomID="r-01", checkInDate="2026-12-05", checkOutDate="2026-12-06")
        expect(page.locator(".result-window")).to_contain_text("by touch")
        page.get_by_role("button", name="Stop").tap()
        expect(page.locator(".query-status")).to_contain_text("stopped")


PAGES = {"home": "/", "data": "/data/Booking" + FILTER, "data-record": "RECORD", "query": "/query", "logs": "/logs", "logs-request": "REQUEST", "logs-calls": "/logs?view=calls", "logs-server": "/logs?view=lines"}


def visit(world, name, size, theme):
    path = PAGES[name]
    page = world.page({"RECORD": "/data/Booking", "REQUEST": "/logs"}.get(path, path), size=size, theme=theme)
    ready(page, {"RECORD": "/data", "REQUEST": "/logs"}.get(path, path))
    if path == "RECORD":
        (page.locator(".rec:not([hidden])").first if size == "phone" else cell(page, 1, "guestId")).click()
        page.get_by_role("complementary").locator("#f-guestId").wait_for()
    if path == "REQUEST":
        page.locator(".logs a:visible").first.click()
        page.get_by_role("complementary").get_by_text("Headers").wait_for()
    if path == "/query" and size == "wide":
        type_query(page, 'query December {\n  bookingsByRoom(\n    roomID: "r-02"\n    checkInDate: { ge: "2026-12-01" }\n    limit: 2\n  ) {\n    items {\n      id\n      guestId\n      checkInDate\n      room { description city }\n    }\n    nextToken\n  }\n}')
        page.get_by_role("button", name="Run").click()
        expect(page.locator(".query-status")).to_contain_text("200")
    page.wait_for_timeout(250)
    return page


def shots(size, theme):
    def check(world):
        """axe-core, no overflow, and a picture, of every page."""
        found = []
        for name in PAGES:
            page = visit(world, name, size, theme)
            if PICTURES:
                PICTURES.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=PICTURES / f"{name}-{theme}-{size}.png")
            found += violations(page, name, theme)
            world.check()
            world.close()
        assert not found, "\n".join(found)
    return check


for _size, _theme in LOOKS:
    test(f"axe-core finds nothing on any page, {_theme}, {_size}")(shots(_size, _theme))


@test("axe-core finds nothing in the dialogs, menus and states")
def axe_dialogs(world):
    page = opened(world, "/data/Room")
    found = []
    for name, key in (("palette", "Control+k"), ("filter", "f"), ("keys", "?")):
        page.keyboard.press(key)
        page.get_by_role("dialog").wait_for()
        found.extend(violations(page, name))
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Columns").click()
    found.extend(violations(page, "columns"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Import or export").click()
    found.extend(violations(page, "menu"))
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.get_by_role("complementary").wait_for()
    page.keyboard.press("Control+s")
    page.locator(".wrong").first.wait_for()
    found.extend(violations(page, "new item"))
    page = world.page("/", signed_in=False)
    found.extend(violations(page, "sign-in"))
    page = world.page("/nowhere")
    found.extend(violations(page, "not found"))
    assert not found, "\n".join(found)


def axe_many(size, theme):
    def check(world):
        """The dialogs for many items, links of a record, and identities."""
        found = []
        with other(world) as second:
            page = opened(second, "/data/Room", size=size, theme=theme)

            def dialog(name, open_, inside):
                open_()
                page.get_by_role("dialog").locator(inside).first.wait_for()
                page.wait_for_timeout(200)
                found.extend(violations(page, name, theme))
                if PICTURES:
                    page.screenshot(path=PICTURES / f"dialog-{name}-{theme}-{size}.png")
                page.keyboard.press("Escape")
                page.get_by_role("dialog").wait_for(state="detached")

            def choose(name):
                page.get_by_role("button", name="Filter and view" if size == "phone" else "Import or export").click()
                page.get_by_role("menuitem", name=name).click()

            def import_():
                choose("Import…")
                page.get_by_role("dialog").locator("input[type=file]").set_input_files({"name": "rooms.csv", "mimeType": "text/csv", "buffer": b"Description,town,price\r\nTower,Graz,many\r\n"})

            def generate_():
                choose("Generate items…")
                page.get_by_role("dialog").get_by_role("button", name="Show samples").click()
            if PICTURES:
                PICTURES.mkdir(parents=True, exist_ok=True)
            dialog("import", import_, ".preview")
            dialog("generate", generate_, ".preview")
            if size == "wide":
                drag_select(page, 3)
                found.extend(violations(page, "selection", theme))
                dialog("delete", lambda: page.keyboard.press("Delete"), ".samples")
                dialog("change", lambda: page.get_by_role("button", name="Edit a field…").click(), "select")
            page.goto(second.base + "/console/data/Room/r-00")
            ready(page, "/data")
            page.get_by_role("button", name="Show bookings").click()
            page.locator(".linked li").first.wait_for()
            found.extend(violations(page, "linked items", theme))
            dialog("picker", lambda: page.get_by_role("button", name="Link to bookings").click(), "[role=option]")
            page.goto(second.base + "/console/query")
            ready(page, "/query")
            page.get_by_role("button", name=re.compile("^Identity")).click()
            page.get_by_role("menu").get_by_text("Groups…").click()
            page.get_by_role("dialog").locator("input").wait_for()
            found.extend(violations(page, "identity", theme))
        assert not found, "\n".join(found)
    return check


for _size, _theme in LOOKS:
    test(f"axe-core finds nothing in the dialogs for many items, {_theme}, {_size}", mock_only=True)(axe_many(_size, _theme))


def states_of(second):
    """States that no other test shows to axe-core: a path, how it is reached, and what is then there."""
    def failing(page, pattern, **answer):
        page.route(pattern, lambda route: route.fulfill(**answer))
        page.reload()

    def tab(name):
        return lambda page: page.get_by_role("tab", name=name).click()

    def conflict(page):
        page.locator("#f-city").fill("Ghent")
        page.wait_for_timeout(100)
        second.server.write("Room", id="r-01", city="Lille")

    def menu(button, name=None):
        def open_(page):
            page.get_by_role("button", name=re.compile(button)).first.click()
            if name:
                page.get_by_role("menuitem", name=name).click()
        return open_
    error = {"error": {"code": "internal", "message": "The disk is full.", "hint": "Free some space, then try again.", "requestId": "66b6b857-52be-4e0b-9c11-0f6f1d2ab9e4"}}
    return {
        "record as JSON": ("/data/Room/r-01", tab("JSON"), "pre"),
        "access": ("/data/Room/r-01", tab("Access"), ".access-of .chip"),
        "conflict": ("/data/Room/r-01", conflict, ".versus"),
        "gone item": ("/data/Room/none", None, ".panel .empty"),
        "deleted items": ("/data/Room?deleted=include", None, ".fl"),
        "filter": ('/data/Booking?filter={"room":{"city":{"eq":"Nantes"}},"checkInDate":{"ge":"2026-12-05"}}', None, ".fl"),
        "no item": ('/data/Room?filter={"city":{"eq":"Atlantis"}}', None, ".empty"),
        "no model": ("/data/Nope", None, ".empty"),
        "failure": ("/data/Room", lambda page: failing(page, "**/data/Room/items*", status=500, json=error), ".failure"),
        "filter as JSON": ("/data/Room", menu("^(Filter and view|View)", "Edit as JSON…"), "dialog textarea"),
        "request": ("/logs", lambda page: page.locator(".logs tbody tr a, .log-cards a").locator("visible=true").first.click(), ".panel .kv"),
        "function calls": ("/logs?view=calls", lambda page: page.locator(".entries summary").first.click(), ".entries details[open]"),
        "server's lines": ("/logs?view=lines", None, ".entries .line"),
        "no request": ("/logs?text=nothing-has-this-name", None, ".empty"),
        "copy as": ("/query", menu("^Copy as"), "[role=menu]"),
        "identities": ("/query", menu("^Identity"), "[role=menu]"),
        "answer": ("/query", lambda page: page.get_by_role("button", name="Run").click(), ".query-status .chip"),
        "home's menu": ("/", menu("owner|Theme"), "[role=menu]"),
    }


def axe_states(size, theme):
    def check(world):
        found = []
        with other(world) as second:
            page = second.page("/nowhere", size=size, theme=theme)
            for name, (path, act, there) in states_of(second).items():
                if size == "phone" and name == "copy as":
                    continue
                page.goto(second.base + "/console" + path)
                ready(page, path)
                if act:
                    act(page)
                page.locator(there).locator("visible=true").first.wait_for()
                page.wait_for_timeout(150)
                found.extend(violations(page, name, theme))
                page.unroute_all()
            page = second.page("/#link=used", size=size, theme=theme, signed_in=False)
            page.locator(".wrong").wait_for()
            found.extend(violations(page, "used link", theme))
        assert not found, "\n".join(found)
    return check


for _size, _theme in LOOKS:
    test(f"axe-core finds nothing in the states of the pages, {_theme}, {_size}", mock_only=True)(axe_states(_size, _theme))


@test("at 320 px and at 200 % text nothing is cut off")
def narrow(world):
    found = []
    for size in ((320, 700), (720, 450)):
        for path in ("/", "/data/Room", "/logs", "/query"):
            page = opened(world, path, size=size)
            if size[0] == 720:
                page.evaluate("document.documentElement.style.fontSize = '200%'")
                page.wait_for_timeout(100)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if wide > 0:
                found.append(f"{path} at {size[0]}: {wide} px too wide")
            cut = page.evaluate("""() => [...document.querySelectorAll('.head > *, .head .btn, .tabbar > *')].filter((e) => e.offsetParent && (e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1)).map((e) => e.className + ' ' + e.innerText.slice(0, 20))""")
            found.extend(f"{path} at {size[0]}: {one} is outside" for one in cut)
        world.check()
        world.close()
    assert not found, "\n".join(found)


# Pure modules and sizes --------------------------------------------------------------------------------------------


@test("the pure modules: filters, values, CSV, scaled scrolling, ranking, keys")
def units(world):
    page = world.page("/logs", bypass_csp=True)
    script = (HERE / "units.js").read_text()
    failures = page.evaluate("async ([source, base]) => (await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))).default(base)", [script, world.base + page.evaluate("document.documentElement.dataset.assets")])
    assert not failures["failed"], "\n".join(failures["failed"])
    return f"{failures['passed']} checks"


@test("the sizes are within the budgets", mock_only=True)
def budgets(world):
    console, built = ROOT / "Console", ROOT / ".build" / "console"
    packed = lambda *paths: sum(len(gzip.compress(without_comments(path.read_bytes()), 9)) for path in paths) / 1024
    own = [path for path in console.rglob("*") if path.suffix in (".js", ".css", ".html")]
    graphiql = [built / name for name in ("react.js", "react-dom.js", "graphiql.js", "graphiql.css", "graphiql-explorer.js", "graphiql-explorer.css")]
    raw = sum(path.stat().st_size for path in [*own, *built.glob("[a-z]*")]) / 1_000_000
    figures = {"own code": (packed(*own), OWN_CODE), "stylesheet": (packed(console / "console.css"), 8), "GraphiQL": (packed(*graphiql), 500), "in the binary, MB": (raw, 3)}
    # What every page needs of ours before it shows anything.
    page = world.page("/nowhere")
    page.locator(".empty").wait_for()
    names = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name.split('/assets/')[1]).filter((name) => name?.endsWith('.js')).map((name) => name.slice(name.indexOf('/') + 1))")
    figures["shell and kit"] = (packed(*(console / name for name in names if (console / name).exists())), 30)
    over = [f"{name}: {value:.1f} of {limit}" for name, (value, limit) in figures.items() if value > limit]
    assert not over, "; ".join(over)
    return "; ".join(f"{name} {value:.1f} of {limit}" for name, (value, limit) in figures.items())


@test("the first load of each page is within its budget")
def loads(world):
    return first_loads(world.page("/nowhere"), world.base)


@test("the shell is painted soon")
def painted(world):
    times = []
    for path in ("/", "/query"):
        page = opened(world, path)
        times.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    assert times[0] < 250 * SLACK and times[1] < 800 * SLACK, times
    return f"{times[0]:.0f} ms, Query {times[1]:.0f} ms"


schema_test.register(sys.modules[__name__])


# Runner ------------------------------------------------------------------------------------------------------------

# Tests that measure time: after all others, one at a time.
ALONE = {first_rows, scroll, frames, painted}

# Tests that may fail at first and pass when they run again, as one does on a machine that is busy otherwise.
UNSTEADY_MAX = 2


def run(world, name, function):
    """One test: its outcome and what to print."""
    started = time.monotonic()
    world.name = function.__name__
    try:
        note = function(world)
        world.check()
        world.close()
        return "passed", f"passed   {name} ({time.monotonic() - started:.1f} s{', ' + note if note else ''})"
    except Exception as error:
        text = str(error).split("Call log")[0].strip() if "--long" not in sys.argv else str(error)
        lines = [f"FAILED   {name}", *("         " + line for line in text.splitlines()[:14]),
                 *(f"         seen: {problem}" for _, watched in world.open for problem in watched.problems[:3])]
        if not isinstance(error, (AssertionError, Error)):
            lines.append(traceback.format_exc())
        world.close(world.name)
        world.state = None
        return "failed", "\n".join(lines)


def work(queue, results):
    """A process: a browser and a server of its own, and tests until there are none."""
    server = Real() if REAL else Mock()
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            world = World(browser, server)
            while (index := queue.get()) is not None:
                name, function, _ = TESTS[index]
                outcome, text = run(world, name, function)
                if outcome == "failed":
                    world.traced = True
                    second = run(world, name, function)[0]
                    world.traced = False
                    text += f"\n         A second time: {second}. The trace is in {FAILED.relative_to(ROOT)}."
                    if second == "passed":
                        outcome = "unsteady"
                results.put((outcome, text))
            browser.close()
    finally:
        if not REAL:
            server.stop()


def phase(indices, jobs):
    """Runs tests on some processes, and answers the outcomes."""
    queue, results, outcomes = multiprocessing.Queue(), multiprocessing.Queue(), []
    for index in [*indices, *[None] * jobs]:
        queue.put(index)
    processes = [multiprocessing.Process(target=work, args=(queue, results), daemon=True) for _ in range(min(jobs, len(indices)))]
    for process in processes:
        process.start()
    while len(outcomes) < len(indices):
        try:
            outcome, text = results.get(timeout=1)
        except Empty:
            if not any(process.is_alive() for process in processes) and results.empty():
                missing = len(indices) - len(outcomes)
                print(f"FAILED   {missing} of the tests: their process ended")
                outcomes += ["failed"] * missing
            continue
        print(text, flush=True)
        outcomes.append(outcome)
    for process in processes:
        process.join(20)
    return outcomes


def main():
    options = {"--pictures", "--jobs"}
    wanted = [one for n, one in enumerate(sys.argv[1:], 1) if not one.startswith("--") and sys.argv[n - 1] not in options]
    chosen = [n for n, one in enumerate(TESTS) if not wanted or any(part.lower() in f"{one[0]} {one[1].__name__}".lower() for part in wanted)]
    if "--list" in sys.argv:
        print("\n".join(TESTS[n][0] for n in chosen))
        return 0
    skipped = [n for n in chosen if REAL and TESTS[n][2]]
    for n in skipped:
        print(f"skipped  {TESTS[n][0]} (needs the mock server)")
    # The longest first. A real server has one state, and takes the tests one by one.
    parallel = sorted((n for n in chosen if n not in skipped and TESTS[n][1] not in ALONE), key=lambda n: not TESTS[n][0].startswith("axe-core"))
    alone = [n for n in chosen if n not in skipped and TESTS[n][1] in ALONE]
    jobs = 1 if REAL else int(sys.argv[sys.argv.index("--jobs") + 1]) if "--jobs" in sys.argv else os.cpu_count() + 1
    outcomes = [outcome for indices, count in ((parallel, jobs), (alone, 1)) if indices for outcome in phase(indices, count)]
    failed, unsteady = outcomes.count("failed"), outcomes.count("unsteady")
    print(f"{outcomes.count('passed')} passed, {failed} failed, {unsteady} unsteady" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if failed or unsteady > UNSTEADY_MAX else 0


if __name__ == "__main__":
    sys.exit(main())
