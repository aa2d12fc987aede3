import API
import HTTP

/// The paths of the product, each with what answers it.
struct Routes: Responder {
    private static let table: [(path: StaticString, endpoint: any Endpoint)] = [
        ("/graphql", GraphQLEndpoint()),
        ("/health", HealthEndpoint()),
    ]

    /// One per event loop, by the loop's index.
    let desks: [Desk]

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        let desk = desks[loop.index]
        let heads = desk.heads.heads(for: request)
        let exchange = Exchange(request: request, reply: reply, desk: desk, heads: heads)
        guard let endpoint = endpoint(for: request) else { return exchange.refuse(.unknownPath) }
        if endpoint.methods.contains(request.method) {
            endpoint.respond(to: exchange)
        } else if request.method == .options {
            exchange.answerPreflight(of: endpoint)
        } else {
            exchange.refuse(.wrongMethod, fields: [("Allow", endpoint.allowedMethods)])
        }
    }

    private func endpoint(for request: Request) -> (any Endpoint)? {
        request.withPath { path in
            for route in Self.table where path.isEqual(to: route.path) { return route.endpoint }
            return nil
        }
    }
}

/// What answers a path.
protocol Endpoint: Sendable {
    /// The methods it answers; OPTIONS is answered for it.
    var methods: [Method] { get }
    /// The same as text, for `Allow`.
    var allowedMethods: String { get }
    /// Answers a request with one of its methods, now or later, on the exchange's loop.
    func respond(to exchange: Exchange)
}

/// What one event loop answers with. Read and replaced on that loop only; replaced when the API is reloaded.
///
/// It crosses threads once, when it is made: its first change comes to the loop by `EventLoop.execute`, and so does
/// every further one; nothing else touches it. Hence `@unchecked Sendable`.
final class Desk: @unchecked Sendable {
    /// What the loop reads with; `nil` until the server is ready.
    var context: LoopContext?
    /// What is served now; `nil` until the server is ready.
    var served: Served?
    /// The head lines of answers.
    var heads: ResponseHeads

    init(heads: ResponseHeads) { self.heads = heads }

    /// Serves from the next request on.
    func serve(_ served: Served) {
        self.served = served
        heads = served.heads
    }
}

/// What a reload replaces as a whole.
struct Served: Sendable {
    let api: GraphQLAPI
    let authenticator: Authenticator
    let heads: ResponseHeads
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of the text.
    func isEqual(to text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            && elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
