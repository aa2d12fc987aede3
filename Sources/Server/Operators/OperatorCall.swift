import Analytics
import Codegen
import Encodings
import HTTP
import JSON
import UserPools

/// A request of the operators' API, as a program or the command line makes it. Base path `/operators/v1`; JSON.
enum OperatorCall: Sendable, Equatable {
    /// `GET /operators`
    case listOperators
    /// `POST /operators` with `name` and `role`
    case createOperator(name: String, role: OperatorRole)
    /// `DELETE /operators/NAME`
    case revokeOperator(name: String)
    /// `GET /api-keys`
    case listKeys
    /// `POST /api-keys` with `name` and `days`
    case createKey(name: String, days: Int)
    /// `DELETE /api-keys/NAME`
    case revokeKey(name: String)
    /// `POST /backups` with `file`, an absolute path, and `replace`
    case backUp(file: String, replaces: Bool)
    /// `GET /audit?after=NUMBER&limit=COUNT`
    case listAudit(after: Int64, countMax: Int)
    /// `POST /user-pools/OPERATION` with the members of the operation
    case userPools(operation: String, body: JSONObject)

    /// `GET /config-files/NAME` with `url`, `host` and `environment`
    case clientFile(ClientFileRequest)
    /// `GET /connect` with `client` and `host`
    case connect(ConnectRequest)
    /// `GET /reach`
    case reach

    /// `GET /session`
    case session
    /// `POST /session` with `link`
    case signIn(link: String)
    /// `DELETE /session?everywhere=true`
    case signOut(isEverywhere: Bool)
    /// `POST /console-links` with `operator`, or without for the user who runs the server
    case createLink(operator: String?)

    /// `GET /status`
    case status
    /// `POST /graphql`
    case graphQL(OperatorGraphQLCall)
    /// Calls below `/data`
    case data(DataCall)
    /// Calls below `/requests`
    case requests(RequestCall)
    /// Calls about many items
    case bulk(BulkCall)
    /// Calls below `/schema`
    case schema(SchemaCall)
    /// Calls below `/jobs`
    case jobs(JobCall)
    /// `GET /function-calls` and `GET /log`
    case logs(LogCall)

    /// `GET /analytics/apps`
    case analyticsApps
    /// `GET /analytics/REPORT` with the parameters of the report
    case analyticsReport(ReportKind, [ReportParameter])
    /// `GET /analytics/export` with `after` and the parameters of a report
    case analyticsExport([ReportParameter])
    /// `DELETE /analytics/users/USER?app=ID`
    case deleteAnalyticsUser(id: String, app: String?)
    /// `DELETE /analytics/types/TYPE?app=ID`
    case deleteAnalyticsType(name: String, app: String?)

    private static let base = OperatorRoute.base
    /// Entries of a list that are sent at one time.
    static let listCountMax = 500

    /// The action of the audit log and what it is done to; nil for what changes nothing.
    var audited: (action: String, target: String, fields: [String])? {
        switch self {
        case .listOperators, .listAudit, .listKeys, .clientFile, .connect, .reach, .analyticsApps, .analyticsReport,
            .analyticsExport:
            nil
        // These calls write their own entries: only they know whom a link signs in, or what is changed.
        case .session, .signIn, .signOut, .createLink, .status, .graphQL, .data, .bulk, .requests, .schema, .jobs,
            .logs:
            nil
        case .deleteAnalyticsUser(let id, _): ("analytics.deleteUser", id, [])
        case .deleteAnalyticsType(let name, _): ("analytics.deleteType", name, [])
        case .createKey(let name, let days): ("keys.create", "\(name) (\(days) days)", ["name", "days"])
        case .revokeKey(let name): ("keys.revoke", name, [])
        case .createOperator(let name, let role): ("operators.create", "\(name) (\(role.rawValue))", ["name", "role"])
        case .revokeOperator(let name): ("operators.revoke", name, [])
        case .backUp(let file, _): ("backups.create", file, [])
        case .userPools(let operation, let body):
            UserPools.isRead(operation)
                ? nil : ("users.\(operation)", UserPools.auditTarget(of: body), body.map(\.key))
        }
    }

