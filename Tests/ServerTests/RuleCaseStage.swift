import Encodings
import Foundation
import HTTP
import JSON
import Testing
import Transformer

@testable import Server
@testable import UserPools

/// A server of a schema with rules, and callers, requests and answers as the acceptance cases write them
/// (reference: authorization, "Acceptance cases").
///
/// A caller is a user of the pool (`ann`, `cy+Audit` in a group, `ann/access` by an access token), `key`, `fn` (Lambda authorizer),
/// `oidc` or a token that a test has made, `pool` and `unauth` (credentials of the identity pool), `srv` or `adm` (access keys). A
/// request is one root field with single quotes, `getDiary(id: '1') { text }`; without a selection its answer is `ok`. `s-ann`,
/// `s-bob` and `s-cho` are the `sub`s of these users.
final class RuleCaseStage {
    /// The number of a case, who asks what, and the answer: data without quotes, or for each error its path and `U`, `C` or `F[a, b]`.
    typealias Row = (number: String, caller: String, field: String, expected: String)

    let modes: ModesStage
    private let pool: UserPool
    /// Tokens by their callers.
    var tokens: [String: String] = [:]
    private var subs: [String: String] = [:]
    private var groups: Set<String> = []

    private static let poolID = "us-east-1_One"
    private static let authModes: [TransformOptions.AuthMode] = [.userPools, .apiKey, .iam, .oidc, .lambda]
    private static let sandbox = "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }\n"

    /// - Parameters:
    ///   - schema: With rules. What is between `«` and `»` is a field that the rules add.
    ///   - seeds: Root fields that create items before there are rules.
    static func with(
        _ version: TransformOptions.TransformerVersion, _ schema: String, seeds: [String] = [],
        _ change: @escaping (inout Configuration) -> Void = { _ in }, _ body: (RuleCaseStage) async throws -> Void
    ) async throws {
        let open = withoutRules(schema).replacing("«", with: "").replacing("»", with: "")
        try await ModesStage.with(schema: version == .v2 ? sandbox + open : open, modes: authModes) {
            $0.transform.transformerVersion = version
            $0.transform.improvePluralization = false
            change(&$0)
        } _: { modes in
            let stage = try RuleCaseStage(modes)
            for seed in seeds {
                let answer = try await stage.answer(version == .v2 ? "key" : "ann", seed)
                #expect(answer == "ok", "\(seed)")
            }
            let ruled = schema.replacing(/«[^»]*»/, with: "")
            try modes.server.folder.write(ruled, to: "schema.graphql")
            _ = try modes.server.service.reload(modes.server.configuration)
            for loop in modes.server.service.server.loops {
                await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
            }
            try await body(stage)
        }
    }

    private init(_ modes: ModesStage) throws {
        self.modes = modes
        pool = try #require(modes.pools.directory.pool(Self.poolID))
    }

    private static func withoutRules(_ schema: String) -> String {
        let parts = schema.components(separatedBy: "@auth(")
        return parts[0]
            + parts.dropFirst().map { part in
                var depth = 1
                let end = part.firstIndex { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return depth == 0
                }
                return end.map { String(part[part.index(after: $0)...]) } ?? ""
            }.joined()
    }

    // MARK: - Callers

