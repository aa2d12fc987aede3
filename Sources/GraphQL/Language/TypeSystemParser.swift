/// Recursive descent over the definitions of a schema (spec §3), one token ahead, into trees that stand alone.
struct TypeSystemParser {
    private(set) var lexer: Lexer
    private let source: Source
    /// Which source a `Place` names; nil keeps no places.
    private let sourceIndex: Int?
    private var depth = 0

    init(_ lexer: Lexer, source: Source, sourceIndex: Int?) {
        self.lexer = lexer
        self.source = source
        self.sourceIndex = sourceIndex
    }

    /// All definitions up to the end of the text, and the faults of those that are left out.
    mutating func definitions() -> (definitions: [TypeSystemDefinition], faults: [SyntaxFault]) {
        let faultsMax = 20
        var definitions: [TypeSystemDefinition] = []
        var faults: [SyntaxFault] = []
        while lexer.token.kind != .endOfSource {
            do throws(SyntaxFault) {
                definitions.append(try definition())
            } catch {
                faults.append(error)
                guard faults.count < faultsMax, resume(after: error) else { break }
            }
        }
        return (definitions, faults)
    }

    /// Goes on at the next definition after a fault: at a word that begins one and stands first on its line.
    ///
    /// A bound that was met and bytes that form no token leave nothing to go on with.
    private mutating func resume(after fault: SyntaxFault) -> Bool {
        guard case .expected = fault.reason else { return false }
        depth = 0
        // At least one step, so that a fault at a definition's first token is not met again.
        repeat { lexer.advance() } while !isAtEnd && !isAtDefinition
        return !isAtEnd
    }

    /// Whether nothing follows that a definition could begin with.
    private var isAtEnd: Bool { kind == .endOfSource || kind == .malformed }

    private var isAtDefinition: Bool {
        let start = lexer.token.start
        let isFirstOnLine = start == 0 || source.bytes[start - 1] == 0x0A || source.bytes[start - 1] == 0x0D
        return isFirstOnLine && isAtDefinitionWord
    }

    private var isAtDefinitionWord: Bool {
        Self.isDefinitionStart(lexer) || ExecutableParser.isDefinitionStart(lexer)
    }

    /// Whether the token begins a definition, an extension or a description.
    static func isDefinitionStart(_ lexer: Lexer) -> Bool {
        switch lexer.token.kind {
        case .string, .blockString: true
        case .name:
            lexer.isTokenText("type") || lexer.isTokenText("input") || lexer.isTokenText("enum")
                || lexer.isTokenText("interface") || lexer.isTokenText("union") || lexer.isTokenText("scalar")
                || lexer.isTokenText("schema") || lexer.isTokenText("directive") || lexer.isTokenText("extend")
        default: false
        }
    }

    /// Spec §3.1 TypeSystemDefinitionOrExtension.
    mutating func definition() throws(SyntaxFault) -> TypeSystemDefinition {
        let place = place
        if ExecutableParser.isDefinitionStart(lexer) {
            try ExecutableParser.skipDefinition(of: source, &lexer)
            return .executable(place)
        }
        let description = try description()
        if description == nil, skip("extend") {
            if skip("schema") { return .schemaExtension(try schema(nil, place, isExtension: true)) }
            return .typeExtension(try type(nil, place, isExtension: true))
        }
        if skip("schema") { return .schema(try schema(description, place, isExtension: false)) }
        if skip("directive") { return .directive(try directiveDefinition(description, place)) }
        return .type(try type(description, place, isExtension: false))
    }
}

// MARK: - Tokens

extension TypeSystemParser {
    private var kind: Token.Kind { lexer.token.kind }
    private var place: Place? { sourceIndex.map { Place(source: $0, offset: lexer.token.start) } }

    private mutating func expect(_ kind: Token.Kind, _ expectation: StaticString) throws(SyntaxFault) {
        guard lexer.token.kind == kind else { throw lexer.fault(.expected(expectation)) }
        lexer.advance()
    }

