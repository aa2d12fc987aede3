import Analytics
public import Codegen

/// What is asked for of a client's configuration file.
public struct ClientFileRequest: Sendable, Hashable {
    /// The file.
    public var file: ClientFile
    /// The server's address as the client has it; nil for `publicURL`, or else the server's own.
    public var address: ClientAddress?
    /// By which host the app reaches that address; nil for its own.
    public var host: ClientHost?
    /// The environment that the server has to be of; nil for whichever it is.
    public var environment: String?

    /// A request for a file.
    public init(
        _ file: ClientFile, address: ClientAddress? = nil, host: ClientHost? = nil, environment: String? = nil
    ) {
        (self.file, self.address, self.host, self.environment) = (file, address, host, environment)
    }
}

extension ClientFileRequest {
    /// Name and query of the operators' path.
    var target: String {
        var parameters: [ReportParameter] = []
        if let address { parameters.append(ReportParameter("url", address.url)) }
        if let host { parameters.append(ReportParameter("host", host.text)) }
        if let environment { parameters.append(ReportParameter("environment", environment)) }
        return file.rawValue + OperatorCall.query(parameters)
    }

    /// Reads name and query.
    init(name: String, _ parameters: [ReportParameter]) throws(OperatorProblem) {
        guard let file = ClientFile(rawValue: name) else {
            let names = ClientFile.allCases.map(\.rawValue).joined(separator: ", ")
            throw OperatorProblem(code: .notFound, message: "There is no such file. Files are \(names).")
        }
        self.init(file)
        for parameter in parameters {
            switch parameter.name {
            case "url":
                guard let address = ClientAddress(url: parameter.value) else {
                    throw .invalid("'url' is http://HOST:PORT or https://HOST:PORT.", field: "url")
                }
                self.address = address
            case "host": host = try ClientHost(parameter: parameter.value)
            case "environment": environment = parameter.value
            default: throw .invalid("There is no parameter of this name.", field: parameter.name)
            }
        }
    }
}
