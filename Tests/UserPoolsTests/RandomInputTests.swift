import BigInt
import Encodings
import JSON
import Testing

@testable import UserPools

/// Values that no client sends, made from a seed that is printed.
@Suite("Random and forged values")
struct RandomInputTests {
    /// Short random exponents: a debug build takes a second for a long one.
    private static func makeStage() throws -> PoolStage {
        try PoolStage(
            randomness: Randomness { count in
                let bytes = Randomness.system.bytes(count)
                return count == 32 ? Array(repeating: 0, count: 24) + bytes.suffix(8) : bytes
            })
    }

    private static func seeded(_ what: String) -> SeededGenerator {
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("Seed of \(what): \(seed)")
        return SeededGenerator(seed: seed)
    }

    private static let prime = String(SRPGroup.prime, radix: 16)

    /// Values of SRP that are refused, and others.
    private static func publicValues(_ generator: inout SeededGenerator) -> (refused: [String], taken: [String]) {
        let digits = Array("0123456789abcdefABCDEF")
        func hex(_ count: Int) -> String {
            "1" + String((1..<count).map { _ in digits.randomElement(using: &generator) ?? "0" })
        }
        let long = Int.random(in: 772...4_000, using: &generator)
        return (
            refused: [
                "0", "00", prime, prime.uppercased(), "0" + prime, String(SRPGroup.prime * 2, radix: 16), hex(long),
                String(repeating: "f", count: 100_000), "g", "-1", "+1", "0x1", " 1", "1 ", "😀", "\u{0}", "1.0", "1g3",
            ],
            taken: [
                "1", "01", String(SRPGroup.prime - 1, radix: 16), String(SRPGroup.prime + 1, radix: 16), hex(1), hex(7),
                hex(767), hex(Int.random(in: 2...767, using: &generator)),
            ]
        )
    }

    @Test("a public value of SRP that is zero, a multiple of the prime, too long or no number is refused in every flow")
    func publicValues() async throws {
        var generator = Self.seeded("the public values of SRP")
        let stage = try Self.makeStage()
        let (pool, client) = try await stage.makePool(client: ["PreventUserExistenceErrors": "ENABLED"])
        try await stage.makeUser("jane", in: pool)
        let values = Self.publicValues(&generator)
        for user in ["jane", "nobody"] {
            for flow in ["USER_SRP_AUTH", "USER_AUTH"] {
                func begin(_ value: String) async -> Result<JSONObject, CognitoError> {
                    await stage.call(
                        "InitiateAuth",
                        [
                            "AuthFlow": .string(flow), "ClientId": .string(client),
                            "AuthParameters": [
                                "USERNAME": .string(user), "SRP_A": .string(value),
                                "PREFERRED_CHALLENGE": "PASSWORD_SRP",
                            ],
                        ])
                }
                for value in values.refused {
                    let error = await begin(value).failureError
                    #expect(error?.name == "InvalidParameterException", "\(flow) \(user) \(value.prefix(40))")
                }
                for value in values.taken where flow == "USER_SRP_AUTH" {
                    let challenge = try await begin(value).get()
                    #expect(challenge["ChallengeName"] == "PASSWORD_VERIFIER", "\(value.prefix(40))")
                }
            }
        }
    }

