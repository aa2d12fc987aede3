/// Which kind of caller began an upload. Kinds have separate bounds.
enum InitiatorClass: String, Sendable {
    case `operator`
    /// An identity that has signed in.
    case user
    /// A guest, or a caller without a signature.
    case guest

    init(_ caller: BucketCaller) {
        switch caller.share {
        case .operator: self = .operator
        case .identity: self = .user
        case .guests: self = .guest
        }
    }
}
