import API
import HTTP
import Tables

/// The way to answer one request, and what its answer needs to be counted and logged. Used on the loop of the
/// connection; it does not keep the request's bytes, so that the connection may use their room again.
struct RequestContext: Sendable {
    /// The name of the request in the answer and in the log.
    let requestID: RequestID
    let services: LoopServices
    let templates: HeaderTemplates.Templates

    /// The loop of the connection.
    var loop: EventLoop { reply.loop }

    /// Who is at the other end of the connection, or the client for whom a trusted proxy has forwarded the request.
    var peer: Peer { client?.peer ?? reply.peer }

    /// Whether the client speaks TLS: to this server, or to a trusted proxy in front of it, which says so in
    /// `X-Forwarded-Proto`. Of anybody else the header proves nothing.
    func isSecure(_ request: Request) -> Bool {
        if request.isSecure { return true }
        return client != nil && request.forwardedProtocol == "https"
    }

    private let client: ForwardedClient?
    private let reply: Reply
    private let route: Route?
    private let method: Method
    /// What is recorded of the request for operators; nil while none are recorded.
    private let recording: RequestRecording?
    private let startNanoseconds = EventLoop.uptimeNanoseconds

    init(
        _ request: Request, _ route: Route?, services: LoopServices, reply: Reply, client: ForwardedClient? = nil
    ) {
        self.client = client
        requestID = reply.loop.makeRequestID()
        self.services = services
        templates = services.templates.templates(for: request, isOpen: route?.endpoint.allowsCORS ?? true)
        self.reply = reply
        self.route = route
        method = request.method
        recording = route?.isRecorded == true ? services.state.requests.begin(request) : nil
    }

    /// Whether the request is recorded for operators.
    var isRecorded: Bool { recording != nil }

    /// Notes who has sent the request, for operators.
    func note(_ identity: Identity, _ authenticator: Authenticator) {
        recording?.note(identity, authenticator, after: EventLoop.uptimeNanoseconds - startNanoseconds)
    }

    /// Records the answer for operators.
    private func record(
        _ status: Int, _ errorTypes: [String], _ report: AnswerReport?, nanoseconds: Int64,
        _ body: UnsafeRawBufferPointer
    ) {
        guard let recording else { return }
        unsafe services.state.requests.add(
            recording.answered(
                requestID, to: peer, nanoseconds: nanoseconds, status: status, errorTypes: errorTypes, report, body))
    }

    /// Of the client's address.
    var addressHash: Int { client?.addressHash ?? reply.addressHash }

    /// Whether the client has closed its side of the connection, so that hardly anybody waits for the answer. From any thread.
    var hasClientLeft: Bool { reply.isCancelled || reply.hasClientHungUp }

    /// The connection, whose long reads take turns with those of the others.
    var readClient: ReadClient {
        ReadClient(reply.connectionID, address: addressHash) { [reply] in reply.hasClientHungUp }
    }

    /// Answers with a body that lives for the call only. With an `errorType` the answer bears it in a header, from which
    /// amplify-js takes an error's name (reference: appsync-protocol, "Response headers"). Whatever is busy now is
    /// worth another try in a second.
    func answer(
        _ status: Int, _ head: HeaderBlock, fields: [(name: String, value: String)] = [],
        errorType: String? = nil, _ body: UnsafeRawBufferPointer
    ) {
        unsafe send(status, head, fields, errorType, body)
        logAnswer(status, isFailure: status >= 400, nanoseconds: countAnswer(status, errorType)) {
            $0.errorType = errorType
        }
    }