    @Test("no made up proof of SRP signs anybody in or fails inside")
    func proofs() async throws {
        var generator = Self.seeded("the proofs of SRP")
        var limits = UserPoolLimits()
        limits.failuresPerAddressPerHour = 1_000_000
        let stage = try PoolStage(
            limits: limits,
            randomness: Randomness { count in
                let bytes = Randomness.system.bytes(count)
                return count == 32 ? Array(repeating: 0, count: 24) + bytes.suffix(8) : bytes
            })
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let begun = try await stage.get(
            "InitiateAuth",
            [
                "AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": "jane", "SRP_A": "2"],
            ])
        let block = try #require(begun["ChallengeParameters"]?["SECRET_BLOCK"]?.stringValue)
        func random(_ count: Int) -> String {
            Base64.encode((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        for _ in 0..<200 {
            var characters = Array(block)
            let position = Int.random(in: 0..<characters.count - 4, using: &generator)
            characters[position] = characters[position] == "A" ? "B" : "A"
            let blocks = [block, String(characters), String(block.prefix(position)), random(200), "", "=", "\u{0}"]
            let signatures = [
                random(32), random(31), random(0), random(64), "", "%", String(repeating: "A", count: 9_000),
            ]
            let times = [
                stage.timestamp, "", "Sat Nov 31 09:05:03 UTC 2025", "now", String(repeating: "9", count: 500),
            ]
            var responses: JSONObject = ["USERNAME": "jane"]
            responses["PASSWORD_CLAIM_SECRET_BLOCK"] = .string(blocks.randomElement(using: &generator) ?? "")
            responses["PASSWORD_CLAIM_SIGNATURE"] = .string(signatures.randomElement(using: &generator) ?? "")
            responses["TIMESTAMP"] = .string(times.randomElement(using: &generator) ?? "")
            if Int.random(in: 0..<5, using: &generator) == 0 { responses["DEVICE_KEY"] = .string(random(20)) }
            for challenge in ["PASSWORD_VERIFIER", "DEVICE_PASSWORD_VERIFIER", "DEVICE_SRP_AUTH"] {
                let answer = await stage.call(
                    "RespondToAuthChallenge",
                    [
                        "ChallengeName": .string(challenge), "ClientId": .string(client),
                        "ChallengeResponses": .object(responses),
                    ])
                guard case .failure(let error) = answer else {
                    Issue.record("\(challenge) was answered: \(responses)")
                    continue
                }
                #expect(error.status < 500, "\(challenge) \(responses)")
            }
        }
    }

    @Test("a device's verifier of zero, of one, of the prime or longer is refused")
    func deviceVerifiers() async throws {
        let stage = try Self.makeStage()
        let (pool, client) = try await stage.makePool(["DeviceConfiguration": ["ChallengeRequiredOnNewDevice": true]])
        try await stage.makeUser("jane", in: pool)
        let signedIn = try await stage.signIn("jane", client).get()["AuthenticationResult"]
        let (token, key) = (signedIn?["AccessToken"] ?? .null, signedIn?["NewDeviceMetadata"]?["DeviceKey"] ?? .null)
        let prime = SRPGroup.bytes(SRPGroup.prime)
        for verifier in [[], [0], [1], [0, 1], prime, [0] + prime, prime + [0], Array(repeating: 255, count: 5_000)] {
            await stage.expect(
                "InvalidParameterException", nil, "ConfirmDevice",
                [
                    "AccessToken": token, "DeviceKey": key,
                    "DeviceSecretVerifierConfig": [
                        "PasswordVerifier": .string(Base64.encode(verifier)),
                        "Salt": .string(Base64.encode([1, 2, 3])),
                    ],
                ])
        }
    }

    @Test(
        "no operation takes a token without signature, of a wrong algorithm, key, pool or use, or one that has expired")
    func tokens() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let expired = try await stage.tokens("jane", client)
        stage.time.advance(seconds: 3_601)
        let tokens = try await stage.tokens("jane", client)
        let (bad, badIDs) = (
            try await Self.forge(tokens.access, stage) + [expired.access],
            try await Self.forge(tokens.id, stage) + [expired.id]
        )
        let operations = OperationTable.userPools.filter { operation in
            operation.members.contains { $0.name == "AccessToken" && $0.isRequired }
        }
        #expect(operations.count >= 12)
        for operation in operations {
            for token in bad + [tokens.id, tokens.refresh] {
                let error = await stage.call(operation.name, Self.body(of: operation, token), isSigned: false)
                    .failureError
                #expect(
                    error?.name == "NotAuthorizedException",
                    "\(operation.name) \(token.prefix(60)) \(error?.name ?? "")")
            }
        }
        for token in bad + badIDs {
            await #expect(throws: TokenRefusal.self, "\(token.prefix(60))") {
                try await stage.pools.authenticate(token)
            }
        }
        let caller = Caller(address: "10.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: TestBrowser.base)
        let made = try await stage.pools.perform(
            "AWSCognitoIdentityService.CreateIdentityPool",
            ["IdentityPoolName": "app", "AllowUnauthenticatedIdentities": true], from: caller
        ).get()
        for token in badIDs + [tokens.access, tokens.refresh] {
            let answer = await stage.pools.perform(
                "AWSCognitoIdentityService.GetId",
                [
                    "IdentityPoolId": made["IdentityPoolId"] ?? .null,
                    "Logins": .object(JSONObject([("cognito-idp.us-east-1.amazonaws.com/\(pool)", .string(token))])),
                ], from: caller)
            #expect(answer.failureError?.name == "NotAuthorizedException", "\(token.prefix(60))")
        }
        // The token itself is taken.
        try await stage.get("GetUser", ["AccessToken": .string(tokens.access)])
    }

