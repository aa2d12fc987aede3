import GraphQL

@testable import SchemaEdit

/// What edits should do to a schema, said with the parser's tree of values: no text and no places. The properties compare the
/// schema that an edited text parses to with it.
struct IntendedModel {
    var definitions: [TypeSystemDefinition]
    let isVersionTwo: Bool

    init(_ text: String, isVersionTwo: Bool) {
        definitions = Parser.parseTypeSystem([Source(text)], keepingPlaces: false).document.definitions
        self.isVersionTwo = isVersionTwo
    }

    /// The schema as text in which the order of directives, arguments and fields of values does not count.
    var comparable: String {
        var copy = self
        // A description in quotes says the same as a block string.
        let quoted = { (description: Description?) in description.map { Description($0.text, isBlock: false) } }
        copy.mapTypes { type in
            type.description = quoted(type.description)
            guard case .enumeration(var object) = type else { return }
            for index in object.values.indices {
                object.values[index].description = quoted(object.values[index].description)
            }
            type = .enumeration(object)
        }
        copy.mapFields { $0.description = quoted($0.description) }
        copy.mapInputValues { $0.description = quoted($0.description) }
        copy.mapDirectives { directives in
            directives = directives.map { directive in
                var directive = directive
                directive.arguments = directive.arguments.map { argument in
                    var argument = argument
                    argument.value = Self.sorted(argument.value)
                    return argument
                }.sorted { $0.name < $1.name }
                return directive
            }.sorted { "\($0)" < "\($1)" }
        }
        return Printer.print(TypeSystemDocument(copy.definitions))
    }

    private static func sorted(_ value: ConstValue) -> ConstValue {
        switch value {
        case .list(let elements): .list(elements.map(sorted))
        case .object(let fields):
            .object(
                fields.map { ConstObjectField(name: $0.name, value: sorted($0.value)) }.sorted { $0.name < $1.name })
        default: value
        }
    }

    // MARK: - Access

    var objects: [ObjectTypeDefinition] {
        definitions.compactMap { if case .type(.object(let object)) = $0 { object } else { nil } }
    }

    var enums: [EnumTypeDefinition] {
        definitions.compactMap { if case .type(.enumeration(let type)) = $0 { type } else { nil } }
    }

    var models: [ObjectTypeDefinition] { objects.filter { $0.directives.contains { $0.name == "model" } } }

    private var roots: [String] {
        for case .schema(let schema) in definitions { return schema.operationTypes.map(\.typeName) }
        return ["Query", "Mutation", "Subscription"]
    }

    mutating func mapTypes(_ change: (inout TypeDefinition) -> Void) {
        definitions = definitions.map { definition in
            switch definition {
            case .type(var type):
                change(&type)
                return .type(type)
            case .typeExtension(var type):
                change(&type)
                return .typeExtension(type)
            default: return definition
            }
        }
    }

    mutating func mapObjects(_ change: (inout ObjectTypeDefinition) -> Void) {
        mapTypes { type in
            guard case .object(var object) = type else { return }
            change(&object)
            type = .object(object)
        }
    }

    private mutating func withObject(_ name: String, _ change: (inout ObjectTypeDefinition) -> Void) {
        mapObjects { if $0.name == name { change(&$0) } }
    }

    private mutating func withEnum(_ name: String, _ change: (inout EnumTypeDefinition) -> Void) {
        mapTypes { type in
            guard case .enumeration(var object) = type, object.name == name else { return }
            change(&object)
            type = .enumeration(object)
        }
    }

    private mutating func withField(_ name: String, of type: String, _ change: (inout FieldDefinition) -> Void) {
        withObject(type) { object in
            for index in object.fields.indices where object.fields[index].name == name { change(&object.fields[index]) }
        }
    }

    private mutating func mapInputValues(_ change: (inout InputValueDefinition) -> Void) {
        mapTypes { type in
            switch type {
            case .object(var object):
                for index in object.fields.indices {
                    for place in object.fields[index].arguments.indices {
                        change(&object.fields[index].arguments[place])
                    }
                }
                type = .object(object)
            case .interface(var object):
                for index in object.fields.indices {
                    for place in object.fields[index].arguments.indices {
                        change(&object.fields[index].arguments[place])
                    }
                }
                type = .interface(object)
            case .inputObject(var object):
                for index in object.fields.indices { change(&object.fields[index]) }
                type = .inputObject(object)
            default: break
            }
        }
    }