    /// Whether the store has to be opened for it: for the audit log, or for what is kept in it.
    var needsStore: Bool { isOfUserPools || isOfAnalytics || audited != nil }

    /// Whether it is about user pools.
    var isOfUserPools: Bool { if case .userPools = self { true } else { false } }

    /// Whether it is about events of apps.
    var isOfAnalytics: Bool {
        switch self {
        case .analyticsApps, .analyticsReport, .analyticsExport, .deleteAnalyticsUser, .deleteAnalyticsType: true
        default: false
        }
    }

    // MARK: As a request

    var method: String {
        switch self {
        case .listOperators, .listAudit, .listKeys, .clientFile, .connect, .reach, .analyticsApps, .analyticsReport,
            .analyticsExport, .session, .status, .logs:
            "GET"
        case .data(let call): call.method
        case .requests(let call): call.method
        case .bulk(let call): call.method
        case .schema(let call): call.method
        case .jobs(let call): call.method
        case .createOperator, .createKey, .backUp, .userPools, .signIn, .createLink, .graphQL: "POST"
        case .revokeOperator, .revokeKey, .signOut, .deleteAnalyticsUser, .deleteAnalyticsType: "DELETE"
        }
    }

    /// The path, with the query.
    var target: String {
        switch self {
        case .listOperators, .createOperator: Self.base + "operators"
        case .revokeOperator(let name): Self.base + "operators/" + name
        case .listKeys, .createKey: Self.base + "api-keys"
        case .revokeKey(let name): Self.base + "api-keys/" + name
        case .backUp: Self.base + "backups"
        case .userPools(let operation, _): Self.base + "user-pools/" + operation
        case .clientFile(let request): Self.base + "config-files/" + request.target
        case .connect(let request): Self.base + request.target
        case .reach: Self.base + "reach"
        case .session, .signIn: Self.base + "session"
        case .signOut(let isEverywhere): Self.base + "session" + (isEverywhere ? "?everywhere=true" : "")
        case .createLink: Self.base + "console-links"
        case .status: Self.base + "status"
        case .graphQL: Self.base + "graphql"
        // No verb makes them.
        case .data, .bulk: Self.base + "data"
        case .requests: Self.base + "requests"
        case .schema: Self.base + "schema"
        case .jobs: Self.base + "jobs"
        case .logs(let call): Self.base + call.path
        case .analyticsApps: Self.base + "analytics/apps"
        case .analyticsReport(let kind, let parameters):
            Self.base + "analytics/" + kind.rawValue + Self.query(parameters)
        case .analyticsExport(let parameters): Self.base + "analytics/export" + Self.query(parameters)
        case .deleteAnalyticsUser(let id, let app):
            Self.base + "analytics/users/" + Percent.encode(id)
                + Self.query(app.map { [ReportParameter("app", $0)] } ?? [])
        case .deleteAnalyticsType(let name, let app):
            Self.base + "analytics/types/" + Percent.encode(name)
                + Self.query(app.map { [ReportParameter("app", $0)] } ?? [])
        case .listAudit(let number, let countMax): Self.base + "audit?after=\(number)&limit=\(countMax)"
        }
    }

    var body: JSONValue? {
        switch self {
        case .listOperators, .revokeOperator, .listAudit, .listKeys, .revokeKey, .clientFile, .connect, .reach,
            .analyticsApps, .analyticsReport, .analyticsExport, .deleteAnalyticsUser, .deleteAnalyticsType, .session,
            .signOut, .status, .graphQL, .data, .bulk, .requests, .schema, .jobs, .logs:
            nil
        case .signIn(let link): .object(["link": .string(link)])
        case .createLink(let name): .object(name.map { ["operator": .string($0)] } ?? [:])
        case .createKey(let name, let days): .object(["name": .string(name), "days": .number(String(days))])
        case .createOperator(let name, let role):
            .object(["name": .string(name), "role": .string(role.rawValue)])
        case .backUp(let file, let replaces): .object(["file": .string(file), "replace": .bool(replaces)])
        case .userPools(_, let body): .object(body)
        }
    }