    /// Tokens with the claims of a valid one that nobody may take.
    private static func forge(_ token: String, _ stage: PoolStage) async throws -> [String] {
        let parsed = try #require(JSONWebToken(token))
        let parts = token.split(separator: ".").map(String.init)
        func encode(_ object: JSONObject) -> String {
            Base64.encodeURL(Array(JSONValue.object(object).description.utf8))
        }
        let kid = parsed.header["kid"] ?? .null
        let key = try #require(
            try await stage.pools.keys.keys(
                of: parsed.claims["iss"]?.stringValue?.split(separator: "/").last.map(String.init) ?? ""
            )
            .first { .string($0.kid) == kid })
        // The public key as the secret of HMAC: what a verifier does that takes the algorithm from the token.
        let symmetric = encode(["alg": "HS256", "kid": kid]) + "." + parts[1]
        let code = OperationCall.secretHash(of: symmetric, "", key.jsonWebKey.description)
        let digest = try #require(Base64.decode(code.utf8))
        var otherPool = parsed.claims
        otherPool["iss"] = .string("\(TestBrowser.base)/us-east-1_Elsewhere")
        var later = parsed.claims
        later["exp"] = 9_999_999_999
        let headers: [(header: JSONObject, signature: String)] = [
            (["alg": "none"], ""), (["alg": "None", "kid": kid], ""), (["kid": kid], parts[2]),
            (["alg": "RS384", "kid": kid], parts[2]), (["alg": "PS256", "kid": kid], parts[2]),
            (["alg": "RS256", "kid": "other"], parts[2]), (["alg": ["RS256"], "kid": kid], parts[2]),
        ]
        var forged = headers.map { "\(encode($0.header)).\(parts[1]).\($0.signature)" }
        forged.append("\(symmetric).\(Base64.encodeURL(digest))")
        forged.append(try await SigningKey(.access, .system).sign(parsed.claims))
        forged.append(try await key.sign(otherPool))
        forged.append("\(parts[0]).\(encode(later)).\(parts[2])")
        return forged + ["\(parts[0]).\(parts[1])", "\(token).\(parts[2])", ".."]
    }

    /// A body with each required member.
    private static func body(of operation: Operation, _ token: String) -> JSONObject {
        var body = JSONObject()
        for member in operation.members where member.isRequired {
            switch member.kind {
            case .string(let length):
                body[member.name] = .string(String(repeating: "1", count: max(6, length.lowerBound)))
            case .enumeration(let values): body[member.name] = .string(values.first ?? "")
            case .boolean: body[member.name] = true
            case .integer(let range): body[member.name] = .number(String(range.lowerBound))
            case .list: body[member.name] = []
            case .object: body[member.name] = [:]
            }
        }
        body["AccessToken"] = .string(token)
        return body
    }

    @Test("no body of an operation of identity pools fails inside")
    func identityPools() async throws {
        var generator = Self.seeded("the bodies for identity pools")
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("jane", in: pool)
        let tokens = try await stage.tokens("jane", client)
        let caller = Caller(address: "10.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: TestBrowser.base)
        let made = try await stage.pools.perform(
            "AWSCognitoIdentityService.CreateIdentityPool",
            ["IdentityPoolName": "app", "AllowUnauthenticatedIdentities": true], from: caller
        ).get()
        let identityPool = made["IdentityPoolId"] ?? .null
        let values: [JSONValue] = [
            .null, true, 1, .number("1e400"), "", "\u{0}", "us-east-1:x", identityPool, .string(tokens.id), [], [1],
            [:],
            ["cognito-idp.us-east-1.amazonaws.com/x": .string(tokens.id)], ["x": 1], [["ProviderName": 1]],
            .object(JSONObject([("h/\(pool)", .string(tokens.id))])), .string(String(repeating: "a", count: 3_000)),
            ["authenticated": "arn:aws:iam::1:role/x", "unauthenticated": .null],
        ]
        for operation in IdentityOperations.all where operation.name != "DeleteIdentityPool" {
            for _ in 0..<40 {
                var body = JSONObject()
                for member in operation.members + [
                    .object("Roles"), .list("CognitoIdentityProviders"), .object("Logins"),
                ]
                where Int.random(in: 0..<8, using: &generator) > 0 {
                    let isPool = member.name == "IdentityPoolId" && Bool.random(using: &generator)
                    body[member.name] = isPool ? identityPool : values.randomElement(using: &generator)
                }
                let answer = await stage.pools.perform(
                    "AWSCognitoIdentityService.\(operation.name)", body, from: caller)
                #expect((answer.failureError?.status ?? 200) < 500, "\(operation.name) \(body)")
            }
        }
    }
}