    private mutating func skip(_ kind: Token.Kind) -> Bool {
        guard lexer.token.kind == kind else { return false }
        lexer.advance()
        return true
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        guard lexer.isKeyword(word) else { return false }
        lexer.advance()
        return true
    }

    private mutating func name(_ expectation: StaticString) throws(SyntaxFault) -> String {
        guard kind == .name else { throw lexer.fault(.expected(expectation)) }
        return try text()
    }

    /// The token as it is written.
    private mutating func text() throws(SyntaxFault) -> String {
        let text = String(decoding: source.bytes[lexer.token.start..<lexer.token.end], as: UTF8.self)
        lexer.advance()
        return text
    }

    private mutating func string() throws(SyntaxFault) -> String {
        let range = lexer.token.string
        let raw = source.bytes[Int(range.start)..<Int(range.start) + Int(range.count)]
        lexer.advance()
        return StringDecoding.string(raw, isBlock: range.isBlock, hasEscapes: range.hasEscapes)
    }

    /// Spec §2.2 Description.
    private mutating func description() throws(SyntaxFault) -> Description? {
        guard kind == .string || kind == .blockString else { return nil }
        let isBlock = kind == .blockString
        return Description(try string(), isBlock: isBlock)
    }

    /// One or more members between brackets, or none when the bracket does not open. `{}` is a fault (spec §3: "one
    /// or more").
    private mutating func members<Member>(
        _ open: Token.Kind, _ close: Token.Kind, _ member: (inout Self) throws(SyntaxFault) -> Member
    ) throws(SyntaxFault) -> [Member] {
        guard skip(open) else { return [] }
        var members: [Member] = []
        repeat { members.append(try member(&self)) } while !skip(close)
        return members
    }
}

// MARK: - Definitions

extension TypeSystemParser {
    /// Spec §3.3 SchemaDefinition, after its keyword.
    private mutating func schema(
        _ description: Description?, _ place: Place?, isExtension: Bool
    ) throws(SyntaxFault) -> SchemaDefinition {
        let directives = try directives()
        if !isExtension || directives.isEmpty, kind != .openBrace {
            throw lexer.fault(.expected("\"{\" and the root types"))
        }
        let types = try members(.openBrace, .closeBrace) { parser throws(SyntaxFault) in
            try parser.operationTypeDefinition()
        }
        return SchemaDefinition(
            description: description, directives: directives, operationTypes: types, place: place)
    }

    private mutating func operationTypeDefinition() throws(SyntaxFault) -> OperationTypeDefinition {
        let place = place
        let fault = lexer.fault(.expected("\"query\", \"mutation\" or \"subscription\""))
        guard kind == .name, let operation = OperationType(rawValue: try text()) else { throw fault }
        try expect(.colon, "\":\" and the root type")
        return OperationTypeDefinition(operation: operation, typeName: try name("a type's name"), place: place)
    }

    /// Spec §3.13 DirectiveDefinition, after its keyword.
    private mutating func directiveDefinition(
        _ description: Description?, _ place: Place?
    ) throws(SyntaxFault) -> DirectiveDefinition {
        try expect(.at, "\"@\" and the directive's name")
        let name = try name("a directive's name")
        let arguments = try argumentDefinitions()
        let isRepeatable = skip("repeatable")
        guard skip("on") else { throw lexer.fault(.expected("\"on\" and the directive's locations")) }
        return DirectiveDefinition(
            description: description, name: name, arguments: arguments, isRepeatable: isRepeatable,
            locations: try directiveLocations(), place: place)
    }

    /// Spec §3.13 DirectiveLocations, whose words are part of the grammar.
    private mutating func directiveLocations() throws(SyntaxFault) -> [String] {
        _ = skip(.pipe)
        var locations: [String] = []
        repeat {
            let fault = lexer.fault(.expected("a directive location such as FIELD_DEFINITION"))
            let location = try name("a directive location such as FIELD_DEFINITION")
            guard DirectiveDefinition.locationNames.contains(location) else { throw fault }
            locations.append(location)
        } while skip(.pipe)
        return locations
    }

