/// Validation of executable documents. Spec §5; one file per section of the chapter, `Violation` has the words.
public enum Validate {
    /// More errors than these are not collected.
    public static let errorsMax = 100
    /// Nor more text than this, for a path repeats the names above it.
    static let messageBytesMax = 1_000_000
    /// Fragments in one another; people nest a handful.
    static let fragmentDepthMax = 100
    /// Pairs of fields that are compared for conflicts; each costs a fraction of a microsecond.
    static let comparisonsMax = 200_000

    /// All errors of a document, in the order of its text; none means that it may be executed.
    ///
    /// - Parameter allowsIntrospection: Where it is off, `__schema` and `__type` are undefined fields.
    public static func validate(
        _ document: Document, _ schema: Schema, allowsIntrospection: Bool = true
    ) -> [GraphQLError] {
        var validator = Validator(document, schema, allowsIntrospection: allowsIntrospection)
        return validator.validate()
    }
}
