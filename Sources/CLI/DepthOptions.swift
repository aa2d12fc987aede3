import ArgumentParser
import Codegen
import Server

/// How many levels statements have.
struct DepthOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "How many levels of types a statement selects, from 1 to 50; by default that of .graphqlconfig.yml, else 2."
        ))
    var maxDepth: Int?

    func depth(_ project: GraphQLConfigFile?) throws(ServerError) -> Int {
        let depth = maxDepth ?? project?.maxDepth ?? CodegenLimits.depthDefault
        guard CodegenLimits.depthRange.contains(depth) else {
            let name = maxDepth == nil ? "\(project?.path ?? ""): maxDepth" : "--max-depth"
            throw ServerError(
                .usage,
                "\(name) is from \(CodegenLimits.depthRange.lowerBound) to \(CodegenLimits.depthRange.upperBound), and not "
                    + "\(depth).")
        }
        return depth
    }
}
