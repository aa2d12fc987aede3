import API

/// A mode of AppSync other than `API_KEY`. Each is a file of its own.
///
/// Used as an existential: requests with an API key do not use it, and those of the other modes hash, verify or call anyway.
protocol AuthenticationMode: Sendable {
    /// The identity of an `authorization` header that the mode has cached. The caches of all modes are searched before any mode
    /// reads the header.
    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity?

    /// The decision about the credentials, or their verification; nil if they are not of this mode.
    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome?
}

extension AuthenticationMode {
    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity? { nil }
}
