"""Tutorial 5, landmarks with a sign-in screen of the app's own: by SRP, for people who have signed up at the hosted pages; and
what the app is told of its session. The project is that of tutorial 4.

    python3 tutorial.py .build/debug/syncline"""

import sys
from pathlib import Path

examples = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(examples), str(examples / "tutorial-4-landmarks")]
import tutorial as tutorial4  # noqa: E402
from amplify_app import App, Project, show  # noqa: E402


class Session:
    """What amplify-swift tells the app of its session."""

    def __init__(self, app):
        self.app, self.tokens = app, {}

    def sign_in(self, username, password):
        answer = self.app.sign_in(username, password)
        if "AuthenticationResult" not in answer:
            return answer["message"]
        self.tokens = answer["AuthenticationResult"]
        return "signedIn"

    def fetch(self):
        """New tokens by the refresh token; a refusal ends the session."""
        answer = self.app.cognito(
            "InitiateAuth", AuthFlow="REFRESH_TOKEN_AUTH", ClientId=self.app.client,
            AuthParameters={"REFRESH_TOKEN": self.tokens["RefreshToken"]})
        if answer.get("__type") == "NotAuthorizedException":
            return "sessionExpired"
        self.tokens |= answer["AuthenticationResult"]
        return "signedIn"

    def landmarks(self):
        answer = self.app.ask("{ listLandmarkData { items { id } nextToken } }", self.tokens["AccessToken"])
        return answer.get("data") or answer["errors"][0]["errorType"]


with Project(sys.argv[1], examples / "tutorial-4-landmarks") as project:
    project.start()
    app = App(project)
    tutorial4.sign_up(project, app)
    session = Session(app)
    show("a wrong password", session.sign_in(tutorial4.EMAIL, "passw0rd?"))
    show("nobody of that name", session.sign_in("nobody@example.com", tutorial4.PASSWORD))
    show("the app's own screen", session.sign_in(tutorial4.EMAIL, tutorial4.PASSWORD))
    show("the landmarks", session.landmarks())
    show("an hour later", session.fetch())
    show("the landmarks", session.landmarks())

    show("the user signs out everywhere, on another device", app.cognito(
        "GlobalSignOut", AccessToken=app.sign_in(tutorial4.EMAIL, tutorial4.PASSWORD)["AuthenticationResult"]["AccessToken"]))
    show("the landmarks", session.landmarks())
    show("the app is told", session.fetch())
    show("signed in again", session.sign_in(tutorial4.EMAIL, tutorial4.PASSWORD))
    show("the landmarks", session.landmarks())
