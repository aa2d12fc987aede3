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
        #expect(all.output.contains("    127.0.0.1 cognito-idp.eu-west-1.amazonaws.com\n"))
        #expect(all.output.contains("AWS_ENDPOINT_URL_COGNITO_IDENTITY=http://127.0.0.1:20002\n"))
        let one = try run(["reach", "--client", "gql"], in: folder)
        #expect(one.code == 0 && one.output.contains("wss://127.0.0.1:20002/graphql") && !one.output.contains("boto3"))
        let json = try run(["reach", "--json", "--host", "emulator"], in: folder)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["host"] as? String == "10.0.2.2" && object["servesAwsNames"] as? Bool == false)
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
        for arguments in [["--host", "a b"], ["--client", "curl"], ["--test", "--pac"], ["https://localhost:1"]] {
            #expect(try run(["reach"] + arguments, in: folder).code == 2, "\(arguments)")
        }
        #expect(try run(["reach", "--test", "localhost"], in: folder).code == 2)
    }

    @Test("--pac is the auto-configuration of the proxy, and --test ends with 1 where nothing answers")
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

    @Test("proxy says what it leads where, and refuses what cannot be meant")
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
}
