import GraphQL

extension SchemaSyntax {
    /// A name in the text that refers to a type, a field, an index or a value of an enum.
    struct ReferenceSyntax {
        /// What is removed if the reference is removed with its target.
        enum Part {
            case field(Found)
            case interface(Syntax.Definition, Int)
            case memberType(Syntax.Definition, Int)
            case other
        }

        let file: Int
        /// The bytes of the name, or of the string that has it.
        let range: Range<Int>
        let subject: String
        var isString = false
        var part = Part.other
    }

    func listed(_ references: [ReferenceSyntax]) -> [EditRefusal.Reference] {
        references.prefix(limits.referencesMax).map {
            EditRefusal.Reference(subject: $0.subject, place: place($0.range.lowerBound, in: $0.file))
        }
    }

    // MARK: - Types

    /// The references to a type, outside its own fields' names.
    func references(toType name: String) -> [ReferenceSyntax] {
        definitions.flatMap { definition -> [ReferenceSyntax] in
            var references: [ReferenceSyntax] = []
            func add(_ range: Range<Int>, _ subject: String, _ part: ReferenceSyntax.Part = .other) {
                references.append(
                    ReferenceSyntax(file: definition.file, range: range, subject: subject, part: part))
            }
            for (index, interface) in definition.interfaces.enumerated() where interface.text == name {
                add(interface.range, "\(definition.name.text) implements", .interface(definition, index))
            }
            for (index, member) in definition.memberTypes.enumerated() where member.text == name {
                add(member.range, "union \(definition.name.text)", .memberType(definition, index))
            }
            for (index, member) in definition.members.enumerated() {
                let subject =
                    definition.kind == .schema ? "schema" : "\(definition.name.text).\(member.name.text)"
                if let type = member.type, type.name.text == name {
                    let found = Found(definition: definition, member: member, index: index)
                    let isField = definition.kind == .object || definition.kind == .interface
                    add(type.name.range, subject, isField ? .field(found) : .other)
                }
                for argument in member.arguments {
                    guard let type = argument.type, type.name.text == name else { continue }
                    add(type.name.range, "\(subject)(\(argument.name.text):)")
                }
            }
            return references
        }
    }

    /// References to types and root fields that are generated for a model, by which the author's own text depends on its
    /// name.
    func references(toGeneratedNamesOf model: String) -> [ReferenceSyntax] {
        let upper = model.firstUppercased
        let types = [
            "Model\(model)Connection", "Model\(model)FilterInput", "Model\(model)ConditionInput",
            "ModelSubscription\(model)FilterInput", "Create\(upper)Input", "Update\(upper)Input", "Delete\(upper)Input",
            "\(upper)Input",
        ].filter { type($0) == nil }
        let verbs = ["create", "update", "delete"].map { $0 + upper }
        let mutations = definitions.flatMap { definition in
            definition.members.flatMap { member in
                member.directives("aws_subscribe").flatMap { directive in
                    strings(of: directive["mutations"]?.value).filter { verbs.contains($0.text) }.map {
                        ReferenceSyntax(
                            file: definition.file, range: $0.range,
                            subject: "\(definition.name.text).\(member.name.text)", isString: true)
                    }
                }
            }
        }
        return types.flatMap(references(toType:)) + mutations
    }

    // MARK: - Fields

    /// A string of a directive and where it stands.
    struct StringSyntax {
        let text: String
        let range: Range<Int>
    }

    func strings(of value: Syntax.Value?) -> [StringSyntax] {
        guard let value else { return [] }
        if let text = value.node.stringValue { return [StringSyntax(text: text, range: value.range)] }
        return value.elements.flatMap(strings) + value.fields.flatMap { strings(of: $0.value) }
    }