    /// Reads a request.
    init(_ request: Request) throws(OperatorProblem) {
        guard request.path.hasPrefix(Self.base) else { throw .unknownPath }
        let parts = request.path.dropFirst(Self.base.count).split(separator: "/", omittingEmptySubsequences: false)
        switch (request.method == .head ? .get : request.method, String(parts[0]), parts.count) {
        case (.get, "operators", 1): self = .listOperators
        case (.post, "operators", 1):
            let body = try Self.body(of: request)
            guard let name = body["name"]?.stringValue else { throw .invalid("'name' is a text.", field: "name") }
            guard let role = body["role"]?.stringValue.flatMap(OperatorRole.init) else {
                throw .invalid("'role' is one of viewer, editor, owner.", field: "role")
            }
            self = .createOperator(name: name, role: role)
        case (.delete, "operators", 2):
            guard Operator.isName(String(parts[1])) else { throw .unknownOperator(String(parts[1])) }
            self = .revokeOperator(name: String(parts[1]))
        case (.get, "api-keys", 1): self = .listKeys
        case (.post, "api-keys", 1):
            let body = try Self.body(of: request)
            guard let name = body["name"]?.stringValue, Operator.isName(name) else {
                throw .invalid("'name' has 1 to 64 letters, digits and signs of '._-+@'.", field: "name")
            }
            let days = body["days"] ?? .number(String(APIKey.daysDefault))
            guard let count = days.intValue, (1...Int64(APIKey.daysMax)).contains(count) else {
                throw .invalid("'days' is a number from 1 to \(APIKey.daysMax).", field: "days")
            }
            self = .createKey(name: name, days: Int(count))
        case (.delete, "api-keys", 2):
            guard Operator.isName(String(parts[1])) else { throw .unknownKey(String(parts[1])) }
            self = .revokeKey(name: String(parts[1]))
        case (.post, "backups", 1):
            let body = try Self.body(of: request)
            guard let file = body["file"]?.stringValue, file.hasPrefix("/") else {
                throw .invalid("'file' is an absolute path.", field: "file")
            }
            let flag = body["replace"] ?? false
            guard let replaces = flag.boolValue else {
                throw .invalid("'replace' is true or false.", field: "replace")
            }
            self = .backUp(file: file, replaces: replaces)
        case (.post, "user-pools", 2): self = .userPools(operation: String(parts[1]), body: try Self.body(of: request))
        case (.get, "config-files", 2):
            self = .clientFile(try ClientFileRequest(name: String(parts[1]), try Self.parameters(of: request)))
        case (.get, "connect", 1):
            self = .connect(try ConnectRequest(try Self.parameters(of: request)))
        case (.get, "reach", 1): self = .reach
        case (.get, "status", 1): self = .status
        case (.post, "graphql", 1): self = .graphQL(try OperatorGraphQLCall(request))
        case (let method, "data", _):
            let parameters = try Self.parameters(of: request)
            let call = try BulkCall(request, Array(parts.dropFirst()), parameters) { () throws(OperatorProblem) in
                try Self.body(of: request)
            }
            if let call {
                self = .bulk(call)
                return
            }
            self = .data(
                try DataCall(
                    method, Array(parts.dropFirst()), parameters,
                    request.bodyCount == 0 ? nil : try Self.body(of: request)))
        case (let method, "requests", _):
            self = .requests(
                try RequestCall(
                    method, Array(parts.dropFirst()), try Self.parameters(of: request),
                    request.bodyCount == 0 ? nil : try Self.body(of: request)))
        case (let method, "schema", _):
            self = .schema(
                try SchemaCall(method, Array(parts.dropFirst()), try Self.parameters(of: request)) {
                    () throws(OperatorProblem) in
                    try Self.body(of: request)
                })
        case (.get, "function-calls", 1): self = .logs(try LogCall.calls(try Self.parameters(of: request)))
        case (.get, "log", 1): self = .logs(try LogCall.lines(try Self.parameters(of: request)))
        case (let method, "jobs", _): self = .jobs(try JobCall(method, Array(parts.dropFirst())))
        case (.get, "session", 1): self = .session
        case (.post, "session", 1):
            guard let link = try Self.body(of: request)["link"]?.stringValue else {
                throw .invalid("'link' is the secret of a link of 'syncline console'.", field: "link")
            }
            self = .signIn(link: link)
        case (.delete, "session", 1):
            self = .signOut(isEverywhere: try Self.flag("everywhere", of: try Self.parameters(of: request)))
        case (.post, "console-links", 1):
            let name = request.bodyCount == 0 ? nil : try Self.body(of: request)["operator"]
            guard name == nil || name?.stringValue.map(Operator.isName) == true else {
                throw .invalid("'operator' is the name of an operator.", field: "operator")
            }
            self = .createLink(operator: name?.stringValue)
        case (.get, "analytics", 2):
            let parameters = try Self.parameters(of: request)
            switch String(parts[1]) {
            case "apps": self = .analyticsApps
            case "export": self = .analyticsExport(parameters)
            case let name:
                guard let kind = ReportKind(rawValue: name) else { throw .unknownPath }
                self = .analyticsReport(kind, parameters)
            }
        case (.delete, "analytics", 3) where parts[1] == "users":
            guard let id = Self.decoded(parts[2]), !id.isEmpty else { throw .unknownPath }
            self = .deleteAnalyticsUser(id: id, app: try Self.parameters(of: request).first { $0.name == "app" }?.value)
        case (.delete, "analytics", 3) where parts[1] == "types":
            guard let name = Self.decoded(parts[2]), !name.isEmpty else { throw .unknownPath }
            self = .deleteAnalyticsType(
                name: name, app: try Self.parameters(of: request).first { $0.name == "app" }?.value)
        case (.get, "audit", 1):
            let parameters = (request.query ?? "").split(separator: "&")
            func number(_ name: String, _ range: ClosedRange<Int64>, else value: Int64) throws(OperatorProblem) -> Int64
            {
                guard let text = parameters.first(where: { $0.hasPrefix("\(name)=") })?.dropFirst(name.count + 1) else {
                    return value
                }
                guard let number = Int64(text), range.contains(number) else {
                    throw .invalid(
                        "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound).", field: name)
                }
                return number
            }
            let countMax = Int64(Self.listCountMax)
            self = .listAudit(
                after: try number("after", 0...Int64.max, else: 0),
                countMax: Int(try number("limit", 1...countMax, else: countMax)))
        default: throw .unknownPath
        }
    }

