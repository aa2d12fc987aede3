"""The chat with rules: ada and ben have a thread, and eve is no member of it. By HTTP, and live.

    python3 chat.py http://127.0.0.1:20002"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sign_in import App, received, show  # noqa: E402

app = App(sys.argv[1], "us-east-1_ChatOwners", "chatios")


class Person:
    def __init__(self, name):
        self.name = name
        self.token = app.sign_in(name, "Passw0rd!")["AuthenticationResult"]["AccessToken"]

    def ask(self, query, **variables):
        return app.graphql(self.token, query, variables)

    def write(self, id, body, members=("ada", "ben")):
        return self.ask(
            "mutation ($input: CreateMessageInput!) { createMessage(input: $input) { id body owner members } }",
            input={"id": id, "body": body, "threadID": "t1", "members": list(members)})

    def listen(self, query, events):
        return app.listen(self.token, query, events)


ada, ben, eve = Person("ada"), Person("ben"), Person("eve")
RECORD = "mutation ($input: CreateUserInput!) { createUser(input: $input) { id name } }"
show("everybody creates a record", [
    person.ask(RECORD, input={"id": person.name, "name": person.name.title(), "postcode": "SW1A"})["data"]
    for person in (ada, ben, eve)])
show("but none under another name", eve.ask(RECORD, input={"id": "mallory", "name": "Mallory"}))
show("ada reads her postcode", ada.ask('{ getUser(id: "ada") { name postcode } }'))
show("eve reads ada's name, and not the postcode", eve.ask('{ getUser(id: "ada") { name postcode } }'))
show("eve cannot change ada's record", eve.ask('mutation { updateUser(input: {id: "ada", name: "Eve"}) { id } }'))

show("ada opens a thread with ben", ada.ask(
    'mutation { createThread(input: {id: "t1", name: "Groceries", members: ["ada", "ben"]}) { id name members } }'))
show("both write to it", [ada.write("m1", "Who needs bread?"), ben.write("m2", "I do!")])
READ = '{ getThread(id: "t1") { name messages { items { body owner } } } }'
show("ada reads it", ada.ask(READ))
show("and so does ben", ben.ask(READ))
show("eve cannot", eve.ask(READ))
show("and her lists do not have it", eve.ask("{ listThreads { items { id } } listMessages { items { id } } }"))
show("the API key has no access", app.graphql_by_key("{ listThreads { items { id } } listMessages { items { id } } }"))
show("eve cannot make herself a member", eve.ask('mutation { updateThread(input: {id: "t1", members: ["eve"]}) { id } }'))
UPDATE = 'mutation { updateMessage(input: {id: "m1", body: "Who needs milk?"}) { id body owner members } }'
show("ben cannot change what ada wrote", ben.ask(UPDATE))
show("ada can", ada.ask(UPDATE))
show("ben cannot delete it", ben.ask('mutation { deleteMessage(input: {id: "m1"}) { id } }'))

CREATED = "subscription { onCreateMessage { id body owner } }"
listeners = [ada.listen(CREATED, 2), ben.listen(CREATED, 2), eve.listen(CREATED, 1)]
ada.write("m3", "I am off to the shop.")
eve.write("m4", "Is anybody there?", members=["eve"])
ben.write("m5", "Two loaves, please.")
for person, listener in zip((ada, ben, eve), listeners):
    show(f"what {person.name} receives", received(listener))
show("eve cannot ask for the events of ada", received(
    eve.listen('subscription { onCreateMessage(owner: "ada") { id } }', 1)))
