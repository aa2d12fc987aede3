"""Tutorials 4 and 5: signs in by SRP, as an Amplify client does from the app's own screen; adds and lists landmarks; signs out.

    python3 landmarks.py http://127.0.0.1:20002 ada 'Passw0rd!'"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sign_in import App  # noqa: E402

url, name, password = sys.argv[1:4]
app = App(url, "us-east-1_Landmarks", "landmarksios")
print("a wrong password:", app.sign_in(name, "wrong")["message"])
tokens = app.sign_in(name, password)["AuthenticationResult"]
user = app.cognito("GetUser", AccessToken=tokens["AccessToken"])
attributes = {entry["Name"]: entry["Value"] for entry in user["UserAttributes"]}
print("signed in:", user["Username"], attributes["email"], attributes["email_verified"])
PARKS = [("Turtle Rock", "Featured"), ("Lake Umbagog", "Lakes"), ("Hidden Lake", "Lakes"), ("Charley Rivers", "Rivers")]
for number, (park, category) in enumerate(PARKS):
    app.graphql(
        tokens["AccessToken"],
        f'mutation {{ createLandmarkData(input: {{id: "{number}", name: "{park}", category: "{category}"}}) {{ id }} }}')
rows = app.graphql(tokens["IdToken"], "{ listLandmarkData { items { id name category } } }")
for row in sorted(rows["data"]["listLandmarkData"]["items"], key=lambda row: row["id"]):
    print(row["id"], row["name"], row["category"])
print("sign-out:", app.cognito("GlobalSignOut", AccessToken=tokens["AccessToken"]))
print("signed out:", app.graphql(tokens["AccessToken"], "{ listLandmarkData { items { id } } }")["errors"][0]["errorType"])
