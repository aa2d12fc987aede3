import GraphQL

extension CodegenSchema {
    /// Warns of fields whose Swift does not compile. Their text is generated nevertheless, as by Amplify's generator, with
    /// which it is compared.
    mutating func warnOfUncompilableFields() {
        warnOfUncompilableTypes()
        for type in models + nonModels {
            for field in type.fields where SwiftKeywords.uncompilable.contains(field.name) {
                warn(
                    "The Swift of \(type.name).\(field.name) does not compile: \(field.name) is a keyword.",
                    at: field.place,
                    hint: "Rename the field.")
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

    /// Warns of types that share a name in Swift, where enums are written in Pascal case, and of those that hide a type which
    /// the generated code uses.
    private mutating func warnOfUncompilableTypes() {
        let types = (models + nonModels).map { (name: $0.name, swiftName: $0.name, place: $0.place) }
        let enums = self.enums.map { (name: $0.name, swiftName: CaseStyle.pascal($0.name), place: nil as Place?) }
        var names: [String: String] = [:]
        for type in types + enums {
            if let other = names.updateValue(type.name, forKey: type.swiftName) {
                warn(
                    "The Swift does not compile: \(other) and \(type.name) are both called \(type.swiftName) in it.",
                    at: type.place, hint: "Rename one of the types.")
            }
            if SwiftKeywords.usedTypes.contains(type.swiftName) {
                warn(
                    "The Swift of \(type.name) does not compile: generated code uses a type of this name.",
                    at: type.place, hint: "Rename the type.")
            }
        }
    }
}
