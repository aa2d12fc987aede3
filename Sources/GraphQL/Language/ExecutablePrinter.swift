/// The text of an executable document, definitions in the order they were written.
struct ExecutablePrinter {
    let document: Document

    var text: String {
        let operations = document.operations.map { ($0.offset, print($0)) }
        let fragments = document.fragments.map { ($0.offset, print($0)) }
        return Printer.print(definitions: (operations + fragments).sorted { $0.0 < $1.0 }.map(\.1))
    }

    private func print(_ operation: OperationDefinition) -> String {
        let variables = document[operation.variableDefinitions].map(print).joined(separator: ", ")
        let head = (operation.name.map(document.name) ?? "") + (variables.isEmpty ? "" : "(\(variables))")
        let directives = print(operation.directives)
        let isShorthand = operation.type == .query && head.isEmpty && directives.isEmpty
        return Printer.words(
            isShorthand ? "" : operation.type.rawValue, head, directives, print(operation.selectionSet))
    }

    private func print(_ fragment: FragmentDefinition) -> String {
        Printer.words(
            "fragment", document.name(fragment.name), "on", document.name(fragment.typeCondition),
            print(fragment.directives), print(fragment.selectionSet))
    }

    private func print(_ variable: VariableDefinition) -> String {
        Printer.words(
            "$\(document.name(variable.name)): \(document.typeNode(of: variable.type))",
            variable.defaultValue.map { "= " + print($0) } ?? "", print(variable.directives))
    }

    private func print(_ selectionSet: NodeRange<Selection>) -> String {
        Printer.block(document[selectionSet].map(print))
    }

    private func print(_ selection: Selection) -> String {
        switch selection {
        case .field(let field): print(field)
        case .fragmentSpread(let spread):
            Printer.words("..." + document.name(spread.name), print(spread.directives))
        case .inlineFragment(let fragment):
            Printer.words(
                "...", fragment.typeCondition.map { "on " + document.name($0) } ?? "", print(fragment.directives),
                print(fragment.selectionSet))
        }
    }

    private func print(_ field: Field) -> String {
        let name = (field.alias.map { document.name($0) + ": " } ?? "") + document.name(field.name)
        var line = name + print(field.arguments)
        if !field.arguments.isEmpty, line.utf16.count > Printer.lineColumnsMax {
            let arguments = document[field.arguments].map(print).joined(separator: "\n")
            line = name + "(\n" + Printer.indented(arguments) + "\n)"
        }
        return Printer.words(line, print(field.directives), field.selectionSet.map(print) ?? "")
    }

    private func print(_ arguments: NodeRange<Argument>) -> String {
        arguments.isEmpty ? "" : "(" + document[arguments].map(print).joined(separator: ", ") + ")"
    }

    private func print(_ argument: Argument) -> String {
        document.name(argument.name) + ": " + print(argument.value)
    }

    private func print(_ directives: NodeRange<Directive>) -> String {
        document[directives].map { "@" + document.name($0.name) + print($0.arguments) }.joined(separator: " ")
    }

    private func print(_ value: ValueNode) -> String {
        switch value.kind {
        case .variable(let name): "$" + document.name(name)
        case .int(let text), .float(let text), .enumValue(let text): document.name(text)
        case .string(let range):
            range.isBlock && StringPrinting.isBlockPrintable(document.string(range))
                ? StringPrinting.block(document.string(range), indentation: "  ")
                : StringPrinting.quoted(document.string(range))
        case .boolean(let value): value ? "true" : "false"
        case .null: "null"
        case .list(let elements): "[" + document[elements].map(print).joined(separator: ", ") + "]"
        case .object(let fields):
            "{" + document[fields].map { document.name($0.name) + ": " + print($0.value) }.joined(separator: ", ") + "}"
        }
    }
}
