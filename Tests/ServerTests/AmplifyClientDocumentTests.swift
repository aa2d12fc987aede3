import Foundation
import JSON
import Synchronization
import Testing

@testable import Server
@testable import UserPools

private typealias PoolCaller = Caller

/// The documents of amplify-swift and amplify-js of `APITests`, each with its model wrapped into an Amplify project, whose
/// files alone say how it is served.
@Suite("Documents of Amplify's clients over an Amplify project")
struct AmplifyClientDocumentTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let folders = ["clients", "clients-with-rules"].map {
        tests.appending(path: "APITests/Fixtures/\($0)")
    }

    /// A project, what is created first, and the documents in an order that a device could send them.
    struct Story: Sendable, CustomTestStringConvertible {
        /// The document that stands beside the model.
        var model: String
        var isDataStore = true
        /// Whether the API's callers are users of its pool; otherwise they have its API key.
        var isOfUsers = false
        /// Types and inputs.
        var items: [(type: String, input: String)] = []
        var documents: [String]

        var testDescription: String { "\(model), \(isDataStore ? "with" : "without") DataStore" }
    }

    static let room = "1f0a7e52-3c5e-4a51-9f0a-0d7d8a4f6b11"
    static let user = "c0ffee00-1111-4222-8333-444455556666"

    static let stories = [
        Story(
            model: "js-api-index-bookings-by-room",
            items: [
                ("Room", #"{"id": "\#(room)", "name": "Green room", "capacity": 10, "isActive": true}"#),
                ("User", #"{"id": "\#(user)", "name": "Ana", "email": "ana@example.com"}"#),
                (
                    "Booking",
                    #"""
                    {"title": "Retro", "startsAt": "2024-05-02T12:00:00.000Z", "endsAt": "2024-05-02T13:00:00.000Z",
                    "day": "2024-05-02", "status": "REQUESTED", "roomID": "\#(room)", "userID": "\#(user)"}
                    """#
                ),
            ],
            documents: [
                "swift-ds-sync-room-base", "swift-ds-oncreate-booking", "swift-ds-onupdate-booking",
                "swift-ds-ondelete-booking", "js-ds-onupdate-booking-filter", "swift-ds-update-room-condition",
                "swift-ds-create-booking", "js-ds-sync-booking-base", "swift-ds-legacy-sync-booking",
                "swift-api-update-booking-includes-room", "js-ds-update-booking", "swift-ds-update-booking",
                "js-ds-sync-booking-delta-filter", "swift-ds-sync-booking-filter", "swift-ds-sync-booking-delta-page2",
                "swift-api-list-bookings-by-user", "swift-api-get-room-includes-bookings-user",
                "js-api-index-bookings-by-room", "swift-ds-delete-booking", "js-ds-delete-room",
            ]),
        Story(
            model: "swift-api-get-thread-includes-messages-replies",
            items: [
                ("User", #"{"id": "\#(user)", "handle": "ana"}"#), ("Thread", #"{"id": "t-1", "topic": "Plans"}"#),
            ],
            documents: [
                "js-ds-create-message", "swift-ds-create-reply-implicit-fk", "swift-ds-create-userthread",
                "swift-ds-sync-message-base", "js-ds-sync-userthread", "swift-api-get-thread-includes-messages-replies",
            ]),
        Story(
            model: "js-ds-get-account", isOfUsers: true,
            documents: [
                "js-ds-oncreate-account-owner", "swift-ds-onupdate-account-owner", "swift-ds-create-account-owner",
                "js-ds-get-account",
            ]),
        Story(
            model: "js-ds-sync-landmarkdata", isOfUsers: true,
            items: [("LandmarkData", #"{"id": "1001", "name": "Turtle Rock"}"#)],
            documents: ["swift-ds-update-landmarkdata", "js-ds-sync-landmarkdata", "swift-ds-sync-landmarkdata"]),
        Story(
            model: "js-api-create-landmarkdata", isDataStore: false, isOfUsers: true,
            documents: ["js-api-create-landmarkdata", "swift-api-list-landmarkdata"]),
    ]

    @Test("each document of the clients is played")
    func allPlayed() throws {
        var names: Set<String> = []
        for folder in Self.folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".graphql") && !name.hasSuffix(".model.graphql") && !name.hasPrefix("tutorial-") {
                names.insert(String(name.dropLast(".graphql".count)))
            }
        }
        #expect(names.count == 35)
        #expect(names == Set(Self.stories.flatMap(\.documents)))
    }

    private static func text(_ name: String) throws -> String {
        let file = folders.map { $0.appending(path: name) }.first { FileManager.default.fileExists(atPath: $0.path) }
        return try String(contentsOf: try #require(file, "\(name)"), encoding: .utf8)
    }

    /// Writes a project around a model, as the Amplify CLI does, in the fewest files.
    private func wrap(_ story: Story, into folder: TemporaryFolder) throws {
        let backend = "amplify/backend"
        try folder.write(
            #"{"projectName": "clients", "version": "3.1", "frontend": "ios", "providers": ["awscloudformation"]}"#,
            to: "amplify/.config/project-config.json")
        try folder.write(#"{"envName": "dev"}"#, to: "amplify/.config/local-env-info.json")
        try folder.write(
            #"{"dev": {"awscloudformation": {"Region": "eu-west-1"}}}"#, to: "amplify/team-provider-info.json")
        try folder.write(
            #"{"features": {"graphqltransformer": {"transformerversion": 2, "useexperimentalpipelinedtransformer": true, "improvepluralization": true}}}"#,
            to: "amplify/cli.json")
        let key = #"{"authenticationType": "API_KEY", "apiKeyConfig": {"apiKeyExpirationDays": 7}}"#
        let pool =
            #"{"authenticationType": "AMAZON_COGNITO_USER_POOLS", "userPoolConfig": {"userPoolId": "authisolationchat1c2d3e4f"}}"#
        let auth = story.isOfUsers ? #", "auth": {"isolationchat1c2d3e4f": {"service": "Cognito"}}"# : ""
        try folder.write(
            #"""
            {"api": {"clients": {"service": "AppSync", "output": {"authConfig":
            {"defaultAuthentication": \#(story.isOfUsers ? pool : key), "additionalAuthenticationProviders": []}}}}\#(auth)}
            """#,
            to: "\(backend)/backend-config.json")
        if story.isOfUsers {
            let parameters = "backend/auth/isolationchat1c2d3e4f/parameters.json"
            let source = Self.tests.appending(path: "AmplifyTests/Fixtures/chat-v1/amplify/\(parameters)")
            try folder.write(String(contentsOf: source, encoding: .utf8), to: "amplify/\(parameters)")
        }
        let resolution =
            #", "ResolverConfig": {"project": {"ConflictHandler": "AUTOMERGE", "ConflictDetection": "VERSION"}}"#
        try folder.write(
            #"{"Version": 5\#(story.isDataStore ? resolution : "")}"#, to: "\(backend)/api/clients/transform.conf.json")
        try folder.write(#"{"AppSyncApiName": "clients"}"#, to: "\(backend)/api/clients/parameters.json")
        // The documents' models without rules are those of Amplify's sandbox.
        let sandbox = story.isOfUsers ? "" : "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }\n"
        try folder.write(
            sandbox + (try Self.text("\(story.model).model.graphql")), to: "\(backend)/api/clients/schema.graphql")
    }

    @Test("each document answers from a project around its model", arguments: stories)
    func played(story: Story) async throws {
        let project = try TemporaryFolder()
        defer { project.remove() }
        try wrap(story, into: project)
        try project.write("{}", to: "empty.json")
        let texts = SettingTexts(
            for: .develop, flags: [.amplify: [project.url.path], .config: [project.path("empty.json")]],
            environment: [:])
        let loaded = try Configuration.load(texts)
        try await TestServer.with {
            $0 = loaded
            ($0.data.isEphemeral, $0.address.port, $0.tls.setting) = (true, 0, .off)
        } _: { server in
            let token = story.isOfUsers ? try await Self.token(server) : nil
            let caller = Device(client: try server.connect(), token: token)
            for (type, input) in story.items {
                let answer = try caller.ask(
                    "mutation M($input: Create\(type)Input!) { create\(type)(input: $input) { id } }",
                    #"{"input": \#(input)}"#)
                #expect(answer["errors"] == nil && answer["data"] != nil, "\(answer)")
            }
            let socket = try WebSocketClient(
                port: server.port,
                headers: ["Sec-WebSocket-Protocol": "graphql-ws"].merging(caller.headers) { $1 }
            ).acknowledged()
            var awaited: Set<String> = []
            for name in story.documents {
                let document = try Self.text("\(name).graphql")
                if document.hasPrefix("subscription") {
                    let data = JSONValue.object([
                        "query": .string(document),
                        "variables": try JSONReader.read(try Self.text("\(name).variables.json")),
                    ])
                    let headers = JSONValue.object(
                        JSONObject(caller.headers.map { ($0.key, .string($0.value)) } + [("host", "localhost")]))
                    let answer = try socket.ask(
                        """
                        {"id": "\(name)", "type": "start", "payload": {"data": \(JSONValue.string(data.description)), \
                        "extensions": {"authorization": \(headers)}}}
                        """)
                    #expect(answer == WebSocketClient.acknowledgement(name), "\(name)")
                    awaited.insert(name)
                } else {
                    let answer = try caller.play(name, document)
                    #expect(answer["errors"] == nil, "\(name): \(answer)")
                    let value = answer["data"]?.objectValue?.first?.value
                    #expect(value?.objectValue?.isEmpty == false, "\(name): \(answer)")
                    if value?.objectValue?["items"] != nil {
                        #expect(value?["items"]?.arrayValue?.isEmpty == false, "\(name): \(answer)")
                    }
                }
            }
            // Each subscription receives; no document updates an account.
            awaited.remove("swift-ds-onupdate-account-owner")
            while !awaited.isEmpty {
                let event = try JSONReader.read(try socket.receive())
                #expect(event["type"] == "data" && event["payload"]?["errors"] == nil, "\(event)")
                let value = event["payload"]?["data"]?.objectValue?.first?.value
                #expect(value?["id"]?.stringValue?.isEmpty == false, "\(event)")
                awaited.remove(event["id"]?.stringValue ?? "")
            }
        }
    }

    /// An access token of the user `ana`, whom the documents' variables name.
    private static func token(_ server: TestServer) async throws -> String {
        let pools = try #require(server.service.state.userPools.withLock { $0 }).pools
        let signIn = try #require(server.service.signIn)
        let pool = try #require(pools.directory.pool(signIn.pools[0].id))
        _ = try await pools.makeUser(named: "ana", [], password: nil, status: .confirmed, in: pool)
        let caller = PoolCaller(address: "127.0.0.1", accessKeyID: "AKIA", requestID: "r", baseURL: "")
        let answer = try await pools.performForOperator(
            "MintToken",
            ["UserPoolId": .string(pool.id), "Username": "ana", "ClientId": .string(signIn.pools[0].clients[0])],
            from: caller
        ).get()
        return try #require(answer["AuthenticationResult"]?["AccessToken"]?.stringValue, "\(answer)")
    }

    /// Who sends the documents.
    private struct Device {
        let client: Client
        let token: String?

        var headers: [String: String] { token.map { ["authorization": $0] } ?? ["x-api-key": TestServer.key] }

        func ask(_ document: String, _ variables: String) throws -> JSONValue {
            let body = JSONValue.object([
                "query": .string(document), "variables": try JSONReader.read(variables),
            ]).description
            let answer = try client.ask(
                "POST", "/graphql", headers: headers.merging(["content-type": "application/json"]) { $1 }, body: body)
            #expect(answer.status == 200, "\(answer.body)")
            return try JSONReader.read(answer.body)
        }

        /// Sends a document with what a device knows only from the server: the version of the item, and a token of a page.
        func play(_ name: String, _ document: String) throws -> JSONValue {
            var variables = try #require(
                try JSONReader.read(try AmplifyClientDocumentTests.text("\(name).variables.json")).objectValue)
            if var input = variables["input"]?.objectValue, input["_version"] != nil, let id = input["id"]?.stringValue
            {
                let type = try #require(document.firstMatch(of: /(?:update|delete)(\w+)\(/)?.1)
                let item = try ask("query Q($id: ID!) { get\(type)(id: $id) { _version } }", #"{"id": "\#(id)"}"#)
                input["_version"] = try #require(item["data"]?["get\(type)"]?["_version"])
                variables["input"] = .object(input)
            }
            if name == "swift-ds-sync-booking-delta-page2" {
                var first = variables
                (first["limit"], first["nextToken"]) = (1, .null)
                let page = try ask(document, JSONValue.object(first).description)
                variables["nextToken"] = try #require(page["data"]?["syncBookings"]?["nextToken"])
            }
            return try ask(document, JSONValue.object(variables).description)
        }
    }
}
