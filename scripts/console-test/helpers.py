"""What the tests of the console and the tutorials share: waiting, and the actions of the pages by keyboard."""

import re
import sys
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
# GraphiQL's own editor is not ours to mend.
NOT_OURS = {"exclude": [[".graphiql-container"]]}
POLICY_REPORTS = "addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sourceFile + ':' + e.lineNumber))"


class Watched:
    """A page, and what must not happen on it: errors in the browser's console, violated policies, foreign requests."""

    def __init__(self, page, base):
        self.page, self.base, self.problems, self.allowed = page, base, [], []
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("request", self.request)

    def console(self, message):
        if message.type != "error":
            return
        # The browser's own line for a request that failed: the page's answer to it is what is tested.
        if message.text.startswith("Failed to load resource") and "/operators/v1/" in (message.location or {}).get("url", ""):
            return
        if "WebSocket connection to" in message.text and "/operators/v1/" in message.text:
            return
        self.problems.append(f"console: {message.text[:300]}")

    def request(self, request):
        if not request.url.startswith((self.base, "data:", "blob:", self.base.replace("http", "ws", 1))):
            self.problems.append(f"foreign request: {request.url}")

    def check(self):
        problems = [one for one in self.problems if not any(re.search(pattern, one) for pattern in self.allowed)]
        assert not problems, "\n".join(problems[:5])


def until(condition, seconds=20, what="the condition"):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.03)
    raise AssertionError(f"not within {seconds} s: {what}")


# Everything in light and at both widths; in dark, which differs in its colours only, those at one width. `--all`: also dark on a phone.
LOOKS = [("wide", "light"), ("wide", "dark"), ("phone", "light"), *([("phone", "dark")] if {"--all", "--pictures"} & set(sys.argv) else [])]


