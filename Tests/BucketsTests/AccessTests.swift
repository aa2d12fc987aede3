import JSON
import Testing

@testable import Buckets

@Suite("Who may do what")
struct AccessTests {
    private let owner = BucketCaller.authenticated(identityID: "r:1")
    private let other = BucketCaller.authenticated(identityID: "r:2")
    private let guest = BucketCaller.guest(identityID: "r:3")
    private let member = BucketCaller.group("Admins", identityID: "r:1")

    private func allowed(_ rules: AccessRules, _ key: String, _ caller: BucketCaller) -> Set<AccessAction> {
        Set(AccessAction.allCases.filter { rules.allows($0, on: key, for: caller) })
    }

    @Test("the levels of the Amplify CLI allow what its policies allow")
    func levels() {
        let rules = AccessRules(
            AmplifyAccess(guest: [.read, .createAndUpdate], groups: ["Admins": [.read, .delete]]).rules)
        let all = Set(AccessAction.allCases)
        let cases: [(String, BucketCaller, Set<AccessAction>)] = [
            ("public/a", owner, all), ("protected/r:1/a", owner, all), ("private/r:1/a", owner, all),
            ("protected/r:2/a", owner, [.get, .list]), ("private/r:2/a", owner, []),
            ("protected/", owner, [.get, .list]),
            ("uploads/a", owner, [.write]), ("other/a", owner, []), ("", owner, []), ("public", owner, []),
            ("private/r:1", owner, []), ("private/r:11/a", owner, []), ("private/r:1x/a", owner, []),
            ("public/a", guest, [.get, .list, .write]), ("protected/r:1/a", guest, [.get, .list]),
            ("private/r:3/a", guest, []), ("protected/r:3/a", guest, [.get, .list]), ("uploads/a", guest, [.write]),
            ("public/a", member, [.get, .list, .delete]), ("private/r:2/a", member, [.get, .list, .delete]),
            ("private/r:1/a", member, [.get, .list, .delete]), ("anything", member, [.get, .list, .delete]),
            ("public/a", .group("Others", identityID: "r:1"), []), ("public/a", .anonymous, []),
            ("private/r:2/a", .operator(accessKeyID: "A"), all),
        ]
        for (key, caller, actions) in cases {
            #expect(allowed(rules, key, caller) == actions, "\(key) \(caller)")
        }
    }

    @Test("guests have nothing unless they are granted it, and each permission stands by itself")
    func permissions() {
        let rules = AccessRules(AmplifyAccess(guest: [], authenticated: [.createAndUpdate]).rules)
        #expect(allowed(rules, "public/a", guest).isEmpty && allowed(rules, "protected/r:1/a", guest).isEmpty)
        #expect(allowed(rules, "public/a", owner) == [.write] && allowed(rules, "private/r:1/a", owner) == [.write])
        #expect(allowed(rules, "protected/r:2/a", owner).isEmpty)
        #expect(allowed(rules, "uploads/a", guest).isEmpty)
    }

    @Test("of the paths of Gen 2 the most specific one decides for everybody")
    func paths() throws {
        let listed: [(String, [(who: String, actions: [String])])] = [
            (
                "photos/*",
                [("authenticated", ["get", "list", "write"]), ("guest", ["get"]), ("groupsAdmins", ["delete"])]
            ),
            ("photos/hidden/*", [("groupsAdmins", ["read"])]),
            ("own/${cognito-identity.amazonaws.com:sub}/*", [("entityidentity", ["read", "write", "delete"])]),
            ("own/*/*", [("authenticated", ["get"])]), ("own/shared/*", [("guest", ["get"])]),
        ]
        var rules: [AccessRule] = []
        for (path, grants) in listed { rules += try PathAccess.rules(path: path, grants: grants) }
        let access = AccessRules(rules)
        let cases: [(String, BucketCaller, Set<AccessAction>)] = [
            ("photos/a", owner, [.get, .list, .write]), ("photos/a", guest, [.get]), ("photos/a", member, [.delete]),
            ("photos/hidden/a", owner, []), ("photos/hidden/a", member, [.get, .list]), ("photos/hidden/a", guest, []),
            ("own/r:1/a", owner, [.get, .list, .write, .delete]), ("own/r:1/a", other, [.get]),
            ("own/r:1/a", guest, []),
            ("own/shared/a", guest, [.get]), ("own/shared/a", owner, []), ("own/a", owner, []), ("else", owner, []),
        ]
        for (key, caller, actions) in cases {
            #expect(allowed(access, key, caller) == actions, "\(key) \(caller)")
        }
    }

