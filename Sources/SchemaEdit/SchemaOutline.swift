import GraphQL
public import JSON

/// What a schema declares, with the place of each part, for a page that shows and edits it. It is read from the text alone, so
/// that a schema with errors has one as well; a text with a syntax error has none.
public struct SchemaOutline: Sendable {
    /// The version of the transformer that the schema is written for: 1 or 2.
    public let version: Int
    /// The types in the order of the text, each with its extensions folded in, by name.
    public var types: [(name: String, json: JSONObject)]
    /// The relationship fields, in the order of the text.
    public let relationships: [JSONValue]

    /// Reads files.
    /// - Parameter version: The version of the transformer; nil for the one that the schema's directives belong to.
    public init(
        _ files: [SchemaFile], version: SchemaEditor.Version? = nil, limits: SchemaEditLimits = .standard
    ) throws(EditRefusal) {
        let syntax = try SchemaSyntax(files, version: version, limits: limits)
        let reader = OutlineReader(syntax)
        self.version = syntax.version == .two ? 2 : 1
        types = reader.types
        relationships = reader.relationships
    }

    /// As the operators' API has it.
    public var json: JSONValue {
        [
            "version": .number(String(version)), "types": .array(types.map { .object($0.json) }),
            "relationships": .array(relationships),
        ]
    }
}

/// Makes the JSON of an outline.
private struct OutlineReader {
    let syntax: SchemaSyntax
    private let lines: [LineTable]
    /// The kinds of the types, by their names.
    private let kinds: [String: String]

    init(_ syntax: SchemaSyntax) {
        self.syntax = syntax
        lines = syntax.files.map { LineTable($0.bytes) }
        let named = syntax.definitions.filter { $0.kind == .schema }
            .flatMap(\.members).compactMap { $0.type?.name.text }
        let roots = Set(named).union(["Query", "Mutation", "Subscription"])
        var kinds: [String: String] = [:]
        for definition in syntax.definitions where kinds[definition.name.text] == nil {
            let name = definition.name.text
            kinds[name] = syntax.parts(of: name).first.map { Self.kind(of: $0, in: syntax, roots) }
        }
        self.kinds = kinds
    }

    var types: [(name: String, json: JSONObject)] {
        var seen: Set<String> = []
        return syntax.definitions.compactMap { definition in
            guard definition.kind != .schema, definition.kind != .directive else { return nil }
            let name = definition.name.text
            guard seen.insert(name).inserted, let first = syntax.parts(of: name).first else { return nil }
            return (name, type(first))
        }
    }

    // MARK: - Types

    private func type(_ definition: Syntax.Definition) -> JSONObject {
        let name = definition.name.text
        let members = syntax.members(of: name)
        let isEnum = definition.kind == .enumeration
        let isModel = syntax.isModel(name)
        let key = Set(isModel ? syntax.primaryKeyFields(of: name) : [])
        return [
            "name": .string(name), "kind": .string(kind(of: name)),
            "description": description(definition.description, in: definition.file),
            "place": place(definition.range, in: definition.file),
            "namePlace": place(definition.name.range, in: definition.file),
            "fields": .array(isEnum ? [] : members.map { field($0, isKey: key.contains($0.member.name.text)) }),
            "values": .array(isEnum ? members.map(value) : []), "keys": .array(isModel ? keys(of: name) : []),
            "rules": .array(syntax.parts(of: name).flatMap { rules($0.directives) }),
            "arguments": .object(arguments(of: name)),
        ]
    }

    private func kind(of type: String) -> String {
        kinds[type] ?? (SchemaSyntax.builtInTypes.contains(type) ? "scalar" : "unknown")
    }

    private static func kind(
        of definition: Syntax.Definition, in syntax: SchemaSyntax, _ roots: Set<String>
    ) -> String {
        let name = definition.name.text
        switch definition.kind {
        case .object: return syntax.isModel(name) ? "model" : roots.contains(name) ? "root" : "custom"
        case .enumeration: return "enum"
        case .interface: return "interface"
        case .union: return "union"
        case .inputObject: return "input"
        case .scalar, .schema, .directive: return "scalar"
        }
    }

