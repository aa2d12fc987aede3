import GraphQL

/// How a value inside JSON text is completed.
indirect enum JSONShape: Sendable {
    /// A scalar or an enum.
    case leaf(TypeID)
    case list(JSONShape, isNonNull: Bool, elementTypeName: String)
    /// By the name of the object type; more than one for an interface or union.
    case object([String: [PlannedField]])

    /// Levels of a stored value: at least as many as a document or variables may nest.
    static let storedDepthMax = 256
}
