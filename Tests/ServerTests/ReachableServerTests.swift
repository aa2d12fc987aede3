import Codegen
import HTTP
import JSON
import Testing

@testable import Server

/// Which ports of a server the clients of one place can connect to.
@Suite("The server as clients reach it")
struct ReachableServerTests {
    private func description(_ change: (inout Configuration) -> Void = { _ in }) -> ServerDescription {
        var configuration = Configuration()
        change(&configuration)
        return ServerDescription(configuration)
    }

    @Test("a listener at another address is shown with it, and no setting has its port")
    func otherAddress() throws {
        let description = description { $0.address.listeners = [Listener(host: "192.0.2.2", port: 443, .tls)] }
        let report = try ReachReport(description)
        #expect(report.server.ports.map(\.number) == [20_002] && report.server.warnings.isEmpty)
        #expect(report.text(.boto3).contains("AWS_ENDPOINT_URL=http://127.0.0.1:20002\n"))
        // The hosts lines are for port 443.
        #expect(report.hostsLines.first == "192.0.2.2 cognito-idp.us-east-1.amazonaws.com")
        let there = try ReachReport(description, host: .named("192.0.2.2", port: nil))
        #expect(there.server.ports.map(\.number) == [443])
        #expect(there.text(.boto3).contains("  192.0.2.2:443  https, wss\n"))
        #expect(there.text(.boto3).contains("AWS_ENDPOINT_URL=https://192.0.2.2\n"))
    }

    @Test("clients of another machine are warned of a server that listens only on loopback, and need a proxy of theirs")
    func otherMachine() throws {
        let named = ClientHost.named("192.0.2.2", port: nil)
        let closed = try ReachReport(description(), host: named)
        #expect(closed.server.warnings.count == 1)
        #expect(
            closed.text().contains(
                "  Warning: The server does not listen on 192.0.2.2. Start it with --listen 192.0.2.2:20002"))
        #expect(closed.text().contains("syncline proxy --listen 192.0.2.2:20010 --credentials USER:FILE\n"))
        #expect(closed.text().contains("HTTPS_PROXY=http://USER:PASSWORD@192.0.2.2:20010, or the PAC file"))
        #expect(closed.autoConfiguration.contains("PROXY 192.0.2.2:20010"))
        let open = try ReachReport(description { $0.address.host = "0.0.0.0" }, host: named)
        #expect(open.server.warnings.isEmpty && open.server.url()?.text == "http://192.0.2.2:20002")
        // The emulator's address is the loopback interface of the machine.
        let emulator = try ReachReport(description(), host: .emulator)
        #expect(emulator.server.warnings.isEmpty && emulator.server.proxy.authority == "10.0.2.2:20010")
        #expect(emulator.text().contains("    syncline proxy\n"))
    }

    @Test(
        "a port can be connected to at its own address, at any if it listens on all, and at names",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "localhost", true), ("127.0.0.1", "[::1]", false),
            ("127.0.0.1", "192.0.2.2", false), ("127.0.0.1", "api.example.test", true), ("::1", "localhost", true),
            ("localhost", "127.0.0.1", true), ("127.0.0.2", "127.0.0.1", false), ("0.0.0.0", "192.0.2.2", true),
            ("0.0.0.0", "[::1]", false), ("::", "[::1]", true), ("::", "127.0.0.1", true),
            ("192.0.2.2", "localhost", false), ("192.0.2.2", "[::ffff:192.0.2.2]", true),
        ])
    func ports(host: String, other: String, isReachable: Bool) {
        let port = ReachableServer.Port(host: host, number: 443, acceptsPlainHTTP: false, acceptsTLS: true)
        #expect(port.isReachable(at: other) == isReachable)
    }

    @Test("the URLs of TLS come with a word on the authority; those of plain HTTP and of publicURL without")
    func trust() throws {
        let note = "Uses TLS: the client must trust the local certificate authority ('syncline trust')."
        let report = try ReachReport(description())
        #expect(report.text(.gql).contains(note) && !report.text(.amplifyFlutter).contains(note))
        #expect(
            try ReachReport(description { $0.tls.isRequired = true }).text(.boto3).contains(
                "Uses TLS: set AWS_CA_BUNDLE=/"))
        let published = description { $0.userPools.publicURL = "https://api.example.test" }
        #expect(try !ReachReport(published).text(.gql).contains(note))
    }

    @Test("a description is read as it was written")
    func json() throws {
        let (configuration, error) = try AWSNamesTests.configuration(
            #"""
            {"awsNames": true, "appSyncEndpoint": "https://a.appsync-api.us-east-1.amazonaws.com/graphql",
             "userPool": {"id": "us-east-1_Ab3dE6gHi", "domain": "myapp-dev"}, "publicURL": "https://api.example.test",
             "listeners": [{"host": "::1", "port": 8443, "protocol": "tls"}]}
            """#)
        #expect(error == nil)
        let description = ServerDescription(configuration)
        let read = try #require(ServerDescription(description.json))
        #expect(read.isRunning && read.json == description.json && read.awsHosts == description.awsHosts)
        #expect(read.ports == description.ports && read.servesAWSNames && read.publicURL == "https://api.example.test")
        #expect(Set(read.awsHosts.map(\.service)).count == 9)
        #expect(ServerDescription(["ports": []]) == nil)
    }
}
