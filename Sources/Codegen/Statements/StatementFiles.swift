import GraphQL

/// The files of statements: one for each kind of operations that the API has.
struct StatementFiles {
    let statements: Statements
    let target: StatementTarget
    let typesModule: String?

    var files: [GeneratedFile] {
        let names = TypeScriptNames(statements)
        return OperationKind.allCases.compactMap { kind in
            let indexes = statements.all.indices.filter { statements.all[$0].kind == kind }
            guard !indexes.isEmpty else { return nil }
            let body =
                switch target {
                case .graphql, .swift: documents(indexes)
                case .javascript: constants(indexes)
                case .typescript: typesModule.map { typed(indexes, kind, names, $0) } ?? constants(indexes)
                }
            return GeneratedFile(name: "\(kind.fileName).\(target.fileExtension)", text: head + body)
        }
    }

    private var head: String {
        let generated = GeneratedFile.statementsMark
        return switch target {
        case .graphql, .swift: "# \(generated)\n\n"
        case .javascript: "/* eslint-disable */\n// \(generated)\n\n"
        case .typescript: "/* tslint:disable */\n/* eslint-disable */\n// \(generated)\n\n"
        }
    }

    private func documents(_ indexes: [Int]) -> String {
        let printer = StatementPrinter(schema: statements.schema)
        return indexes.map { printer.text(of: statements.all[$0]) }.joined(separator: "\n")
    }

    private func constants(_ indexes: [Int]) -> String {
        let printer = StatementPrinter(schema: statements.schema, indent: 2)
        var names = NameScope(reserved: JavaScriptWords.reserved)
        return indexes.map { index in
            let text = JavaScriptWords.template(printer.text(of: statements.all[index]))
            let name = names.unique(statements.all[index].field.name)
            return "export const \(name) = /* GraphQL */ `\n\(text)`;\n"
        }.joined()
    }

    /// Constants with the types of their variables and results, as amplify-js reads them.
    private func typed(_ indexes: [Int], _ kind: OperationKind, _ types: TypeScriptNames, _ module: String) -> String {
        let printer = StatementPrinter(schema: statements.schema)
        var names = NameScope(reserved: JavaScriptWords.reserved.union(["APITypes"]))
        let generated = "Generated\(kind.typeName)"
        let head = """
            import * as APITypes from \(JavaScriptWords.string(module));
            type \(generated)<InputType, OutputType> = string & {
              __generated\(kind.typeName)Input: InputType;
              __generated\(kind.typeName)Output: OutputType;
            };


            """
        return head
            + indexes.map { index in
                let text = JavaScriptWords.template(printer.text(of: statements.all[index]))
                let name = names.unique(statements.all[index].field.name)
                return """
                    export const \(name) = /* GraphQL */ `\(text)` as \(generated)<
                      APITypes.\(types.variables[index]),
                      APITypes.\(types.results[index])
                    >;

                    """
            }.joined()
    }
}
