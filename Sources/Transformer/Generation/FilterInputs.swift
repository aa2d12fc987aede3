import GraphQL

/// The inputs of filters and conditions, and those of key conditions
/// (reference: transformer, "Filter and condition inputs") (reference: transformer, "Operand inputs").
enum FilterInputs {
    /// In the order they are generated, all of them even if unused.
    static let bases = ["String", "ID", "Int", "Float", "Boolean"]

    /// The filter of a scalar: its operators in the order of the field list, each operand of the base type.
    static func operandInput(_ base: String) -> InputObjectTypeDefinition {
        var fields = (base == "Boolean" ? ["ne", "eq"] : comparisons).map { input($0, base) }
        if base == "String" || base == "ID" { fields += ["contains", "notContains"].map { input($0, base) } }
        if base != "Boolean" { fields.append(list("between", base)) }
        if base == "String" || base == "ID" { fields.append(input("beginsWith", base)) }
        fields.append(input("attributeExists", "Boolean"))
        fields.append(input("attributeType", Names.attributeTypes))
        if base == "String" || base == "ID" { fields.append(input("size", Names.sizeInput)) }
        return InputObjectTypeDefinition(name: Names.operandInput(base), fields: fields)
    }

    /// The filter of a scalar in subscriptions, without the operators that look at the stored attribute (version 2).
    static func subscriptionOperandInput(_ base: String) -> InputObjectTypeDefinition {
        var fields = (base == "Boolean" ? ["ne", "eq"] : comparisons).map { input($0, base) }
        if base == "String" || base == "ID" { fields += ["contains", "notContains"].map { input($0, base) } }
        if base != "Boolean" { fields.append(list("between", base)) }
        if base == "String" || base == "ID" { fields.append(input("beginsWith", base)) }
        if base != "Boolean" { fields += ["in", "notIn"].map { list($0, base) } }
        return InputObjectTypeDefinition(name: Names.subscriptionOperandInput(base), fields: fields)
    }

    static let sizeInput = InputObjectTypeDefinition(
        name: Names.sizeInput, fields: comparisons.map { input($0, "Int") } + [list("between", "Int")])

    /// The filter of an enum; note that `eq` comes before `ne` here.
    static func enumInput(_ name: String) -> InputObjectTypeDefinition {
        InputObjectTypeDefinition(name: Names.operandInput(name), fields: [input("eq", name), input("ne", name)])
    }

    static func enumListInput(_ name: String) -> InputObjectTypeDefinition {
        InputObjectTypeDefinition(
            name: Names.enumListInput(name),
            fields: [list("eq", name), list("ne", name), input("contains", name), input("notContains", name)])
    }

    static let attributeTypes = EnumTypeDefinition(
        name: Names.attributeTypes,
        values: ["binary", "binarySet", "bool", "list", "map", "number", "numberSet", "string", "stringSet", "_null"]
            .map { EnumValueDefinition(name: $0) })

    static let sortDirection = EnumTypeDefinition(
        name: Names.sortDirection, values: ["ASC", "DESC"].map { EnumValueDefinition(name: $0) })

    /// The condition on a simple sort key.
    static func keyConditionInput(_ base: String) -> InputObjectTypeDefinition {
        keyCondition(Names.keyConditionInput(base), operand: base, isText: base == "String" || base == "ID")
    }

    /// A key condition: the operators a Query takes, with one operand type.
    static func keyCondition(_ name: String, operand: String, isText: Bool) -> InputObjectTypeDefinition {
        var fields = ["eq", "le", "lt", "ge", "gt"].map { input($0, operand) } + [list("between", operand)]
        if isText { fields.append(input("beginsWith", operand)) }
        return InputObjectTypeDefinition(name: name, fields: fields)
    }

    private static let comparisons = ["ne", "eq", "le", "lt", "ge", "gt"]

    private static func input(_ name: String, _ type: String) -> InputValueDefinition {
        InputValueDefinition(name: name, type: .named(type))
    }

    private static func list(_ name: String, _ type: String) -> InputValueDefinition {
        InputValueDefinition(name: name, type: .list(.named(type)))
    }
}

extension TransformContext {
    /// Everything a list query or connection of a model needs, in the order in which it is appended.
    mutating func addFilterInput(for type: ObjectTypeDefinition) {
        guard !conventions.generatesOperandInputsFirst else { return addFilterInputVersionTwo(for: type) }
        addOperandInputs(for: type)
        addIfMissing(.inputObject(fieldsInput(Names.filterInput(type.name), of: type)))
        addIfMissing(.enumeration(FilterInputs.attributeTypes))
    }

    /// The condition of a model's mutations, with what it needs.
    mutating func addConditionInput(for type: ObjectTypeDefinition) {
        addOperandInputs(for: type)
        addIfMissing(.inputObject(fieldsInput(Names.conditionInput(type.name), of: type)))
        addIfMissing(.enumeration(FilterInputs.attributeTypes))
    }

    mutating func addSortDirection() { addIfMissing(.enumeration(FilterInputs.sortDirection)) }

    /// The page type: `type ModelPostConnection { items: [Post]! nextToken: String }`, with the time a sync started if
    /// the model has versions.
    mutating func addConnectionType(for model: String) {
        let name = connectionName(model)
        guard !has(name) else { return }
        var fields = [
            FieldDefinition(name: "items", type: .nonNull(.list(.named(model)))),
            FieldDefinition(name: "nextToken", type: .named("String")),
        ]
        if isVersioned(model) { fields.append(FieldDefinition(name: "startedAt", type: .named("AWSTimestamp"))) }
        addIfMissing(.object(ObjectTypeDefinition(name: name, fields: fields)))
    }

    /// The key condition of a simple sort key of this type.
    mutating func addKeyConditionInput(for type: String) {
        let base = base(of: type)
        guard !has(Names.keyConditionInput(base)) else { return }
        addIfMissing(.inputObject(FilterInputs.keyConditionInput(base)))
    }

    private mutating func addOperandInputs(for type: ObjectTypeDefinition) {
        for base in FilterInputs.bases { addIfMissing(.inputObject(FilterInputs.operandInput(base))) }
        addIfMissing(.inputObject(FilterInputs.sizeInput))
        for field in type.fields where isEnumeration(field.type.namedType) {
            let name = field.type.namedType
            addIfMissing(
                .inputObject(field.type.isList ? FilterInputs.enumListInput(name) : FilterInputs.enumInput(name)))
        }
    }

    /// One entry per declared scalar or enum field, then `and`, `or`, `not`. Made of the author's declaration: what is
    /// generated later (an `id`, timestamps, foreign keys) cannot be filtered.
    private func fieldsInput(_ name: String, of type: ObjectTypeDefinition) -> InputObjectTypeDefinition {
        var fields = type.fields.compactMap { field -> InputValueDefinition? in
            let typeName = field.type.namedType
            let operand =
                if isEnumeration(typeName) {
                    field.type.isList ? Names.enumListInput(typeName) : Names.operandInput(typeName)
                } else {
                    ScalarMapping[typeName].map { Names.operandInput($0.base) }
                }
            return operand.map { InputValueDefinition(name: field.name, type: .named($0)) }
        }
        for entry in ["and", "or"] { fields.append(InputValueDefinition(name: entry, type: .list(.named(name)))) }
        fields.append(InputValueDefinition(name: "not", type: .named(name)))
        return InputObjectTypeDefinition(name: name, fields: fields)
    }
}
