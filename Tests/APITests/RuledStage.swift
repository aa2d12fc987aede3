import Foundation
import GraphQL
import JSON
import Testing
import Transformer

@testable import API

/// A schema with `@auth`, served to callers of all modes with user pools as the default, beside the same schema without
/// rules, which seeds the data and shows what is stored.
///
/// Requests are written as one root field with single quotes: `getDiary(id: '1') { text }`. Without a selection the answer
/// is `ok`.
final class RuledStage {
    let ruled: Service
    let open: Service

    static let modes: [TransformOptions.AuthMode] = [.userPools, .apiKey, .iam, .oidc, .lambda]

    /// - Parameters:
    ///   - added: Declarations of fields that the rules add, so that they can be seeded, by the type.
    ///   - modes: The modes of the ruled API, the default one first.
    ///   - functions: What `@function` calls.
    init(
        _ schema: String, _ version: TransformOptions.TransformerVersion, adding added: [String: String] = [:],
        transform: TransformOptions = TransformOptions(), modes: [TransformOptions.AuthMode] = RuledStage.modes,
        functions: FakeFunctions? = nil
    ) throws {
        var transform = transform
        transform.transformerVersion = version
        let home = try Service.Home(invokeFunction: functions?.invoker)
        var plain = Self.withoutRules(schema)
        for (type, fields) in added {
            let start = try #require(plain.firstRange(of: "type \(type) @model"))
            let brace = try #require(plain[start.upperBound...].firstIndex(of: "{"))
            plain.insert(contentsOf: " \(fields) ", at: plain.index(after: brace))
        }
        open = try Service(plain, transform: transform, home: home)
        transform.authModes = modes
        ruled = try open.reloaded(schema, transform: transform)
    }

    private static func withoutRules(_ schema: String) -> String {
        var parts = schema.components(separatedBy: "@auth(")
        for place in parts.indices.dropFirst() {
            var depth = 1
            let end = parts[place].firstIndex { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth == 0
            }
            parts[place] = end.map { String(parts[place][parts[place].index(after: $0)...]) } ?? ""
        }
        return parts.joined()
    }

    func seed(_ fields: String..., sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
        for field in fields { try open.seed("mutation { \(Self.selected(field)) }", sourceLocation: sourceLocation) }
    }

    private static func selected(_ field: String) -> String {
        let field = field.replacing("'", with: "\"")
        return field.hasSuffix("}") ? field : field + " { __typename }"
    }

    // MARK: - Answers

    /// What a caller is answered: the data of the field without quotes, `U`, `C`, `F[a, b]`, and behind the data ` | path U`
    /// for every error within it.
    func answer(_ caller: Identity, _ field: String, isScalar: Bool = false) throws -> String {
        try Self.answer(ruled, caller, field, isScalar: isScalar)
    }

    /// What is stored, asked without rules.
    func stored(_ field: String) throws -> String { try Self.answer(open, .apiKey, field) }

