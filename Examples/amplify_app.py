"""An Amplify project that `syncline dev` serves as it is, and apps that know the server from the files of `syncline pull` alone."""

import html.parser
import http.cookiejar
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import sign_in
from sign_in import show as print_answer
from signature import presigned, signed_headers

STARTS_WITHIN_SECONDS = 120


class Project:
    """A copy of a folder's project, with no data, and a server of it on a free port. `app` is the folder of the app, which
    has what was pulled and nothing else."""

    def __init__(self, binary, folder):
        self.binary = str(Path(binary).resolve())
        self.work = Path(tempfile.mkdtemp())
        self.folder, self.app = self.work / "project", self.work / "app"
        shutil.copytree(folder / "amplify", self.folder / "amplify")
        self.app.mkdir()
        self.server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.work)

    def syncline(self, *arguments, folder=None):
        """Runs a verb in the project's folder, and answers what it prints."""
        result = subprocess.run([self.binary, *arguments], cwd=folder or self.folder, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"syncline {shlex.join(arguments)}: {result.returncode}\n{result.stderr}")
        return result.stdout

    def start(self):
        """Serves the project, and pulls as the banner says."""
        log = self.work / "log"
        with log.open("w") as output:
            self.server = subprocess.Popen(
                [self.binary, "dev", "--port", "0", "--tls", "off"], cwd=self.folder, stdout=output, stderr=output)
        for _ in range(STARTS_WITHIN_SECONDS * 10):
            if self.server.poll() is not None:
                break
            if found := re.search("^  Pull +syncline (pull .*)$", log.read_text(), re.M):
                self.pull = found[1]
                self.syncline(*shlex.split(self.pull), folder=self.app)
                return
            time.sleep(0.1)
        sys.exit(f"the server did not start\n{log.read_text()}")

    def stop(self):
        if self.server:
            self.server.terminate()
            if self.server.wait(30):
                sys.exit(f"the server ended with {self.server.returncode}\n{(self.work / 'log').read_text()}")
        self.server = None

    def code(self):
        """The code of the last message to a user."""
        return json.loads(self.syncline("outbox").splitlines()[-1])["code"]

    def files(self):
        """The names in the app's folder."""
        return sorted(str(path.relative_to(self.app)) for path in self.app.rglob("*") if path.is_file())


class App(sign_in.App):
    """An app of a project: where the server is, and who it is for it, as the pulled files say."""

    def __init__(self, project):
        amplify = json.loads((project.app / "amplifyconfiguration.json").read_text())
        aws = json.loads((project.app / "awsconfiguration.json").read_text())
        self.api, = amplify["api"]["plugins"]["awsAPIPlugin"].values()
        assert self.api["endpoint"] == aws["AppSync"]["Default"]["ApiUrl"]
        assert "auth" not in amplify or amplify["auth"]["plugins"]["awsCognitoAuthPlugin"] == aws
        pool = aws.get("CognitoUserPool", {}).get("Default", {})
        super().__init__(
            self.api["endpoint"].removesuffix("/graphql"), pool.get("PoolId"), pool.get("AppClientId"),
            pool.get("AppClientSecret"), self.api.get("apiKey"))
        self.pages = aws.get("Auth", {}).get("Default", {}).get("OAuth")
        self.identity_pool = aws.get("CredentialsProvider", {}).get("CognitoIdentity", {}).get("Default")
        self.bucket = amplify.get("storage", {}).get("plugins", {}).get("awsS3StoragePlugin")
        analytics = amplify.get("analytics", {}).get("plugins", {}).get("awsPinpointAnalyticsPlugin", {})
        self.analytics = analytics.get("pinpointAnalytics")

    def ask(self, query, token=None, **variables):
        """A request by the token of a user, or in the mode of API keys."""
        return self.graphql(token, query, variables) if token else self.graphql_by_key(query, variables)

    def credentials(self, token=None):
        """Temporary credentials of a user by an id token, or of a guest; the answer where there are none."""
        logins = {}
        if token:
            logins = {"Logins": {f"cognito-idp.{self.pool.split('_')[0]}.amazonaws.com/{self.pool}": token}}

        def call(operation, **body):
            target = f"AWSCognitoIdentityService.{operation}"
            return self.post("/", body | logins, {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"})

        identity = call("GetId", IdentityPoolId=self.identity_pool["PoolId"])
        if "IdentityId" not in identity:
            return identity
        return call("GetCredentialsForIdentity", IdentityId=identity["IdentityId"])["Credentials"]

    def send(self, method, url, body=None, headers={}):
        """Status and body of an answer; of an error of S3, its code."""
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method)) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, re.search("<Code>(.*?)</Code>", error.read().decode())[1]

    def object(self, credentials, method, key, body=None):
        """GetObject or PutObject by a presigned URL."""
        bucket, region = self.bucket["bucket"], self.bucket["region"]
        return self.send(method, presigned(self.url, credentials, region, method, bucket, key), body)

    def put_events(self, credentials, endpoint, user, events):
        """PutEvents of the app's analytics; the answer to each event."""
        path = f"/v1/apps/{self.analytics['appId']}/events"
        body = json.dumps({"BatchItem": {endpoint: {"Endpoint": {"User": {"UserId": user}}, "Events": events}}}).encode()
        region = self.analytics["region"]
        headers = signed_headers(self.url, credentials, region, "mobiletargeting", "POST", path, body)
        status, answer = self.send("POST", self.url + path, body, headers)
        return status, json.loads(answer)["Results"][endpoint]["EventsItemResponse"]


