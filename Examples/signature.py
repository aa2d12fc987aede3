"""Signature Version 4 with temporary credentials, as clients of AWS sign: in the query of a URL, or in headers. Python's own
library alone."""

import datetime
import hashlib
import hmac
from urllib.parse import quote, urlsplit


def signed(credentials, scope, method, path, query, headers, payload):
    """The signature of a request, by its date in the scope, region, service and `aws4_request`."""
    now = query.get("X-Amz-Date") or headers["x-amz-date"]
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in names.split(";"))
    text = f"{method}\n{path}\n{encoded(query)}\n{lines}\n{names}\n{payload}"
    text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(text.encode()).hexdigest()}"
    key = ("AWS4" + credentials["SecretKey"]).encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def encoded(query):
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in sorted(query.items()))


def moment():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")


def presigned(url, credentials, region, method, bucket, key, query=None):
    """A URL of S3 that has its signature in the query, which covers the method, the host, the path and the query."""
    now = moment()
    scope = f"{now[:8]}/{region}/s3/aws4_request"
    parameters = (query or {}) | {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{credentials['AccessKeyId']}/{scope}", "X-Amz-Date": now,
        "X-Amz-Expires": "3000", "X-Amz-Security-Token": credentials["SessionToken"], "X-Amz-SignedHeaders": "host",
    }
    path = quote(f"/{bucket}/{key}" if key else f"/{bucket}")
    signature = signed(
        credentials, scope, method, path, parameters, {"host": urlsplit(url).netloc}, "UNSIGNED-PAYLOAD")
    return f"{url}{path}?{encoded(parameters)}&X-Amz-Signature={signature}"


def signed_headers(url, credentials, region, service, method, path, body):
    """The headers of a request that is signed in them."""
    now = moment()
    scope = f"{now[:8]}/{region}/{service}/aws4_request"
    headers = {
        "content-type": "application/json", "host": urlsplit(url).netloc, "x-amz-date": now,
        "x-amz-security-token": credentials["SessionToken"],
    }
    signature = signed(credentials, scope, method, path, {}, headers, hashlib.sha256(body).hexdigest())
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credentials['AccessKeyId']}/{scope}, SignedHeaders={';'.join(sorted(headers))}, "
        f"Signature={signature}")
    return headers
