"""boto3, from sign-in to download, by each method to connect a client: only AWS_ENDPOINT_URL, the AWS hostnames at port 443, and
`syncline proxy`.

    python3 reach_clients.py SYNCLINE SCHEMA [REGION]

The AWS hostnames resolve to the loopback interface by /etc/hosts in a network namespace of this script's own, where one is allowed, and
otherwise by a table of Python's resolver. Prints a line for each check and ends with 1 if one failed."""

import fcntl
import json
import os
import secrets
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

BINARY, SCHEMA = (os.path.abspath(path) for path in sys.argv[1:3])
REGION, BUCKET, PASSWORD = sys.argv[3] if len(sys.argv) > 3 else "eu-west-1", "syncline", "Passw0rd!"
NAMES = [f"{service}.{REGION}.amazonaws.com" for service in ("cognito-idp", "cognito-identity", "s3", f"{BUCKET}.s3", "sts", "pinpoint")]
# boto3 uses the global host of S3 in this region; in others, a presigned URL has it unless the style is virtual.
IS_GLOBAL = REGION == "us-east-1"
if IS_GLOBAL:
    NAMES += ["s3.amazonaws.com", f"{BUCKET}.s3.amazonaws.com"]
S3_HOST = f"{BUCKET}.s3.amazonaws.com" if IS_GLOBAL else f"{BUCKET}.s3.{REGION}.amazonaws.com"
S3_OPTIONS = {} if IS_GLOBAL else {"s3": {"addressing_style": "virtual"}}
NAMESPACE = "SYNCLINE_REACH_NAMESPACE"

# A network of its own, in which port 443 is free and /etc/hosts is this script's.
if NAMESPACE not in os.environ:
    allowed = shutil.which("unshare") and subprocess.run(["unshare", "-rnm", "true"], capture_output=True).returncode == 0
    os.environ[NAMESPACE] = "1" if allowed else "0"
    if allowed:
        os.execvp("unshare", ["unshare", "-rnm", sys.executable, os.path.abspath(__file__), BINARY, SCHEMA, REGION])
    print("left out: port 443 in a network namespace, which is not allowed here; a table of names stands in", file=sys.stderr)
IN_NAMESPACE = os.environ[NAMESPACE] == "1"

import boto3
from botocore import UNSIGNED
from botocore.config import Config
from pycognito.aws_srp import AWSSRP

work = tempfile.mkdtemp()
children = []
failed = 0


def check(name):
    def run(function):
        global failed
        try:
            function()
            print("ok", name)
        except Exception as error:  # A check that fails says why, and the others go on.
            failed += 1
            print("FAIL", name, repr(error))

    return run


def start(*arguments, ready):
    """A process of the binary, once `ready` says something of it."""
    log = open(os.path.join(work, f"{arguments[0]}-{len(children)}.log"), "w+")
    child = subprocess.Popen([BINARY, *arguments], stdout=log, stderr=subprocess.STDOUT, cwd=work)
    children.append(child)
    for _ in range(600):
        with open(log.name) as file:
            text = file.read()
        if found := ready(text):
            return found
        if child.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit(f"{arguments} did not start:\n{text}")


def environment(**variables):
    """The variables of AWS's clients and of proxies, these alone."""
    for name in [name for name in os.environ if name.startswith("AWS_") or name.lower().endswith("_proxy")]:
        del os.environ[name]
    os.environ.update(
        AWS_DEFAULT_REGION=REGION, AWS_EC2_METADATA_DISABLED="true", AWS_CONFIG_FILE="/dev/null",
        AWS_SHARED_CREDENTIALS_FILE="/dev/null", **variables)


def client(service, credentials=None, **options):
    keys = credentials and dict(
        aws_access_key_id=credentials["AccessKeyId"], aws_secret_access_key=credentials["SecretKey"],
        aws_session_token=credentials["SessionToken"])
    options.setdefault("retries", {"total_max_attempts": 1})
    return boto3.session.Session().client(service, config=Config(**options), **(keys or {}))


