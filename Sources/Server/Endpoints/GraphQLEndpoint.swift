import API
import HTTP

/// `POST /graphql`. The checks come in AppSync's order: content type and envelope (400), authentication (401), GraphQL.
struct GraphQLEndpoint: Endpoint {
    let methods: [Method] = [.post]
    let allowedMethods = "POST,OPTIONS"

    func respond(to exchange: Exchange) {
        guard let context = exchange.desk.context, let served = exchange.desk.served else {
            return exchange.refuse(.notReady)
        }
        let request = exchange.request
        guard request.withHeader("content-type", Self.isAccepted) else { return exchange.refuse(.contentType) }
        if let problem = Self.read(request, into: context, for: served.api) { return exchange.refuse(problem) }
        switch served.authenticator.authenticate(request) {
        case .refused(let message): exchange.refuse(.unauthorized(message))
        case .identity(let identity):
            served.api.respond(as: identity, on: context) { kind, body in
                if let errorType = kind.errorType {
                    exchange.send(kind.status, errorType: errorType, body: [UInt8](body))
                } else {
                    exchange.answer(kind.status, exchange.heads.executed, body)
                }
            }
        }
    }

    /// Whether a body of this type is read as the JSON envelope. `application/graphql` is what old AppSync clients call
    /// it (AppSync protocol §1.2). Parameters do not matter.
    static func isAccepted(_ contentType: UnsafeRawBufferPointer?) -> Bool {
        guard let contentType else { return false }
        let end = contentType.firstIndex(of: UInt8(ascii: ";")) ?? contentType.endIndex
        var type = contentType[..<end]
        while let last = type.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { type.removeLast() }
        return acceptedTypes.contains { accepted in
            accepted.count == type.count && zip(type, accepted).allSatisfy { $0 | Self.lowercaseBit($0) == $1 }
        }
    }

    private static let acceptedTypes = [
        "application/json", "application/graphql", "application/graphql+json", "application/graphql-response+json",
    ].map { Array($0.utf8) }

    private static func lowercaseBit(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? 0x20 : 0
    }

    private static func read(_ request: Request, into context: LoopContext, for api: GraphQLAPI) -> Problem? {
        request.withBody { body in
            do throws(EnvelopeError) {
                try context.read(body, for: api)
                return nil
            } catch {
                return Problem(status: 400, errorType: error.errorType, message: error.message)
            }
        }
    }
}