    private mutating func mapFields(_ change: (inout FieldDefinition) -> Void) {
        mapTypes { type in
            switch type {
            case .object(var object):
                for index in object.fields.indices { change(&object.fields[index]) }
                type = .object(object)
            case .interface(var object):
                for index in object.fields.indices { change(&object.fields[index]) }
                type = .interface(object)
            default: break
            }
        }
    }

    private mutating func mapDirectives(_ change: (inout [DirectiveNode]) -> Void) {
        mapTypes { type in
            change(&type.directives)
            guard case .enumeration(var object) = type else { return }
            for index in object.values.indices { change(&object.values[index].directives) }
            type = .enumeration(object)
        }
        mapFields { change(&$0.directives) }
        mapInputValues { change(&$0.directives) }
    }

    // MARK: - Edits

    /// Makes an edit that the editor has accepted; false for one whose result is not said here.
    mutating func apply(_ edit: Edit) -> Bool {
        switch edit {
        case .addModel(let object): add(object, isModel: true)
        case .addCustomType(let object): add(object, isModel: false)
        case .addEnum(let name, let values, let description):
            insert(
                .enumeration(
                    EnumTypeDefinition(
                        description: description.map { Description($0) }, name: name,
                        values: values.map { EnumValueDefinition(name: $0) }))
            ) { if case .enumeration = $0 { true } else { false } }
        case .removeType(let name, let removesReferences): removeType(name, removesReferences)
        case .renameType(let name, let new, let keepsData): renameType(name, to: new, keepsData)
        case .setDescription(let type, let member, let text): describe(type, member, text)
        case .addField(let type, let field, let position):
            insert(fieldDefinition(field), into: type, position)
        case .changeField(let type, let field, let change): self.change(field, of: type, change)
        case .renameField(let type, let field, let new, let keepsData): renameField(field, of: type, to: new, keepsData)
        case .moveField(let type, let field, let position):
            withObject(type) { object in
                guard let index = object.fields.firstIndex(where: { $0.name == field }) else { return }
                let moved = object.fields.remove(at: index)
                object.fields.insert(moved, at: Self.index(position, object.fields.map(\.name)))
            }
        case .removeField(let type, let field): withObject(type) { $0.fields.removeAll { $0.name == field } }
        case .addEnumValue(let type, let value, let position, let description):
            withEnum(type) { object in
                object.values.insert(
                    EnumValueDefinition(description: description.map { Description($0) }, name: value),
                    at: Self.index(position, object.values.map(\.name)))
            }
        case .moveEnumValue(let type, let value, let position):
            withEnum(type) { object in
                guard let index = object.values.firstIndex(where: { $0.name == value }) else { return }
                let moved = object.values.remove(at: index)
                object.values.insert(moved, at: Self.index(position, object.values.map(\.name)))
            }
        case .renameEnumValue(let type, let value, let new): renameValue(value, of: type, to: new)
        case .removeEnumValue(let type, let value): withEnum(type) { $0.values.removeAll { $0.name == value } }
        case .addKey(let type, let key): addKey(key, to: type)
        case .changeKey(let type, let name, let key): changeKey(name, of: type, to: key)
        case .removeKey(let type, let name): removeKey(name, of: type)
        case .setRules(let type, let field, let rules): setRules(rules, type, field)
        case .setModelArguments(let type, let arguments):
            withObject(type) { object in
                for index in object.directives.indices where object.directives[index].name == "model" {
                    object.directives[index].arguments = arguments.map { ConstArgument(name: $0.name, value: $0.value) }
                }
            }
        case .removeRelationship(let type, let field, let removesReverse, let removesKey):
            guard !removesReverse, !removesKey else { return false }
            withObject(type) { $0.fields.removeAll { $0.name == field } }
        case .addRelationship(let relationship): return addRelationship(relationship)
        }
        return true
    }

    private static func index(_ position: Edit.Position, _ names: [String]) -> Int {
        switch position {
        case .first: 0
        case .last: names.count
        case .after(let name): (names.firstIndex(of: name) ?? -1) + 1
        }
    }

    private func fieldDefinition(_ field: Edit.Field) -> FieldDefinition {
        FieldDefinition(
            description: field.description.map { Description($0) }, name: field.name, type: field.node,
            directives: field.defaultValue.map {
                [DirectiveNode("default", arguments: [ConstArgument(name: "value", value: .string($0))])]
            } ?? [])
    }

