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
                let signer = try Signer(of: credentials.signedRequests(), for: Self.service, pools)
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
        guard let key = identity.accessKeyID.flatMap(service.pools.accessKey), key.maySign(for: Self.service) else {
            return false
        }
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

    private func identity(of signer: Signer) throws(AuthenticationRefusal) -> Identity {
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