    static func query(_ parameters: [ReportParameter]) -> String {
        guard !parameters.isEmpty else { return "" }
        return "?" + parameters.map { "\(Percent.encode($0.name))=\(Percent.encode($0.value))" }.joined(separator: "&")
    }

    /// The parameters of the query, in which a plus is a space (WHATWG URL, "application/x-www-form-urlencoded parsing").
    private static func parameters(of request: Request) throws(OperatorProblem) -> [ReportParameter] {
        try (request.query ?? "").replacing("+", with: "%20").split(separator: "&").map {
            part throws(OperatorProblem) in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = sides.count == 1 ? "" : decoded(sides[1]) else {
                throw .invalid("The query is not percent-encoded UTF-8.", field: nil)
            }
            return ReportParameter(name, value)
        }
    }

    /// A parameter that is true or false; false if it is not given.
    static func flag(_ name: String, of parameters: [ReportParameter]) throws(OperatorProblem) -> Bool {
        let text = parameters.first { $0.name == name }?.value ?? "false"
        guard let flag = ["true": true, "false": false][text] else {
            throw .invalid("'\(name)' is true or false.", field: name)
        }
        return flag
    }

    /// A percent-encoded part of a path or a query; nil if it is not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        Percent.decodeStrictly(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func body(of request: Request) throws(OperatorProblem) -> JSONObject {
        let bytes = unsafe request.withBody { unsafe Array($0) }
        guard let object = (try? JSONReader.read(bytes))?.objectValue else {
            throw .invalid("The body is a JSON object.", field: nil)
        }
        return object
    }
}