    private mutating func insert(_ field: FieldDefinition, into type: String, _ position: Edit.Position) {
        var isInserted = false
        withObject(type) { object in
            let names = object.fields.map(\.name)
            if case .after(let neighbour) = position, !names.contains(neighbour) { return }
            guard !isInserted else { return }
            object.fields.insert(field, at: Self.index(position, names))
            isInserted = true
        }
    }

    private mutating func insert(_ type: TypeDefinition, _ isSameKind: (TypeDefinition) -> Bool) {
        let index = definitions.lastIndex { if case .type(let other) = $0 { isSameKind(other) } else { false } }
        definitions.insert(.type(type), at: index.map { $0 + 1 } ?? definitions.count)
    }

    private mutating func add(_ object: Edit.Object, isModel: Bool) {
        let fields = object.fields.isEmpty ? [Edit.Field(name: "id", type: "ID", isRequired: true)] : object.fields
        var directives = isModel ? [DirectiveNode("model")] : []
        if !object.rules.isEmpty {
            directives.append(
                DirectiveNode("auth", arguments: [ConstArgument(name: "rules", value: .list(object.rules))]))
        }
        let roots = roots
        insert(
            .object(
                ObjectTypeDefinition(
                    description: object.description.map { Description($0) }, name: object.name, directives: directives,
                    fields: fields.map(fieldDefinition)))
        ) { other in
            guard case .object(let type) = other else { return false }
            let isOther = type.directives.contains { $0.name == "model" }
            return isModel ? isOther : !isOther && !roots.contains(type.name)
        }
    }

    private mutating func removeType(_ name: String, _ removesReferences: Bool) {
        definitions.removeAll { if case .type(let type) = $0 { type.name == name } else { false } }
        definitions.removeAll { if case .typeExtension(let type) = $0 { type.name == name } else { false } }
        mapTypes { type in
            switch type {
            case .object(var object):
                object.fields.removeAll { $0.type.namedType == name }
                object.interfaces.removeAll { $0 == name }
                type = .object(object)
            case .interface(var object):
                object.fields.removeAll { $0.type.namedType == name }
                object.interfaces.removeAll { $0 == name }
                type = .interface(object)
            case .union(var object):
                object.members.removeAll { $0 == name }
                type = .union(object)
            default: break
            }
        }
    }

    private mutating func renameType(_ name: String, to new: String, _ keepsData: Bool) {
        let isModel = models.contains { $0.name == name }
        let renamed = { (type: TypeNode) in type.namedType == name ? type.renamed(new) : type }
        mapFields { $0.type = renamed($0.type) }
        mapInputValues { $0.type = renamed($0.type) }
        mapTypes { type in
            if type.name == name { type.name = new }
            if case .union(var object) = type {
                object.members = object.members.map { $0 == name ? new : $0 }
                type = .union(object)
            } else if case .object(var object) = type {
                object.interfaces = object.interfaces.map { $0 == name ? new : $0 }
                type = .object(object)
            } else if case .interface(var object) = type {
                object.interfaces = object.interfaces.map { $0 == name ? new : $0 }
                type = .interface(object)
            }
        }
        definitions = definitions.map { definition in
            guard case .schema(var schema) = definition else { return definition }
            for index in schema.operationTypes.indices where schema.operationTypes[index].typeName == name {
                schema.operationTypes[index].typeName = new
            }
            return .schema(schema)
        }
        guard isVersionTwo, isModel else { return }
        withObject(new) { object in
            let stored = object.directives.first { $0.name == "mapsTo" }?["name"]?.stringValue
            if stored == new || !keepsData {
                object.directives.removeAll { $0.name == "mapsTo" }
            } else if stored == nil {
                object.directives.append(Self.named("mapsTo", name))
            }
        }
    }

    private static func named(_ directive: String, _ name: String) -> DirectiveNode {
        DirectiveNode(directive, arguments: [ConstArgument(name: "name", value: .string(name))])
    }

    private mutating func describe(_ type: String, _ member: String?, _ text: String?) {
        let description = text.map { Description($0) }
        guard let member else {
            definitions = definitions.map { definition in
                guard case .type(var object) = definition, object.name == type else { return definition }
                object.description = description
                return .type(object)
            }
            return
        }
        withField(member, of: type) { $0.description = description }
        withEnum(type) { object in
            for index in object.values.indices where object.values[index].name == member {
                object.values[index].description = description
            }
        }
    }

