public import GraphQL

/// One change of a schema, as a person thinks of it. `init(json:)` reads it and `json` prints it.
public enum Edit: Sendable, Hashable {
    /// A type with `@model`, after the last one.
    case addModel(Object)
    /// An enum, after the last one.
    case addEnum(name: String, values: [String], description: String? = nil)
    /// An object type without `@model`, after the last one.
    case addCustomType(Object)
    /// Removes a type with its extensions. What refers to it is removed with it if the edit says so; else the edit is refused
    /// and lists it.
    case removeType(name: String, removingReferences: Bool = false)
    /// Renames a type and all references to it. With `keepingData` the table stays: by `@mapsTo` in version 2, by an entry of
    /// `renames` in version 1.
    case renameType(name: String, to: String, keepingData: Bool = true)
    /// Sets or removes the description of a type, of a field, or of a value of an enum.
    case setDescription(type: String, member: String? = nil, description: String?)
    /// Adds a field.
    case addField(type: String, field: Field, position: Position = .last)
    /// Changes the given parts of a field and leaves the rest.
    case changeField(type: String, field: String, change: FieldChange)
    /// Renames a field and all references to it. With `keepingData` the attribute stays: by `@refersTo` in version 2, by an
    /// entry of `renames` in version 1.
    case renameField(type: String, field: String, to: String, keepingData: Bool = true)
    /// Moves a field within the part of the type that has it.
    case moveField(type: String, field: String, position: Position)
    /// Removes a field to which nothing refers.
    case removeField(type: String, field: String)
    /// Adds a value to an enum.
    case addEnumValue(type: String, value: String, position: Position = .last, description: String? = nil)
    /// Moves a value within the part of the enum that has it.
    case moveEnumValue(type: String, value: String, position: Position)
    /// Renames a value of an enum and the defaults that have it. Stored items keep the old value.
    case renameEnumValue(type: String, value: String, to: String)
    /// Removes a value of an enum that no default has.
    case removeEnumValue(type: String, value: String)
    /// Adds a relationship between two models.
    case addRelationship(Relationship)
    /// Removes a relationship field; with `removingReverse` also the reverse field, with `removingKey` also the fields and the index
    /// that only this relationship uses.
    case removeRelationship(type: String, field: String, removingReverse: Bool = false, removingKey: Bool = false)
    /// Adds a primary key or an index.
    case addKey(type: String, key: Key)
    /// Changes the primary key (`name` is nil) or the index of this name into another.
    case changeKey(type: String, name: String?, key: Key)
    /// Removes the primary key (`name` is nil) or the index of this name, which no relationship uses.
    case removeKey(type: String, name: String?)
    /// Sets the rules of a type or of a field. Without rules, `@auth` is removed.
    case setRules(type: String, field: String? = nil, rules: [ConstValue])
    /// Sets the arguments of `@model` that are known; those that are not given are removed.
    case setModelArguments(type: String, arguments: [ModelArgument])
}

extension Edit {
    /// Where a member stands among the others.
    public enum Position: Sendable, Hashable {
        case first
        case after(String)
        case last
    }

    /// A new object type.
    public struct Object: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The fields. A model without any gets `id: ID!`.
        public var fields: [Field]
        /// The rules of a model's `@auth`; without any there is none.
        public var rules: [ConstValue]
        /// What the type is for.
        public var description: String?

