"""Tutorial 3: two people sign in by SRP, find each other by place, and talk.

    python3 users.py http://127.0.0.1:20002"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sign_in import App, show  # noqa: E402

app = App(sys.argv[1], "us-east-1_ChatUsers", "chatios")
PLACE = "SW1A"


class Person:
    def __init__(self, name):
        self.name = name
        self.tokens = app.sign_in(name, "Passw0rd!")["AuthenticationResult"]
        user = app.cognito("GetUser", AccessToken=self.tokens["AccessToken"])
        self.sub = user["UserAttributes"][0]["Value"]

    def ask(self, query, **variables):
        return app.graphql(self.tokens["AccessToken"], query, variables)

    def create(self, model, fields, **values):
        return self.ask(
            f"mutation ($input: Create{model}Input!) {{ create{model}(input: $input) {{ {fields} }} }}", input=values)


ada, ben = Person("ada"), Person("ben")
show("without a token nobody is answered", app.graphql("", "{ __typename }")["errors"][0]["errorType"])
show("the first visit: there is no record yet", ada.ask("query ($id: ID!) { getUser(id: $id) { id } }", id=ada.name))
for person in (ada, ben):
    show(f"{person.name}'s record", person.create("User", "id username", id=person.name, sub=person.sub, username=person.name.title()))
show("ada says where she is", ada.ask(
    "mutation ($place: String!) { updateUser(input: {id: \"ada\", postcode: $place}) { id postcode } }", place=PLACE))
ada.create("Thread", "id", id="t1", name="Groceries", location=PLACE)
show("ben finds the thread of the place", ben.ask(
    "query ($place: String!) { ThreadByLocation(location: $place) { items { id name } } }", place=PLACE))
for person in (ada, ben):
    person.create("UserThread", "id", userThreadUserId=person.name, userThreadThreadId="t1")
ada.create("Message", "id", body="Who needs bread?", messageAuthorId="ada", messageThreadId="t1")
ben.create("Message", "id", body="I do!", messageAuthorId="ben", messageThreadId="t1")
show("the thread, as both see it", ben.ask(
    "{ getThread(id: \"t1\") { name messages { items { body author { username } } } associated { items { user { username } } } } }"))
show("ada signs out", app.cognito("GlobalSignOut", AccessToken=ada.tokens["AccessToken"]))
show("and is not answered any more", ada.ask("{ __typename }")["errors"][0]["errorType"])
show("ben is", ben.ask("{ __typename }"))