def download(url, authority=None):
    context = ssl.create_default_context(cafile=authority) if url.startswith("https") else None
    with urllib.request.urlopen(url, timeout=30, context=context) as answer:
        return answer.read()


def use(where, authority=None, **options):
    """Sign-in by SRP, GetId, GetCredentialsForIdentity, an upload and a presigned download."""
    signs_in = AWSSRP(
        username=USER, password=PASSWORD, pool_id=POOL, client_id=CLIENT,
        client=client("cognito-idp", signature_version=UNSIGNED))
    token = signs_in.authenticate_user()["AuthenticationResult"]["IdToken"]
    identities = client("cognito-identity", signature_version=UNSIGNED)
    logins = {f"cognito-idp.{REGION}.amazonaws.com/{POOL}": token}
    identity = identities.get_id(IdentityPoolId=IDENTITY_POOL, Logins=logins)["IdentityId"]
    keys = identities.get_credentials_for_identity(IdentityId=identity, Logins=logins)["Credentials"]
    key, body = f"private/{identity}/{secrets.token_hex(4)}.txt", where.encode()
    s3 = client("s3", keys, signature_version="s3v4", **options)
    s3.put_object(Bucket=BUCKET, Key=key, Body=body)
    url = s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key}, ExpiresIn=60)
    assert download(url, authority) == body
    assert ":assumed-role/" in client("sts", keys).get_caller_identity()["Arn"]
    return url


def connect(host, port, server_name, authority):
    context = ssl.create_default_context(cafile=authority)
    return context.wrap_socket(socket.create_connection((host, port), timeout=30), server_hostname=server_name)


def status(connection, host, path="/"):
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answer = b""
    while chunk := connection.recv(65536):
        answer += chunk
    return int(answer.split()[1])


