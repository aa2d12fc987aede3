"""Signatures that awscrt and requests-aws4auth make, at a bucket: put, get, a query signature, a changed body, a wrong secret.

    python3 s3_signers.py BASE_URL ACCESS_KEY_FILE
"""

import datetime
import hashlib
import json
import sys
import urllib.parse

import requests
from awscrt import auth, http
from requests_aws4auth import AWS4Auth

base, key_file = sys.argv[1:3]
with open(key_file) as file:
    keys = json.load(file)
host = urllib.parse.urlsplit(base).netloc
region = "us-east-1"


def crt_signed(method, key, body=b"", secret=None, signature_type=auth.AwsSignatureType.HTTP_REQUEST_HEADERS, **options):
    """The URL and the headers of a request that awscrt signs."""
    path = "/syncline/" + urllib.parse.quote(key)
    request = http.HttpRequest(method, path, http.HttpHeaders([("Host", host)]))
    provider = auth.AwsCredentialsProvider.new_static(keys["accessKeyId"], secret or keys["secretAccessKey"])
    if signature_type == auth.AwsSignatureType.HTTP_REQUEST_HEADERS:
        options["signed_body_header_type"] = auth.AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256
        options.setdefault("signed_body_value", hashlib.sha256(body).hexdigest())
    config = auth.AwsSigningConfig(
        algorithm=auth.AwsSigningAlgorithm.V4, signature_type=signature_type, credentials_provider=provider, region=region,
        service="s3", date=datetime.datetime.now(datetime.timezone.utc), use_double_uri_encode=False,
        should_normalize_uri_path=False, **options)
    auth.aws_sign_request(request, config).result(10)
    return f"http://{host}{request.path}", dict(request.headers)


def send(method, signed, body=None):
    url, headers = signed
    # As it is: requests would normalize the path.
    prepared = requests.Request(method, url, headers=headers, data=body).prepare()
    prepared.url = url
    return requests.Session().send(prepared, timeout=30)


key = "public/a b+c \u00e9.txt"
body = "signed by awscrt".encode()
answer = send("PUT", crt_signed("PUT", key, body), body)
assert answer.status_code == 200, answer.text
answer = send("GET", crt_signed("GET", key))
assert (answer.status_code, answer.content) == (200, body), answer.text
answer = send("PUT", crt_signed("PUT", key, body), b"another body....")
assert answer.status_code == 400 and "XAmzContentSHA256Mismatch" in answer.text, answer.text
answer = send("GET", crt_signed("GET", key, secret="wrong"))
assert answer.status_code == 403 and "SignatureDoesNotMatch" in answer.text, answer.text
query = crt_signed(
    "GET", key, signature_type=auth.AwsSignatureType.HTTP_REQUEST_QUERY_PARAMS, expiration_in_seconds=60,
    signed_body_value=auth.AwsSignedBodyValue.UNSIGNED_PAYLOAD)
answer = send("GET", query)
assert (answer.status_code, answer.content) == (200, body), answer.text
answer = send("GET", (query[0].replace("X-Amz-Expires=60", "X-Amz-Expires=600"), query[1]))
assert answer.status_code == 403 and "SignatureDoesNotMatch" in answer.text, answer.text

signer = AWS4Auth(keys["accessKeyId"], keys["secretAccessKey"], region, "s3")
url = f"{base}/syncline/public/aws4auth.txt"
answer = requests.put(url, data=b"signed by requests-aws4auth", auth=signer, timeout=30)
assert answer.status_code == 200, answer.text
answer = requests.get(url, auth=signer, timeout=30)
assert (answer.status_code, answer.content) == (200, b"signed by requests-aws4auth"), answer.text
listed = requests.get(f"{base}/syncline", params={"list-type": "2", "prefix": "public/aws4"}, auth=signer, timeout=30)
assert listed.status_code == 200 and "<Key>public/aws4auth.txt</Key>" in listed.text, listed.text
wrong = AWS4Auth(keys["accessKeyId"], "wrong", region, "s3")
answer = requests.get(url, auth=wrong, timeout=30)
assert answer.status_code == 403 and "SignatureDoesNotMatch" in answer.text, answer.text
for each in [key, "public/aws4auth.txt"]:
    assert send("DELETE", crt_signed("DELETE", each)).status_code == 204

print("signers: awscrt (headers, query) and requests-aws4auth pass")
