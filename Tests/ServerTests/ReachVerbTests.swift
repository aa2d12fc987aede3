import Foundation
import Testing

@testable import Server

/// `syncline reach` and `syncline proxy`, as a user runs them.
@Suite("The verbs of reach", .serialized)
struct ReachVerbTests {
    private func folder(_ config: String = #"{"region": "eu-west-1"}"#) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        try folder.write(config, to: "config/syncline.json")
        return folder
    }

    @Test("reach reports on every client or one, as text and as JSON, and makes nothing")
    func report() throws {
        let folder = try folder()
        defer { folder.remove() }
        let all = try run(["reach"], in: folder)
        #expect(all.code == 0, "\(all)")
        for client in ReachClient.allCases { #expect(all.output.contains("\n\(client.rawValue)\n")) }
        #expect(
            all.output.hasPrefix("Server, which is not running, as 'syncline dev' would start it\n  127.0.0.1:20002  "))
        #expect(all.output.contains("    127.0.0.1 cognito-idp.eu-west-1.amazonaws.com\n"))
        #expect(all.output.contains("AWS_CA_BUNDLE=\(folder.path(".syncline/tls-aws/ca.pem"))\n"), "an absolute path")
        #expect(all.output.contains("AWS_ENDPOINT_URL_COGNITO_IDENTITY=http://127.0.0.1:20002\n"))
        let one = try run(["reach", "--client", "gql"], in: folder)
        #expect(one.code == 0 && one.output.contains("wss://127.0.0.1:20002/graphql") && !one.output.contains("boto3"))
        let json = try run(["reach", "--json", "--host", "emulator"], in: folder)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["host"] as? String == "10.0.2.2" && object["servesAwsNames"] as? Bool == false)
        #expect(object["proxy"] as? String == "http://10.0.2.2:20010" && object["running"] as? Bool == false)
        #expect((object["clients"] as? [String: Any])?.count == ReachClient.allCases.count)
        #expect(folder.names == ["config", "config/syncline.json", "schema.graphql"])
    }

    @Test("a host, a port and publicURL are the clients' own, and port 443 changes what is proposed")
    func hosts() throws {
        let folder = try folder(#"{"publicURL": "https://api.example.test"}"#)
        defer { folder.remove() }
        let swift = ["reach", "--client", "amplify-swift"]
        #expect(try run(swift, in: folder).output.contains("CognitoUserPool.Default.Endpoint: api.example.test\n"))
        let named = try run(swift + ["--host", "192.168.1.20:8443"], in: folder).output
        #expect(named.contains("AWS_ENDPOINT_URL_PINPOINT=http://192.168.1.20:8443\n"))
        #expect(
            !named.contains("CognitoUserPool.Default.Endpoint") && named.contains("not reached by AWS_ENDPOINT_URL_S3"))
        #expect(named.contains("--listen 192.168.1.20:443,tls"))
        let standard = try run(swift + ["--host", "192.168.1.20:443"], in: folder).output
        #expect(standard.contains("AWS_ENDPOINT_URL_S3=https://192.168.1.20\n"))
        for arguments in [
            ["--host", "a b"], ["--client", "curl"], ["--test", "--pac"], ["https://localhost:1"],
            ["--test", "--client", "gql"], ["--pac", "--json"], ["--pac", "--client", "gql"], ["--hosts", "--json"],
            ["--hosts", "--pac"],
            ["--test", "https://localhost:1", "--host", "device"],
        ] {
            #expect(try run(["reach"] + arguments, in: folder).code == 2, "\(arguments)")
        }
        #expect(try run(["reach", "--test", "localhost"], in: folder).code == 2)
    }

    @Test("--pac is the PAC file of the proxy, and --test ends with 1 where nothing answers")
    func others() throws {
        let folder = try folder()
        defer { folder.remove() }
        let pac = try run(["reach", "--pac"], in: folder)
        #expect(pac.code == 0 && pac.output.contains("function FindProxyForURL(url, host)"))
        #expect(
            pac.output.contains(#""syncline.s3.eu-west-1.amazonaws.com": true"#)
                && pac.output.contains("127.0.0.1:20010"))
        let test = try run(["reach", "--test", "https://127.0.0.1:1"], in: folder)
        #expect(
            test.code == 1 && test.output.contains("failed  127.0.0.1  GraphQL: nothing answers at 127.0.0.1:1"),
            "\(test)")
        #expect(test.complaint.contains("calls failed."))
    }

    @Test("proxy refuses what cannot be meant")
    func proxy() throws {
        let folder = try folder()
        defer { folder.remove() }
        try folder.write("secret\n", to: "password")
        let free = ["--listen", "127.0.0.1:0"]
        for arguments in [
            ["--listen", "0.0.0.0:0"], ["--listen", "127.0.0.1"], free + ["--to", "localhost"],
            free + ["--to", "localhost:0"], free + ["--credentials", "ada"], free + ["--credentials", "ada:missing"],
            ["--listen", "0.0.0.0:0", "--credentials", "ada:password"], free + ["--credentials", ":password"],
        ] {
            let outcome = try run(["proxy"] + arguments, in: folder)
            #expect(outcome.code == 2 && outcome.output.isEmpty, "\(arguments): \(outcome)")
        }
    }

    @Test("a running server is described as it was started, whatever the configuration has")
    func running() async throws {
        let folder = try folder()
        defer { folder.remove() }
        let server = try Running(["dev", "--port", "0", "--aws-names"], in: folder)
        let report = try run(["reach"], in: folder)
        #expect(
            report.code == 0 && report.output.hasPrefix("Server\n  127.0.0.1:\(server.port)  http, ws, https, wss\n"))
        #expect(!report.output.contains("20002") && !report.output.contains("start it with --aws-names"), "\(report)")
        #expect(report.output.contains("AWS_ENDPOINT_URL=http://127.0.0.1:\(server.port)\n"))
        let test = try run(["reach", "--test", "https://127.0.0.1:\(server.port)"], in: folder)
        #expect(test.code == 0 && test.output.contains("ok      syncline.s3.eu-west-1.amazonaws.com"), "\(test)")
        let hosts = try run(["reach", "--hosts"], in: folder)
        #expect(
            hosts.code == 0 && hosts.output.hasPrefix("127.0.0.1 cognito-idp.eu-west-1.amazonaws.com\n"), "\(hosts)")
        #expect(
            hosts.output.split(separator: "\n").allSatisfy {
                $0.hasPrefix("127.0.0.1 ") && $0.hasSuffix(".amazonaws.com")
            })
        #expect(server.stop().code == 0)
        #expect(try run(["reach"], in: folder).output.contains("AWS_ENDPOINT_URL=http://127.0.0.1:20002\n"))
        let other = try Running(["dev", "--port", "0"], in: folder)
        let refused = try run(["proxy", "--listen", "127.0.0.1:0"], in: folder)
        #expect(refused.code == 2 && refused.complaint.contains("does not serve the AWS hostnames"), "\(refused)")
        #expect(other.stop().code == 0)
    }

    @Test("what reaches a shell or a hosts file is quoted, or refused where it is read")
    func shells() throws {
        for url in [
            "https://x.example\\n9.9.9.9 bank.example amazonaws.com", "https://a$(touch PWN)b.example", "https://a b",
            "https://",
            "https://a.example/$(id)", "https://a.example/?q", "https://user@a.example", "ftp://a.example",
        ] {
            let folder = try folder("{\"publicURL\": \"\(url)\"}")
            defer { folder.remove() }
            let refused = try run(["reach"], in: folder)
            #expect(refused.code != 0 && refused.complaint.contains("'publicURL' is a URL"), "\(url): \(refused)")
        }
        let folder = try folder(#"{"publicURL": "https://nowhere.invalid/base"}"#)
        defer { folder.remove() }
        let hosts = try run(["reach", "--hosts"], in: folder)
        #expect(hosts.code == 1 && hosts.output.isEmpty && hosts.complaint.contains("cannot be resolved"), "\(hosts)")
        #expect(
            try run(["reach", "--hosts", "--host", "192.0.2.2"], in: folder).output.hasPrefix("192.0.2.2 cognito-idp."))
        for options in [["trust"], ["trust", "--aws-names"]] {
            let data = "d;touch PWNED; $(id)"
            try folder.write("", to: "anchors/other.crt")
            #expect(try run(options + ["--data", data, "--install", "--folder", "anchors"], in: folder).code == 0)
            let shown = try run(options + ["--data", data, "--folder", "anchors"], in: folder)
            // The lines of commands; the others are for people.
            for line in shown.output.split(separator: "\n") where line.contains("cp ") || line.contains("--cacert ") {
                #expect(line.contains("'") || !line.contains("PWNED"), "\(line)")
            }
            #expect(shown.output.contains("curl --cacert '"))
        }
    }

    @Test("proxy routes to the running server, and takes over names that are added to the configuration")
    func following() async throws {
        let folder = try folder()
        defer { folder.remove() }
        let server = try Running(["dev", "--port", "0", "--aws-names"], in: folder)
        let proxy = try Command(["proxy", "--listen", "127.0.0.1:0"], in: folder)
        defer {
            proxy.process.send(SIGTERM)
            #expect(proxy.wait().code == 0)
        }
        try await eventually { proxy.text("output").contains("The PAC file is") }
        #expect(proxy.text("output").contains("AWS hostnames are routed to 127.0.0.1:\(server.port)."))
        let first = try #require(proxy.text("output").split(separator: "\n").first)
        let port = try #require(URLComponents(string: String(first))?.port)
        func file() throws -> String { try Client(port: port).ask("GET", "/proxy.pac", headers: [:]).body }
        #expect(try file().contains("\"syncline.s3.eu-west-1.amazonaws.com\": true"))
        try folder.write(
            #"{"region": "eu-west-1", "storage": {"buckets": [{"name": "photos"}]}}"#, to: "config/syncline.json")
        try await eventually { try file().contains("\"photos.s3.eu-west-1.amazonaws.com\": true") }
        #expect(try !file().contains("syncline.s3"))
        #expect(server.stop().code == 0)
    }
}
