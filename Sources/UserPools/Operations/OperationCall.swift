import Crypto
import Encodings
import JSON
import Tables

/// A call of an operation, with its input and its context.
struct OperationCall: Sendable {
    let pools: UserPools
    let input: OperationInput
    let caller: Caller

    var records: RecordStore { pools.records }
    var now: Int64 { pools.clock.milliseconds() }

    /// The client that the call is made for, and its pool.
    func client() throws(CognitoError) -> (pool: UserPool, client: UserPoolClient) {
        let id = input.required("ClientId")
        guard let client = pools.directory.client(id), let pool = pools.directory.pool(client.poolID) else {
            throw .clientDoesNotExist(id)
        }
        return (pool, client)
    }

    /// The pool that the call names.
    func pool() throws(CognitoError) -> UserPool {
        let id = input.required("UserPoolId")
        guard let pool = pools.directory.pool(id) else { throw .poolDoesNotExist(id) }
        return pool
    }

    /// Checks the proof that a client knows its secret (reference: auth, "Messages").
    func checkSecretHash(
        _ hash: String?, of names: [String], _ client: UserPoolClient, isRefresh: Bool = false
    ) throws(CognitoError) {
        guard let secret = client.secret else { return }
        guard let hash else {
            throw .notAuthorized("Client \(client.id) is configured with secret but SECRET_HASH was not received")
        }
        let isRight = names.reduce(false) { isRight, name in
            ConstantTime.isEqual(Self.secretHash(of: name, client.id, secret), hash) || isRight
        }
        guard isRight else {
            throw .notAuthorized(
                isRefresh
                    ? "SecretHash does not match for the client: \(client.id)"
                    : "Unable to verify secret hash for client \(client.id)")
        }
    }

    /// base64(HMAC-SHA256(key = client secret, data = user name + client id)).
    static func secretHash(of username: String, _ clientID: String, _ secret: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array((username + clientID).utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return Base64.encode(Array(code))
    }

    /// The user that an operation of the administration names.
    func namedUser(_ pool: UserPool) async throws(CognitoError) -> User {
        guard let user = try await pools.findUser(input.required("Username"), in: pool) else {
            throw .userDoesNotExist
        }
        return user
    }

    /// The owner of the access token in the body, whose session is alive.
    func tokenOwner() async throws(CognitoError) -> TokenOwner {
        try await pools.owner(ofAccessToken: input.required("AccessToken"), needing: UserPoolClient.adminScope)
    }
}
