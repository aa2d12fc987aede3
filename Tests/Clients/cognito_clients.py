"""Real clients against the user pools of a server: boto3, pycognito, authlib and PyJWT.

    python3 cognito_clients.py http://127.0.0.1:20002 access-key.json 'syncline outbox --data DIR'

Prints a line for each check and ends with 1 if one failed."""

import base64
import hashlib
import html
import json
import os
import re
import secrets
import subprocess
import sys

import boto3
import jwt
import requests
from authlib.integrations.requests_client import OAuth2Session
from botocore.exceptions import ClientError
from pycognito import Cognito
from pycognito.aws_srp import AWSSRP

URL, KEY_FILE, OUTBOX = sys.argv[1:4]
KEY = json.load(open(KEY_FILE))
# For the clients that pycognito makes by itself.
os.environ |= {
    "AWS_ENDPOINT_URL": URL, "AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": KEY["accessKeyId"],
    "AWS_SECRET_ACCESS_KEY": KEY["secretAccessKey"],
}
PASSWORD = "Passw0rd!"
failed = 0


def client(service, **keys):
    keys = keys or {"aws_access_key_id": KEY["accessKeyId"], "aws_secret_access_key": KEY["secretAccessKey"]}
    return boto3.client(service, endpoint_url=URL, region_name="us-east-1", **keys)


idp = client("cognito-idp")


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


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
        return error.response["Error"]["Message"]
    raise AssertionError(f"no {code}")


def code():
    lines = subprocess.run(OUTBOX, shell=True, capture_output=True, text=True, check=True).stdout.splitlines()
    return json.loads(lines[-1])["code"]


def make(client_settings=None, **settings):
    pool = idp.create_user_pool(PoolName="clients", **settings)["UserPool"]["Id"]
    flows = ["SRP", "PASSWORD"]
    made = idp.create_user_pool_client(
        UserPoolId=pool, ClientName="app",
        ExplicitAuthFlows=[f"ALLOW_USER_{flow}_AUTH" for flow in flows] + ["ALLOW_REFRESH_TOKEN_AUTH"],
        **(client_settings or {}))["UserPoolClient"]
    return pool, made["ClientId"], made.get("ClientSecret")


def user(pool, name, password=PASSWORD):
    idp.admin_create_user(UserPoolId=pool, Username=name, MessageAction="SUPPRESS")
    idp.admin_set_user_password(UserPoolId=pool, Username=name, Password=password, Permanent=True)


def cognito(pool, app, name=None, secret=None):
    return Cognito(pool, app, client_secret=secret, username=name, boto3_client_kwargs={"endpoint_url": URL})


@check("pycognito registers, confirms with the code, signs in by SRP and verifies the tokens against the keys")
def _():
    pool, app, _ = make(AutoVerifiedAttributes=["email"])
    person = cognito(pool, app)
    person.set_base_attributes(email="jane@example.com")
    person.register("jane", PASSWORD)
    person.confirm_sign_up(code(), username="jane")
    person = cognito(pool, app, "jane")
    person.authenticate(password=PASSWORD)
    assert person.id_claims["email_verified"] is True
    person.renew_access_token()
    assert person.get_user().email == "jane@example.com"
    token = person.access_token
    person.logout()
    refused("NotAuthorizedException", idp.get_user, AccessToken=token)


@check("SRP with names and passwords of other scripts, and with a client's secret")
def _():
    pool, app, secret = make({"GenerateSecret": True})
    for name, password in [("jané", "Passwörd1!"), ("李明", "密码Passw0rd!"), ("😀", "😀Passw0rd!😀")]:
        user(pool, name, password)
        cognito(pool, app, name, secret).authenticate(password=password)
    message = refused("NotAuthorizedException", cognito(pool, app, "jané", secret).authenticate, password="wrong")
    assert message == "Incorrect username or password."


@check("a temporary password is replaced by SRP")
def _():
    pool, app, _ = make()
    idp.admin_create_user(UserPoolId=pool, Username="jane", TemporaryPassword="Temp-0rary", MessageAction="SUPPRESS")
    srp = AWSSRP("jane", "Temp-0rary", pool, app, client=idp)
    assert "AuthenticationResult" in srp.set_new_password_challenge(PASSWORD)


@check("a device is remembered and signs in by its own password")
def _():
    pool, app, _ = make(DeviceConfiguration={"ChallengeRequiredOnNewDevice": True, "DeviceOnlyRememberedOnUserPrompt": False})
    user(pool, "jane")
    srp = AWSSRP("jane", PASSWORD, pool, app, client=idp)
    result = srp.authenticate_user()
    metadata = result["AuthenticationResult"]["NewDeviceMetadata"]
    # pycognito sends this one request by itself, to the host of AWS.
    post = requests.post
    requests.post = lambda url, **rest: post(re.sub("^https://[^/]+", URL, url), **rest)
    try:
        response, password = srp.confirm_device(result)
    finally:
        requests.post = post
    assert response.ok and response.json()["UserConfirmationNecessary"] is False, response.text
    again = AWSSRP(
        "jane", PASSWORD, pool, app, client=idp, device_key=metadata["DeviceKey"],
        device_group_key=metadata["DeviceGroupKey"], device_password=password)
    assert "AccessToken" in again.authenticate_user()["AuthenticationResult"]


