/// Why a message could not be handed over.
struct MailError: Error, Sendable, Hashable {
    /// What went wrong, as a sentence without secrets.
    var message: String
    /// Whether another attempt makes sense.
    var isTemporary: Bool
}
