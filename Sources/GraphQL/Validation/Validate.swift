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

/// One walk over a document: where it is, and what it has found.
///
/// Fragments are walked before operations, so that an operation knows the variables of what it spreads; what each
/// definition is charged with is kept apart and put in the order of the text at the end.
struct Validator {
    let document: Document
    let schema: Schema
    let allowsIntrospection: Bool

    /// The first fragment of each name, by its position in the document.
    let fragmentPositions: [String: Int]
    /// What fragments use, by their positions.
    var fragmentUses: [FragmentUses]
    /// The kinds of those uses.
    var useKinds = VariableUseKinds()
    /// What fragments put at the root of a subscription, once one has asked.
    var fragmentRootFields: FragmentRootFields?
    /// Which fragment spreads which.
    private(set) var fragmentGraph = FragmentGraph(edges: [])

    /// Field names from the definition's root to the node that is looked at.
    var path: [String] = []
    /// The variables of the operation that is walked; `nil` inside fragments.
    var scope: VariableScope?
    /// The fragment that is walked; `nil` inside operations.
    var currentFragment: Int?
    /// What has been compared for conflicts so far.
    var overlap: OverlappingFields

    /// Selections and uses of variables looked at beside the one walk, once per fragment instead of once per operation;
    /// tests bound it.
    var visits = 0

    private(set) var errors: [GraphQLError] = []
    private var errorCount = 0
    private var messageBytes = 0

    init(_ document: Document, _ schema: Schema, allowsIntrospection: Bool) {
        self.document = document
        self.schema = schema
        self.allowsIntrospection = allowsIntrospection
        fragmentPositions = Dictionary(
            document.fragments.enumerated().map { (document.name($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        fragmentUses = document.fragments.map { _ in FragmentUses() }
        overlap = OverlappingFields(of: document, schema)
        fragmentGraph = FragmentGraph(
            edges: document.fragments.map { Array(Set(directSpreads(in: $0.selectionSet))) })
    }

    mutating func validate() -> [GraphQLError] {
        var found: [(offset: UInt32, errors: [GraphQLError])] = []
        guard fragmentGraph.depth <= Validate.fragmentDepthMax else {
            report(.tooComplex("Fragments are nested more than \(Validate.fragmentDepthMax) deep."), at: [])
            return errors
        }
        for position in document.fragments.indices {
            validateFragment(at: position)
            found.append((document.fragments[position].offset, takeErrors()))
        }
        spreadUseKinds()
        for position in document.operations.indices {
            validateOperation(at: position)
            found.append((document.operations[position].offset, takeErrors()))
        }
        for definition in document.nonExecutableDefinitions {
            validate(definition)
            found.append((definition.offset, takeErrors()))
        }
        found.sort { $0.offset < $1.offset }
        reportUnusedFragments()
        return Array((found.flatMap(\.errors) + errors).prefix(Validate.errorsMax))
    }

    private mutating func takeErrors() -> [GraphQLError] {
        defer { errors = [] }
        return errors
    }

    /// Whether enough has been found to stop looking.
    var isFull: Bool { errorCount >= Validate.errorsMax || messageBytes >= Validate.messageBytesMax }

    mutating func report(_ violation: Violation, at offset: UInt32, isOnPath: Bool = true) {
        report(violation, at: [offset], path: isOnPath ? path : [])
    }

    mutating func report(_ violation: Violation, at offsets: [UInt32]) {
        report(violation, at: offsets, path: path)
    }

    mutating func report(_ violation: Violation, at offsets: [UInt32], path: [String]) {
        guard !isFull else { return }
        let message = violation.message(path: path)
        errorCount += 1
        messageBytes += message.utf8.count
        errors.append(GraphQLError(message, locations: offsets.map(document.location)))
    }

    /// Reports each name that stands there already.
    mutating func validateUniqueness(
        of names: some Sequence<Name>, _ violation: (String) -> Violation
    ) {
        guard Difference.duplicateName.isRefused else { return }
        var seen: Set<String> = []
        for name in names where !seen.insert(document.name(name)).inserted {
            report(violation(document.name(name)), at: name.start)
        }
    }
}