@check("refresh gives no new refresh token; a revoked session ends at once")
def _():
    pool, app, _ = make()
    user(pool, "jane")
    tokens = idp.initiate_auth(
        ClientId=app, AuthFlow="USER_PASSWORD_AUTH", AuthParameters={"USERNAME": "jane", "PASSWORD": PASSWORD}
    )["AuthenticationResult"]
    new = idp.get_tokens_from_refresh_token(ClientId=app, RefreshToken=tokens["RefreshToken"])["AuthenticationResult"]
    assert "RefreshToken" not in new
    idp.revoke_token(ClientId=app, Token=tokens["RefreshToken"])
    assert refused("NotAuthorizedException", idp.get_user, AccessToken=new["AccessToken"]) == "Access Token has been revoked"
    refused("NotAuthorizedException", idp.get_tokens_from_refresh_token, ClientId=app, RefreshToken=tokens["RefreshToken"])


@check("every page of users, groups and their order in the token")
def _():
    pool, app, _ = make()
    for index in range(7):
        user(pool, f"user{index}")
    pages = list(idp.get_paginator("list_users").paginate(UserPoolId=pool, PaginationConfig={"PageSize": 3}))
    assert [len(page["Users"]) for page in pages] == [3, 3, 1]
    for name, precedence in [("b", 2), ("a", 1)]:
        idp.create_group(UserPoolId=pool, GroupName=name, Precedence=precedence)
        idp.admin_add_user_to_group(UserPoolId=pool, GroupName=name, Username="user1")
    person = cognito(pool, app, "user1")
    person.authenticate(password=PASSWORD)
    assert person.access_claims["cognito:groups"] == ["a", "b"]


@check("sign-up on the hosted pages, the code flow with PKCE, OpenID Connect, and a code that is used twice")
def _():
    pool, app, _ = make(
        {
            "CallbackURLs": ["landmarks://callback/"], "LogoutURLs": ["landmarks://signout/"],
            "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid", "email", "aws.cognito.signin.user.admin"],
            "AllowedOAuthFlowsUserPoolClient": True,
        }, AutoVerifiedAttributes=["email"])
    document = requests.get(f"{URL}/{pool}/.well-known/openid-configuration").json()
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    browser = requests.Session()

    def submit(page, **fields):
        action = html.unescape(re.search(r'action="([^"]*)"', page.text)[1])
        hidden = re.findall(r'<input [^>]*hidden"? name="([^"]*)" value="([^"]*)"', page.text)
        fields |= {html.unescape(name): html.unescape(value) for name, value in hidden}
        return browser.post(URL + action, data=fields, allow_redirects=False)

    query = {
        "client_id": app, "response_type": "code", "redirect_uri": "landmarks://callback/", "state": "a b&c",
        "scope": "aws.cognito.signin.user.admin email openid", "code_challenge": challenge,
        "code_challenge_method": "S256", "nonce": "n",
    }
    page = browser.get(document["authorization_endpoint"], params=query)
    page = browser.get(URL + html.unescape(re.search(r'href="(/signup[^"]*)"', page.text)[1]))
    page = submit(page, username="jane", password=PASSWORD, **{"requiredAttributes[email]": "jane@example.com"})
    answer = submit(page, code=code())
    assert answer.status_code == 302 and answer.headers["Location"].endswith("&state=a%20b%26c"), answer.text
    grant = {
        "grant_type": "authorization_code", "code": re.search("code=([^&]*)", answer.headers["Location"])[1],
        "code_verifier": verifier, "redirect_uri": "landmarks://callback/",
    }
    session = OAuth2Session(app, token_endpoint_auth_method="none")
    tokens = session.fetch_token(document["token_endpoint"], **grant)
    key = jwt.PyJWKClient(document["jwks_uri"]).get_signing_key_from_jwt(tokens["id_token"]).key
    claims = jwt.decode(tokens["id_token"], key, algorithms=["RS256"], audience=app, issuer=document["issuer"])
    assert claims["nonce"] == "n" and claims["email"] == "jane@example.com"
    bearer = {"Authorization": "Bearer " + tokens["access_token"]}
    assert requests.get(document["userinfo_endpoint"], headers=bearer).json()["email_verified"] == "true"
    again = requests.post(document["token_endpoint"], data=grant | {"client_id": app})
    assert again.json() == {"error": "invalid_grant"}
    refused("NotAuthorizedException", idp.get_user, AccessToken=tokens["access_token"])


@check("an identity pool gives credentials whose signature is verified; guests only where they may")
def _():
    pool, app, _ = make()
    user(pool, "jane")
    identities = client("cognito-identity")
    made = identities.create_identity_pool(IdentityPoolName="p", AllowUnauthenticatedIdentities=False)["IdentityPoolId"]
    refused("NotAuthorizedException", identities.get_id, IdentityPoolId=made)
    person = cognito(pool, app, "jane")
    person.authenticate(password=PASSWORD)
    logins = {f"cognito-idp.us-east-1.amazonaws.com/{pool}": person.id_token}
    identity = identities.get_id(IdentityPoolId=made, Logins=logins)["IdentityId"]
    assert identity == identities.get_id(IdentityPoolId=made, Logins=logins)["IdentityId"]
    keys = identities.get_credentials_for_identity(IdentityId=identity, Logins=logins)["Credentials"]
    names = {"aws_access_key_id": "AccessKeyId", "aws_secret_access_key": "SecretKey", "aws_session_token": "SessionToken"}
    sts = client("sts", **{name: keys[member] for name, member in names.items()})
    assert "assumed-role/p-authRole" in sts.get_caller_identity()["Arn"]
    wrong = client("sts", aws_access_key_id=keys["AccessKeyId"], aws_secret_access_key="x", aws_session_token=keys["SessionToken"])
    refused("InvalidClientTokenId", wrong.get_caller_identity)


@check("operations of the administration with wrong keys are refused")
def _():
    stranger = client("cognito-idp", aws_access_key_id=KEY["accessKeyId"], aws_secret_access_key="wrong")
    refused("UnrecognizedClientException", stranger.list_user_pools, MaxResults=1)


sys.exit(1 if failed else 0)
