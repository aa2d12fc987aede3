import HTTP
public import JSON

/// What clients of a project are set to, so that they reach this server: what `syncline reach` prints.
public struct ReachReport: Sendable {
    let server: ReachableServer
    /// Whether the report is on a running server.
    let isRunning: Bool
    /// The address for hosts lines; nil if the host is a name that was not or cannot be resolved.
    var address: String?
    /// The file of the local authority's certificate; nil if the server has certificates of its own, or none.
    let authority: String?
    /// The file of the certificate of the authority for AWS hostnames.
    let awsAuthority: String?
    /// Words that each proposed command ends with, so that it is for the same project.
    let options: String

    /// The port at which `syncline proxy` listens.
    public static let proxyPort = 20_010

    /// The advice for one client; nil for all.
    private func advice(for client: ReachClient?) -> [(client: ReachClient, list: [ReachAdvice])] {
        (client.map { [$0] } ?? ReachClient.allCases).map { ($0, ReachAdvice.list(for: $0, server)) }
    }

    /// The PAC file.
    public var autoConfiguration: String { ProxyAutoConfiguration(names: names, proxy: server.proxy.authority).text }

    private var names: [String] { server.awsHosts.map(\.name) }

    /// The lines of a hosts file, by which the AWS hostnames resolve to the server; none if its address is not known.
    var hostsLines: [String] { address.map { address in names.map { "\(address) \($0)" } } ?? [] }

    /// The same as a text, for a hosts file.
    public func hostsText() throws(ServerError) -> String {
        guard !names.isEmpty else { throw ServerError(.failed, "This project has no AWS hostnames.") }
        guard address != nil else {
            throw ServerError(
                .failed, "The host \(server.host) cannot be resolved, and a hosts file has addresses.",
                hint: "Name the server's address: --host ADDRESS.")
        }
        return hostsLines.joined(separator: "\n")
    }
}

// MARK: - For people

extension ReachReport {
    /// The report.
    ///
    /// - Parameter client: The one client that it is for; nil for all.
    public func text(_ client: ReachClient? = nil) -> String {
        var lines = [isRunning ? "Server" : "Server, which is not running, as 'syncline dev' would start it"]
        for port in server.ports { lines.append("  \(Self.text(of: port))") }
        lines += server.warnings.map { "  Warning: \($0)" }
        let advice = advice(for: client)
        for (client, list) in advice {
            lines += ["", client.rawValue]
            for (index, item) in list.enumerated() {
                // The second way of setting a part.
                let isAlternative = index > 0 && list[index - 1].part == item.part
                lines += Self.lines(item, isAlternative: isAlternative)
            }
        }
        let needsNames = advice.contains { $0.list.contains { $0.method == .awsNames } }
        guard needsNames else { return lines.joined(separator: "\n") }
        lines += ["", "AWS hostnames: for clients without a setting"]
        lines += names.isEmpty ? ["  This project has none."] : namesLines
        return lines.joined(separator: "\n")
    }

    private var namesLines: [String] {
        var lines = server.servesAWSNames ? [] : ["  The server does not serve them: start it with --aws-names."]
        lines += ["", "  Through the proxy, which requires neither port 443 nor root:"]
        let user = server.proxy.isExposed ? "USER:PASSWORD@" : ""
        let exposed = server.proxy.isExposed ? " --listen \(server.proxy.authority) --credentials USER:FILE" : ""
        lines.append("    syncline proxy\(exposed)\(options)")
        lines.append(
            "    HTTPS_PROXY=http://\(user)\(server.proxy.authority), or the PAC file "
                + "http://\(server.proxy.authority)/proxy.pac")
        lines += ["", "  Using the hosts file or a DNS server, if the server accepts TLS at port 443:"]
        if server.defaultPortTLSURL() == nil, server.hostsAddress == nil {
            lines.append("    It does not listen there: add --listen \(HostPort.text(address ?? "0.0.0.0", 443)),tls.")
        }
        lines +=
            hostsLines.isEmpty
            ? ["    The host \(server.host) cannot be resolved: name the server's address with --host."]
            : hostsLines.map { "    \($0)" }
        lines += ["", "  Clients must trust the authority for AWS hostnames: syncline trust --aws-names\(options)"]
        if let awsAuthority {
            lines.append("    boto3, awscli  AWS_CA_BUNDLE=\(ShellWord.quoted(awsAuthority))")
        }
        lines += ["", "  Check with: syncline reach --test\(options)"]
        return lines
    }

    private static func text(of port: ReachableServer.Port) -> String {
        let schemes = [port.acceptsPlainHTTP ? "http, ws" : nil, port.acceptsTLS ? "https, wss" : nil].compactMap(
            \.self)
        return "\(HostPort.text(port.host, port.number))  \(schemes.joined(separator: ", "))"
    }

    private static func lines(_ advice: ReachAdvice, isAlternative: Bool) -> [String] {
        let part = isAlternative ? "" : advice.part
        let first =
            switch advice.method {
            case .setting: "\(advice.name): \(advice.value)"
            case .environment: "\(advice.name)=\(ShellWord.quoted(advice.value))"
            case .awsNames: "the AWS hostnames (below)"
            case .unreachable: advice.name.isEmpty ? "not reached" : "not reached by \(advice.name)"
            }
        let indent = String(repeating: " ", count: 17)
        let margin = "  \(part)\(String(repeating: " ", count: max(1, 15 - part.count)))"
        let url = advice.url.flatMap { $0 == advice.value ? nil : "\(indent)connects to \($0)" }
        return [margin + (isAlternative ? "or " : "") + first]
            + [url, advice.note.map { indent + $0 }].compactMap(\.self)
    }
}

// MARK: - For programs

extension ReachReport {
    /// The report as JSON.
    ///
    /// - Parameter client: The one client that it is for; nil for all.
    public func json(_ client: ReachClient? = nil) -> JSONValue {
        var clients = JSONObject()
        for (client, list) in advice(for: client) {
            clients[client.rawValue] = .array(list.map(Self.json))
        }
        let hosts = server.awsHosts.map { host -> JSONValue in
            [
                "name": .string(host.name), "service": .string(host.service.text),
                "address": address.map(JSONValue.string) ?? .null,
            ]
        }
        return [
            "running": .bool(isRunning), "host": .string(server.host), "ports": .array(server.ports.map(\.json)),
            "warnings": .array(server.warnings.map(JSONValue.string)), "servesAwsNames": .bool(server.servesAWSNames),
            "clients": .object(clients), "awsNames": .array(hosts),
            "proxy": .string("http://\(server.proxy.authority)"),
            "authority": authority.map(JSONValue.string) ?? .null,
            "awsNamesAuthority": awsAuthority.map(JSONValue.string) ?? .null,
        ]
    }

    private static func json(_ advice: ReachAdvice) -> JSONValue {
        var object: JSONObject = ["part": .string(advice.part), "method": .string(advice.method.rawValue)]
        if !advice.name.isEmpty { object["name"] = .string(advice.name) }
        if !advice.value.isEmpty { object["value"] = .string(advice.value) }
        object["url"] = advice.url.map(JSONValue.string)
        object["note"] = advice.note.map(JSONValue.string)
        return .object(object)
    }
}
