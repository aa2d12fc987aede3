import GraphQL

/// How a value inside JSON text is completed.
indirect enum JSONShape: Sendable {
    /// A scalar or an enum.
    case leaf(TypeID)
    /// An owner, whose last claim is shown.
    case owner(TypeID)
    case list(JSONShape, isNonNull: Bool, elementTypeName: String)
    /// By the name of the object type; more than one for an interface or union.
    /// - Parameter rows: What the objects are as rows, if fields in them or below are gathered.
    case object([String: [PlannedField]], rows: ObjectRows?)

    /// Whether fields below are gathered, so that the objects have to be kept as rows.
    var isGathered: Bool {
        switch self {
        case .leaf, .owner: false
        case .list(let element, _, _): element.isGathered
        case .object(_, let rows): rows != nil
        }
    }

    /// The same shape for an owner, or a list of owners, who are shown by the last claim.
    var showingLastClaim: JSONShape {
        switch self {
        case .leaf(let type): .owner(type)
        case .list(let element, let isNonNull, let elementTypeName):
            .list(element.showingLastClaim, isNonNull: isNonNull, elementTypeName: elementTypeName)
        case .owner, .object: self
        }
    }

    /// Levels of a stored value: at least as many as a document or variables may nest.
    static let storedDepthMax = 256
}
