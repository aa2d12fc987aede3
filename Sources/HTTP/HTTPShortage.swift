/// What a server has run short of, so that it turned clients away.
public enum HTTPShortage: Sendable, Hashable, CaseIterable {
    /// Descriptors: connections could not be accepted.
    case descriptors
    /// Room for answers and messages that clients do not take: `HTTPLimits.outgoingBytesPerServerMax`.
    case outgoingBytes
    /// Room for requests and messages that clients do not finish: `HTTPLimits.incomingBytesPerServerMax`.
    case incomingBytes
}
