"""A real browser on the hosted pages: headless Chromium, driven over the Chrome DevTools Protocol.

    python3 hosted_pages.py .build/debug/syncline Examples/chat/schema.graphql

Starts a server and a browser of its own, in a temporary folder, and ends both. More arguments are given to `syncline dev`.
CHROMIUM names the browser, chromium by itself. Prints a line for each check and ends with 1 if one failed.

What people do is done as they do it: fields, buttons and links are found by their role and name in the accessibility
tree, then clicked and typed into. No script runs in a page but the one that measures its width."""

import base64
import contextlib
import hashlib
import hmac
import html.parser
import json
import os
import secrets
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from websockets.sync.client import connect

BINARY, SCHEMA = sys.argv[1:3]
os.environ["no_proxy"] = "127.0.0.1"
CLIENT, MFA_CLIENT = "hostedpages", "hostedpagesmfa"
CALLBACK, SIGN_OUT = "landmarks://callback/", "landmarks://signout/"
STATE = "a b&c"
PASSWORD, NEW_PASSWORD = "Passw0rd!", "An0ther-Passw0rd"
# The longest that anything is waited for, and a process that starts. The server makes keys first, at a low priority.
SECONDS, START_SECONDS = 20, 120
WIDTH, HEIGHT = 360, 640  # A small phone.


def client(name):
    return {
        "id": name, "name": name, "callbackURLs": [CALLBACK], "logoutURLs": [SIGN_OUT],
        "allowedOAuthFlows": ["code"], "allowedOAuthScopes": ["openid", "email", "profile"],
    }


def user(name, **attributes):
    return {"username": name, "password": PASSWORD, "attributes": attributes}


CONFIGURATION = {
    "userPool": [
        {
            "id": "us-east-1_Hosted", "name": "hosted", "requiredAttributes": ["email"],
            "autoVerifiedAttributes": ["email"], "clients": [client(CLIENT)],
            "users": [
                user(name, email=f"{name}@example.com", email_verified="true")
                for name in ["ada", "forgetful", "scriptless"]
            ],
        },
        {
            # A title that is as wide as it can be, and a logo.
            "id": "us-east-1_HostedMFA", "name": "hosted-mfa", "clients": [client(MFA_CLIENT)],
            "mfaConfiguration": "ON", "enabledMfas": ["SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP"],
            "style": {
                "title": "Landmarks" * 9,
                "logo": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
            },
            "users": [user("grace")],
        },
    ],
}

# The first headings of all pages.
PAGES = {
    "Sign in", "Sign up", "Confirm your account", "Forgot your password?", "Set a new password", "You are signed out",
    "This link cannot be used", "Choose a new password", "How do you want to be verified?", "Enter the code",
    "Set up an authenticator app", "Enter the code of your app",
}

failed = 0


def check(name):
    def run(function):
        global failed
        try:
            function()
            print("ok", name, flush=True)
        except Exception as error:  # A check that fails says why, and the others go on.
            failed += 1
            print("FAIL", name, repr(error), flush=True)

    return run


def until(condition, what, process=None):
    """Waits for what another process writes, one that starts where it is given; answers it."""
    end = time.monotonic() + (START_SECONDS if process else SECONDS)
    while not (value := condition()):
        if process and process.poll() is not None:
            raise RuntimeError(f"{what}: the process ended with {process.returncode}")
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)
    return value


# The server


