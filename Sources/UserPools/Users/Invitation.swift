/// The input to create a user as an operator.
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
