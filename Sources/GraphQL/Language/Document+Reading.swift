/// Reading a document: siblings by their range, names and strings as text, parts as trees.
extension Document {
    /// The selections of a set.
    public subscript(range: NodeRange<Selection>) -> Nodes<Selection> { selections[range] }

    /// The arguments of a field or directive.
    public subscript(range: NodeRange<Argument>) -> Nodes<Argument> { arguments[range] }

    /// The elements of a list.
    public subscript(range: NodeRange<ValueNode>) -> Nodes<ValueNode> { values[range] }

    /// The fields of an input object.
    public subscript(range: NodeRange<ObjectField>) -> Nodes<ObjectField> { objectFields[range] }

    /// The directives of a node.
    public subscript(range: NodeRange<Directive>) -> Nodes<Directive> { directives[range] }

    /// The variables of an operation.
    public subscript(range: NodeRange<VariableDefinition>) -> Nodes<VariableDefinition> {
        variableDefinitions[range]
    }

    /// A type by its place in the pool.
    public subscript(type index: TypeReference.Index) -> TypeReference { types[Int(index)] }

    /// The bytes of a name.
    public func bytes(of name: Name) -> ArraySlice<UInt8> {
        source.bytes[name.indices]
    }

    /// A name as text.
    public func name(_ name: Name) -> String { String(decoding: bytes(of: name), as: UTF8.self) }

    /// Whether two names are the same word.
    ///
    /// Memory safety: the array outlives its span, which checks the range.
    public func areEqual(_ left: Name, _ right: Name) -> Bool {
        guard left.count == right.count else { return false }
        let bytes = source.bytes
        return unsafe bytes.span.bytes.extracting(left.indices).isEqual(to: bytes.span.bytes.extracting(right.indices))
    }

    /// Whether a name is this word.
    public func isName(_ name: Name, _ text: String) -> Bool {
        Int(name.count) == text.utf8.count && bytes(of: name).elementsEqual(text.utf8)
    }

    /// Line and column of a node, for errors.
    public func location(of offset: UInt32) -> SourceLocation { source.location(of: Int(offset)) }

    /// The first fragment of this name.
    public func fragment(named name: Name) -> FragmentDefinition? {
        fragments.first { areEqual($0.name, name) }
    }
}

extension Document {
    /// The characters of a string, its escapes decoded and a block string's indentation removed (spec §2.9.4).
    public func string(_ range: StringRange) -> String {
        let raw = source.bytes[Int(range.start)..<Int(range.start) + Int(range.count)]
        return StringDecoding.string(raw, isBlock: range.isBlock, hasEscapes: range.hasEscapes)
    }

    /// A value as a tree that stands alone; nil when it contains a variable.
    public func constValue(of node: ValueNode) -> ConstValue? {
        switch node.kind {
        case .variable: return nil
        case .int(let text): return .int(name(text))
        case .float(let text): return .float(name(text))
        case .string(let range): return .string(string(range))
        case .boolean(let value): return .boolean(value)
        case .null: return .null
        case .enumValue(let value): return .enumValue(name(value))
        case .list(let range):
            var elements: [ConstValue] = []
            for element in self[range] {
                guard let value = constValue(of: element) else { return nil }
                elements.append(value)
            }
            return .list(elements)
        case .object(let range):
            var fields: [ConstObjectField] = []
            for field in self[range] {
                guard let value = constValue(of: field.value) else { return nil }
                fields.append(ConstObjectField(name: name(field.name), value: value))
            }
            return .object(fields)
        }
    }

    /// A type as a tree that stands alone.
    public func typeNode(of index: TypeReference.Index) -> TypeNode {
        switch self[type: index] {
        case .named(let text): .named(name(text))
        case .list(let element, offset: _): .list(typeNode(of: element))
        case .nonNull(let nullable): .nonNull(typeNode(of: nullable))
        }
    }
}

extension Name {
    /// The places of its bytes.
    var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
