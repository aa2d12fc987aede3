import Codegen
import JSON

extension ClientFileSource {
    /// The members of a file, and a note that they were given.
    ///
    /// - Parameter address: Whom they are for.
    func members(of request: ClientFileRequest, for address: String) throws(OperatorProblem) -> JSONObject {
        let members = try members(of: request)
        pulls.note(address)
        return members
    }

    /// How an app is connected: addresses, the command that writes its files, and what else it needs. Nothing secret.
    func steps(_ request: ConnectRequest) throws(OperatorProblem) -> JSONObject {
        let address = try address(host: request.host)
        // The command runs where the server is reached as it names itself, unless another host is named.
        var command = PullCommand(
            try self.address(), environment: configuration.environment,
            authority: configuration.tls.isRequired ? authority : nil)
        switch request.host {
        case .named: command.address = address
        case .simulator, .emulator, .device: command.host = request.host
        case nil: break
        }
        let files = request.platform.files
        if files != ClientPlatform.swift.files { command.files = files }
        let realtime = "\(address.isSecure ? "wss" : "ws")://\(address.authority)/graphql/realtime"
        return [
            "endpoint": .string(address.graphQLURL), "realtime": .string(realtime),
            "pull": files.isEmpty ? .null : .string(command.text),
            "files": .array(files.map { .string($0.rawValue) }),
            "snippet": .string(request.platform.snippet(address)),
            "notes": .array(request.platform.notes(address).map(JSONValue.string)), "lastPull": pulls.json,
        ]
    }
}
