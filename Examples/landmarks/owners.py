"""Two users of the landmarks: what each may read and change, by HTTP and live.

    python3 owners.py http://127.0.0.1:20002"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sign_in import App, received, show  # noqa: E402

app = App(sys.argv[1], "us-east-1_Landmarks", "landmarksios")
ada, ben = (app.sign_in(name, "Passw0rd!")["AuthenticationResult"]["AccessToken"] for name in ("ada", "ben"))

ADD = "mutation ($input: CreateLandmarkDataInput!) { createLandmarkData(input: $input) { id name owner } }"
VISIT = "mutation ($input: CreateVisitInput!) { createVisit(input: $input) { id note owner } }"
LIST = "{ listLandmarkData { items { id name owner } } listVisits { items { id note } } }"
CHANGE = 'mutation { updateLandmarkData(input: {id: "1", name: "%s"}) { name owner } }'
REMOVE = 'mutation { deleteLandmarkData(input: {id: "1"}) { id } }'

added = [app.listen(token, "subscription { onCreateLandmarkData { id owner } }", 2) for token in (ada, ben)]
visits = [app.listen(token, "subscription { onCreateVisit { note owner } }", 1) for token in (ada, ben)]
show("ada adds a landmark", app.graphql(ada, ADD, {"input": {"id": "1", "name": "Turtle Rock"}}))
show("ben adds another", app.graphql(ben, ADD, {"input": {"id": "2", "name": "Hidden Lake"}}))
show("each writes a note", [
    app.graphql(ada, VISIT, {"input": {"id": "v1", "landmarkID": "1", "note": "Crowded."}}),
    app.graphql(ben, VISIT, {"input": {"id": "v2", "landmarkID": "1", "note": "Go early."}}),
])
show("ada reads both landmarks, and her own note", app.graphql(ada, LIST))
show("ben reads both landmarks, and his own note", app.graphql(ben, LIST))
show("ben cannot read ada's", app.graphql(ben, '{ getVisit(id: "v1") { note } }'))
show("ben cannot rename ada's landmark", app.graphql(ben, CHANGE % "Ben's Rock"))
show("ben cannot remove it", app.graphql(ben, REMOVE))
show("ada can rename it", app.graphql(ada, CHANGE % "Tortoise Rock"))
show("the API key is no mode of this API", app.graphql_by_key("{ listLandmarkData { items { id } } }"))
for name, landmarks, notes in zip(("ada", "ben"), added, visits):
    show(f"what {name} receives", received(landmarks) + received(notes))
show("ada removes her landmark", app.graphql(ada, REMOVE))
