import Encodings
import Foundation
import JSON
import Testing

@testable import UserPools

@Suite("Hosted pages", .serialized)
struct HostedPagesTests {
    private static let oauth: JSONObject = [
        "AllowedOAuthFlows": ["code", "implicit"], "AllowedOAuthScopes": ["openid", "email"],
        "AllowedOAuthFlowsUserPoolClient": true, "CallbackURLs": ["myapp://callback/"],
        "LogoutURLs": ["myapp://signout/"],
    ]

    private static func query(_ client: String) -> String {
        "client_id=\(client)&response_type=code&scope=openid%20email&redirect_uri=myapp%3A%2F%2Fcallback%2F&state=%22%3E%3Cb%3E"
    }

    @Test("a person signs up, confirms with the code, is remembered by the browser, and signs out")
    func signUp() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(["AutoVerifiedAttributes": ["email"]], client: Self.oauth)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.follow("Need an account? Sign up")
        try await browser.submit([
            "username": "jane", "password": "short", "requiredAttributes[email]": "jane@example.com",
        ])
        #expect(browser.html.contains("role=\"alert\""))
        try await browser.submit([
            "username": "jane", "password": "Passw0rd!", "requiredAttributes[email]": "jane@example.com",
        ])
        try await browser.submit(["code": "000000"])
        #expect(browser.html.contains("Invalid verification code"))
        try await browser.submit(["code": stage.messages.lastCode])
        if browser.left == nil { try await browser.submit(["username": "jane", "password": "Passw0rd!"]) }
        #expect(browser.left?.hasPrefix("myapp://callback/?code=") == true, "\(browser.html)")
        try await browser.open("/oauth2/authorize?\(query)")
        #expect(browser.left?.hasPrefix("myapp://callback/?code=") == true)
        try await browser.open("/logout?client_id=\(made.client)&logout_uri=myapp%3A%2F%2Fsignout%2F")
        #expect(browser.left == "myapp://signout/")
        try await browser.open("/oauth2/authorize?\(query)")
        #expect(browser.left == nil && browser.html.contains("<form"))
    }

    @Test("after the sign-out, copies of the browser's cookies are no session")
    func copiedCookies() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        try await browser.open("/login?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        let first = browser.cookies
        stage.time.advance(seconds: 1)
        try await browser.open("/oauth2/authorize?\(query)")
        #expect(browser.left?.contains("?code=") == true)
        let second = browser.cookies
        #expect(first[BrowserSession.cookieName] != second[BrowserSession.cookieName])
        // Another browser of the same user stays signed in.
        let other = TestBrowser(stage.pools)
        try await other.open("/login?\(query)")
        try await other.submit(["username": "jane", "password": "Passw0rd!"])
        try await browser.open("/logout?client_id=\(made.client)&logout_uri=myapp%3A%2F%2Fsignout%2F")
        for cookies in [first, second] {
            browser.cookies = cookies
            try await browser.open("/oauth2/authorize?\(query)")
            #expect(browser.left == nil && browser.html.contains("<form"))
        }
        try await other.open("/oauth2/authorize?\(query)")
        #expect(other.left?.contains("?code=") == true)
    }

    @Test("tokens that come without a code are bounded as codes are")
    func implicitTokens() async throws {
        var limits = UserPoolLimits()
        limits.authorizationCodesPerUserPerHour = 3
        let stage = try PoolStage(limits: limits)
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        let implicit = query.replacingOccurrences(of: "response_type=code", with: "response_type=token")
        try await browser.open("/login?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        for _ in 0..<2 {
            try await browser.open("/oauth2/authorize?\(implicit)")
            #expect(browser.left?.contains("#access_token=") == true)
        }
        for query in [implicit, query] {
            try await browser.open("/oauth2/authorize?\(query)")
            #expect(browser.left == nil)
        }
    }

    @Test("a form without this browser's token does nothing, and what a request says is no markup")
    func forms() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        let fields = ["username": "jane", "password": "Passw0rd!"]
        for csrf in ["", "x", String(repeating: "a", count: 43)] {
            try await browser.send("POST", "/login?\(query)", fields.merging(["_csrf": csrf]) { $1 })
            #expect(browser.left == nil && browser.html.contains("The form was too old."))
        }
        try await browser.submit(["username": "<script>\"'", "password": "wrong"])
        #expect(browser.html.contains("&lt;script&gt;&quot;&#39;") && !browser.html.contains("<script"))
        #expect(!browser.html.contains("\"><b>"))
        try await browser.submit(fields)
        #expect(browser.left?.hasSuffix("&state=%22%3E%3Cb%3E") == true)
    }

    @Test("the host of a pool serves the clients of this pool only; by any other host all are served")
    func hosts() async throws {
        let stage = try PoolStage()
        let one = try await stage.makePool(client: Self.oauth)
        let two = try await stage.makePool(client: Self.oauth)
        try await stage.get("CreateUserPoolDomain", ["UserPoolId": .string(one.pool), "Domain": "house"])
        try await stage.makeUser("jane", in: one.pool)
        try await stage.makeUser("jane", in: two.pool)
        let accepted = [
            ("http://house.auth.example.com:8080", one.client, true), ("https://HOUSE", one.client, true),
            ("http://house.auth.example.com:8080", two.client, false), ("http://127.0.0.1", two.client, true),
            ("http://127.0.0.1", one.client, true),
        ]
        for (base, client, isServed) in accepted {
            let browser = TestBrowser(stage.pools)
            browser.base = base
            for path in ["/oauth2/authorize", "/login", "/signup", "/forgotPassword", "/confirmUser", "/logout"] {
                try await browser.open("\(path)?\(Self.query(client))&logout_uri=myapp%3A%2F%2Fsignout%2F")
                #expect(browser.status == (isServed ? path == "/logout" ? 302 : 200 : 400), "\(base) \(path)")
                if !isServed { #expect(browser.html.contains("The client is not known.")) }
            }
            for path in ["/oauth2/token", "/oauth2/revoke"] {
                try await browser.send("POST", path, ["client_id": client])
                #expect(browser.html.contains("invalid_client") == !isServed, "\(base) \(path)")
            }
        }
    }

    @Test("a code ends with the user's sessions, and a browser is not given codes without end")
    func codes() async throws {
        var limits = UserPoolLimits()
        limits.authorizationCodesPerUserPerHour = 3
        let stage = try PoolStage(limits: limits)
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        func exchange() async throws -> Int {
            let left = try #require(browser.left)
            let code = TestBrowser.parameters(String(left.split(separator: "?").last ?? ""))["code"]
            try await browser.send(
                "POST", "/oauth2/token",
                [
                    "grant_type": "authorization_code", "client_id": made.client, "code": code ?? "",
                    "redirect_uri": "myapp://callback/",
                ])
            return browser.status
        }
        #expect(try await exchange() == 200)
        try await browser.open("/oauth2/authorize?\(query)")
        let granted = browser.left
        try await stage.get("AdminUserGlobalSignOut", ["UserPoolId": .string(made.pool), "Username": "jane"])
        browser.left = granted
        #expect(try await exchange() == 400)
        try await browser.open("/oauth2/authorize?\(query)")
        #expect(browser.left == nil)
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        #expect(try await exchange() == 200)
        try await browser.open("/oauth2/authorize?\(query)")
        #expect(browser.left == nil && browser.html.contains("Attempt limit exceeded"))
        stage.time.advance(seconds: 7_200)
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        #expect(try await exchange() == 200)
    }

    @Test("of two uses of a code at one time none leaves a session")
    func codeRace() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        func post(_ form: [String: String]) async -> HostedResponse {
            var form = form
            form["client_id"] = made.client
            return await stage.pools.respond(
                to: HostedRequest(
                    method: "POST", path: "/oauth2/token", query: "", parameters: [:], form: form, cookies: [:],
                    authorization: nil, isSecure: false,
                    caller: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: TestBrowser.base)))
        }
        for _ in 0..<20 {
            try await browser.open("/oauth2/authorize?\(query)")
            let left = try #require(browser.left)
            let code = TestBrowser.parameters(String(left.split(separator: "?").last ?? ""))["code"] ?? ""
            let form = [
                "grant_type": "authorization_code", "code": code, "redirect_uri": "myapp://callback/",
            ]
            let responses = await withTaskGroup(of: HostedResponse.self) { group in
                for _ in 0..<3 { group.addTask { await post(form) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for response in responses where response.status == 200 {
                let tokens = try JSONReader.read(response.body)
                let refreshed = await post([
                    "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]?.stringValue ?? "",
                ])
                #expect(refreshed.status == 400)
            }
        }
    }

    @Test("the token of a form is made by the server for the cookie and the client, and the cookie is that of the host")
    func csrf() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        let other = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let (browser, query) = (TestBrowser(stage.pools), Self.query(made.client))
        try await browser.open("/login?\(query)")
        let cookie = try #require(browser.cookies["XSRF-TOKEN"])
        // What another host of the domain can do: it sets a cookie of its own, and sends its value.
        for value in [cookie, String(repeating: "A", count: 43)] {
            browser.cookies["XSRF-TOKEN"] = value
            try await browser.send(
                "POST", "/login?\(query)", ["username": "jane", "password": "Passw0rd!", "_csrf": value])
            #expect(browser.left == nil && browser.html.contains("The form was too old."))
        }
        func token(_ client: String, isSecure: Bool = false) async throws -> (field: String, cookie: String) {
            let query = Self.query(client)
            let response = await stage.pools.respond(
                to: HostedRequest(
                    method: "GET", path: "/login", query: query, parameters: TestBrowser.parameters(query), form: [:],
                    cookies: ["XSRF-TOKEN": cookie], authorization: nil, isSecure: isSecure,
                    caller: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: TestBrowser.base)))
            let html = String(decoding: response.body, as: UTF8.self)
            let start = try #require(html.range(of: "name=\"_csrf\" value=\""))
            return (
                String(html[start.upperBound...].prefix { $0 != "\"" }),
                response.fields.first { $0.name == "Set-Cookie" }?.value ?? ""
            )
        }
        let field = try await token(made.client).field
        #expect(try await field != token(other.client).field && field != cookie)
        browser.cookies["XSRF-TOKEN"] = cookie
        try await browser.send(
            "POST", "/login?\(query)",
            ["username": "jane", "password": "Passw0rd!", "_csrf": try await token(other.client).field])
        #expect(browser.left == nil && browser.html.contains("The form was too old."))
        try await browser.send(
            "POST", "/login?\(query)", ["username": "jane", "password": "Passw0rd!", "_csrf": field])
        #expect(browser.left?.contains("?code=") == true)
        let secure = try await token(made.client, isSecure: true).cookie
        #expect(secure.hasPrefix("__Host-XSRF-TOKEN=") && secure.contains("; Secure") && secure.contains("; Path=/;"))
        #expect(!secure.contains(cookie) && !secure.contains("Domain"))
    }

    @Test("no request to the pages, whatever it holds, fails inside or leads to an address that is not registered")
    func fuzz() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("Seed of the requests to hosted pages: \(seed)")
        var random = SeededGenerator(seed: seed)
        let names = [
            "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "prompt", "identity_provider", "logout_uri", "username", "password", "code",
            "session", "challenge", "_csrf", "grant_type", "refresh_token", "token", "code_verifier", "client_secret",
            "error", "choice", "requiredAttributes[email]",
        ]
        let values = [
            made.client, "myapp://callback/", "myapp://signout/", "https://evil.example/", "//evil.example",
            "myapp://callback/@evil", "code", "token", "openid", "S256", "none", "login", "", "\u{0}", "%", "%zz",
            "a\r\nLocation: https://evil.example", String(repeating: "x", count: 5_000), "😀", "jane",
            "authorization_code", "refresh_token", "client_credentials", "SMS_MFA", "a.b.c", "null",
            String(repeating: "A", count: 43),
        ]
        let paths = UserPools.hostedPaths.sorted { $0.key < $1.key }
        for _ in 0..<4_000 {
            let (path, methods) = try #require(paths.randomElement(using: &random))
            func some() -> [String: String] {
                (0..<Int.random(in: 0...8, using: &random)).reduce(into: ["client_id": made.client]) { fields, _ in
                    fields[names.randomElement(using: &random) ?? ""] = values.randomElement(using: &random)
                }
            }
            var (parameters, form) = (some(), some())
            let csrf = String(repeating: "A", count: 43)
            if Bool.random(using: &random) { parameters["redirect_uri"] = "myapp://callback/" }
            let isOurs = Bool.random(using: &random)
            let cookies = ["cognito", "federation"].reduce(into: ["XSRF-TOKEN": csrf]) {
                $0[$1] = values.randomElement(using: &random)
            }
            let query = parameters.map { "\($0.key)=\(Percent.encode($0.value))" }.joined(separator: "&")
            var request = HostedRequest(
                method: methods.randomElement(using: &random) ?? "GET", path: path, query: query,
                parameters: parameters, form: form, cookies: cookies,
                authorization: Bool.random(using: &random)
                    ? nil : "Basic \(values.randomElement(using: &random) ?? "")",
                isSecure: false,
                caller: Caller(
                    address: "10.0.0.\(Int.random(in: 0...200, using: &random))", accessKeyID: nil, requestID: "r",
                    baseURL: TestBrowser.base))
            if isOurs {
                let pages = HostedPages(pools: stage.pools, request: request)
                request.form["_csrf"] = pages.csrfToken(csrf, parameters["client_id"] ?? "")
            }
            let response = await stage.pools.respond(to: request)
            #expect(response.status < 500, "\(path) \(parameters) \(form)")
            for (name, value) in response.fields {
                #expect(value.utf8.allSatisfy { $0 >= 0x20 }, "\(name): \(value)")
                guard name == "Location" else { continue }
                let isOurs = ["myapp://callback/", "myapp://signout/", "/login?"].contains { value.hasPrefix($0) }
                #expect(isOurs && !value.contains("@evil"), "\(value)")
            }
        }
    }

    @Test("tokens of a browser's session are valid however many sessions began since, and keep the time of its sign-in")
    func singleSignOn() async throws {
        var limits = UserPoolLimits()
        limits.sessionsPerUserMax = 3
        let stage = try PoolStage(limits: limits)
        var oauth = Self.oauth
        oauth["AllowedOAuthScopes"] = ["openid", "email", "aws.cognito.signin.user.admin"]
        let made = try await stage.makePool(client: oauth)
        try await stage.makeUser("jane", in: made.pool)
        let browser = TestBrowser(stage.pools)
        let query = Self.query(made.client).replacingOccurrences(
            of: "openid%20email", with: "openid%20aws.cognito.signin.user.admin")
        try await browser.open("/oauth2/authorize?\(query)")
        try await browser.submit(["username": "jane", "password": "Passw0rd!"])
        let signedIn = stage.time.seconds
        for _ in 0..<4 {
            stage.time.advance(seconds: 1)
            _ = try await stage.tokens("jane", made.client)
        }
        stage.time.advance(seconds: 1)
        try await browser.open("/oauth2/authorize?\(query)")
        let left = TestBrowser.parameters(String(try #require(browser.left).split(separator: "?").last ?? ""))
        let issuer = try #require(stage.pools.openIDConfiguration(of: made.pool)?["issuer"]?.stringValue)
        #expect(left["iss"] == issuer)
        try await browser.send(
            "POST", "/oauth2/token",
            [
                "grant_type": "authorization_code", "client_id": made.client, "code": left["code"] ?? "",
                "redirect_uri": "myapp://callback/",
            ])
        let access = try #require(try JSONReader.read(browser.html)["access_token"]?.stringValue, "\(browser.html)")
        #expect(try Tokens.claims(access)["auth_time"] == .number(String(signedIn)))
        let user = try await stage.get("GetUser", ["AccessToken": .string(access)])
        #expect(user["Username"] == "jane")
    }

    @Test("the token endpoint refreshes a session of the API only as the client's flows allow it there")
    func refresh() async throws {
        for (flows, status) in [
            (["ALLOW_USER_PASSWORD_AUTH"], 400), (["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"], 200),
        ] {
            let stage = try PoolStage()
            var settings = Self.oauth
            settings["ExplicitAuthFlows"] = .array(flows.map(JSONValue.string))
            let made = try await stage.makePool(client: settings)
            try await stage.makeUser("jane", in: made.pool)
            let token = try await stage.tokens("jane", made.client).refresh
            let browser = TestBrowser(stage.pools)
            try await browser.send(
                "POST", "/oauth2/token",
                ["grant_type": "refresh_token", "client_id": made.client, "refresh_token": token])
            #expect(browser.status == status)
            #expect(browser.html.contains("unauthorized_client") == (status == 400))
        }
    }

    @Test(
        "the token endpoint gives a user who is disabled, deleted or signed out no tokens",
        arguments: ["AdminDisableUser", "AdminDeleteUser", "AdminUserGlobalSignOut"])
    func refreshOfEndedUser(operation: String) async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let token = try await stage.tokens("jane", made.client).refresh
        let browser = TestBrowser(stage.pools)
        let form = ["grant_type": "refresh_token", "client_id": made.client, "refresh_token": token]
        try await browser.send("POST", "/oauth2/token", form)
        #expect(browser.status == 200)
        try await stage.get(operation, ["UserPoolId": .string(made.pool), "Username": "jane"])
        try await browser.send("POST", "/oauth2/token", form)
        #expect(browser.status == 400 && browser.html == #"{"error":"invalid_grant"}"#)
        // Nor the next user of the name, nor the same one who is enabled again.
        if operation == "AdminDeleteUser" { try await stage.makeUser("jane", in: made.pool) }
        if operation == "AdminDisableUser" {
            try await stage.get("AdminEnableUser", ["UserPoolId": .string(made.pool), "Username": "jane"])
        }
        try await browser.send("POST", "/oauth2/token", form)
        #expect(browser.status == 400 && browser.html == #"{"error":"invalid_grant"}"#)
    }

    @Test("the token endpoint replaces the refresh token of a client that rotates, also without the flow to refresh")
    func refreshRotates() async throws {
        let stage = try PoolStage()
        var settings = Self.oauth
        settings["ExplicitAuthFlows"] = ["ALLOW_USER_PASSWORD_AUTH"]
        settings["RefreshTokenRotation"] = ["Feature": "ENABLED", "RetryGracePeriodSeconds": 0]
        let made = try await stage.makePool(client: settings)
        try await stage.makeUser("jane", in: made.pool)
        let first = try await stage.tokens("jane", made.client).refresh
        let browser = TestBrowser(stage.pools)
        func refresh(_ token: String) async throws -> JSONValue {
            try await browser.send(
                "POST", "/oauth2/token",
                ["grant_type": "refresh_token", "client_id": made.client, "refresh_token": token])
            return try JSONReader.read(browser.html)
        }
        let second = try #require(try await refresh(first)["refresh_token"]?.stringValue)
        #expect(second != first)
        let third = try #require(try await refresh(second)["refresh_token"]?.stringValue)
        // The use of a replaced token ends the session for both holders.
        for token in [first, third] { #expect(try await refresh(token)["error"] == "invalid_grant") }
    }

    @Test("no changed or cut token is taken by any door")
    func tokens() async throws {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: Self.oauth)
        try await stage.makeUser("jane", in: made.pool)
        let tokens = try await stage.tokens("jane", made.client)
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("Seed of the changed tokens: \(seed)")
        var random = SeededGenerator(seed: seed)
        let letters = Array("ABCabc019-_.=+/% \u{e9}")
        for token in [tokens.access, tokens.id, tokens.refresh] {
            for _ in 0..<400 {
                var text = Array(token)
                let position = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.remove(at: position)
                case 1: text.insert(letters.randomElement(using: &random) ?? "x", at: position)
                case 2: text = Array(text.prefix(position))
                default: text[position] = text[position] == "x" ? "y" : "x"
                }
                let changed = String(text)
                // The last character of a signature holds bits that mean nothing.
                guard changed != token, position < token.count - 2 else { continue }
                let answers = await [
                    stage.call("GetUser", ["AccessToken": .string(changed)]),
                    stage.call(
                        "GetTokensFromRefreshToken",
                        ["ClientId": .string(made.client), "RefreshToken": .string(changed)]),
                ]
                for answer in answers {
                    guard case .failure(let error) = answer else {
                        Issue.record("taken: \(changed)")
                        continue
                    }
                    #expect(error.status < 500)
                }
            }
        }
        // The sessions have not suffered.
        let user = try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
        #expect(user["Username"] == "jane")
    }

    @Test("a pool has as many users as it may have, and says how many")
    func userBound() async throws {
        var limits = UserPoolLimits()
        limits.usersPerPoolMax = 2
        let stage = try PoolStage(limits: limits)
        let made = try await stage.makePool()
        for name in ["a", "b"] { try await stage.makeUser(name, in: made.pool) }
        let pool: JSONObject = ["UserPoolId": .string(made.pool)]
        let described = try await stage.get("DescribeUserPool", pool)
        #expect(described["UserPool"]?["EstimatedNumberOfUsers"] == 2)
        await stage.expect(
            "LimitExceededException", "The user pool has as many users as it may have.", "SignUp",
            ["ClientId": .string(made.client), "Username": "c", "Password": "Passw0rd!"])
        try await stage.get("AdminDeleteUser", ["UserPoolId": .string(made.pool), "Username": "a"])
        try await stage.makeUser("c", in: made.pool)
    }
}
