/// Recursive descent over operations and fragments (spec §2.2–2.12), one token ahead.
///
/// Siblings must be neighbours in their pool, but between two siblings the children of the first are parsed. So
/// siblings wait on a stack of their kind and move into the pool together when their set closes. Arguments,
/// directives and variables have no children of their own kind and go into their pools directly.
struct ExecutableParser: ~Copyable {
    private(set) var lexer: Lexer
    private let source: Source
    private var depth = 0
    /// The deepest that `depth` has been.
    private var nesting = 0

    /// Where nodes stay.
    private var pools: NodePools
    private var nonExecutableDefinitions: [NonExecutableDefinition] = []
    private var waiting: Waiting

    /// Where siblings wait for the end of their set.
    private struct Waiting: ~Copyable {
        var selections: Pool<Selection>
        var values: Pool<ValueNode>
        var objectFields: Pool<ObjectField>

        init(in memory: inout PoolMemory) {
            selections = Pool(countAtFirst: 16, in: &memory)
            values = Pool(in: &memory)
            objectFields = Pool(in: &memory)
        }
    }

    /// The memory must outlive the parser.
    init(_ lexer: Lexer, source: Source, in memory: inout PoolMemory) {
        self.lexer = lexer
        self.source = source
        pools = NodePools(in: &memory)
        waiting = Waiting(in: &memory)
    }

    /// Spec §2.2 Document.
    mutating func document() throws(SyntaxFault) -> Document {
        repeat { try definition() } while lexer.token.kind != .endOfSource
        return Document(
            source: source, nonExecutableDefinitions: nonExecutableDefinitions, nesting: nesting, pools: pools)
    }

    /// Spec §2.2 Definition.
    private mutating func definition() throws(SyntaxFault) {
        if lexer.token.kind == .openBrace || operationType != nil {
            pools.operations.append(try operation())
        } else if lexer.isKeyword("fragment") {
            pools.fragments.append(try fragmentDefinition())
        } else if TypeSystemParser.isDefinitionStart(lexer) {
            var parser = TypeSystemParser(lexer, source: source, sourceIndex: nil)
            let offset = lexer.token.name.start
            nonExecutableDefinitions.append(
                NonExecutableDefinition(name: try parser.definition().name, offset: offset))
            lexer = parser.lexer
        } else if pools.operations.count == 0, pools.fragments.count == 0, nonExecutableDefinitions.isEmpty {
            throw lexer.fault(.expected("an operation or a fragment"))
        } else {
            throw lexer.fault(.trailing)
        }
    }

    private var operationType: OperationType? {
        guard lexer.token.kind == .name else { return nil }
        if lexer.isTokenText("query") { return .query }
        if lexer.isTokenText("mutation") { return .mutation }
        if lexer.isTokenText("subscription") { return .subscription }
        return nil
    }

    /// Parses one operation or fragment whose result is discarded, for a text that should not hold any.
    static func skipDefinition(of source: Source, _ lexer: inout Lexer) throws(SyntaxFault) {
        var memory = PoolMemory()
        try skipDefinition(of: source, &lexer, in: &memory)
    }

    private static func skipDefinition(
        of source: Source, _ lexer: inout Lexer, in memory: inout PoolMemory
    ) throws(SyntaxFault) {
        var parser = ExecutableParser(lexer, source: source, in: &memory)
        defer { lexer = parser.lexer }
        try parser.definition()
    }

    /// Whether the token begins an operation or a fragment.
    static func isDefinitionStart(_ lexer: Lexer) -> Bool {
        lexer.token.kind == .openBrace || lexer.isKeyword("query") || lexer.isKeyword("mutation")
            || lexer.isKeyword("subscription") || lexer.isKeyword("fragment")
    }
}

// MARK: - Tokens

extension ExecutableParser {
    @inline(__always) private var kind: Token.Kind { lexer.token.kind }
    @inline(__always) private var offset: UInt32 { UInt32(truncatingIfNeeded: lexer.token.start) }

    @inline(__always)
    private mutating func expect(_ kind: Token.Kind, _ expectation: StaticString) throws(SyntaxFault) {
        guard lexer.token.kind == kind else { throw lexer.fault(.expected(expectation)) }
        lexer.advance()
    }

    /// Steps over the token if it is of this kind.
    @inline(__always) private mutating func skip(_ kind: Token.Kind) -> Bool {
        guard lexer.token.kind == kind else { return false }
        lexer.advance()
        return true
    }

