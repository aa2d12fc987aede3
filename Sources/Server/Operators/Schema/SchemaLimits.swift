/// All bounds of calls about the schema, each with its unit at the end of its name; `SchemaEditLimits` has those of its text.
enum SchemaLimits {
    /// The body of a request: a schema and what it began from, as JSON.
    static let requestBytesMax = 12 << 20
    /// The texts of a schema whose last transform is kept, in bytes; what is made of a larger one would hold too much memory.
    static let keptTransformBytesMax = 256 << 10
    /// Types and extensions of a schema that is checked for an operator, in number.
    static let checkedDefinitionsMax = 4_000
    /// Its fields and values of enums, in number.
    static let checkedMembersMax = 50_000
    /// Its rules, in number.
    static let checkedRulesMax = 4_000
    /// The rules of each of its types times the fields of the type, in number.
    static let checkedRuledMembersMax = 1_000_000
    /// Renames of a draft or a plan, in number.
    static let renamesMax = 1_000
    /// Steps of a plan that are to be accepted, in number.
    static let planStepsMax = 20_000
    /// Deployments that are kept, in number.
    static let deploymentsMax = 100
    /// The last deployments among which the one is found that another undoes, in number.
    static let undoneDeploymentsMax = 20
    /// Copies of the data from before deployments that lose some, in number.
    static let backupsMax = 3
    /// Types of which the diagram's positions are kept, in number.
    static let positionsMax = 1_000
    /// A coordinate of the diagram, to either side of 0, in pixels.
    static let coordinateMax = 1_000_000.0
    /// Drafts that are kept, one for each operator, in number.
    static let draftsMax = 100
}
