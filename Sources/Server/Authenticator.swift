import API
import HTTP

/// Who is asking, from the headers of a request.
struct Authenticator: Sendable {
    /// What a request's credentials come to.
    enum Outcome: Sendable, Hashable {
        /// Let in as this identity.
        case identity(Identity)
        /// Not let in; the message is AppSync's.
        case refused(String)
    }

    private let keys: [[UInt8]]

    /// Lets in whoever shows one of these keys.
    init(apiKeys: [String]) { keys = apiKeys.map { Array($0.utf8) } }

    /// AppSync protocol §4.1: a signature goes before a key, a key before a token. The texts are those of §1.5.
    func authenticate(_ request: Request) -> Outcome {
        let isSigned = request.withHeader(.authorization) { $0?.starts(with: "AWS4-HMAC-SHA256".utf8) }
        if isSigned == true { return Self.notEnabled }
        let isLetIn: Bool? = request.withHeader(.apiKey) { key in key.map(isKnown) }
        switch isLetIn {
        case true?: return .identity(.apiKey)
        case false?: return .refused("You are not authorized to make this call.")
        case nil: return isSigned == nil ? .refused("Missing authorization header") : Self.notEnabled
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
