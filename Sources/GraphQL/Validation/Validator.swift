/// One walk over a document: where it is, and what it has found.
///
/// Fragments are walked before operations, so that an operation knows the variables of what it spreads; what each
/// definition is charged with is kept apart and put in the order of the text at the end.
struct Validator: ~Copyable {
    let document: Document
    let schema: Schema
    let index: SchemaIndex
    let allowsIntrospection: Bool

    /// The fragments by their names.
    let fragmentPositions: NamePositions
    /// What fragments use, by their positions.
    var fragmentUses: [FragmentUses]
    /// The kinds of those uses.
    var useKinds = VariableUseKinds()
    /// The fragments that operations spread.
    var spreadFragments = BitSet()
    /// What fragments put at the root of a subscription, once one has asked.
    var fragmentRootFields: FragmentRootFields?
    /// Which fragment spreads which.
    let fragmentGraph: FragmentGraph

    /// Field names from the definition's root to the node that is looked at.
    var path: [Name] = []
    /// The variables of the operation that is walked; none inside fragments.
    var scope = VariableScope()
    /// The fragment that is walked; `nil` inside operations.
    var currentFragment: Int?
    /// What has been compared for conflicts so far.
    var overlap: OverlappingFields

    /// Selections and uses of variables looked at beside the one walk, once per fragment instead of once per operation;
    /// tests bound it.
    var visits = 0

    private var errors: [GraphQLError] = []
    private var errorCount = 0
    private var messageBytes = 0

    init(_ document: Document, _ schema: Schema, allowsIntrospection: Bool) {
        self.document = document
        self.schema = schema
        index = schema.index
        self.allowsIntrospection = allowsIntrospection
        let fragmentPositions = NamePositions(document.fragments.map(\.name), in: document)
        self.fragmentPositions = fragmentPositions
        fragmentUses = document.fragments.map { _ in FragmentUses() }
        fragmentGraph = FragmentGraph(of: document, fragmentPositions)
        overlap = OverlappingFields(of: document, fragmentPositions, index)
        path.reserveCapacity(16)
    }

    mutating func validate() -> [GraphQLError] {
        var found: [(offset: UInt32, errors: [GraphQLError])] = []
        guard fragmentGraph.depth <= Validate.fragmentDepthMax else {
            report(.tooComplex("Fragments are nested more than \(Validate.fragmentDepthMax) deep."), at: [])
            return errors
        }
        for position in document.fragments.indices {
            validateFragment(at: position)
            takeErrors(of: document.fragments[position].offset, into: &found)
        }
        spreadUseKinds()
        for position in document.operations.indices {
            validateOperation(at: position)
            takeErrors(of: document.operations[position].offset, into: &found)
        }
        for definition in document.nonExecutableDefinitions {
            validate(definition)
            takeErrors(of: definition.offset, into: &found)
        }
        found.sort { $0.offset < $1.offset }
        reportUnusedFragments()
        return Array((found.flatMap(\.errors) + errors).prefix(Validate.errorsMax))
    }

    /// Puts the errors of the definition that begins there aside.
    private mutating func takeErrors(of offset: UInt32, into found: inout [(offset: UInt32, errors: [GraphQLError])]) {
        guard !errors.isEmpty else { return }
        found.append((offset, errors))
        errors = []
    }

    /// Whether enough has been found to stop looking.
    var isFull: Bool { errorCount >= Validate.errorsMax || messageBytes >= Validate.messageBytesMax }

    mutating func report(_ violation: Violation, at offset: UInt32) { report(violation, at: [offset], path: path) }

    mutating func report(_ violation: Violation, at offsets: [UInt32]) { report(violation, at: offsets, path: path) }

    mutating func report(_ violation: Violation, at offsets: [UInt32], path: [Name]) {
        guard !isFull else { return }
        let message = violation.message(path: path.map(document.name))
        errorCount += 1
        messageBytes += message.utf8.count
        errors.append(GraphQLError(message, locations: offsets.map(document.location)))
    }

    /// Reports each name that stands there already.
    mutating func validateUniqueness(
        of names: some RandomAccessCollection<Name>, _ violation: (String) -> Violation
    ) {
        guard Difference.duplicateName.isRefused else { return }
        let repeated = document.repeated(names)
        guard !repeated.isEmpty else { return }
        for (position, name) in names.enumerated() where repeated.contains(position) {
            report(violation(document.name(name)), at: name.start)
        }
    }
}
