/// What an operator gives to make a user.
struct Invitation: Sendable {
    var username: String
    var attributes: [Attribute]
    var temporaryPassword: String?
    /// `RESEND`, `SUPPRESS` or neither.
    var messageAction: String?
    /// `EMAIL`, `SMS`; empty for the default, which is SMS.
    var mediums: [String] = []
    var takesOver = false
    var validationData: [String: String] = [:]
    var metadata: [String: String] = [:]
}
