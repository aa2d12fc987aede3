import GraphQL

/// What a statement selects of a value of a composite type. It is made once for each type and depth, and shared.
final class StatementSelection: Sendable {
    /// A field, and what is selected of its value; nil for a leaf.
    struct Field: Sendable {
        let field: FieldType
        let selection: StatementSelection?
    }

    /// What is selected only where the value is of one object type.
    struct Fragment: Sendable {
        let type: TypeID
        let fields: [Field]
    }

    /// The type of the value.
    let type: TypeID
    /// The fields of the type in the schema's order, and `__typename` at the end.
    let fields: [Field]
    /// The fields of the possible types of an interface or union.
    let fragments: [Fragment]
    /// How many fields are selected, at all levels; those of an interface count for each possible type. Saturates.
    let fieldCount: Int
    /// How many tokens the text has, at all levels. Saturates.
    let tokenCount: Int
    /// How many selection sets are nested, this one included.
    let levelCount: Int

    /// Large enough to be refused, and small enough that a sum of as many as memory holds does not overflow.
    private static let countMax = 1 << 32

    init(type: TypeID, fields: [Field], fragments: [Fragment], possibleCount: Int) {
        (self.type, self.fields, self.fragments) = (type, fields, fragments)
        let own = fragments.reduce(0) { $0 + Self.sum($1.fields) { $0.fieldCount } }
        fieldCount = min(Self.countMax, Self.sum(fields) { $0.fieldCount } * max(1, possibleCount) + own)
        // `name { … }` and `... on Type { … }`.
        let tokens = Self.sum(fields) { $0.tokenCount + 2 }
        tokenCount = min(Self.countMax, fragments.reduce(tokens) { $0 + 5 + Self.sum($1.fields) { $0.tokenCount + 2 } })
        let fragmentLevels = fragments.map { 1 + Self.levels($0.fields) }.max() ?? 0
        levelCount = 1 + max(Self.levels(fields), fragmentLevels)
    }

    private static func sum(_ fields: [Field], _ count: (StatementSelection) -> Int) -> Int {
        min(countMax, fields.reduce(0) { $0 + 1 + ($1.selection.map(count) ?? 0) })
    }

    private static func levels(_ fields: [Field]) -> Int {
        fields.reduce(0) { max($0, $1.selection?.levelCount ?? 0) }
    }
}
