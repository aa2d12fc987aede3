"""boto3 against a bucket: put, get, list, multipart, presigned URLs of both versions, ranges, conditions and deletes.

    python3 s3_boto3.py BASE_URL ACCESS_KEY_FILE
"""

import concurrent.futures
import hashlib
import io
import json
import os
import sys
import threading
import urllib.error
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

base, key_file = sys.argv[1:3]
bucket = "syncline"
with open(key_file) as file:
    keys = json.load(file)


def client(**options):
    return boto3.client(
        "s3", endpoint_url=base, region_name="us-east-1", aws_access_key_id=keys["accessKeyId"],
        aws_secret_access_key=keys["secretAccessKey"], config=Config(**options))


def code(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


s3 = client()
assert [each["Name"] for each in s3.list_buckets()["Buckets"]] == [bucket]

# Keys of every kind, as they are.
names = [
    "public/a.txt", "public/a b+c%20d.txt", "public//double", "public/../up", "public/folder/", "public/\u00e9", "public/e\u0301",
    "public/\U0001f600.jpg", "public/" + "k" * (1024 - 7),
]
for name in names:
    body = name.encode()
    put = s3.put_object(Bucket=bucket, Key=name, Body=body, ContentType="text/plain", Metadata={"name": "v"})
    assert put["ETag"] == f'"{hashlib.md5(body).hexdigest()}"'
for name in names:
    got = s3.get_object(Bucket=bucket, Key=name)
    assert got["Body"].read() == name.encode() and got["ContentType"] == "text/plain" and got["Metadata"] == {"name": "v"}
listed = [
    each["Key"] for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="public/", PaginationConfig={"PageSize": 2})
    for each in page.get("Contents", [])
]
assert listed == sorted(names, key=lambda name: name.encode()), listed
folders = s3.list_objects_v2(Bucket=bucket, Prefix="public/", Delimiter="/")["CommonPrefixes"]
assert {"Prefix": "public/folder/"} in folders, folders
assert [each["Key"] for each in s3.list_objects(Bucket=bucket, Prefix="public/a.")["Contents"]] == ["public/a.txt"]

# Ranges, conditions and heads.
part = s3.get_object(Bucket=bucket, Key="public/a.txt", Range="bytes=0-5")
assert part["Body"].read() == b"public" and part["ContentRange"] == "bytes 0-5/12"
assert s3.get_object(Bucket=bucket, Key="public/a.txt", Range="bytes=-3")["Body"].read() == b"txt"
assert code(s3.get_object, Bucket=bucket, Key="public/a.txt", Range="bytes=99-") == "InvalidRange"
assert s3.head_object(Bucket=bucket, Key="public/a.txt")["ContentLength"] == 12
assert code(s3.head_object, Bucket=bucket, Key="public/none") == "404"
assert code(s3.get_object, Bucket=bucket, Key="public/none") == "NoSuchKey"
assert code(s3.put_object, Bucket=bucket, Key="public/a.txt", Body=b"", IfNoneMatch="*") == "PreconditionFailed"
assert code(client(signature_version="s3v4").get_object, Bucket="no-such-bucket", Key="x") == "NoSuchBucket"

# Copies and checksums.
s3.copy_object(Bucket=bucket, Key="public/copy", CopySource={"Bucket": bucket, "Key": "public/a b+c%20d.txt"})
assert s3.get_object(Bucket=bucket, Key="public/copy")["Body"].read() == b"public/a b+c%20d.txt"
for algorithm in ["CRC32", "SHA1", "SHA256"]:
    s3.put_object(Bucket=bucket, Key="public/sum", Body=b"hello", ChecksumAlgorithm=algorithm)
    got = s3.get_object(Bucket=bucket, Key="public/sum", ChecksumMode="ENABLED")
    assert got["Body"].read() == b"hello" and got[f"Checksum{algorithm}"]

# A multipart upload, which boto3 makes of large files, and one by hand with an abort.
large = os.urandom(12 << 20)
s3.upload_fileobj(io.BytesIO(large), bucket, "public/large", Config=TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20))
assert s3.head_object(Bucket=bucket, Key="public/large")["ETag"].endswith('-3"')
received = io.BytesIO()
s3.download_fileobj(bucket, "public/large", received)
assert received.getvalue() == large
upload = s3.create_multipart_upload(Bucket=bucket, Key="public/aborted")["UploadId"]
s3.upload_part(Bucket=bucket, Key="public/aborted", UploadId=upload, PartNumber=1, Body=b"x")
assert len(s3.list_parts(Bucket=bucket, Key="public/aborted", UploadId=upload)["Parts"]) == 1
s3.abort_multipart_upload(Bucket=bucket, Key="public/aborted", UploadId=upload)
assert code(s3.list_parts, Bucket=bucket, Key="public/aborted", UploadId=upload) == "NoSuchUpload"

# Presigned URLs: of version 2, as boto3 makes them by default here, and of version 4.
for options, mark in [({}, "AWSAccessKeyId="), ({"signature_version": "s3v4"}, "X-Amz-Signature=")]:
    signer = client(**options)
    url = signer.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "public/a b+c%20d.txt"}, ExpiresIn=60)
    assert mark in url, url
    assert urllib.request.urlopen(url).read() == b"public/a b+c%20d.txt"
    url = signer.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "public/presigned"}, ExpiresIn=60)
    with urllib.request.urlopen(urllib.request.Request(url, data=b"by url", method="PUT", headers={"Content-Type": ""})) as answer:
        assert answer.status == 200
    assert s3.get_object(Bucket=bucket, Key="public/presigned")["Body"].read() == b"by url"
    try:
        urllib.request.urlopen(url.replace("presigned", "changed"))
        raise AssertionError("a changed URL is refused")
    except urllib.error.HTTPError as error:
        assert error.code == 403, error.code

# Deletes, one by one and together.
s3.delete_object(Bucket=bucket, Key="public/none")
everything = [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]]
deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in everything]})
assert len(deleted["Deleted"]) == len(everything) and "Errors" not in deleted
assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
# Two clients put one key a thousand times together, and two others read it: each reads one whole version.
key = "public/contended.txt"
s3.put_object(Bucket=bucket, Key=key, Body=b"0" * 20_000)


def put_versions(writer):
    s3 = client()
    for number in range(500):
        body = bytes([ord("a") + (number * 2 + writer) % 26]) * (20_000 + number)
        s3.put_object(Bucket=bucket, Key=key, Body=body)


def read_versions(ends):
    s3, count = client(), 0
    while not ends.is_set() or count == 0:
        got = s3.get_object(Bucket=bucket, Key=key)
        body = got["Body"].read()
        assert len(set(body)) == 1 and got["ETag"] == f'"{hashlib.md5(body).hexdigest()}"', "a torn version"
        count += 1
    return count


ends = threading.Event()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    readers = [pool.submit(read_versions, ends) for _ in range(2)]
    writers = [pool.submit(put_versions, writer) for writer in range(2)]
    try:
        for writer in writers:
            writer.result()
    finally:
        ends.set()
    assert all(reader.result() > 0 for reader in readers)
s3.delete_object(Bucket=bucket, Key=key)

print("boto3 stores, lists, copies, uploads in parts, presigns and deletes")
