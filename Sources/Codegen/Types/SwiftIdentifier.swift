/// The names of a schema as names of API.swift.
enum SwiftIdentifier {
    /// The types that generated code names; a type of the schema that is called as one of them would hide it.
    static let usedTypes: Set = [
        "Any", "Array", "Bool", "Decodable", "Decoder", "Dictionary", "Double", "Equatable", "Error",
        "GraphQLClientOperation", "GraphQLField", "GraphQLID", "GraphQLInputValue", "GraphQLMap",
        "GraphQLMapConvertible", "GraphQLMutation", "GraphQLOutputType", "GraphQLQuery", "GraphQLSelection",
        "GraphQLSelectionSet", "GraphQLSubscription", "GraphQLTypeCase", "GraphQLVariable", "Int", "JSONDecodable",
        "JSONDecodingError", "JSONEncodable", "JSONSerialization", "NSNull", "Optional", "Protocol", "RawRepresentable",
        "RawValue", "ReceivedJSON", "Self", "Snapshot", "String", "Type",
    ]

    /// A name in back-quotes if it is a keyword (The Swift Programming Language, "Keywords and Punctuation").
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The name of a property or an enum case: in camel case, as Amplify writes it.
    static func property(_ name: String) -> String {
        let camel = CaseStyle.camel(name)
        // `__typename` stays as it is, and so does a name of which nothing but digits would be left.
        return plain(name.hasPrefix("__") || camel.first?.isLetter != true ? name : camel)
    }

    /// A name as it is, unless it means something else in Swift even in back-quotes.
    static func plain(_ name: String) -> String {
        if name == "_" { return "_field" }
        return ["init", "self", "Self", "Type", "Protocol"].contains(name) ? "\(name)_" : name
    }

    /// The name of the type of a property: in the singular and in Pascal case, as Amplify writes it.
    static func type(_ name: String) -> String {
        let pascal = CaseStyle.pascal(Singular.singular(name))
        return pascal.first?.isLetter == true ? pascal : "Field_\(name)"
    }

    private static let keywords = Set(
        """
        Any as associatedtype await break case catch class continue default defer deinit do else enum extension \
        fallthrough false fileprivate for func guard if import in inout internal is let nil operator precedencegroup \
        private protocol public repeat rethrows return static struct subscript super switch throw throws true try \
        typealias var where while
        """.split(separator: " ").map(String.init))
}
