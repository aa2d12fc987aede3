import Analytics
import Codegen
import HTTP
import JSON
import Tables

/// Carries out the calls of operators, by a running server or by a verb that has the folder's lock. What changes something
/// is entered in the audit log before it is done: what cannot be entered is not done. May be used from any thread that
/// may wait.
struct OperatorCallHandler: Sendable {
    /// Who calls, and how.
    struct Caller: Sendable {
        /// The operator's name in the audit log.
        let name: String
        let role: OperatorRole
        let requestID: String
        let address: String
        /// The browser, or another client by TCP; nil for the socket and the command line.
        var browser: ConsoleBrowser?

        /// The user of this process, who has the folder and no server.
        static var commandLine: Caller {
            let user = OperatorIdentity.user
            var random = SystemRandomNumberGenerator()
            return Caller(
                name: user.name, role: user.role,
                requestID: RequestID(randomBits: random.next(), random.next()).description, address: "command line")
        }
    }

    /// That of the start, which has the folder of the data.
    let configuration: Configuration
    /// What a running server serves, after reloads as well; nil where none runs, and until it has started.
    var servedConfiguration: @Sendable () -> Configuration? = { nil }
    /// Where the data is, if it is thrown away at exit; nil for the folder of the configuration.
    var dataFolder: String?
    /// Carries out operations of user pools; nil where there are none.
    var userPools: @Sendable () throws(ServerError) -> UserPoolService? = { nil }
    /// Called when an API key was revoked.
    var keyRevoked: @Sendable () -> Void = {}
    /// Answers questions about events of apps; nil where none are taken.
    var analytics: @Sendable () throws(ServerError) -> AnalyticsService? = { nil }
    /// What clients are configured by.
    var clientFiles: @Sendable () throws(ServerError) -> ClientFileSource? = { nil }
    /// How clients reach the server; nil until it has started.
    var description: @Sendable () -> ServerDescription? = { nil }
    /// Runs requests of the API and reads items; nil where no server runs.
    var graphQL: OperatorGraphQL?
    /// Answers calls about the schema; nil where no server runs.
    var schema: SchemaService?
    /// Long work; nil where no server runs.
    var jobs: Jobs?
    /// What is reported of the server; nil where none runs.
    var status: OperatorStatus?
    /// What pages of the console follow.
    var live = LiveTopics()
    /// The last requests of the API; nil where no server runs.
    var requests: RequestLog?
    /// The last calls of functions; nil where no server runs.
    var calls: CallLog?
    /// The last lines of the log; nil where no server runs.
    var logLines: LogLines?
    /// The console's sessions; nil where no server runs.
    var console: ConsoleServer?
    /// Adds entries to the audit log.
    let addToAudit: @Sendable ([AuditEntry]) throws(StoreError) -> Void

    /// What is served now: keys, modes, names.
    var served: Configuration { servedConfiguration() ?? configuration }

    /// Carries out a call.
    ///
    /// - Returns: The answer of a call that succeeded.
    func answer(_ call: OperatorCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        if caller.browser?.session != nil { console?.sessions.storeUses() }
        if let answer = try answerAboutSessions(call, for: caller) { return answer }
        switch call {
        case .status:
            guard let status else { throw .noConsole }
            return OperatorAnswer(
                body: .object(status.json(Moment.now.milliseconds, environment: served.environment)))
        case .graphQL(let call): return try run(call, for: caller)
        case .data(let call): return try run(call, for: caller)
        case .requests(let call): return try run(call, for: caller)
        case .bulk(let call): return try run(call, for: caller)
        case .schema(let call): return try run(call, for: caller)
        case .jobs(let call): return try run(call, for: caller)
        case .logs(let call): return try run(call)
        default: break
        }
        let (status, body) = try statusAndBody(of: call, for: caller)
        return OperatorAnswer(status: status, body: body)
    }

