import Foundation
import JSON
import Testing
import Transformer

@testable import HTTP
@testable import Server

/// Credentials of every mode with bytes changed, dropped, doubled and mixed; tokens with random claims; random answers of an
/// authorizer. Whatever comes: no failure of the server, and access for nobody but the callers of a plain reading of the rules.
@Suite("Credentials under mutation")
struct CredentialFuzzTests {
    private static let schema = """
        type Secret @model @auth(rules: [
          {allow: public}, {allow: public, provider: iam}, {allow: private}, {allow: private, provider: iam}
          {allow: private, provider: oidc}, {allow: custom}
        ]) { id: ID! @primaryKey text: String }
        """
    private static let query = #"{ getSecret(id: "1") { text } }"#
    private static let found = #"{"data":{"getSecret":{"text":"sesame"}}}"#

    /// What a plain reading says of credentials.
    private enum Verdict {
        case accepted, refused
        /// The same credentials in another text, such as with a space more: whether that is accepted is not said.
        case either
    }

    private static func seededRandom(_ name: String) -> (seed: UInt64, random: FastRandom) {
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("\(name) seed: \(seed)")
        return (seed, FastRandom(seed: seed))
    }

    // MARK: - Mutation

    private static let texts = [
        "", " ", "Bearer", "Bearer ", "Bearer Bearer x", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 ", "a.b.c", "..",
        "e30.e30.",
        "Basic YTpi", "null", "AWS4-HMAC-SHA256 Credential=,SignedHeaders=,Signature=", "AWS3 x", "é.é.é",
        String(repeating: "A", count: 3_000), String(repeating: ".", count: 300), String(repeating: "=,", count: 500),
    ]