    /// The references to a field by its name in directives of both versions.
    func references(toField field: String, of type: String) -> [ReferenceSyntax] {
        var references: [ReferenceSyntax] = []
        for definition in definitions where definition.kind == .object {
            func add(_ value: Syntax.Value?, _ subject: String) {
                for string in strings(of: value) where string.text == field {
                    references.append(
                        ReferenceSyntax(file: definition.file, range: string.range, subject: subject, isString: true))
                }
            }
            let name = definition.name.text
            let isOwn = name == type
            if isOwn {
                for key in definition.directives("key") { add(key["fields"]?.value, "@key of \(name)") }
                for rules in definition.directives("auth") { addRules(rules, "@auth of \(name)", add) }
                add(definition.directive("model")?["timestamps"]?.value, "@model of \(name)")
            }
            for member in definition.members {
                let subject = "\(name).\(member.name.text)"
                let leadsHere = member.type?.name.text == type
                for directive in member.directives {
                    for argument in directive.arguments
                    where isReference(argument.name.text, of: directive.name.text, in: member, isOwn, leadsHere) {
                        add(argument.value, subject)
                    }
                    if isOwn, directive.name.text == "auth" { addRules(directive, "@auth of \(subject)", add) }
                }
            }
        }
        return references
    }

    private func addRules(
        _ directive: Syntax.Directive, _ subject: String, _ add: (Syntax.Value?, String) -> Void
    ) {
        for rule in directive["rules"]?.value.listed ?? [] {
            for field in rule.fields where ["ownerField", "groupsField"].contains(field.name.text) {
                add(field.value, subject)
            }
        }
    }

    /// Whether an argument of a directive on a field names fields of the type whose references are collected.
    private func isReference(
        _ argument: String, of directive: String, in member: Syntax.Member, _ isOwn: Bool, _ leadsHere: Bool
    ) -> Bool {
        let isList = member.type?.node.isList == true
        switch (directive, argument) {
        case ("connection", "fields"), ("hasOne", "fields"), ("hasMany", "fields"), ("belongsTo", "fields"),
            ("belongsTo", "references"), ("primaryKey", "sortKeyFields"), ("index", "sortKeyFields"):
            return isOwn
        case ("hasOne", "references"), ("hasMany", "references"): return leadsHere
        case ("connection", "keyField"), ("connection", "sortField"): return isList ? leadsHere : isOwn
        default: return false
        }
    }

    // MARK: - Indexes

    /// The relations that query an index by its name.
    func references(toIndex name: String, of type: String) -> [ReferenceSyntax] {
        relations.filter { $0.target == type && $0.indexName == name }.compactMap { relation in
            (relation.directive["keyName"] ?? relation.directive["indexName"]).map {
                ReferenceSyntax(
                    file: relation.found.file, range: $0.value.range, subject: relation.found.subject, isString: true)
            }
        }
    }

    // MARK: - Values of enums

    /// The defaults that have a value of an enum.
    func references(toValue value: String, of enumeration: String) -> [ReferenceSyntax] {
        definitions.flatMap { definition -> [ReferenceSyntax] in
            definition.members.flatMap { member -> [ReferenceSyntax] in
                let subject = "\(definition.name.text).\(member.name.text)"
                var references: [ReferenceSyntax] = []
                for input in [member] + member.arguments where input.type?.name.text == enumeration {
                    references += names(of: input.defaultValue).filter { $0.text == value }.map {
                        ReferenceSyntax(file: definition.file, range: $0.range, subject: subject)
                    }
                    for directive in input.directives("default") {
                        references += strings(of: directive["value"]?.value).filter { $0.text == value }.map {
                            ReferenceSyntax(file: definition.file, range: $0.range, subject: subject, isString: true)
                        }
                    }
                }
                return references
            }
        }
    }

    /// The defaults that have the value inside an object, where `references(toValue:of:)` does not look.
    func nestedDefaults(with value: String) -> [ReferenceSyntax] {
        definitions.flatMap { definition in
            definition.members.flatMap { member in
                ([member] + member.arguments).filter { hasNested(value, in: $0.defaultValue, isNested: false) }.map {
                    ReferenceSyntax(
                        file: definition.file, range: $0.range,
                        subject: "\(definition.name.text).\(member.name.text)")
                }
            }
        }
    }

    private func hasNested(_ value: String, in default: Syntax.Value?, isNested: Bool) -> Bool {
        guard let `default` else { return false }
        if isNested, `default`.node == .enumValue(value) { return true }
        return `default`.elements.contains { hasNested(value, in: $0, isNested: isNested) }
            || `default`.fields.contains { hasNested(value, in: $0.value, isNested: true) }
    }

    private func names(of value: Syntax.Value?) -> [StringSyntax] {
        guard let value else { return [] }
        if let name = value.node.enumValue { return [StringSyntax(text: name, range: value.range)] }
        return value.elements.flatMap(names)
    }
}
