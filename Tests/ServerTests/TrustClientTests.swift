import Testing

@testable import Server

/// `syncline trust --aws-names` and `--for`, as a user runs them.
@Suite("The authorities and the clients of trust", .serialized)
struct TrustClientTests {
    @Test("trust prints the commands for one client, once there is an authority")
    func trust() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        try folder.write(#"{"region": "eu-west-1"}"#, to: "config/syncline.json")
        #expect(
            try run(["trust", "--for", "node"], in: folder).output.contains(
                "There is no local certificate authority yet"))
        let none = try run(["trust", "--aws-names"], in: folder)
        #expect(none.output.contains("There is no certificate authority for AWS hostnames yet"), "\(none)")
        try folder.write("", to: "anchors/other.crt")
        #expect(try run(["trust", "--install", "--folder", "anchors"], in: folder).code == 0)
        #expect(try run(["trust", "--aws-names", "--install", "--folder", "anchors"], in: folder).code == 0)
        #expect(folder.names.filter { $0.hasPrefix("anchors/syncline-") }.count == 2, "two authorities")
        let shown = try run(["trust", "--aws-names", "--folder", "anchors"], in: folder).output
        #expect(
            shown.contains("only for these names and their subdomains: ")
                && shown.contains("cognito-idp.eu-west-1.amazonaws.com"),
            "\(shown)")
        #expect(!shown.contains("localhost"))
        let rows = [
            ("ios-simulator", "xcrun simctl keychain booted add-root-cert"), ("android", "adb push"),
            ("chrome", "certutil -d sql:$HOME/.pki/nssdb -A"), ("firefox", "Authorities, Import"),
            ("node", "NODE_EXTRA_CA_CERTS="), ("python", "AWS_CA_BUNDLE="), ("java", "keytool -importcert"),
        ]
        for (client, text) in rows {
            for options in [[], ["--aws-names"]] {
                let outcome = try run(["trust", "--for", client] + options, in: folder)
                #expect(outcome.code == 0 && outcome.output.contains(text), "\(client)")
                #expect(
                    outcome.output.contains(options.isEmpty ? "/tls/ca.pem" : "/tls-aws/ca.pem"),
                    "\(client): \(outcome)")
            }
        }
        #expect(try run(["trust", "--for", "node", "--install"], in: folder).code == 2)
        #expect(try run(["trust", "--for", "curl"], in: folder).code == 2)
    }

    @Test("the commands of trust have the data folder unless it is the default")
    func options() {
        var configuration = Configuration()
        #expect(configuration.authorityOptions.isEmpty)
        configuration.data.folder = "other/d e"
        #expect(configuration.authorityOptions == " --data 'other/d e'")
        configuration.data.isEphemeral = true
        #expect(configuration.authorityOptions == " --ephemeral")
    }
}
