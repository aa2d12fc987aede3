public import JSON

/// `__schema` or `__type(name:)` with all that is selected of it, ready to be written for any request. Spec §4.2.
///
/// The schema is never turned into a value: each selection is written from the `Schema` itself.
public struct IntrospectionPlan: Sendable {
    private let root: Node

    /// Collects what a root field selects, down to its leaves.
    ///
    /// - Parameter field: One whose `reference` is `.schema` or `.type`.
    public init(_ field: CollectedField, _ collector: inout FieldCollector) throws(GraphQLError) {
        root = try Node(field, &collector)
    }

    /// About how many bytes of memory the plan takes.
    public var byteCount: Int { root.byteCount }

    /// Writes the value of the root field; its key is the caller's.
    ///
    /// Types refer to each other in circles, so a short query can ask for very much; hence the bound.
    public func write(
        of schema: Schema, _ variables: VariableValues, into writer: inout JSONWriter, bytesMax: Int = 16_000_000
    ) throws(GraphQLError) {
        let writing = Writing(schema: schema, variables: variables, bytesMax: writer.count + bytesMax)
        if root.name == .schemaRoot { return try writing.write(.schema, root.selections, into: &writer) }
        guard case .string(let name) = try root.arguments.coerceArgumentValues(variables)["name"],
            let type = schema.type(named: name)
        else { return writer.writeNull() }
        try writing.write(.type(.named(type)), root.selections, into: &writer)
    }
}

/// A field of introspection and what is selected of it.
private struct Node: Sendable {
    /// Every field that the types of introspection have.
    enum Name: String {
        case schemaRoot = "__schema"
        case typeRoot = "__type"
        case typename = "__typename"
        case args, defaultValue, deprecationReason, description, directives, enumValues, fields, inputFields,
            interfaces,
            isDeprecated, isOneOf, isRepeatable, kind, locations, mutationType, name, ofType, possibleTypes, queryType,
            specifiedByURL, subscriptionType, type, types
    }

    let name: Name
    let typename: String
    /// The response key as JSON, with its colon.
    let key: [UInt8]
    let arguments: ArgumentTemplate
    let inclusion: Inclusion
    let selections: [Node]

    init(_ field: CollectedField, _ collector: inout FieldCollector) throws(GraphQLError) {
        let operation = collector.operation
        let definition = operation.schema.definition(of: field.reference, in: field.parentType)
        guard let name = Name(rawValue: definition.name) else {
            preconditionFailure("introspection has fields of its own only")
        }
        self.name = name
        typename = operation.schema[field.parentType].name
        var writer = JSONWriter(capacity: field.responseKey.utf8.count + 3)
        writer.writeString(field.responseKey)
        writer.append(UInt8(ascii: ":"))
        key = writer.bytes
        arguments = ArgumentTemplate(definition.arguments, field.node.arguments, in: operation)
        inclusion = field.inclusion
        var selections: [Node] = []
        if !field.selectionSets.isEmpty {
            for subfield in try collector.collectSubfields(of: field, as: definition.type.namedType) {
                selections.append(try Node(subfield, &collector))
            }
        }
        self.selections = selections
    }

    var byteCount: Int {
        var count = MemoryLayout<Node>.stride + 32 + key.count + arguments.byteCount + inclusion.byteCount + 32
        for selection in selections { count += selection.byteCount }
        return count
    }
}

/// A part of a schema, as introspection shows it.
private enum Part {
    case schema
    case type(GraphQLType)
    case field(FieldType)
    case input(InputField)
    case enumValue(EnumValue)
    case directive(DirectiveType)
}

private struct Writing {
    let schema: Schema
    let variables: VariableValues
    let bytesMax: Int

    func write(_ part: Part, _ selections: [Node], into writer: inout JSONWriter) throws(GraphQLError) {
        guard writer.count <= bytesMax else {
            throw GraphQLError("The result of introspection is too large.")
        }
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        for node in selections where node.inclusion.isAlways || node.inclusion.holds(variables) {
            if !isFirst { writer.append(UInt8(ascii: ",")) }
            isFirst = false
            writer.append(node.key)
            if node.name == .typename {
                writer.writeString(node.typename)
                continue
            }
            switch part {
            case .schema: try writeSchema(node, into: &writer)
            case .type(let type): try write(type, node, into: &writer)
            case .field(let field): try write(field, node, into: &writer)
            case .input(let input): try write(input, node, into: &writer)
            case .enumValue(let value): write(value, node, into: &writer)
            case .directive(let directive): try write(directive, node, into: &writer)
            }
        }
        writer.append(UInt8(ascii: "}"))
    }

    private func writeSchema(_ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        switch node.name {
        case .description: write(schema.description, into: &writer)
        case .types: try write(schema.types.indices.map { .type(.named(TypeID($0))) }, node, into: &writer)
        case .queryType: try write(.type(.named(schema.queryType)), node.selections, into: &writer)
        case .mutationType: try write(schema.mutationType.map(GraphQLType.named), node, into: &writer)
        case .subscriptionType: try write(schema.subscriptionType.map(GraphQLType.named), node, into: &writer)
        case .directives: try write(schema.directives.map(Part.directive), node, into: &writer)
        default: preconditionFailure("__Schema has no other field")
        }
    }

