import API
import AWSSignature
import JSON
import UserPools

/// The mode `AWS_IAM`: a caller whose request is signed by temporary credentials of an identity pool or by a configured access
/// key (reference: authorization, "Signed requests").
struct SignatureMode: AuthenticationMode {
    /// As signatures name it.
    private static let service = "appsync"

    private let service: UserPoolService
    private let identityPoolID: String?
    private let adminRoles: [String]

    /// - Parameters:
    ///   - identityPoolID: The pool whose identities are accepted; nil for all pools of the server.
    ///   - adminRoles: Parts of the names of callers that have access to all models with rules.
    init(service: UserPoolService, identityPoolID: String?, adminRoles: [String]) {
        (self.service, self.identityPoolID, self.adminRoles) = (service, identityPoolID, adminRoles)
    }

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        guard let authorization = credentials.authorization, authorization.starts(with: Authenticator.signature) else {
            return nil
        }
        let pending = PendingAuthentication()
        let mode = self
        let isAccepted = service.runVerification(for: credentials.network, deciding: pending) { pools in
            do throws(AuthenticationRefusal) {
                let signer = try SignedCaller.signer(of: credentials.signedRequests(), for: Self.service, pools)
                pending.decide(.identity(try mode.identity(of: signer)))
            } catch {
                pending.decide(.refused(error))
            }
        }
        return isAccepted ? .pending(pending) : .throttled
    }

    /// What signed an operation: an identity, and of an access key a hash of its secret.
    struct Origin: Sendable, Hashable {
        let identity: Identity
        fileprivate let secretHash: Int?
    }

    func origin(of identity: Identity) -> Origin {
        let key = identity.accessKeyID.flatMap(service.pools.accessKey)
        return Origin(identity: identity, secretHash: key.map(Self.secretHash))
    }

    /// Whether requests with this origin are accepted, as the same caller: an access key with the secret, the ARN, the role and
    /// the resources that it had.
    func accepts(_ origin: Origin) -> Bool {
        let identity = origin.identity
        if let pool = identity.identityPoolID { return identityPoolID == nil || identityPoolID == pool }
        guard let key = identity.accessKeyID.flatMap(service.pools.accessKey), SignedCaller.mayCall(Self.service, key)
        else { return false }
        return origin.secretHash == Self.secretHash(key) && self.identity(of: key) == identity
    }

    /// Whether a caller has access to all models with rules: its ARN contains one of the names.
    static func isAdmin(_ userARN: String, _ adminRoles: [String]) -> Bool {
        adminRoles.contains { userARN.utf8.contains($0.utf8) }
    }

    private static func secretHash(_ key: AccessKey) -> Int { Array(key.secret.utf8).hashValue }

    private func identity(of key: AccessKey) -> Identity {
        .iam(
            user: key.userARN, poolRole: nil, isAdmin: Self.isAdmin(key.userARN, adminRoles),
            resources: key.resources,
            context: ["accountId": .string(key.accountID), "username": .string(key.id)])
    }

    private func identity(of signer: SignedCaller.Signer) throws(AuthenticationRefusal) -> Identity {
        switch signer {
        case .accessKey(let key): return self.identity(of: key)
        case .temporary(let credentials):
            var context: JSONObject = ["accountId": .string(TemporaryIdentity.accountID)]
            let identity = credentials.identity
            guard identityPoolID == nil || identityPoolID == identity.poolID else { throw .unknownSigner }
            context["cognitoIdentityPoolId"] = .string(identity.poolID)
            context["cognitoIdentityId"] = .string(identity.identityID)
            context["cognitoIdentityAuthType"] = identity.isAuthenticated ? "authenticated" : "unauthenticated"
            context["cognitoIdentityAuthProvider"] = identity.authenticationProvider.map(JSONValue.string)
            context["username"] = "AROASYNCLINE:CognitoIdentityCredentials"
            return .iam(
                user: identity.userARN, poolRole: identity.isAuthenticated ? .authenticated : .unauthenticated,
                context: context)
        }
    }
}

extension SignedCaller {
    /// Who signed a request for a service that was signed in one of these forms.
    ///
    /// - Parameter acceptsMissingHash: Whether a request without the hash of its body is accepted once all else was verified. The
    ///   hash is needed last.
    static func signer(
        of requests: [SignedRequest], for service: String, _ pools: UserPools, acceptsMissingHash: Bool = false
    ) throws(AuthenticationRefusal) -> Signer {
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
            guard let (signer, secret) = signer(signature.claim, for: service, pools) else { throw .unknownSigner }
            do throws(SignatureError) {
                try signature.verify(secret: secret, now: pools.nowSeconds, expectedService: service)
                return signer
            } catch {
                if acceptsMissingHash, error == .missingPart(.payloadHash) { return signer }
                refusal = AuthenticationRefusal(error, signature.claim, now: pools.nowSeconds)
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
        _ = try signer(of: heads, for: service, pools, acceptsMissingHash: true)
    }

    /// Whose keys are claimed, and the secret that proves it; nil of unknown keys and of those that have ended.
    private static func signer(
        _ claim: SignatureClaim, for service: String, _ pools: UserPools
    ) -> (Signer, secret: String)? {
        if let token = claim.sessionToken {
            return pools.temporaryCredentials(accessKeyID: claim.accessKeyID, sessionToken: token)
                .map { (.temporary($0), $0.secretKey) }
        }
        guard let key = pools.accessKey(claim.accessKeyID), mayCall(service, key) else { return nil }
        return (.accessKey(key), key.secret)
    }

    /// Whether a service is one of those of an access key.
    static func mayCall(_ service: String, _ key: AccessKey) -> Bool { key.services?.contains(service) ?? true }
}

extension AuthenticationRefusal {
    fileprivate static let unknownSigner = AuthenticationRefusal(
        status: 403, errorType: "UnrecognizedClientException",
        message: "The security token included in the request is invalid.")

    /// In AWS's words (reference: appsync-protocol, "Status codes and error bodies").
    fileprivate init(_ error: SignatureError, _ claim: SignatureClaim?, now: Int64) {
        switch error {
        case .skewed, .expired, .notYetValid:
            let date = SigningDate(secondsSince1970: now)
            let limit = SignatureLimits.skewSecondsMax
            let bound = SigningDate(secondsSince1970: now - limit)
            self.init(
                status: 403, errorType: "InvalidSignatureException",
                message: "Signature expired: \(claim?.date.text ?? "it") is now earlier than \(bound.text) "
                    + "(\(date.text) - \(limit / 60) min.)")
            if let claim, claim.date.secondsSince1970 > now {
                message =
                    "Signature not yet current: \(claim.date.text) is still later than "
                    + "\(SigningDate(secondsSince1970: now + limit).text) (\(date.text) + \(limit / 60) min.)"
            }
        case .wrongService, .wrongRegion, .dayMismatch, .signatureMismatch, .payloadHashMismatch, .signedHeaderMissing,
            .headersNotSigned:
            self.init(
                status: 403, errorType: "InvalidSignatureException",
                message:
                    "The request signature we calculated does not match the signature you provided. Check your AWS "
                    + "Secret Access Key and signing method. Consult the service documentation for details.")
        case .missingPart(let part):
            self.init(
                status: 400, errorType: "IncompleteSignatureException",
                message: "Authorization header requires '\(part)' parameter.")
        default:
            self.init(
                status: 400, errorType: "IncompleteSignatureException",
                message: "The Authorization header is not a signature of AWS Signature Version 4.")
        }
    }
}
