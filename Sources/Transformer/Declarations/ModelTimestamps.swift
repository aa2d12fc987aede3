/// The names of the fields that are filled with the present moment; nil where switched off
/// (reference: transformer, "Timestamps").
public struct ModelTimestamps: Sendable, Hashable {
    /// What create fills.
    public var createdAt: String?
    /// What create and update fill.
    public var updatedAt: String?

    /// The names of the two fields.
    public init(createdAt: String? = "createdAt", updatedAt: String? = "updatedAt") {
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// What the fields are called where no directive says otherwise.
    static let usualNames = ["createdAt", "updatedAt"]

    /// The names of the fields that are filled.
    public var names: [String] { [createdAt, updatedAt].compactMap { $0 } }
}
