import HTTP
public import JSON

/// What clients of a project are set to, so that they reach this server: what `syncline reach` prints.
public struct ReachReport: Sendable {
    let server: ReachableServer
    /// The address for hosts lines.
    let address: String
    /// Where the local authority's certificate is, or would be; nil where the server has certificates of its own, or none.
    let authority: String?
    /// The same of the authority for AWS names.
    let awsAuthority: String?
    /// Where the proxy listens.
    let proxy: String
    /// Words that each proposed command ends with, so that it is for the same project.
    let options: String

    /// The port at which `syncline proxy` listens.
    public static let proxyPort = 20_010

    /// The advice for each client.
    var advice: [(client: ReachClient, list: [ReachAdvice])] {
        ReachClient.allCases.map { ($0, ReachAdvice.list(for: $0, server)) }
    }

    /// The proxy auto-configuration file.
    public var autoConfiguration: String { ProxyAutoConfiguration(names: names, proxy: proxy).text }

    private var names: [String] { server.awsHosts.map(\.name) }

    /// The lines of a hosts file, by which the AWS names lead to the server.
    var hostsLines: [String] { names.map { "\(address) \($0)" } }
}

// MARK: - For people

extension ReachReport {
    /// The report.
    ///
    /// - Parameter client: The one client that it is for; nil for all.
    public func text(_ client: ReachClient? = nil) -> String {
        var lines = ["Server"]
        for port in server.ports { lines.append("  \(Self.text(of: port, server.host))") }
        for (each, list) in advice where client == nil || each == client {
            lines += ["", each.rawValue] + list.flatMap(Self.lines)
        }
        let needsNames = advice.contains { each, list in
            (client == nil || each == client) && list.contains { $0.method == .awsNames }
        }
        guard needsNames else { return lines.joined(separator: "\n") }
        lines += ["", "AWS names: without any setting, these names lead to the server"]
        guard !names.isEmpty else { return (lines + ["  This project has none."]).joined(separator: "\n") }
        lines += namesLines
        return lines.joined(separator: "\n")
    }

    private var namesLines: [String] {
        var lines = server.servesAWSNames ? [] : ["  The server does not serve them: start it with --aws-names."]
        lines += ["", "  By the proxy, which needs no port 443 and no right to change the system:"]
        lines.append("    syncline proxy\(options)")
        lines.append("    HTTPS_PROXY=http://\(proxy), or the auto-configuration http://\(proxy)/proxy.pac")
        lines += ["", "  By the hosts file or a DNS server, where the server listens at port 443 for TLS:"]
        if server.defaultPortTLSURL() == nil {
            lines.append("    It does not listen there: add --listen \(ReachURL.authority(address, 443)),tls.")
        }
        lines += hostsLines.map { "    \($0)" }
        lines += ["", "  The client has to trust the authority for AWS names: syncline trust --aws-names\(options)"]
        if let awsAuthority {
            lines.append("    boto3, awscli  AWS_CA_BUNDLE=\(ShellWord.quoted(awsAuthority))")
        }
        lines += ["", "  syncline reach --test\(options) tests whether they do."]
        return lines
    }

    private static func text(of port: ReachableServer.Port, _ host: String) -> String {
        let schemes = [port.acceptsClearText ? "http, ws" : nil, port.acceptsTLS ? "https, wss" : nil].compactMap(
            \.self)
        return "\(ReachURL.authority(host, port.number))  \(schemes.joined(separator: ", "))"
    }

    private static func lines(_ advice: ReachAdvice) -> [String] {
        let part = advice.part + String(repeating: " ", count: max(1, 15 - advice.part.count))
        let first =
            switch advice.method {
            case .setting: "\(advice.name): \(advice.value)"
            case .environment: "\(advice.name)=\(advice.value)"
            case .awsNames: "the AWS names (below)"
            case .unreachable: advice.name.isEmpty ? "not reached" : "not reached by \(advice.name)"
            }
        let indent = String(repeating: " ", count: 17)
        let url = advice.url.flatMap { $0 == advice.value ? nil : "\(indent)connects to \($0)" }
        return ["  \(part)\(first)"] + [url, advice.note.map { indent + $0 }].compactMap(\.self)
    }
}

// MARK: - For programs

extension ReachReport {
    /// The report as JSON.
    ///
    /// - Parameter client: The one client that it is for; nil for all.
    public func json(_ client: ReachClient? = nil) -> JSONValue {
        var clients = JSONObject()
        for (each, list) in advice where client == nil || each == client {
            clients[each.rawValue] = .array(list.map(Self.json))
        }
        let ports = server.ports.map { port -> JSONValue in
            [
                "port": .number("\(port.number)"), "clearText": .bool(port.acceptsClearText),
                "tls": .bool(port.acceptsTLS),
            ]
        }
        let hosts = server.awsHosts.map { host -> JSONValue in
            ["name": .string(host.name), "role": .string(host.service.text), "address": .string(address)]
        }
        return [
            "host": .string(server.host), "ports": .array(ports), "servesAwsNames": .bool(server.servesAWSNames),
            "clients": .object(clients), "awsNames": .array(hosts), "proxy": .string("http://\(proxy)"),
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
