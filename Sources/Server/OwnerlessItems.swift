import JSON
import Tables
import Transformer

/// Stored items without an owner, in a model whose rules are about owners: no such rule allows anybody anything with them. So
/// it is with items that were written before the rules.
public struct OwnerlessItems: Sendable, Hashable {
    /// The model.
    public let model: String
    /// The fields that hold owners; an item that has one of them has an owner.
    public let fields: [String]
    /// How many items there are.
    public let count: Int
    /// The primary keys of the first of them, at most three, each joined by `#` and cut off after 40 characters.
    public let examples: [String]

    /// What it means, as a sentence.
    public var text: String {
        let have = Counted.text(count, "item has", "items have")
        let them = count == 1 ? "it" : "them"
        return
            "\(model): \(have) no owner (\(fields.joined(separator: ", "))), so no rule for owners is about \(them): "
            + examples.joined(separator: ", ") + (count > examples.count ? ", …" : "")
    }

    var json: JSONValue {
        [
            "model": .string(model), "fields": .array(fields.map(JSONValue.string)),
            "items": .number(String(count)), "examples": .array(examples.map(JSONValue.string)),
        ]
    }

    private static let exampleCountMax = 3

    /// Looks at every live item of the models with rules for owners, as they will be after the migration.
    static func find(
        _ definition: APIDefinition, in survey: StoreSurvey, renaming renames: [Rename]
    ) throws(StoreError) -> [OwnerlessItems] {
        var found: [OwnerlessItems] = []
        for model in definition.models {
            let table = definition.tables[model.table]
            var fields: [String] = []
            for rule in definition.enforcedRules ?? [] where rule.type == model.name {
                if case .owner(let field, _) = rule.allow, !fields.contains(field), table.position(of: field) != nil {
                    fields.append(field)
                }
            }
            guard !fields.isEmpty else { continue }
            let keys = table.key.columns
            var count = 0
            var examples: [String] = []
            try survey.forEachItem(
                of: table, columns: fields.compactMap(table.position) + keys, renaming: renames,
                among: definition.tables
            ) { item in
                guard fields.indices.allSatisfy({ item.values[$0] == .null || item.values[$0] == .text("[]") }) else {
                    return
                }
                count += 1
                guard examples.count < exampleCountMax else { return }
                examples.append(
                    String(item.values.suffix(keys.count).map(\.keyText).joined(separator: "#").prefix(40)))
            }
            if count > 0 {
                found.append(OwnerlessItems(model: model.name, fields: fields, count: count, examples: examples))
            }
        }
        return found
    }
}

extension Value {
    fileprivate var keyText: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): LogText.escape(text)
        }
    }
}
