/// The names that Amplify's generator puts in back-quotes.
///
/// The list spells some keywords with capitals: `class`, `enum`, `func`, `init` and `let` stay as they are, so that a
/// field of such a name does not compile. It is kept, because the text of generated files is compared.
enum SwiftKeywords {
    static func escaped(_ name: String) -> String { names.contains(name) ? "`\(name)`" : name }

    /// The keywords that name nothing without back-quotes (The Swift Programming Language, "Keywords and Punctuation").
    static let reserved = Set(
        """
        Any Self _ as associatedtype await break case catch class continue default defer deinit do else enum extension \
        fallthrough false fileprivate for func guard if import in init inout internal is let nil operator precedencegroup \
        private protocol public repeat rethrows return self static struct subscript super switch throw throws true try \
        typealias var where while
        """.split(separator: " ").map(String.init))

    /// Keywords that name no type, though they may name a property.
    static let reservedForTypes: Set = ["any", "each", "some"]

    /// Whether a property of this name does not compile: a keyword that the list of escaped names misses, or `self`, which means
    /// something else after a dot.
    static func isUncompilable(property name: String) -> Bool {
        name == "self" || reserved.contains(name) && !names.contains(name)
    }

    /// Whether a case of an enum of this name does not compile. Names are in camel case here.
    static func isUncompilable(enumCase name: String) -> Bool {
        name.first?.isNumber ?? true || name != "await" && reserved.contains(name) && !names.contains(name)
    }

    /// Names of properties by which the generated code of each model means something else.
    static let usedInModels: Set = ["CodingKeys", "UUID", "rule"]
    /// Those of models that load their relations when they are first read.
    static let usedInLazyModels: Set = ["IdentifierFormat", "IdentifierProtocol", "Path"]
    /// Those of lazy models that have relations to one item, which encode and decode themselves.
    static let usedInLazyCoding: Set = ["LazyReference", "container", "decoder", "encoder", "values"]

    /// Names of types by which generated code means others: types, properties and functions of its own, of Amplify or of Swift.
    static let usedTypes: Set = [
        "AmplifyModelRegistration", "Any", "CodingKeys", "Model", "ModelKey", "ModelRegistry", "Self", "UUID",
        "defineSchema", "encode", "keys", "model", "rootPath", "rule", "schema",
    ]
    /// Those of types that are models.
    static let usedModelTypes: Set = ["registry", "version"]
    /// Those of models whose keys are generated.
    static let usedTypesOfKeys: Set = [
        "DefaultModelIdentifier", "IdentifierFormat", "IdentifierProtocol", "ModelIdentifiable",
        "ModelIdentifierFormat",
    ]
    /// Those of models that load their relations when they are first read.
    static let usedLazyTypes: Set = [
        "Decoder", "Encoder", "FieldPath", "LazyReference", "ModelPath", "Path", "PropertyContainerPath", "bool",
        "date", "datetime", "double", "get", "int", "string", "time",
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
