/// The definitions of a schema in plain numbers, found by the bytes of their names: what validation asks of a schema for
/// each word of a document.
///
/// The types themselves are classes with strings, of which each look is counted and each name hashed. Made once with the
/// schema, never changed.
final class SchemaIndex: Sendable {
    /// A type by its place among all types that the schema's fields and arguments have; equal types have one place.
    struct TypeReference: Hashable, Sendable, BitwiseCopyable {
        fileprivate let position: UInt32
    }

    /// What a type is made of.
    enum Shape: Hashable, Sendable, BitwiseCopyable {
        case named(TypeID)
        case list(TypeReference)
        case nonNull(TypeReference)
    }

    /// A field, an argument or an input field.
    struct Member: Sendable, BitwiseCopyable {
        /// Its name, as a place in the index.
        let name: Name
        let type: TypeReference
        /// What is left of the type without its wrappers.
        let namedType: TypeID
        /// Whether that is a scalar or an enum.
        let isLeaf: Bool
        let isNonNull: Bool
        let hasDefault: Bool
        /// None of an argument or an input field.
        let arguments: Inputs
        /// Which field of its type it is; nil of an argument or an input field.
        let reference: FieldReference?
    }

    /// The arguments of a field or a directive, or the fields of an input object, in the schema's order.
    struct Inputs: Sendable, BitwiseCopyable {
        fileprivate let start: UInt32
        fileprivate let count: UInt32
        /// Whether the type of one is non-null.
        let hasNonNull: Bool

        fileprivate static let none = Inputs(start: 0, count: 0, hasNonNull: false)

        /// Their places, by which a `SchemaIndex` has them.
        var positions: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    /// What a named type is, without its parts.
    struct Named: Sendable, BitwiseCopyable {
        enum Kind: Sendable { case scalar, composite, enumeration, inputObject }

        let kind: Kind
        /// The literals that a scalar accepts whatever stands in them.
        let literals: Literals
        /// Those of an input object.
        let fields: Inputs

        var isComposite: Bool { kind == .composite }
        var isLeaf: Bool { kind == .scalar || kind == .enumeration }
        var isInput: Bool { kind != .composite }
    }

    /// Kinds of literals.
    struct Literals: OptionSet, Sendable, BitwiseCopyable {
        let rawValue: UInt8
        static let string = Literals(rawValue: 1)
        static let boolean = Literals(rawValue: 2)
        /// Of at most `shortDigitsMax` bytes.
        static let shortInt = Literals(rawValue: 4)
        /// Lists and objects too.
        static let all = Literals(rawValue: 255)

        /// Every Int of so many bytes has 32 bits.
        static let shortDigitsMax = 9
    }

    /// A directive.
    struct Directive: Sendable, BitwiseCopyable {
        let arguments: Inputs
        let isRepeatable: Bool
        fileprivate let locations: UInt32

        func isAllowed(at location: DirectiveLocation) -> Bool { locations & location.bit != 0 }
    }

    private let names: NameTable
    private let members: [Member]
    private let shapes: [Shape]
    private let types: [Named]
    private let directives: [Directive]
    /// `__schema` and `__type`, the meta fields that can be turned off, and where they are.
    private let introspection: Range<Int>

    init(types: [NamedType], directives: [DirectiveType], queryType: TypeID, metaFields: Schema.MetaFields) {
        var builder = Builder(types: types)
        for (position, directive) in directives.enumerated() {
            builder.insert(directive.name, in: Scope.directives, number: UInt32(position))
        }
        self.directives = directives.map { directive in
            Directive(
                arguments: builder.inputs(directive.arguments), isRepeatable: directive.isRepeatable,
                locations: directive.locations.reduce(0) { $0 | $1.bit })
        }
        let typename = builder.field(metaFields.typename, .typename)
        let schema = builder.field(metaFields.schema, .schema)
        builder.insert(metaFields.schema.name, in: Scope.type(queryType), number: schema)
        let type = builder.field(metaFields.type, .type)
        builder.insert(metaFields.type.name, in: Scope.type(queryType), number: type)
        introspection = Int(schema)..<Int(type) + 1
        for (position, type) in types.enumerated() {
            let scope = Scope.type(TypeID(position))
            builder.insert(type.name, in: Scope.types, number: UInt32(position))
            if type.isComposite { builder.insert(metaFields.typename.name, in: scope, number: typename) }
            for (position, field) in (type.fields?.fields ?? []).enumerated() {
                builder.insert(field, .field(position), in: scope)
            }
            if case .enumeration(let values) = type.kind {
                for value in values { builder.insert(value.name, in: scope, number: 0) }
            }
        }
        self.types = types.map { builder.named($0) }
        names = builder.names
        members = builder.members
        shapes = builder.shapes
    }

