import GraphQL

/// Tokens to nodes with ranges. The text was parsed without an error before, so the grammar is not checked again: a token
/// that cannot be there ends the reading.
struct SyntaxReader {
    private struct Unexpected: Error {}

    private let source: Source
    private let file: Int
    private let tokens: [SourceToken]
    private var position = 0

    private init(_ source: Source, file: Int, tokens: [SourceToken]) {
        self.source = source
        self.file = file
        self.tokens = tokens
    }

    /// The definitions of a text that the parser accepts; nil if a token is not where the grammar has it.
    static func definitions(of source: Source, file: Int, tokens: [SourceToken]) -> [Syntax.Definition]? {
        var reader = SyntaxReader(source, file: file, tokens: tokens)
        var definitions: [Syntax.Definition] = []
        do {
            while reader.position < tokens.count { definitions.append(try reader.definition()) }
        } catch {
            return nil
        }
        return definitions
    }

    // MARK: - Tokens

    private var token: SourceToken? { position < tokens.count ? tokens[position] : nil }
    private var lastEnd: Int { position > 0 ? tokens[position - 1].end : 0 }

    private func text(_ token: SourceToken) -> String {
        String(decoding: source.bytes[token.start..<token.end], as: UTF8.self)
    }

    private func isAt(_ punctuator: Unicode.Scalar) -> Bool { token?.kind == .punctuator(UInt8(ascii: punctuator)) }

    private func isAt(word: StaticString) -> Bool {
        guard let token, token.kind == .name, token.end - token.start == word.utf8CodeUnitCount else { return false }
        return text(token) == word.description
    }

    private mutating func take() throws -> SourceToken {
        guard let token else { throw Unexpected() }
        position += 1
        return token
    }

    private mutating func take(_ punctuator: Unicode.Scalar) throws -> SourceToken {
        guard isAt(punctuator) else { throw Unexpected() }
        return try take()
    }

    private mutating func skip(_ punctuator: Unicode.Scalar) -> Bool {
        guard isAt(punctuator) else { return false }
        position += 1
        return true
    }

    private mutating func skip(word: StaticString) -> Bool {
        guard isAt(word: word) else { return false }
        position += 1
        return true
    }

    private mutating func name() throws -> Syntax.Name {
        guard let token, token.kind == .name else { throw Unexpected() }
        position += 1
        return Syntax.Name(text: text(token), range: token.start..<token.end)
    }

    private mutating func description() -> SourceToken? {
        guard let token, token.kind == .string || token.kind == .blockString else { return nil }
        position += 1
        return token
    }