    private func write(_ type: GraphQLType, _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        switch type {
        case .named(let id): try write(id, node, into: &writer)
        case .list(let wrapped), .nonNull(let wrapped):
            switch node.name {
            case .kind: writer.writeString(type.isNonNull ? "NON_NULL" : "LIST")
            case .ofType: try write(.type(wrapped), node.selections, into: &writer)
            default: writer.writeNull()
            }
        }
    }

    private func write(_ id: TypeID, _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        let type = schema[id]
        switch (node.name, type.kind) {
        case (.kind, let kind): writer.writeString(kind.introspectionName)
        case (.name, _): writer.writeString(type.name)
        case (.description, _): write(type.description, into: &writer)
        case (.specifiedByURL, .scalar(let scalar)): write(scalar.specifiedByURL, into: &writer)
        case (.fields, .object(let object)), (.fields, .interface(let object)):
            let fields = try visible(object.fields, \.deprecationReason, node)
            try write(fields.map(Part.field), node, into: &writer)
        case (.interfaces, .object(let object)), (.interfaces, .interface(let object)):
            try write(object.interfaces.map { .type(.named($0)) }, node, into: &writer)
        case (.possibleTypes, .interface), (.possibleTypes, .union):
            try write(schema.possibleTypes(of: id).map { .type(.named($0)) }, node, into: &writer)
        case (.enumValues, .enumeration(let values)):
            let values = try visible(values, \.deprecationReason, node)
            try write(values.map(Part.enumValue), node, into: &writer)
        case (.inputFields, .inputObject(let fields)):
            let fields = try visible(fields, \.deprecationReason, node)
            try write(fields.map(Part.input), node, into: &writer)
        case (.isOneOf, .inputObject): writer.write(false)
        default: writer.writeNull()
        }
    }

    private func write(_ field: FieldType, _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        switch node.name {
        case .name: writer.writeString(field.name)
        case .description: write(field.description, into: &writer)
        case .args:
            let arguments = try visible(field.arguments, \.deprecationReason, node)
            try write(arguments.map(Part.input), node, into: &writer)
        case .type: try write(.type(field.type), node.selections, into: &writer)
        case .isDeprecated: writer.write(field.deprecationReason != nil)
        case .deprecationReason: write(field.deprecationReason, into: &writer)
        default: preconditionFailure("__Field has no other field")
        }
    }

    private func write(_ input: InputField, _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        switch node.name {
        case .name: writer.writeString(input.name)
        case .description: write(input.description, into: &writer)
        case .type: try write(.type(input.type), node.selections, into: &writer)
        case .defaultValue: write(input.defaultValue?.description, into: &writer)
        case .isDeprecated: writer.write(input.deprecationReason != nil)
        case .deprecationReason: write(input.deprecationReason, into: &writer)
        default: preconditionFailure("__InputValue has no other field")
        }
    }

    private func write(_ value: EnumValue, _ node: Node, into writer: inout JSONWriter) {
        switch node.name {
        case .name: writer.writeString(value.name)
        case .description: write(value.description, into: &writer)
        case .isDeprecated: writer.write(value.deprecationReason != nil)
        case .deprecationReason: write(value.deprecationReason, into: &writer)
        default: preconditionFailure("__EnumValue has no other field")
        }
    }

    private func write(_ directive: DirectiveType, _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        switch node.name {
        case .name: writer.writeString(directive.name)
        case .description: write(directive.description, into: &writer)
        case .isRepeatable: writer.write(directive.isRepeatable)
        case .locations: writer.write(.array(directive.locations.map { .string($0.rawValue) }))
        case .args:
            let arguments = try visible(directive.arguments, \.deprecationReason, node)
            try write(arguments.map(Part.input), node, into: &writer)
        default: preconditionFailure("__Directive has no other field")
        }
    }

    private func write(_ text: String?, into writer: inout JSONWriter) {
        if let text { writer.writeString(text) } else { writer.writeNull() }
    }

    private func write(_ type: GraphQLType?, _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        guard let type else { return writer.writeNull() }
        try write(.type(type), node.selections, into: &writer)
    }

    private func write(_ parts: [Part], _ node: Node, into writer: inout JSONWriter) throws(GraphQLError) {
        writer.append(UInt8(ascii: "["))
        for (index, part) in parts.enumerated() {
            if index > 0 { writer.append(UInt8(ascii: ",")) }
            try write(part, node.selections, into: &writer)
        }
        writer.append(UInt8(ascii: "]"))
    }

    /// Those in use, or all of them with `includeDeprecated: true`.
    private func visible<Element>(
        _ elements: [Element], _ reason: (Element) -> String?, _ node: Node
    ) throws(GraphQLError) -> [Element] {
        if try node.arguments.coerceArgumentValues(variables)["includeDeprecated"] == .bool(true) { return elements }
        return elements.filter { reason($0) == nil }
    }
}

extension NamedType.Kind {
    fileprivate var introspectionName: String {
        switch self {
        case .scalar: "SCALAR"
        case .object: "OBJECT"
        case .interface: "INTERFACE"
        case .union: "UNION"
        case .enumeration: "ENUM"
        case .inputObject: "INPUT_OBJECT"
        }
    }
}
