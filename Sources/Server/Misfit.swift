import GraphQL
import JSON
import Tables
import Transformer

/// Items that a schema does not fit: they lack a field that it requires, or hold a value that is none of the field's
/// type. They stay as they are; such a field is an error when it is read, and an item without a required one is null.
public struct Misfit: Sendable, Hashable {
    /// The model.
    public let model: String
    /// Its field.
    public let field: String
    /// The field's type, as the schema spells it.
    public let type: String
    /// How many items lack a required value.
    public fileprivate(set) var lackingItems = 0
    /// How many items hold another value.
    public fileprivate(set) var otherItems = 0
    /// The first such value, at most 40 characters of it.
    public fileprivate(set) var example: String?

    /// How many items do not fit.
    var itemCount: Int { lackingItems + otherItems }

    /// What is wrong, as sentences.
    public var text: String {
        var sentences: [String] = []
        if lackingItems > 0 {
            let lack = Counted.text(lackingItems, "item lacks", "items lack")
            sentences.append("\(lack) a value, which the type \(type) requires.")
        }
        if otherItems > 0 {
            let hold = Counted.text(otherItems, "item holds", "items hold")
            sentences.append("\(hold) a value that is no \(type)\(example.map { ", such as \($0)" } ?? "").")
        }
        return "\(model).\(field): \(sentences.joined(separator: " "))"
    }

    /// Looks at every live item of the tables that hold some, as they will be after the migration.
    ///
    /// - Parameter models: The names of the models to look at; nil for all.
    static func find(
        _ definition: APIDefinition, in survey: StoreSurvey, renaming renames: [Rename], of models: Set<String>? = nil
    ) throws(StoreError) -> [Misfit] {
        var misfits: [Misfit] = []
        for model in definition.models where models?.contains(model.name) ?? true {
            let table = definition.tables[model.table]
            let checks = FieldCheck.all(of: model, table, in: definition)
            var found = checks.map {
                Misfit(model: model.name, field: $0.field, type: definition.schema.name(of: $0.type))
            }
            var types = LeafTypes(definition: definition)
            try survey.forEachItem(
                of: table, columns: checks.map(\.position), renaming: renames, among: definition.tables
            ) { item in
                for (index, check) in checks.enumerated() {
                    let value = item.values[index]
                    if value == .null {
                        if check.type.isNonNull { found[index].lackingItems += 1 }
                    } else if !types.holds(value, of: check.columnType, check.type) {
                        found[index].otherItems += 1
                        if found[index].example == nil { found[index].example = value.example }
                    }
                }
            }
            misfits += found.filter { $0.itemCount > 0 }
        }
        return misfits
    }
}

extension Misfit {
    /// Whether a value may be stored for a field.
    static func fits(_ value: Value, _ field: FieldType, _ type: ColumnType, _ definition: APIDefinition) -> Bool {
        var types = LeafTypes(definition: definition)
        return types.holds(value, of: type, field.type)
    }
}

/// A field whose stored values may be none of its type.
private struct FieldCheck {
    var position: Int
    var field: String
    var type: GraphQLType
    var columnType: ColumnType

    /// The fields of a model that have to be looked at: not those that every stored value fits, nor what the store itself
    /// fills in.
    static func all(of model: Model, _ table: Table, in definition: APIDefinition) -> [FieldCheck] {
        guard let id = definition.schema.type(named: model.name), let object = definition.schema[id].fields else {
            return []
        }
        return table.columns.enumerated().compactMap { position, column in
            guard let field = object.fields.first(where: { $0.name == column.field }) else { return nil }
            if let metadata = table.metadata, position >= metadata.version { return nil }
            let isKey = table.key.columns.contains(position)
            let check = FieldCheck(
                position: position, field: field.name, type: isKey ? field.type.nullable : field.type,
                columnType: column.type)
            return check.type.isNonNull || check.mayMisfit(definition.schema) ? check : nil
        }
    }

    private func mayMisfit(_ schema: Schema) -> Bool {
        guard columnType != .json, case .scalar(let scalar) = schema[type.namedType].kind else { return true }
        switch scalar {
        case .string, .id, .float, .double, .boolean, .bigInt, .awsTimestamp, .awsJSON, .custom: return false
        default: return true
        }
    }
}

/// Whether values are of a type, by the same rules that complete them for a response.
private struct LeafTypes: ~Copyable {
    let definition: APIDefinition
    private var writer = JSONWriter(capacity: 64)

    init(definition: APIDefinition) { self.definition = definition }

    mutating func holds(_ value: Value, of columnType: ColumnType, _ type: GraphQLType) -> Bool {
        switch (columnType, value) {
        case (_, .null): return !type.isNonNull
        case (.json, .text(let text)):
            guard let json = try? JSONReader.read(text) else { return false }
            return holds(json, type)
        case (.boolean, .integer(let bit)): return completes(.bool(bit != 0), type.namedType)
        case (_, .integer(let number)): return completes(.int(number), type.namedType)
        case (_, .real(let number)): return completes(.double(number), type.namedType)
        case (_, .text(let text)): return completes(.string(text), type.namedType)
        }
    }

    private mutating func holds(_ value: JSONValue, _ type: GraphQLType) -> Bool {
        if value == .null { return !type.isNonNull }
        if let element = type.element {
            guard case .array(let elements) = value else { return false }
            for value in elements where !holds(value, element) { return false }
            return true
        }
        let named = definition.schema[type.namedType]
        switch named.kind {
        case .scalar, .enumeration: return completes(CoercedValue(value), type.namedType)
        case .object(let object):
            guard case .object(let members) = value else { return false }
            for field in object.fields where isStored(field) && !holds(members[field.name] ?? .null, field.type) {
                return false
            }
            return true
        case .interface, .union, .inputObject: return true
        }
    }

    /// Whether a field of a nested type is a part of its JSON, and no relation or field with a resolver.
    private func isStored(_ field: FieldType) -> Bool {
        field.arguments.isEmpty && definition.model(named: definition.schema[field.type.namedType].name) == nil
    }

    private mutating func completes(_ value: CoercedValue, _ type: TypeID) -> Bool {
        guard definition.schema[type].isLeaf else { return false }
        defer { writer.rewind(to: 0) }
        do throws(ScalarError) {
            try definition.schema.completeLeaf(type, value, into: &writer)
            return true
        } catch { return false }
    }
}

extension Value {
    /// The value for people, cut off where it is long.
    fileprivate var example: String {
        switch self {
        case .null: "null"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text.count > 40 ? "\"\(text.prefix(40))…\"" : "\"\(text)\""
        }
    }
}
