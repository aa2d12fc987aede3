import GraphQL

/// The fields that an operation reads and writes, for explanations: a rule on a field is met only by these.
struct TouchedFields {
    private var read: Set<FieldCoordinate> = []
    private var written: Set<String> = []
    private var removed: Set<String> = []

    /// - Parameter variables: The values of the request; nil if it has none yet, and then no input is known.
    init(_ plan: Plan, _ variables: VariableValues?) {
        for root in plan.roots { add(root, variables) }
    }

    func reads(_ field: String, of type: String) -> Bool { read.contains(FieldCoordinate(type: type, field: field)) }

    /// Whether the input of a mutation has the field.
    func writes(_ field: String) -> Bool { written.contains(field) }

    /// Whether the input of a mutation sets the field to null.
    func removes(_ field: String) -> Bool { removed.contains(field) }

    private mutating func add(_ field: PlannedField, _ variables: VariableValues?) {
        read.insert(FieldCoordinate(type: field.parentName, field: field.fieldName))
        switch field.resolution {
        case .item(let item): add(item.selection.fields, variables)
        case .page(let page):
            for case (_, .items(_, let selection)) in page.parts { add(selection.fields, variables) }
        case .sync(let sync):
            for case (_, .items(_, let selection)) in sync.parts { add(selection.fields, variables) }
        case .write(let write):
            if let variables, let values = try? write.arguments.coerceArgumentValues(variables) {
                for field in values["input"]?.fields ?? [] {
                    written.insert(field.name)
                    if field.value.isNull { removed.insert(field.name) }
                }
            }
            add(write.fields, variables)
        case .json(_, let shape), .property(_, let shape): add(shape, variables)
        case .subscription(let subscription): add(subscription.shape, variables)
        case .function(let function): add(function.shape, variables)
        case .pipeline(let pipeline): add(pipeline.shape, variables)
        case .typename, .column, .introspection, .null: break
        }
    }

    private mutating func add(_ fields: [PlannedField], _ variables: VariableValues?) {
        for field in fields { add(field, variables) }
    }

    private mutating func add(_ shape: JSONShape, _ variables: VariableValues?) {
        switch shape {
        case .leaf, .owner: break
        case .list(let element, _, _): add(element, variables)
        case .object(let types, _):
            for fields in types.values { add(fields, variables) }
        }
    }
}
