import Encodings
import Foundation
import JSON
import Synchronization
import Testing

@testable import UserPools

/// People sign in to one pool by another, which is their provider of OpenID Connect.
@Suite("Sign-in by an OpenID Connect provider", .serialized)
struct FederationTests {
    private static let appPool = "us-east-1_application"
    private static let query =
        "client_id=theapp&response_type=code&scope=openid%20email&redirect_uri=myapp%3A%2F%2Fcallback%2F&state=s1"

    /// A stage with a pool that provides, whose user is jane, and a pool that people sign in to by it.
    private static func makeStage(
        _ settings: JSONObject = [:], client: JSONObject = [:], pool poolSettings: JSONObject = [:],
        publicURL: String? = nil, limits change: (inout UserPoolLimits) -> Void = { _ in }
    ) async throws -> PoolStage {
        var limits = UserPoolLimits()
        change(&limits)
        let stage = try PoolStage(limits: limits)
        let house = try await stage.makePool(
            [:],
            client: [
                "GenerateSecret": true, "AllowedOAuthFlows": ["code"],
                "AllowedOAuthScopes": ["openid", "email", "profile"], "AllowedOAuthFlowsUserPoolClient": true,
                "CallbackURLs": [.string("\(TestBrowser.base)/oauth2/idpresponse")],
            ])
        try await stage.makeUser(
            "jane", in: house.pool,
            [
                ["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"],
                ["Name": "name", "Value": "Jane"],
            ])
        let described = try await stage.get(
            "DescribeUserPoolClient", ["UserPoolId": .string(house.pool), "ClientId": .string(house.client)])
        let secret = try #require(described["UserPoolClient"]?["ClientSecret"])
        var provider: JSONObject = [
            "name": "House", "issuer": .string("\(TestBrowser.base)/\(house.pool)"),
            "clientId": .string(house.client), "clientSecret": secret,
        ]
        for (name, value) in settings { provider[name] = value }
        var object: JSONObject = ["name": "app", "identityProviders": [.object(provider)]]
        for (name, value) in poolSettings { object[name] = value }
        var clientObject: JSONObject = [
            "name": "app", "callbackURLs": ["myapp://callback/"], "explicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"],
        ]
        for (name, value) in client { clientObject[name] = value }
        let reader = SettingsReader(object)
        var configuration = UserPoolConfiguration(publicURL: publicURL, servedURL: TestBrowser.base)
        configuration.pools = [UserPool(Self.appPool, reader, isConfiguration: true)]
        configuration.clients = [
            UserPools.client(clientObject, id: "theapp", poolID: Self.appPool, SettingsReader(clientObject))
        ]
        #expect(reader.problems == [])
        try await stage.pools.serve(configuration)
        Self.connect(stage)
        return stage
    }

    /// Has the stage's own pages answer what is asked of a provider.
    private static func connect(
        _ stage: PoolStage, change: @escaping @Sendable (String, inout JSONObject) async -> Void = { _, _ in }
    ) {
        stage.providers.answer.withLock {
            $0 = { [unowned stage] request in
                let path = request.url.replacingOccurrences(of: TestBrowser.base, with: "")
                let pool = String(path.dropFirst().prefix { $0 != "/" })
                var answer: (status: Int, object: JSONObject)
                if path.hasSuffix("openid-configuration") {
                    answer = (200, stage.pools.openIDConfiguration(of: pool)?.objectValue ?? [:])
                } else if path.hasSuffix("jwks.json") {
                    answer = (200, await stage.pools.jsonWebKeySet(of: pool)?.objectValue ?? [:])
                } else {
                    let form = TestBrowser.parameters(String(decoding: request.form ?? [], as: UTF8.self))
                    let response = await stage.pools.respond(
                        to: HostedRequest(
                            method: request.form == nil ? "GET" : "POST", path: path, query: "", parameters: [:],
                            form: form, cookies: [:],
                            authorization: request.headers.first { $0.name == "Authorization" }?.value,
                            isSecure: false,
                            caller: Caller(
                                address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: TestBrowser.base)))
                    answer = (response.status, (try? JSONReader.read(response.body))?.objectValue ?? [:])
                }
                await change(path, &answer.object)
                return .init(status: answer.status, body: Array(JSONValue.object(answer.object).description.utf8))
            }
        }
    }

    /// The `iss` of the provider's answers.
    private static func issuer(_ stage: PoolStage) -> String {
        let house = stage.pools.directory.pools.first { $0.id != appPool }?.id ?? ""
        return "&iss=\(Percent.encode("\(TestBrowser.base)/\(house)"))"
    }

    /// Signs jane in by her provider.
    private static func signIn(_ browser: TestBrowser) async throws {
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.follow("Continue with House")
        if browser.left == nil, browser.status == 200, browser.html.contains("name=\"password\"") {
            try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        }
    }

    /// The claims of the ID token that the browser's code is worth.
    private static func claims(_ browser: TestBrowser) async throws -> JSONObject {
        let left = try #require(browser.left, "\(browser.html)")
        #expect(left.hasPrefix("myapp://callback/?"))
        let parameters = TestBrowser.parameters(String(left.split(separator: "?").last ?? ""))
        #expect(parameters["state"] == "s1")
        let code = try #require(parameters["code"], "\(left)")
        let response = await browser.pools.respond(
            to: HostedRequest(
                method: "POST", path: "/oauth2/token", query: "", parameters: [:],
                form: [
                    "grant_type": "authorization_code", "client_id": "theapp", "code": code,
                    "redirect_uri": "myapp://callback/",
                ], cookies: [:], authorization: nil, isSecure: false,
                caller: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: TestBrowser.base)))
        let tokens = try #require(try JSONReader.read(response.body).objectValue)
        return try Tokens.claims(try #require(tokens["id_token"]?.stringValue, "\(tokens)"))
    }

    @Test("a new user is made of the provider's claims, found again, and changed with them")
    func signIn() async throws {
        let stage = try await Self.makeStage()
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        let claims = try await Self.claims(browser)
        let provider = try #require(browser.visited.first { $0.contains("code_challenge=") })
        #expect(provider.contains("/oauth2/authorize?client_id=") && provider.contains("nonce="))
        #expect(claims["email"] == "jane@example.com")
        #expect(claims["email_verified"] == true)
        let identity = try #require(claims["identities"]?.arrayValue?.first)
        #expect(identity["providerName"] == "House" && identity["providerType"] == "OIDC")
        let username = try #require(claims["cognito:username"]?.stringValue)
        #expect(username == "House_\(identity["userId"]?.stringValue ?? "")")
        #expect(claims["cognito:groups"] == [.string("\(Self.appPool)_House")])
        let user = try await stage.get(
            "AdminGetUser", ["UserPoolId": .string(Self.appPool), "Username": .string(username)])
        #expect(user["UserStatus"] == "EXTERNAL_PROVIDER")
        let identities = user["UserAttributes"]?.arrayValue?.first { $0["Name"] == "identities" }
        #expect(identities?["Value"]?.stringValue?.contains("\"providerName\":\"House\"") == true)
        // The second sign-in, in another browser, after the name has changed.
        #expect(user["UserAttributes"]?.arrayValue?.contains(["Name": "name", "Value": "Jane"]) == true)
        let house = try #require(stage.pools.directory.pools.first { $0.id != Self.appPool }?.id)
        try await stage.get(
            "AdminUpdateUserAttributes",
            [
                "UserPoolId": .string(house), "Username": "jane",
                "UserAttributes": [["Name": "name", "Value": "Jane Doe"]],
            ])
        let other = TestBrowser(stage.pools)
        try await Self.signIn(other)
        let again = try await Self.claims(other)
        #expect(again["sub"] == claims["sub"])
        let changed = try await stage.get(
            "AdminGetUser", ["UserPoolId": .string(Self.appPool), "Username": .string(username)])
        #expect(changed["UserAttributes"]?.arrayValue?.contains(["Name": "name", "Value": "Jane Doe"]) == true)
        // Neither a password nor a code signs them in.
        await stage.expect(
            "NotAuthorizedException", nil, "InitiateAuth",
            [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": "theapp",
                "AuthParameters": ["USERNAME": .string(username), "PASSWORD": "Passw0rd!"],
            ])
        let messageCount = stage.messages.count
        try await stage.get("ForgotPassword", ["ClientId": "theapp", "Username": .string(username)])
        #expect(stage.messages.count == messageCount)
        await stage.expect(
            "InvalidParameterException", nil, "SignUp",
            ["ClientId": "theapp", "Username": "house_x", "Password": "Passw0rd!"])
        // A deleted user comes again as a new one.
        try await stage.get("AdminDeleteUser", ["UserPoolId": .string(Self.appPool), "Username": .string(username)])
        let third = TestBrowser(stage.pools)
        try await Self.signIn(third)
        let made = try await Self.claims(third)
        #expect(made["sub"] != claims["sub"] && made["cognito:username"] == claims["cognito:username"])
        #expect(stage.providers.failures.withLock { $0 } == [])
    }

    @Test(
        "a name with the prefix of a provider is answered with itself, whether or not a user has it",
        arguments: [["email"], []] as [JSONValue])
    func prefixedNames(usernameAttributes: JSONValue) async throws {
        let stage = try await Self.makeStage(
            client: [
                "explicitAuthFlows": ["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH"],
                "preventUserExistenceErrors": "ENABLED",
            ], pool: ["usernameAttributes": usernameAttributes])
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        let username = try #require(try await Self.claims(browser)["cognito:username"]?.stringValue)
        func shown(_ name: String) async throws -> (name: String?, salt: JSONValue?) {
            let begun = try await stage.get(
                "InitiateAuth",
                [
                    "AuthFlow": "USER_SRP_AUTH", "ClientId": "theapp",
                    "AuthParameters": ["USERNAME": .string(name), "SRP_A": "abcdef"],
                ])
            return (begun["ChallengeParameters"]?["USERNAME"]?.stringValue, begun["ChallengeParameters"]?["SALT"])
        }
        for name in [username, "House_0b6f5c1e-7a52-4c39-9d0e-3f1a2b4c5d6e"] {
            let (own, lower) = (try await shown(name), try await shown(name.lowercased()))
            #expect(own.name == name && lower.name == name)
            #expect(own.salt == lower.salt)
        }
    }

    @Test("a provider sends the browser back to publicURL or to a host of the pool, whatever Host a request names")
    func callback() async throws {
        func callback(_ base: String, publicURL: String?) async throws -> String? {
            let stage = try await Self.makeStage(
                pool: ["hosts": ["login.example.com"], "domain": "house"], publicURL: publicURL)
            // The provider's own issuer does not change with publicURL.
            Self.connect(stage) { path, answer in
                guard path.hasSuffix("openid-configuration") else { return }
                answer["issuer"] = .string("\(TestBrowser.base)/\(path.dropFirst().prefix { $0 != "/" })")
            }
            let query = Self.query + "&identity_provider=House"
            let response = await stage.pools.respond(
                to: HostedRequest(
                    method: "GET", path: "/oauth2/authorize", query: query, parameters: TestBrowser.parameters(query),
                    form: [:], cookies: [:], authorization: nil, isSecure: false,
                    caller: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: base)))
            let location = try #require(response.fields.first { $0.name == "Location" }?.value)
            return TestBrowser.parameters(String(location.split(separator: "?").last ?? ""))["redirect_uri"]
        }
        for (base, publicURL, expected) in [
            ("http://evil.example", "https://api.example.com", "https://api.example.com"),
            ("http://house.auth.evil.example", "https://api.example.com", "https://api.example.com"),
            ("http://api.example.com", "https://api.example.com", "https://api.example.com"),
            ("https://login.example.com", "https://api.example.com", "https://login.example.com"),
            ("https://LOGIN.example.com:8443", nil, "https://LOGIN.example.com:8443"),
            ("http://localhost:20002", nil, "http://localhost:20002"),
        ] as [(String, String?, String)] {
            #expect(try await callback(base, publicURL: publicURL) == "\(expected)/oauth2/idpresponse", "\(base)")
        }
    }

    @Test("the same verified address is the same person only where the pool is told so")
    func linking() async throws {
        for isLinked in [false, true] {
            let stage = try await Self.makeStage(["linkByVerifiedEmail": .bool(isLinked)])
            try await stage.makeUser(
                "own", in: Self.appPool,
                [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]])
            let browser = TestBrowser(stage.pools)
            try await Self.signIn(browser)
            let claims = try await Self.claims(browser)
            #expect((claims["cognito:username"] == "own") == isLinked)
            let again = TestBrowser(stage.pools)
            try await Self.signIn(again)
            #expect(try await Self.claims(again)["sub"] == claims["sub"])
        }
        // An address that its user has not verified is nobody's.
        let stage = try await Self.makeStage(["linkByVerifiedEmail": true])
        try await stage.makeUser("thief", in: Self.appPool, [["Name": "email", "Value": "jane@example.com"]])
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        #expect(try await Self.claims(browser)["cognito:username"] != "thief")
    }

    @Test("a client of one provider asks nobody, and takes no password")
    func onlyProvider() async throws {
        let stage = try await Self.makeStage(client: ["supportedIdentityProviders": ["House"]])
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(Self.query)")
        #expect(browser.visited.last?.hasPrefix("/login?client_id=") == true)
        #expect(browser.visited.last?.contains("theapp") == false)
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        #expect(browser.left?.hasPrefix("myapp://callback/?code=") == true)
        let fresh = TestBrowser(stage.pools)
        try await fresh.open("/login?\(Self.query)")
        #expect(!fresh.html.contains("<form") && fresh.html.contains("Continue with House"))
        try await fresh.open("/signup?\(Self.query)")
        #expect(!fresh.html.contains("<form"))
        // A client that names the pool alone shows no provider, and none can be asked for.
        let own = try await Self.makeStage(client: ["supportedIdentityProviders": ["COGNITO"]])
        let last = TestBrowser(own.pools)
        try await last.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
        #expect(last.html.contains("<form") && !last.html.contains("Continue with"))
    }

    @Test("a session by a password is no sign-in at a client of providers, nor where the request names a provider")
    func sessionOrigin() async throws {
        let stage = try await Self.makeStage()
        try await stage.makeUser("own", in: Self.appPool)
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(Self.query)")
        try await browser.submit(["username": "own", "password": "Passw0rd!"])
        #expect(browser.left?.contains("?code=") == true)
        try await browser.open("/oauth2/authorize?\(Self.query)")
        #expect(browser.left?.contains("?code=") == true)
        try await browser.open("/oauth2/authorize?\(Self.query)&identity_provider=House&prompt=none")
        #expect(browser.left?.contains("?error=login_required") == true)
        try await browser.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
        #expect(browser.left == nil && browser.html.contains("<form"))
        var client = try #require(stage.pools.directory.client("theapp"))
        client.identityProviders = ["House"]
        stage.pools.directory.set(client)
        try await browser.open("/oauth2/authorize?\(Self.query)&prompt=none")
        #expect(browser.left?.contains("?error=login_required") == true)
        // Who signs in by the provider stays signed in.
        try await browser.open("/oauth2/authorize?\(Self.query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        #expect(browser.left?.contains("?code=") == true)
        try await browser.open("/oauth2/authorize?\(Self.query)&prompt=none")
        #expect(browser.left?.contains("?code=") == true)
        // A session of an earlier version does not say how the user signed in.
        let user = try #require(try await stage.pools.records.get(User.self, Self.appPool, "own"))
        let earlier = BrowserSession(user, authenticated: stage.pools.now, origin: nil, id: "earlier")
        browser.cookies[BrowserSession.cookieName] = earlier.sealed(by: stage.pools.sealer)
        try await browser.open("/oauth2/authorize?\(Self.query)&prompt=none")
        #expect(browser.left?.contains("?error=login_required") == true)
        client.identityProviders = []
        stage.pools.directory.set(client)
        try await browser.open("/oauth2/authorize?\(Self.query)&prompt=none")
        #expect(browser.left?.contains("?code=") == true)
    }

    @Test("a session by a provider that was removed from the pool is a sign-in no longer")
    func removedProvider() async throws {
        let stage = try await Self.makeStage()
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        let silent = "/oauth2/authorize?\(Self.query)&prompt=none"
        try await browser.open(silent)
        #expect(browser.left?.contains("?code=") == true)
        var pool = try #require(stage.pools.directory.pool(Self.appPool))
        pool.identityProviders = []
        stage.pools.directory.set(pool)
        try await browser.open(silent)
        #expect(browser.left?.contains("?error=login_required") == true)
    }

    @Test(
        "a session by a provider is no sign-in by another one that takes its name", arguments: ["issuer", "clientId"])
    func replacedProvider(change: String) async throws {
        let stage = try await Self.makeStage()
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        let silent = "/oauth2/authorize?\(Self.query)&prompt=none"
        try await browser.open(silent)
        #expect(browser.left?.contains("?code=") == true)
        var pool = try #require(stage.pools.directory.pool(Self.appPool))
        if change == "issuer" {
            pool.identityProviders[0].issuer = "https://other.example"
        } else {
            pool.identityProviders[0].clientID = "other"
        }
        stage.pools.directory.set(pool)
        try await browser.open(silent)
        #expect(browser.left?.contains("?error=login_required") == true)
    }

    @Test(
        "the link of a provider takes the place of a provider that the request names",
        arguments: ["identity_provider=Other", "identity%5Fprovider=Other", "idp_identifier=other"])
    func providerLinks(named: String) async throws {
        let stage = try await Self.makeStage()
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(named)&\(Self.query)&\(named)")
        try await browser.follow("Continue with House")
        let link = try #require(browser.visited.first { $0.contains("House") })
        #expect(link == "/oauth2/authorize?\(Self.query)&identity_provider=House")
        #expect(browser.html.contains("name=\"password\""))
    }

    @Test(
        "that an address of the user info is verified is not said of another one in the ID token",
        arguments: ["jane@example.com", "other@example.com"])
    func userInfo(address: String) async throws {
        let stage = try await Self.makeStage(["linkByVerifiedEmail": true])
        let house = try #require(stage.pools.directory.pools.first { $0.id != Self.appPool }?.id)
        try await stage.get(
            "AdminDeleteUserAttributes",
            ["UserPoolId": .string(house), "Username": "jane", "UserAttributeNames": ["email_verified"]])
        Self.connect(stage) { path, answer in
            if path.hasSuffix("/oauth2/userInfo") {
                (answer["email"], answer["email_verified"]) = (.string(address), true)
            }
        }
        try await stage.makeUser(
            "own", in: Self.appPool,
            [["Name": "email", "Value": "jane@example.com"], ["Name": "email_verified", "Value": "true"]])
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        let username = try await Self.claims(browser)["cognito:username"]
        #expect((username == "own") == (address == "jane@example.com"))
    }

    @Test(
        "an answer of another issuer, or without the announced one, is refused before its code is sent anywhere",
        arguments: [true, false], ["http://other.example/pool", nil, ""])
    func mixUp(isAnnounced: Bool, issuer: String?) async throws {
        let stage = try await Self.makeStage()
        let exchanged = Mutex(0)
        Self.connect(stage) { path, answer in
            if path.hasSuffix("openid-configuration"), !isAnnounced {
                answer["authorization_response_iss_parameter_supported"] = nil
            }
            if path.hasSuffix("/oauth2/token") { exchanged.withLock { $0 += 1 } }
        }
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
        let asked = try #require(browser.visited.last { $0.contains("state=") })
        let state = try #require(TestBrowser.parameters(String(asked.split(separator: "?").last ?? ""))["state"])
        let parameter = issuer.map { "&iss=\(Percent.encode($0))" } ?? ""
        try await browser.open("/oauth2/idpresponse?code=x&state=\(state)\(parameter)")
        #expect(browser.left?.contains("error=server_error") == true, "\(browser.left ?? browser.html)")
        // Without the announcement, a provider need not send it.
        #expect(exchanged.withLock { $0 } == (isAnnounced || issuer != nil ? 0 : 1))
    }

    @Test("answers of providers are bounded for each network, also those that say an error, and then use no state")
    func boundedAnswers() async throws {
        let stage = try await Self.makeStage(limits: { $0.signUpsPerAddressPerHour = 2 })
        var left: [String] = []
        for _ in 0..<3 {
            let browser = TestBrowser(stage.pools)
            try await browser.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
            let asked = try #require(browser.visited.last { $0.contains("state=") })
            let state = try #require(TestBrowser.parameters(String(asked.split(separator: "?").last ?? ""))["state"])
            try await browser.open("/oauth2/idpresponse?error=access_denied&state=\(state)\(Self.issuer(stage))")
            left.append(browser.left ?? "")
            #expect(stage.pools.singleUse.isUsable(state) == (left.count == 3))
        }
        #expect(left.map { $0.contains("error=temporarily_unavailable") } == [false, false, true], "\(left)")
    }

    @Test("an answer that no browser asked for, or another browser, or twice, signs nobody in")
    func forgedAnswers() async throws {
        let stage = try await Self.makeStage()
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
        let asked = try #require(browser.visited.last { $0.contains("state=") })
        let state = try #require(TestBrowser.parameters(String(asked.split(separator: "?").last ?? ""))["state"])
        for (answer, isOurs) in [("code=x&state=\(state)", false), ("code=x&state=guess", true), ("code=x", true)] {
            let victim = isOurs ? browser : TestBrowser(stage.pools)
            try await victim.open("/oauth2/idpresponse?\(answer)")
            #expect(victim.status == 400 && victim.html.contains("This sign-in is over"))
        }
        let cookies = browser.cookies
        try await browser.open(
            "/oauth2/idpresponse?error=access_denied&error_description=No&state=\(state)\(Self.issuer(stage))")
        let own = Percent.encode("\(TestBrowser.base)/\(Self.appPool)")
        #expect(browser.left == "myapp://callback/?error=access_denied&error_description=No&iss=\(own)&state=s1")
        browser.cookies = cookies
        try await browser.open("/oauth2/idpresponse?code=x&state=\(state)")
        #expect(browser.status == 400)
        // And ten minutes later.
        let late = TestBrowser(stage.pools)
        try await late.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
        stage.time.advance(seconds: 601)
        try await late.submit(["username": "jane", "password": "Passw0rd!"])
        #expect(late.status == 400)
    }

    @Test(
        "an ID token of another nonce, client, issuer, time, key or algorithm is refused",
        arguments: ["nonce", "aud", "iss", "exp", "sub", "alg", "kid", "signature", "absent"])
    func badTokens(change: String) async throws {
        let stage = try await Self.makeStage()
        let now = stage.time.seconds
        Self.connect(stage) { [unowned stage] path, answer in
            guard path.hasSuffix("/oauth2/token"), let text = answer["id_token"]?.stringValue,
                let token = JSONWebToken(text)
            else { return }
            var claims = token.claims
            switch change {
            case "exp": claims["exp"] = .number(String(now - 100))
            case "aud": claims["aud"] = ["other"]
            case "absent": answer["id_token"] = nil
            default: claims[change] = "other"
            }
            if change == "sub" { claims["sub"] = nil }
            guard change != "absent",
                let pool = stage.pools.directory.pools.first(where: { $0.id != Self.appPool })?.id,
                let key = try? await stage.pools.keys.current(.id, of: pool),
                let signed = try? await key.sign(claims)
            else { return }
            let parts = signed.split(separator: ".").map(String.init)
            func header(_ text: String) -> String {
                Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
            }
            let forged =
                switch change {
                case "alg": header(#"{"alg":"none","kid":"\#(key.kid)"}"#) + ".\(parts[1])."
                case "kid": header(#"{"alg":"RS256","kid":"other"}"#) + ".\(parts[1]).\(parts[2])"
                case "signature": "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
                default: signed
                }
            answer["id_token"] = .string(forged)
        }
        let browser = TestBrowser(stage.pools)
        try await Self.signIn(browser)
        #expect(browser.left?.hasPrefix("myapp://callback/?error=server_error&") == true, "\(browser.left ?? "")")
        let users = try await stage.get("ListUsers", ["UserPoolId": .string(Self.appPool)])
        #expect(users["Users"] == [])
        #expect(stage.providers.failures.withLock { $0.count } == 1)
    }

    @Test("a provider that cannot be reached is an error on the page, and of the log")
    func unreachable() async throws {
        let stage = try await Self.makeStage()
        stage.providers.answer.withLock { $0 = nil }
        let browser = TestBrowser(stage.pools)
        try await browser.open("/oauth2/authorize?\(Self.query)&identity_provider=House")
        #expect(browser.html.contains("House cannot be reached. Please try again later."))
        #expect(stage.providers.failures.withLock { $0.count } == 1)
    }

    @Test("a provider's settings are checked: SAML is refused, and what is missing is named")
    func settings() throws {
        func problems(_ provider: JSONObject) -> [SettingsReader.Problem] {
            let reader = SettingsReader(["name": "x", "identityProviders": [.object(provider)]])
            _ = UserPool("us-east-1_x", reader, isConfiguration: true)
            return reader.problems
        }
        let saml = try #require(problems(["name": "Corp", "type": "SAML"]).first)
        #expect(saml.path == ["identityProviders", "0", "type"])
        #expect(saml.message.contains("SAML are not served"))
        #expect(problems(["name": "Corp"]).first?.message.contains("'issuer'") == true)
        #expect(problems(["type": "Google", "clientId": "x"]) == [])
        #expect(problems(["type": "SignInWithApple", "clientId": "x"]).first?.message.contains("'teamId'") == true)
        #expect(
            problems([
                "providerType": "OIDC", "providerName": "Corp",
                "providerDetails": [
                    "client_id": "x", "client_secret": "y", "oidc_issuer": "https://corp.example",
                    "authorize_scopes": "openid email", "attributes_request_method": "GET",
                ],
            ]) == [])
        let mapped = problems([
            "name": "Corp", "clientId": "x", "issuer": "https://corp.example", "attributeMapping": ["shoe": "size"],
        ])
        #expect(mapped.first?.message.contains("\"shoe\"") == true)
    }
}