    private mutating func change(_ field: String, of type: String, _ change: Edit.FieldChange) {
        withField(field, of: type) { definition in
            var inner = definition.type.nullable.renamed(change.type ?? definition.type.namedType)
            if let isList = change.isList, isList != inner.isList {
                inner = isList ? .list(.named(inner.namedType)) : .named(inner.namedType)
            }
            if let isRequired = change.isElementRequired, let element = inner.element {
                inner = .list(isRequired ? element.nonNullable : element.nullable)
            }
            let isRequired = change.isRequired ?? definition.type.isNonNull
            definition.type = isRequired ? inner.nonNullable : inner.nullable
            guard let value = change.defaultValue else { return }
            definition.directives.removeAll { $0.name == "default" }
            guard case .set(let text) = value else { return }
            definition.directives.append(
                DirectiveNode("default", arguments: [ConstArgument(name: "value", value: .string(text))]))
        }
    }

    // MARK: - Names of fields

    private mutating func renameField(_ field: String, of type: String, to new: String, _ keepsData: Bool) {
        let isModel = models.contains { $0.name == type }
        let isVersionTwo = isVersionTwo
        let rename = { (value: ConstValue) in Self.renamed(value, field, new) }
        mapObjects { object in
            let isOwn = object.name == type
            if isOwn {
                object.directives = object.directives.map { directive in
                    switch directive.name {
                    case "key": Self.changing(directive, "fields", rename)
                    case "auth": Self.renamingRules(directive, rename)
                    case "model": Self.changing(directive, "timestamps", rename)
                    default: directive
                    }
                }
            }
            for index in object.fields.indices {
                let leadsHere = object.fields[index].type.namedType == type
                let isList = object.fields[index].type.isList
                object.fields[index].directives = object.fields[index].directives.map { directive in
                    var directive = directive
                    let own = ["fields", "sortKeyFields"]
                    if isOwn, directive.name == "auth" { directive = Self.renamingRules(directive, rename) }
                    if isOwn,
                        ["connection", "hasOne", "hasMany", "belongsTo", "index", "primaryKey"].contains(directive.name)
                    {
                        for argument in own { directive = Self.changing(directive, argument, rename) }
                    }
                    if isOwn, directive.name == "belongsTo" {
                        directive = Self.changing(directive, "references", rename)
                    }
                    if leadsHere, ["hasOne", "hasMany"].contains(directive.name) {
                        directive = Self.changing(directive, "references", rename)
                    }
                    if directive.name == "connection", isList ? leadsHere : isOwn {
                        for argument in ["keyField", "sortField"] {
                            directive = Self.changing(directive, argument, rename)
                        }
                    }
                    return directive
                }
                guard isOwn, object.fields[index].name == field else { continue }
                object.fields[index].name = new
                let isRelation = object.fields[index].directives.contains {
                    ["hasOne", "hasMany", "belongsTo", "manyToMany"].contains($0.name)
                }
                guard isVersionTwo, isModel, keepsData, !isRelation else { continue }
                let stored = object.fields[index].directives.first { $0.name == "refersTo" }?["name"]?.stringValue
                if stored == new {
                    object.fields[index].directives.removeAll { $0.name == "refersTo" }
                } else if stored == nil {
                    object.fields[index].directives.append(Self.named("refersTo", field))
                }
            }
        }
    }

    private static func renamed(_ value: ConstValue, _ old: String, _ new: String) -> ConstValue {
        switch value {
        case .string(let text): .string(text == old ? new : text)
        case .list(let elements): .list(elements.map { renamed($0, old, new) })
        case .object(let fields):
            .object(fields.map { ConstObjectField(name: $0.name, value: renamed($0.value, old, new)) })
        default: value
        }
    }

    private static func changing(
        _ directive: DirectiveNode, _ argument: String, _ change: (ConstValue) -> ConstValue
    ) -> DirectiveNode {
        var directive = directive
        for index in directive.arguments.indices where directive.arguments[index].name == argument {
            directive.arguments[index].value = change(directive.arguments[index].value)
        }
        return directive
    }

