import AWSSignature
import UserPools

/// The owner of the keys that signed a request.
enum Signer: Sendable {
    /// The owner of a configured access key.
    case accessKey(AccessKey)
    /// An identity with temporary credentials.
    case temporary(TemporaryCredentials)

    /// Why keys have no owner.
    enum KeyRefusal: Error {
        /// No access key has the id.
        case unknownKey
        /// The session token is not of this server, or of another key.
        case unknownToken
        /// The temporary credentials have ended, by their time or with the sessions of their user.
        case ended
    }

    /// The owner of keys that a request names. The signature has not been verified yet.
    init(accessKeyID id: String, sessionToken token: String?, _ pools: UserPools) throws(KeyRefusal) {
        guard let token else {
            guard let key = pools.accessKey(id) else { throw .unknownKey }
            self = .accessKey(key)
            return
        }
        guard let credentials = pools.issuedCredentials(accessKeyID: id, sessionToken: token) else {
            throw .unknownToken
        }
        guard !pools.hasEnded(credentials) else { throw .ended }
        self = .temporary(credentials)
    }

    /// What signatures are verified with.
    var secret: String {
        switch self {
        case .accessKey(let key): key.secret
        case .temporary(let credentials): credentials.secretKey
        }
    }

    /// Whether the owner may sign requests for a service, which an access key may be limited to.
    func maySign(for service: String) -> Bool {
        switch self {
        case .accessKey(let key): key.maySign(for: service)
        case .temporary: true
        }
    }
}

// MARK: - Requests to services other than S3

extension Signer {
    /// Verifies the signature in the `Authorization` header of a request (reference: auth, "Signatures").
    ///
    /// - Parameters:
    ///   - requests: The forms in which the client may have signed it. One in the query is refused: presigned requests are for S3.
    ///   - service: What it has to be signed for.
    ///   - acceptsMissingHash: Whether a request without the hash of its body is accepted once all else was verified. The
    ///     hash is needed last.
    init(
        of requests: [SignedRequest], for service: String, _ pools: UserPools, acceptsMissingHash: Bool = false
    ) throws(AuthenticationRefusal) {
        var refusal = AuthenticationRefusal.unknownSigner
        for request in requests {
            let signature: SignatureV4
            do throws(SignatureError) {
                signature = try SignatureV4(of: request)
                guard !signature.claim.isPresigned else { throw .multipleMechanisms }
            } catch {
                refusal = AuthenticationRefusal(error, nil, now: pools.nowSeconds)
                continue
            }
            let claim = signature.claim
            guard let signer = try? Signer(accessKeyID: claim.accessKeyID, sessionToken: claim.sessionToken, pools),
                signer.maySign(for: service)
            else { throw .unknownSigner }
            do throws(SignatureError) {
                try signature.verify(secret: signer.secret, now: pools.nowSeconds, expectedService: service)
                self = signer
                return
            } catch {
                if acceptsMissingHash, error == .missingPart(.payloadHash) {
                    self = signer
                    return
                }
                refusal = AuthenticationRefusal(error, claim, now: pools.nowSeconds)
            }
        }
        throw refusal
    }

    /// Refuses, before its body is received, a request whose signature cannot be valid: its key is unknown or expired, its service
    /// or time is wrong, or, if the request has `X-Amz-Content-SHA256`, the signature is not that of this head.
    static func checkHead(
        of requests: [SignedRequest], for service: String, _ pools: UserPools
    ) throws(AuthenticationRefusal) {
        var heads = requests
        for index in heads.indices {
            let named = heads[index].headers.first { $0.name.lowercased() == "x-amz-content-sha256" }?.value
            heads[index].bodyHash = named.flatMap { $0.utf8.count == 64 ? $0 : nil }
        }
        _ = try Signer(of: heads, for: service, pools, acceptsMissingHash: true)
    }
}
