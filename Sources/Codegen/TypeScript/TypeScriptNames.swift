import GraphQL

/// What types and statements are called in the module of the types: by their names in the schema, unless TypeScript or
/// another type has the name.
struct TypeScriptNames {
    private let types: [TypeID: String]
    /// The types of the results, and of the variables, in the order of the statements.
    let results: [String]
    let variables: [String]

    init(_ statements: Statements) {
        var scope = NameScope(reserved: JavaScriptWords.types)
        let schema = statements.schema
        var types: [TypeID: String] = [:]
        for type in schema.types where !type.name.hasPrefix("__") {
            if case .scalar = type.kind { continue }
            if let id = schema.type(named: type.name) { types[id] = scope.unique(type.name) }
        }
        self.types = types
        let names = statements.all.map { "\($0.name)\($0.kind.typeName)" }
        var (results, variables): ([String], [String]) = ([], [])
        for name in names {
            results.append(scope.unique(name))
            variables.append(scope.unique("\(name)Variables"))
        }
        (self.results, self.variables) = (results, variables)
    }

    subscript(type: TypeID) -> String { types[type] ?? "unknown" }
}
