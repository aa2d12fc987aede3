/// What statements select, and what they refer to.
public struct StatementOptions: Sendable, Hashable {
    /// The levels of composite types below a root field: the type of the root field is the first. Within
    /// `CodegenLimits.depthRange`.
    public var maxDepth = CodegenLimits.depthDefault
    /// The module of the types, as TypeScript imports it, such as `../API`; without it statements have no types.
    public var typesModule: String?

    /// The options by their values.
    public init(maxDepth: Int = CodegenLimits.depthDefault, typesModule: String? = nil) {
        self.maxDepth = maxDepth
        self.typesModule = typesModule
    }
}
