import Analytics
import Codegen

/// What is asked for to connect an app.
struct ConnectRequest: Sendable, Hashable {
    var platform = ClientPlatform.swift
    /// By which host the app reaches the server; nil for its own.
    var host: ClientHost?

    /// Name and query of the operators' path.
    var target: String {
        var parameters = [ReportParameter("client", platform.rawValue)]
        if let host { parameters.append(ReportParameter("host", host.text)) }
        return "connect" + OperatorCall.query(parameters)
    }

    /// Reads the query.
    init(_ parameters: [ReportParameter]) throws(OperatorProblem) {
        for parameter in parameters {
            switch parameter.name {
            case "client":
                guard let platform = ClientPlatform(rawValue: parameter.value) else {
                    let names = ClientPlatform.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .invalid("'client' is one of \(names).", field: "client")
                }
                self.platform = platform
            case "host": host = try ClientHost(parameter: parameter.value)
            default: throw .invalid("There is no parameter of this name.", field: parameter.name)
            }
        }
    }
}

extension ClientHost {
    /// Reads the parameter `host` of an operators' path.
    init(parameter text: String) throws(OperatorProblem) {
        guard let host = ClientHost(text) else {
            throw .invalid("'host' is simulator, emulator, device, HOST or HOST:PORT.", field: "host")
        }
        self = host
    }
}
