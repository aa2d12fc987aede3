import Foundation
import JSON
import Synchronization
import Testing

@testable import UserPools

/// Holds the events in docs/users.md to those that are sent, and the responses there to what is accepted.
@Suite("Events of triggers")
struct TriggerEventTests {
    /// The events of the document, by source, and `2` in front of those of version 2.
    private static func documented() throws -> [String: JSONValue] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/users.md"), encoding: .utf8)
        var events: [String: JSONValue] = [:]
        for block in text.components(separatedBy: "```json\n").dropFirst() {
            let json = block.components(separatedBy: "\n```")[0]
            guard let event = try? JSONReader.read(Array(json.utf8)), let source = event["triggerSource"]?.stringValue
            else { continue }
            #expect(events.updateValue(event, forKey: key(source, event)) == nil, "\(source) is documented twice")
        }
        return events
    }

    private static func key(_ source: String, _ event: JSONValue) -> String {
        (event["version"] == "2" ? "2" : "") + source
    }

    /// The names of all members below a value, with their paths; the first element stands for a list.
    private static func names(_ value: JSONValue?, _ path: String = "") -> Set<String> {
        if let object = value?.objectValue {
            var all: Set<String> = [path]
            for (name, member) in object { all.formUnion(names(member, "\(path)/\(name)")) }
            return all
        }
        if let first = value?.arrayValue?.first, first.objectValue != nil { return names(first, "\(path)/0") }
        return [path]
    }

    /// A stage whose functions answer as the document says, and the events that they receive.
    private final class Recorder: Sendable {
        let events = Mutex<[String: JSONValue]>([:])
        let documented: [String: JSONValue]

        init(_ documented: [String: JSONValue]) { self.documented = documented }

        func answer(_ event: JSONValue) -> JSONObject {
            let key = TriggerEventTests.key(event["triggerSource"]?.stringValue ?? "", event)
            events.withLock { $0[key] = event }
            if key.hasPrefix("DefineAuthChallenge"), event["request"]?["session"]?.arrayValue?.isEmpty == true {
                return ["challengeName": "CUSTOM_CHALLENGE", "issueTokens": false, "failAuthentication": false]
            }
            return documented[key]?["response"]?.objectValue ?? [:]
        }
    }

    @Test("the events of docs/users.md are those that functions receive, and their responses have effect")
    func events() async throws {
        let recorder = Recorder(try Self.documented())
        let stage = try PoolStage()
        stage.functions.respond("f") { recorder.answer($0) }
        let all = JSONObject(LambdaConfig.Trigger.allCases.map { ($0.rawValue, "f") })
        let (pool, client) = try await stage.makePool([
            "AutoVerifiedAttributes": ["email"], "LambdaConfig": .object(all),
        ])
        // The response confirms the sign-up, and verifies the address.
        try await stage.get(
            "SignUp",
            [
                "ClientId": .string(client), "Username": "ada", "Password": "Passw0rd!",
                "UserAttributes": [["Name": "email", "Value": "ada@example.com"]],
            ])
        let group: JSONObject = ["UserPoolId": .string(pool), "GroupName": "staff", "Username": "ada"]
        try await stage.get("CreateGroup", group)
        try await stage.get("AdminAddUserToGroup", group)
        let claims = try Tokens.claims(try await stage.tokens("ada", client).id)
        #expect(claims["tenant"] == "north" && claims["email"] == nil)
        #expect(claims["cognito:groups"] == ["staff", "editors"])
        try await stage.get("ForgotPassword", ["ClientId": .string(client), "Username": "ada"])
        let message = try #require(try await stage.pools.outboxMessages(after: nil, limit: 1).first)
        #expect(message["subject"] == "Landmarks")
        #expect(message["text"]?.stringValue == "Your code for Landmarks is \(stage.messages.lastCode).")
        #expect(try await customSignIn(stage, client)["AuthenticationResult"] != nil)
        _ = try await stage.tokens("ben", client)
        let ben = try #require(try await stage.pools.records.get(User.self, pool, "ben"))
        #expect(ben["email"] == "ben@example.com" && ben.isVerified("email") && ben.status == .confirmed)
        try await checkVersion2(stage)

        let sent = recorder.events.withLock { $0 }
        #expect(recorder.documented.count == 11)
        for (key, event) in recorder.documented {
            let received = try #require(sent[key], "\(key) was not sent")
            #expect(Self.names(event["request"]) == Self.names(received["request"]), "\(key)")
            let response = event["response"]?.objectValue ?? [:]
            #expect(Set(response.keys) == Set(received["response"]?.objectValue?.keys ?? []), "\(key)")
        }
        let first = try #require(recorder.documented["PreSignUp_SignUp"]?.objectValue)
        for (key, event) in sent {
            let object = try #require(event.objectValue)
            #expect(Set(object.keys) == Set(first.keys), "\(key)")
            #expect(Self.names(event["callerContext"]) == Self.names(first["callerContext"]), "\(key)")
            #expect(object["version"] == (key.hasPrefix("2") ? "2" : "1"), "\(key)")
        }
    }

    private func customSignIn(_ stage: PoolStage, _ client: String) async throws -> JSONObject {
        let begun = try await stage.get(
            "InitiateAuth",
            ["AuthFlow": "CUSTOM_AUTH", "ClientId": .string(client), "AuthParameters": ["USERNAME": "ada"]])
        #expect(begun["ChallengeParameters"]?["question"] == "Which colour?")
        return try await stage.get(
            "RespondToAuthChallenge",
            [
                "ChallengeName": "CUSTOM_CHALLENGE", "ClientId": .string(client), "Session": begun["Session"] ?? .null,
                "ChallengeResponses": ["USERNAME": "ada", "ANSWER": "blue"],
            ])
    }

    private func checkVersion2(_ stage: PoolStage) async throws {
        let (pool, client) = try await stage.makePool([
            "LambdaConfig": ["PreTokenGenerationConfig": ["LambdaArn": "f", "LambdaVersion": "V2_0"]]
        ])
        try await stage.makeUser(
            "ada", in: pool,
            [["Name": "email", "Value": "ada@example.com"], ["Name": "email_verified", "Value": "true"]])
        let group: JSONObject = ["UserPoolId": .string(pool), "GroupName": "staff", "Username": "ada"]
        try await stage.get("CreateGroup", group)
        try await stage.get("AdminAddUserToGroup", group)
        let tokens = try await stage.tokens("ada", client)
        let access = try Tokens.claims(tokens.access)
        #expect(access["scope"] == "aws.cognito.signin.user.admin notes/read" && access["tenant"] == "north")
        #expect(access["cognito:groups"] == ["staff", "editors"])
        #expect(try Tokens.claims(tokens.id)["email"] == nil)
    }

    @Test("a sign-in is from a new device only where the pool remembers devices")
    func newDevice() async throws {
        let stage = try PoolStage()
        let flags = Mutex<[JSONValue?]>([])
        stage.functions.respond("f") { event in
            flags.withLock { $0.append(event["request"]?["newDeviceUsed"]) }
            return [:]
        }
        for settings: JSONObject in [[:], ["DeviceConfiguration": ["ChallengeRequiredOnNewDevice": false]]] {
            var settings = settings
            settings["LambdaConfig"] = ["PostAuthentication": "f"]
            let (pool, client) = try await stage.makePool(settings)
            try await stage.makeUser("ada", in: pool)
            _ = try await stage.tokens("ada", client)
        }
        #expect(flags.withLock { $0 } == [false, true])
    }
}
