import API
import AWSSignature
import HTTP
import JSON

/// Where the credentials of a caller stand: the headers of a request, or what stands for them on the realtime channel.
protocol Credentials: Sendable {
    /// The `Peer.network` that they came from.
    var network: String { get }
    /// The bytes of `x-api-key`, nil without one.
    func withAPIKey<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R
    /// The bytes of `authorization`, nil without one.
    func withAuthorization<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R
    /// The request in the forms in which a client may have signed it, the likeliest first
    /// (reference: appsync-protocol, "Credentials of a request").
    func signedRequests() -> [SignedRequest]
    /// The JSON envelope of the operation that the credentials are for; nil where a WebSocket is opened.
    var operation: JSONObject? { get }
    /// The header lines, names in lower case.
    var headerObject: JSONObject { get }
}

extension Credentials {
    /// The bytes of `authorization`.
    var authorization: [UInt8]? { unsafe withAuthorization { unsafe $0.map { unsafe [UInt8]($0) } } }

    /// The same without the `Bearer` that may stand in front; nil without a header and of a signature.
    var token: [UInt8]? {
        unsafe withUserPoolToken { bytes in
            guard let bytes = unsafe bytes, unsafe !bytes.starts(with: Authenticator.signature) else { return nil }
            return unsafe [UInt8](bytes)
        }
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
        return request.forms(hosts: [])
    }

    var operation: JSONObject? {
        if method == .post {
            return unsafe withBody { unsafe (try? JSONReader.read($0))?.objectValue } ?? [:]
        }
        let parameters = FormParameters(Array((query ?? "").utf8))
        var object: JSONObject = [:]
        for name in ["query", "operationName"] { object[name] = parameters[name].map(JSONValue.string) }
        object["variables"] = parameters["variables"].flatMap { try? JSONReader.read(Array($0.utf8)) }
        return object
    }

    var headerObject: JSONObject { functionHeaders }
}

extension SignedRequest {
    /// The request with its `Host` as it came, without its port, and with each of these hosts: clients differ in whether they
    /// sign the port.
    ///
    /// Clients add `x-amz-user-agent` to what they have signed; it says nothing that matters.
    func forms(hosts: [String]) -> [SignedRequest] {
        var bare = self
        let signedNames = headers.first { $0.name.lowercased() == "authorization" }?.value ?? ""
        bare.headers.removeAll { header in
            let name = header.name.lowercased()
            return name == "x-amz-user-agent" && !signedNames.contains(name)
                || name == "x-amz-security-token" && header.value.isEmpty
        }
        var candidates: [String] = []
        for host in bare.headers.filter({ $0.name.lowercased() == "host" }).map(\.value) + hosts {
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
