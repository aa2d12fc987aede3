import Synchronization

/// A GraphQL schema that documents are validated and executed against. Spec §3.
///
/// Made once by `SchemaBuilder`, never changed. Types point at each other by index, so there is no cycle of references;
/// a copy is one reference, and reading is safe from any thread.
public struct Schema: Sendable {
    private let storage: Storage

    private final class Storage: Sendable {
        let description: String?
        let types: [NamedType]
        let queryType: TypeID
        let mutationType: TypeID?
        let subscriptionType: TypeID?
        let directives: [DirectiveType]
        let metaFields: MetaFields
        let identifiers: [String: TypeID]
        /// Per type: the object types its values may have. An object type has itself.
        let possible: [PossibleTypes]
        private let madeIndex = AtomicLazyReference<SchemaIndex>()

        init(
            description: String?, types: [NamedType], queryType: TypeID, mutationType: TypeID?,
            subscriptionType: TypeID?, directives: [DirectiveType], metaFields: MetaFields
        ) {
            self.description = description
            self.types = types
            self.queryType = queryType
            self.mutationType = mutationType
            self.subscriptionType = subscriptionType
            self.directives = directives
            self.metaFields = metaFields
            identifiers = Dictionary(
                zip(types.map(\.name), types.indices.map(TypeID.init)), uniquingKeysWith: { first, _ in first })
            possible = Schema.possibleTypes(in: types)
        }

        /// Made when it is first read, since a schema that is only checked needs none. Where two threads make it, both get the
        /// same one.
        var index: SchemaIndex {
            if let made = madeIndex.load() { return made }
            let index = SchemaIndex(
                types: types, directives: directives, queryType: queryType, metaFields: metaFields)
            return madeIndex.storeIfNil(index)
        }
    }

    init(
        description: String?, types: [NamedType], queryType: TypeID, mutationType: TypeID?, subscriptionType: TypeID?,
        directives: [DirectiveType], metaFields: MetaFields
    ) {
        storage = Storage(
            description: description, types: types, queryType: queryType, mutationType: mutationType,
            subscriptionType: subscriptionType, directives: directives, metaFields: metaFields)
    }

    /// What the `schema` definition says.
    public var description: String? { storage.description }
    /// The schema's own types in its order, then the scalars it uses, then those of introspection.
    public var types: [NamedType] { storage.types }
    /// Where queries begin.
    public var queryType: TypeID { storage.queryType }
    /// Where mutations begin; `nil` refuses them.
    public var mutationType: TypeID? { storage.mutationType }
    /// Where subscriptions begin; `nil` refuses them.
    public var subscriptionType: TypeID? { storage.subscriptionType }
    /// The directives that documents may use, those of the specification first.
    public var directives: [DirectiveType] { storage.directives }
    /// The fields every document may ask for without the schema's naming them. Spec §4.1, §4.2.
    public var metaFields: MetaFields { storage.metaFields }

    /// The definitions by the bytes of their names.
    var index: SchemaIndex { storage.index }

    /// Makes what the first document would have to wait for.
    public func prepareForDocuments() { _ = storage.index }

    /// The type at an index that this schema gave out.
    public subscript(_ id: TypeID) -> NamedType { storage.types[id.index] }

    /// A type by name.
    public func type(named name: String) -> TypeID? { storage.identifiers[name] }

    /// The object types a value of this type may have, in the schema's order; an object type's own list is itself.
    public func possibleTypes(of type: TypeID) -> [TypeID] { storage.possible[type.index].list }

    /// Whether a value of `type` may be an `object`. Constant time.
    public func isPossible(_ object: TypeID, of type: TypeID) -> Bool {
        storage.possible[type.index].contains(object)
    }

    /// Whether some object type belongs to both. Spec §5.5.2.3 Fragment Spread Is Possible.
    public func overlap(_ first: TypeID, _ second: TypeID) -> Bool {
        storage.possible[first.index].overlaps(storage.possible[second.index])
    }

    /// `__typename`, `__schema` and `__type(name:)`.
    public struct MetaFields: Sendable {
        /// On every composite type.
        public let typename: FieldType
        /// On the query type.
        public let schema: FieldType
        /// On the query type.
        public let type: FieldType
    }

    /// The object types of an abstract type: as a list, and as one bit per type for fast tests.
    private struct PossibleTypes: Sendable {
        var list: [TypeID] = []
        var bits: [UInt64] = []

        mutating func insert(_ id: TypeID) {
            guard !contains(id) else { return }
            list.append(id)
            let missing = id.index / 64 + 1 - bits.count
            if missing > 0 { bits.append(contentsOf: repeatElement(0, count: missing)) }
            bits[id.index / 64] |= 1 << UInt64(id.index % 64)
        }

        func contains(_ id: TypeID) -> Bool {
            let word = id.index / 64
            return word < bits.count && bits[word] & (1 << UInt64(id.index % 64)) != 0
        }

        func overlaps(_ other: PossibleTypes) -> Bool {
            (0..<min(bits.count, other.bits.count)).contains { bits[$0] & other.bits[$0] != 0 }
        }
    }

    /// The type as text: `[Int!]`.
    public func name(of type: GraphQLType) -> String {
        switch type {
        case .named(let id): self[id].name
        case .list(let element): "[\(name(of: element))]"
        case .nonNull(let inner): "\(name(of: inner))!"
        }
    }

    /// A type node as a type of this schema; `nil` where its name is unknown. Spec §3.4, TypeFromAST.
    public func type(_ node: TypeNode) -> GraphQLType? {
        switch node {
        case .named(let name): type(named: name).map(GraphQLType.named)
        case .list(let element): type(element).map(GraphQLType.list)
        case .nonNull(let inner): type(inner).map(GraphQLType.nonNull)
        }
    }

    private static func possibleTypes(in types: [NamedType]) -> [PossibleTypes] {
        var possible = types.map { _ in PossibleTypes() }
        for (index, type) in types.enumerated() {
            switch type.kind {
            case .object(let object):
                possible[index].insert(TypeID(index))
                for interface in object.interfaces { possible[interface.index].insert(TypeID(index)) }
            case .union(let members):
                for member in members { possible[index].insert(member) }
            default: break
            }
        }
        return possible
    }
}

extension Schema {
    /// The definition that a reference to a field of this type leads to.
    public func definition(of reference: FieldReference, in type: TypeID) -> FieldType {
        switch reference {
        case .typename: return metaFields.typename
        case .schema: return metaFields.schema
        case .type: return metaFields.type
        case .field(let position):
            guard let fields = self[type].fields?.fields, fields.indices.contains(position) else {
                preconditionFailure("a field reference is used with the type that it was made for")
            }
            return fields[position]
        }
    }
}