    // MARK: By place

    subscript(_ type: TypeID) -> Named { types[type.index] }
    subscript(_ type: TypeReference) -> Shape { shapes[Int(type.position)] }
    subscript(input position: Int) -> Member { members[position] }

    /// A type as it is printed.
    func type(_ type: TypeReference) -> GraphQLType {
        switch self[type] {
        case .named(let id): .named(id)
        case .list(let element): .list(self.type(element))
        case .nonNull(let nullable): .nonNull(self.type(nullable))
        }
    }

    /// The type of a list's elements, also of a non-null one; `nil` when it is no list.
    func element(of type: TypeReference) -> TypeReference? {
        switch self[type] {
        case .named: nil
        case .list(let element): element
        case .nonNull(let nullable): element(of: nullable)
        }
    }

    /// What is left of a type without its wrappers.
    func namedType(of type: TypeReference) -> TypeID {
        switch self[type] {
        case .named(let id): id
        case .list(let type), .nonNull(let type): namedType(of: type)
        }
    }

    /// The name of a member as text.
    func name(of member: Member) -> String { names.text(of: member.name) }

    // MARK: By name

    /// A type.
    func type(named name: Name, in document: Document) -> TypeID? {
        number(of: name, in: document, Scope.types).map { TypeID(Int($0)) }
    }

    /// A directive, without the `@`.
    func directive(named name: Name, in document: Document) -> Directive? {
        number(of: name, in: document, Scope.directives).map { directives[Int($0)] }
    }

    /// A field of a type, or a meta field that it has.
    func field(
        named name: Name, of type: TypeID, in document: Document, allowsIntrospection: Bool
    ) -> Member? {
        guard let number = number(of: name, in: document, Scope.type(type)),
            allowsIntrospection || !introspection.contains(Int(number))
        else { return nil }
        return members[Int(number)]
    }

    /// An argument or an input field.
    func input(named name: Name, of inputs: Inputs, in document: Document) -> Member? {
        guard inputs.count > 0 else { return nil }
        return number(of: name, in: document, Scope.inputs(inputs)).map { members[Int($0)] }
    }

    /// Whether an enum has this value.
    func hasValue(named name: Name, of type: TypeID, in document: Document) -> Bool {
        number(of: name, in: document, Scope.type(type)) != nil
    }

    /// Whether a member has this name.
    ///
    /// Memory safety: the array outlives its span, which checks the range.
    func isName(_ name: Name, of member: Member, in document: Document) -> Bool {
        let bytes = document.source.bytes
        return unsafe names.isEqual(member.name, bytes.span.bytes.extracting(name.indices))
    }

    // Memory safety: the array outlives its span, which checks the range.
    private func number(of name: Name, in document: Document, _ scope: NameTable.Scope) -> UInt32? {
        let bytes = document.source.bytes
        return unsafe names.number(of: bytes.span.bytes.extracting(name.indices), in: scope)
    }
}

/// Numbers of scopes: types, directives, then one for each type and one for each list of inputs, by turns.
private enum Scope {
    static let types: NameTable.Scope = 0
    static let directives: NameTable.Scope = 1
    static func type(_ id: TypeID) -> NameTable.Scope { 2 + 2 * UInt32(truncatingIfNeeded: id.index) }
    static func inputs(_ inputs: SchemaIndex.Inputs) -> NameTable.Scope { 3 + 2 * inputs.start }
}

/// The parts of an index while they grow.
private struct Builder {
    let types: [NamedType]
    var names = NameTable()
    var members: [SchemaIndex.Member] = []
    var shapes: [SchemaIndex.Shape] = []
    private var places: [String: Name] = [:]
    /// The references to named types, by type.
    private var namedReferences: [SchemaIndex.TypeReference?]
    /// The references to lists of the type of a shape, and to this type without null, by the position of the shape.
    private var lists: [SchemaIndex.TypeReference?] = []
    private var nonNulls: [SchemaIndex.TypeReference?] = []

    init(types: [NamedType]) {
        self.types = types
        namedReferences = Array(repeating: nil, count: types.count)
    }

    mutating func insert(_ name: String, in scope: NameTable.Scope, number: UInt32) {
        names.insert(place(of: name), in: scope, number: number)
    }

    mutating func field(_ field: FieldType, _ reference: FieldReference) -> UInt32 {
        let name = place(of: field.name)
        return self.field(field, name, reference)
    }

