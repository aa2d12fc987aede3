import Crypto
import Encodings
import HTTP
import JSON
import Synchronization

/// An issuer of a test: serves its discovery document and its keys, and signs tokens.
final class IssuerServer: Responder {
    private let keys = Mutex<[(kid: String, key: P256.Signing.PrivateKey)]>([("first", P256.Signing.PrivateKey())])
    private let paths = Mutex<[String]>([])
    private let base = Mutex("")

    var url: String { base.withLock { $0 } }

    /// The paths that were asked for, and forgets them.
    func takePaths() -> [String] {
        paths.withLock { paths in
            defer { paths = [] }
            return paths
        }
    }

    /// Signs with another key from now on, and publishes no other.
    func rotate(to kid: String) { keys.withLock { $0 = [(kid, P256.Signing.PrivateKey())] } }

    var publicKey: [UInt8] { keys.withLock { Array($0[0].key.publicKey.x963Representation) } }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        paths.withLock { $0.append(request.path) }
        let body: JSONValue
        switch request.path {
        case "/.well-known/openid-configuration":
            body = ["issuer": .string(url), "jwks_uri": .string("\(url)/keys")]
        case "/keys":
            let list = keys.withLock { keys in
                keys.map { kid, key -> JSONValue in
                    let point = Array(key.publicKey.x963Representation.dropFirst())
                    return [
                        "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": .string(kid),
                        "x": .string(Base64.encodeURL(Array(point[..<32]))),
                        "y": .string(Base64.encodeURL(Array(point[32...]))),
                    ]
                }
            }
            body = ["keys": .array(list)]
        default: return reply.send(Response(status: 404))
        }
        reply.send(Response(status: 200, body: Array(body.description.utf8)))
    }

    /// A token with these claims, signed by the key of the issuer or by another one.
    ///
    /// - Parameter header: Members of the header in place of what the signature asks for.
    func token(
        _ claims: JSONObject, algorithm: String = "ES256", kid: String? = nil, by key: P256.Signing.PrivateKey? = nil,
        header more: JSONObject = [:]
    ) -> String {
        let own = keys.withLock { $0[0] }
        var header: JSONObject = ["alg": .string(algorithm), "typ": "JWT", "kid": .string(kid ?? own.kid)]
        for (name, value) in more { header[name] = value }
        let text = [.object(header), .object(claims)].map { (part: JSONValue) in
            Base64.encodeURL(Array(part.description.utf8))
        }.joined(separator: ".")
        let signature: [UInt8]
        switch algorithm {
        case "none": signature = []
        case "HS256":
            let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: publicKey))
            signature = Array(code)
        default:
            signature =
                (try? (key ?? own.key).signature(for: Array(text.utf8))).map { Array($0.rawRepresentation) } ?? []
        }
        return "\(text).\(Base64.encodeURL(signature))"
    }

    static func with(_ body: (IssuerServer) async throws -> Void) async throws {
        let issuer = IssuerServer()
        let server = HTTPServer(responder: issuer)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        issuer.base.withLock { $0 = "http://127.0.0.1:\(port)" }
        do {
            try await body(issuer)
        } catch {
            await server.shutdown(drainSeconds: 0)
            throw error
        }
        await server.shutdown(drainSeconds: 0)
    }
}