    /// Spec §3.4 TypeDefinition and TypeExtension. An extension may lack its braces when it has anything else.
    private mutating func type(
        _ description: Description?, _ place: Place?, isExtension: Bool
    ) throws(SyntaxFault) -> TypeDefinition {
        var definition: TypeDefinition
        if skip("type") {
            let name = try name("a type's name")
            definition = .object(
                ObjectTypeDefinition(
                    name: name, interfaces: try implementedInterfaces(), directives: try directives(),
                    fields: try fieldDefinitions()))
        } else if skip("interface") {
            let name = try name("an interface's name")
            definition = .interface(
                InterfaceTypeDefinition(
                    name: name, interfaces: try implementedInterfaces(), directives: try directives(),
                    fields: try fieldDefinitions()))
        } else if skip("union") {
            let name = try name("a union's name")
            definition = .union(
                UnionTypeDefinition(
                    name: name, directives: try directives(),
                    members: skip(.equals) ? try memberTypes() : []))
        } else if skip("enum") {
            let name = try name("an enum's name")
            definition = .enumeration(
                EnumTypeDefinition(name: name, directives: try directives(), values: try enumValueDefinitions()))
        } else if skip("input") {
            let name = try name("an input type's name")
            definition = .inputObject(
                InputObjectTypeDefinition(
                    name: name, directives: try directives(), fields: try inputFieldDefinitions()))
        } else if skip("scalar") {
            definition = .scalar(
                ScalarTypeDefinition(name: try name("a scalar's name"), directives: try directives()))
        } else {
            throw lexer.fault(.expected(isExtension ? "a type to extend" : "a definition"))
        }
        if isExtension, definition.isEmpty { throw lexer.fault(.expected("what the extension adds")) }
        definition.description = description
        definition.place = place
        return definition
    }

    /// Spec §3.6 ImplementsInterfaces. Besides `A & B` the older `A, B`, which the engine behind AppSync takes too; a
    /// word that begins a definition then belongs to the next one.
    private mutating func implementedInterfaces() throws(SyntaxFault) -> [String] {
        guard skip("implements") else { return [] }
        _ = skip(.ampersand)
        var names = [try name("an interface's name")]
        while skip(.ampersand) || kind == .name && !isAtDefinitionWord {
            names.append(try name("an interface's name"))
        }
        return names
    }

    /// Spec §3.8 UnionMemberTypes, after the equals sign.
    private mutating func memberTypes() throws(SyntaxFault) -> [String] {
        _ = skip(.pipe)
        var names: [String] = []
        repeat { names.append(try name("a member type")) } while skip(.pipe)
        return names
    }
}

// MARK: - Members

extension TypeSystemParser {
    private mutating func fieldDefinitions() throws(SyntaxFault) -> [FieldDefinition] {
        try members(.openBrace, .closeBrace) { parser throws(SyntaxFault) in try parser.fieldDefinition() }
    }

    private mutating func inputFieldDefinitions() throws(SyntaxFault) -> [InputValueDefinition] {
        try members(.openBrace, .closeBrace) { parser throws(SyntaxFault) in
            try parser.inputValueDefinition("a field")
        }
    }

    private mutating func argumentDefinitions() throws(SyntaxFault) -> [InputValueDefinition] {
        try members(.openParenthesis, .closeParenthesis) { parser throws(SyntaxFault) in
            try parser.inputValueDefinition("an argument")
        }
    }

    private mutating func enumValueDefinitions() throws(SyntaxFault) -> [EnumValueDefinition] {
        try members(.openBrace, .closeBrace) { parser throws(SyntaxFault) in try parser.enumValueDefinition() }
    }

    /// Spec §3.6 FieldDefinition.
    private mutating func fieldDefinition() throws(SyntaxFault) -> FieldDefinition {
        let place = place
        let description = try description()
        let name = try name("a field")
        let arguments = try argumentDefinitions()
        try expect(.colon, "\":\" and the field's type")
        return FieldDefinition(
            description: description, name: name, arguments: arguments, type: try type(),
            directives: try directives(), place: place)
    }

