/// Whose turn a piece of a list takes.
enum ListTurn: Sendable, Hashable {
    /// Work of the server that no request waits for.
    case server
    /// All operators.
    case `operator`
    /// The clients of a network.
    case network(String)
}
