import GraphQL
import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("What checked fields and groups of a caller cost") struct CheckCostTests {
    private static let schema = """
        type Doc @model @auth(rules: [{allow: groups, groupsField: "teams"}, {allow: private, operations: [read, update]}]) {
          id: ID! teams: [String]
          v: String @auth(rules: [{allow: groups, groupsField: "teams"}])
          w: String @auth(rules: [{allow: groups, groupsField: "teams"}])
        }
        type Leaf @model @auth(rules: [{allow: groups, groupsField: "teams"}]) { id: ID! teams: [String] }
        type Query { ping: String @function(name: "echo") @auth(rules: [{allow: private}]) }
        type Mutation { poke: String @function(name: "echo") @auth(rules: [{allow: private}]) }
        """

    private func stage(documents: [(id: String, teams: [String])]) throws -> RuledStage {
        let stage = try RuledStage(Self.schema, .v2, functions: FakeFunctions(["echo": { _ in .json("\"echo\"") }]))
        if !documents.isEmpty {
            let creations = documents.enumerated().map { index, document in
                let teams = document.teams.map { "\"\($0)\"" }.joined(separator: ", ")
                let input = "{id: \"\(document.id)\", teams: [\(teams)], v: \"x\", w: \"y\"}"
                return "a\(index): createDoc(input: \(input)) { id }"
            }
            try stage.open.seed("mutation { \(creations.joined(separator: " ")) }")
        }
        return stage
    }

    private func aliases(_ count: Int) -> String {
        (0..<count).map { "a\($0): \($0 % 2 == 0 ? "v" : "w")" }.joined(separator: " ")
    }

    private func send(_ query: String, to service: Service, as caller: Identity) throws -> (AnswerKind, JSONValue) {
        let sent = try service.send(body: Service.body(query, nil), as: caller)
        return (sent.kind, try JSONReader.read(sent.text))
    }

    @Test("the groups of a caller are hashed once, for all rules of all its requests")
    func shared() throws {
        let ann = Identity.user("ann", in: ["red", "blue", "red"], claims: ["teams": #"["x"]"#])
        let groups = ann.groups(of: "cognito:groups")
        #expect(groups.texts == ["red", "blue"])
        #expect(ann.groups(of: "cognito:groups") === groups)
        #expect(ann.groups(of: "teams").texts == ["x"] && ann.groups(of: "teams") === ann.groups(of: "teams"))
        #expect(ann.groups(of: "none").texts == [] && Identity.apiKey.groups(of: "cognito:groups").texts == [])
        let authorization = try #require(try stage(documents: []).ruled.api.schema.authorization)
        for operation in [AuthorizationRule.Operation.get, .list] {
            guard case .rows(let rows) = authorization.decide(.operation(operation, model: 1), for: CallerRoles(ann)),
                case .isAny(_, let texts) = rows.condition
            else { return #expect(Bool(false), "a read depends on the rows") }
            #expect(texts === groups && rows.terms[0].values === groups)
        }
        guard case .check(let condition) = authorization.decide(.check(model: 0, field: "v"), for: CallerRoles(ann)),
            case .check(let other) = authorization.decide(.check(model: 0, field: "w"), for: CallerRoles(ann))
        else { return #expect(Bool(false), "a check depends on the row") }
        #expect(condition == other)
    }

    @Test("the condition of checked fields is decided once for a row, under however many aliases")
    func once() throws {
        let teams = (0..<2_000).map { "team-\($0)" }
        let stage = try stage(documents: [("1", teams)])
        for (group, value) in [("team-1999", "x"), ("other", nil)] {
            let (kind, answer) = try send(
                "{ getDoc(id: \"1\") { \(aliases(500)) } }", to: stage.ruled, as: .user("ann", in: [group, "g"]))
            #expect(answer["data"]?["getDoc"]?["a498"]?.stringValue == value)
            #expect((answer["errors"]?.arrayValue?.count ?? 0) == (value == nil ? 500 : 0))
            // The list has 24 KB, which are about 1,500 steps each time that it is searched.
            #expect(kind.report.work.stepCount < 20_000)
        }
    }

    /// The ruled service of a stage with other limits.
    private func limited(_ stage: RuledStage, _ change: (inout APILimits) -> Void) throws -> Service {
        var limits = APILimits()
        change(&limits)
        var transform = TransformOptions()
        (transform.transformerVersion, transform.authModes) = (.v2, RuledStage.modes)
        return try stage.ruled.reloaded(Self.schema, options: APIOptions(limits: limits), transform: transform)
    }

    @Test("an answer beside a function is completed on a worker if it is long")
    func gathered() throws {
        let stage = try stage(documents: (0..<100).map { ("\($0)", ["g"]) })
        let caller = Identity.user("ann", in: ["g"])
        let query = "{ ping listDocs(limit: 1000) { items { \(aliases(300)) } } }"
        let whole = try send(query, to: stage.ruled, as: caller)
        let service = try limited(stage) { $0.readStepsMax = 10_000 }
        let moved = try send(query, to: service, as: caller)
        #expect(moved.1 == whole.1 && moved.1["data"]?["listDocs"]?["items"]?.arrayValue?.count == 100)
        #expect(moved.0.report.work.rowCount == whole.0.report.work.rowCount)
        #expect(service.context.statistics.readHandedToWorkerCount == 1)
    }

    @Test("a mutation beside a function is completed on a worker if its selection is long, and publishes its events")
    func gatheredMutation() throws {
        let stage = try stage(documents: [("1", ["g"])])
        let caller = Identity.user("ann", in: ["g"])
        let service = try limited(stage) { $0.readStepsMax = 500 }
        let subscriber = try service.subscribe("subscription { onUpdateDoc { id } }", as: caller)
        let (_, answer) = try send(
            "mutation { poke updateDoc(input: {id: \"1\", v: \"z\"}) { id teams \(aliases(2_900)) } }", to: service,
            as: caller)
        #expect(answer["data"]?["poke"] == "echo" && answer["data"]?["updateDoc"]?["id"] == "1")
        #expect(answer["errors"] == nil)
        #expect(service.context.statistics.readHandedToWorkerCount == 1)
        try service.deliver()
        #expect(subscriber.take() == [#"{"data":{"onUpdateDoc":{"id":"1"}}}"#])
    }

    @Test("gathered rows without a reader are completed until the deadline")
    func deadline() throws {
        let rows = GatheredRows()
        try Completion.Source.gathered(rows, .deadline(.now + .seconds(60))).charge(bytes: 1)
        #expect { try Completion.Source.gathered(rows, .deadline(.now - .seconds(1))).charge(bytes: 1) } throws: {
            ($0 as? StoreError)?.code == .timedOut
        }
    }

    @Test("the place of a field in a document is what counting from its beginning gives")
    func places() {
        let lines = (0..<400).map { "  a\($0): v # äöü 🦊\($0 % 3 == 0 ? "\r" : "")" }
        let source = Source("\u{FEFF}{\n" + lines.joined(separator: "\n") + String(repeating: "x", count: 3_000))
        let places = FieldPlaces(source)
        for offset in stride(from: source.bytes.count + 5, through: 0, by: -7) {
            #expect(places.location(of: UInt32(offset)) == source.location(of: offset), "\(offset)")
        }
    }
}