    @inline(__always) private mutating func name(_ expectation: StaticString) throws(SyntaxFault) -> Name {
        let token = lexer.token
        guard token.kind == .name else { throw lexer.fault(.expected(expectation)) }
        lexer.advance()
        return token.name
    }

    @inline(__always) private mutating func descend() throws(SyntaxFault) {
        depth &+= 1
        guard depth <= lexer.depthMax else { throw lexer.fault(.tooDeep(lexer.depthMax)) }
        nesting = max(nesting, depth)
    }
}

// MARK: - Operations and fragments

extension ExecutableParser {
    /// Spec §2.3 OperationDefinition.
    private mutating func operation() throws(SyntaxFault) -> OperationDefinition {
        var operation = OperationDefinition(
            type: .query, variableDefinitions: .none, directives: .none, selectionSet: .none, offset: offset)
        if let type = operationType {
            operation.type = type
            lexer.advance()
            if kind == .name { operation.name = try name("a name") }
            operation.variableDefinitions = try variableDefinitions()
            operation.directives = try directives(isConst: false)
        }
        operation.selectionSet = try selectionSet()
        return operation
    }

    /// Spec §2.8 FragmentDefinition.
    private mutating func fragmentDefinition() throws(SyntaxFault) -> FragmentDefinition {
        let offset = offset
        lexer.advance()
        if lexer.isKeyword("on") { throw lexer.fault(.expected("a fragment's name, which cannot be \"on\"")) }
        let fragmentName = try name("a fragment's name")
        guard lexer.isKeyword("on") else { throw lexer.fault(.expected("\"on\" and a type")) }
        lexer.advance()
        return FragmentDefinition(
            name: fragmentName, typeCondition: try name("a type's name"), directives: try directives(isConst: false),
            selectionSet: try selectionSet(), offset: offset)
    }

    /// Spec §2.10 VariableDefinitions.
    private mutating func variableDefinitions() throws(SyntaxFault) -> NodeRange<VariableDefinition> {
        let start = pools.variableDefinitions.count
        guard skip(.openParenthesis) else { return .none }
        repeat {
            let offset = offset
            try expect(.dollar, "a variable")
            let variable = try name("a variable's name")
            try expect(.colon, "\":\" and the variable's type")
            let definition = VariableDefinition(
                name: variable, type: try type(), defaultValue: skip(.equals) ? try value(isConst: true) : nil,
                directives: try directives(isConst: true), offset: offset)
            pools.variableDefinitions.append(definition)
        } while !skip(.closeParenthesis)
        return pools.variableDefinitions.range(from: start)
    }

    /// Spec §2.11 Type.
    private mutating func type() throws(SyntaxFault) -> TypeReference.Index {
        let offset = offset
        var index: TypeReference.Index
        if skip(.openBracket) {
            try descend()
            let element = try type()
            try expect(.closeBracket, "\"]\"")
            depth &-= 1
            index = append(.list(element, offset: offset))
        } else {
            index = append(.named(try name("a type")))
        }
        if skip(.bang) { index = append(.nonNull(index)) }
        return index
    }

    private mutating func append(_ type: TypeReference) -> TypeReference.Index {
        pools.types.append(type)
        return TypeReference.Index(pools.types.count - 1)
    }
}

// MARK: - Selections

extension ExecutableParser {
    /// Spec §2.4 SelectionSet.
    private mutating func selectionSet() throws(SyntaxFault) -> NodeRange<Selection> {
        try expect(.openBrace, "\"{\"")
        try descend()
        let mark = waiting.selections.count
        repeat {
            if kind == .name {
                waiting.selections.append(.field(try field()))
            } else if kind == .spread {
                waiting.selections.append(try fragment())
            } else {
                throw lexer.fault(.expected("a field or a fragment"))
            }
        } while !skip(.closeBrace)
        depth &-= 1
        return pools.selections.close(&waiting.selections, from: mark)
    }

    /// Spec §2.5 Field. Most are leaves: a name, and after it the next one or the set's end.
    @inline(__always) private mutating func field() throws(SyntaxFault) -> Field {
        let name = lexer.token.name
        lexer.advance()
        if kind == .name || kind == .closeBrace {
            return Field(alias: nil, name: name, arguments: .none, directives: .none, selectionSet: nil)
        }
        return try field(after: name)
    }