    /// Answers with what became of a GraphQL request.
    func answer(
        _ kind: AnswerKind, _ head: HeaderBlock, fields: [(name: String, value: String)],
        _ body: UnsafeRawBufferPointer
    ) {
        unsafe send(kind.status, head, fields, kind.errorType, body)
        let nanoseconds = countAnswer(kind.status, kind.errorType)
        let isFailure = kind.isFailure
        kind.report.operation?.answered(nanoseconds: nanoseconds, isFailure: isFailure)
        logAnswer(kind.status, isFailure: isFailure, nanoseconds: nanoseconds) { answer in
            answer.errorType = kind.errorType ?? kind.errorTypes.first
            answer.report = kind.report
            answer.explainsRules = services.state.mode == .dev
        }
        unsafe record(
            kind.status, kind.errorTypes.isEmpty ? [kind.errorType].compactMap(\.self) : kind.errorTypes, kind.report,
            nanoseconds: nanoseconds, body)
    }

    private func send(
        _ status: Int, _ head: HeaderBlock, _ fields: [(name: String, value: String)], _ errorType: String?,
        _ body: UnsafeRawBufferPointer
    ) {
        var fields = fields
        if let errorType { fields.append(("x-amzn-ErrorType", errorType)) }
        if status == 503 || status == 429, !fields.contains(where: { $0.name == "Retry-After" }) {
            fields.append(("Retry-After", "1"))
        }
        unsafe reply.send(status: status, head: head, requestID: requestID, fields: fields, body: body)
    }

    /// Answers 101: from now on the connection is a WebSocket of `handler`.
    func upgrade(
        _ handshake: WebSocketHandshake, subprotocol: String?, limits: WebSocketLimits, handler: any WebSocketHandler
    ) {
        reply.upgrade(
            handshake, subprotocol: subprotocol, head: templates.bare, requestID: requestID, limits: limits,
            handler: handler)
        logAnswer(101, isFailure: false, nanoseconds: countAnswer(101, nil)) { _ in }
    }

    /// Answers with a text that is neither an error's nor GraphQL's.
    func answer(_ contentType: String, _ text: [UInt8]) {
        unsafe text.withUnsafeBytes { body in
            unsafe answer(
                200, templates.bare, fields: [("Content-Type", contentType), ("Cache-Control", "no-store")], body)
        }
    }

    /// Answers with a body that is a stream or a file.
    func answer(
        _ status: Int, _ contentType: String, fields: [(name: String, value: String)], _ content: ResponseBody
    ) {
        var response = Response(
            status: status, headers: templates.bare, fields: [("Content-Type", contentType)] + fields, content: content)
        response.requestID = requestID
        reply.send(response)
        logAnswer(status, isFailure: status >= 400, nanoseconds: countAnswer(status, nil)) { _ in }
    }

    /// Answers with bytes of a type, and header lines of this answer alone. An `errorType` is counted and logged.
    func answer(
        _ status: Int, _ contentType: String, fields: [(name: String, value: String)] = [], errorType: String? = nil,
        _ body: [UInt8]
    ) {
        unsafe body.withUnsafeBytes { bytes in
            unsafe send(status, templates.bare, [("Content-Type", contentType)] + fields, nil, bytes)
        }
        logAnswer(status, isFailure: status >= 400, nanoseconds: countAnswer(status, errorType)) {
            $0.errorType = errorType
        }
    }

    /// Answers 200 with encoded lines and a body that is not compressed and is valid for the call only.
    func send(_ head: HeaderBlock, lines: [UInt8], _ body: UnsafeRawBufferPointer) {
        unsafe reply.send(
            status: 200, head: head, lines: lines, requestID: requestID, allowsCompression: false, body: body)
        logAnswer(200, isFailure: false, nanoseconds: countAnswer(200, nil)) { _ in }
    }

    /// Answers with a response whose body may be a file or a stream. An `errorType` is counted and logged.
    func send(_ response: Response, errorType: String?) {
        reply.send(response)
        let status = response.status
        logAnswer(status, isFailure: status >= 400, nanoseconds: countAnswer(status, errorType)) {
            $0.errorType = errorType
        }
    }

