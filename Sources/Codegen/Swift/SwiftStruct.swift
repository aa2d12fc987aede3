import Transformer

/// `Post.swift`: the struct of a model.
struct SwiftStruct {
    private let model: CodegenModel
    private let models: SwiftModels
    private let types: [String: (property: String, parameter: String, element: String)]
    private var options: CodegenOptions { models.options }

    init(_ model: CodegenModel, in models: SwiftModels) throws(Diagnostic) {
        self.model = model
        self.models = models
        var types: [String: (String, String, String)] = [:]
        for field in model.fields {
            types[field.name] = (
                try models.type(of: field, in: model, isProperty: true),
                try models.type(of: field, in: model, isProperty: false), try models.elementType(of: field, in: model)
            )
        }
        self.types = types
    }

    var text: String {
        var lines = ["public struct \(SwiftKeywords.escaped(model.name)): Model {"]
        lines += model.fields.flatMap(property)
        lines.append("  ")
        lines += initializers
        if options.isLazy, model.fields.contains(where: \.isReference) {
            lines += model.fields.filter(\.isReference).flatMap(setter)
            lines += decoding + encoding
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    // MARK: - Properties

    private func isLazy(_ field: CodegenField) -> Bool { options.isLazy && field.isReference }

    private func property(_ field: CodegenField) -> [String] {
        let keys = options.respectPrimaryKeyAttributesOnConnectionField ? model.primaryKey?.fields ?? [] : ["id"]
        let word = keys.contains(field.name) ? "let" : "var"
        let name = SwiftKeywords.escaped(field.name)
        let type = types[field.name]?.property ?? ""
        guard isLazy(field) else { return ["  public \(word) \(name): \(type)"] }
        let reading = models.isRequired(field) ? "require()" : "get()"
        return [
            "  internal \(word) _\(field.name): LazyReference<\(types[field.name]?.element ?? "")>",
            "  public \(word) \(name): \(type)   {", "      get async throws { ",
            "        try await _\(field.name).\(reading)", "      } ", "    }",
        ]
    }

    // MARK: - Initializers

    private var initializers: [String] {
        let assignments = model.fields.map { field in
            let name = SwiftKeywords.escaped(field.name)
            return isLazy(field) ? "      self._\(field.name) = LazyReference(\(name))" : "      self.\(name) = \(name)"
        }
        guard options.addTimestampFields, model.fields.contains(where: \.isReadOnly) else {
            return ["  public init(\(parameters(model.fields))) {"] + assignments + ["  }"]
        }
        let arguments = model.fields.map { field in
            let name = SwiftKeywords.escaped(field.name)
            return "\(name): \(field.isReadOnly ? "nil" : name)"
        }
        return [
            "  public init(\(parameters(model.fields.filter { !$0.isReadOnly }))) {",
            "    self.init(\(arguments.joined(separator: ",\n      ")))", "  }",
            "  internal init(\(parameters(model.fields))) {",
        ] + assignments + ["  }"]
    }

    private func parameters(_ fields: [CodegenField]) -> String {
        fields.map { field in
            let value = models.defaultValue(of: field).map { " = \($0)" } ?? ""
            return "\(SwiftKeywords.escaped(field.name)): \(types[field.name]?.parameter ?? "")\(value)"
        }.joined(separator: ",\n      ")
    }

    // MARK: - Relations that are loaded when they are first read

    private func setter(_ field: CodegenField) -> [String] {
        let isOptional = !models.isRequired(field)
        let type = SwiftKeywords.escaped(types[field.name]?.element ?? "") + (isOptional ? "? = nil" : "")
        return [
            "  public mutating func set\(field.name.firstUppercased)(_ \(field.name): \(type)) {",
            "    self._\(field.name) = LazyReference(\(field.name))", "  }",
        ]
    }

    private var decoding: [String] {
        let lines = model.fields.map { field in
            let name = SwiftKeywords.escaped(field.name)
            let type = types[field.name]?.element ?? ""
            let isOptional = !models.isRequired(field)
            if field.isReference {
                return
                    "      _\(field.name) = try values.decodeIfPresent(LazyReference<\(type)>.self, forKey: .\(name))"
                    + " ?? LazyReference(identifiers: nil)"
            }
            if field.isHasMany {
                return
                    "      \(name) = try values.decodeIfPresent(List<\(type)>?.self, forKey: .\(name)) ?? .init()"
            }
            let decoded = field.isList ? "[\(type)]" : type + (isOptional ? "?" : "")
            return "      \(name) = try\(isOptional ? "?" : "") values.decode(\(decoded).self, forKey: .\(name))"
        }
        return [
            "  public init(from decoder: Decoder) throws {",
            "      let values = try decoder.container(keyedBy: CodingKeys.self)",
        ] + lines + ["  }"]
    }

    private var encoding: [String] {
        let lines = model.fields.map { field in
            let name = SwiftKeywords.escaped(field.name)
            return "      try container.encode(\(field.isReference ? "_\(field.name)" : name), forKey: .\(name))"
        }
        return [
            "  public func encode(to encoder: Encoder) throws {",
            "      var container = encoder.container(keyedBy: CodingKeys.self)",
        ] + lines + ["  }"]
    }
}
