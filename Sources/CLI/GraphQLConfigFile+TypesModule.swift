import Server

extension GraphQLConfigFile {
    /// The module of the types as a file of a folder imports it; nil where the project has no types in TypeScript, or where
    /// the folder's place does not say how to reach them.
    func typesModule(seenFrom folder: String) -> String? {
        guard codeGenTarget == "typescript", let file = generatedFileName else { return nil }
        var from = Self.names(in: folder)
        var to = Self.names(in: file)
        guard folder.hasPrefix("/") == file.hasPrefix("/"), let last = to.popLast() else { return nil }
        let common = zip(from, to).prefix { $0 == $1 }.count
        from.removeFirst(common)
        to.removeFirst(common)
        guard !from.contains("..") else { return nil }
        let module = last.hasSuffix(".ts") ? String(last.dropLast(3)) : last
        let steps = from.isEmpty ? ["."] : from.map { _ in ".." }
        return (steps + to + [module]).joined(separator: "/")
    }

    private static func names(in path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }
}
