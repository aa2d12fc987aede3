import HTTP
import Synchronization

/// What all event loops of a service share: the log, the counters, and whether it is about to end.
final class ServiceState: Sendable {
    let mode: Service.Mode
    let log: Log
    let metrics: ServerMetrics
    private let ending = Atomic(false)

    init(mode: Service.Mode, log: Log) {
        self.mode = mode
        self.log = log
        metrics = ServerMetrics(routes: Routes.table)
    }

    /// Whether the service answers what is under way and takes nothing new.
    var isEnding: Bool { ending.load(ordering: .relaxed) }

    func end() { ending.store(true, ordering: .relaxed) }

    /// Counts and logs an answer that the HTTP layer gave before any route was found.
    func noteRefusal(status: Int, errorType: String, requestID: RequestID, peer: Peer) {
        metrics.answered(route: nil, status: status, nanoseconds: nil)
        metrics.met([errorType])
        logAnswer(status) {
            var fields = ["requestID": "\(requestID)", "peer": peer.description, "status": "\(status)"]
            fields["errorType"] = errorType
            return ("The HTTP layer refused a request", fields)
        }
    }

    /// One line for each answer: those that are the server's own fault are seen without asking.
    func logAnswer(_ status: Int, _ line: () -> (message: String, fields: [String: String])) {
        let level: LogLevel = status >= 500 ? .info : .debug
        guard log.isLogged(level) else { return }
        let (message, fields) = line()
        log(level, message, fields)
    }
}