    @Test("a caller's identity is compared with the placeholder of a path, and never with a *")
    func placeholders() throws {
        let listed: [(String, [(who: String, actions: [String])])] = [
            ("*/{entity_id}/*", [("entityidentity", ["read", "write", "delete"])]), ("*/*/*", [("guest", ["get"])]),
            ("{identity}/twice/{identity}/*", [("entityidentity", ["get"])]),
            ("team/*/{identity}/*/x/*", [("entityidentity", ["list"])]),
        ]
        var rules: [AccessRule] = []
        for (path, grants) in listed { rules += try PathAccess.rules(path: path, grants: grants) }
        let access = AccessRules(rules)
        let all = Set(AccessAction.allCases)
        let cases: [(String, BucketCaller, Set<AccessAction>)] = [
            ("photos/r:1/a", owner, all), ("photos/r:2/a", owner, []), ("r:1/r:2/a", owner, []), ("r:1/a", owner, []),
            ("r:1/photos/a", owner, []), ("photos/r:1/a", other, []), ("photos/r:1/a", guest, [.get]),
            ("r:1/twice/r:1/a", owner, [.get]), ("r:1/twice/r:2/a", owner, []), ("r:2/twice/r:1/a", owner, []),
            ("team/r:2/r:1/k/x/a", owner, [.list]), ("team/r:1/r:2/k/x/a", owner, []),
            // Of lists the prefix is authorized.
            ("photos/r:1/", owner, all), ("photos/r:1", owner, []), ("photos/r:11/", owner, []),
            ("photos/r:1x/", owner, []), ("photos/", owner, []), ("r:1/", owner, []), ("r:1/x/", owner, []),
            ("", owner, []), ("/r:1/", owner, []), ("photos//", owner, []), ("photos/r:1/", member, []),
        ]
        for (key, caller, actions) in cases {
            #expect(allowed(access, key, caller) == actions, "\(key) \(caller)")
        }
        #expect(AccessPath("own/{identity}") == nil && AccessPath("{identity}") == nil)
    }

