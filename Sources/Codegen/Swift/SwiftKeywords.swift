/// The names that Amplify's generator puts in back-quotes.
///
/// The list spells some keywords with capitals: `class`, `enum`, `func`, `init` and `let` stay as they are, so that a
/// field of such a name does not compile. It is kept, because the text of generated files is compared.
enum SwiftKeywords {
    static func escaped(_ name: String) -> String { names.contains(name) ? "`\(name)`" : name }

    /// The names that give code that does not compile: keywords that the list misses, and those that mean something else
    /// after a dot.
    static let uncompilable: Set = [
        "Any", "Type", "catch", "class", "defer", "enum", "fileprivate", "func", "guard", "init", "let", "repeat",
        "rethrows", "self", "throw", "throws", "try",
    ]

    /// Names of types by which generated code means others.
    static let usedTypes: Set = [
        "Any", "Embeddable", "EnumPersistable", "Model", "ModelKey", "ModelRegistry", "Protocol", "Self", "Type",
    ]

    private static let names = Set(
        """
        _COLUMN_ _FILE_ _FUNCTION_ _LINE_ as associativity break case Class continue convenience default deinit didSet do \
        dynamic dynamicType else Enum extension fallthrough false final for Func get if import in infix Init inout \
        internal is lazy left Let mutating nil none nonmutating operator optional override postfix precedence prefix \
        private protocol Protocol public required return right self Self set static struct subscript super switch Type \
        typealias true unknown unowned var weak where while willSet
        """.split(separator: " ").map(String.init))
}
