import Foundation
import JSON
import Tables
import Testing
import Transformer

@testable import API

/// The documents of amplify-swift and amplify-js, letter by letter, for models with rules, asked by callers of every mode;
/// and scenarios 50 and 51 (reference: datastore-sync, "Scenarios"), about the devices of two owners.
@Suite("Documents of Amplify's clients for models with rules", .bothExecutors) struct ClientRuleTests {
    /// One document with its model and its variables.
    private struct Fixture {
        var name: String
        var model: String
        var document: String
        var variables: JSONObject

        init(_ name: String) throws {
            self.name = name
            let folder = try Self.folder()
            func text(_ ending: String) throws -> String {
                try String(contentsOf: folder.appending(path: "\(name).\(ending)"), encoding: .utf8)
            }
            model = try text("model.graphql")
            document = try text("graphql")
            variables = try #require(try JSONReader.read(try text("variables.json")).objectValue)
        }

        static func folder() throws -> URL {
            try #require(Bundle.module.resourceURL).appending(path: "Fixtures/clients-with-rules")
        }

        var variablesText: String { JSONValue.object(variables).description }
        var input: JSONObject { variables["input"]?.objectValue ?? [:] }
    }

    private static let accountDocuments = [
        "swift-ds-create-account-owner", "js-ds-get-account", "js-ds-oncreate-account-owner",
        "swift-ds-onupdate-account-owner",
    ]
    private static let landmarkDocuments = [
        "js-api-create-landmarkdata", "swift-api-list-landmarkdata", "swift-ds-update-landmarkdata",
        "js-ds-sync-landmarkdata", "swift-ds-sync-landmarkdata",
    ]

    private static let (ana, ben) = (Identity.user("ana"), Identity.user("ben"))
    /// The same user by an access token, as amplify-swift sends it.
    private static let anaByAccess = Identity.accessToken("ana")
    private static let versions: [TransformOptions.TransformerVersion] = [.v1, .v2]

    private func service(
        _ schema: String, _ version: TransformOptions.TransformerVersion, hasVersions: Bool, clock: TestClock? = nil
    ) throws -> Service {
        var transform = TransformOptions(transformerVersion: version, improvePluralization: true)
        transform.authModes = RuledStage.modes
        if hasVersions { transform.conflictDetection = .version }
        let home = try clock.map { clock in try Service.Home(clock: WallClock { clock.milliseconds }) }
        return try Service(schema, transform: transform, home: home)
    }

    // MARK: - Answers

