import HTTP
import JSON

extension OperatorCallHandler {
    /// Carries out a call about the console's links and sessions; nil for any other.
    func answerAboutSessions(_ call: OperatorCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer? {
        switch call {
        case .session: try describe(caller)
        case .signIn(let link): try signIn(link, for: caller)
        case .signOut(let isEverywhere): try signOut(isEverywhere, caller)
        case .createLink(let name): try createLink(name, for: caller)
        default: nil
        }
    }

    /// Who the caller is, and what the server has.
    private func describe(_ caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let console else { throw .noConsole }
        var body: JSONObject = [
            "operator": .string(caller.name), "role": .string(caller.role.rawValue),
            "environment": .string(served.environment ?? console.mode.name), "mode": .string(console.mode.name),
            "version": .string(BuildInformation.version), "serverId": .string(console.serverID),
            "hosts": .array(console.hosts.map(JSONValue.string)),
            "capabilities": .array(capabilities.map(JSONValue.string)),
        ]
        guard let browser = caller.browser, let session = browser.session, let secret = browser.secret else {
            return OperatorAnswer(body: .object(body))
        }
        body["csrf"] = .string(secret.csrf)
        body["expiresAt"] = .string(Moment(milliseconds: session.endMilliseconds).text)
        return OperatorAnswer(body: .object(body), fields: [browser.cookie(secret, session)])
    }

    private func signIn(_ link: String, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let console else { throw .noConsole }
        guard let browser = caller.browser else { throw .onlyForBrowsers }
        let person = try console.sessions.takeLink(ConsoleSecret(link), from: browser.network)
        let named = Caller(
            name: person.name, role: person.role, requestID: caller.requestID, address: caller.address,
            browser: browser)
        try enter(AuditLog.Action(name: "sessions.begin", target: person.name, caller: named))
        if let session = browser.session { console.sessions.end(session) }
        let (secret, session) = console.sessions.begin(for: person, isOfDeveloper: browser.isLocal)
        var signedIn = named
        signedIn.browser?.secret = secret
        signedIn.browser?.session = session
        var answer = try describe(signedIn)
        answer.status = 201
        return answer
    }

    private func signOut(_ isEverywhere: Bool, _ caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let console else { throw .noConsole }
        guard let browser = caller.browser, let session = browser.session else { throw .onlyForBrowsers }
        let name = isEverywhere ? "sessions.endAll" : "sessions.end"
        try enter(AuditLog.Action(name: name, target: caller.name, caller: caller))
        if isEverywhere { console.sessions.endAll(of: session.person) } else { console.sessions.end(session) }
        return OperatorAnswer(body: .object(["operator": .string(caller.name)]), fields: [browser.endedCookie])
    }

    private func createLink(_ name: String?, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let console else { throw .noConsole }
        guard console.baseURL != nil else { throw .consoleIsOff }
        let person = try person(named: name)
        try enter(AuditLog.Action(name: "sessions.createLink", target: person.name, caller: caller))
        let (secret, end) = console.sessions.makeLink(for: person)
        return OperatorAnswer(
            status: 201,
            body: [
                "operator": .string(person.name), "url": console.url(secret).map(JSONValue.string) ?? .null,
                "expires": .string(Moment(milliseconds: end).text),
            ])
    }

    /// The operator of a name; nil is the user who runs the server.
    private func person(named name: String?) throws(OperatorProblem) -> OperatorIdentity {
        guard let name else { return .user }
        let found: Operator?
        do throws(ServerError) {
            found = try Operators.list(of: configuration).first { $0.name == name }
        } catch {
            // Data that is thrown away at exit has no operators.
            guard error.code != .usage else { throw .unknownOperator(name) }
            throw OperatorProblem(error)
        }
        guard let found else { throw .unknownOperator(name) }
        return OperatorIdentity(found)
    }

    /// Enters in the audit log what is about to be done.
    func enter(_ action: AuditLog.Action) throws(OperatorProblem) {
        do throws(ServerError) { try AuditLog(add: addToAudit).enter(action) } catch { throw OperatorProblem(error) }
    }

    /// The parts of the operators' API that this server has, as the console's pages ask for them.
    private var capabilities: [String] {
        let ofSchema = ["data", "bulk", "generate", "access", "schema"]
        return (served.schema.isOff ? [] : ofSchema) + [
            "live", "logs", "functionCalls", "logLines", "identities",
        ]
    }
}

extension Service.Mode {
    /// The verb's name.
    var name: String { self == .dev ? "dev" : "serve" }
}

extension OperatorProblem {
    static let noConsole = OperatorProblem(
        code: .notFound, message: "No server runs on this data folder.",
        hint: "Start 'syncline dev' or 'syncline serve'.")
    static let consoleIsOff = OperatorProblem(
        code: .conflict, message: "The server does not serve the console.",
        hint: "Start it with \(Setting.console.flag), or with 'console' in the configuration.")
    static let onlyForBrowsers = OperatorProblem(
        code: .invalid, message: "Sessions are for browsers: the request has no cookie of one.")
}