    /// What stands between two brackets, and where they are; nil when the first one is not there.
    private mutating func bracketed<Item>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ item: (inout Self) throws -> Item
    ) throws -> (items: [Item], range: Syntax.Bytes)? {
        guard isAt(open) else { return nil }
        let start = try take().start
        var items: [Item] = []
        while !isAt(close) { items.append(try item(&self)) }
        return (items, start..<(try take().end))
    }

    // MARK: - Definitions

    private mutating func definition() throws -> Syntax.Definition {
        guard let first = token else { throw Unexpected() }
        let description = description()
        guard let keyword = token, keyword.kind == .name else { throw Unexpected() }
        let isExtension = skip(word: "extend")
        let word = try name()
        let kind = try kind(word.text)
        let name = kind == .schema ? word : try definedName(of: kind)
        var members: [Syntax.Member] = []
        var interfaces: [Syntax.Name] = []
        if kind == .directive {
            members = try bracketed("(", ")") { try $0.inputValue() }?.items ?? []
            try skipLocations()
        } else if kind == .object || kind == .interface {
            interfaces = try implemented()
        }
        let directivesStart = lastEnd
        let directives = kind == .directive ? [] : try directives()
        var memberTypes: [Syntax.Name] = []
        var braces: Syntax.Bytes?
        switch kind {
        case .union:
            if skip("=") { memberTypes = try separated("|") }
        case .schema, .object, .interface, .enumeration, .inputObject:
            let block = try bracketed("{", "}") { reader in
                switch kind {
                case .enumeration: try reader.enumValue()
                case .inputObject: try reader.inputValue()
                default: try reader.field()
                }
            }
            members = block?.items ?? []
            braces = block?.range
        case .scalar, .directive: break
        }
        return Syntax.Definition(
            kind: kind, isExtension: isExtension, file: file, range: first.start..<lastEnd, description: description,
            keyword: keyword.start..<keyword.end, name: name, interfaces: interfaces, directives: directives,
            directivesStart: directivesStart, braces: braces, members: members, memberTypes: memberTypes)
    }

    private mutating func definedName(of kind: Syntax.Kind) throws -> Syntax.Name {
        if kind == .directive { _ = try take("@") }
        return try name()
    }

    private func kind(_ word: String) throws -> Syntax.Kind {
        switch word {
        case "schema": .schema
        case "scalar": .scalar
        case "type": .object
        case "interface": .interface
        case "union": .union
        case "enum": .enumeration
        case "input": .inputObject
        case "directive": .directive
        default: throw Unexpected()
        }
    }

    private mutating func implemented() throws -> [Syntax.Name] {
        guard skip(word: "implements") else { return [] }
        _ = skip("&")
        var names = [try name()]
        while true {
            if skip("&") {
                names.append(try name())
            } else if let token, token.kind == .name, !startsDefinition(token) {
                names.append(try name())
            } else {
                return names
            }
        }
    }

    /// Of the older form `implements A, B` without braces, a word that begins a definition ends the list.
    private func startsDefinition(_ token: SourceToken) -> Bool {
        ["type", "input", "enum", "interface", "union", "scalar", "schema", "directive", "extend"]
            .contains(text(token))
    }

    private mutating func skipLocations() throws {
        _ = skip(word: "repeatable")
        guard skip(word: "on") else { throw Unexpected() }
        _ = try separated("|")
    }

    private mutating func separated(_ separator: Unicode.Scalar) throws -> [Syntax.Name] {
        _ = skip(separator)
        var names = [try name()]
        while skip(separator) { names.append(try name()) }
        return names
    }

    // MARK: - Members

    private mutating func field() throws -> Syntax.Member {
        let start = token?.start ?? lastEnd
        let description = description()
        let name = try name()
        let arguments = try bracketed("(", ")") { try $0.inputValue() }?.items ?? []
        _ = try take(":")
        let type = try type()
        let directivesStart = lastEnd
        let directives = try directives()
        return Syntax.Member(
            range: start..<lastEnd, description: description, name: name, arguments: arguments, type: type,
            defaultValue: nil, directives: directives, directivesStart: directivesStart)
    }

    private mutating func inputValue() throws -> Syntax.Member {
        let start = token?.start ?? lastEnd
        let description = description()
        let name = try name()
        _ = try take(":")
        let type = try type()
        let defaultValue = skip("=") ? try value() : nil
        let directivesStart = lastEnd
        let directives = try directives()
        return Syntax.Member(
            range: start..<lastEnd, description: description, name: name, arguments: [], type: type,
            defaultValue: defaultValue, directives: directives, directivesStart: directivesStart)
    }

    private mutating func enumValue() throws -> Syntax.Member {
        let start = token?.start ?? lastEnd
        let description = description()
        let name = try name()
        let directives = try directives()
        return Syntax.Member(
            range: start..<lastEnd, description: description, name: name, arguments: [], type: nil, defaultValue: nil,
            directives: directives, directivesStart: name.range.upperBound)
    }

    private mutating func type() throws -> Syntax.TypeReference {
        let start = token?.start ?? lastEnd
        var node: TypeNode
        let name: Syntax.Name
        if skip("[") {
            let element = try type()
            _ = try take("]")
            (node, name) = (.list(element.node), element.name)
        } else {
            name = try self.name()
            node = .named(name.text)
        }
        if skip("!") { node = .nonNull(node) }
        return Syntax.TypeReference(range: start..<lastEnd, name: name, node: node)
    }

    // MARK: - Directives and values

    private mutating func directives() throws -> [Syntax.Directive] {
        var directives: [Syntax.Directive] = []
        while isAt("@") {
            let start = try take().start
            let name = try name()
            let block = try bracketed("(", ")") { try $0.argument() }
            directives.append(
                Syntax.Directive(
                    range: start..<lastEnd, name: name, parentheses: block?.range, arguments: block?.items ?? []))
        }
        return directives
    }

    private mutating func argument() throws -> Syntax.Argument {
        let name = try name()
        _ = try take(":")
        let value = try value()
        return Syntax.Argument(range: name.range.lowerBound..<lastEnd, name: name, value: value)
    }

    private mutating func value() throws -> Syntax.Value {
        if let list = try bracketed("[", "]", { try $0.value() }) {
            return Syntax.Value(range: list.range, node: .list(list.items.map(\.node)), elements: list.items)
        }
        if let object = try bracketed("{", "}", { try $0.argument() }) {
            let fields = object.items.map { ConstObjectField(name: $0.name.text, value: $0.value.node) }
            return Syntax.Value(range: object.range, node: .object(fields), fields: object.items)
        }
        let token = try take()
        return Syntax.Value(range: token.start..<token.end, node: try leaf(token))
    }

    private func leaf(_ token: SourceToken) throws -> ConstValue {
        let text = text(token)
        switch token.kind {
        case .name:
            switch text {
            case "null": return .null
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            default: return .enumValue(text)
            }
        case .number:
            let isFloat = text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
            return isFloat ? .float(text) : .int(text)
        case .string, .blockString: return .string(token.stringValue(in: source) ?? "")
        case .punctuator, .spread: throw Unexpected()
        }
    }
}
