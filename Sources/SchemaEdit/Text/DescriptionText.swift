import GraphQL
import JSON

/// A description as text, in the form that its surroundings have.
struct DescriptionText {
    let text: String
    let prefersBlock: Bool

    /// The text; of several lines, the first one is not indented.
    /// - Parameter allowsLines: Whether it may take more than one line.
    func written(indentation: String, newline: String, allowsLines: Bool) -> String {
        let isLines = text.utf8.contains(0x0A)
        let isEnded = text.utf8.last == UInt8(ascii: "\"") || text.utf8.last == UInt8(ascii: "\\")
        let isIndented = text.utf8.first == 0x20 || text.utf8.first == 0x09
        let isBlock = (prefersBlock || isLines) && !text.isEmpty && Description(text).isBlock
        guard isBlock, !isEnded, !isIndented, allowsLines || !isLines else {
            return JSONValue.string(text).description
        }
        let quotes = "\"\"\""
        let escaped = text.replacing("\"\"\"", with: "\\\"\"\"")
        guard isLines else { return quotes + escaped + quotes }
        let lines = escaped.split(separator: "\n", omittingEmptySubsequences: false)
        return quotes + newline + lines.map { $0.isEmpty ? "" : indentation + $0 }.joined(separator: newline) + newline
            + indentation + quotes
    }
}

extension FileSyntax {
    /// Whether new descriptions are block strings, as the first one of the file is.
    var prefersBlockDescriptions: Bool {
        for definition in definitions {
            if let description = definition.description { return description.kind == .blockString }
            let ofMember = definition.members.lazy.compactMap(\.description).first
            if let ofMember { return ofMember.kind == .blockString }
        }
        return true
    }
}
