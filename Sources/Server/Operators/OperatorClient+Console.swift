import JSON

extension OperatorClient {
    /// A link that signs a browser in to the console of the running server, once.
    ///
    /// - Parameter name: The operator whom it signs in; nil for the user who runs the server.
    public func consoleLink(for name: String?) async throws(ServerError) -> String {
        guard let answer = try await sendBySocket(.createLink(operator: name)) else {
            throw OperatorProblem.noConsole.serverError
        }
        guard let url = answer["url"]?.stringValue else { throw Self.unreadableAnswer }
        return url
    }
}
