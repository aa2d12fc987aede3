import API
import HTTP

/// The paths of the product, each with what answers it.
struct Routes: Responder {
    static let table: [Route] = [
        ("/graphql", GraphQLEndpoint() as any Endpoint), ("/graphql/realtime", RealtimeEndpoint()),
        ("/ping", ProbeEndpoint.ping), ("/health", ProbeEndpoint.health), ("/ready", ProbeEndpoint.ready),
        ("/schema.graphql", SchemaEndpoint.sdl), ("/schema.json", SchemaEndpoint.introspection),
        ("/api-config", APIConfigEndpoint()), ("/clear-data", ClearDataEndpoint()), ("/metrics", MetricsEndpoint()),
    ].enumerated().map { Route(index: $0, path: $1.0, endpoint: $1.1) }

    /// One per event loop, by the loop's index.
    let desks: [Desk]

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        let route = route(for: request)
        let exchange = Exchange(request, route, desk: desks[loop.index], reply: reply)
        guard let route else { return exchange.refuse(.unknownPath) }
        if route.checksSource, let problem = exchange.desk.served?.sourcePolicy.problem(of: request) {
            return exchange.refuse(problem, foreign: request)
        }
        if route.methods.contains(request.method) {
            route.endpoint.respond(to: request, in: exchange)
        } else if request.method == .options {
            exchange.answerPreflight(request, of: route)
        } else {
            exchange.refuse(.wrongMethod, fields: [("Allow", route.allowedMethods)])
        }
    }

    func noteRefusal(
        status: Int, errorType: String, message: String, requestID: RequestID, peer: Peer, on loop: EventLoop
    ) {
        desks[loop.index].state.noteRefusal(
            status: status, errorType: errorType, message: message, requestID: requestID, peer: peer, on: loop)
    }

    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop) {
        desks[loop.index].state.noteHandshake(failure: failure, peer: peer)
    }

    func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop) {
        desks[loop.index].state.noteShortage(shortage, clientCount: clientCount)
    }

    private func route(for request: Request) -> Route? {
        request.withPath { path in Self.table.first { path.isEqual(to: $0.path) } }
    }
}

/// A path and what answers it.
///
/// A class, because it goes through many hands in a request: one reference instead of three.
final class Route: Sendable {
    /// The place in the table.
    let index: Int
    let path: StaticString
    let endpoint: any Endpoint
    /// The endpoint's methods, read once.
    let methods: [Method]
    /// The endpoint's methods for `Allow`.
    let allowedMethods: String
    /// Whether the `RequestSourcePolicy` decides which requests, preflights included, reach the endpoint.
    let checksSource: Bool
    /// Whether it answers probes, whose refusals are no failures.
    let isProbe: Bool

    init(index: Int, path: StaticString, endpoint: any Endpoint) {
        self.index = index
        self.path = path
        self.endpoint = endpoint
        methods = endpoint.methods
        checksSource = endpoint.checksSource
        isProbe = endpoint is ProbeEndpoint
        allowedMethods = (endpoint.methods + [.options]).map(\.name).joined(separator: ",")
    }
}

/// What answers a path.
protocol Endpoint: Sendable {
    /// The methods it answers; OPTIONS is answered for it.
    var methods: [Method] { get }
    /// Whether pages of other origins may read its answers, as far as `cors` in the configuration allows.
    var allowsCORS: Bool { get }
    /// Whether the `RequestSourcePolicy` decides which requests, preflights included, reach the endpoint.
    var checksSource: Bool { get }
    /// Answers a request with one of its methods, now or later, on the loop of its connection.
    func respond(to request: Request, in exchange: Exchange)
}

extension Endpoint {
    var methods: [Method] { [.get, .head] }
    var allowsCORS: Bool { true }
    var checksSource: Bool { false }
}

/// What one event loop answers with. Read and replaced on that loop only; replaced when the API is reloaded.
///
/// It crosses threads once, when it is made: its first change comes to the loop by `EventLoop.execute`, and so does
/// every further one; nothing else touches it. Hence `@unchecked Sendable`.
final class Desk: @unchecked Sendable {
    /// What the desks of all loops share.
    let state: ServiceState
    /// What the loop reads with; `nil` until the server is ready.
    var context: LoopContext?
    /// What is served now; `nil` until the server is ready.
    var served: Served?
    /// The head lines of answers.
    var heads: ResponseHeads
    /// The last events, for the sockets that are sent them one after the other.
    private var lastEvents: (messages: ArraySlice<EventMessage>, bytes: [SharedBytes]) = ([], [])

    init(state: ServiceState, heads: ResponseHeads) {
        self.state = state
        self.heads = heads
    }

    /// Serves from the next request on; subscriptions that are still valid go on.
    func serve(_ served: Served) {
        self.served = served
        heads = served.heads
        context?.revalidate(for: served.api)
    }

    /// The payloads of events, made once for all sockets of the loop.
    func sharedBytes(of messages: ArraySlice<EventMessage>) -> [SharedBytes] {
        if !messages.elementsEqual(lastEvents.messages, by: ===) {
            lastEvents = (messages, messages.map { SharedBytes($0.payload) })
        }
        return lastEvents.bytes
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of the text.
    func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // Both are as long. `elementsEqual` took 30 instructions a byte.
        let text = text.utf8Start
        for index in indices where self[index] != text[index] { return false }
        return true
    }
}
