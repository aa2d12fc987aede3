import GraphQL
import Transformer

extension CodegenSchema {
    /// Warns of types, fields and values of enums whose Swift does not compile. Their text is generated nevertheless, as by
    /// Amplify's generator, with which it is compared.
    mutating func warnOfUncompilableFields() {
        warnOfUncompilableTypes()
        warnOfUncompilableValues()
        warnOfTypesInThemselves()
        warnOfUncompilableRules()
        for (type, isModel) in models.map({ ($0, true) }) + nonModels.map({ ($0, false) }) {
            let used = namesUsed(by: type, isModel: isModel)
            let keys = options.hasCustomKeys && type.primaryKey?.kind == .custom ? type.primaryKey?.fields ?? [] : []
            for field in type.fields {
                // In the code of a key names are not escaped.
                let isKeyword =
                    SwiftKeywords.isUncompilable(property: field.name)
                    || keys.contains(field.name) && SwiftKeywords.reserved.contains(field.name)
                let reason: String
                if isKeyword {
                    reason = "\(field.name) is a keyword"
                } else if field.name == type.name {
                    reason = "\(field.name) is the name of its type, too"
                } else if used.contains(field.name) {
                    reason = "\(field.name) is a name that the generated code uses"
                } else {
                    continue
                }
                warn(
                    "The Swift of \(type.name).\(field.name) does not compile: \(reason).", at: field.place,
                    hint: "Rename the field.")
            }
            if isModel, let id = type.field("id"), CodegenScalar.all[id.type]?.swiftType != "String" {
                warn(
                    "The Swift of \(type.name).id does not compile: its default value is a text.", at: id.place,
                    hint: "Rename the field, or write id: ID!.")
            }
        }
        guard options.isLazy, options.handleListNullabilityTransparently else { return }
        for model in models where model.fields.contains(where: \.isReference) {
            for field in model.fields
            where field.connection == nil && field.isNullable && field.isListNullable == false {
                warn(
                    "The Swift of \(model.name).\(field.name) does not compile: models with lazy relations decode no "
                        + "required list of optional elements.", at: field.place,
                    hint: "Write [\(field.type)!]! or [\(field.type)].")
            }
        }
    }

    /// The names by which the code of a type means something else than a property.
    private func namesUsed(by type: CodegenModel, isModel: Bool) -> Set<String> {
        guard isModel else { return ["CodingKeys"] }
        var names = SwiftKeywords.usedInModels
        if !type.directives.contains(where: { $0.name == "auth" }) { names.remove("rule") }
        guard options.isLazy else { return names }
        names.formUnion(SwiftKeywords.usedInLazyModels)
        guard type.fields.contains(where: \.isReference) else { return names }
        names.formUnion(SwiftKeywords.usedInLazyCoding)
        for field in type.fields {
            if field.isHasMany { names.insert("List") }
            let swiftType = CodegenScalar.all[field.type]?.swiftType ?? field.type
            names.insert(String(swiftType.prefix { $0 != "." }))
        }
        return names
    }

    /// Warns of enum values that have no member in TypeScript, because a later value has the same name in capitals.
    mutating func warnOfLostMembers() {
        for enumeration in enums {
            for (name, values) in Self.shared(enumeration.values, by: CaseStyle.constant) {
                warn(
                    "The values \(values.joined(separator: ", ")) of \(enumeration.name) are one member \(name) in TypeScript, "
                        + "which stands for \(values.last ?? "").", at: nil, hint: "Rename the values.")
            }
        }
    }

    /// Values that get the same name, by the name.
    private static func shared(
        _ values: [String], by name: (String) -> String
    ) -> [(name: String, values: [String])] {
        Dictionary(grouping: values, by: name).filter { $1.count > 1 }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    /// Warns of values of enums, which are written in camel case: those that do not compile, and those that get one name.
    private mutating func warnOfUncompilableValues() {
        for enumeration in enums {
            for (name, values) in Self.shared(enumeration.values, by: CaseStyle.camel) {
                warn(
                    "The values \(values.joined(separator: ", ")) of \(enumeration.name) are one case \(name) in Swift: apps "
                        + "cannot read items with \(values.dropLast().joined(separator: ", ")).", at: nil,
                    hint: "Rename the values.")
            }
            for value in enumeration.values {
                let name = CaseStyle.camel(value)
                guard SwiftKeywords.isUncompilable(enumCase: name) else { continue }
                let reason =
                    SwiftKeywords.reserved.contains(name) ? "\(name) is a keyword" : "it has no letter to begin with"
                warn(
                    "The Swift of \(enumeration.name).\(value) does not compile: \(reason).", at: nil,
                    hint: "Rename the value.")
            }
        }
    }

    /// Warns of types that share a name in Swift, where enums are written in Pascal case, and of those that hide a type which
    /// the generated code uses.
    private mutating func warnOfUncompilableTypes() {
        let types = (models + nonModels).map { type in
            let hasRules = type.directives.contains { $0.name == "auth" }
            // The keys of a type are in a variable of its name, beside the calls of `rule`.
            let variable = type.name.firstLowercased
            let isKeyword = SwiftKeywords.reserved.contains(variable)
            let hides = isKeyword || hasRules && variable == "rule" ? variable : nil
            return (name: type.name, swiftName: type.name, place: type.place, variable: hides)
        }
        let enums = self.enums.map {
            (name: $0.name, swiftName: CaseStyle.pascal($0.name), place: nil as Place?, variable: nil as String?)
        }
        let used = typesUsed
        var names: [String: String] = [:]
        for type in types + enums {
            if let other = names.updateValue(type.name, forKey: type.swiftName) {
                warn(
                    "The Swift does not compile: \(other) and \(type.name) are both called \(type.swiftName) in it.",
                    at: type.place, hint: "Rename one of the types.")
            }
            let reason: String? =
                if used.contains(type.swiftName) {
                    "generated code uses a type of this name"
                } else if SwiftKeywords.reservedForTypes.contains(type.swiftName) {
                    "\(type.swiftName) is a keyword"
                } else if let variable = type.variable {
                    "a variable of the generated code would be called \(variable)"
                } else if type.swiftName.first?.isNumber ?? true {
                    "it has no letter to begin with"
                } else { nil }
            if let reason {
                warn(
                    "The Swift of \(type.name) does not compile: \(reason).", at: type.place,
                    hint: "Rename the type.")
            }
        }
    }

    /// The names of types by which generated code means those of Swift and Amplify.
    private var typesUsed: Set<String> {
        var names = SwiftKeywords.usedTypes
        names.formUnion(models.map(\.name).filter(SwiftKeywords.usedModelTypes.contains))
        if !nonModels.isEmpty { names.insert("Embeddable") }
        if !enums.isEmpty { names.insert("EnumPersistable") }
        if options.hasCustomKeys {
            names.formUnion(SwiftKeywords.usedTypesOfKeys)
            if models.contains(where: { $0.primaryKey?.kind == .custom }) { names.insert("ModelIdentifier") }
        }
        if options.isLazy { names.formUnion(SwiftKeywords.usedLazyTypes) }
        if models.contains(where: { $0.fields.contains(where: \.isHasMany) }) { names.insert("List") }
        // By the first component, as `Bool` and `Temporal` of `Temporal.Date`.
        for field in (models + nonModels).flatMap(\.fields) {
            if let type = CodegenScalar.all[field.type]?.swiftType { names.insert(String(type.prefix { $0 != "." })) }
        }
        return names
    }
}
