import Foundation
import JSON
import Synchronization
import Testing
import UserPools

@testable import Server

extension UserPoolTests {
    @Suite("Functions of triggers, codes in the log, and what is refused beyond loopback")
    struct Outside {
        private func signUp(_ client: Client, _ name: String, password: String) throws -> JSONValue {
            let body: JSONValue = [
                "ClientId": "app", "Username": .string(name), "Password": .string(password),
                "UserAttributes": [["Name": "email", "Value": .string("\(name)@example.com")]],
            ]
            let text = body.description
            try client.send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.SignUp\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            return try JSONReader.read(try client.receive().body)
        }

        @Test("a function that cannot be reached is one plain sentence for the caller, and the cause is in the log")
        func unreachable() async throws {
            let lines = Mutex<[String]>([])
            let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
            try await TestServer.with(
                log: log,
                {
                    $0.functions = FunctionList([Function(name: "f", url: "http://127.0.0.1:1/")])
                    $0.userPools.pools = [
                        ["id": "us-east-1_One", "lambdaConfig": ["preSignUp": "f"], "clients": [["id": "app"]]]
                    ]
                }
            ) { server in
                let answer = try signUp(try server.connect(), "ada", password: "Passw0rd!")
                #expect(answer["__type"] == "UnexpectedLambdaException")
                #expect(answer["message"] == "The function of PreSignUp could not be reached.")
                let line = lines.withLock { $0.first { $0.contains("The function of a trigger could not be called.") } }
                #expect(line?.contains("function=f") == true && line?.contains("cause=") == true, "\(line ?? "")")
            }
        }

        @Test("a reload gives calls of triggers other outbound rules")
        func reloadedRules() async throws {
            try await FunctionServer.with(.init(body: #"{"response": {}}"#)) { function, url in
                try await TestServer.with {
                    $0.functions = FunctionList([Function(name: "f", url: url)])
                    $0.userPools.pools = [
                        ["id": "us-east-1_One", "lambdaConfig": ["preSignUp": "f"], "clients": [["id": "app"]]]
                    ]
                } _: { server in
                    func signUp(_ name: String, denying entries: [String]) async throws -> JSONValue {
                        var changed = server.configuration
                        changed.outbound.deny = entries.compactMap(OutboundRules.Entry.init)
                        let summary = try server.service.reload(changed)
                        try await server.service.reloadServices(changed, summary)
                        return try self.signUp(try server.connect(), name, password: "Passw0rd!")
                    }
                    #expect(try await signUp("ada", denying: [])["UserSub"] != nil && function.calls.count == 1)
                    let refused = try await signUp("bea", denying: ["127.0.0.1"])
                    #expect(refused["message"] == "The function of PreSignUp could not be reached.", "\(refused)")
                    #expect(function.calls.count == 1)
                    #expect(try await signUp("cid", denying: ["10.0.0.0/8"])["UserSub"] != nil)
                    #expect(function.calls.count == 2)
                }
            }
        }

        @Test("serve bounds the lines about functions that could not be called, which anybody can cause")
        func sampled() async throws {
            let lines = Mutex<[String]>([])
            let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
            try await TestServer.with(
                mode: .serve, log: log,
                {
                    $0.limits.failureLinesPerSecondMax = 0
                    $0.functions = FunctionList([Function(name: "f", url: "http://127.0.0.1:1/")])
                    $0.userPools.pools = [
                        ["id": "us-east-1_One", "lambdaConfig": ["preSignUp": "f"], "clients": [["id": "app"]]]
                    ]
                }
            ) { server in
                let answer = try signUp(try server.connect(), "ada", password: "Passw0rd!")
                #expect(answer["__type"] == "UnexpectedLambdaException")
            }
            #expect(!lines.withLock { $0 }.contains { $0.contains("The function of a trigger could not be called.") })
        }

        @Test("serve logs that a message was sent, with neither its code nor a password")
        func codes() throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write(CommandLineTests.valid, to: "schema.graphql")
            try folder.write(
                #"{"userPool": {"name": "x", "autoVerifiedAttributes": ["email"], "clients": [{"id": "app"}]}}"#,
                to: "config/syncline.json")
            let server = try Running(
                ["serve", "--port", "0", "--tls", "off", "--log-level", "trace"], in: folder)
            let answer = try signUp(try server.connect(), "ada", password: "Passw0rd!Secret")
            #expect(answer["UserSub"] != nil, "\(answer)")
            let code = try #require(
                try JSONReader.read(try run(["outbox"], in: folder).output)["code"]?.stringValue)
            try #require(server.stop().code == 0)
            let log = server.output + server.complaint
            #expect(log.contains("A message was put into the outbox."))
            // Not a part of a number, such as a time.
            #expect(code.count == 6 && !log.split { !$0.isNumber }.contains { $0 == code }, "\(code)")
            #expect(!log.contains("Passw0rd!Secret"))
        }

        @Test("an ephemeral server has the ids that README.md prints, at each start")
        func ephemeral() throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write(CommandLineTests.valid, to: "schema.graphql")
            let (pool, client) = ("us-east-1_266clk83d", "1y72cjclxm9bogknt3z6gm1rt4")
            for _ in 0..<2 {
                let server = try Running(["dev", "--ephemeral", "--port", "0", "--tls", "off"], in: folder)
                try #require(server.stop().code == 0)
                let printed = server.output + server.complaint
                #expect(printed.contains(pool) && printed.contains(client), "\(printed)")
            }
            for file in ["README.md", "docs/users.md"] {
                let text = try String(contentsOf: TidyTests.root.appending(path: file), encoding: .utf8)
                #expect(text.contains(client))
            }
        }

        @Test("an access key whose secret can be guessed is refused beyond loopback")
        func accessKeys() {
            var options = UserPoolOptions()
            var address = ListenAddress()
            options.accessKeys = [.init(id: "AKIA", secret: "123456789012345")]
            #expect(throws: Never.self) { try options.checkAccessKeys(for: address) }
            address.host = "0.0.0.0"
            let error = #expect(throws: ServerError.self) { try options.checkAccessKeys(for: address) }
            #expect(error?.text.contains("access key AKIA has fewer than 16 characters") == true)
            #expect(error?.text.contains("123456789012345") == false)
            options.accessKeys = [.init(id: "AKIA", secret: "1234567890123456")]
            #expect(throws: Never.self) { try options.checkAccessKeys(for: address) }
        }
    }
}
