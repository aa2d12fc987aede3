/// The input of a sign-up.
struct Registration: Sendable {
    var username: String
    var password: String?
    var attributes: [Attribute]
    var validationData: [String: String]
    var metadata: [String: String]
}
