import GraphQL
import Transformer

/// The statements of an API: one for each field of its root types, in the schema's order.
struct Statements {
    let schema: Schema
    let all: [Statement]
    /// What is generated otherwise than the schema's author may expect.
    let warnings: [Diagnostic]

    /// Makes the statements, or reports those that are larger than an API accepts.
    init(of schema: Schema, maxDepth: Int) throws(StatementFailure) {
        guard CodegenLimits.depthRange.contains(maxDepth) else {
            throw StatementFailure([
                Self.diagnostic(
                    "The depth \(maxDepth) is not from \(CodegenLimits.depthRange.lowerBound) to "
                        + "\(CodegenLimits.depthRange.upperBound).")
            ])
        }
        self.schema = schema
        var selections = StatementSelectionBuilder(schema)
        var statements: [Statement] = []
        for kind in OperationKind.allCases {
            var names = NameScope()
            for field in Self.rootFields(kind, of: schema) {
                let type = field.type.namedType
                statements.append(
                    Statement(
                        kind: kind, field: field,
                        name: names.unique(field.name.prefix(1).uppercased() + field.name.dropFirst()),
                        selection: schema[type].isLeaf ? nil : selections.selection(of: type, depth: maxDepth)))
            }
        }
        all = statements
        warnings = selections.omissions.map { Diagnostic(kind: "Warning", message: $0) }
        let errors = Self.errors(statements, maxDepth)
        guard errors.isEmpty else { throw StatementFailure(errors) }
    }

    private static func rootFields(_ kind: OperationKind, of schema: Schema) -> [FieldType] {
        let type: TypeID? =
            switch kind {
            case .query: schema.queryType
            case .mutation: schema.mutationType
            case .subscription: schema.subscriptionType
            }
        return type.flatMap { schema[$0].fields?.fields } ?? []
    }

    private static func errors(_ statements: [Statement], _ maxDepth: Int) -> [Diagnostic] {
        var errors: [Diagnostic] = []
        for statement in statements where errors.count < CodegenLimits.reportedStatementsMax {
            guard let selection = statement.selection else { continue }
            let bounds = [
                ("fields", statement.fieldCount, CodegenLimits.statementFieldsMax),
                ("tokens", selection.tokenCount, CodegenLimits.statementTokensMax),
                ("levels", selection.levelCount, CodegenLimits.statementLevelsMax),
            ]
            if let (parts, _, most) = bounds.first(where: { $0.1 > $0.2 }) {
                let name = statement.field.name
                errors.append(tooLarge("The statement of \(name) has more than \(most) \(parts)", maxDepth))
            }
        }
        let fieldCount = statements.reduce(0) { $0 + $1.fieldCount }
        if errors.isEmpty, fieldCount > CodegenLimits.fieldsMax {
            let message = "The statements have more than \(CodegenLimits.fieldsMax) fields together"
            errors.append(tooLarge(message, maxDepth))
        }
        return errors
    }

    private static func tooLarge(_ message: String, _ maxDepth: Int) -> Diagnostic {
        diagnostic(
            "\(message) at the depth \(maxDepth).",
            hint: maxDepth > 1 ? "Generate fewer levels: --max-depth \(maxDepth - 1)." : nil)
    }

    private static func diagnostic(_ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(kind: "CodegenError", message: message, hint: hint)
    }
}
