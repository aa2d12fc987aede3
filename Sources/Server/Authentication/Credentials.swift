import API
import HTTP

/// Where the credentials of a caller stand: the headers of a request, or what stands for them on the realtime channel.
protocol Credentials: Sendable {
    /// The bytes of `x-api-key`, nil without one.
    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R
    /// The bytes of `authorization`, nil without one.
    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R
}

extension Request: Credentials {
    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R { unsafe withHeader(.apiKey, body) }

    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R { unsafe withHeader(.authorization, body) }
}

extension RealtimeAuthorization: Credentials {
    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R { unsafe withBytes(self["x-api-key"], body) }

    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        unsafe withBytes(self["authorization"], body)
    }

    private func withBytes<R>(_ text: String?, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        guard let text else { return body(nil) }
        return unsafe Array(text.utf8).withUnsafeBytes { unsafe body($0) }
    }
}