    private static func mutated(_ text: String, with other: String, _ random: inout FastRandom) -> String {
        var bytes = Array(text.utf8)
        // No line ends: those would be other headers.
        let telling = Array("\t :;,=\"\\.-_+/%AaZz09{}[]".utf8) + [0x01, 0x7F, 0xC3, 0xA9]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where place < bytes.count: bytes[place] = telling.randomElement(using: &random) ?? 0
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(telling.randomElement(using: &random) ?? 0, at: place)
            case 3: bytes = Array(bytes[..<place])
            case 4 where place < bytes.count:
                let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5: bytes = Array(bytes[..<place]) + Array(other.utf8.dropFirst(place))
            case 6 where place < bytes.count: bytes[place] ^= 0x20
            case 7: bytes = Array((texts.randomElement(using: &random) ?? "").utf8)
            case 8: bytes = Array(["Bearer ", "bearer ", " ", "Bearer  "].randomElement(using: &random)!.utf8) + bytes
            default: bytes.append(telling.randomElement(using: &random) ?? 0)
            }
        }
        bytes.removeAll { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - The plain reading

    /// - Parameters:
    ///   - headers: Their values without spaces around them.
    ///   - known: Each caller's own headers for the same body.
    private static func verdict(
        _ headers: [String: String], bodyIsSame: Bool, _ known: [ModesStage.Caller: [String: String]]
    ) -> Verdict {
        let authorization = headers["authorization"]
        if let authorization, authorization.hasPrefix("AWS4-HMAC-SHA256") {
            guard bodyIsSame else { return .refused }
            for own in known.values where own["x-amz-date"] != nil {
                guard headers["x-amz-date"] == own["x-amz-date"] else { continue }
                // amplify-swift sends an empty session token where there is none.
                let (token, ownToken) = (headers["x-amz-security-token"], own["x-amz-security-token"])
                guard token == ownToken || token == "" && ownToken == nil else { continue }
                if authorization == own["authorization"] { return token == ownToken ? .accepted : .either }
                if parts(authorization) == parts(own["authorization"] ?? "") { return .either }
            }
            return .refused
        }
        if let key = headers["x-api-key"] { return key == TestServer.key ? .accepted : .refused }
        guard let authorization else { return .refused }
        for own in known.values where own["x-amz-date"] == nil {
            guard let token = own["authorization"] else { continue }
            if authorization == token { return .accepted }
            let bare = authorization.replacing(/^(?i)bearer\s*/, with: "")
            if token.contains("."), bare == token || decoded(bare) == decoded(token) {
                return authorization == "Bearer \(token)" ? .accepted : .either
            }
        }
        return .refused
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// The parts of a signature's header, without what separates them.
    private static func parts(_ authorization: String) -> Set<String> {
        let text = authorization.dropFirst("AWS4-HMAC-SHA256".count).lowercased()
        return Set(text.split { ", \t".contains($0) }.map(String.init))
    }

    /// The bytes of the three parts of a token; nil if it has none.
    private static func decoded(_ token: String) -> [Data]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = parts.map { part -> Data? in
            let text = part.replacing("-", with: "+").replacing("_", with: "/").filter { $0 != "=" }
            return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
        }
        return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
    }

    // MARK: - Requests

    @Test("altered credentials of every mode give access to nobody, over HTTP and the realtime channel")
    func credentials() async throws {
        var (seed, random) = Self.seededRandom("Credentials fuzz")
        // Every caller has access, the owners of access keys too.
        try await ModesStage.with(schema: Self.schema, { $0.transform.enablesIAMAccess = true }) { stage in
            _ = try stage.ask(.apiKey, #"mutation { createSecret(input: {id: "1", text: "sesame"}) { id } }"#)
            let body = Client.envelope(Self.query)
            let data = ModesStage.data("subscription { onCreateSecret { id } }")
            let callers = ModesStage.Caller.allCases
            func known(_ body: String) throws -> [ModesStage.Caller: [String: String]] {
                Dictionary(uniqueKeysWithValues: try callers.map { ($0, try stage.headers($0, signing: body)) })
            }
            let (ofHTTP, ofSocket) = (try known(body), try known(data))
            for caller in callers { #expect(try stage.text(caller, Self.query) == Self.found, "\(caller)") }

            var (client, socket) = (stage.client, try stage.socket(.apiKey))
            var counts: [Verdict: Int] = [:]
            for round in 0..<3_000 {
                let isStart = round % 4 == 0
                let known = isStart ? ofSocket : ofHTTP
                let caller = try #require(callers.randomElement(using: &random))
                let other = try #require(callers.randomElement(using: &random))
                var headers = try #require(known[caller])
                // The headers of two callers together, now and then.
                if Int.random(in: 0..<8, using: &random) == 0 {
                    headers.merge(known[other] ?? [:]) { own, _ in own }
                }
                var isSame = true
                switch Int.random(in: 0..<10, using: &random) {
                case 0: break
                case 1 where !isStart: isSame = false
                default:
                    let name = try #require(
                        headers.keys.sorted().filter { $0 != "content-type" }.randomElement(using: &random))
                    headers[name] = Self.mutated(headers[name] ?? "", with: known[other]?[name] ?? "", &random)
                }
                var verdict = Self.verdict(headers.mapValues(Self.trimmed), bodyIsSame: isSame, known)
                let comment: Comment = "seed \(seed), round \(round): \(headers)"
                var isAccepted = false
                if isStart {
                    // Values of the header object are not headers: whether a space around them is theirs is not said.
                    let asTheyAre = Self.verdict(headers, bodyIsSame: isSame, known)
                    if asTheyAre != verdict { verdict = .either }
                    let answer = try socket.ask(ModesStage.start("\(round)", data, headers))
                    isAccepted = answer == WebSocketClient.acknowledgement("\(round)")
                    if isAccepted {
                        #expect(
                            try socket.ask(WebSocketClient.stop("\(round)")) == WebSocketClient.completion("\(round)"))
                    } else {
                        #expect(answer.hasPrefix(#"{"id":"\#(round)","type":"error""#), comment)
                        #expect(!answer.contains("InternalFailure"), comment)
                    }
                } else {
                    // HTTP has no control characters in headers, whatever these are for.
                    let isControl = { (byte: UInt8) in byte < 0x20 && byte != 0x09 || byte == 0x7F }
                    if headers.values.contains(where: { $0.utf8.contains(where: isControl) }) { verdict = .refused }
                    let sent = isSame ? body : body + " "
                    do {
                        let answer = try client.ask(
                            headers: headers.merging(["content-type": "application/json"]) { $1 }, body: sent)
                        #expect([200, 400, 401, 403, 431].contains(answer.status), comment)
                        isAccepted = answer.body == Self.found
                        #expect(isAccepted == (answer.status == 200), comment)
                        if answer["connection"].contains("close") { client = try stage.server.connect() }
                    } catch is Client.Closed {
                        client = try stage.server.connect()
                    }
                }
                counts[verdict, default: 0] += 1
                #expect(verdict == .either || isAccepted == (verdict == .accepted), comment)
            }
            // It is about something: some are accepted, and most are refused.
            #expect(counts[.accepted, default: 0] > 100 && counts[.refused, default: 0] > 1_000, "\(counts)")
        }
    }

    // MARK: - Claims

    @Test("tokens with random headers and claims, signed by their issuer, are held to the checks of claims")
    func claims() async throws {
        var (seed, random) = Self.seededRandom("Claims fuzz")
        try await ModesStage.with(schema: Self.schema) { stage in
            _ = try stage.ask(.apiKey, #"mutation { createSecret(input: {id: "1", text: "sesame"}) { id } }"#)
            let (now, url) = (stage.clock.milliseconds / 1_000, stage.issuer.url)
            let values: [JSONValue] = [
                .null, true, false, "", "x", .string(url), .string(url + "/"), .string(url.uppercased()), .number("0"),
                .number("-1"), .number("1e400"), .number("-1e400"), .number("9223372036854775807"),
                .number("18446744073709551616"), .number("1e18"), .number("\(now + 600)"), .number("\(now - 600)"),
                .number("\(now + 600).5"), .string("\(now + 600)"), [], ["x"], .array([.number("\(now + 600)")]), [:],
                ["a": 1], .string(String(repeating: "y", count: 2_000)),
            ]
            let names = ["iss", "sub", "aud", "exp", "nbf", "iat", "auth_time", "azp", "cognito:groups", "token_use"]
            let headers: [(String, [JSONValue])] = [
                ("alg", ["ES256", "es256", "none", "HS256", "RS256", "ES384", "", .null, 1, ["ES256"]]),
                ("kid", ["first", "", "second", .null, 1, "../keys", ["first"]]),
                ("typ", ["JWT", "at+jwt", .null, 1]), ("jwk", [[:], ["kty": "oct", "k": "AAAA"]]),
                ("jku", ["http://127.0.0.1:1/keys"]), ("x5u", ["http://127.0.0.1:1/keys"]),
            ]
            var acceptedCount = 0
            for round in 0..<1_500 {
                var claims = ModesStage.claims(of: stage.issuer, at: stage.clock)
                var header: JSONObject = [:]
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let name = try #require(names.randomElement(using: &random))
                    claims[name] =
                        Int.random(in: 0..<6, using: &random) == 0 ? nil : values.randomElement(using: &random)
                }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    let (name, values) = try #require(headers.randomElement(using: &random))
                    header[name] = values.randomElement(using: &random)
                }
                let token = stage.issuer.token(claims, header: header)
                let answer = try stage.ask(headers: ["authorization": token], body: Client.envelope(Self.query))
                let comment: Comment = "seed \(seed), round \(round): \(header) \(claims)"
                #expect([200, 401].contains(answer.status), comment)
                guard answer.status == 200 else { continue }
                acceptedCount += 1
                #expect(answer.body == Self.found, comment)
                #expect(header["alg"] ?? "ES256" == "ES256" && header["kid"] ?? "first" == "first", comment)
                #expect([url, url + "/"].contains(claims["iss"]?.stringValue), comment)
                let (ends, begins) = (claims["exp"]?.doubleValue, claims["nbf"]?.doubleValue)
                #expect(ends.map { $0 > Double(now - 60) && $0.isFinite } ?? false, comment)
                #expect(begins.map { $0 < Double(now + 61) } ?? true, comment)
            }
            #expect(acceptedCount > 100 && acceptedCount < 1_400, "\(acceptedCount)")
            #expect(
                stage.issuer.takePaths() == ["/.well-known/openid-configuration", "/keys"],
                "no header makes the server call another address, or call again")
        }
    }

    // MARK: - Answers of an authorizer

    @Test("whatever a Lambda authorizer answers, nothing but a plain yes opens the API, and denied fields stay null")
    func authorizer() async throws {
        var (seed, random) = Self.seededRandom("Authorizer fuzz")
        let answers = [
            #"{"isAuthorized":true}"#, #"{"isAuthorized":false}"#,
            #"{"isAuthorized":true,"resolverContext":{"a":1,"b":"x","c":true},"ttlOverride":0}"#,
            #"{"isAuthorized":true,"deniedFields":["Secret.text","Mutation.createSecret"],"ttlOverride":10}"#,
            #"{"isAuthorized":true,"deniedFields":["arn:aws:appsync:r:1:apis/x/types/Secret/fields/text"]}"#,
            #"{"isAuthorized":true,"deniedFields":[]}"#, #"{"isAuthorized":true,"resolverContext":{"a":[{}]}}"#,
            #"{"isAuthorized":true,"ttlOverride":-1}"#, #"{"isAuthorized":true,"ttlOverride":1e99}"#,
            #"{"isAuthorized":"true"}"#, #"{"isAuthorized":1}"#, #"[{"isAuthorized":true}]"#, "",
            String(repeating: "[", count: 5_000),
        ]
        try await FunctionServer.with(.init(body: "")) { function, url in
            try await TestServer.with(schema: Self.schema) { configuration in
                configuration.authModes = [.lambda, .apiKey, .userPools, .iam, .oidc]
                configuration.userPools.accessKeys = [ModesStage.signerKey]
                configuration.auth.issuers = [TokenIssuer(kind: .openID, issuer: "http://127.0.0.1:1")]
                configuration.auth.authorizer = LambdaAuthorizer(
                    function: Function(name: "gate", url: url), seconds: 60)
            } _: { server in
                let client = try server.connect()
                _ = try client.graphql(#"mutation { createSecret(input: {id: "1", text: "sesame"}) { id } }"#)
                var counts: [Int: Int] = [:]
                for round in 0..<1_200 {
                    var text = try #require(answers.randomElement(using: &random))
                    if Int.random(in: 0..<4, using: &random) > 0 {
                        text = Self.mutated(text, with: answers.randomElement(using: &random) ?? "", &random)
                    }
                    let status = [200, 200, 200, 200, 201, 204, 302, 400, 500].randomElement(using: &random) ?? 200
                    function.release(.init(status: status, body: status == 204 ? "" : text))
                    // A token of its own, so that no earlier answer is used.
                    let headers = ["content-type": "application/json", "authorization": "token-\(round)"]
                    let answer = try client.ask(headers: headers, body: Client.envelope(Self.query))
                    let comment: Comment = "seed \(seed), round \(round): \(status) \(text)"
                    #expect([200, 401].contains(answer.status), comment)
                    counts[answer.status, default: 0] += 1
                    let value = try? JSONReader.read(text)
                    let denied = value?["deniedFields"]
                    let isYes =
                        status == 200 && value?["isAuthorized"] == true
                        && (denied == nil || denied == .null
                            || denied?.arrayValue?.allSatisfy { $0.stringValue != nil } == true)
                    if answer.status == 200 { #expect(isYes, comment) }
                    if denied?.arrayValue?.contains("Secret.text") == true {
                        #expect(!answer.body.contains("sesame"), comment)
                    }
                }
                #expect(counts[200, default: 0] > 50 && counts[401, default: 0] > 100, "\(counts)")
            }
        }
    }
}
