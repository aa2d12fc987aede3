import GraphQL

/// The selections of a schema's types by their depth, by Amplify's rule: leaves are always selected, a value of a composite
/// type as long as there is depth left, and each level takes one.
///
/// A selection differs from Amplify's where the latter gives a document that is not valid: fields that need an argument
/// are left out, and so are fields of a union's member that conflict with one of another member.
struct StatementSelectionBuilder {
    let schema: Schema
    /// What was left out, once each, in the order in which it was met.
    private(set) var omissions: [String] = []
    private var cache: [Key: StatementSelection] = [:]

    private struct Key: Hashable {
        let type: TypeID
        let depth: Int
    }

    init(_ schema: Schema) { self.schema = schema }

    /// The selection of a type; nil where no depth is left for it.
    mutating func selection(of type: TypeID, depth: Int) -> StatementSelection? {
        guard depth >= 1 else { return nil }
        let key = Key(type: type, depth: depth)
        if let selection = cache[key] { return selection }
        var fields = fields(of: type, depth: depth)
        fields.append(.init(field: schema.metaFields.typename, selection: nil))
        let isAbstract = schema[type].isAbstract
        let selection = StatementSelection(
            type: type, fields: fields, fragments: isAbstract ? fragments(of: type, beside: fields, depth: depth) : [],
            possibleCount: isAbstract ? schema.possibleTypes(of: type).count : 1)
        cache[key] = selection
        return selection
    }

    /// The fields of an object or interface; none of a union.
    private mutating func fields(of type: TypeID, depth: Int) -> [StatementSelection.Field] {
        var fields: [StatementSelection.Field] = []
        for field in schema[type].fields?.fields ?? [] {
            guard !field.arguments.contains(where: \.isRequired) else {
                omit("\(schema[type].name).\(field.name) is left out of statements: it requires an argument.")
                continue
            }
            let inner = field.type.namedType
            if schema[inner].isLeaf {
                fields.append(.init(field: field, selection: nil))
            } else if let selection = selection(of: inner, depth: self.depth(of: field, in: type, below: depth)) {
                fields.append(.init(field: field, selection: selection))
            }
        }
        return fields
    }

    /// What the possible types have beside the fields that are selected of each of them.
    private mutating func fragments(
        of type: TypeID, beside common: [StatementSelection.Field], depth: Int
    ) -> [StatementSelection.Fragment] {
        let commonNames = Set(common.map(\.field.name))
        // Fields of one response key have one type, whichever type the value has. Spec §5.3.2 Field Selection Merging.
        var types: [String: GraphQLType] = [:]
        var fragments: [StatementSelection.Fragment] = []
        for member in schema.possibleTypes(of: type) {
            var fields: [StatementSelection.Field] = []
            for field in self.fields(of: member, depth: depth) where !commonNames.contains(field.field.name) {
                let name = field.field.name
                guard types[name, default: field.field.type] == field.field.type else {
                    omit(
                        "\(schema[member].name).\(name) is left out of statements that select \(schema[type].name): its type "
                            + "conflicts with that of \(name) in another possible type.")
                    continue
                }
                types[name] = field.field.type
                fields.append(field)
            }
            if !fields.isEmpty { fragments.append(.init(type: member, fields: fields)) }
        }
        return fragments
    }

    /// The aggregates of a search take no depth, so that a search has them at the default depth.
    private func depth(of field: FieldType, in type: TypeID, below depth: Int) -> Int {
        let aggregate = "SearchableAggregateResult"
        let isAggregate =
            field.name == "aggregateItems" && schema[field.type.namedType].name == aggregate
            && schema[type].name != aggregate
        return isAggregate ? depth + 1 : depth - 1
    }

    private mutating func omit(_ message: String) {
        if !omissions.contains(message) { omissions.append(message) }
    }
}