    private static func renamingRules(
        _ directive: DirectiveNode, _ change: (ConstValue) -> ConstValue
    ) -> DirectiveNode {
        changing(directive, "rules") { rules in
            .list(
                rules.listCoercedValue.map { rule in
                    .object(
                        (rule.objectFields ?? []).map { field in
                            let isName = ["ownerField", "groupsField"].contains(field.name)
                            return ConstObjectField(name: field.name, value: isName ? change(field.value) : field.value)
                        })
                })
        }
    }

    private mutating func renameValue(_ value: String, of type: String, to new: String) {
        withEnum(type) { object in
            for index in object.values.indices where object.values[index].name == value {
                object.values[index].name = new
            }
        }
        func renamed(_ old: ConstValue) -> ConstValue {
            if case .list(let elements) = old { return .list(elements.map(renamed)) }
            return old == .enumValue(value) ? .enumValue(new) : old
        }
        mapInputValues { if $0.type.namedType == type { $0.defaultValue = $0.defaultValue.map(renamed) } }
        mapFields { field in
            guard field.type.namedType == type else { return }
            field.directives = field.directives.map { directive in
                directive.name == "default"
                    ? Self.changing(directive, "value") { Self.renamed($0, value, new) } : directive
            }
        }
    }

    // MARK: - Keys and rules

    private func arguments(of key: Edit.Key) -> [ConstArgument] {
        var arguments: [ConstArgument] = []
        if let name = key.name { arguments.append(ConstArgument(name: "name", value: .string(name))) }
        let names = isVersionTwo ? Array(key.fields.dropFirst()) : key.fields
        if !names.isEmpty {
            arguments.append(
                ConstArgument(
                    name: isVersionTwo ? "sortKeyFields" : "fields", value: .list(names.map { .string($0) })))
        }
        switch key.queryField {
        case .named(let name): arguments.append(ConstArgument(name: "queryField", value: .string(name)))
        case .none where isVersionTwo: arguments.append(ConstArgument(name: "queryField", value: .null))
        default: break
        }
        return arguments
    }

    private mutating func addKey(_ key: Edit.Key, to type: String) {
        if isVersionTwo {
            let directive = DirectiveNode(key.name == nil ? "primaryKey" : "index", arguments: arguments(of: key))
            withField(key.fields[0], of: type) { $0.directives.append(directive) }
        } else {
            let directive = DirectiveNode("key", arguments: arguments(of: key))
            withObject(type) { $0.directives.append(directive) }
        }
    }

    private mutating func removeKey(_ name: String?, of type: String) {
        let directive = !isVersionTwo ? "key" : name == nil ? "primaryKey" : "index"
        let isKey = { (node: DirectiveNode) in node.name == directive && node["name"]?.stringValue == name }
        withObject(type) { object in
            object.directives.removeAll(where: isKey)
            for index in object.fields.indices { object.fields[index].directives.removeAll(where: isKey) }
        }
    }

    private mutating func changeKey(_ name: String?, of type: String, to key: Edit.Key) {
        removeKey(name, of: type)
        addKey(key, to: type)
        guard let name, let new = key.name else { return }
        mapFields { field in
            guard field.type.namedType == type else { return }
            field.directives = field.directives.map {
                Self.changing(
                    Self.changing($0, "keyName") { Self.renamed($0, name, new) }, "indexName"
                ) { Self.renamed($0, name, new) }
            }
        }
    }

    private mutating func setRules(_ rules: [ConstValue], _ type: String, _ field: String?) {
        let set = { (directives: inout [DirectiveNode]) in
            directives.removeAll { $0.name == "auth" }
            guard !rules.isEmpty else { return }
            directives.append(DirectiveNode("auth", arguments: [ConstArgument(name: "rules", value: .list(rules))]))
        }
        if let field {
            withField(field, of: type) { set(&$0.directives) }
        } else {
            definitions = definitions.map { definition in
                guard case .type(var object) = definition, object.name == type else { return definition }
                set(&object.directives)
                return .type(object)
            }
        }
    }

    // MARK: - Relationships

    /// One item with a generated key; examples have the others.
    private mutating func addRelationship(_ relationship: Edit.Relationship) -> Bool {
        guard relationship.has == .one, relationship.reverse == .none, relationship.keyField == nil,
            let position = relationship.position
        else { return false }
        let type = TypeNode.named(relationship.target)
        insert(
            FieldDefinition(
                name: relationship.field, type: relationship.isRequired ? .nonNull(type) : type,
                directives: [DirectiveNode(isVersionTwo ? "hasOne" : "connection")]), into: relationship.type, position)
        return true
    }
}
