"""Tutorial 4: a user signs in, lists twelve landmarks, and downloads their pictures in parallel by presigned URLs, as Amplify
clients make them. A guest reads where guests may, and nowhere else.

    python3 pictures.py http://127.0.0.1:20002"""

import os
import re
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import signature  # noqa: E402
from sign_in import App  # noqa: E402

POOL = "us-east-1_Landmarks"
IDENTITY_POOL = "us-east-1:5b0e3d4c-2f1a-4e6b-9c8d-7a6b5c4d3e2f"
url = sys.argv[1]
app = App(url, POOL, "landmarksios")


def identity(token=None):
    """An identity's id and temporary credentials: a guest's without a token."""
    logins = {f"cognito-idp.us-east-1.amazonaws.com/{POOL}": token} if token else {}

    def call(operation, **body):
        headers = {"X-Amz-Target": f"AWSCognitoIdentityService.{operation}", "Content-Type": "application/x-amz-json-1.1"}
        return app.post("/", body | ({"Logins": logins} if logins else {}), headers)

    name = call("GetId", IdentityPoolId=IDENTITY_POOL)["IdentityId"]
    return name, call("GetCredentialsForIdentity", IdentityId=name)["Credentials"]


def presigned(credentials, method, bucket, key, query=None):
    return signature.presigned(url, credentials, "us-east-1", method, bucket, key, query)


def send(method, target, body=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(target, body, method=method)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, re.search("<Code>(.*?)</Code>", error.read().decode())[1]


_, guest = identity()
print("a guest reads a picture:", *send("GET", presigned(guest, "GET", "landmarks", "public/turtlerock.jpg")))

token = app.sign_in("ada", "Passw0rd!")["AuthenticationResult"]
mine, credentials = identity(token["IdToken"])
PARKS = [
    ("Turtle Rock", "Featured"), ("Silver Salmon Creek", "Lakes"), ("Chilkoot Trail", "Rivers"), ("St. Mary Lake", "Lakes"),
    ("Twin Lake", "Lakes"), ("Lake McDonald", "Lakes"), ("Charley Rivers", "Rivers"), ("Icy Bay", "Mountains"),
    ("Rainbow Lake", "Lakes"), ("Hidden Lake", "Lakes"), ("Chincoteague", "Rivers"), ("Lake Umbagog", "Lakes"),
]
pictures = {}
for number, (park, category) in enumerate(PARKS):
    image = re.sub("[^a-z]", "", park.lower())
    pictures[image] = os.urandom(50_000 + number)
    stored = send("PUT", presigned(credentials, "PUT", "landmarks", f"public/{image}.jpg"), pictures[image])
    assert stored == (200, b""), stored
    variables = {
        "input": {
            "id": str(1001 + number), "name": park, "category": category, "park": f"{park} Park", "state": "Alaska",
            "city": "Town", "imageName": image, "isFavorite": number % 2 == 0, "isFeatured": number == 0,
            "coordinates": {"longitude": -116.16 - number, "latitude": 34.01 + number},
        }
    }
    mutation = "mutation ($input: CreateLandmarkDataInput!) { createLandmarkData(input: $input) { id } }"
    app.graphql(token["AccessToken"], mutation, variables)

fields = "id name category park state imageName isFavorite coordinates { longitude latitude }"
rows = app.graphql(token["AccessToken"], f"{{ listLandmarkData {{ items {{ {fields} }} }} }}")["data"]["listLandmarkData"]["items"]
assert all(value is not None for row in rows for value in row.values())
print("landmarks:", len(rows))


def download(row):
    image = row["imageName"]
    return send("GET", presigned(credentials, "GET", "landmarks", f"public/{image}.jpg")) == (200, pictures[image])


with ThreadPoolExecutor(12) as threads:
    print("pictures that came as they were stored:", sum(threads.map(download, rows)))

status, listed = send("GET", presigned(credentials, "GET", "landmarks", "", {"list-type": "2", "prefix": "public/"}))
print("listed:", status, listed.count(b"<Contents>"))
for level in [f"private/{mine}/note", f"protected/{mine}/note", "private/us-east-1:00000000-0000-0000-0000-000000000000/note"]:
    print(f"{level.split('/')[0]}/{'own' if mine in level else 'other'}:", send("PUT", presigned(credentials, "PUT", "landmarks", level), b"x")[0])
print("not signed:", *send("GET", f"{url}/landmarks/public/turtlerock.jpg"))

# In the second bucket guests may read.
send("PUT", presigned(credentials, "PUT", "postcards", "public/hello.txt"), b"hello")
print("a guest reads a postcard:", *send("GET", presigned(guest, "GET", "postcards", "public/hello.txt")))
print("a guest writes one:", *send("PUT", presigned(guest, "PUT", "postcards", "public/hello.txt"), b"x"))