    private func headers(_ caller: String, signing body: String) async throws -> [String: String] {
        switch caller {
        case "key": return try modes.headers(.apiKey, signing: body)
        case "fn": return try modes.headers(.lambda, signing: body)
        case "oidc": return try modes.headers(.openID, signing: body)
        case "pool": return try modes.headers(.member, signing: body)
        case "unauth": return try modes.headers(.guest, signing: body)
        case "srv": return try modes.headers(.signer, signing: body)
        case "adm": return try modes.headers(.tools, signing: body)
        default:
            if tokens[caller] == nil { tokens[caller] = try await token(caller) }
            return ["authorization": try #require(tokens[caller])]
        }
    }

    private func token(_ caller: String) async throws -> String {
        let parts = caller.split(separator: "/")
        let names = parts[0].split(separator: "+").map(String.init)
        if subs[names[0]] == nil {
            _ = try await modes.pools.makeUser(named: names[0], [], password: nil, status: .confirmed, in: pool)
        }
        func perform(_ operation: String, _ key: String, _ value: String) async throws -> JSONObject {
            let body: JSONObject = [
                "UserPoolId": .string(Self.poolID), "Username": .string(names[0]), key: .string(value),
            ]
            return try await ModesStage.perform(modes.pools, operation, body)
        }
        for group in names.dropFirst() {
            if groups.insert(group).inserted {
                _ = try await ModesStage.perform(
                    modes.pools, "CreateGroup", ["UserPoolId": .string(Self.poolID), "GroupName": .string(group)])
            }
            _ = try await perform("AdminAddUserToGroup", "GroupName", group)
        }
        let minted = try UserPoolTests.AcceptedTokens.UserTokens(await perform("MintToken", "ClientId", "iosapp"))
        // The same user may ask without the group.
        for group in names.dropFirst() { _ = try await perform("AdminRemoveUserFromGroup", "GroupName", group) }
        subs[names[0]] = try #require(JSONWebToken(minted.id)?.claims["sub"]?.stringValue)
        return parts.count > 1 ? minted.access : minted.id
    }

    /// A token of the OpenID provider, with claims beside those of every token.
    func openIDToken(_ claims: JSONObject) -> String {
        var all = ModesStage.claims(of: modes.issuer, at: modes.clock)
        for (name, value) in claims { all[name] = value }
        return modes.issuer.token(all)
    }

    /// A text with the `sub` of each user in place of `s-` and the name.
    private func resolved(_ text: String) async throws -> String {
        var text = text
        for match in text.matches(of: /\bs-(ann|bob|cho)/.wordBoundaryKind(.simple)).reversed() {
            let name = String(match.1)
            if subs[name] == nil { tokens[name] = try await token(name) }
            text.replaceSubrange(match.range, with: try #require(subs[name]))
        }
        return text
    }

    // MARK: - Requests

    /// Compares answers, one after the other.
    func check(_ rows: [Row], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for row in rows {
            let (found, expected) = (try await answer(row.caller, row.field), try await resolved(row.expected))
            #expect(
                found == expected, "case \(row.number): \(row.field) by \(row.caller)", sourceLocation: sourceLocation)
        }
    }

    /// The answer to a document, as it came.
    func text(_ caller: String, _ document: String) async throws -> String {
        let body = Client.envelope(try await resolved(document.replacing("'", with: "\"")))
        return try modes.ask(headers: await headers(caller, signing: body), body: body).body
    }

    func answer(_ caller: String, _ field: String) async throws -> String {
        let field = field.hasSuffix("}") ? field : field + " { __typename }"
        let isMutation = ["create", "update", "delete"].contains { field.hasPrefix($0) }
        let answer = try JSONReader.read(await text(caller, "\(isMutation ? "mutation " : ""){ \(field) }"))
        let errors = (answer["errors"]?.arrayValue ?? []).map(Self.brief)
        let value = answer["data"]?[String(field.prefix { $0.isLetter || $0.isNumber })]
        if value?.isNull ?? true, !errors.isEmpty { return errors.joined(separator: " | ") }
        let data = (value?["items"] ?? value)?.description.replacing("\"", with: "") ?? "no data"
        return ([data.hasPrefix("{__typename:") ? "ok" : data] + errors).joined(separator: " | ")
    }

    private static func brief(_ error: JSONValue) -> String {
        let path = (error["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.description }
        let message = error["message"]?.stringValue ?? ""
        let kind =
            switch error["errorType"]?.stringValue {
            case "Unauthorized" where message.hasPrefix("Not Authorized to access \(path.last ?? "") on type "): "U"
            case "Unauthorized" where message.hasPrefix("Unauthorized on ["):
                "F" + message.dropFirst("Unauthorized on ".count)
            case "DynamoDB:ConditionalCheckFailedException": "C"
            default: message
            }
        return (path.count > 1 ? path.dropFirst().joined(separator: "/") + " " : "") + kind
    }

    // MARK: - The realtime channel

    /// A subscription on a connection of its own.
    final class Listener {
        fileprivate let socket: WebSocketClient
        fileprivate var events: [String] = []

        fileprivate init(_ socket: WebSocketClient) { self.socket = socket }
    }

    private func begin(_ caller: String, _ field: String) async throws -> (frame: String, listener: Listener) {
        let data = ModesStage.data(try await resolved("subscription { \(field) }".replacing("'", with: "\"")))
        let socket = try modes.socket(.apiKey)
        let frame = try socket.ask(ModesStage.start("1", data, await headers(caller, signing: data)))
        return (frame, Listener(socket))
    }

    /// Compares what `start` is answered: `accepted`, `U`, or a part of the frame.
    func check(starts rows: [Row], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for row in rows {
            let frame = try await begin(row.caller, row.field + " { __typename }").frame
            let name = row.field.prefix { $0.isLetter || $0.isNumber }
            let refusal =
                #""errorType":"Unauthorized","message":"Not Authorized to access \#(name) on type Subscription""#
            let found =
                frame == WebSocketClient.acknowledgement("1") ? "accepted" : frame.contains(refusal) ? "U" : frame
            #expect(
                found == row.expected || found.hasPrefix("{") && found.contains(row.expected),
                "case \(row.number): \(row.field) by \(row.caller): \(found)", sourceLocation: sourceLocation)
        }
    }

    /// A subscription that must be accepted.
    func listen(
        _ caller: String, _ field: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Listener {
        let (frame, listener) = try await begin(caller, field)
        #expect(frame == WebSocketClient.acknowledgement("1"), sourceLocation: sourceLocation)
        return listener
    }

    /// Compares the events since the last time: their data without quotes.
    func check(
        _ number: String, _ listener: Listener, receives expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let count = expected.split(separator: " ").count
        // A loop delivers events in steps, between which it reads its sockets.
        for trip in 0..<1_000 where trip < 2 || listener.events.count < count {
            try listener.socket.send(WebSocketClient.stop("none"))
            while case let text = try listener.socket.receive(), text != WebSocketClient.completion("none") {
                let event = try JSONReader.read(text)
                guard event["type"] == "data" else { continue }
                let data = event["payload"]?["data"]?.objectValue ?? [:]
                listener.events.append(data.first?.value.description.replacing("\"", with: "") ?? text)
            }
        }
        #expect(listener.events.joined(separator: " ") == expected, "case \(number)", sourceLocation: sourceLocation)
        listener.events = []
    }
}