    @Test("an identity without a placeholder, and a placeholder without an identity, are refused with what to write")
    func identities() throws {
        let withoutPlaceholder = try #require(
            #expect(throws: PathAccess.Problem.self) {
                try PathAccess.rules(path: "own/*/*", grants: [("entityidentity", ["read"])])
            })
        #expect(withoutPlaceholder.message.contains("matches nobody") && withoutPlaceholder.hint.contains("{identity}"))
        let withoutIdentity = try #require(
            #expect(throws: PathAccess.Problem.self) {
                try PathAccess.rules(path: "own/{entity_id}/*", grants: [("guest", ["read"])])
            })
        #expect(withoutIdentity.message.contains("entityidentity") && withoutIdentity.hint.contains("\"*\""))
    }

    @Test(
        "paths that cannot be served are refused",
        arguments: [
            ("/photos/*", "guest", "get"), ("photos/", "guest", "get"), ("pho*tos/*", "guest", "get"),
            ("a/x{identity}/*", "guest", "get"), ("photos/*", "nobody", "get"), ("photos/*", "groups", "get"),
            ("photos/*", "guest", "admire"),
        ])
    func problems(path: String, who: String, action: String) {
        #expect(throws: PathAccess.Problem.self) {
            try PathAccess.rules(path: path, grants: [(who: who, actions: [action])])
        }
    }

    @Test("objects under an anonymous prefix may be got by anyone, and nothing else is allowed without a signature")
    func anonymous() async throws {
        // The rules allow nobody anything under the path, and neither does an unsigned caller have any of them.
        let rules = try [("open/", []), ("closed/", [.get, .list, .write])].map { path, actions in
            AccessRule(try #require(AccessPath(path)), .guest, Set<AccessAction>(actions))
        }
        let stage = try await BucketStage(access: AccessRules(rules, anonymousPrefixes: ["open/"]))
        await stage.put("open/a", "x")
        await stage.put("closed/a", "x")
        for caller in [.anonymous, BucketStage.guest, BucketStage.jane] {
            #expect(await stage.call("GET", "/media/open/a", as: caller).text == "x")
            let list = await stage.call("GET", "/media?list-type=2&prefix=open/", as: caller)
            #expect(list.element("Code") == "AccessDenied")
        }
        for (method, target) in [
            ("GET", "/media/closed/a"), ("PUT", "/media/open/a"), ("DELETE", "/media/open/a"),
            ("GET", "/media?prefix=open/"),
            ("GET", "/"), ("PUT", "/new"), ("DELETE", "/media"), ("PUT", "/media?cors"), ("GET", "/media?acl"),
            ("POST", "/media/open/a?uploads"),
        ] {
            #expect(await stage.call(method, target, as: .anonymous).element("Code") == "AccessDenied", "\(target)")
        }
    }

    @Test("a missing object is 403 to a caller who may not list, and 404 to one who may")
    func missing() async throws {
        let path = try #require(AccessPath("a/"))
        let rules = [AccessRule(path, .guest, [.get]), AccessRule(path, .authenticated, [.get, .list])]
        let stage = try await BucketStage(access: AccessRules(rules))
        for method in ["GET", "HEAD"] {
            #expect(await stage.call(method, "/media/a/none", as: BucketStage.guest).status == 403)
            #expect(await stage.call(method, "/media/a/none", as: BucketStage.jane).status == 404)
        }
        let copy = ("x-amz-copy-source", "media/a/none")
        #expect(await stage.call("PUT", "/media/a/b", [copy], as: BucketStage.guest).status == 403)
    }

    @Test("tags are read, written and copied by operators alone, as the roles of an Amplify project have it")
    func tags() async throws {
        let path = try #require(AccessPath("a/"))
        let rules = [AccessPrincipal.guest, .authenticated].map { AccessRule(path, $0, Set(AccessAction.allCases)) }
        let stage = try await BucketStage(access: AccessRules(rules, anonymousPrefixes: ["a/"]))
        let tagging = ("x-amz-tagging", "a=1")
        await stage.put("a/k", "x", [tagging])
        let document = Array("<Tagging><TagSet/></Tagging>".utf8)
        let source = ("x-amz-copy-source", "media/a/k")
        let replace = ("x-amz-tagging-directive", "REPLACE")
        for (caller, status) in [(BucketCaller.anonymous, 403), (BucketStage.guest, 200), (BucketStage.jane, 200)] {
            let answers = [
                await stage.call("GET", "/media/a/k?tagging", as: caller),
                await stage.call("PUT", "/media/a/k?tagging", body: document, as: caller),
                await stage.call("DELETE", "/media/a/k?tagging", as: caller),
                await stage.call("PUT", "/media/a/own", [tagging], body: [1], as: caller),
                await stage.call("POST", "/media/a/own?uploads", [tagging], as: caller),
                await stage.call("PUT", "/media/a/own", [source], as: caller),
                await stage.call("PUT", "/media/a/own", [source, replace, tagging], as: caller),
            ]
            #expect(answers.map { $0.element("Code") } == [String?](repeating: "AccessDenied", count: answers.count))
            let put = BucketStage.request("PUT", "/media/a/k?tagging")
            #expect(stage.buckets.documentBody(of: stage.buckets.route(put), from: caller) == nil)
            let read = await stage.call("GET", "/media/a/k", as: caller)
            #expect(read.text == "x" && read.headers["x-amz-tagging-count"] == nil)
            #expect(await stage.call("PUT", "/media/a/own", [source, replace], as: caller).status == status)
        }
        #expect(await stage.call("GET", "/media/a/k?tagging").elements("Key") == ["a"])
        #expect(await stage.call("GET", "/media/a/k").headers["x-amz-tagging-count"] == "1")
        #expect(await stage.call("PUT", "/media/a/own", [source]).status == 200)
        #expect(await stage.call("GET", "/media/a/own?tagging").elements("Key") == ["a"])
    }

    @Test("operations need the permission that IAM asks for them")
    func actions() async throws {
        let path = try #require(AccessPath("a/"))
        let cases: [(AccessAction, String, String, [(String, String)])] = [
            (.get, "GET", "/media/a/k", []), (.get, "HEAD", "/media/a/k", []),
            (.list, "GET", "/media?prefix=a/", []), (.list, "GET", "/media?list-type=2&prefix=a/b", []),
            (.write, "PUT", "/media/a/x", []), (.write, "POST", "/media/a/x?uploads", []),
            (.delete, "DELETE", "/media/a/x", []),
        ]
        for action in AccessAction.allCases {
            let stage = try await BucketStage(access: AccessRules([AccessRule(path, .guest, [action])]))
            await stage.put("a/k", "x")
            for (needed, method, target, headers) in cases {
                let answer = await stage.call(method, target, headers, as: BucketStage.guest)
                #expect((answer.status != 403) == (needed == action), "\(action) \(method) \(target) \(answer.status)")
            }
        }
    }

    @Test("groups whose names differ by their bytes alone are different groups")
    func groupNames() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        func member(_ group: String) -> BucketCaller { .group(group, identityID: "r:1") }
        let levels = AmplifyAccess(groups: [ExactText(composed): [.read], ExactText(decomposed): [.delete]])
        let paths = try PathAccess.rules(
            path: "*",
            grants: [("groups\(composed)", ["read"]), ("groups\(decomposed)", ["delete"]), ("groups\u{301}a", ["get"])])
        for rules in [levels.rules, paths] {
            let rules = AccessRules(rules)
            #expect(allowed(rules, "public/a", member(composed)) == [.get, .list])
            #expect(allowed(rules, "public/a", member(decomposed)) == [.delete])
        }
        #expect(allowed(AccessRules(paths), "a", member("\u{301}a")) == [.get])
    }
}