def violations(page, name, theme="light"):
    """What axe-core finds on a page, and whether it is wider than the window."""
    run_only = AXE_TAGS if theme == "light" else {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    found = [f"{name}: {one['id']}: " + "; ".join(f"{node['target'][0]} ({' '.join((node.get('failureSummary') or '').split())[:160]})" for node in one["nodes"][:3])
             for one in Axe().run(page, context=NOT_OURS, options={"runOnly": run_only, "resultTypes": ["violations"]}).response["violations"]]
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found + ([f"{name}: {wide} px wider than the window"] if wide > 0 else [])


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def squeezed(text):
    """A schema's text without what spacing adds."""
    return re.sub(r"\s+", " ", re.sub(r"([{}()\[\]:,])", r" \1 ", text)).strip()


# Data --------------------------------------------------------------------------------------------------------------


def rows(page):
    return page.locator(".grid-body .gr:not(.wait):not([hidden])")


def cell(page, row, column):
    index = page.locator(".grid-head .gc").evaluate_all("(cells, name) => cells.findIndex((c) => c.querySelector('.nm')?.firstChild?.data === name)", column)
    return page.locator(f".grid-body .gr[data-row='{row}'] .gc").nth(index)


def save(page):
    page.keyboard.press("Control+s")
    expect(page.locator(".toast").last).to_contain_text("Saved.")


def ready(page, path):
    """Waits until a page shows its content."""
    if path.startswith("/data"):
        until(lambda: rows(page).count() or page.locator(".cards .rec:not([hidden]) b:not(:empty)").count() or page.locator(".empty").count(), what="items")
    elif path.startswith("/query"):
        page.locator(".graphiql-query-editor .CodeMirror-code").wait_for()
    elif path.startswith("/logs"):
        page.locator(".logs, .entries, .empty").first.wait_for()
    elif path.startswith("/schema"):
        page.locator(".body.schema, .versions, .empty").first.wait_for()
        until(lambda: page.locator(".inspector .fs, .inspector .says, .inspector .blk, .editor .CodeMirror-code, .plain-file, .versions .work, .empty").count(), what="the schema")
    else:
        until(lambda: page.locator(".strata, .starts, .steps").count(), what="Home")
    page.wait_for_timeout(150)


# Budgets --------------------------------------------------------------------------------------------------------------

# KB that a first load transfers: the document and its files with their header lines, without and with fonts.
FIRST_LOADS = {"/": (60, 110), "/data": (60, 110), "/schema": (190, 240), "/schema?view=file": (190, 240), "/query": (540, 590), "/logs": (80, 130)}


def first_load(page, address, path):
    """What the browser has transferred for a page, in KB: of each file by its address."""
    session, addresses, sizes = page.context.new_cdp_session(page), {}, {}
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.on("Network.requestWillBeSent", lambda event: addresses.update({event["requestId"]: event["request"]["url"]}))
    session.on("Network.loadingFinished", lambda event: sizes.update({event["requestId"]: event["encodedDataLength"] / 1024}))
    page.goto(f"{address}/console{path}")
    ready(page, path)
    page.wait_for_load_state("networkidle")
    session.detach()
    # Characters of the items decide whether the font for other scripts is loaded.
    return {addresses[id_].removeprefix(address): size for id_, size in sizes.items() if "/console" in addresses.get(id_, "") and "inter-ext" not in addresses[id_]}


def first_loads(page, address):
    """What each page transfers, as a text, and an error where that is more than its budget."""
    over, texts = [], []
    for path, limits in FIRST_LOADS.items():
        page.goto("about:blank")
        sizes = first_load(page, address, path)
        total = sum(sizes.values())
        figures = (total - sum(size for name, size in sizes.items() if ".woff2" in name), total)
        text = f"{path} {figures[0]:.1f} of {limits[0]}, with fonts {figures[1]:.1f} of {limits[1]}"
        texts.append(text)
        if any(figure > limit for figure, limit in zip(figures, limits)):
            over.append(text + ": " + ", ".join(f"{name.rsplit('/', 1)[-1]} {size:.1f}" for name, size in sorted(sizes.items(), key=lambda each: -each[1])[:12]))
    assert not over, "\n".join(over)
    return "; ".join(texts)


# Query ----------------------------------------------------------------------------------------------------------------


def type_query(page, text):
    page.locator(".graphiql-query-editor .CodeMirror").evaluate("(element, text) => element.CodeMirror.setValue(text)", text)
    # GraphiQL takes over what was typed a moment later.
    page.wait_for_timeout(300)


def choose_identity(page, name):
    page.get_by_role("button", name=re.compile("^Identity")).click()
    page.get_by_role("menuitemradio", name=re.compile(f"^{name}")).click()


# Schema ------------------------------------------------------------------------------------------------------------


def draft_of(page):
    """The draft's text of the first file, as the server would deploy it."""
    page.wait_for_timeout(50)
    return page.evaluate("async () => { const { opened } = await import(document.documentElement.dataset.assets + '/pages/schema.js'); return opened().files['schema.graphql'] }")


def add_model(page, name):
    """A model, by keyboard."""
    page.keyboard.press("n")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("complementary", name=name)).to_be_visible()
    expect(page.get_by_label("Name of the new field")).to_be_focused()


def add_field(page, name, type_="String", required=True):
    """A field in the row of the inspector, by keyboard: name, type by search, Required, Enter."""
    expect(page.get_by_label("Name of the new field")).to_be_focused()
    page.keyboard.type(name)
    if type_ != "String":
        press(page, "Tab", "Enter")
        expect(page.get_by_label("Search types").last).to_be_focused()
        page.keyboard.type(type_)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name=f"Type of the new field: {type_}")).to_be_focused()
    else:
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    box = page.get_by_role("switch", name="The new field is required")
    expect(box).to_be_focused()
    if box.is_checked() != required:
        page.keyboard.press("Space")
    press(page, "Shift+Tab", "Shift+Tab", "Enter")
    expect(page.locator(f"[data-field='{name}']")).to_be_visible()


def add_relationship(page, target, required=True):
    """The first relationship of a model, by keyboard, from the button after "Add a field"."""
    until(lambda: page.evaluate("document.activeElement?.dataset.addField !== undefined"), what="the focus back")
    press(page, "Tab", "Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Leads to")).to_be_focused()
    page.keyboard.type(target)
    yield dialog
    if required:
        box = dialog.get_by_label(re.compile("^Required: each"))
        for _ in range(12):
            if box.evaluate("(e) => e === document.activeElement"):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
        yield dialog
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