@contextlib.contextmanager
def server(folder):
    """A server; its URL."""
    configuration, ready, log = folder / "syncline.json", folder / "ready", folder / "server.log"
    configuration.write_text(json.dumps(CONFIGURATION))
    with log.open("w") as output:
        process = subprocess.Popen(
            [
                BINARY, "dev", "--schema", SCHEMA, "--config", configuration, "--data", folder / "data", "--port", "0",
                "--tls", "off", "--ready-file", ready, *sys.argv[3:],
            ], stdout=output, stderr=output)
    try:
        try:
            until(lambda: ready.exists() and "\n" in ready.read_text(), "the server", process)
        except Exception:
            print(log.read_text(), file=sys.stderr)
            raise
        yield ready.read_text().splitlines()[0].removesuffix("/graphql")
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run(*words):
    command = [BINARY, *words, "--data", folder / "data", "--config", folder / "syncline.json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stderr}"
    return done.stdout


def messages():
    return [json.loads(line) for line in run("outbox").splitlines()]


def new_code(before):
    """The code of the one message that came after the given ones."""
    new = until(lambda: messages()[len(before):], "a message in the outbox")
    assert len(new) == 1, new
    return new[0]["code"]


def token(**form):
    """What /oauth2/token answers: its status and its JSON."""
    try:
        answer = urllib.request.urlopen(url + "/oauth2/token", urllib.parse.urlencode(form).encode(), SECONDS)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, json.load(answer)


def claims(jwt):
    body = jwt.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def totp(key, step=0):
    """The code of an authenticator app (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // 30 + step)
    digest = hmac.digest(base64.b32decode(key + "=" * (-len(key) % 8)), counter, "sha1")
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


# The browser


class Browser:
    """One connection to a browser, with a session for each page."""

    def __init__(self, socket):
        self.socket, self.last, self.answers, self.pages = socket, 0, {}, {}

    def call(self, method, session=None, **parameters):
        self.last += 1
        number = self.last
        self.socket.send(json.dumps(
            {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})))
        self.wait(lambda: number in self.answers, method)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, condition, what):
        """Reads what the browser says until a condition holds."""
        end = time.monotonic() + SECONDS
        while not condition():
            try:
                message = json.loads(self.socket.recv(timeout=max(0, end - time.monotonic())))
            except TimeoutError:
                raise TimeoutError(what() if callable(what) else what) from None
            if "id" in message:
                self.answers[message["id"]] = message
            elif page := self.pages.get(message.get("sessionId")):
                page.note(message["method"], message["params"])


@contextlib.contextmanager
def chromium(folder):
    """A browser without a window, in a process group of its own."""
    profile = folder / "profile"
    with (folder / "chromium.log").open("w") as output:
        process = subprocess.Popen(
            [
                os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank",
            ], stdout=output, stderr=output, start_new_session=True)
    file = profile / "DevToolsActivePort"
    try:
        try:
            lines = until(lambda: file.exists() and file.read_text().splitlines()[1:] and file.read_text(), "Chromium", process)
        except Exception:
            print((folder / "chromium.log").read_text(), file=sys.stderr)
            raise
        port, path = lines.splitlines()
        with connect(f"ws://127.0.0.1:{port}{path}", max_size=None, compression=None) as socket:
            yield (browser := Browser(socket))
            with contextlib.suppress(Exception):
                browser.call("Browser.close")
                process.wait(SECONDS)
    finally:
        # What is left of the group, the helpers of a browser that did not close.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Markup(html.parser.HTMLParser):
    """What a page may not have: scripts, and attributes that are scripts."""

    def __init__(self, text):
        super().__init__()
        self.scripts = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "script":
            self.scripts.append("<script>")
        for name, value in attributes:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.scripts.append(f"<{tag} {name}={value!r}>")


class Page:
    """A phone with cookies of its own, and one tab.

    Every document that comes is looked at: what is wrong with it is collected in `problems`, under the three headings
    of the last checks."""

    seen = []
    problems = {"console": [], "width": [], "accessibility": []}
    all = []

    def __init__(self, with_scripts=True):
        self.with_scripts = with_scripts
        self.is_refused = False  # Whether pages of the status 400 are what is to come, of which the console tells.
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        Page.all.append(self)
        self.attach()

    def attach(self):
        """Opens a tab."""
        # The loader of the document, those that have loaded and come to rest, and the app's address that was asked for.
        self.document, self.loaded, self.idle, self.left = None, set(), set(), None
        self.address, self.path, self.title, self.nodes = "", [], "", []
        self.target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ["Page", "Network", "Log", "Runtime", "Audits", "DOM"]:
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=2, mobile=True)
        self.call("Emulation.setScriptExecutionDisabled", value=not self.with_scripts)

    def call(self, method, **parameters):
        return browser.call(method, self.session, **parameters)

    def note(self, method, event):
        """An event of the page."""
        if method == "Network.requestWillBeSent":
            address = event["request"]["url"]
            if address.startswith("landmarks:"):
                self.left = address
            elif address.startswith(url + "/"):
                self.path.append(path_of(address))
            elif not address.startswith("data:image/"):
                self.complain("console", f"asked for {address}")
        elif method == "Page.frameNavigated" and event["frame"]["url"] != "about:blank":
            self.document, self.address, self.title = event["frame"]["loaderId"], event["frame"]["url"], ""
        elif method == "Page.lifecycleEvent":
            {"load": self.loaded, "networkIdle": self.idle}.get(event["name"], set()).add(event["loaderId"])
        elif method == "Log.entryAdded":
            entry = event["entry"]
            if entry["level"] in {"warning", "error"} and not (self.is_refused and "status of 400" in entry["text"]):
                self.complain("console", f"{entry['level']}: {entry['text']} ({path_of(entry.get('url', ''))})")
        elif method == "Runtime.exceptionThrown":
            self.complain("console", event["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complain("console", f"console.{event['type']}")
        elif method == "Audits.issueAdded":
            # That an address only redirects, as it must, is the one remark that is none about a page.
            if event["issue"]["code"] != "BounceTrackingIssue":
                self.complain("console", json.dumps(event["issue"]))

    def complain(self, heading, text):
        self.problems[heading].append(f"“{self.title}” at {path_of(self.address)}: {text}")

    # What people do

    def follow(self, act):
        """Does what leads elsewhere; looks at the page that comes, or answers the app's address.

        Chromium asks whether to open an app, which nobody answers: the tab ends, and the next visit has a new one."""
        if self.left:
            del browser.pages[self.session]
            target = self.target
            self.attach()
            browser.call("Target.closeTarget", targetId=target)
        before, self.left, self.path = self.document, None, []
        act()
        browser.wait(
            lambda: self.left or (self.document != before and self.document in self.loaded),
            lambda: f"nothing came after “{self.title}” at {path_of(self.address)}, but {self.path}")
        if not self.left:
            self.look()
        return self.left

    def open(self, path, **query):
        return self.follow(lambda: self.call("Page.navigate", url=f"{url}{path}?{urllib.parse.urlencode(query)}"))

    def authorize(self, name=CLIENT, **more):
        return self.open(
            "/oauth2/authorize", client_id=name, response_type="code", redirect_uri=CALLBACK, state=STATE,
            scope="openid email profile", **more)

    def find(self, role, name):
        found = [node for node in self.nodes if role_of(node) == role and name_of(node) == name]
        assert len(found) == 1, f"“{self.title}” has {len(found)} of {role} “{name}”, but {self.text()!r}"
        return found[0]["backendDOMNodeId"]

    def click(self, role, name):
        node = self.find(role, name)
        self.call("DOM.scrollIntoViewIfNeeded", backendNodeId=node)
        quad = self.call("DOM.getContentQuads", backendNodeId=node)["quads"][0]
        x, y = sum(quad[0::2]) / 4, sum(quad[1::2]) / 4
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key):
        number, text = {"Tab": (9, ""), "Enter": (13, "\r")}[key]
        for kind in ["keyDown", "keyUp"]:
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=number,
                **({"text": text} if text and kind == "keyDown" else {}))

    def fill(self, **fields):
        """Types into fields, by their names with underscores for spaces."""
        for name, text in fields.items():
            self.click("textbox", name.replace("_", " "))
            self.type(text)

    def submit(self, button, **fields):
        self.fill(**fields)
        return self.follow(lambda: self.click("button", button))

    def go(self, link):
        return self.follow(lambda: self.click("link", link))

    # What a page is

    def text(self):
        return " ".join(name_of(node) for node in self.nodes if role_of(node) == "StaticText")

    def value(self, name):
        node = next(node for node in self.nodes if role_of(node) == "textbox" and name_of(node) == name)
        return node.get("value", {}).get("value", "")

    def alert(self):
        """The text of the page's alert."""
        alerts = [node for node in self.nodes if role_of(node) == "alert"]
        assert len(alerts) == 1, f"“{self.title}” has {len(alerts)} alerts, but {self.text()!r}"
        inside, texts = [alerts[0]["nodeId"]], []
        while inside:
            node = self.by_id[inside.pop(0)]
            inside = node.get("childIds", []) + inside
            if role_of(node) == "StaticText":
                texts.append(name_of(node))
        return " ".join(texts)

    def expect(self, title, error=None):
        assert self.title == title, f"“{self.title}” instead of “{title}”: {self.text()!r}"
        if error is None:
            assert not any(role_of(node) == "alert" for node in self.nodes), self.alert()
        else:
            assert self.alert() == error, f"{self.alert()!r} instead of {error!r}"
            self.seen[-1] += f" ({error})"

    def look(self):
        """Looks at the document that has come."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        self.by_id = {node["nodeId"]: node for node in nodes}
        self.nodes = [node for node in nodes if not node["ignored"]]
        headings = [node for node in self.nodes if role_of(node) == "heading" and property_of(node, "level") == 1]
        self.title = name_of(headings[0]) if headings else ""
        self.seen.append(self.title or self.address)

        if len(headings) != 1:
            self.complain("accessibility", f"{len(headings)} headings of the first level")
        if (count := sum(role_of(node) == "main" for node in self.nodes)) != 1:
            self.complain("accessibility", f"{count} main landmarks")
        for node in self.nodes:
            if role_of(node) in {"textbox", "button", "link", "radio", "checkbox", "radiogroup", "group", "navigation"}:
                if not name_of(node).strip():
                    self.complain("accessibility", f"a {role_of(node)} without a name")
        if not (self.title and name_of(self.nodes[0]).startswith(self.title)):
            self.complain("accessibility", f"the document's title is {name_of(self.nodes[0])!r}")
        root = self.call("DOM.getDocument")["root"]
        markup = self.call("DOM.getOuterHTML", nodeId=root["nodeId"])["outerHTML"]
        if 'class="error"' in markup and not any(role_of(node) == "alert" for node in self.nodes):
            self.complain("accessibility", "an error that is no alert")
        for script in Markup(markup).scripts:
            self.complain("console", f"a script: {script}")

        width = self.call(
            "Runtime.evaluate", expression="[document.documentElement.scrollWidth, innerWidth]", returnByValue=True)
        width = width["result"]["value"]
        if width != [WIDTH, WIDTH] and not (width[0] < WIDTH and width[1] == WIDTH):
            self.complain("width", f"is {width[0]} wide on a screen of {WIDTH}, laid out for {width[1]}")


def path_of(address):
    return urllib.parse.urlsplit(address).path


def role_of(node):
    return node.get("role", {}).get("value")


def name_of(node):
    return node.get("name", {}).get("value", "")


def property_of(node, name):
    return next((one["value"].get("value") for one in node.get("properties", []) if one["name"] == name), None)


def returned(address):
    """The code of the app's address, which names the pool, too (RFC 9207)."""
    assert address and address.startswith(CALLBACK + "?"), f"no way back to the app, but {address}"
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query, strict_parsing=True)
    assert set(query) == {"code", "iss", "state"} and query["state"] == [STATE], address
    assert query["iss"][0].startswith("http://127.0.0.1:") and "/us-east-1_Hosted" in query["iss"][0], address
    return query["code"][0]


