public import Transformer

/// Why the server did not start or ended: what, where, what next, and the exit code that says so to scripts.
public struct ServerError: Error, Sendable {
    /// The kinds of ends; the number is the exit code of the process.
    public enum Code: Int32, Sendable {
        /// Something failed while running.
        case failed = 1
        /// The command line or the environment cannot be meant.
        case usage = 2
        /// The schema or the configuration is not valid.
        case invalid = 3
        /// The address cannot be listened on.
        case address = 4
        /// The data folder is locked, damaged, not writable, or from a newer version.
        case data = 5
        /// Data would be lost, and that was not confirmed.
        case refused = 7
        /// A check found differences or loss.
        case differences = 8
    }

    /// The kind.
    public var code: Code
    /// All that is wrong, in one go.
    public var diagnostics: [Diagnostic]

    /// Several things that are wrong.
    public init(_ code: Code, _ diagnostics: [Diagnostic]) {
        self.code = code
        self.diagnostics = diagnostics
    }

    /// One thing that is wrong: what and where, and what to do about it.
    public init(_ code: Code, _ message: String, hint: String? = nil) {
        self.init(code, [Diagnostic(kind: "ServerError", message: message, hint: hint)])
    }

    /// The text for a terminal: the first of them, and how many there are beside.
    public var text: String { Diagnostic.texts(diagnostics, "error").joined(separator: "\n") }
}