    /// A field whose first name was read.
    private mutating func field(after first: Name) throws(SyntaxFault) -> Field {
        let second = skip(.colon) ? try name("a field's name") : nil
        return Field(
            alias: second == nil ? nil : first, name: second ?? first,
            arguments: kind == .openParenthesis ? try arguments(isConst: false) : .none,
            directives: kind == .at ? try directives(isConst: false) : .none,
            selectionSet: kind == .openBrace ? try selectionSet() : nil)
    }

    /// Spec §2.8 FragmentSpread and InlineFragment.
    private mutating func fragment() throws(SyntaxFault) -> Selection {
        let offset = offset
        lexer.advance()
        let isConditional = lexer.isKeyword("on")
        if kind == .name, !isConditional {
            return .fragmentSpread(
                FragmentSpread(
                    name: try name("a fragment's name"), directives: try directives(isConst: false), offset: offset))
        }
        if isConditional { lexer.advance() }
        return .inlineFragment(
            InlineFragment(
                typeCondition: isConditional ? try name("a type's name") : nil,
                directives: try directives(isConst: false), selectionSet: try selectionSet(), offset: offset))
    }

    /// Spec §2.6 Arguments.
    private mutating func arguments(isConst: Bool) throws(SyntaxFault) -> NodeRange<Argument> {
        let start = pools.arguments.count
        guard skip(.openParenthesis) else { return .none }
        repeat {
            let argument = try name("an argument")
            try expect(.colon, "\":\" and the argument's value")
            pools.arguments.append(Argument(name: argument, value: try value(isConst: isConst)))
        } while !skip(.closeParenthesis)
        return pools.arguments.range(from: start)
    }

    /// Spec §2.12 Directives.
    private mutating func directives(isConst: Bool) throws(SyntaxFault) -> NodeRange<Directive> {
        guard kind == .at else { return .none }
        let start = pools.directives.count
        while kind == .at {
            let offset = offset
            lexer.advance()
            pools.directives.append(
                Directive(
                    name: try name("a directive's name"), arguments: try arguments(isConst: isConst), offset: offset))
        }
        return pools.directives.range(from: start)
    }
}

// MARK: - Values

extension ExecutableParser {
    /// Spec §2.9 Value; a constant one holds no variable.
    private mutating func value(isConst: Bool) throws(SyntaxFault) -> ValueNode {
        let token = lexer.token
        let offset = offset
        let kind: ValueNode.Kind
        switch token.kind {
        case .dollar:
            if isConst { throw lexer.fault(.expected("a constant value")) }
            lexer.advance()
            return ValueNode(kind: .variable(try name("a variable's name")), offset: offset)
        case .openBracket: return ValueNode(kind: .list(try list(isConst: isConst)), offset: offset)
        case .openBrace: return ValueNode(kind: .object(try object(isConst: isConst)), offset: offset)
        case .name:
            if lexer.isTokenText("true") {
                kind = .boolean(true)
            } else if lexer.isTokenText("false") {
                kind = .boolean(false)
            } else if lexer.isTokenText("null") {
                kind = .null
            } else {
                kind = .enumValue(token.name)
            }
        case .int: kind = .int(token.name)
        case .float: kind = .float(token.name)
        case .string, .blockString: kind = .string(token.string)
        default: throw lexer.fault(.expected("a value"))
        }
        lexer.advance()
        return ValueNode(kind: kind, offset: offset)
    }

    /// Spec §2.9.7 ListValue.
    private mutating func list(isConst: Bool) throws(SyntaxFault) -> NodeRange<ValueNode> {
        lexer.advance()
        try descend()
        let mark = waiting.values.count
        while !skip(.closeBracket) { waiting.values.append(try value(isConst: isConst)) }
        depth &-= 1
        return pools.values.close(&waiting.values, from: mark)
    }

    /// Spec §2.9.8 ObjectValue.
    private mutating func object(isConst: Bool) throws(SyntaxFault) -> NodeRange<ObjectField> {
        lexer.advance()
        try descend()
        let mark = waiting.objectFields.count
        while !skip(.closeBrace) {
            let field = try name("a field of the object")
            try expect(.colon, "\":\" and the field's value")
            waiting.objectFields.append(ObjectField(name: field, value: try value(isConst: isConst)))
        }
        depth &-= 1
        return pools.objectFields.close(&waiting.objectFields, from: mark)
    }
}
