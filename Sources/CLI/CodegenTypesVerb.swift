import ArgumentParser
import Codegen
import Server
import Transformer

extension CodegenVerb {
    /// `syncline codegen types`
    struct Types: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "types",
            abstract: "Generates the types of the statements: of their variables and of their results.",
            discussion: """
                The statements are those of 'syncline codegen statements' with the same --max-depth. Options that are not given \
                are those of the Amplify project's .graphqlconfig.yml. Files are written, listed and removed as by \
                'syncline codegen models'.
                """)

        @OptionGroup var schema: SchemaOptions

        @Option(name: .long, help: "What to generate: swift or typescript.")
        var target: String?

        @Option(name: .long, help: "The file to write, such as src/API.ts, or a folder for a file of Amplify's name.")
        var out: String?

        @OptionGroup var levels: DepthOptions

        @OptionGroup var output: GeneratedOutputOptions

        func run() throws {
            let configuration = try Configuration.load(schema.texts)
            let project = try GraphQLConfigFile(of: configuration)
            guard let name = target ?? project?.codeGenTarget else {
                throw ServerError(.usage, "--target is missing: the language of the types, such as typescript.")
            }
            let target = try TargetName(name, of: .types).target(of: TypesTarget.allCases)
            guard let path = out ?? project?.generatedFileName else {
                throw ServerError(.usage, "--out is missing: the file to write, such as \(target.fileName).")
            }
            if out == nil { try project?.checkOutput(path) }
            try output.checkPaths(path)
            let (folder, file) = Self.place(path, target)
            let options = StatementOptions(maxDepth: try levels.depth(project))
            let definition = try configuration.loadDefinition()
            let outcome = Codegen.types(of: definition.schema, target: target, fileName: file, options: options)
            try output.finish(GeneratedOutput(.types, outcome), in: folder)
        }

        /// The folder and the name of the file that a path means: a file if it ends as files of the target do.
        private static func place(_ path: String, _ target: TypesTarget) -> (folder: String, file: String) {
            guard path.hasSuffix(target.fileExtension) else { return (path, target.fileName) }
            return (Files.folder(of: path), Files.name(of: path))
        }
    }
}
