/// Whom the credentials of an operator's request name.
struct OperatorIdentity: Sendable {
    let name: String
    let role: OperatorRole
}
