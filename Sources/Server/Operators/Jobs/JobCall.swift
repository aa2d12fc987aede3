import HTTP

/// A call about jobs: `/jobs…`.
enum JobCall: Sendable, Equatable {
    case list
    case get(id: String)
    case cancel(id: String)
    case rejects(id: String)

    var method: String {
        switch self {
        case .list, .get, .rejects: "GET"
        case .cancel: "DELETE"
        }
    }

    /// - Parameter parts: Those of the path after `jobs`.
    init(_ method: Method, _ parts: [Substring]) throws(OperatorProblem) {
        switch (method, parts.count) {
        case (.get, 0): self = .list
        case (.get, 1): self = .get(id: String(parts[0]))
        case (.delete, 1): self = .cancel(id: String(parts[0]))
        case (.get, 2) where parts[1] == "rejects": self = .rejects(id: String(parts[0]))
        default: throw .unknownPath
        }
    }
}
