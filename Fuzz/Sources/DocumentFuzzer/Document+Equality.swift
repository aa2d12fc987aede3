import GraphQL

// Whether two documents say the same, in a way that shares nothing with the printer: both are walked into one list of
// words, places aside.
extension Document {
    func isEqual(to other: Document) -> Bool { words == other.words }

    private var words: [String] {
        var words = Words(document: self)
        for operation in operations { words.add(operation) }
        for fragment in fragments { words.add(fragment) }
        return words.list
    }
}

private struct Words {
    let document: Document
    var list: [String] = []

    mutating func add(_ operation: OperationDefinition) {
        list.append(operation.type.rawValue)
        add(operation.name)
        list.append("(\(operation.variableDefinitions.count)")
        for variable in document[operation.variableDefinitions] {
            add(variable.name)
            list.append(document.typeNode(of: variable.type).description)
            list.append(variable.defaultValue == nil ? "required" : "optional")
            if let value = variable.defaultValue { add(value) }
            add(variable.directives)
        }
        add(operation.directives)
        add(operation.selectionSet)
    }

    mutating func add(_ fragment: FragmentDefinition) {
        list.append("fragment")
        add(fragment.name)
        add(fragment.typeCondition)
        add(fragment.directives)
        add(fragment.selectionSet)
    }

    private mutating func add(_ selections: NodeRange<Selection>) {
        list.append("{\(selections.count)")
        for selection in document[selections] {
            switch selection {
            case .field(let field):
                list.append("field")
                add(field.alias)
                add(field.name)
                add(field.arguments)
                add(field.directives)
                list.append(field.selectionSet == nil ? "leaf" : "branch")
                if let selectionSet = field.selectionSet { add(selectionSet) }
            case .fragmentSpread(let spread):
                list.append("spread")
                add(spread.name)
                add(spread.directives)
            case .inlineFragment(let fragment):
                list.append("inline")
                add(fragment.typeCondition)
                add(fragment.directives)
                add(fragment.selectionSet)
            }
        }
    }

    private mutating func add(_ directives: NodeRange<Directive>) {
        list.append("@\(directives.count)")
        for directive in document[directives] {
            add(directive.name)
            add(directive.arguments)
        }
    }

    private mutating func add(_ arguments: NodeRange<Argument>) {
        list.append("(\(arguments.count)")
        for argument in document[arguments] {
            add(argument.name)
            add(argument.value)
        }
    }

    private mutating func add(_ value: ValueNode) {
        switch value.kind {
        case .variable(let name): list.append("$" + document.name(name))
        case .int(let text): list.append("int " + document.name(text))
        case .float(let text): list.append("float " + document.name(text))
        case .string(let range): list.append("string " + document.string(range))
        case .boolean(let value): list.append("boolean \(value)")
        case .null: list.append("null")
        case .enumValue(let name): list.append("enum " + document.name(name))
        case .list(let elements):
            list.append("[\(elements.count)")
            for element in document[elements] { add(element) }
        case .object(let fields):
            list.append("{\(fields.count)")
            for field in document[fields] {
                add(field.name)
                add(field.value)
            }
        }
    }

    private mutating func add(_ name: Name?) { list.append(name.map(document.name) ?? "anonymous") }
}