    /// Spec §3.6.1 InputValueDefinition.
    private mutating func inputValueDefinition(
        _ expectation: StaticString
    ) throws(SyntaxFault) -> InputValueDefinition {
        let place = place
        let description = try description()
        let name = try name(expectation)
        try expect(.colon, "\":\" and a type")
        return InputValueDefinition(
            description: description, name: name, type: try type(), defaultValue: skip(.equals) ? try value() : nil,
            directives: try directives(), place: place)
    }

    /// Spec §3.9 EnumValueDefinition.
    private mutating func enumValueDefinition() throws(SyntaxFault) -> EnumValueDefinition {
        let place = place
        let description = try description()
        if lexer.isKeyword("true") || lexer.isKeyword("false") || lexer.isKeyword("null") {
            throw lexer.fault(.expected("an enum value other than true, false and null"))
        }
        return EnumValueDefinition(
            description: description, name: try name("an enum value"), directives: try directives(), place: place)
    }

    /// Spec §2.12 Directives, constant.
    private mutating func directives() throws(SyntaxFault) -> [DirectiveNode] {
        var directives: [DirectiveNode] = []
        while kind == .at {
            let place = place
            lexer.advance()
            let name = try name("a directive's name")
            let arguments = try members(.openParenthesis, .closeParenthesis) { parser throws(SyntaxFault) in
                try parser.argument()
            }
            directives.append(DirectiveNode(name, arguments: arguments, place: place))
        }
        return directives
    }

    private mutating func argument() throws(SyntaxFault) -> ConstArgument {
        let place = place
        let name = try name("an argument")
        try expect(.colon, "\":\" and the argument's value")
        return ConstArgument(name: name, value: try value(), place: place)
    }
}

// MARK: - Types and values

extension TypeSystemParser {
    /// Spec §2.11 Type.
    private mutating func type() throws(SyntaxFault) -> TypeNode {
        let nullable: TypeNode
        if skip(.openBracket) {
            try descend()
            nullable = .list(try type())
            try expect(.closeBracket, "\"]\"")
            depth -= 1
        } else {
            nullable = .named(try name("a type"))
        }
        return skip(.bang) ? .nonNull(nullable) : nullable
    }

    /// Spec §2.9 Value, constant.
    private mutating func value() throws(SyntaxFault) -> ConstValue {
        switch kind {
        case .int: return .int(try text())
        case .float: return .float(try text())
        case .string, .blockString: return .string(try string())
        case .name:
            switch try text() {
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            case "null": return .null
            case let name: return .enumValue(name)
            }
        case .openBracket:
            lexer.advance()
            try descend()
            var elements: [ConstValue] = []
            while !skip(.closeBracket) { elements.append(try value()) }
            depth -= 1
            return .list(elements)
        case .openBrace:
            lexer.advance()
            try descend()
            var fields: [ConstObjectField] = []
            while !skip(.closeBrace) {
                let name = try name("a field of the object")
                try expect(.colon, "\":\" and the field's value")
                fields.append(ConstObjectField(name: name, value: try value()))
            }
            depth -= 1
            return .object(fields)
        default: throw lexer.fault(.expected("a constant value"))
        }
    }

    private mutating func descend() throws(SyntaxFault) {
        depth += 1
        guard depth <= lexer.depthMax else { throw lexer.fault(.tooDeep(lexer.depthMax)) }
    }
}

// MARK: - Parts of definitions

extension TypeSystemDefinition {
    /// The name in messages; a schema has none but its word.
    var name: String {
        switch self {
        case .schema, .schemaExtension: "schema"
        case .type(let type), .typeExtension(let type): type.name
        case .directive(let directive): directive.name
        case .executable: ""
        }
    }
}

extension TypeDefinition {
    /// Whether an extension adds nothing.
    fileprivate var isEmpty: Bool {
        guard directives.isEmpty else { return false }
        return switch self {
        case .scalar: true
        case .object(let type): type.interfaces.isEmpty && type.fields.isEmpty
        case .interface(let type): type.interfaces.isEmpty && type.fields.isEmpty
        case .union(let type): type.members.isEmpty
        case .enumeration(let type): type.values.isEmpty
        case .inputObject(let type): type.fields.isEmpty
        }
    }
}
