import API

/// One of the ways in which AppSync finds out who a caller is, beside API keys. Each is a file of its own.
///
/// An existential: a request by API key does not come here, and what does hashes, verifies or calls.
protocol AuthenticationMode: Sendable {
    /// The identity of an `authorization` header that the mode has accepted before and still accepts. All modes are asked for
    /// it before any of them reads the header.
    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity?

    /// What the credentials come to; nil for those that are not of this mode.
    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome?
}

extension AuthenticationMode {
    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity? { nil }
}
