import API
import AWSSignature
import HTTP
import JSON

/// The source of a caller's credentials: the headers of a request, or their equivalent on the realtime channel.
protocol Credentials: Sendable {
    /// The `Peer.network` of the client.
    var network: String { get }
    /// The bytes of `x-api-key`; nil if it is absent.
    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R
    /// The bytes of `authorization`; nil if it is absent.
    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R
    /// The request in the forms in which a client may have signed it, the likeliest first
    /// (reference: appsync-protocol, "Credentials of a request").
    func signedRequests() -> [SignedRequest]
    /// The operation that the credentials are for, read as it is executed; nil if a WebSocket is opened.
    /// - Parameter depthMax: Levels of variables.
    func operation(depthMax: Int) throws(EnvelopeError) -> GraphQLRequest?
    /// Number of bytes that are retained together with the credentials.
    var byteCount: Int { get }
    /// The header lines, names in lower case.
    var headerObject: JSONObject { get }
}

extension Credentials {
    /// The bytes of `authorization`.
    var authorization: [UInt8]? { unsafe withAuthorization { unsafe $0.map { unsafe [UInt8]($0) } } }

    /// The same without an optional `Bearer`; nil if the header is absent or has a signature.
    var token: [UInt8]? {
        unsafe withBearerToken { bytes in
            guard let bytes = unsafe bytes, unsafe !bytes.starts(with: Authenticator.signature) else { return nil }
            return unsafe [UInt8](bytes)
        }
    }

    /// The bytes of `authorization`, without an optional `Bearer`.
    func withBearerToken<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        unsafe withAuthorization { header in
            guard let header = unsafe header else { return body(nil) }
            return unsafe body(header.bearerToken ?? header)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// RFC 6750 §2.1: what follows `Bearer`, in any case (RFC 9110 §11.1), and its spaces; nil for another scheme.
    ///
    /// Memory safety: the skipped bytes are within the buffer.
    var bearerToken: UnsafeRawBufferPointer? {
        let space = UInt8(ascii: " ")
        guard count > 7, unsafe self[6] == space,
            // ASCII letters, converted to lower case.
            unsafe zip(self, "bearer".utf8).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        var start = 7
        while start < count, unsafe self[start] == space { start += 1 }
        return unsafe UnsafeRawBufferPointer(rebasing: self[start...])
    }
}

extension Request: Credentials {
    var network: String { peer.network }

    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R { unsafe withHeader(.apiKey, body) }

    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R { unsafe withHeader(.authorization, body) }

    func signedRequests() -> [SignedRequest] {
        let request = SignedRequest(
            method: method.name, path: path, query: query ?? "", headers: headers,
            bodyHash: SignedRequest.bodyHash(of: unsafe withBody { unsafe [UInt8]($0) }))
        return request.forms()
    }

    func operation(depthMax: Int) throws(EnvelopeError) -> GraphQLRequest? {
        let result =
            unsafe method == .post
            ? withBody { body in
                Result { () throws(EnvelopeError) in try unsafe GraphQLRequest(envelope: body, depthMax: depthMax) }
            }
            : withQuery { query in
                Result { () throws(EnvelopeError) in try unsafe GraphQLRequest(urlQuery: query, depthMax: depthMax) }
            }
        return try result.get()
    }

    var byteCount: Int { keptByteCount }

    var headerObject: JSONObject { functionHeaders }
}

extension SignedRequest {
    /// The request with its own first `Host` and with another host, each as it is and without the port: clients differ in whether
    /// they sign the port. At most four forms, because each one costs a hash.
    ///
    /// Clients add `x-amz-user-agent` after signing, so it may be unsigned; it has no effect.
    ///
    /// - Parameter otherHost: The host of the request that was upgraded, if this is an operation on a WebSocket.
    func forms(otherHost: String? = nil) -> [SignedRequest] {
        var bare = self
        let signedNames = headers.first { $0.name.lowercased() == "authorization" }?.value ?? ""
        bare.headers.removeAll { header in
            let name = header.name.lowercased()
            return name == "x-amz-user-agent" && !signedNames.contains(name)
                || name == "x-amz-security-token" && header.value.isEmpty
        }
        var candidates: [String] = []
        let ownHost = bare.headers.first { $0.name.lowercased() == "host" }?.value
        for host in [ownHost, otherHost].compactMap(\.self) {
            for form in [host, Self.withoutPort(host)] where !candidates.contains(form) { candidates.append(form) }
        }
        bare.headers.removeAll { $0.name.lowercased() == "host" }
        return candidates.map { host in
            var form = bare
            form.headers.append(("host", host))
            return form
        }
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber),
            host.firstIndex(of: ":") == colon || host[..<colon].hasSuffix("]")
        else { return host }
        return String(host[..<colon])
    }
}
