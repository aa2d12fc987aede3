"""Tutorial 1, room booking: an app with DataStore, whose backend was modelled in the Admin UI and pulled.

    python3 tutorial.py .build/debug/syncline

Serves the project of this folder, pulls the files of the app and generates its models; then two devices book rooms."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from amplify_app import App, DataStore, Project, folder_of, show  # noqa: E402
from sign_in import received  # noqa: E402

MODELS = {
    "Users": "id username",
    "Rooms": "id city description imageKey price",
    "Bookings": "id checkInDate checkOutDate guestId room { id __typename _deleted }",
}
GUEST = "Zoë  Müller ☕"

with Project(sys.argv[1], folder_of(__file__)) as project:
    project.start()
    show("the command that the banner has ready, with the environment's name", project.pull.split()[-2:])
    show("the files that it writes", project.files())
    project.syncline("codegen", "models", "--target", "swift", "--out", str(project.app / "AmplifyModels"))
    show("the models", [name for name in project.files() if name.endswith(".swift")])
    room = (project.app / "AmplifyModels/Room.swift").read_text()
    show("how the app makes a room", " ".join(re.search(r"public (init\(.*?\)) {", room, re.S)[1].split()))

    phone, tablet = DataStore(App(project), MODELS), DataStore(App(project), MODELS)
    show("the phone starts: it syncs, and nothing is there", phone.sync())
    show("a user's id is the user name: any text", phone.mutate("Create", "Users", {"id": GUEST, "username": GUEST}))
    show("but not an empty one", phone.mutate("Create", "Users", {"id": "", "username": "nobody"})["errors"][0]["message"])
    for number, (city, price, description) in enumerate([("Paris", 120, "Loft"), ("Oslo", 80, "Cabin"), ("Blois", 300, "Château")]):
        room = {"id": f"r{number + 1}", "city": city, "price": price, "description": description, "imageKey": description.lower()}
        show("the app seeds a room", phone.mutate("Create", "Rooms", room))

    show("the tablet starts", tablet.sync())
    listener = tablet.listen("Create", "Bookings", 2)
    stays = [("b1", GUEST, "2020-12-15Z", "2020-12-18Z"), ("b2", "Ada", "2020-12-16Z", "2020-12-17Z")]
    for name, guest, start, end in stays:
        booking = {"id": name, "guestId": guest, "checkInDate": start, "checkOutDate": end, "bookingRoomId": "r1"}
        show("two bookings of one room both succeed", phone.mutate("Create", "Bookings", booking))
    events = received(listener)
    show("the tablet receives them live", events)
    for event in events:
        tablet.receive("Bookings", event["data"]["onCreateBooking"])
    show("a second device that creates the user gets the conditional failure",
         tablet.mutate("Create", "Users", {"id": GUEST, "username": "somebody else"})["errors"][0]["errorType"])
    show("and no row is lost", tablet.app.ask("query GetUser($id: ID!) { getUser(id: $id) { id username } }", id=GUEST))
    show("the bookings of a guest, by the API", tablet.app.ask(
        "query ListBookings($filter: ModelBookingFilterInput) { listBookings(filter: $filter) { items { id guestId } nextToken } }",
        filter={"guestId": {"eq": "Ada"}}))
    rooms = sorted((room for room in tablet.living("Rooms") if room["price"] < 250), key=lambda room: room["price"])
    show("predicate and sort run on the device's own store", [room["city"] for room in rooms])
    show("a date that is none is refused", phone.mutate(
        "Create", "Bookings", booking | {"id": "b3", "checkInDate": "2020-02-30Z"})["errors"][0]["message"])

    gone = phone.listen("Delete", "Bookings", 1)
    show("the tablet cancels", tablet.mutate("Delete", "Bookings", {"id": "b1"}))
    show("the phone receives it live", received(gone))
    show("and syncs what has changed since", phone.sync())
    show("what the phone shows", [booking["id"] for booking in phone.living("Bookings")])
