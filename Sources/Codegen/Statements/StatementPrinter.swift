import GraphQL

/// Statements as text: two spaces for each level, and as wide as Amplify's.
struct StatementPrinter {
    let schema: Schema
    /// Spaces before each line.
    var indent = 0
    /// Whether `__typename` comes before the other fields, as clients in Swift read it, and not after them.
    var typenameIsFirst = false

    /// Columns up to which variables and arguments stand on one line.
    private static let columnsMax = 80

    /// The text, which ends with a line end.
    func text(of statement: Statement) -> String {
        var text = ""
        let variables = statement.field.arguments.map { argument in
            "$\(argument.name): \(schema.name(of: argument.type))" + (argument.defaultValue.map { " = \($0)" } ?? "")
        }
        let arguments = statement.field.arguments.map { "\($0.name): $\($0.name)" }
        write("\(statement.kind.rawValue) \(statement.name)", variables, opens: true, level: 0, to: &text)
        write(statement.field.name, arguments, opens: statement.selection != nil, level: 1, to: &text)
        if let selection = statement.selection {
            write(selection, level: 2, to: &text)
            line("}", level: 1, to: &text)
        }
        line("}", level: 0, to: &text)
        return text
    }

    private func write(_ selection: StatementSelection, level: Int, to text: inout String) {
        write(ordered(selection.fields), level: level, to: &text)
        for fragment in selection.fragments {
            line("... on \(schema[fragment.type].name) {", level: level, to: &text)
            write(fragment.fields, level: level + 1, to: &text)
            line("}", level: level, to: &text)
        }
    }

    private func write(_ fields: [StatementSelection.Field], level: Int, to text: inout String) {
        for field in fields {
            guard let selection = field.selection else {
                line(field.field.name, level: level, to: &text)
                continue
            }
            line("\(field.field.name) {", level: level, to: &text)
            write(selection, level: level + 1, to: &text)
            line("}", level: level, to: &text)
        }
    }

    /// `__typename` is the last of the fields of a selection.
    private func ordered(_ fields: [StatementSelection.Field]) -> [StatementSelection.Field] {
        guard typenameIsFirst, let last = fields.last else { return fields }
        return [last] + fields.dropLast()
    }

    /// What variables or arguments follow: in parentheses on the same line, or on a line each where it would be too long.
    private func write(_ name: String, _ parts: [String], opens: Bool, level: Int, to text: inout String) {
        let end = opens ? " {" : ""
        guard !parts.isEmpty else { return line(name + end, level: level, to: &text) }
        let whole = "\(name)(\(parts.joined(separator: ", ")))\(end)"
        guard indent + 2 * level + whole.utf8.count > Self.columnsMax else {
            return line(whole, level: level, to: &text)
        }
        line("\(name)(", level: level, to: &text)
        for part in parts { line(part, level: level + 1, to: &text) }
        line(")\(end)", level: level, to: &text)
    }

    private func line(_ content: String, level: Int, to text: inout String) {
        text += String(repeating: " ", count: indent + 2 * level)
        text += content
        text += "\n"
    }
}
