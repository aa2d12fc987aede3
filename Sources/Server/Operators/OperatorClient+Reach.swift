extension OperatorClient {
    /// How clients reach the server that runs on the folder or, where none runs, what `syncline dev` would serve.
    public func serverDescription() async throws(ServerError) -> ServerDescription {
        if !configuration.data.isEphemeral, let answer = try await sendBySocket(.reach, seconds: 10) {
            guard let description = ServerDescription(answer) else { throw Self.unreadableAnswer }
            return description
        }
        return ServerDescription(configuration)
    }
}