    private static func answer(
        _ service: Service, _ caller: Identity, _ field: String, isScalar: Bool = false
    ) throws -> String {
        let text = isScalar ? field.replacing("'", with: "\"") : selected(field)
        let isMutation = ["create", "update", "delete"].contains { text.hasPrefix($0) }
        let name = String(text.prefix { $0.isLetter || $0.isNumber })
        let sent = try service.send(body: Service.body("\(isMutation ? "mutation " : ""){ \(text) }", nil), as: caller)
        let answer = try JSONReader.read(sent.text)
        let errors = (answer["errors"]?.arrayValue ?? []).map { error in
            let path = (error["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.description }
            let message = error["message"]?.stringValue ?? ""
            let inner = path.dropFirst().joined(separator: "/")
            let kind =
                switch error["errorType"]?.stringValue {
                case "Unauthorized" where message.hasPrefix("Not Authorized to access \(path.last ?? "") on type "): "U"
                case "Unauthorized" where message.hasPrefix("Unauthorized on ["):
                    "F" + message.dropFirst("Unauthorized on ".count)
                case "DynamoDB:ConditionalCheckFailedException": "C"
                default: message
                }
            return inner.isEmpty ? kind : "\(inner) \(kind)"
        }
        let value = answer["data"]?[name]
        if value?.isNull ?? true, !errors.isEmpty { return errors.joined(separator: " | ") }
        let data = (value?["items"] ?? value)?.description.replacing("\"", with: "") ?? "no data"
        return ([data.hasPrefix("{__typename:") ? "ok" : data] + errors).joined(separator: " | ")
    }

    /// Compares answers, one after the other.
    func check(
        _ rows: [(caller: Identity, field: String, expected: String)],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        for (caller, field, expected) in rows {
            let found = try answer(caller, field)
            #expect(found == expected, "\(field) as \(caller.name)", sourceLocation: sourceLocation)
        }
    }

    /// The rules that a request has met, in alphabetical order.
    func metRules(_ query: String, _ variables: String?, as caller: Identity) throws -> [String] {
        var options = AnswerOptions()
        options.explainsRules = true
        let kind = try ruled.send(body: Service.body(query, variables), as: caller, options: options).kind
        return (kind.report.explanation?.metRules ?? []).map(\.text).sorted()
    }

    // MARK: - Subscriptions

    /// Whether a subscription is accepted, or why it is refused.
    func start(_ caller: Identity, _ field: String) throws -> String {
        switch try outcome(caller, field, TestSubscriber()) {
        case .subscribed(let handle):
            ruled.context.cancel(handle)
            return "accepted"
        case .refused(let errors, _):
            let name = String(field.prefix { $0.isLetter || $0.isNumber })
            let message = errors.first?.message ?? ""
            return message == "Not Authorized to access \(name) on type Subscription" ? "U" : message
        case .otherOperation(let name): return name
        }
    }

    func check(
        starts rows: [(caller: Identity, field: String, expected: String)],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        for (caller, field, expected) in rows {
            let found = try start(caller, field)
            #expect(found == expected, "\(field) as \(caller.name)", sourceLocation: sourceLocation)
        }
    }

    /// A subscription that must be accepted.
    func listen(
        _ caller: Identity, _ field: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> TestSubscriber {
        let subscriber = TestSubscriber()
        switch try outcome(caller, field, subscriber) {
        case .subscribed(let handle): subscriber.handle = handle
        case .refused(let errors, _): Issue.record("refused: \(errors)", sourceLocation: sourceLocation)
        case .otherOperation(let name): Issue.record("a \(name)", sourceLocation: sourceLocation)
        }
        return subscriber
    }

    private func outcome(_ caller: Identity, _ field: String, _ subscriber: TestSubscriber) throws -> SubscribeOutcome {
        try ruled.outcome(of: "subscription { \(Self.selected(field)) }", as: caller, for: subscriber)
    }

    /// What a subscriber was sent since the last time: the events' data without quotes.
    func events(_ subscriber: TestSubscriber) throws -> String {
        try ruled.deliver()
        return try subscriber.take().map { payload in
            let data = try JSONReader.read(payload)["data"]
            guard case .object(let object)? = data, let value = object.keys.first.flatMap({ object[$0] }) else {
                return payload
            }
            return value.description.replacing("\"", with: "")
        }.joined(separator: " ")
    }
}

extension Identity {
    /// The caller in a message.
    var name: String { "\(mode) \(username ?? subject ?? "") \(groups)" }

    /// A user by an access token, which has no `cognito:username`.
    static func accessToken(_ name: String?) -> Identity {
        let claims =
            [("sub", JSONValue.string("s-\(name ?? "nobody")"))] + (name.map { [("username", .string($0))] } ?? [])
        return .userPools(IdentityToken(claims: JSONObject(claims)), claims: ["cognito:username", "email"])
    }

    /// A user of the OIDC provider, whose token has no name.
    static let oann = oidc(IdentityToken(claims: JSONObject([("sub", "s-ann")])), claims: [])
    /// Identities of the identity pool, signed in and not.
    static let signedIn = iam(user: "arn:auth", poolRole: .authenticated)
    static let guest = iam(user: "arn:unauth", poolRole: .unauthenticated)
    /// Signed callers that are none: a server, and one with an admin role.
    static let server = iam(user: "arn:server", poolRole: nil)
    static let admin = iam(user: "arn:admin", poolRole: nil, isAdmin: true)
}
