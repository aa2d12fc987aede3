/// How generated things are named (reference: transformer, "Names"). Inner letters of a name are never changed.
extension String {
    /// The first character upper-cased: `blog_entry` is `Blog_entry`.
    package var firstUppercased: String { prefix(1).uppercased() + dropFirst() }

    /// Whether it is a name in GraphQL (GraphQL spec §2.1.9): letters, digits and underscores, no digit first.
    var isGraphQLName: Bool {
        guard let first = utf8.first, !Self.digits.contains(first) else { return false }
        return utf8.allSatisfy(Self.isNameByte)
    }

    /// Whether an index may be called so in DynamoDB: letters, digits, underscores, dots and hyphens.
    var isIndexName: Bool {
        !isEmpty && utf8.allSatisfy { Self.isNameByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || digits.contains(byte)
            || byte == UInt8(ascii: "_")
    }

    /// The first character lower-cased.
    package var firstLowercased: String { prefix(1).lowercased() + dropFirst() }
}

/// The names a model gives to what is generated for it.
package enum Names {
    static let sortDirection = "ModelSortDirection"
    static let attributeTypes = "ModelAttributeTypes"
    static let sizeInput = "ModelSizeInput"

    /// `messageThreadId` of `["Message", "thread", "id"]`; empty parts are skipped.
    package static func camelCased(_ parts: [String]) -> String {
        let parts = parts.filter { !$0.isEmpty }
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first.firstLowercased) { $0 + $1.firstUppercased }
    }

    static func filterInput(_ type: String) -> String { "Model\(type)FilterInput" }
    static func subscriptionFilterInput(_ type: String) -> String { "ModelSubscription\(type)FilterInput" }
    static func conditionInput(_ type: String) -> String { "Model\(type)ConditionInput" }
    static func connection(_ type: String) -> String { "Model\(type)Connection" }
    static func mutationInput(_ verb: String, _ type: String) -> String { "\(verb)\(type.firstUppercased)Input" }
    static func nestedInput(_ type: String) -> String { "\(type.firstUppercased)Input" }
    /// The filter of a scalar's base (`ModelStringInput`) or of an enum.
    static func operandInput(_ base: String) -> String { "Model\(base)Input" }
    /// The filter of a scalar's base in subscriptions (`ModelSubscriptionStringInput`).
    static func subscriptionOperandInput(_ base: String) -> String { "ModelSubscription\(base)Input" }
    static func enumListInput(_ enumeration: String) -> String { "Model\(enumeration)ListInput" }
    static func keyConditionInput(_ base: String) -> String { "Model\(base)KeyConditionInput" }
    static func compositeKeyConditionInput(_ type: String, key: String?) -> String {
        "Model\(type)\((key ?? "Primary").firstUppercased)CompositeKeyConditionInput"
    }
    static func compositeKeyInput(_ type: String, key: String?) -> String {
        "Model\(type)\((key ?? "Primary").firstUppercased)CompositeKeyInput"
    }
    package static func connectionIndex(_ connection: String) -> String { "gsi-\(connection)" }

    /// The list query: a bare `s` unless `improvePluralization` is set.
    static func list(_ type: String, improvePluralization: Bool) -> String {
        let name = type.firstUppercased
        return "list" + (improvePluralization ? Pluralize.plural(name) : name + "s")
    }

    /// The query that syncs a device's copy: always a proper plural.
    static func sync(_ type: String) -> String { "sync" + Pluralize.plural(type.firstUppercased) }

    /// What an `@index` and its query are called when the author names neither: `customersByRepIdAndName`.
    package static func index(_ type: String, by fields: [String]) -> String {
        Pluralize.plural(type).firstLowercased + "By" + fields.map(\.firstUppercased).joined(separator: "And")
    }
    /// The model of a `@manyToMany` relation: the relation's name with its first letter raised, without what a name cannot
    /// hold.
    package static func joinModel(_ relation: String) -> String {
        let letters = relation.firstUppercased.filter { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
        return String(letters.drop { $0.isNumber })
    }
}
