/// Collects the fields of an operation, one object type at a time, whatever the variables: what depends on one is kept as
/// a condition. One collector serves a whole operation, and its bound is the operation's.
public struct FieldCollector: Sendable {
    /// The operation whose fields are collected.
    public let operation: Operation
    /// How many selections may still be looked at. Fragments are looked at wherever they are spread, so a short text
    /// can stand for a response without end.
    public private(set) var selectionsLeft: Int

    /// Enough for any operation that people write.
    public static let selectionsMax = 50_000
    /// Inline fragments and spreads in one another, within one object.
    static let depthMax = 500

    private let fragments: NamePositions
    private let selectionsMax: Int

    /// A collector for one operation.
    public init(_ operation: Operation, selectionsMax: Int = Self.selectionsMax) {
        self.operation = operation
        self.selectionsMax = selectionsMax
        selectionsLeft = selectionsMax
        fragments = NamePositions(operation.document.fragments.map { $0.name }, in: operation.document)
    }

    /// The fields of the operation itself.
    public mutating func collectFields() throws(GraphQLError) -> [CollectedField] {
        try collectFields(of: operation.rootType, in: [ConditionalSelectionSet(operation.definition.selectionSet)])
    }

    /// The fields of a field's value, where it is an `objectType`. Spec §6.4.3 MergeSelectionSets.
    public mutating func collectSubfields(
        of field: CollectedField, as objectType: TypeID
    ) throws(GraphQLError) -> [CollectedField] {
        try collectFields(of: objectType, in: field.selectionSets)
    }

    /// Spec §6.3.2 CollectFields: by response key, in the order of first occurrence.
    public mutating func collectFields(
        of objectType: TypeID, in selectionSets: [ConditionalSelectionSet]
    ) throws(GraphQLError) -> [CollectedField] {
        var collection = Collection(objectType: objectType)
        for set in selectionSets { try collect(set.selections, set.conditions, into: &collection) }
        // Where all places depend on the same conditions, the field's own inclusion has tested them already.
        for position in collection.fields.indices where !collection.fields[position].inclusion.isAlways {
            let alternatives = collection.fields[position].inclusion.alternatives
            guard alternatives.count == 1 else { continue }
            for index in collection.fields[position].selectionSets.indices
            where collection.fields[position].selectionSets[index].conditions == alternatives[0] {
                collection.fields[position].selectionSets[index].conditions = []
            }
        }
        return collection.fields
    }

    private struct Collection {
        let objectType: TypeID
        var fields: [CollectedField] = []
        /// Where each key is. Kept only for objects with so many that a search would be quadratic.
        private var positions: [String: Int] = [:]
        private static let searchedCountMax = 16
        /// Per fragment, the conditions it has been looked at under. Looking again under stricter ones adds nothing.
        var visited: [Int: Inclusion] = [:]
        var depth = 0

        init(objectType: TypeID) { self.objectType = objectType }

        func position(of key: String) -> Int? {
            positions.isEmpty ? fields.firstIndex { $0.responseKey == key } : positions[key]
        }

        mutating func append(_ field: CollectedField) {
            fields.append(field)
            if !positions.isEmpty {
                positions[field.responseKey] = fields.count - 1
            } else if fields.count > Self.searchedCountMax {
                positions = Dictionary(uniqueKeysWithValues: zip(fields.lazy.map(\.responseKey), fields.indices))
            }
        }
    }

    private func tooComplex(_ what: String) -> GraphQLError {
        GraphQLError("Query complexity limit exceeded: more than \(what).")
    }

    private mutating func collect(
        _ selections: NodeRange<Selection>, _ conditions: [Condition], into collection: inout Collection
    ) throws(GraphQLError) {
        collection.depth += 1
        defer { collection.depth -= 1 }
        guard collection.depth <= Self.depthMax else { throw tooComplex("\(Self.depthMax) fragments in one another") }
        let document = operation.document
        for selection in document[selections] {
            selectionsLeft -= 1
            guard selectionsLeft >= 0 else {
                throw tooComplex("\(selectionsMax) selections once its fragments are spread")
            }
            guard let conditions = self.conditions(of: selection.directives, adding: conditions) else { continue }
            switch selection {
            case .field(let field): add(field, conditions, to: &collection)
            case .inlineFragment(let fragment):
                if let condition = fragment.typeCondition {
                    guard applies(condition, to: collection.objectType) else { continue }
                }
                try collect(fragment.selectionSet, conditions, into: &collection)
            case .fragmentSpread(let spread):
                guard let position = fragments.position(of: spread.name, in: document),
                    applies(document.fragments[position].typeCondition, to: collection.objectType)
                else { continue }
                if let visited = collection.visited[position] {
                    var union = visited
                    union.formUnion(conditions)
                    guard union != visited else { continue }
                    collection.visited[position] = union
                } else {
                    collection.visited[position] = Inclusion(alternatives: [conditions])
                }
                try collect(document.fragments[position].selectionSet, conditions, into: &collection)
            }
        }
    }

    private func add(_ field: Field, _ conditions: [Condition], to collection: inout Collection) {
        let index = operation.schema.index
        guard
            let reference = index.field(
                named: field.name, of: collection.objectType, in: operation.document, allowsIntrospection: true)?
                .reference
        else { preconditionFailure("validation has found every field") }
        let key =
            field.alias.map(operation.document.name)
            ?? operation.schema.definition(of: reference, in: collection.objectType).name
        let selectionSet = field.selectionSet.map { [ConditionalSelectionSet($0, conditions: conditions)] } ?? []
        if let position = collection.position(of: key) {
            collection.fields[position].inclusion.formUnion(conditions)
            collection.fields[position].selectionSets += selectionSet
            return
        }
        collection.append(
            CollectedField(
                responseKey: key, parentType: collection.objectType, reference: reference, node: field,
                inclusion: conditions.isEmpty ? .always : Inclusion(alternatives: [conditions]),
                selectionSets: selectionSet))
    }

    /// Spec §6.3.2 DoesFragmentTypeApply.
    private func applies(_ condition: Name, to objectType: TypeID) -> Bool {
        let schema = operation.schema
        let type = schema.index.type(named: condition, in: operation.document)
        return type.map { schema.isPossible(objectType, of: $0) } ?? false
    }

    /// Conditions with those of `@skip` and `@include`, each once and in order; `nil` where they can never hold.
    private func conditions(
        of directives: NodeRange<Directive>, adding conditions: [Condition]
    ) -> [Condition]? {
        guard !directives.isEmpty else { return conditions }
        let document = operation.document
        var conditions = conditions
        for directive in document[directives] {
            let isInclude = document.isName(directive.name, "include")
            guard isInclude || document.isName(directive.name, "skip") else { continue }
            guard let argument = document[directive.arguments].first(where: { document.isName($0.name, "if") }) else {
                preconditionFailure("validation has found the argument of @skip and @include")
            }
            switch argument.value.kind {
            case .boolean(let value): if value != isInclude { return nil }
            case .variable(let name):
                guard let variable = operation.variables.position(of: document.name(name)) else {
                    preconditionFailure("validation has found every variable")
                }
                if conditions.contains(Condition(variable: variable, value: !isInclude)) { return nil }
                let condition = Condition(variable: variable, value: isInclude)
                if !conditions.contains(condition) { conditions.append(condition) }
            default: preconditionFailure("validation lets `if` be a Boolean only")
            }
        }
        conditions.sort { ($0.variable, $0.value ? 1 : 0) < ($1.variable, $1.value ? 1 : 0) }
        return conditions
    }
}