        /// A type by its parts.
        public init(name: String, fields: [Field] = [], rules: [ConstValue] = [], description: String? = nil) {
            self.name = name
            self.fields = fields
            self.rules = rules
            self.description = description
        }
    }

    /// A new field.
    public struct Field: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The name of the type, without brackets and exclamation marks.
        public var type: String
        /// Whether the field always has a value.
        public var isRequired: Bool
        /// Whether the field is a list.
        public var isList: Bool
        /// Whether each element of a list has a value.
        public var isElementRequired: Bool
        /// The text of `@default`, which only version 2 has.
        public var defaultValue: String?
        /// What the field is for.
        public var description: String?

        /// A field by its parts.
        public init(
            name: String, type: String, isRequired: Bool = false, isList: Bool = false, isElementRequired: Bool = false,
            defaultValue: String? = nil, description: String? = nil
        ) {
            self.name = name
            self.type = type
            self.isRequired = isRequired
            self.isList = isList
            self.isElementRequired = isElementRequired
            self.defaultValue = defaultValue
            self.description = description
        }

        var node: TypeNode {
            var node = TypeNode.named(type)
            if isList { node = .list(isElementRequired ? .nonNull(node) : node) }
            return isRequired ? .nonNull(node) : node
        }
    }

    /// The parts of a field that change; nil leaves a part as it is.
    public struct FieldChange: Sendable, Hashable {
        /// A default that is set or removed.
        public enum Default: Sendable, Hashable {
            case set(String)
            case remove
        }

        /// The name of the type.
        public var type: String?
        /// Whether the field always has a value.
        public var isRequired: Bool?
        /// Whether the field is a list.
        public var isList: Bool?
        /// Whether each element of a list has a value.
        public var isElementRequired: Bool?
        /// The text of `@default`.
        public var defaultValue: Default?

        /// A change by its parts.
        public init(
            type: String? = nil, isRequired: Bool? = nil, isList: Bool? = nil, isElementRequired: Bool? = nil,
            defaultValue: Default? = nil
        ) {
            self.type = type
            self.isRequired = isRequired
            self.isList = isList
            self.isElementRequired = isElementRequired
            self.defaultValue = defaultValue
        }
    }

    /// A primary key or an index.
    public struct Key: Sendable, Hashable {
        /// The field of `Query` that queries an index.
        public enum QueryField: Sendable, Hashable {
            /// Nothing is written: no query in version 1, a name derived from the fields in version 2.
            case standard
            /// No query: version 2 writes null, because it would derive a name otherwise.
            case none
            case named(String)
        }

        /// The name of an index; nil for the primary key.
        public var name: String?
        /// The partition key, then the sort keys.
        public var fields: [String]
        /// The field of `Query`.
        public var queryField: QueryField

        /// A key by its parts.
        public init(name: String?, fields: [String], queryField: QueryField = .standard) {
            self.name = name
            self.fields = fields
            self.queryField = queryField
        }
    }

    /// A relationship between two models: how many of the target each item of the type has, and the other way round.
    public struct Relationship: Sendable, Hashable {
        /// How many items one side has.
        public enum Count: String, Sendable, Hashable, CaseIterable {
            case none
            case one
            case many
        }

        /// The model that gets `field`.
        public var type: String
        /// The related model.
        public var target: String
        /// How many of the target each item has: one or many.
        public var has: Count
        /// How many of the type each item of the target has.
        public var reverse: Count
        /// The name of the field of the type.
        public var field: String
        /// The name of the field of the target; nil where it has none.
        public var reverseField: String?
        /// Whether a field for one item is required.
        public var isRequired: Bool
        /// The field that holds the key of the related item; nil for a key that the transformer generates, where it can.
        public var keyField: String?
        /// Whether that field always has a value.
        public var isKeyRequired: Bool
        /// The index of that field; nil for a name derived from the model whose key it holds: `byRoom`.
        public var index: String?
        /// Of many on both sides, the name of the join model.
        public var name: String?
        /// Of many on both sides in version 1, the rules of the join model.
        public var rules: [ConstValue]?
        /// Where the field of the type stands; nil after its primary key, or last for a list.
        public var position: Position?

        /// A relationship by its parts.
        public init(
            type: String, has: Count, target: String, field: String, reverse: Count = .none,
            reverseField: String? = nil,
            isRequired: Bool = false, keyField: String? = nil, isKeyRequired: Bool = true, index: String? = nil,
            name: String? = nil, rules: [ConstValue]? = nil, position: Position? = nil
        ) {
            self.type = type
            self.target = target
            self.has = has
            self.reverse = reverse
            self.field = field
            self.reverseField = reverseField
            self.isRequired = isRequired
            self.keyField = keyField
            self.isKeyRequired = isKeyRequired
            self.index = index
            self.name = name
            self.rules = rules
            self.position = position
        }
    }

    /// An argument of `@model`.
    public struct ModelArgument: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: ConstValue

        /// The names of the arguments.
        public static let names = ["queries", "mutations", "subscriptions", "timestamps"]

        /// An argument by its parts.
        public init(name: String, value: ConstValue) {
            self.name = name
            self.value = value
        }
    }
}