    /// A field and its name in the scope of its type.
    mutating func insert(_ field: FieldType, _ reference: FieldReference, in scope: NameTable.Scope) {
        let name = place(of: field.name)
        let number = self.field(field, name, reference)
        names.insert(name, in: scope, number: number)
    }

    private mutating func field(_ field: FieldType, _ name: Name, _ reference: FieldReference) -> UInt32 {
        let arguments = inputs(field.arguments)
        members.append(member(name, field.type, arguments: arguments, field: reference))
        return UInt32(members.count - 1)
    }

    mutating func inputs(_ fields: [InputField]) -> SchemaIndex.Inputs {
        let inputs = SchemaIndex.Inputs(
            start: UInt32(members.count), count: UInt32(fields.count),
            hasNonNull: fields.contains { $0.type.isNonNull })
        for field in fields {
            let name = place(of: field.name)
            names.insert(name, in: Scope.inputs(inputs), number: UInt32(members.count))
            members.append(member(name, field.type, hasDefault: field.defaultValue != nil))
        }
        return inputs
    }

    mutating func named(_ type: NamedType) -> SchemaIndex.Named {
        switch type.kind {
        case .scalar(let scalar):
            SchemaIndex.Named(kind: .scalar, literals: SchemaIndex.Literals(scalar), fields: .none)
        case .object, .interface, .union: SchemaIndex.Named(kind: .composite, literals: [], fields: .none)
        case .enumeration: SchemaIndex.Named(kind: .enumeration, literals: [], fields: .none)
        case .inputObject(let fields):
            SchemaIndex.Named(kind: .inputObject, literals: [], fields: inputs(fields))
        }
    }

    /// One place for equal names, of which a schema has many.
    private mutating func place(of name: String) -> Name {
        if let place = places[name] { return place }
        let place = names.append(name)
        places[name] = place
        return place
    }

    private mutating func member(
        _ name: Name, _ type: GraphQLType, hasDefault: Bool = false, arguments: SchemaIndex.Inputs = .none,
        field: FieldReference? = nil
    ) -> SchemaIndex.Member {
        SchemaIndex.Member(
            name: name, type: reference(to: type), namedType: type.namedType,
            isLeaf: types[type.namedType.index].isLeaf, isNonNull: type.isNonNull, hasDefault: hasDefault,
            arguments: arguments, reference: field)
    }

    private mutating func reference(to type: GraphQLType) -> SchemaIndex.TypeReference {
        switch type {
        case .named(let id):
            if let known = namedReferences[id.index] { return known }
            let made = append(.named(id))
            namedReferences[id.index] = made
            return made
        case .list(let element):
            let inner = reference(to: element)
            if let known = lists[Int(inner.position)] { return known }
            let made = append(.list(inner))
            lists[Int(inner.position)] = made
            return made
        case .nonNull(let nullable):
            let inner = reference(to: nullable)
            if let known = nonNulls[Int(inner.position)] { return known }
            let made = append(.nonNull(inner))
            nonNulls[Int(inner.position)] = made
            return made
        }
    }

    private mutating func append(_ shape: SchemaIndex.Shape) -> SchemaIndex.TypeReference {
        shapes.append(shape)
        lists.append(nil)
        nonNulls.append(nil)
        return SchemaIndex.TypeReference(position: UInt32(shapes.count - 1))
    }
}

extension SchemaIndex.Literals {
    /// As `Scalar.coerce(literal:)` has it, as far as it need not look at the text.
    fileprivate init(_ scalar: Scalar) {
        self =
            switch scalar {
            case .custom: .all
            case .string: .string
            case .boolean: .boolean
            case .id: [.string, .shortInt]
            case .int, .float, .double, .bigInt, .awsTimestamp: .shortInt
            case .awsDate, .awsTime, .awsDateTime, .awsEmail, .awsJSON, .awsURL, .awsPhone, .awsIPAddress: []
            }
    }
}

extension DirectiveLocation {
    /// One bit for each place.
    fileprivate var bit: UInt32 {
        switch self {
        case .query: 1
        case .mutation: 1 << 1
        case .subscription: 1 << 2
        case .field: 1 << 3
        case .fragmentDefinition: 1 << 4
        case .fragmentSpread: 1 << 5
        case .inlineFragment: 1 << 6
        case .variableDefinition: 1 << 7
        // No place in a document.
        case .schema, .scalar, .object, .fieldDefinition, .argumentDefinition, .interface, .union, .enumeration,
            .enumValue, .inputObject, .inputFieldDefinition:
            0
        }
    }
}
