import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Identities") struct IdentityTests {
    private func token(_ claims: KeyValuePairs<String, JSONValue>) -> IdentityToken {
        IdentityToken(claims: JSONObject(claims.map { ($0.key, $0.value) }))
    }

    @Test("identities are equal whose user and rules' claims are, whatever else their tokens say")
    func equality() {
        func user(_ claims: KeyValuePairs<String, JSONValue>) -> Identity {
            .userPools(token(claims), claims: ["email", "org"])
        }
        let ann = user(["sub": "s", "email": "a@x", "org": "o", "exp": 1, "jti": "1"])
        #expect(ann == user(["org": "o", "email": "a@x", "jti": "2", "sub": "s", "exp": 2]))
        #expect(ann.hashValue == user(["org": "o", "sub": "s", "email": "a@x"]).hashValue)
        #expect(ann.claim("email") == "a@x" && ann.claim("jti") == nil)
        for other in [
            user(["sub": "s", "email": "a@x"]), user(["sub": "s", "email": "b@x", "org": "o"]),
            user(["sub": "t", "email": "a@x", "org": "o"]), user(["sub": "s", "email": "a@x", "org": ["o"]]),
            user(["sub": "s", "email": "a@x", "org": "o", "cognito:groups": ["G"]]),
            user(["sub": "s", "email": "a@x", "org": "o", "username": "ann"]),
            .oidc(token(["sub": "s", "email": "a@x", "org": "o"]), claims: ["email", "org"]), .apiKey,
        ] { #expect(ann != other) }
        #expect(Identity.iam(user: "a", poolRole: .authenticated) != .iam(user: "a", poolRole: .unauthenticated))
        #expect(user(["sub": "\u{e9}"]) != user(["sub": "e\u{301}"]))
        #expect(Identity.apiKey == .apiKey && Identity.apiKey != .lambda)
    }

    @Test("a user's name is that of an id token or of an access token")
    func username() {
        let id = Identity.userPools(token(["cognito:username": "ann", "username": "x"]), claims: [])
        let access = Identity.userPools(token(["username": "ann"]), claims: [])
        let foreign = Identity.oidc(token(["cognito:username": "ann", "username": "x"]), claims: [])
        #expect([id, access, foreign].map(\.username) == ["ann", "ann", "x"])
        #expect(access.claim("username") == "ann" && access.claim("cognito:username") == nil)
    }

    @Test("a token's times are in seconds, with or without a fraction, and absent where they are no numbers")
    func times() {
        let token = token(["iat": 5, "exp": .number("7.9"), "auth_time": "9"])
        #expect(token.issuedAtSeconds == 5 && token.expiresAtSeconds == 7)
        #expect(token.authenticatedAtSeconds == nil && token.notBeforeSeconds == nil)
    }

    private func holding(_ role: AuthorizationRole, _ identity: Identity) -> String {
        switch CallerRoles(identity).holding(of: role) {
        case .none: "none"
        case .all: "all"
        case .values(let values): values.all.texts.joined(separator: ",") + (values.stored.map { " as \($0)" } ?? "")
        }
    }

    @Test("a role is held in its own mode alone")
    func modes() {
        let identities: [(Identity, AuthorizationRule.Provider)] = [
            (.apiKey, .apiKey), (.ann, .userPools), (.oidc(token(["sub": "s"]), claims: []), .oidc),
            (.iam(user: "a", poolRole: .authenticated), .iam), (.lambda, .function),
        ]
        for (identity, own) in identities {
            for provider in AuthorizationRule.Provider.allCases {
                let member: AuthorizationRole.Member =
                    provider == .apiKey ? .public : provider == .function ? .custom : .private
                let role = AuthorizationRole(provider: provider, member: member)
                #expect(holding(role, identity) == (provider == own ? "all" : "none"))
            }
        }
        for poolRole in [Identity.PoolRole.authenticated, .unauthenticated, nil] {
            let identity = Identity.iam(user: "a", poolRole: poolRole)
            let isPrivate = holding(AuthorizationRole(provider: .iam, member: .private), identity)
            let isPublic = holding(AuthorizationRole(provider: .iam, member: .public), identity)
            #expect(isPrivate == (poolRole == .authenticated ? "all" : "none"))
            #expect(isPublic == (poolRole == .unauthenticated ? "all" : "none"))
        }
    }

    @Test(
        "claims name owners and groups in the forms that tokens have",
        arguments: [
            ("x", "x as x", "x"), (5, "5 as 5", ""), (true, "true as true", ""), ("", "none", ""),
            (["a", "b"], "none", "a,b"), (#"["a","b"]"#, "none", "a,b"), (" \t\r\n[\"a\", \"b\"] ", "none", "a,b"),
            (["a", 1, "a"], "none", "a"),
            ("[broken", "[broken as [broken", "[broken"), (.null, "none", ""),
            ([:], "none", ""),
        ] as [(JSONValue, String, String)])
    func claims(claim: JSONValue, owner: String, groups: String) {
        let identity = Identity.userPools(token(["sub": "s", "c": claim]), claims: ["c"])
        func role(_ member: AuthorizationRole.Member) -> AuthorizationRole {
            AuthorizationRole(provider: .userPools, member: member)
        }
        #expect(holding(role(.owner(field: "o", claims: ["c"])), identity) == owner)
        #expect(holding(role(.groups(field: "g", claim: "c")), identity) == (groups.isEmpty ? "none" : groups))
        for group in ["a", "x", "["] {
            let isHeld = groups.split(separator: ",").contains { $0 == group }
            #expect(holding(role(.group(group, claim: "c")), identity) == (isHeld ? "all" : "none"))
        }
        // Of several claims each counts by itself; all of them are stored.
        let joined = owner == "none" ? "s" : "s::\(owner.prefix { $0 != " " }),s,\(owner.prefix { $0 != " " })"
        #expect(holding(role(.owner(field: "o", claims: ["sub", "c"])), identity).hasPrefix(joined))
    }
}
