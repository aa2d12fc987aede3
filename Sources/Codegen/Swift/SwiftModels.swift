import Transformer

/// The files of amplify-swift: two for each object type, one for each enum, and the registry of the models.
struct SwiftModels {
    let schema: CodegenSchema
    var options: CodegenOptions { schema.options }

    init(_ schema: CodegenSchema) { self.schema = schema }

    /// The files in the order of the schema, those of `@manyToMany` and the registry last.
    var files: [GeneratedFile] {
        get throws(Diagnostic) {
            var files: [GeneratedFile] = []
            let joins = schema.models.map(\.name).filter { !schema.names.contains($0) }
            for name in schema.names + joins {
                if let enumeration = schema.enumeration(name) {
                    files.append(file(name, text(of: enumeration)))
                } else if let position = schema.index(of: name) {
                    let model = schema.models[position]
                    files.append(file(name, try SwiftStruct(model, in: self).text))
                    files.append(file("\(name)+Schema", try SwiftSchema(model, isModel: true, in: self).text))
                } else if let type = schema.nonModels.first(where: { $0.name == name }) {
                    files.append(file(name, try text(ofEmbedded: type)))
                    files.append(file("\(name)+Schema", try SwiftSchema(type, isModel: false, in: self).text))
                }
            }
            files.append(file("AmplifyModels", registry))
            return files
        }
    }

    private func file(_ name: String, _ text: String) -> GeneratedFile {
        let head = "// swiftlint:disable all\nimport Amplify\nimport Foundation\n\n"
        return GeneratedFile(name: "\(name).swift", text: head + text)
    }

    private func text(of enumeration: CodegenEnum) -> String {
        // If several values get the same name, the last one wins and keeps the first one's position.
        var names: [String] = []
        var values: [String: String] = [:]
        for value in enumeration.values {
            let name = CaseStyle.camel(value)
            if values[name] == nil { names.append(name) }
            values[name] = value
        }
        let cases = names.map { name in
            let value = values[name] ?? name
            return "  case \(SwiftKeywords.escaped(name))" + (name == value ? "" : " = \(SwiftLiteral.string(value))")
        }
        let name = SwiftKeywords.escaped(CaseStyle.pascal(enumeration.name))
        return (["public enum \(name): String, EnumPersistable {"] + cases + ["}"]).joined(separator: "\n")
    }

    private func text(ofEmbedded type: CodegenModel) throws(Diagnostic) -> String {
        var lines = ["public struct \(SwiftKeywords.escaped(type.name)): Embeddable {"]
        for field in type.fields {
            let name = SwiftKeywords.escaped(field.name)
            lines.append("  var \(name): \(try self.type(of: field, in: type, isProperty: true))")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private var registry: String {
        let models = schema.models.map { "    ModelRegistry.register(modelType: \($0.name).self)" }
        let lines =
            [
                "// Contains the set of classes that conforms to the `Model` protocol. ", "",
                "final public class AmplifyModels: AmplifyModelRegistration {",
                "  public let version: String = \"\(VersionHash(schema: schema).text)\"", "  ",
                "  public func registerModels(registry: ModelRegistry.Type) {",
            ] + models + ["  }", "}"]
        return lines.joined(separator: "\n")
    }
}

extension SwiftModels {
    /// The Swift type of a value, or of an element of a list.
    func elementType(of field: CodegenField, in type: CodegenModel) throws(Diagnostic) -> String {
        if let scalar = CodegenScalar.all[field.type] { return scalar.swiftType }
        if schema.isModel(field.type) || schema.isNonModel(field.type) { return field.type }
        if schema.enumeration(field.type) != nil { return CaseStyle.pascal(field.type) }
        guard schema.unions.contains(field.type) || schema.interfaces.contains(field.type) else {
            throw schema.failure(
                "Unknown type \(field.type) for field \(field.name) of \(type.name).", at: field.place,
                hint: "Did you forget to add the @model directive?")
        }
        throw schema.failure(
            "\(type.name).\(field.name) is of the union or interface \(field.type), which amplify-swift does not know.",
            at: field.place, hint: "Use an object type, or query the field by a document of your own.")
    }

    /// The type of a property, or of a parameter.
    func type(of field: CodegenField, in type: CodegenModel, isProperty: Bool) throws(Diagnostic) -> String {
        var element = try elementType(of: field, in: type)
        let isOptional = isProperty ? !isRequired(field) : field.isNullable
        guard field.isList else {
            if !isProperty { element = SwiftKeywords.escaped(element) }
            return element + (isOptional ? "?" : "")
        }
        element = SwiftKeywords.escaped(element)
        // A list of items is as optional as they are: it is absent where it was not selected.
        let isTransparent = options.handleListNullabilityTransparently && !field.isHasMany
        if isTransparent, isOptional { element += "?" }
        let isListOptional = isTransparent ? field.isListNullable ?? false : isOptional
        return (field.connection == nil ? "[\(element)]" : "List<\(element)>") + (isListOptional ? "?" : "")
    }

    /// What a parameter is by default; nil where callers must give it.
    func defaultValue(of field: CodegenField) -> String? {
        if field.name == "id" { return "UUID().uuidString" }
        guard field.isList else { return field.isNullable ? "nil" : nil }
        let isTransparent = options.handleListNullabilityTransparently && !field.isHasMany
        return isTransparent && field.isListNullable == true ? "nil" : "[]"
    }

    /// Whether a field has a value in each item. A list of items has none where it was not selected.
    func isRequired(_ field: CodegenField) -> Bool { !field.isHasMany && !field.isNullable }
}