    private func statusAndBody(
        of call: OperatorCall, for caller: Caller
    ) throws(OperatorProblem) -> (status: Int, body: JSONValue) {
        if case .userPools(let operation, let body) = call {
            return (200, .object(try perform(operation, body, of: call, for: caller)))
        }
        switch call {
        case .clientFile(let request):
            return (200, .object(try clientFileSource().members(of: request, for: caller.address)))
        case .connect(let request): return (200, .object(try clientFileSource().steps(request)))
        case .reach:
            guard let description = description() else { throw .notReady }
            return (200, description.json)
        default: break
        }
        if call.isOfAnalytics { return (200, .object(try askAnalytics(call, for: caller))) }
        do throws(ServerError) {
            switch call {
            case .userPools, .clientFile, .connect, .reach, .analyticsApps, .analyticsReport, .analyticsExport,
                .deleteAnalyticsUser, .deleteAnalyticsType, .session, .signIn, .signOut, .createLink,
                .status, .graphQL, .data, .bulk, .requests, .schema, .jobs, .logs:
                preconditionFailure("These calls are carried out before.")
            case .listOperators:
                let items = try Operators.list(of: configuration).map(\.summary)
                return (200, .object(["items": .array(items), "next": .null]))
            case .createOperator(let name, let role):
                try Operators.check(name, of: configuration)
                let token = try audited(call, caller) { () throws(ServerError) in
                    try Operators.create(name, role: role, of: configuration)
                }
                return (
                    201, .object(["name": .string(name), "role": .string(role.rawValue), "token": .string(token)])
                )
            case .revokeOperator(let name):
                guard try Operators.list(of: configuration).contains(where: { $0.name == name }) else {
                    throw OperatorProblem.unknownOperator(name).serverError
                }
                try audited(call, caller) { () throws(ServerError) in
                    try Operators.revoke(name, of: configuration)
                }
                for job in jobs?.all ?? [] where job.starter == name { job.cancel() }
                return (200, .object(["name": .string(name)]))
            case .listKeys:
                let now = Moment.now.milliseconds
                let created = try APIKeyFile(configuration).read()
                let items = served.apiKeys.summaries(now: now) + created.map { $0.summary(now: now) }
                return (200, .object(["items": .array(items), "next": .null]))
            case .createKey(let name, let days):
                let file = try APIKeyFile(configuration)
                // A call that no server has read is checked here.
                guard Operator.isName(name), (1...APIKey.daysMax).contains(days) else {
                    throw ServerError(
                        .usage,
                        "An API key's name has 1 to 64 letters, digits and signs of '._-+@', and it is valid for 1 to "
                            + "\(APIKey.daysMax) days.")
                }
                let (key, stored) = try audited(call, caller) { () throws(ServerError) in
                    try file.create(name, days: days, now: Moment.now.milliseconds)
                }
                return (
                    201, ["name": .string(name), "expires": .string(stored.expires), "key": .string(key)]
                )
            case .revokeKey(let name):
                let file = try APIKeyFile(configuration)
                guard try file.read().contains(where: { $0.name == name }) else {
                    throw OperatorProblem.unknownKey(name).serverError
                }
                try audited(call, caller) { () throws(ServerError) in try file.revoke(name) }
                keyRevoked()
                return (200, .object(["name": .string(name)]))
            case .backUp(let file, let replaces):
                try Backups.check(file, of: configuration, replaces: replaces)
                try audited(call, caller) { () throws(ServerError) in
                    try Backups.make(file, of: configuration, replaces: replaces)
                }
                return (201, .object(["file": .string(file)]))
            case .listAudit(let number, let countMax):
                let entries = try auditEntries(after: number, countMax: countMax)
                let next = entries.count < countMax ? nil : entries.last.map { JSONValue.number(String($0.number)) }
                return (200, .object(["items": .array(entries.map(\.value)), "next": next ?? .null]))
            }
        } catch {
            if case .revokeOperator(let name) = call, error.code == .usage { throw .unknownOperator(name) }
            if case .revokeKey(let name) = call, error.code == .usage { throw .unknownKey(name) }
            throw OperatorProblem(error)
        }
    }

    private func clientFileSource() throws(OperatorProblem) -> ClientFileSource {
        let source: ClientFileSource?
        do throws(ServerError) { source = try clientFiles() } catch { throw OperatorProblem(error) }
        guard let source else { throw .notReady }
        return source
    }

    private func askAnalytics(
        _ call: OperatorCall, for caller: Caller
    ) throws(OperatorProblem) -> JSONObject {
        try ask(analytics, orElse: .noAnalytics, call, for: caller) { service throws(OperatorProblem) in
            try service.answer { analytics throws(AnalyticsError) in
                switch call {
                case .analyticsReport(let kind, let parameters): try await analytics.report(kind, parameters)
                case .analyticsExport(let parameters): try await analytics.export(parameters)
                case .deleteAnalyticsUser(let id, let app): try await analytics.delete(user: id, app: app)
                case .deleteAnalyticsType(let name, let app): try await analytics.delete(type: name, app: app)
                default: try await analytics.summary()
                }
            }
        }
    }

    private func perform(
        _ operation: String, _ body: JSONObject, of call: OperatorCall, for caller: Caller
    ) throws(OperatorProblem) -> JSONObject {
        try ask(userPools, orElse: .noUserPools, call, for: caller) { service throws(OperatorProblem) in
            try service.perform(operation, body, for: caller)
        }
    }

    /// Asks a service, and enters the call in the audit log.
    ///
    /// - Parameter missing: The problem where there is no such service.
    private func ask<Asked>(
        _ find: () throws(ServerError) -> Asked?, orElse missing: OperatorProblem, _ call: OperatorCall,
        for caller: Caller, _ work: (Asked) throws(OperatorProblem) -> JSONObject
    ) throws(OperatorProblem) -> JSONObject {
        var result: Result<JSONObject, OperatorProblem> = .failure(missing)
        do throws(ServerError) {
            guard let service = try find() else { throw missing.serverError }
            try audited(call, caller) { () throws(ServerError) in
                do throws(OperatorProblem) {
                    result = .success(try work(service))
                } catch {
                    result = .failure(error)
                    throw error.serverError
                }
            }
        } catch {
            if case .failure(let problem) = result { throw problem }
            throw OperatorProblem(error)
        }
        return try result.get()
    }

    private func auditEntries(after number: Int64, countMax: Int) throws(ServerError) -> [AuditEntry] {
        let folder = dataFolder ?? configuration.data.folder
        do {
            return try LocalStore.auditEntries(
                folder: folder, after: number, countMax: countMax)
        } catch {
            throw ServerError(opening: folder, error)
        }
    }

    /// Enters the call, makes the change, and enters as well if it failed.
    private func audited<Success>(
        _ call: OperatorCall, _ caller: Caller, _ change: () throws(ServerError) -> Success
    ) throws(ServerError) -> Success {
        guard let (name, target, fields) = call.audited else { return try change() }
        let log = AuditLog(add: addToAudit)
        let action = AuditLog.Action(name: name, target: target, fields: fields, caller: caller)
        try log.enter(action)
        do throws(ServerError) {
            return try change()
        } catch {
            log.enterFailure(of: action)
            throw error
        }
    }
}

extension AuditEntry {
    /// As the operators' API has it.
    fileprivate var value: JSONValue {
        .object([
            "number": .number(String(number)), "time": .string(Moment(milliseconds: milliseconds).text),
            "operator": .string(`operator`), "role": .string(role), "action": .string(action),
            "target": .string(target), "fields": .array(fields.map(JSONValue.string)),
            "requestId": .string(requestID), "address": .string(address),
        ])
    }
}
