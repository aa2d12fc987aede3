/// Whom an access token belongs to.
struct TokenOwner: Sendable {
    var pool: UserPool
    var client: UserPoolClient
    var user: User
    var session: Session
    var scopes: [String]
}
