import ArgumentParser
import Codegen
import Server
import Transformer

extension CodegenVerb {
    /// `syncline codegen statements`
    struct Statements: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "statements",
            abstract: "Generates the queries, mutations and subscriptions of the served schema.",
            discussion: """
                Writes queries, mutations and subscriptions with the endings .graphql, .js or .ts. Options that are not given \
                are those of the Amplify project's .graphqlconfig.yml. Files are written, listed and removed as by \
                'syncline codegen models'.
                """)

        @OptionGroup var schema: SchemaOptions

        @Option(name: .long, help: "What to generate: graphql, javascript, typescript or swift (documents).")
        var target: String?

        @Option(name: .long, help: "The folder to write to, such as src/graphql.")
        var out: String?

        @OptionGroup var levels: DepthOptions

        @Option(
            name: .long,
            help: "With --target typescript, the module of the types as the statements import it, such as ../API.")
        var types: String?

        @OptionGroup var output: GeneratedOutputOptions

        func run() throws {
            let configuration = try Configuration.load(schema.texts)
            let project = try GraphQLConfigFile(of: configuration)
            let target = try target(project)
            let given = self.out
            guard let out = given ?? project?.docsFilePath else {
                throw ServerError(.usage, "--out is missing: the folder to write to, such as src/graphql.")
            }
            if given == nil { try project?.checkOutput(out) }
            try output.checkPaths(out)
            var options = StatementOptions(maxDepth: try levels.depth(project))
            if target == .typescript { options.typesModule = types ?? project?.typesModule(seenFrom: out) }
            let definition = try configuration.loadDefinition()
            let outcome = Codegen.statements(of: definition.schema, target: target, options: options)
            try output.finish(GeneratedOutput(.statements, outcome), in: out)
        }

        private func target(_ project: GraphQLConfigFile?) throws(ServerError) -> StatementTarget {
            // Angular compiles documents.
            let configured = project?.codeGenTarget == "angular" ? "graphql" : project?.codeGenTarget
            let name = target ?? configured ?? StatementTarget.graphql.rawValue
            return try TargetName(name, of: .statements).target(of: StatementTarget.allCases)
        }
    }
}
