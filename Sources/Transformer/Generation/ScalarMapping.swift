import GraphQL
import Tables

/// What a scalar is to the generator (reference: transformer, "Scalars of the generator"): the base its filters are
/// made of, and how it is stored.
///
/// A scalar the author defined is none of these: such a field goes into no input, filter or column and reads as null.
struct ScalarMapping: Sendable {
    /// `String`, `ID`, `Int`, `Float` or `Boolean`.
    let base: String
    let columnType: ColumnType
    /// The type of its filters (`ModelStringInput`), and that in subscriptions. They are made here because each field has them.
    let operand: TypeNode
    let subscriptionOperand: TypeNode

    private init(base: String, columnType: ColumnType) {
        self.base = base
        self.columnType = columnType
        operand = .named(Names.operandInput(base))
        subscriptionOperand = .named(Names.subscriptionOperandInput(base))
    }

    static subscript(_ name: String) -> ScalarMapping? { all[name] }

    private static let all: [String: ScalarMapping] = {
        var all = ["ID": ScalarMapping(base: "ID", columnType: .text)]
        for name in [
            "String", "AWSDate", "AWSTime", "AWSDateTime", "AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress",
        ] {
            all[name] = ScalarMapping(base: "String", columnType: .text)
        }
        for name in ["Int", "BigInt", "AWSTimestamp"] { all[name] = ScalarMapping(base: "Int", columnType: .integer) }
        for name in ["Float", "Double"] { all[name] = ScalarMapping(base: "Float", columnType: .real) }
        all["Boolean"] = ScalarMapping(base: "Boolean", columnType: .boolean)
        return all
    }()
}