# The checks


def checks():
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    person, codes = Page(), []

    @check("authorize with PKCE leads to the sign-in page")
    def _():
        person.authorize(code_challenge=challenge, code_challenge_method="S256", nonce="n")
        assert person.path[:2] == ["/oauth2/authorize", "/login"], person.path
        person.expect("Sign in")

    @check("sign-up by the form with the code of the outbox leads back to the app")
    def _():
        person.go("Need an account? Sign up")
        person.expect("Sign up")
        person.submit("Sign up", Username="jane", Email="jane@example.com", Password="short")
        person.expect("Sign up", "Password did not conform with policy: Password not long enough")
        assert (person.value("Username"), person.value("Email")) == ("jane", "jane@example.com")
        before = messages()
        person.submit("Sign up", Password=PASSWORD)
        person.expect("Confirm your account")
        code = new_code(before)
        person.submit("Confirm", Code="000000" if code != "000000" else "111111")
        person.expect("Confirm your account", "Invalid verification code provided, please try again.")
        codes.append(returned(person.submit("Confirm", Code=code)))

    @check("the code is exchanged with the verifier for id, access and refresh token")
    def _():
        assert codes, "the sign-up gave no code"
        grant = {"grant_type": "authorization_code", "client_id": CLIENT, "redirect_uri": CALLBACK}
        status, tokens = token(**grant, code=codes[0], code_verifier=verifier)
        assert status == 200 and {"id_token", "access_token", "refresh_token"} <= set(tokens), (status, tokens)
        identity, access = claims(tokens["id_token"]), claims(tokens["access_token"])
        assert (identity["aud"], identity["nonce"], identity["email"]) == (CLIENT, "n", "jane@example.com"), identity
        assert identity["email_verified"] is True and identity["token_use"] == "id", identity
        assert access["token_use"] == "access" and set(access["scope"].split()) == {"openid", "email", "profile"}, access

    @check("a code is not exchanged with another verifier, nor without one")
    def _():
        grant = {"grant_type": "authorization_code", "client_id": CLIENT, "redirect_uri": CALLBACK}
        for more in [{"code_verifier": secrets.token_urlsafe(48)}, {}]:
            code = returned(person.authorize(code_challenge=challenge, code_challenge_method="S256"))
            assert token(**grant, code=code, **more) == (400, {"error": "invalid_grant"})

    @check("a second authorize goes straight back by the cookie")
    def _():
        code = returned(person.authorize())
        assert person.path == ["/oauth2/authorize"] and code not in codes, person.path

    @check("logout goes to the app, and authorize shows the sign-in page again")
    def _():
        returned(person.authorize())
        assert person.open("/logout", client_id=CLIENT, logout_uri=SIGN_OUT) == SIGN_OUT, person.left
        assert person.authorize() is None, "still signed in"
        person.expect("Sign in")
        person.open("/logout", client_id=CLIENT)
        person.expect("You are signed out")

    @check("addresses that are not registered are pages, and nobody is sent there")
    def _():
        stranger = Page()
        stranger.is_refused = True
        for path, query in [
            ("/oauth2/authorize", {"client_id": CLIENT, "response_type": "code", "redirect_uri": "landmarks://other/"}),
            ("/oauth2/authorize", {"client_id": "nobody", "response_type": "code", "redirect_uri": CALLBACK}),
            ("/logout", {"client_id": CLIENT, "logout_uri": "landmarks://other/"}),
        ]:
            assert stranger.open(path, **query) is None, stranger.left
            stranger.expect("This link cannot be used")

    @check("a wrong password is refused on the form, which the right one leaves")
    def _():
        ada = Page()
        ada.authorize()
        assert ada.submit("Sign in", Username="ada", Password="Wrong-Passw0rd") is None, ada.left
        ada.expect("Sign in", "Incorrect username or password.")
        assert (ada.value("Username"), ada.value("Password")) == ("ada", "")
        returned(ada.submit("Sign in", Password=PASSWORD))

    @check("a forgotten password is replaced with the code of the outbox")
    def _():
        forgetful = Page()
        forgetful.authorize()
        forgetful.go("Forgot your password?")
        forgetful.expect("Forgot your password?")
        before = messages()
        forgetful.submit("Send the code", Username="forgetful")
        forgetful.expect("Set a new password")
        code = new_code(before)
        forgetful.submit("Set the password", Code=code, **{"New password": "short"})
        forgetful.expect("Set a new password", "Password did not conform with policy: Password not long enough")
        forgetful.submit("Set the password", Code=code, **{"New password": NEW_PASSWORD})
        forgetful.expect("Sign in")
        assert "Your password was changed." in forgetful.text() and forgetful.value("Username") == "forgetful"
        forgetful.submit("Sign in", Password=PASSWORD)
        forgetful.expect("Sign in", "Incorrect username or password.")
        returned(forgetful.submit("Sign in", Password=NEW_PASSWORD))

    @check("a temporary password, a choice of second factors and a code by mail")
    def _():
        before = messages()
        run(
            "users", "create", "joan", "--pool", "us-east-1_HostedMFA", "--email", "joan@example.com",
            "--attribute", "phone_number=+15555550100")
        joan = Page()
        joan.authorize(MFA_CLIENT)
        joan.submit("Sign in", Username="joan", Password=new_code(before))
        joan.expect("Choose a new password")
        joan.submit("Continue", **{"New password": PASSWORD})
        joan.expect("How do you want to be verified?")
        joan.click("radio", "A code by mail")
        before = messages()
        joan.submit("Continue")
        joan.expect("Enter the code")
        returned(joan.submit("Continue", Code=new_code(before)))

    @check("an authenticator app is set up, and its next code signs in")
    def _():
        grace = Page()
        grace.authorize(MFA_CLIENT)
        grace.submit("Sign in", Username="grace", Password=PASSWORD)
        grace.expect("Set up an authenticator app")
        key = urllib.parse.parse_qs(urllib.parse.urlsplit(next(
            property_of(node, "url") for node in grace.nodes if name_of(node) == "Open in an app on this device"
        )).query)["secret"][0]
        returned(grace.submit("Continue", Code=totp(key)))
        assert grace.authorize(MFA_CLIENT, prompt="login") is None, "prompt=login did not ask"
        grace.submit("Sign in", Username="grace", Password=PASSWORD)
        grace.expect("Enter the code of your app")
        returned(grace.submit("Continue", Code=totp(key, 1)))

    @check("with scripts disabled and by keys alone: sign-up page, wrong password, sign-in, cookie, logout")
    def _():
        keys = Page(with_scripts=False)

        def enter(*texts):
            """Types into the focused field and those after it; Enter sends the form."""
            for number, text in enumerate(texts):
                if number:
                    keys.press("Tab")
                keys.type(text)
            return keys.follow(lambda: keys.press("Enter"))

        keys.authorize()
        keys.expect("Sign in")
        keys.go("Need an account? Sign up")
        keys.expect("Sign up")
        keys.go("Already have an account? Sign in")
        assert enter("scriptless", "Wrong-Passw0rd") is None, keys.left
        keys.expect("Sign in", "Incorrect username or password.")
        keys.press("Tab")
        returned(enter(PASSWORD))
        returned(keys.authorize())
        assert keys.open("/logout", client_id=CLIENT, logout_uri=SIGN_OUT) == SIGN_OUT, keys.left

    # What the pages of all checks have in common.

    @check("all pages were seen")
    def _():
        assert PAGES <= set(Page.seen), f"not {sorted(PAGES - set(Page.seen))}"

    def none(heading):
        assert not Page.problems[heading], sorted(set(Page.problems[heading]))

    @check("no page has a script, and the console of none has an error, a violation or an issue")
    def _():
        for page in Page.all:
            browser.wait(lambda: page.document is None or page.document in page.idle, f"“{page.title}” does not come to rest")
        none("console")

    @check(f"no page scrolls sideways on a phone that is {WIDTH} wide")
    def _():
        none("width")

    @check("every page has a title, one main landmark and one first heading, and a name for whatever takes input")
    def _():
        none("accessibility")


with tempfile.TemporaryDirectory(prefix="hosted-pages-", ignore_cleanup_errors=True) as name:
    folder = Path(name)
    with server(folder) as url, chromium(folder) as browser:
        checks()
sys.exit(1 if failed else 0)
