/// How much a schema declares: what the work to check it grows with.
public struct SchemaSize: Sendable, Hashable {
    /// Definitions and extensions of types.
    public private(set) var definitionCount = 0
    /// Fields, and values of enums.
    public private(set) var memberCount = 0
    /// Rules of `@auth`.
    public private(set) var ruleCount = 0
    /// The rules of each definition and its fields, times its fields.
    public private(set) var ruledMemberCount = 0

    /// Counts the parts of files.
    ///
    /// - Returns: Nil for a text with a syntax error, which has no parts.
    public init?(_ files: [SchemaFile], limits: SchemaEditLimits = .standard) throws(EditRefusal) {
        let syntax: SchemaSyntax
        do throws(EditRefusal) {
            syntax = try SchemaSyntax(files, version: .one, limits: limits)
        } catch {
            guard error.code == .syntax else { throw error }
            return nil
        }
        for definition in syntax.definitions {
            let directives = definition.directives + definition.members.flatMap(\.directives)
            let rules = directives.filter { $0.name.text == "auth" }
                .reduce(0) { $0 + ($1["rules"]?.value.listed.count ?? 0) }
            definitionCount += 1
            memberCount += definition.members.count
            ruleCount += rules
            ruledMemberCount += rules * definition.members.count
        }
    }
}
