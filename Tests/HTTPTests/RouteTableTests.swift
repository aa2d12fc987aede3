import Testing

@testable import HTTP

@Suite("Routes by host, path, method and target")
struct RouteTableTests {
    /// Storage by host and by path, a service of named operations, and pages: what siblings on one server have.
    private static let routes: [(pattern: RoutePattern, methods: [Method], name: String)] = [
        ("/graphql", [.post, .get], "graphql"),
        ("/ping", [.get], "ping"),
        (RoutePattern("/", target: "Pool.InitiateAuth"), [.post], "initiateAuth"),
        (RoutePattern("/", target: "Pool.SignUp"), [.post], "signUp"),
        ("/", [.get], "buckets"),
        ("/{bucket}", [.get, .put], "bucket"),
        ("/{bucket}/", [.get], "bucket/"),
        ("/{bucket}/{key...}", [.get, .put, .delete], "object"),
        ("/console/{page}", [.get], "page"),
        ("/console/{page}/{part}/edit", [.get], "edit"),
        ("/console/assets/{file...}", [.get], "asset"),
        (RoutePattern("/", host: "*.s3.test"), [.get], "hosted bucket"),
        (RoutePattern("/{key...}", host: "*.s3.test"), [.get, .put], "hosted object"),
        (RoutePattern("/{key...}", host: "*.media.s3.test"), [.get], "media"),
        (RoutePattern("/sign-in", host: "Auth.test"), [.get], "sign-in"),
    ]
    private static let table = RouteTable(routes.map { ($0.pattern, $0.methods) })

    private func match(_ method: String, _ path: String, host: String = "h", _ fields: String = "") throws -> String {
        let text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n"
        let request = try #require(firstRequest(in: text))
        switch Self.table.match(request) {
        case .route(let index, let parameters):
            var words = [Self.routes[index].name]
            if let prefix = request.hostPrefix(in: parameters) { words.append("host=\(prefix)") }
            for name in parameters.names { words.append("\(name)=\(request.parameter(name, in: parameters) ?? "")") }
            return words.joined(separator: " ")
        case .wrongMethod(let resource):
            return "wrong method, not \(resource.methods.map(\.name).joined(separator: ","))"
        case .unknownTarget(let resource): return "unknown target of \(resource.routes.map { Self.routes[$0].name })"
        case .unknownPath: return "unknown path"
        }
    }

    @Test("a literal path is found before one with parameters, and a longer literal before a shorter one")
    func paths() throws {
        #expect(try match("POST", "/graphql") == "graphql")
        #expect(try match("GET", "/graphql?query=x") == "graphql")
        #expect(try match("GET", "/graphql/realtime") == "object bucket=graphql key=realtime")
        #expect(try match("GET", "/media") == "bucket bucket=media")
        #expect(try match("GET", "/media/") == "bucket/ bucket=media")
        #expect(try match("GET", "/media/a/b%20c/") == "object bucket=media key=a/b%20c/")
        #expect(try match("GET", "/media//a") == "object bucket=media key=/a")
        #expect(try match("GET", "//a") == "unknown path")
        #expect(try match("GET", "/console/users") == "page page=users")
        #expect(try match("GET", "/console/users/7/edit") == "edit page=users part=7")
        #expect(try match("GET", "/console/users/7/eat") == "object bucket=console key=users/7/eat")
        #expect(try match("GET", "/console/assets/a/b.js") == "asset file=a/b.js")
        #expect(try match("GET", "/consol/x") == "object bucket=consol key=x")
        #expect(try match("GET", "http://h") == "buckets")
        #expect(try match("OPTIONS", "*") == "unknown path")
    }

    @Test("a path with routes for other methods or targets says so")
    func mismatches() throws {
        #expect(try match("DELETE", "/graphql") == "wrong method, not POST,GET")
        #expect(try match("BREW", "/ping") == "wrong method, not GET")
        #expect(try match("DELETE", "/media") == "wrong method, not GET,PUT")
        #expect(try match("POST", "/", "X-Amz-Target: Pool.InitiateAuth\r\n") == "initiateAuth")
        #expect(try match("POST", "/", "x-amz-target: Pool.SignUp\r\n") == "signUp")
        let unknown = #"unknown target of ["initiateAuth", "signUp", "buckets"]"#
        #expect(try match("POST", "/", "X-Amz-Target: pool.signup\r\n") == unknown)
        #expect(try match("POST", "/") == unknown)
        #expect(try match("GET", "/", "X-Amz-Target: Pool.SignUp\r\n") == "buckets")
        #expect(try match("PUT", "/") == "wrong method, not POST,GET")
    }

    @Test("a host is matched in any case and without its port, the more exact one first")
    func hosts() throws {
        #expect(try match("GET", "/a/b", host: "photos.S3.test:9000") == "hosted object host=photos key=a/b")
        #expect(try match("GET", "/", host: "photos.s3.test") == "hosted bucket host=photos")
        #expect(try match("GET", "/graphql", host: "photos.s3.test") == "hosted object host=photos key=graphql")
        #expect(try match("GET", "/a", host: "x.media.s3.test") == "media host=x key=a")
        #expect(try match("PUT", "/a", host: "x.media.s3.test") == "wrong method, not GET")
        #expect(try match("GET", "/a", host: "s3.test") == "bucket bucket=a")
        #expect(try match("GET", "/a", host: ".s3.test") == "bucket bucket=a")
        #expect(try match("GET", "/a", host: "xs3.test") == "bucket bucket=a")
        #expect(try match("GET", "/sign-in", host: "auth.test:443") == "sign-in")
        #expect(try match("GET", "/other", host: "auth.test") == "bucket bucket=other")
        #expect(try match("GET", "/a", host: "[::1]:80") == "bucket bucket=a")
    }

    @Test("every route of a large table is found, and a path that differs in one byte is not")
    func many() throws {
        let paths = (0..<300).map { "/\(String(repeating: "p", count: $0 % 17))\($0)/x" }
        let table = RouteTable(paths.map { (RoutePattern($0), [.get]) })
        for (index, path) in paths.enumerated() {
            let request = try #require(firstRequest(in: "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n"))
            guard case .route(index, _) = table.match(request) else {
                Issue.record("\(path) is not found")
                continue
            }
            let other = try #require(firstRequest(in: "GET \(path.dropLast())y HTTP/1.1\r\nHost: h\r\n\r\n"))
            guard case .unknownPath = table.match(other) else {
                Issue.record("\(path) is found by another path")
                continue
            }
        }
    }
}
