import GraphQL
import JSON

/// A value as text, in the layout of an example: its separators, the space inside its brackets, one line or several.
struct ValueText {
    let file: FileSyntax?
    let newline: String

    /// The text of a value.
    /// - Parameters:
    ///   - example: A value of the file of the same kind; nil for the plain layout.
    ///   - indentation: The indentation of the line on which the value begins.
    func text(_ value: ConstValue, like example: Syntax.Value?, indentation: String) -> String {
        switch value {
        case .list(let elements):
            let element = example?.elements.first
            let items = elements.map { item in { text(item, like: element, indentation: $0) } }
            return bracketed("[", "]", items, like: example, example?.elements.map(\.range) ?? [], indentation)
        case .object(let fields):
            let items = fields.map { field in
                { (inner: String) in
                    let match = example?.fields.first { $0.name.text == field.name }?.value
                    return field.name + ": " + text(field.value, like: match, indentation: inner)
                }
            }
            return bracketed("{", "}", items, like: example, example?.fields.map(\.range) ?? [], indentation)
        default: return value.description
        }
    }

    /// The text of a directive with arguments, like another one of the file.
    func directive(
        _ name: String, _ arguments: [(String, ConstValue)], like example: Syntax.Directive?, indentation: String
    ) -> String {
        guard !arguments.isEmpty else { return "@" + name }
        let items = arguments.map { argument in
            { (inner: String) in
                argument.0 + ": " + text(argument.1, like: example?[argument.0]?.value, indentation: inner)
            }
        }
        let shape = example.flatMap { example in
            example.parentheses.map { Syntax.Value(range: $0, node: .null) }
        }
        return "@" + name + bracketed("(", ")", items, like: shape, example?.arguments.map(\.range) ?? [], indentation)
    }

    private func bracketed(
        _ open: String, _ close: String, _ items: [(String) -> String], like example: Syntax.Value?,
        _ ranges: [Range<Int>], _ indentation: String
    ) -> String {
        guard !items.isEmpty else { return open + close }
        guard let file, let example, let first = ranges.first else {
            return open + items.map { $0(indentation) }.joined(separator: ", ") + close
        }
        let padding = example.range.lowerBound + 1..<first.lowerBound
        if file.hasLineEnd(in: padding), file.isFirstOnLine(first.lowerBound) {
            let outer = file.indentation(at: example.range.lowerBound)
            let own = file.indentation(at: first.lowerBound)
            let inner = indentation + (own.hasPrefix(outer) ? String(own.dropFirst(outer.count)) : "  ")
            let gap = ranges.count > 1 ? file.bytes[ranges[0].upperBound..<ranges[1].lowerBound] : []
            let comma = gap.first == UInt8(ascii: ",") ? "," : ""
            let lines = items.map { newline + inner + $0(inner) }
            return open + lines.joined(separator: comma) + newline + indentation + close
        }
        let space = file.isBlank(padding) ? file.text(padding) : ""
        var separator = ", "
        if ranges.count > 1 {
            let gap = ranges[0].upperBound..<ranges[1].lowerBound
            if file.isBlank(gap), !gap.isEmpty { separator = file.text(gap) }
        }
        return open + space + items.map { $0(indentation) }.joined(separator: separator) + space + close
    }
}
