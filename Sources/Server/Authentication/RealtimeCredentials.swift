import API
import AWSSignature
import JSON

/// The credentials of a WebSocket or of one operation on it.
struct RealtimeCredentials: Credentials {
    let authorization: RealtimeAuthorization
    /// The operation's unchanged JSON envelope; nil if a connection is opened.
    var envelope: [UInt8]?
    /// The `Host` of the request that was upgraded.
    var host: String?
    /// The `Peer.network` of that request.
    var network = "unknown"

    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        unsafe withBytes(authorization["x-api-key"], body)
    }

    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        unsafe withBytes(authorization["authorization"], body)
    }

    private func withBytes<R>(_ text: String?, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        guard let text else { return body(nil) }
        return unsafe Array(text.utf8).withUnsafeBytes { unsafe body($0) }
    }

    /// A connection is signed as `POST /graphql/connect` with the body `{}`, an operation as `POST /graphql` with its envelope.
    func signedRequests() -> [SignedRequest] {
        SignedRequest(
            method: "POST", path: envelope == nil ? "/graphql/connect" : "/graphql", headers: authorization.headers,
            bodyHash: SignedRequest.bodyHash(of: envelope ?? Array("{}".utf8))
        ).forms(otherHost: host)
    }

    func operation(depthMax: Int) throws(EnvelopeError) -> GraphQLRequest? {
        guard let envelope else { return nil }
        let result = unsafe envelope.withUnsafeBytes { bytes in
            Result { () throws(EnvelopeError) in try unsafe GraphQLRequest(envelope: bytes, depthMax: depthMax) }
        }
        return try result.get()
    }

    var byteCount: Int {
        authorization.headers.reduce(envelope?.count ?? 0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }

    var headerObject: JSONObject {
        var object = JSONObject()
        for (name, value) in authorization.headers where name != "cookie" && name != "x-syncline-operator" {
            object[name] = .string(value)
        }
        return object
    }
}