    /// The value of the one root field, of an answer without errors.
    private func allowed(
        _ service: Service, _ fixture: Fixture, as caller: Identity,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> JSONObject {
        let text = try service.send(body: Service.body(fixture.document, fixture.variablesText), as: caller).text
        let answer = try JSONReader.read(text)
        #expect(answer["errors"] == nil, "\(fixture.name): \(text)", sourceLocation: sourceLocation)
        let data = try #require(answer["data"]?.objectValue, sourceLocation: sourceLocation)
        return try #require(data.first?.value.objectValue, "\(text)", sourceLocation: sourceLocation)
    }

    /// The one error of an answer without data.
    private func error(_ service: Service, _ document: String, _ variables: String?, as caller: Identity) throws
        -> String
    {
        let (kind, text) = try service.send(body: Service.body(document, variables), as: caller)
        let answer = try JSONReader.read(text)
        guard kind.status == 200 else { return "\(kind.status) \(text)" }
        let errors = answer["errors"]?.arrayValue ?? []
        guard errors.count == 1, answer["data"]?.objectValue?.first?.value == .null else { return text }
        return "\(errors[0]["errorType"]?.stringValue ?? ""): \(errors[0]["message"]?.stringValue ?? "")"
    }

    /// Nobody of another mode than the user pool has access: the schema names no other mode, and no policy the field.
    private func expectDeniedToOtherModes(
        _ service: Service, _ fixture: Fixture, _ field: String, on type: String,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        for caller in [Identity.apiKey, .oann, .lambda, .server] {
            #expect(
                try error(service, fixture.document, fixture.variablesText, as: caller)
                    == "Unauthorized: Not Authorized to access \(field) on type \(type)", "\(caller.name)",
                sourceLocation: sourceLocation)
        }
        for caller in [Identity.signedIn, .guest] {
            let error = try error(service, fixture.document, fixture.variablesText, as: caller)
            #expect(
                error.hasPrefix("401 ") && error.contains("Permission denied"), "\(caller.name): \(error)",
                sourceLocation: sourceLocation)
        }
    }

    private func refusal(_ service: Service, _ fixture: Fixture, _ variables: String? = nil, as caller: Identity) throws
        -> String
    {
        switch try service.outcome(of: fixture.document, variables ?? fixture.variablesText, as: caller) {
        case .refused(let errors, _): errors.map(\.message).joined(separator: ", ")
        default: "accepted"
        }
    }

    /// The items of the events since the last time.
    private func events(_ service: Service, _ subscriber: TestSubscriber) throws -> [JSONObject] {
        try service.deliver()
        return try subscriber.take().map { payload in
            let answer = try JSONReader.read(payload)
            #expect(answer["errors"] == nil, "\(payload)")
            return try #require(answer["data"]?.objectValue?.first?.value.objectValue)
        }
    }

    /// Whether each field that was selected has the value of the item.
    private func expect(
        _ found: JSONObject?, partOf item: JSONObject, count: Int,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        #expect(found?.count == count, sourceLocation: sourceLocation)
        for (field, value) in found ?? [:] where field != "__typename" {
            #expect(value == item[field], "\(field)", sourceLocation: sourceLocation)
        }
    }

    @Test("each document is asked")
    func allAsked() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Fixture.folder().path)
            .filter { $0.hasSuffix(".graphql") && !$0.hasSuffix(".model.graphql") }.map { String($0.dropLast(8)) }
        #expect(Set(names) == Set(Self.accountDocuments + Self.landmarkDocuments))
    }

    // MARK: - Owners

    @Test("an account is its owner's, in answers and in events", arguments: versions)
    func account(version: TransformOptions.TransformerVersion) throws {
        let create = try Fixture("swift-ds-create-account-owner")
        let service = try service(create.model, version, hasVersions: true)
        let (onCreate, onUpdate) = (
            try Fixture("js-ds-oncreate-account-owner"), try Fixture("swift-ds-onupdate-account-owner")
        )
        let created = try service.subscribe(onCreate.document, onCreate.variablesText, as: Self.ana)
        let updated = try service.subscribe(onUpdate.document, onUpdate.variablesText, as: Self.anaByAccess)
        let (bens, own) = (#"{"owner":"ben"}"#, Self.ben)
        let his = [
            try service.subscribe(onCreate.document, bens, as: own),
            try service.subscribe(onUpdate.document, bens, as: own),
        ]
        for fixture in [onCreate, onUpdate] {
            let field = fixture.name == onCreate.name ? "onCreateAccount" : "onUpdateAccount"
            let denied = "Not Authorized to access \(field) on type Subscription"
            for caller in [Self.ben, .apiKey, .oann, .lambda, .server] {
                #expect(try refusal(service, fixture, as: caller) == denied, "\(caller.name)")
            }
            #expect(try refusal(service, fixture, bens, as: Self.ana) == denied)
            for caller in [Identity.signedIn, .guest] {
                #expect(try refusal(service, fixture, as: caller) == "Permission denied")
            }
        }

        try expectDeniedToOtherModes(service, create, "createAccount", on: "Mutation")
        var account = try allowed(service, create, as: Self.anaByAccess)
        for (field, value) in create.input { #expect(account[field] == value, "\(field)") }
        #expect(account["owner"] == "ana" && account["_version"] == 1 && account["_deleted"] == .null)
        #expect(account["__typename"] == "Account")
        let event = try events(service, created)
        #expect(event.count == 1)
        expect(event.first, partOf: account, count: 13)
        let failed = try error(service, create.document, create.variablesText, as: Self.ben)
        #expect(failed.hasPrefix("ConditionalCheckFailedException: "), "\(failed)")

        let get = try Fixture("js-ds-get-account")
        for caller in [Self.ana, Self.anaByAccess] {
            expect(try allowed(service, get, as: caller), partOf: account, count: 13)
        }
        #expect(
            try error(service, get.document, get.variablesText, as: Self.ben)
                == "Unauthorized: Not Authorized to access getAccount on type Query")
        try expectDeniedToOtherModes(service, get, "getAccount", on: "Query")

        let fields = account.map(\.key).joined(separator: " ")
        let update = """
            mutation { updateAccount(input: {id: "acc-001", balance: 1.5, _version: 1}) { \(fields) } }
            """
        let refused = try error(service, update, nil, as: Self.ben)
        #expect(
            refused.hasPrefix(version == .v1 ? "ConditionalCheckFailedException: " : "Unauthorized: "), "\(refused)")
        let answer = try JSONReader.read(try service.send(body: Service.body(update, nil), as: Self.ana).text)
        account = try #require(answer["data"]?["updateAccount"]?.objectValue)
        #expect(account["balance"] == 1.5 && account["_version"] == 2 && account["owner"] == "ana")
        let change = try events(service, updated)
        #expect(change.count == 1)
        expect(change.first, partOf: account, count: 14)
        for subscriber in his { #expect(try events(service, subscriber).isEmpty) }
    }

    // MARK: - Signed-in users

    @Test("landmarks are for signed-in users: created and listed without versions", arguments: versions)
    func landmarks(version: TransformOptions.TransformerVersion) throws {
        let create = try Fixture("js-api-create-landmarkdata")
        let service = try service(create.model, version, hasVersions: false)
        try expectDeniedToOtherModes(service, create, "createLandmarkData", on: "Mutation")
        let landmark = try allowed(service, create, as: Self.ana)
        for (field, value) in create.input { #expect(landmark[field] == value, "\(field)") }
        let list = try Fixture("swift-api-list-landmarkdata")
        for caller in [Self.ana, Self.ben, Self.anaByAccess] {
            let page = try allowed(service, list, as: caller)
            #expect(page["nextToken"] == .null && page["items"]?.arrayValue?.count == 1)
            var item = try #require(page["items"]?.arrayValue?.first?.objectValue)
            let typed: JSONValue = [
                "latitude": 59.980167, "longitude": -152.665167, "__typename": "CoordinateData",
            ]
            #expect(item["coordinates"] == typed)
            item["coordinates"] = landmark["coordinates"]
            expect(item, partOf: landmark, count: 13)
        }
        try expectDeniedToOtherModes(service, list, "listLandmarkData", on: "Query")
    }

    @Test("landmarks are for signed-in users: updated and synced with versions", arguments: versions)
    func syncedLandmarks(version: TransformOptions.TransformerVersion) throws {
        let clock = TestClock(DataStoreStage.start + 1)
        let update = try Fixture("swift-ds-update-landmarkdata")
        let service = try service(update.model, version, hasVersions: true, clock: clock)
        service.caller = Self.ana
        try service.seed(#"mutation { createLandmarkData(input: {id: "1001", name: "Rock"}) { id } }"#)
        try service.seed(#"mutation { updateLandmarkData(input: {id: "1001", city: "?", _version: 1}) { id } }"#)
        try expectDeniedToOtherModes(service, update, "updateLandmarkData", on: "Mutation")
        let landmark = try allowed(service, update, as: Self.ben)
        for (field, value) in update.input where !["coordinates", "_version"].contains(field) {
            #expect(landmark[field] == value, "\(field)")
        }
        #expect(landmark["_version"] == 3)
        for (name, count) in [("js-ds-sync-landmarkdata", 15), ("swift-ds-sync-landmarkdata", 16)] {
            let sync = try Fixture(name)
            let page = try allowed(service, sync, as: Self.anaByAccess)
            #expect(page["items"]?.arrayValue?.count == 1 && page["startedAt"]?.intValue == clock.milliseconds)
            var item = try #require(page["items"]?.arrayValue?.first?.objectValue)
            #expect(item["coordinates"]?["latitude"] == landmark["coordinates"]?["latitude"])
            item["coordinates"] = landmark["coordinates"]
            expect(item, partOf: landmark, count: count)
            try expectDeniedToOtherModes(service, sync, "syncLandmarkData", on: "Query")
        }
    }

    // MARK: - Devices of two owners

    @Test(
        "an owner's device syncs no item of another, not even a tombstone, and an item follows its owner",
        arguments: versions)
    func devices(version: TransformOptions.TransformerVersion) throws {
        let rules = #"[{allow: owner}, {allow: groups, groups: ["Staff"], operations: [read]}]"#
        let service = try service(
            "type Memo @model @auth(rules: \(rules)) { id: ID! text: String owner: String }", version, hasVersions: true
        )
        let live = "subscription ($owner: String!) { onUpdateMemo(owner: $owner) { id owner } }"
        let bens = try service.subscribe(live, #"{"owner":"ben"}"#, as: Self.ben)
        let anas = try service.subscribe(live, #"{"owner":"ana"}"#, as: Self.ana)
        // The staff, who may receive everything, asks for what is of one owner: by the name that it is shown.
        let staff = Identity.user("sue", in: ["Staff"])
        var staffs = [try service.subscribe(live, #"{"owner":"ana"}"#, as: staff)]
        if version == .v2 {
            let filter = #"subscription { onUpdateMemo(filter: {owner: {eq: "ana"}}) { id } }"#
            staffs.append(try service.subscribe(filter, as: staff))
        }
        // A user of the same name, such as one of another pool, is another owner.
        let claims: JSONObject = ["sub": "s-other", "cognito:username": "ana"]
        let namesake = Identity.userPools(IdentityToken(claims: claims), claims: [])
        let namesakes = [
            try service.subscribe(live, #"{"owner":"ana"}"#, as: namesake),
            version == .v1 ? nil : try service.subscribe("subscription { onUpdateMemo { id } }", as: namesake),
        ].compactMap(\.self)
        service.caller = Self.ben
        #expect(
            try service.refusal(live, #"{"owner":"ana"}"#)
                == ["Unauthorized: Not Authorized to access onUpdateMemo on type Subscription"])

        func synced(_ caller: Identity) throws -> String {
            service.caller = caller
            let page = try service.value("{ syncMemos { items { id _deleted } } }", at: "syncMemos")
            return (page?["items"]?.arrayValue ?? []).map { item in
                (item["id"]?.stringValue ?? "") + (item["_deleted"] == true ? " deleted" : "")
            }.joined(separator: ", ")
        }
        service.caller = Self.ana
        for id in ["1", "2"] { try service.seed("mutation { createMemo(input: {id: \(id)}) { id owner } }") }
        try service.seed("mutation { updateMemo(input: {id: 1, text: \"x\", _version: 1}) { id owner } }")
        try service.seed("mutation { deleteMemo(input: {id: 2, _version: 1}) { id owner } }")
        #expect(try synced(Self.ana) == "1, 2 deleted")
        #expect(try synced(Self.ben) == "")
        #expect(try events(service, anas).map { $0["id"] } == ["1"])
        #expect(try events(service, bens).isEmpty)
        for subscriber in staffs { #expect(try events(service, subscriber).map { $0["id"] } == ["1"]) }
        // In version 1 the name alone is the owner.
        for subscriber in namesakes { #expect(try events(service, subscriber).isEmpty == (version == .v2)) }

        service.caller = Self.ana
        try service.seed("mutation { updateMemo(input: {id: 1, owner: \"ben\", _version: 2}) { id owner } }")
        #expect(try events(service, bens) == [["id": "1", "owner": "ben"]])
        for subscriber in [anas] + staffs { #expect(try events(service, subscriber).isEmpty) }
        #expect(try synced(Self.ana) == "2 deleted")
        #expect(try synced(Self.ben) == "1")
    }
}
