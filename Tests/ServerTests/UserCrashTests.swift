import AWSSignature
import Dispatch
import Foundation
import JSON
import Synchronization
import Testing

@testable import Tables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The built binary, killed while people sign up and passwords are changed.
///
/// `SYNCLINE_CRASH_ROUNDS` says how often, `SYNCLINE_CRASH_SEED` repeats a run's choices.
@Suite("Users, killed at any moment", .serialized)
struct UserCrashTests {
    private static let pool = "us-east-1_CrashTests"
    private static let key = ("AKIAEXAMPLEKEY000001", "secretEXAMPLE+/key")
    private static let configuration = """
        {"userPool": {"id": "\(pool)", "name": "crash", "clients": [
           {"id": "crashclient", "name": "app", "explicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"]}]},
         "accessKeys": [{"id": "\(key.0)", "secret": "\(key.1)"}]}
        """

    /// One connection that makes users and changes their passwords, until it breaks.
    final class Writer: @unchecked Sendable {
        // Unchecked: one thread at a time uses it; a group is waited for in between.
        let name: String
        /// The password of each user as it was acknowledged last, and one that was asked for without an answer.
        var passwords: [String: (known: String?, asked: String?)] = [:]
        var acknowledged = 0
        var unexpected: [String] = []
        private var number = 0

        init(name: String) { self.name = name }

        func work(port: Int, onAnswer: () -> Void) {
            guard let client = try? Client(port: port) else { return }
            while true {
                number += 1
                let (user, first, second) = ("\(name)-\(number)", "Pass-First-\(number)", "Pass-Second-\(number)")
                passwords[user] = (nil, first)
                let signUp: JSONValue = [
                    "ClientId": "crashclient", "Username": .string(user), "Password": .string(first),
                ]
                guard send(client, "SignUp", signUp, isSigned: false) else { return }
                passwords[user] = (first, second)
                onAnswer()
                let change: JSONValue = [
                    "UserPoolId": .string(pool), "Username": .string(user), "Password": .string(second),
                    "Permanent": true,
                ]
                guard send(client, "AdminSetUserPassword", change, isSigned: true) else { return }
                passwords[user] = (second, nil)
                onAnswer()
            }
        }

        /// Whether an operation was acknowledged.
        private func send(_ client: Client, _ operation: String, _ body: JSONValue, isSigned: Bool) -> Bool {
            guard let answer = try? UserCrashTests.call(client, operation, body, isSigned: isSigned) else {
                return false
            }
            guard answer.status == 200 else {
                unexpected.append("\(operation): \(answer.body)")
                return false
            }
            acknowledged += 1
            return true
        }
    }

    private static func call(
        _ client: Client, _ operation: String, _ body: JSONValue, isSigned: Bool
    ) throws -> Client.Answer {
        let text = body.description
        var headers = [("host", "localhost"), ("x-amz-target", "AWSCognitoIdentityProviderService.\(operation)")]
        if isSigned {
            var request = SignedRequest(
                method: "POST", path: "/", headers: headers, bodyHash: SignedRequest.bodyHash(of: Array(text.utf8)))
            let signer = RequestSigner(
                accessKeyID: key.0, secret: key.1, region: "us-east-1", service: "cognito-idp")
            try signer.sign(&request, now: Int64(Date().timeIntervalSince1970))
            headers = request.headers
        }
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        try client.send("POST / HTTP/1.1\r\n\(lines)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        return try client.receive()
    }

    @Test("who has signed up is there, and signs in with the password that was acknowledged")
    func nothingIsLost() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["SYNCLINE_CRASH_ROUNDS"].flatMap(Int.init) ?? 2
        let seed = environment["SYNCLINE_CRASH_SEED"].flatMap(UInt64.init) ?? .random(in: 1...1_000_000)
        print("Crash rounds with users: \(rounds), seed \(seed).")
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Note @model { id: ID! }", to: "schema.graphql")
        try folder.write(Self.configuration, to: "config/syncline.json")
        let writers = (0..<2).map { Writer(name: "w\($0)") }
        var server = try Running(["serve", "--port", "0"], in: folder)
        for round in 1...rounds {
            let group = DispatchGroup()
            let (port, process) = (server.port, server.processIdentifier)
            // In the moment of an answer: what is not on disk by then is gone. A password costs a debug build a second.
            let answerCount = Int.random(in: 2...6, using: &random)
            let answers = Atomic<Int>(0)
            for writer in writers {
                DispatchQueue.global().async(group: group) {
                    writer.work(port: port) {
                        if answers.add(1, ordering: .relaxed).newValue == answerCount { kill(process, SIGKILL) }
                    }
                }
            }
            _ = group.wait(timeout: .now() + 60)
            server.crash()
            group.wait()
            for writer in writers { #expect(writer.unexpected.isEmpty, "round \(round)") }
            server = try Running(["serve", "--port", "0"], in: folder)
            try check(server, writers, "round \(round) of seed \(seed)")
        }
        #expect(server.stop().code == 0)
        #expect(writers.reduce(0) { $0 + $1.acknowledged } >= 2 * rounds)
    }

    private func check(_ server: Running, _ writers: [Writer], _ round: String) throws {
        let client = try server.connect()
        for writer in writers {
            for (user, passwords) in writer.passwords {
                let body: JSONValue = ["UserPoolId": .string(Self.pool), "Username": .string(user)]
                let found = try Self.call(client, "AdminGetUser", body, isSigned: true)
                #expect(found.status == 200 || passwords.known == nil, "\(round) \(user) \(found.body)")
                guard found.status == 200 else { continue }
                let candidates = [passwords.known, passwords.asked].compactMap { $0 }
                let fits = try candidates.contains { password in
                    let answer = try Self.call(
                        client, "InitiateAuth",
                        [
                            "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": "crashclient",
                            "AuthParameters": ["USERNAME": .string(user), "PASSWORD": .string(password)],
                        ], isSigned: false)
                    // Who has not confirmed the sign-up is found, whatever the password.
                    return answer.status == 200 || answer.body.contains("UserNotConfirmedException")
                }
                #expect(fits, "\(round) \(user)")
            }
            // What came of the last round was looked at.
            writer.passwords = [:]
        }
    }
}
