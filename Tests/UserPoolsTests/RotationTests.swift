import JSON
import Tables
import Testing

@testable import UserPools

@Suite("Refresh tokens that are replaced several times within their grace period")
struct RotationTests {
    private struct Stage {
        let stage: PoolStage
        let client: String
        let first: Tokens

        init(graceSeconds: Int64, client settings: JSONObject = [:]) async throws {
            stage = try PoolStage()
            let pool: String
            var settings = settings
            settings["RefreshTokenRotation"] = [
                "Feature": "ENABLED", "RetryGracePeriodSeconds": .number(String(graceSeconds)),
            ]
            (pool, client) = try await stage.makePool([:], client: settings)
            try await stage.makeUser("jane", in: pool)
            first = try await stage.tokens("jane", client)
        }

        func call(_ token: String) async -> Result<JSONObject, CognitoError> {
            await stage.call(
                "GetTokensFromRefreshToken", ["RefreshToken": .string(token), "ClientId": .string(client)])
        }

        /// The token that replaces this one; nil where none does.
        func refresh(_ token: String) async throws -> String? {
            try await call(token).get()["AuthenticationResult"]?["RefreshToken"]?.stringValue
        }

        func error(of token: String) async -> String? { await call(token).failureError?.name }
    }

    @Test(
        "two clients that share a session rotate in turn within the grace period, and a replay after it ends the session"
    )
    func inTurn() async throws {
        let test = try await Stage(graceSeconds: 30)
        var tokens = [test.first.refresh]
        for _ in 0..<4 {
            tokens.append(try #require(try await test.refresh(tokens[tokens.count - 1])))
            test.stage.time.advance(seconds: 2)
            // The other client has any of those before it.
            for token in tokens.dropLast() { #expect(await test.error(of: token) == nil) }
        }
        // 31 seconds after the first rotation, the second one is 29 seconds old.
        test.stage.time.advance(seconds: 23)
        #expect(await test.error(of: tokens[1]) == nil)
        #expect(await test.error(of: tokens[0]) == "RefreshTokenReuseException")
        for token in tokens { #expect(await test.error(of: token) == "NotAuthorizedException") }
    }

    @Test(
        "refreshes at the same time within the grace period all give the one token that replaces theirs"
    )
    func concurrent() async throws {
        let test = try await Stage(graceSeconds: 30)
        var token = test.first.refresh
        for _ in 0..<10 {
            let old = token
            let results = await withTaskGroup(of: Result<JSONObject, CognitoError>.self) { group in
                for _ in 0..<4 { group.addTask { await test.call(old) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.compactMap { $0.failureError?.name } == [])
            let new = results.compactMap {
                (try? $0.get())?["AuthenticationResult"]?["RefreshToken"]?.stringValue
            }
            #expect(new.count == 4 && Set(new).count == 1)
            token = new.first ?? ""
            test.stage.time.advance(seconds: 31)
        }
    }

    @Test(
        "a client that did not receive the answer gets the current token by trying again within the grace period"
    )
    func lostAnswer() async throws {
        let test = try await Stage(graceSeconds: 30)
        let lost = try #require(try await test.refresh(test.first.refresh))
        #expect(try await test.refresh(test.first.refresh) == lost)
        let next = try #require(try await test.refresh(lost))
        // Also over several replacements.
        #expect(try await test.refresh(test.first.refresh) == next)
        #expect(try await test.refresh(lost) == next)
        test.stage.time.advance(seconds: 31)
        let last = try #require(try await test.refresh(next))
        #expect(Set([test.first.refresh, lost, next, last]).count == 4)
        // A thief who got a token in its grace period is noticed once it is over.
        #expect(await test.error(of: lost) == "RefreshTokenReuseException")
        #expect(await test.error(of: last) == "NotAuthorizedException")
    }

    @Test(
        "a client that rotates its tokens refreshes by GetTokensFromRefreshToken alone, as Cognito wants it"
    )
    func flow() async throws {
        for flows: JSONValue in [
            ["ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH"],
            ["ALLOW_REFRESH_TOKEN_AUTH", "ALLOW_USER_PASSWORD_AUTH"],
        ] {
            let test = try await Stage(graceSeconds: 30, client: ["ExplicitAuthFlows": flows])
            #expect(try await test.refresh(test.first.refresh) != nil)
            let other = await test.stage.call(
                "InitiateAuth",
                [
                    "AuthFlow": "REFRESH_TOKEN_AUTH", "ClientId": .string(test.client),
                    "AuthParameters": ["REFRESH_TOKEN": .string(test.first.refresh)],
                ])
            #expect(other.failureError?.message == "REFRESH_TOKEN_AUTH flow not enabled for this client")
        }
    }

    @Test("a token is not replaced while as many as are kept are within their grace period")
    func bound() async throws {
        let test = try await Stage(graceSeconds: 30)
        var tokens = [test.first.refresh]
        for _ in 0..<Session.replacedTokensMax {
            tokens.append(try #require(try await test.refresh(tokens[tokens.count - 1])))
        }
        let last = tokens[tokens.count - 1]
        #expect(try await test.refresh(last) == nil)
        for token in tokens { #expect(await test.error(of: token) == nil) }
        test.stage.time.advance(seconds: 30)
        let next = try #require(try await test.refresh(last))
        #expect(await test.error(of: last) == nil)
        #expect(await test.error(of: next) == nil)
        #expect(await test.error(of: tokens[0]) == "RefreshTokenReuseException")
        #expect(await test.error(of: next) == "NotAuthorizedException")
    }

    @Test("RevokeToken ends the session by any replaced token")
    func revocation() async throws {
        let test = try await Stage(graceSeconds: 30)
        let second = try #require(try await test.refresh(test.first.refresh))
        let third = try #require(try await test.refresh(second))
        try await test.stage.get(
            "RevokeToken", ["Token": .string(test.first.refresh), "ClientId": .string(test.client)])
        #expect(await test.error(of: third) == "NotAuthorizedException")
    }

    @Test(
        "a session that an earlier version stored keeps the grace period of its replaced token",
        arguments: [true, false])
    func earlierVersion(_ isInGrace: Bool) async throws {
        let test = try await Stage(graceSeconds: 30)
        let second = try #require(try await test.refresh(test.first.refresh))
        let id = try #require(Tokens.claims(test.first.access)["origin_jti"]?.stringValue)
        let session = try #require(try await test.stage.pools.records.get(Session.self, id))
        var row = session.row
        var document = try #require(RecordDocument(row[5].text))
        document.object["replacedTokens"] = nil
        document.set("previousHash", UserPools.hash(test.first.refresh))
        document.set("previousUntil", test.stage.pools.now + 5_000)
        row[5] = .text(document.text)
        #expect(
            try await test.stage.pools.records.replace(
                EarlierSession(stored: row, revision: session.revision)))
        let stored = try #require(try await test.stage.pools.records.get(Session.self, id))
        #expect(stored.replacedTokens.count == 1)
        if !isInGrace { test.stage.time.advance(seconds: 5) }
        #expect(
            await test.error(of: test.first.refresh) == (isInGrace ? nil : "RefreshTokenReuseException"))
        #expect(await test.error(of: second) == (isInGrace ? nil : "NotAuthorizedException"))
    }

    /// A session as an earlier version wrote it.
    private struct EarlierSession: Record {
        static let table = Session.table
        let row: [Value]
        var revision: Int64

        init(stored row: [Value], revision: Int64) { (self.row, self.revision) = (row, revision) }
        init?(_ row: [Value], revision: Int64) { self.init(stored: row, revision: revision) }
    }
}
