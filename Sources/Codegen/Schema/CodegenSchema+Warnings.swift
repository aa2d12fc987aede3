extension CodegenSchema {
    /// Warns of fields whose Swift does not compile. Their text is generated nevertheless, as by Amplify's generator, with
    /// which it is compared.
    mutating func warnOfUncompilableFields() {
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
}
