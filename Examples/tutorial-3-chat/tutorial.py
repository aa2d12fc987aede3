"""Tutorial 3, the chat of neighbours: people sign up and in, find the thread of their place, and talk; then the same project
with DataStore, and its subscriptions.

    python3 tutorial.py .build/debug/syncline"""

import json
import sys
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from amplify_app import App, DataStore, Project, folder_of, show  # noqa: E402
from sign_in import received  # noqa: E402

PASSWORD = "Passw0rd!"
PLACE = "SW1A 1AA"
WRITTEN = ["2021-03-01T09:00:00.000Z", "2021-03-01T09:01:00.000Z", "2021-03-01T09:02:00.000Z"]


class Person:
    """Someone with the app, who signs up by email and in by SRP."""

    def __init__(self, project, name):
        self.app, self.name = App(project), name
        self.app.cognito(
            "SignUp", ClientId=self.app.client, Username=name, Password=PASSWORD,
            UserAttributes=[{"Name": "email", "Value": f"{name}@example.com"}], **self.app.proof(name, "SecretHash"))
        self.app.cognito(
            "ConfirmSignUp", ClientId=self.app.client, Username=name, ConfirmationCode=project.code(),
            **self.app.proof(name, "SecretHash"))
        self.tokens = self.app.sign_in(name, PASSWORD)["AuthenticationResult"]
        user = self.app.cognito("GetUser", AccessToken=self.tokens["AccessToken"])
        self.sub = {entry["Name"]: entry["Value"] for entry in user["UserAttributes"]}["sub"]

    def create(self, model, fields, **values):
        return self.app.ask(
            f"mutation Create($input: Create{model}Input!) {{ create{model}(input: $input) {{ {fields} }} }}", input=values)

    def write(self, name, body, when):
        return self.create(
            "Message", "id body createdAt author { id }", id=name, body=body, createdAt=when, messageAuthorId=self.name,
            messageThreadId="t1")


with Project(sys.argv[1], folder_of(__file__)) as project:
    project.start()
    show("the files of the app", project.files())
    app = App(project)
    show("a user who is not there does not sign in", app.sign_in("ada", PASSWORD)["message"])
    ada, ben = Person(project, "ada"), Person(project, "ben")
    show("both are signed in", [person.name for person in (ada, ben) if person.tokens["IdToken"]])

    get_user = "query GetUser($id: ID!) { getUser(id: $id) { id username postcode } }"
    show("the first visit: there is no record yet, without an error", ada.app.ask(get_user, id="ada"))
    for person in (ada, ben):
        show(f"{person.name}'s record", person.create(
            "User", "id username postcode", id=person.name, sub=person.sub, username=person.name.title(), createdAt=WRITTEN[0]))
    show("ada says where she lives", ada.app.ask(
        "mutation Update($input: UpdateUserInput!) { updateUser(input: $input) { id postcode } }",
        input={"id": "ada", "postcode": PLACE}))
    show("ben's record lacks the attribute", ada.app.ask(
        "{ listUsers(filter: {postcode: {attributeExists: false}}) { items { id postcode } } }"))

    show("nobody has opened a thread here", ada.app.ask(
        "query Find($place: String!) { ThreadByLocation(location: $place) { items { id } } }", place=PLACE))
    show("ada does", ada.create("Thread", "id name location", id="t1", name="Groceries", location=PLACE, createdAt=WRITTEN[0]))
    show("ben finds it", ben.app.ask(
        "query Find($place: String!) { ThreadByLocation(location: $place) { items { id name } } }", place=PLACE))
    for person in (ada, ben):
        show(f"{person.name} joins", person.create(
            "UserThread", "user { id } thread { name }", userThreadUserId=person.name, userThreadThreadId="t1", createdAt=WRITTEN[0]))
    for name, person, body, when in [("m2", ben, "I do!", WRITTEN[1]), ("m1", ada, "Who needs bread?", WRITTEN[0])]:
        show("a message", person.write(name, body, when))
    show("the messages of the thread by the time they were written", ben.app.ask(
        '{ getThread(id: "t1") { name messages { items { body createdAt author { username } } } } }'))
    show("ada's threads, by both keys", [
        ada.app.ask('{ getUser(id: "ada") { threads { items { thread { name } } } } }'),
        ada.app.ask('{ getUser(id: "ada") { threads(userThreadThreadId: {eq: "t1"}) { items { user { id } } } } }'),
        ada.app.ask('{ getThread(id: "t1") { associated { items { user { id } } } } }'),
    ])
    show("there is a table for each type, an empty one too", ada.app.ask("{ listReplys { items { id } nextToken } }"))

    events = {
        str(uuid.uuid4()): {"EventType": kind, "Timestamp": WRITTEN[0], "Attributes": {"screen": "Thread"}}
        for kind in ["messageSent", "messageSent", "_session.start"]
    }
    status, results = ada.app.put_events(ada.app.credentials(ada.tokens["IdToken"]), "phone-1", "ada", events)
    show("events of the app are taken", [status, sorted(result["StatusCode"] for result in results.values())])
    show("a guest's too", app.put_events(app.credentials(), "phone-2", "guest", {
        str(uuid.uuid4()): {"EventType": "_session.start", "Timestamp": WRITTEN[0]}})[0])
    report = json.loads(project.syncline("analytics", "events", "--from", "2021-03-01", "--to", "2021-03-01", "--json"))
    show("and counted", report["items"])

    # The author turns on conflict detection, as DataStore wants it, deploys, and pulls.
    project.stop()
    conf = project.folder / "amplify/backend/api/isolationchat/transform.conf.json"
    conf.write_text(json.dumps(json.loads(conf.read_text()) | {
        "ResolverConfig": {"project": {"ConflictHandler": "AUTOMERGE", "ConflictDetection": "VERSION"}}}))
    project.start()
    models = {
        "Messages": "id body createdAt author { id __typename _deleted } thread { id __typename _deleted }",
        "Threads": "id name location createdAt",
    }
    phone, tablet = DataStore(App(project), models), DataStore(App(project), models)
    show("a device syncs what is there", phone.sync())
    show("in the order of the thread", [
        message["body"] for message in sorted(phone.living("Messages"), key=lambda message: message["createdAt"])])
    tablet.sync()
    listener = tablet.listen("Create", "Messages", 1)
    show("ada writes", phone.mutate("Create", "Messages", {
        "id": "m3", "body": "I bring some.", "createdAt": WRITTEN[2], "messageAuthorId": "ada", "messageThreadId": "t1"}))
    show("ben sees it at once", received(listener))
    ben.app = App(project)
    show("ben is signed in as before", sorted(ben.app.cognito(
        "InitiateAuth", AuthFlow="REFRESH_TOKEN_AUTH", ClientId=ben.app.client,
        AuthParameters={"REFRESH_TOKEN": ben.tokens["RefreshToken"]} | ben.app.proof(ben.sub))))
