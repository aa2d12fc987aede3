import API
import HTTP
import UserPools

/// What one event loop answers with. Read and replaced on that loop only; replaced when the API is reloaded.
///
/// It crosses threads once, when it is made: its first change comes to the loop by `EventLoop.execute`, and so does
/// every further one; nothing else touches it. Hence `@unchecked Sendable`.
final class LoopServices: @unchecked Sendable {
    /// What the services of all loops share.
    let state: ServiceState
    /// What the loop reads with; `nil` until the server is ready.
    var context: LoopContext?
    /// What is served now; `nil` until the server is ready.
    var servedAPI: ServedAPI?
    /// The buckets; nil where none are served.
    var buckets: LoopBuckets?
    /// The head lines of answers.
    var templates: HeaderTemplates
    /// The AWS hostnames that are served; nil if none are.
    private(set) var awsNames: AWSNames?
    /// The WebSockets on which some operation was begun.
    private var connections: [ObjectIdentifier: RealtimeConnection] = [:]
    /// The last events, for the sockets that are sent them one after the other.
    private var lastEvents: (messages: ArraySlice<EventMessage>, bytes: [SharedBytes]) = ([], [])

    init(state: ServiceState, templates: HeaderTemplates, awsNames: AWSNames? = nil) {
        self.state = state
        self.templates = templates
        self.awsNames = awsNames
    }

    /// Serves from the next request on; subscriptions that are still valid go on.
    func serve(_ servedAPI: ServedAPI) {
        self.servedAPI = servedAPI
        templates = servedAPI.templates
        awsNames = servedAPI.awsNames
        context?.revalidate(for: servedAPI.api)
        endSubscriptionsWithoutCredentials()
    }

    /// Ends the subscriptions whose credentials are not accepted any longer.
    func endSubscriptionsWithoutCredentials() {
        guard let servedAPI else { return }
        for connection in connections.values { connection.endSubscriptions(notAcceptedBy: servedAPI) }
    }

    /// Keeps a WebSocket that is to be looked at when credentials are withdrawn.
    func keep(_ connection: RealtimeConnection) { connections[ObjectIdentifier(connection)] = connection }

    func release(_ connection: RealtimeConnection) { connections[ObjectIdentifier(connection)] = nil }

    /// Ends the subscriptions of sessions that have ended.
    func end(_ ended: UserPoolServices.Ended) {
        for connection in connections.values { connection.end(ended) }
    }

    /// The bucket that a request names by its host.
    func bucketOfHost(_ request: Request) -> String? {
        if let hostMatch = awsNames?.hostMatch(request) {
            guard case .host(let host) = hostMatch, case .bucket(let name) = host.service else { return nil }
            return name
        }
        return buckets?.bucketOfHost(request)
    }

    /// The payloads of events, made once for all sockets of the loop.
    func sharedBytes(of messages: ArraySlice<EventMessage>) -> [SharedBytes] {
        // A message is in one list only, and lists are delivered from some message on to their end.
        if messages.count != lastEvents.messages.count || messages.first !== lastEvents.messages.first {
            lastEvents = (messages, messages.map { SharedBytes($0.payload) })
        }
        return lastEvents.bytes
    }
}
