/// Swift code in lines, two spaces for each level.
struct SwiftCode {
    /// The cast by which Amplify's properties read a value of which the schema says that it is there.
    static let forcedCast = "as\u{21}"

    private(set) var text = ""
    private var level = 0

    mutating func line(_ line: String) {
        text += String(repeating: "  ", count: level)
        text += line
        text += "\n"
    }

    mutating func blank() { text += "\n" }

    /// Lines one level deeper.
    mutating func indented(_ body: (inout SwiftCode) -> Void) {
        level += 1
        body(&self)
        level -= 1
    }

    /// A head with an opening brace, its body, and the closing brace.
    mutating func block(_ head: String, _ body: (inout SwiftCode) -> Void) {
        line("\(head) {")
        indented(body)
        line("}")
    }

    mutating func comment(_ description: String?) {
        for line in CommentText.lines(description, mark: "///") { self.line(line) }
    }
}