    private func field(_ found: SchemaSyntax.Found, isKey: Bool) -> JSONValue {
        let member = found.member
        let node = member.type?.node ?? .named("")
        let functions = member.directives("function").compactMap { $0["name"]?.value.node.stringValue }
        let type = node.namedType
        let isElementRequired = node.element?.isNonNull ?? false
        let defaultValue = Self.json(member.directive("default")?["value"]?.value.node.stringValue)
        let isStored = functions.isEmpty && syntax.relationDirective(of: member) == nil
        let names = functions.map(JSONValue.string)
        return [
            "name": .string(member.name.text), "type": .string(type), "kind": .string(kind(of: type)),
            "required": .bool(node.isNonNull), "list": .bool(node.isList),
            "elementRequired": .bool(isElementRequired), "default": defaultValue,
            "description": description(member.description, in: found.file), "key": .bool(isKey),
            "stored": .bool(isStored), "rules": .array(rules(member.directives)), "functions": .array(names),
            "place": place(member.range, in: found.file), "namePlace": place(member.name.range, in: found.file),
        ]
    }

    private func value(_ found: SchemaSyntax.Found) -> JSONValue {
        [
            "name": .string(found.member.name.text),
            "description": description(found.member.description, in: found.file),
            "place": place(found.member.range, in: found.file),
        ]
    }

    private func keys(of type: String) -> [JSONValue] {
        let written = syntax.keys(of: type)
        var keys = written.map { key -> JSONValue in
            [
                "name": Self.json(key.name), "primary": .bool(key.isPrimary),
                "fields": .array(key.fields.map(JSONValue.string)),
                "queryField": Self.json(key.directive["queryField"]?.value.node.stringValue),
                "place": place(key.directive.range, in: key.definition.file),
            ]
        }
        if !written.contains(where: \.isPrimary) {
            keys.insert(["name": .null, "primary": true, "fields": ["id"], "queryField": .null, "place": .null], at: 0)
        }
        return keys
    }

    private func rules(_ directives: [Syntax.Directive]) -> [JSONValue] {
        var rules: [JSONValue] = []
        for directive in directives where directive.name.text == "auth" {
            for rule in directive["rules"]?.value.node.listCoercedValue ?? [] where rule.objectFields != nil {
                let text = String("\(rule)".dropFirst().dropLast())
                rules.append(["rule": rule.json, "text": .string(text)])
            }
        }
        return rules
    }

    private func arguments(of type: String) -> JSONObject {
        var object = JSONObject()
        for argument in syntax.directives("model", of: type).first?.directive.arguments ?? [] {
            object[argument.name.text] = argument.value.node.json
        }
        return object
    }

    // MARK: - Relationships

    var relationships: [JSONValue] {
        syntax.relations.map { relation in
            let isManyToMany = relation.kind == "manyToMany"
            let reverse = syntax.reverse(of: relation)
            let has = isManyToMany || relation.isList ? "many" : "one"
            let back = isManyToMany ? "many" : reverse.map { $0.isList ? "many" : "one" } ?? "none"
            let fields = relation.fields.isEmpty ? relation.references : relation.fields
            let generated = syntax.generatedKey(of: relation).map { [$0.name] } ?? []
            var text = sentence(relation.type, has, relation.target)
            if back != "none" { text += " " + sentence(relation.target, back, relation.type) }
            var object: JSONObject = [
                "type": .string(relation.type), "field": .string(relation.field), "target": .string(relation.target),
                "has": .string(has), "reverse": .string(back), "reverseField": Self.json(reverse?.field),
                "kind": .string(relation.kind), "index": Self.json(relation.indexName),
                "name": Self.json(relation.name), "sentence": .string(text),
            ]
            object["keyFields"] = .array((fields.isEmpty ? generated : fields).map(JSONValue.string))
            object["required"] = .bool(relation.found.member.type?.node.isNonNull ?? false)
            object["place"] = place(relation.directive.range, in: relation.found.file)
            return .object(object)
        }
    }

    private func sentence(_ type: String, _ count: String, _ target: String) -> String {
        "Each \(type) has \(count) \(count == "many" ? target.plural : target)."
    }

    // MARK: - Parts

    private func description(_ token: SourceToken?, in file: Int) -> JSONValue {
        token?.stringValue(in: syntax.files[file].source).map(JSONValue.string) ?? .null
    }

    private static func json(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    private func place(_ range: Range<Int>, in file: Int) -> JSONValue {
        let (line, column) = lines[file].location(of: range.lowerBound)
        return [
            "file": .string(syntax.files[file].name), "start": .number(String(range.lowerBound)),
            "end": .number(String(range.upperBound)), "line": .number(String(line)), "column": .number(String(column)),
        ]
    }
}

extension String {
    /// The plural of an English noun, for sentences: `Categories`, `Boxes`, `Rooms`.
    fileprivate var plural: String {
        let lower = lowercased()
        let before = lower.dropLast().last.map { "aeiou".contains($0) } ?? true
        if lower.hasSuffix("y"), !before { return dropLast() + "ies" }
        return ["s", "x", "z", "ch", "sh"].contains(where: lower.hasSuffix) ? self + "es" : self + "s"
    }
}
