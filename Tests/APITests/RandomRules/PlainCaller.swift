import JSON
import Transformer

@testable import API

/// A caller, with what its credentials say, from which the plain readings and the identity are made apart.
struct PlainCaller {
    let name: String
    let mode: TransformOptions.AuthMode
    var claims: [String: JSONValue] = [:]
    var isSignedIn: Bool?
    var isAdmin = false
    var deniedFields: [String] = []

    /// The claims, beside the subject, name and groups, that some rule looks at.
    private static let ruleClaims: Set<ExactText> = [
        "email", "org", "custom:x", "cognito:username", "num", "sub:username", "roles", "org::email",
    ]

    var identity: Identity {
        let token = IdentityToken(claims: JSONObject(claims.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        return switch mode {
        case .apiKey: .apiKey
        case .userPools: .userPools(token, claims: Self.ruleClaims)
        case .oidc: .oidc(token, claims: Self.ruleClaims)
        case .lambda: .lambda(deniedFields: deniedFields, context: JSONObject())
        case .iam:
            .iam(
                user: "arn:\(name)", poolRole: isSignedIn.map { $0 ? .authenticated : .unauthenticated },
                isAdmin: isAdmin)
        }
    }

    /// A text claim; `username` is also that of an id token.
    func text(_ claim: String) -> String? {
        let value = claim == "username" ? claims["username"] ?? claims["cognito:username"] : claims[claim]
        switch value {
        case .string(let text)?: return text.isEmpty || Self.list(text) != nil ? nil : text
        case .number(let text)?: return text
        default: return nil
        }
    }

    func groups(_ claim: String) -> [String] {
        switch claims[claim] {
        case .array(let groups)?: groups.compactMap(\.stringValue)
        case .string(let text)?: Self.list(text) ?? [text]
        default: []
        }
    }

    private static func list(_ text: String) -> [String]? {
        guard text.trimmingPrefix(while: \.isWhitespace).hasPrefix("["), let value = try? JSONReader.read(text) else {
            return nil
        }
        return value.arrayValue?.compactMap(\.stringValue)
    }

    private static func user(
        _ name: String, in groups: [String] = [], _ claims: [String: JSONValue] = [:],
        mode: TransformOptions.AuthMode = .userPools
    ) -> PlainCaller {
        var all: [String: JSONValue] = [
            "sub": .string("s-\(name)"), (mode == .userPools ? "cognito:username" : "username"): .string(name),
        ]
        if !groups.isEmpty { all["cognito:groups"] = .array(groups.map(JSONValue.string)) }
        let described = claims.isEmpty ? "" : " \(JSONObject(claims.map { ($0.key, $0.value) }))"
        return PlainCaller(
            name: "\(mode) \(name)\(groups.map { "+\($0)" }.joined())\(described)", mode: mode,
            claims: all.merging(claims) { $1 })
    }

    static let all: [PlainCaller] = [
        user("ann"), user("bob"), user("ann", in: ["G"]), user("cy", in: ["red", "x"]), user("bob", in: ["blue"]),
        user("dee", ["email": "a@x", "org": "o"]), user("eve", ["email": "a@x", "org": ["red", "blue"]]),
        user("fay", ["num": 7, "custom:x": "ann", "org": #"["G","red"]"#]), user("gus", ["org::email": "o::a@x"]),
        user("hal", ["email": #"["ann"]"#, "org": "red", "roles": "G"]),
        PlainCaller(name: "access ann", mode: .userPools, claims: ["sub": "s-ann", "username": "ann"]),
        PlainCaller(name: "access nobody", mode: .userPools, claims: ["sub": "s-nobody"]),
        user("ann", mode: .oidc), user("bob", in: ["red", "G"], mode: .oidc),
        PlainCaller(name: "oidc s-ann", mode: .oidc, claims: ["sub": "s-ann", "email": "a@x"]),
        PlainCaller(name: "key", mode: .apiKey), PlainCaller(name: "function", mode: .lambda),
        PlainCaller(
            name: "limited function", mode: .lambda,
            deniedFields: ["Apple.title", "Mutation.updateApple", "Boat.apple", "Bag.outer", "Query.getBoat"]),
        PlainCaller(name: "auth", mode: .iam, isSignedIn: true),
        PlainCaller(name: "guest", mode: .iam, isSignedIn: false),
        PlainCaller(name: "server", mode: .iam),
    ]
    static let admin = PlainCaller(name: "admin", mode: .iam, isAdmin: true)
}
