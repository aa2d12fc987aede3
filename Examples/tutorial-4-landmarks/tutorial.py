"""Tutorial 4, landmarks: people sign up and in at the hosted pages; then the app lists twelve landmarks and downloads their
pictures.

    python3 tutorial.py .build/debug/syncline"""

import base64
import hashlib
import json
import os
import re
import secrets
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from amplify_app import App, Browser, Project, folder_of, query_of, show  # noqa: E402

EMAIL, PASSWORD = "ana@example.com", "passw0rd"
PLACES = [
    ("Turtle Rock", "Featured"), ("Silver Salmon Creek", "Lakes"), ("Chilkoot Trail", "Rivers"), ("St. Mary Lake", "Lakes"),
    ("Twin Lake", "Lakes"), ("Lake McDonald", "Lakes"), ("Charley Rivers", "Rivers"), ("Icy Bay", "Mountains"),
    ("Rainbow Lake", "Lakes"), ("Hidden Lake", "Lakes"), ("Chincoteague", "Rivers"), ("Lake Umbagog", "Lakes"),
]
FIELDS = "id name imageName category park state city isFavorite isFeatured coordinates { longitude latitude }"


def rows():
    """The landmarks as their author has them."""
    for number, (name, category) in enumerate(PLACES):
        yield {
            "id": str(1001 + number), "name": name, "category": category, "park": f"{name} Park", "state": "Alaska", "city": "Town",
            "imageName": re.sub("[^a-z]", "", name.lower()), "isFavorite": number % 2 == 0, "isFeatured": number == 0,
            "coordinates": {"longitude": -116.166868 - number, "latitude": 34.011286 + number},
        }


class HostedSignIn:
    """The app's side of the web sign-in, as amplify-swift does it: the code flow with PKCE."""

    def __init__(self, app):
        self.app, self.pages = app, app.pages
        # The file has the host alone. The app would speak https to it, at port 443; here it is the server without TLS.
        assert self.pages["WebDomain"] == app.url.split("//")[1].split(":")[0]
        self.verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        self.state = secrets.token_urlsafe(16)
        self.url = "/oauth2/authorize?" + urlencode({
            "response_type": "code", "client_id": self.pages["AppClientId"], "redirect_uri": self.pages["SignInRedirectURI"],
            "scope": " ".join(self.pages["Scopes"]), "state": self.state, "code_challenge": challenge,
            "code_challenge_method": "S256",
        })

    def tokens(self, browser):
        """What the code buys that the browser came back with."""
        assert browser.left.startswith(self.pages["SignInRedirectURI"]), browser.left
        answer = query_of(browser.left)
        assert answer["state"] == self.state
        form = {
            "grant_type": "authorization_code", "client_id": self.pages["AppClientId"], "code": answer["code"],
            "redirect_uri": self.pages["SignInRedirectURI"], "code_verifier": self.verifier,
        }
        with urllib.request.urlopen(f"{self.app.url}/oauth2/token", urlencode(form).encode()) as reply:
            return json.load(reply)


def sign_up(project, app):
    """Someone makes an account at the hosted pages, with the mailed code, and is signed in; the tokens."""
    visit, browser = HostedSignIn(app), Browser(app.url)
    show("the app opens the hosted pages", browser.open(visit.url))
    show("sign up instead", browser.open(next(link for text, link in browser.page.links.items() if "up" in text.lower())))
    show("a code is sent", browser.submit(username=EMAIL, password=PASSWORD))
    browser.submit(code=project.code())
    if not browser.left:
        show("the account is confirmed", browser.page.heading)
        browser.submit(username=EMAIL, password=PASSWORD)
    show("the browser returns to the app", browser.left.split("?")[0])
    return visit.tokens(browser)


def fill(project, app):
    """The author's part: the pictures and the rows."""
    password = project.work / "password"
    password.write_text(PASSWORD)
    project.syncline("users", "create", "author@example.com", "--password-file", str(password))
    tokens = app.sign_in("author@example.com", PASSWORD)["AuthenticationResult"]
    pictures = {}
    credentials = app.credentials(tokens["IdToken"])
    for number, row in enumerate(rows()):
        pictures[row["imageName"]] = os.urandom(50_000 + number)
        stored = app.object(credentials, "PUT", f"public/{row['imageName']}.jpg", pictures[row["imageName"]])
        assert stored == (200, b""), stored
        app.ask("mutation Add($input: CreateLandmarkDataInput!) { createLandmarkData(input: $input) { id } }",
                tokens["AccessToken"], input=row)
    return pictures


def main():
    with Project(sys.argv[1], folder_of(__file__)) as project:
        project.start()
        show("the files of the app", project.files())
        app = App(project)
        show("signed out at first launch: guests have credentials", sorted(app.credentials()))
        show("but no landmarks", app.graphql("", "{ listLandmarkData { items { id } } }")["errors"][0]["errorType"])
        show("and no pictures", app.object(app.credentials(), "GET", "public/turtlerock.jpg")[0])

        tokens = sign_up(project, app)
        user = app.cognito("GetUser", AccessToken=tokens["access_token"])
        attributes = {entry["Name"]: entry["Value"] for entry in user["UserAttributes"]}
        show("fetchUserAttributes", {name: attributes[name] for name in ("email", "email_verified")} | {
            "sub": attributes["sub"] == user["Username"]})
        credentials = app.credentials(tokens["id_token"])
        show("fetchAuthSession has credentials", sorted(credentials))

        pictures = fill(project, app)
        answer = app.ask(f"query List($limit: Int) {{ listLandmarkData(limit: $limit) {{ items {{ {FIELDS} }} nextToken }} }}",
                         tokens["access_token"], limit=1000)
        found = sorted(answer["data"]["listLandmarkData"]["items"], key=lambda row: row["id"])
        show("twelve landmarks, as they were written, with every field", [len(found), found == list(rows())])
        show("their ids", [row["id"] for row in found])

        def download(row):
            return app.object(credentials, "GET", f"public/{row['imageName']}.jpg") == (200, pictures[row["imageName"]])

        with ThreadPoolExecutor(len(found)) as threads:
            show("pictures that came at once, as they were stored", sum(threads.map(download, found)))
        show("a guest gets none", app.object(app.credentials(), "GET", "public/turtlerock.jpg")[0])

        # The app is launched again, with what it keeps.
        app = App(project)
        session = app.cognito(
            "InitiateAuth", AuthFlow="REFRESH_TOKEN_AUTH", ClientId=app.client,
            AuthParameters={"REFRESH_TOKEN": tokens["refresh_token"]})["AuthenticationResult"]
        show("still signed in", app.ask('{ getLandmarkData(id: "1001") { name } }', session["AccessToken"]))
        show("sign out everywhere", app.cognito("GlobalSignOut", AccessToken=session["AccessToken"]))
        show("and the tokens are worth nothing", [
            app.ask("{ listLandmarkData { items { id } } }", token)["errors"][0]["errorType"]
            for token in (tokens["access_token"], session["AccessToken"])])


if __name__ == "__main__":
    main()
