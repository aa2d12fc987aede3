public import Codegen

/// The command that writes the configuration files of clients, from any folder of the server's machine, as one line of a shell.
public struct PullCommand: Sendable {
    /// The server's address.
    public var address: ClientAddress
    /// The server's environment, where it is named.
    public var environment: String?
    /// The certificate that is to be trusted, where the address needs it.
    public var authority: String?
    /// Where the app runs; nil where the address is the app's too.
    public var host: ClientHost?
    /// The files to write; empty for those of mobile apps.
    public var files: [ClientFile] = []

    /// A command for a server.
    public init(_ address: ClientAddress, environment: String?, authority: String?) {
        (self.address, self.environment, self.authority) = (address, environment, authority)
    }

    /// The line. Each word is quoted where the shell would read it otherwise: the environment's name comes from a project.
    public var text: String {
        var words = ["syncline", "pull", address.url]
        if let environment { words += ["--env", environment] }
        if let host { words += ["--host", host.text] }
        for file in files { words += ["--format", file.rawValue] }
        if let authority { words += ["--cacert", authority] }
        return words.map(ShellWord.quoted).joined(separator: " ")
    }
}