    /// Answers in AppSync's form of errors outside of GraphQL. The `cause` is for the log alone; without one the log has
    /// what the caller reads.
    func refuse(
        _ problem: Problem, as form: AnswerForm = .appSync, fields: [(name: String, value: String)] = [],
        cause: String? = nil
    ) {
        let nanoseconds = send(problem, form, fields)
        logAnswer(problem.status, isFailure: true, nanoseconds: nanoseconds) { $0.add(problem, cause: cause) }
        guard recording != nil else { return }
        unsafe problem.body.withUnsafeBytes {
            unsafe record(problem.status, [problem.errorType], nil, nanoseconds: nanoseconds, $0)
        }
    }

    /// Refuses a request for its `Host` or `Origin`, which the log line shows. The first such line is a warning, because
    /// browsers do not show the answer to the developer of the page.
    func refuse(_ problem: Problem, foreign request: Request) {
        let (host, origin) = (request[header: "host"], request[header: "origin"])
        let nanoseconds = send(problem, .appSync, [])
        let isWarning = services.state.claimForeignRequestWarning()
        logAnswer(problem.status, isFailure: true, isWarning: isWarning, nanoseconds: nanoseconds) { answer in
            answer.add(problem, cause: nil)
            answer.host = host.map(LogText.excerpt)
            answer.origin = origin.map(LogText.excerpt)
        }
    }

    /// Sends and counts a refusal.
    /// - Returns: Nanoseconds from the request to the answer.
    private func send(_ problem: Problem, _ form: AnswerForm, _ fields: [(name: String, value: String)]) -> Int64 {
        // Every answer but a 200 has the header.
        let errorType = problem.status == 200 ? nil : problem.errorType
        unsafe problem.body.withUnsafeBytes {
            unsafe send(problem.status, templates.refused(form), fields, errorType, $0)
        }
        return countAnswer(problem.status, problem.errorType)
    }

    /// Answers a browser that asks what it may send. It is never authenticated (reference: appsync-protocol, "CORS").
    func answerPreflight(_ request: Request, of route: Route) {
        let isOpen = route.endpoint.allowsCORS
        var fields = [(isOpen ? "Access-Control-Allow-Methods" : "Allow", route.allowedMethods)]
        if isOpen, let asked = request[header: "access-control-request-headers"] {
            fields.append(("Access-Control-Allow-Headers", asked))
        }
        unsafe answer(200, templates.preflight, fields: fields, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Counts an answer; says how long the request took.
    private func countAnswer(_ status: Int, _ errorType: String?) -> Int64 {
        let nanoseconds = EventLoop.uptimeNanoseconds - startNanoseconds
        services.state.metrics.countAnswer(route: route?.index, status: status, nanoseconds: nanoseconds)
        if let errorType { services.state.metrics.countErrors([errorType]) }
        return nanoseconds
    }

    /// Logs an answer, if it has a line, which `describe` adds to.
    private func logAnswer(
        _ status: Int, isFailure: Bool, isWarning: Bool = false, nanoseconds: Int64,
        _ describe: (inout LoggedAnswer) -> Void
    ) {
        let outcome = LoggedAnswer.Outcome(
            status: status, isFailure: isFailure, isWarning: isWarning, isProbe: route?.isProbe ?? false,
            nanoseconds: nanoseconds)
        guard services.state.answers.mayLog(outcome) else { return }
        services.state.answers.logAnswer(outcome, on: loop) {
            var answer = LoggedAnswer(
                message: "\(method.name) \(route.map { "\($0.path)" } ?? "to an unknown path")", requestID: requestID,
                peer: peer)
            describe(&answer)
            return answer
        }
    }
}

extension Request {
    /// The first value of `X-Forwarded-Proto`, in lower case: the scheme of the client's request. It proves nothing unless a
    /// trusted proxy sent it.
    var forwardedProtocol: String? {
        self[header: "x-forwarded-proto"]?.prefix { $0 != "," && $0 != " " }.lowercased()
    }
}
