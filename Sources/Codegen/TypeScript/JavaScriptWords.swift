import JSON

/// Names that mean something else in JavaScript and TypeScript.
enum JavaScriptWords {
    /// What no constant may be called (ECMA-262, "Keywords and Reserved Words"; those of strict mode, which modules are in,
    /// included).
    static let reserved = Set(
        """
        arguments await break case catch class const continue debugger default delete do else enum eval export extends \
        false finally for function if implements import in instanceof interface let new null package private protected \
        public return static super switch this throw true try typeof var void while with yield undefined
        """.split(separator: " ").map(String.init))

    /// What no type may be called: the words above, the types and type operators of the language, `as`, which an import
    /// would read as a renaming, and the global types that generated code names.
    static let types = reserved.union(
        """
        any as bigint boolean infer keyof never number object readonly string symbol unique unknown Array Promise
        """.split(separator: " ").map(String.init))

    /// A text between backquotes (ECMA-262, "Template Literal Lexical Components").
    static func template(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("`", with: "\\`").replacing("${", with: "\\${")
    }

    /// A string literal. What JSON writes is one.
    static func string(_ text: String) -> String { JSONValue.string(text).description }
}
