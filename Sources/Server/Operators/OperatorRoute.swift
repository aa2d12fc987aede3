import HTTP

/// A method and path of the operators' API, with the role that it needs. docs/operators.md has a row for each.
struct OperatorRoute: Sendable {
    let method: String
    /// With parameters, each a segment in braces.
    let path: String
    /// The least role; nil if nobody has to be signed in.
    let role: OperatorRole?
    private let parts: [Substring]

    private init(_ method: String, _ path: String, _ role: OperatorRole?) {
        (self.method, self.path, self.role) = (method, Self.base + path, role)
        parts = Self.parts(of: self.path)
    }

    static let base = "/operators/v1/"

    /// All routes. If two match a request, the first is used.
    static let table = [
        OperatorRoute("GET", "session", .viewer), OperatorRoute("POST", "session", nil),
        OperatorRoute("DELETE", "session", .viewer), OperatorRoute("POST", "console-links", .owner),
        OperatorRoute("GET", "status", .viewer), OperatorRoute("GET", "live", .viewer),
        OperatorRoute("POST", "graphql", .viewer), OperatorRoute("GET", "graphql", .editor),
        OperatorRoute("GET", "data", .viewer), OperatorRoute("GET", "data/{model}/items", .viewer),
        OperatorRoute("GET", "data/{model}/count", .viewer), OperatorRoute("POST", "data/{model}/items", .editor),
        OperatorRoute("GET", "data/{model}/items/{key}", .viewer),
        OperatorRoute("PATCH", "data/{model}/items/{key}", .editor),
        OperatorRoute("DELETE", "data/{model}/items/{key}", .editor),
        OperatorRoute("GET", "requests", .viewer), OperatorRoute("GET", "requests/{id}", .viewer),
        OperatorRoute("POST", "requests/record", .owner),
        OperatorRoute("GET", "function-calls", .viewer), OperatorRoute("GET", "log", .viewer),
        OperatorRoute("GET", "data/{model}/items/{key}/links/{field}", .viewer),
        OperatorRoute("GET", "data/{model}/items/{key}/access", .viewer),
        OperatorRoute("POST", "data/{model}/delete", .editor), OperatorRoute("POST", "data/{model}/import", .editor),
        OperatorRoute("GET", "data/{model}/generate", .editor), OperatorRoute("POST", "data/{model}/generate", .editor),
        OperatorRoute("GET", "data/{model}/export", .viewer),
        OperatorRoute("GET", "schema", .viewer), OperatorRoute("POST", "schema/check", .viewer),
        OperatorRoute("POST", "schema/edit", .viewer), OperatorRoute("POST", "schema/merge", .viewer),
        OperatorRoute("GET", "schema/draft", .owner), OperatorRoute("PUT", "schema/draft", .owner),
        OperatorRoute("DELETE", "schema/draft", .owner),
        OperatorRoute("GET", "schema/diagram", .viewer), OperatorRoute("PATCH", "schema/diagram", .owner),
        OperatorRoute("POST", "schema/plan", .owner), OperatorRoute("POST", "schema/deploy", .owner),
        OperatorRoute("GET", "schema/deployments", .viewer),
        OperatorRoute("GET", "schema/deployments/{number}", .viewer),
        OperatorRoute("GET", "jobs", .viewer), OperatorRoute("GET", "jobs/{id}", .viewer),
        OperatorRoute("DELETE", "jobs/{id}", .viewer), OperatorRoute("GET", "jobs/{id}/rejects", .viewer),
        OperatorRoute("GET", "operators", .owner), OperatorRoute("POST", "operators", .owner),
        OperatorRoute("DELETE", "operators/{name}", .owner),
        OperatorRoute("GET", "api-keys", .owner), OperatorRoute("POST", "api-keys", .owner),
        OperatorRoute("DELETE", "api-keys/{name}", .owner), OperatorRoute("POST", "backups", .owner),
        OperatorRoute("GET", "config-files/{name}", .editor), OperatorRoute("GET", "connect", .viewer),
        OperatorRoute("GET", "reach", .viewer),
        OperatorRoute("GET", "audit", .owner), OperatorRoute("POST", "user-pools/{operation}", .owner),
        OperatorRoute("GET", "analytics/apps", .viewer), OperatorRoute("GET", "analytics/export", .viewer),
        OperatorRoute("GET", "analytics/{report}", .viewer),
        OperatorRoute("DELETE", "analytics/users/{user}", .editor),
        OperatorRoute("DELETE", "analytics/types/{type}", .editor),
    ]

    /// Whether it is the WebSocket of the live channel.
    var isLiveChannel: Bool { path == Self.base + "live" }

    /// Whether it is the WebSocket of GraphQL.
    var isGraphQLSocket: Bool { method == "GET" && path == Self.base + "graphql" }

    /// The route of a request; HEAD is answered as GET is.
    static func match(_ request: Request) -> OperatorRoute? {
        let method = request.method == .head ? "GET" : request.method.name
        let parts = parts(of: request.path)
        return table.first { $0.method == method && $0.matches(parts) }
    }

    /// How the body of a request is received, from a caller who is known.
    static func bodyReception(for head: Request) -> BodyReception {
        guard head.path.hasPrefix(base) else { return .collect() }
        let bytesMax = match(head)?.bodyBytesMax
        return .collect(bytesMax: bytesMax)
    }

    /// The largest body; nil for the bound of all requests.
    private var bodyBytesMax: Int? {
        if takesFiles { return BulkLimits.importBytesMax }
        return path.hasPrefix(Self.base + "schema") ? SchemaLimits.requestBytesMax : nil
    }

    /// Whether its body is a file, of its own type.
    var takesFiles: Bool { path == Self.base + "data/{model}/import" }

    private func matches(_ parts: [Substring]) -> Bool {
        self.parts.count == parts.count
            && zip(self.parts, parts).allSatisfy { $0 == $1 || ($0.first == "{" && !$1.isEmpty) }
    }

    private static func parts(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