class DataStore:
    """A device's own store, which it syncs as amplify-swift does."""

    METADATA = "__typename _version _deleted _lastChangedAt"

    def __init__(self, app, models, token=None):
        """`models` has the fields of each model by the plural of its name."""
        self.app, self.models, self.token = app, models, token
        self.items = {plural: {} for plural in models}
        self.since = {}

    def sync(self):
        """Reads what has changed since the last time, page by page; the number of items of each model."""
        counts = {}
        for plural, fields in self.models.items():
            page = {"nextToken": None}
            counts[plural] = 0
            while True:
                answer = self.app.ask(
                    f"query Sync{plural}($lastSync: AWSTimestamp, $limit: Int, $nextToken: String) {{\n"
                    f"  sync{plural}(lastSync: $lastSync, limit: $limit, nextToken: $nextToken) {{\n"
                    f"    items {{ {fields} {self.METADATA} }}\n    nextToken\n    startedAt\n  }}\n}}",
                    self.token, lastSync=self.since.get(plural), limit=2, nextToken=page["nextToken"])
                page = answer["data"][f"sync{plural}"]
                counts[plural] += len(page["items"])
                for item in page["items"]:
                    self.receive(plural, item)
                if not page["nextToken"]:
                    break
            self.since[plural] = page["startedAt"]
        return counts

    def receive(self, plural, item):
        """Takes an item as the server has it, unless a later version of it is here."""
        if item["_version"] >= self.items[plural].get(item["id"], item)["_version"]:
            self.items[plural][item["id"]] = item

    def mutate(self, operation, plural, values):
        """Sends a change, with the version that this device knows; the answer."""
        model = plural.removesuffix("s")
        known = self.items[plural].get(values["id"])
        version = {"_version": known["_version"]} if operation != "Create" and known else {}
        answer = self.app.ask(
            f"mutation {operation}{model}($input: {operation}{model}Input!) {{\n"
            f"  {operation.lower()}{model}(input: $input) {{ {self.models[plural]} {self.METADATA} }}\n}}",
            self.token, input=values | version)
        item = (answer.get("data") or {}).get(f"{operation.lower()}{model}")
        if item:
            self.receive(plural, item)
        return answer

    def listen(self, event, plural, count):
        """Subscribes to `Create`, `Update` or `Delete`, for so many events."""
        model = plural.removesuffix("s")
        return self.app.listen(
            self.token,
            f"subscription On{event}{model} {{\n  on{event}{model} {{ {self.models[plural]} {self.METADATA} }}\n}}", count)

    def living(self, plural):
        """What the app shows: the items that are not deleted."""
        return [item for item in self.items[plural].values() if not item["_deleted"]]


class Browser:
    """A browser on the hosted pages: it has cookies, fills in forms, and stops where a page leads back to the app."""

    class Forms(html.parser.HTMLParser):
        def __init__(self, text):
            super().__init__()
            self.action, self.fields, self.links, self.heading, self.tag = None, {}, {}, None, None
            self.feed(text)

        def handle_starttag(self, tag, attributes):
            attributes, self.tag = dict(attributes), tag
            if tag == "form" and self.action is None:
                self.action = attributes["action"]
            if tag == "input":
                self.fields.setdefault(attributes["name"], attributes.get("value") or "")
            if tag == "a":
                self.link = attributes.get("href")

        def handle_data(self, data):
            if self.tag == "h1" and self.heading is None:
                self.heading = data
            if self.tag == "a" and data.strip():
                self.links[data] = self.link

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    def __init__(self, server):
        self.server, self.page, self.left = server, None, None
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies, self.NoRedirects())

    def open(self, url, form=None):
        """Follows redirects up to the one to the app, which is `left`; the page's heading otherwise."""
        url = urljoin(self.server, url)
        for _ in range(10):
            data = urlencode(form).encode() if form is not None else None
            try:
                answer = self.opener.open(url, data)
            except urllib.error.HTTPError as error:
                answer = error
            if answer.status not in (301, 302, 303, 307):
                self.page = self.Forms(answer.read().decode())
                return self.page.heading
            url, form = urljoin(url, answer.headers["Location"]), None
            if not url.startswith("http"):
                self.left = url
                return None
        raise RuntimeError("too many redirects")

    def submit(self, **values):
        fields = self.page.fields | {name.replace("__", "[").replace("___", "]"): value for name, value in values.items()}
        return self.open(self.page.action, fields)


def show(title, answer):
    """Prints an answer; what differs from run to run is left out of it."""

    def steady(value):
        if isinstance(value, dict):
            return {key: steady(inner) for key, inner in value.items() if key != "_lastChangedAt"}
        return [steady(inner) for inner in value] if isinstance(value, list) else value

    print_answer(title, steady(answer))


def folder_of(script):
    return Path(script).resolve().parent


def query_of(url):
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


os.environ["no_proxy"] = "127.0.0.1"
