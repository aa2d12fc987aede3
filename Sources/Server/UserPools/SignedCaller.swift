import AWSSignature
import HTTP
import UserPools

/// Finds out who signed a request (reference: auth, "Signatures").
struct SignedCaller: Sendable {
    /// The parts of the request that are signed.
    private let request: SignedRequest

    init(_ request: Request, body: [UInt8]) {
        self.request = SignedRequest(
            method: request.method.name, path: request.path, query: request.query ?? "", headers: request.headers,
            bodyHash: SignedRequest.bodyHash(of: body))
    }

    /// Whose signature it is.
    enum Signer: Sendable {
        /// The owner of a configured access key.
        case accessKey(AccessKey)
        /// An identity with temporary credentials.
        case temporary(TemporaryCredentials)
    }

    /// The owner of the keys that signed the request for a service; nil without a valid signature.
    func signer(of service: String, _ pools: UserPools, nowSeconds: Int64) -> Signer? {
        guard let signature = try? SignatureV4(of: request) else { return nil }
        let id = signature.claim.accessKeyID
        func isValid(_ secret: String) -> Bool {
            (try? signature.verify(secret: secret, now: nowSeconds, expectedService: service)) != nil
        }
        if let token = signature.claim.sessionToken {
            guard let credentials = pools.temporaryCredentials(accessKeyID: id, sessionToken: token),
                isValid(credentials.secretKey)
            else { return nil }
            return .temporary(credentials)
        }
        guard let key = pools.accessKey(id), key.services?.contains(service) ?? true, isValid(key.secret) else {
            return nil
        }
        return .accessKey(key)
    }
}
