import API
import HTTP

/// Who is asking, from the headers of a request or what stands for them on the realtime channel.
struct Authenticator: Sendable {
    /// What a request's credentials come to.
    enum Outcome: Sendable, Hashable {
        /// Accepted as this identity.
        case identity(Identity)
        /// Refused; the message is AppSync's.
        case refused(String)
    }

    private let keys: [[UInt8]]

    /// Accepts requests with one of these keys.
    init(apiKeys: [String]) { keys = apiKeys.map { Array($0.utf8) } }

    /// A signature goes before a key, a key before a token (reference: appsync-protocol, "Credentials of a request").
    /// The texts: (reference: appsync-protocol, "Status codes and error bodies").
    func authenticate(_ request: Request) -> Outcome {
        let isSigned = request.withHeader(.authorization) { $0?.starts(with: Self.signature) }
        let isKnownKey: Bool? = request.withHeader(.apiKey) { key in key.map(isKnown) }
        return Self.decide(isSigned: isSigned, isKnownKey: isKnownKey)
    }

    /// The same for the authorization header object of a WebSocket or of one of its subscriptions.
    func authenticate(_ authorization: RealtimeAuthorization) -> Outcome {
        let isSigned = authorization["authorization"]?.utf8.starts(with: Self.signature)
        let isKnownKey = authorization["x-api-key"].map { key in Array(key.utf8).withUnsafeBytes(isKnown) }
        return Self.decide(isSigned: isSigned, isKnownKey: isKnownKey)
    }

    private static var signature: String.UTF8View { "AWS4-HMAC-SHA256".utf8 }

    /// - Parameters:
    ///   - isSigned: Whether an `authorization` is a signature; nil without one.
    ///   - isKnownKey: Whether an `x-api-key` is one of the API's; nil without one.
    private static func decide(isSigned: Bool?, isKnownKey: Bool?) -> Outcome {
        if isSigned == true { return notEnabled }
        switch isKnownKey {
        case true?: return .identity(.apiKey)
        case false?: return .refused("You are not authorized to make this call.")
        case nil: return isSigned == nil ? .refused("Missing authorization header") : notEnabled
        }
    }

    private static let notEnabled = Outcome.refused("Valid authorization header not provided.")

    /// Compares with every key to the end, so that the time an answer takes does not tell how much of a key was right.
    private func isKnown(_ candidate: UnsafeRawBufferPointer) -> Bool {
        var isKnown = false
        for key in keys where key.count == candidate.count {
            var difference: UInt8 = 0
            for position in key.indices { difference |= key[position] ^ candidate[position] }
            isKnown = isKnown || difference == 0
        }
        return isKnown
    }
}
