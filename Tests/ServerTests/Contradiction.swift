import Testing

/// A configuration that contradicts itself, in which `¶` begins the line that is wrong, and a part of the message.
struct Contradiction: Sendable, CustomTestStringConvertible {
    let text: String
    let message: String

    init(_ text: String, _ message: String) { (self.text, self.message) = (text, message) }

    var testDescription: String { message }

    static func pool(_ members: String, _ message: String) -> Self {
        Self(#"{"userPool": {"name": "x", \#(members)}}"#, message)
    }

    static func client(_ members: String, _ message: String, pool: String = "") -> Self {
        Self(#"{"userPool": {"name": "x", \#(pool)"clients": [{"name": "app", \#(members)}]}}"#, message)
    }

    static func user(_ user: String, _ message: String, pool: String = "") -> Self {
        Self(#"{"userPool": {"name": "x", \#(pool)"users": [\#(user)]}}"#, message)
    }
}

extension Contradiction {
    static let ofPools: [Self] = [
        .pool(#"¶"autoVerifiedAttributes": ["shoe"]"#, #"'autoVerifiedAttributes' is of email, phone_number"#),
        .pool(
            #""usernameAttributes": ["email"], ¶"aliasAttributes": ["phone_number"]"#,
            "Only one of 'aliasAttributes' and 'usernameAttributes'"),
        .pool(#""requiredAttributes": ["email", ¶"shoe"]"#, #"names "shoe", which is no attribute"#),
        .pool(#"¶"requiredAttributes": ["email_verified"]"#, "which no client may write"),
        .pool(
            #""customAttributes": [{"name": "level"}], ¶"requiredAttributes": ["custom:level"]"#,
            "Required custom attributes"),
        .pool(#""customAttributes": [{"name": "level", ¶"required": true}]"#, "Required custom attributes"),
        .pool(#""customAttributes": [{"name": "level"}, {¶"name": "level"}]"#, "Existing attribute already has name"),
        .pool(#""customAttributes": [{"name": "level", ¶"dataType": "Number"}]"#, "Unknown key"),
        .pool(
            #""schema": [{"name": "email", ¶"attributeDataType": "Number"}]"#, "You can not change AttributeDataType"),
        .pool(
            #""customAttributes": [{"name": "a", "stringAttributeConstraints": {¶"minLength": "9", "maxLength": 3}}]"#,
            "the minimum 9 is greater than the maximum 3"),
        .pool(
            #""customAttributes": [{"name": "a", ¶"numberAttributeConstraints": {"minValue": "1"}}]"#,
            "to which 'numberAttributeConstraints' does not apply"),
        .pool(#""passwordPolicy": {¶"minimumLength": 5}"#, "is a whole number from 6 to 99"),
        .pool(#""passwordPolicy": {¶"requireNumber": true}"#, "Unknown key 'passwordPolicy.requireNumber'"),
        .pool(
            #""passwordPolicy": {"temporaryPasswordValidityDays": 3}, "adminCreateUserConfig": {¶"unusedAccountValidityDays": 9}"#,
            "both are the time of a temporary password"),
        .pool(#""mfaConfiguration": "OFF", ¶"enabledMfas": ["SMS_MFA"]"#, "'mfaConfiguration' is OFF"),
        .pool(#"¶"enabledMfas": ["SOFTWARE_TOKEN_MFA"]"#, "'mfaConfiguration' is OFF"),
        .pool(#""mfaConfiguration": "ON", ¶"enabledMfas": []"#, "'enabledMfas' has no factor"),
        .pool(#""mfaConfiguration": "OPTIONAL", ¶"enabledMfas": []"#, "'enabledMfas' has no factor"),
        .pool(#""mfaConfiguration": "ON", ¶"enabledMfas": ["SMS_MFA"]"#, "codes go to phone_number alone"),
        .pool(#""mfaConfiguration": "ON", ¶"enabledMfas": ["EMAIL_OTP"]"#, "codes go to email alone"),
        .pool(
            #""verificationMessageTemplate": {¶"defaultEmailOption": "CONFIRM_WITH_LINK"}"#, "Confirmation by a link"),
        .pool(#"¶"lambdaConfig": {"preSignUp": "none"}"#, "There is no function none"),
        .pool(#"¶"domain": "https://auth.example.com""#, #""https://auth.example.com" is no host name"#),
        .pool(#"¶"domain": "auth example""#, "is no host name"),
        .pool(#""style": {¶"logo": "http://example.com/logo.png"}"#, "A logo is https://…, /PATH or data:image/…"),
        .pool(#""style": {"title": "x", ¶"primaryColor": "red"}"#, "A colour is written as #1a2b3c"),
        .pool(#""hosts": ["auth.example.com", ¶"auth.example.com:443"]"#, #""auth.example.com:443" is no host name"#),
        .pool(#""hosts": [¶"*.example.com"]"#, "is no host name"),
        .pool(
            #"¶"lambdaConfig": {"preSignUp": "arn:aws:lambda:us-east-1:1:function:none"}"#,
            "There is no function arn:aws"),
        .pool(
            #""lambdaConfig": {¶"defineAuthChallenge": "http://localhost:1/"}"#,
            "'createAuthChallenge' and 'verifyAuthChallengeResponse' is missing"),
        .pool(#""lambdaConfig": {¶"preTokenGenerationConfig": {"lambdaVersion": "V2_0"}}"#, "names no function"),
        .pool(
            #""lambdaConfig": {"preTokenGeneration": "http://h/a", "preTokenGenerationConfig": {¶"lambdaArn": "http://h/b"}}"#,
            "name two functions"),
        .pool(#""groups": [{"name": "staff"}, ¶{"name": "staff"}]"#, #"Two groups have the name "staff""#),
        .pool(#""groups": [{"name": "staff"}, {¶"name": "a b"}]"#, "no spaces or hidden characters"),
        .pool(#""groups": [{¶"name": "\u202estaff"}]"#, "no spaces or hidden characters"),
        .pool(#""groups": [{¶"name": "x\ny"}]"#, "no spaces or hidden characters"),
        .pool(
            #""groups": [{¶"name": "\#(String(repeating: "n", count: 129))"}]"#, "has at most 128 characters"),
        .pool(#""groups": [{"name": "staff", ¶"roleArn": "x"}]"#, "'roleArn' is the ARN of a role"),
        .pool(
            #""customAttributes": [{"name": "a", "mutable": false}], "identityProviders": [¶{"name": "C", "issuer": "https://c.example", "clientId": "x", "attributeMapping": {"custom:a": "a"}}]"#,
            "which is immutable"),
        .pool(
            #""requiredAttributes": ["birthdate"], "identityProviders": [¶{"name": "C", "issuer": "https://c.example", "clientId": "x"}]"#,
            #"does not map to "birthdate", which is required"#),
        .pool(
            #""identityProviders": [{"type": "Google", "clientId": "x"}, ¶{"type": "Google", "clientId": "y"}]"#,
            "has the name of another one"),
        .pool(#"¶"clients": {"name": "app"}"#, "is a list of objects"),
        .pool(#"¶"id": "us-east-1_a_b""#, "A user pool's id is"),
    ]

    static let ofClients: [Self] = [
        .client(#"¶"allowedOAuthFlows": ["client_credentials"]"#, "does not have a client secret"),
        .client(
            #""secret": "s", "callbackURLs": ["a://b"],¶"allowedOAuthFlows": ["client_credentials", "code"]"#,
            "along with code flow"),
        .client(#"¶"allowedOAuthFlows": ["code"]"#, "there is no callback URL"),
        .client(#"¶"allowedOAuthFlowsUserPoolClient": true"#, "AllowedOAuthFlows and AllowedOAuthScopes are required"),
        .client(#""callbackURLs": ["a://b"], ¶"allowedOAuthFlowsUserPoolClient": false"#, "is false, and the client"),
        .client(
            #""callbackURLs": ["a://b"], "allowedOAuthScopes": ["openid", ¶"mail"]"#, "Invalid scope requested: mail"),
        .client(#""callbackURLs": ["a://b"], ¶"defaultRedirectURI": "a://c""#, "is not one of 'callbackURLs'"),
        .client(#""callbackURLs": ["a://b"], "logoutURLs": ["a://b", ¶"a://b#c"]"#, "is no address to return to"),
        .client(
            #""tokenValidityUnits": {"refreshToken": "hours"}, "refreshTokenValidity": 1, ¶"accessTokenValidity": 2"#,
            "the refresh token is valid for 3600 seconds only"),
        .client(
            #"¶"idTokenValidity": 24, "refreshTokenValidity": 23, "tokenValidityUnits": {"refreshToken": "hours"}"#,
            "the refresh token is valid for 82800 seconds only"),
        .client(#"¶"accessTokenValidity": 25"#, "Invalid range for token validity"),
        .client(#""tokenValidityUnits": {¶"accessToken": "fortnights"}"#, "is seconds, minutes, hours or days"),
        .client(#""tokenValidityUnits": {¶"access": "hours"}"#, "Unknown key"),
        .client(#"¶"supportedIdentityProviders": ["Google"]"#, "The provider Google does not exist"),
        .client(#""readAttributes": ["email", ¶"shoe"]"#, "Invalid read attributes"),
        .client(#""writeAttributes": [¶"email_verified"]"#, "Invalid write attributes"),
        .client(
            #"¶"writeAttributes": ["name"]"#, "'writeAttributes' lacks email",
            pool: #""requiredAttributes": ["email"], "#),
        .client(#"¶"preventUserExistenceErrors": "YES""#, "is ENABLED or LEGACY"),
        .client(#""refreshTokenRotation": {¶"feature": "enabled"}"#, "is ENABLED or DISABLED"),
        .client(
            #""refreshTokenRotation": {"feature": "ENABLED"}, ¶"explicitAuthFlows": ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]"#,
            "ALLOW_REFRESH_TOKEN_AUTH"),
        .client(#"¶"generateSecret": true"#, "is written down"),
        .client(
            #"¶"explicitAuthFlows": ["USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]"#, "with and without ALLOW_"),
        .client(#"¶"explicitAuthFlows": ["ALLOW_CUSTOM_AUTH"]"#, "allows CUSTOM_AUTH alone"),
        .client(#"¶"explicitAuthFlows": ["ALLOW_REFRESH_TOKEN_AUTH"]"#, "allows no way to sign in"),
    ]

    static let ofUsers: [Self] = [
        .user(#"{"username": "ada", "groups": [¶"staff"]}"#, #""staff" is no group"#),
        .user(#"{¶"username": "ada"}"#, "has no email", pool: #""requiredAttributes": ["email"], "#),
        .user(
            #"{"username": "ada", ¶"attributes": {"name": "A"}}"#, "has no email",
            pool: #""requiredAttributes": ["email"], "#),
        .user(#"{"username": "ada", ¶"password": "short"}"#, "Password not long enough"),
        .user(#"{¶"username": "ada"}"#, "Username should be an email", pool: #""usernameAttributes": ["email"], "#),
        .user(#"{"username": "ada", ¶"attributes": {"email": "x"}}"#, "Invalid email address format"),
        .user(#"{"username": "ada", ¶"attributes": {"email_verified": true}}"#, "is a text, and not true"),
        .user(#"{"username": "ada", ¶"attributes": {"email_verified": "true"}}"#, "the user has no email"),
        .user(#"{"username": "ada", ¶"attributes": {"shoe": "42"}}"#, #""shoe" is no attribute"#),
        .user(#"{"username": "ada"}, {¶"username": "Ada"}"#, #"Two users have the name "Ada""#),
    ]

    static let ofSeveral: [Self] = [
        Self(
            #"{"userPool": [{"id": "us-east-1_a"}, {¶"id": "us-east-1_a"}]}"#,
            "Two user pools have the same id, us-east-1_a"),
        Self(#"{"userPool": [{"name": "a"}, ¶{"name": "a"}]}"#, "Two user pools have the same id"),
        Self(
            #"{"userPool": [{"name": "a", "domain": "a.example"}, {"name": "b", ¶"domain": "a.example"}]}"#,
            "Two user pools have the domain"),
        Self(
            #"{"userPool": [{"name": "a", "hosts": ["a.example"]}, {"name": "b", "hosts": [¶"A.example"]}]}"#,
            "Two user pools have the host"),
        Self(
            #"{"userPool": {"name": "a", "clients": [{"id": "one"}, {¶"id": "one"}]}}"#,
            "Two clients have the same id, one"),
        Self(
            #"{"userPool": {"clients": [{"name": "one"}, ¶{"name": "one"}]}}"#, "Two clients have the same id"),
        Self(
            #"{"userPool": [{"name": "a", "clients": [{"id": "one"}]}, {"name": "b", "clients": [{¶"id": "one"}]}]}"#,
            "Two clients have the same id, one"),
        Self(
            #"{"userPool": {"id": "us-east-1_a"}, "identityPool": {¶"userPools": ["us-east-1_b"]}}"#,
            "There is no user pool us-east-1_b"),
        Self(
            #"{"userPool": {"id": "us-east-1_a"}, "identityPool": {¶"cognitoIdentityProviders": [{"providerName": "cognito-idp.us-east-1.amazonaws.com/us-east-1_a", "clientId": "none"}]}}"#,
            "has no client none"),
        Self(#"{"identityPool": {¶"id": "guests"}}"#, "An identity pool's id is a region"),
        Self(#"{"identityPool": {¶"roleMapping": "rules"}}"#, "'roleMapping' is token or none"),
        Self(
            #"{"identityPool": [{"name": "a"}, {"name": "b", ¶"allowUnauthenticatedIdentities": 1}]}"#,
            "is true or false"),
        Self(#"{"identityPool": [{"name": "a"}, ¶"b"]}"#, "or a list of objects"),
        Self(#"{"identityPool": [{"name": "a"}, ¶{"name": "a"}]}"#, "Two identity pools have the same id"),
        Self(
            #"{"accessKeys": [{"id": "A", "secret": "s"}, {¶"id": "A", "secret": "t"}]}"#,
            "Two access keys have the id A"),
        Self(
            #"{"accessKeys": [{"id": "A", "secret": "s", ¶"services": "s3"}]}"#, "'services' is a list of texts"),
        Self(#"{"accessKeys": [{"id": "A", "secret": "s", ¶"service": ["s3"]}]}"#, "Unknown key 'service'"),
        Self(
            #"{"accessKeys": [{"id": "A", "secret": "s", "services": ["s3", ¶"mobiletargetting"]}]}"#,
            "unknown service 'mobiletargetting'"),
    ]
}
