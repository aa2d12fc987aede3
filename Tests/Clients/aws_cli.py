"""The AWS command line interface against the user pools of a server.

    PYTHONPATH=<folder with awscli> python3 aws_cli.py http://127.0.0.1:20002 access-key.json 'syncline outbox --data DIR'

Prints a line for each check and ends with 1 if one failed."""

import json
import os
import subprocess
import sys
import tempfile

URL, KEY_FILE, OUTBOX = sys.argv[1:4]
KEY = json.load(open(KEY_FILE))
ADMINISTRATOR = {"AWS_ACCESS_KEY_ID": KEY["accessKeyId"], "AWS_SECRET_ACCESS_KEY": KEY["secretAccessKey"]}
PASSWORD = "Passw0rd!"
home = tempfile.TemporaryDirectory()
failed = 0


def aws(*arguments, credentials=ADMINISTRATOR):
    """The answer of a command; its error text if it fails."""
    environment = os.environ | {"HOME": home.name, "AWS_DEFAULT_REGION": "us-east-1", "AWS_PAGER": ""} | credentials
    command = [sys.executable, "-m", "awscli", *arguments, "--endpoint-url", URL, "--output", "json"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    if run.returncode != 0:
        return run.stderr
    return json.loads(run.stdout) if run.stdout.strip() else None


def idp(*arguments, **keys):
    return aws("cognito-idp", *arguments, **keys)


def check(name):
    def run(function):
        global failed
        try:
            function()
            print("ok", name)
        except Exception as error:
            failed += 1
            print("FAIL", name, repr(error))

    return run


def sign_in(client, username, password=PASSWORD):
    return idp(
        "initiate-auth", "--client-id", client, "--auth-flow", "USER_PASSWORD_AUTH", "--no-sign-request",
        "--auth-parameters", f"USERNAME={username},PASSWORD={password}")


@check("awscli makes a pool, a client and a user, signs in, refreshes, revokes and lists")
def users():
    pool = idp("create-user-pool", "--pool-name", "cli", "--auto-verified-attributes", "email")["UserPool"]["Id"]
    client = idp(
        "create-user-pool-client", "--user-pool-id", pool, "--client-name", "app", "--explicit-auth-flows",
        "ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH")["UserPoolClient"]["ClientId"]
    signed_up = idp(
        "sign-up", "--client-id", client, "--username", "ada", "--password", PASSWORD, "--no-sign-request",
        "--user-attributes", "Name=email,Value=ada@example.com")
    assert signed_up["UserConfirmed"] is False, signed_up
    assert "UserNotConfirmedException" in sign_in(client, "ada")
    lines = subprocess.run(OUTBOX, shell=True, capture_output=True, text=True, check=True).stdout.splitlines()
    code = json.loads(lines[-1])["code"]
    confirmed = idp(
        "confirm-sign-up", "--client-id", client, "--username", "ada", "--confirmation-code", code,
        "--no-sign-request")
    assert not isinstance(confirmed, str), confirmed
    assert "NotAuthorizedException" in sign_in(client, "ada", "Wr0ng!pass")
    tokens = sign_in(client, "ada")["AuthenticationResult"]
    user = idp("get-user", "--access-token", tokens["AccessToken"], "--no-sign-request")
    assert user["Username"] == "ada", user
    fresh = idp(
        "get-tokens-from-refresh-token", "--client-id", client, "--refresh-token", tokens["RefreshToken"],
        "--no-sign-request")["AuthenticationResult"]
    assert "RefreshToken" not in fresh and fresh["AccessToken"] != tokens["AccessToken"]
    idp("revoke-token", "--client-id", client, "--token", tokens["RefreshToken"], "--no-sign-request")
    for token in (tokens["AccessToken"], fresh["AccessToken"]):
        assert "revoked" in idp("get-user", "--access-token", token, "--no-sign-request")
    idp("admin-disable-user", "--user-pool-id", pool, "--username", "ada")
    assert "User is disabled." in sign_in(client, "ada")
    listed = idp("list-users", "--user-pool-id", pool, "--filter", 'email = "ada@example.com"')["Users"]
    assert [(user["Username"], user["Enabled"]) for user in listed] == [("ada", False)], listed


@check("awscli says who signs, as an operator, a guest and nobody")
def callers():
    assert aws("sts", "get-caller-identity")["UserId"] == KEY["accessKeyId"]
    pool = aws(
        "cognito-identity", "create-identity-pool", "--identity-pool-name", "cli",
        "--allow-unauthenticated-identities")["IdentityPoolId"]
    identity = aws("cognito-identity", "get-id", "--identity-pool-id", pool, "--no-sign-request")["IdentityId"]
    given = aws(
        "cognito-identity", "get-credentials-for-identity", "--identity-id", identity, "--no-sign-request")["Credentials"]
    guest = {
        "AWS_ACCESS_KEY_ID": given["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": given["SecretKey"],
        "AWS_SESSION_TOKEN": given["SessionToken"],
    }
    assert "cli-unauthRole" in aws("sts", "get-caller-identity", credentials=guest)["Arn"]
    assert "UnrecognizedClientException" in idp("list-user-pools", "--max-results", "1", credentials=guest)
    wrong = ADMINISTRATOR | {"AWS_SECRET_ACCESS_KEY": "x" * 40}
    assert "UnrecognizedClientException" in idp("list-user-pools", "--max-results", "1", credentials=wrong)


sys.exit(1 if failed else 0)
