/// The operators of a data folder, as the command line creates, lists and revokes them, beside a running server or
/// without one.
public enum Operators {
    /// The most operators of a data folder.
    static let countMax = 1000

    /// Creates an operator and returns the token, which is not stored and cannot be shown again.
    public static func create(
        _ name: String, role: OperatorRole, of configuration: Configuration
    ) throws(ServerError) -> String {
        try check(name, of: configuration)
        let token = OperatorToken()
        let new = Operator(
            name: name, role: role, createdMilliseconds: Moment.now.milliseconds, token: token)
        try file(of: configuration).change { operators throws(ServerError) in
            guard !operators.contains(where: { $0.name == name }) else {
                throw ServerError(
                    .refused, "There is an operator \(name) already. Revoke it first, or choose another name.")
            }
            guard operators.count < countMax else {
                throw ServerError(.refused, "There are \(countMax) operators already. Revoke one first.")
            }
            operators.append(new)
        }
        PrivateFiles.secure(configuration.data.folder)
        return token.text
    }

    /// Refuses what cannot be the name of an operator, and data that has none.
    static func check(_ name: String, of configuration: Configuration) throws(ServerError) {
        _ = try file(of: configuration)
        guard Operator.isName(name) else {
            throw ServerError(.usage, "An operator's name has 1 to 64 letters, digits and signs of '._-+@'.")
        }
    }

    /// The operators in the order in which they were created.
    public static func list(of configuration: Configuration) throws(ServerError) -> [Operator] {
        try file(of: configuration).read()
    }

    /// Revokes an operator: the token is refused from the next request on, and the operator's draft of the schema is removed, which
    /// another one of that name would have otherwise.
    public static func revoke(_ name: String, of configuration: Configuration) throws(ServerError) {
        let file = try file(of: configuration)
        let unknown = OperatorProblem.unknownOperator(name).serverError
        guard try file.read().contains(where: { $0.name == name }) else { throw unknown }
        try file.change { operators throws(ServerError) in
            guard let index = operators.firstIndex(where: { $0.name == name }) else { throw unknown }
            operators.remove(at: index)
        }
        SchemaDrafts(dataFolder: configuration.data.folder).remove(of: name)
    }

    static func file(of configuration: Configuration) throws(ServerError) -> OperatorFile {
        guard !configuration.data.isEphemeral else {
            throw ServerError(
                .usage, "Data that is thrown away at exit has no operators. Name a folder with \(Setting.data.flag).")
        }
        return OperatorFile(folder: configuration.data.folder)
    }
}
