import GraphQL

/// The nodes of a schema's text with the ranges of their bytes. `GraphQL`'s document says where a node begins; to change a
/// node in place its end and its parts are needed too.
enum Syntax {
    typealias Bytes = Range<Int>

    /// A name.
    struct Name {
        let text: String
        let range: Bytes
    }

    /// A reference to a type: `[Int!]!`.
    struct TypeReference {
        let range: Bytes
        let name: Name
        let node: TypeNode
    }

    /// A constant value. A list has elements, an object has fields.
    struct Value {
        let range: Bytes
        let node: ConstValue
        var elements: [Value] = []
        var fields: [Argument] = []

        /// The elements of a list; another value is a list of itself.
        var listed: [Value] { node.listValue == nil ? [self] : elements }
    }

    /// An argument of a directive, or a field of an object value.
    struct Argument {
        let range: Bytes
        let name: Name
        let value: Value
    }

    /// A directive where it is applied.
    struct Directive {
        let range: Bytes
        let name: Name
        /// From one parenthesis to the other; nil where there are none.
        let parentheses: Bytes?
        let arguments: [Argument]

        subscript(_ name: String) -> Argument? { arguments.first { $0.name.text == name } }

        /// The strings that an argument lists; a single string is a list of itself.
        func names(_ argument: String) -> [String] {
            guard let value = self[argument]?.value.node, !value.isNull else { return [] }
            return value.listCoercedValue.compactMap(\.stringValue)
        }
    }

    /// A field, an argument, a value of an enum, or a root type of a schema definition.
    struct Member {
        /// From its description or name to its last directive.
        let range: Bytes
        let description: SourceToken?
        let name: Name
        let arguments: [Member]
        /// Nil for a value of an enum.
        let type: TypeReference?
        let defaultValue: Value?
        let directives: [Directive]
        /// The end of what precedes the directives.
        let directivesStart: Int

        func directive(_ name: String) -> Directive? { directives.first { $0.name.text == name } }
        func directives(_ name: String) -> [Directive] { directives.filter { $0.name.text == name } }
    }

    /// What a definition defines.
    enum Kind {
        case schema, scalar, object, interface, union, enumeration, inputObject, directive
    }

    /// A definition or an extension.
    struct Definition {
        let kind: Kind
        let isExtension: Bool
        /// The file it stands in, by its index.
        let file: Int
        /// From its description or first word to its last token.
        let range: Bytes
        let description: SourceToken?
        /// The first token after the description.
        let keyword: Bytes
        /// The name; of a schema definition the word `schema`.
        let name: Name
        let interfaces: [Name]
        let directives: [Directive]
        /// The end of what precedes the directives.
        let directivesStart: Int
        /// From one brace to the other; nil where there are none.
        let braces: Bytes?
        let members: [Member]
        /// The member types of a union.
        let memberTypes: [Name]

        var isModel: Bool { kind == .object && directive("model") != nil }
        func directive(_ name: String) -> Directive? { directives.first { $0.name.text == name } }
        func directives(_ name: String) -> [Directive] { directives.filter { $0.name.text == name } }
    }
}