try:
    if IN_NAMESPACE:
        # The loopback interface of a new namespace is down: SIOCGIFFLAGS, SIOCSIFFLAGS and IFF_UP of netdevice(7).
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            name, flags = struct.unpack("16sh", fcntl.ioctl(control, 0x8913, struct.pack("16sh", b"lo", 0)))
            fcntl.ioctl(control, 0x8914, struct.pack("16sh", name, flags | 1))
        hosts = os.path.join(work, "hosts")
        with open(hosts, "w") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"127.0.0.1 {name}\n" for name in NAMES))
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)

    with open(os.path.join(work, "syncline.json"), "w") as file:
        json.dump({"region": REGION}, file)
    options = ["--schema", SCHEMA, "--config", "syncline.json", "--data", "data", "--no-amplify"]
    ready_file = os.path.join(work, "ready")
    listeners = ["--listen", "127.0.0.1:443,tls"] if IN_NAMESPACE else []

    def is_ready(_):
        return os.path.exists(ready_file) and open(ready_file).read().splitlines()

    url = start(
        "dev", *options, "--port", "20002" if IN_NAMESPACE else "0", "--aws-names", *listeners, "--ready-file", ready_file, ready=is_ready)[0]
    base = url.removesuffix("/graphql")
    port = int(base.rsplit(":", 1)[1])
    authority = os.path.join(work, "data", "tls-aws", "ca.pem")

    subprocess.run(
        [BINARY, "pull", *options, "--format", "amplify_outputs.json", "--out", "pulled"], cwd=work, check=True,
        capture_output=True)
    auth = json.load(open(os.path.join(work, "pulled", "amplify_outputs.json")))["auth"]
    POOL, CLIENT, IDENTITY_POOL = auth["user_pool_id"], auth["user_pool_client_id"], auth["identity_pool_id"]
    USER = "ada@example.com"
    admin = json.load(open(os.path.join(work, "data", "access-key.json")))
    environment(
        AWS_ENDPOINT_URL=base, AWS_ACCESS_KEY_ID=admin["accessKeyId"], AWS_SECRET_ACCESS_KEY=admin["secretAccessKey"])
    idp = client("cognito-idp")
    idp.admin_create_user(
        UserPoolId=POOL, Username=USER, MessageAction="SUPPRESS",
        UserAttributes=[{"Name": "email", "Value": USER}, {"Name": "email_verified", "Value": "true"}])
    idp.admin_set_user_password(UserPoolId=POOL, Username=USER, Password=PASSWORD, Permanent=True)

    @check("with only AWS_ENDPOINT_URL, from sign-in to download")
    def _():
        environment(AWS_ENDPOINT_URL=base)
        assert use("with AWS_ENDPOINT_URL").startswith(base)

    resolve = socket.getaddrinfo
    if not IN_NAMESPACE:
        # A hosts table of the client's own, by which port 443 of the names is the server's port.
        def table(host, asked, *arguments, **keywords):
            is_name = (host.decode() if isinstance(host, bytes) else host) in NAMES
            return resolve("127.0.0.1" if is_name else host, port if is_name else asked, *arguments, **keywords)

        socket.getaddrinfo = table

    @check("using the AWS hostnames at port 443, from sign-in to download, and no URL has a port")
    def _():
        environment(AWS_CA_BUNDLE=authority)
        url = use("using the AWS hostnames", authority, **S3_OPTIONS)
        assert url.startswith(f"https://{S3_HOST}/"), url

    @check("a client that does not trust the authority for AWS hostnames is not served")
    def _():
        try:
            connect(NAMES[0], 443, NAMES[0], None)
        except ssl.SSLCertVerificationError:
            return
        raise AssertionError("the certificate was trusted")

    @check("another AWS hostname has no certificate here")
    def _():
        try:
            connect(NAMES[0], 443, f"dynamodb.{REGION}.amazonaws.com", authority)
        except ssl.SSLCertVerificationError:
            return
        raise AssertionError("the certificate was for it")

    @check("a name of TLS and another Host are misdirected")
    def _():
        assert status(connect(NAMES[0], 443, NAMES[0], authority), NAMES[0]) != 421
        assert status(connect(NAMES[0], 443, NAMES[0], authority), NAMES[2]) == 421
        assert status(connect(NAMES[0], 443, NAMES[0], authority), "localhost") == 421
        assert status(connect(NAMES[0], 443, NAMES[0], authority), NAMES[0], "/metrics") in (400, 403, 404)

    @check("'syncline reach --test' says that every service answers")
    def _():
        # In the namespace as /etc/hosts resolves the names, otherwise at the server's address.
        where = [] if IN_NAMESPACE else [f"https://localhost:{port}"]
        done = subprocess.run([BINARY, "reach", "--test", *options, *where], cwd=work, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.count("ok ") > len(NAMES), done.stdout + done.stderr

    socket.getaddrinfo = resolve
    if IN_NAMESPACE:
        subprocess.run(["umount", "/etc/hosts"], check=True)
    proxy = start(
        "proxy", *options, "--listen", "127.0.0.1:0",
        ready=lambda text: text.startswith("http://") and text.splitlines()[0])

    @check("through 'syncline proxy', which finds the server, from sign-in to download")
    def _():
        environment(AWS_CA_BUNDLE=authority, HTTPS_PROXY=proxy)
        use("through the proxy", authority, **S3_OPTIONS)

    @check("the proxy refuses this machine, other ports and its own address")
    def _():
        host, _, number = proxy.removeprefix("http://").rpartition(":")
        for target in ("127.0.0.1:443", "localhost:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "169.254.169.254:443",
                       "10.0.0.1:443", f"127.0.0.1:{number}", f"{NAMES[0]}:80", "127.1:443"):
            with socket.create_connection((host, int(number)), timeout=30) as connection:
                connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
                assert connection.recv(4096).split()[1] in (b"400", b"403"), target

    @check("the proxy's PAC file has the names")
    def _():
        environment()
        text = download(f"{proxy}/proxy.pac").decode()
        assert all(f'"{name}": true' in text for name in NAMES[:4]) and "PROXY " + proxy.removeprefix("http://") in text
finally:
    for child in children:
        child.terminate()
    for child in children:
        child.wait(timeout=60)
    shutil.rmtree(work, ignore_errors=True)

sys.exit(1 if failed else 0)
