import GraphQL
import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Rules decide which events a subscription receives", .bothExecutors) struct SubscriptionRuleTests {
    private static let schema = """
        type Memo @model { id: ID! text: String secret: String owner: String teams: [String] }
        type Loud @model(subscriptions: {level: public}) { id: ID! }
        """
    private static let versionTwo = TransformOptions(transformerVersion: .v2)

    private func service(_ rules: [AuthorizationRule], options: APIOptions = APIOptions()) throws -> Service {
        try Service(Self.schema, options: options, enforcing: rules, transform: Self.versionTwo)
    }

    private func create(
        _ service: Service, _ input: String, as identity: Identity, selecting: String = "id owner teams text secret"
    ) throws {
        service.caller = identity
        try service.seed("mutation { createMemo(input: {\(input)}) { \(selecting) } }")
        try service.deliver()
    }

    private func ids(_ subscriber: TestSubscriber) throws -> String {
        try subscriber.take().map { payload in
            try JSONReader.read(payload)["data"]?["onCreateMemo"]?["id"]?.stringValue ?? payload
        }.joined(separator: " ")
    }

    private static let subscription = "subscription { onCreateMemo { id } }"

    @Test("without a role for listening a subscription is refused; a public level is open to everyone")
    func refused() throws {
        let service = try service([.owner("Memo", .create), .private("Loud")])
        for caller in [Identity.ann, .apiKey] {
            service.caller = caller
            #expect(
                try service.refusal(Self.subscription) == [
                    "Unauthorized: Not Authorized to access onCreateMemo on type Subscription"
                ])
        }
        _ = try service.subscribe("subscription { onCreateLoud { id } }", as: .apiKey)
        #expect(service.context.statistics.subscriptionCount == 1)
    }

    @Test("whoever receives all events compares owners as they are shown, in arguments and in filters")
    func shownOwners() throws {
        var options = TransformOptions(conflictDetection: .version)
        options.enablesIAMAccess = true
        let stage = try RuledStage(
            "type Memo @model @auth(rules: [{allow: owner}, {allow: groups, groups: [\"Staff\"]}]) { id: ID! }", .v2,
            transform: options)
        let fields = [
            "onCreateMemo(owner: 'ann') { id }", "onCreateMemo(filter: {owner: {eq: 'ann'}}) { id }",
            "onCreateMemo(filter: {owner: {eq: 's-ann::ann'}}) { id }",
        ]
        for caller in [Identity.admin, .server, .user("sue", in: ["Staff"])] {
            let subscribers = try fields.map { try stage.listen(caller, $0) }
            _ = try stage.answer(.ann, "createMemo(input: {}) { id owner }")
            _ = try stage.answer(.bob, "createMemo(input: {}) { id owner }")
            let counts = try subscribers.map { try stage.events($0).matches(of: /id:/).count }
            #expect(counts == [1, 1, 0], "\(caller.name)")
        }
    }

    @Test("signed-in callers receive all events, owners their own, and groups those that name them")
    func events() throws {
        let service = try service([.owner("Memo"), .groups(in: "teams", "Memo"), .group("Staff", "Memo")])
        let staff = try service.subscribe(Self.subscription, as: .user("cy", in: ["Staff"]))
        let ann = try service.subscribe(Self.subscription, as: .ann)
        let red = try service.subscribe(Self.subscription, as: .user("r", in: ["red", "blue"]))
        try create(service, #"id: "1""#, as: .ann)
        try create(service, #"id: "2""#, as: .bob)
        try create(service, #"id: "3", owner: "bob", teams: ["x", "red"]"#, as: .bob)
        // What the mutation does not select cannot be compared.
        try create(service, #"id: "4""#, as: .ann, selecting: "id")
        #expect(try ids(staff) == "1 2 3 4")
        #expect(try ids(ann) == "1")
        #expect(try ids(red) == "3")
    }

    @Test("a caller's filter is asked together with the rules")
    func filter() throws {
        let service = try service([.owner("Memo"), .groups(in: "teams", "Memo"), .group("Staff", "Memo")])
        let filtered = #"subscription { onCreateMemo(filter: {text: {beginsWith: "a"}}) { id } }"#
        let ann = try service.subscribe(filtered, as: .user("ann", in: ["red"]))
        let staff = try service.subscribe(filtered, as: .user("cy", in: ["Staff"]))
        let other = try service.subscribe(
            #"subscription { onCreateMemo(filter: {owner: {eq: "bob"}}) { id } }"#, as: .ann)
        for (id, input, caller) in [
            ("1", #"text: "a""#, Identity.ann), ("2", #"text: "b""#, .ann), ("3", #"text: "a""#, .bob),
            ("4", #"text: "a", teams: ["red"]"#, .bob), ("5", #"text: "b", teams: ["red"]"#, .bob),
        ] { try create(service, #"id: "\#(id)", \#(input)"#, as: caller) }
        #expect(try ids(ann) == "1 4")
        #expect(try ids(staff) == "1 3 4")
        #expect(try ids(other) == "")
    }

    @Test("identities share a group exactly if the rules decide alike for them")
    func groups() throws {
        let service = try service([.owner("Memo"), .group("Staff", "Memo")])
        let groups = { service.context.registry.groups.count }
        for identity in [Identity.user("cy", in: ["Staff"]), .user("dee", in: ["x", "Staff"], issuedAt: 7)] {
            _ = try service.subscribe(Self.subscription, as: identity)
        }
        #expect(groups() == 1)
        for issuedAt in 1...2 { _ = try service.subscribe(Self.subscription, as: .user("ann", issuedAt: issuedAt)) }
        #expect(groups() == 2)
        _ = try service.subscribe(Self.subscription, as: .bob)
        #expect(groups() == 3)
        // Names that Unicode holds to be the same are two.
        _ = try service.subscribe(Self.subscription, as: .user("\u{e9}"))
        _ = try service.subscribe(Self.subscription, as: .user("e\u{301}"))
        #expect(groups() == 5)
    }

    @Test("an event has no field that not all readers may read, whether it is filled or not", arguments: [false, true])
    func redaction(isFilled: Bool) throws {
        let service = try service(
            [.owner("Memo"), .private("Memo", .readOnly), .owner("Memo", field: "secret")],
            options: APIOptions(subscriptions: isFilled ? .fill : .mutationSelection))
        let subscriber = try service.subscribe("subscription { onCreateMemo { id text secret } }", as: .ann)
        // Who may not read the field receives the same, without an error.
        let reader = try service.subscribe(
            #"subscription { onCreateMemo(filter: {text: {eq: "t"}}) { id text secret } }"#, as: .bob)
        let spy = try service.subscribe(
            #"subscription { onCreateMemo(filter: {secret: {beginsWith: "p"}}) { id } }"#, as: .bob)
        try create(service, #"id: "1", text: "t", secret: "pin""#, as: .ann)
        let expected = [#"{"data":{"onCreateMemo":{"id":"1","text":"t","secret":null}}}"#]
        #expect(subscriber.take() == expected && reader.take() == expected)
        #expect(spy.take() == [])
    }

    @Test("an event of a versioned item has null for such a field in a custom subscription too, without an error")
    func redactionOfVersionedItems() throws {
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [{allow: owner}, {allow: private, operations: [read]}]) {
              id: ID! text: String secret: String @auth(rules: [{allow: owner}])
            }
            type Subscription { onNote: Note @aws_subscribe(mutations: ["createNote"]) }
            """, .v2, transform: TransformOptions(conflictDetection: .version))
        let subscribers = try ["onNote", "onCreateNote"].map { try stage.listen(.bob, "\($0) { id text secret }") }
        try stage.ruled.expect(
            .ann, #"mutation { createNote(input: {id: "1", text: "t", secret: "pin"}) { id text secret } }"#,
            #"{"createNote":{"id":"1","text":"t","secret":null}}"#)
        try stage.ruled.deliver()
        for (subscriber, name) in zip(subscribers, ["onNote", "onCreateNote"]) {
            #expect(subscriber.take() == [#"{"data":{"\#(name)":{"id":"1","text":"t","secret":null}}}"#])
        }
    }

    @Test("events contain related items only if every subscriber may read them all, on every level")
    func relatedItems() throws {
        func event(_ kid: String, _ toy: String) throws -> String {
            let stage = try RuledStage(
                """
                type Doc @model @auth(rules: [{allow: groups, groups: ["Staff"]}]) { id: ID! kids: [Kid] @hasMany }
                type Kid @model @auth(rules: [\(kid)]) { id: ID! toys: [Toy] @hasMany }
                type Toy @model @auth(rules: [\(toy)]) { id: ID! }
                """, .v2)
            let ann = Identity.user("ann", in: ["Staff"])
            for field in [
                "createDoc(input: {id: 'd'})", "createKid(input: {id: 'k', docKidsId: 'd'})",
                "createToy(input: {id: 't', kidToysId: 'k'})",
            ] { #expect(try stage.answer(ann, field) == "ok") }
            let selection = "{ id kids { items { id toys { items { id } } } } }"
            let events = try stage.listen(.user("bob", in: ["Staff"]), "onUpdateDoc \(selection)")
            #expect(
                try stage.answer(ann, "updateDoc(input: {id: 'd'}) \(selection)")
                    == "{id:d,kids:{items:[{id:k,toys:{items:[{id:t}]}}]}}")
            return try stage.events(events)
        }
        let staff = "{allow: groups, groups: [\"Staff\"]}"
        #expect(try event("{allow: owner}", staff) == "{id:d,kids:null}")
        #expect(try event(staff, "{allow: owner}") == "{id:d,kids:{items:[{id:k,toys:null}]}}")
        #expect(try event(staff, staff) == "{id:d,kids:{items:[{id:k,toys:{items:[{id:t}]}}]}}")
    }

    @Test("a reload holds open subscriptions to the new rules")
    func reload() throws {
        let service = try service([.private("Memo")])
        let ann = try service.subscribe(Self.subscription, as: .ann)
        let bob = try service.subscribe(Self.subscription, as: .bob)
        let next = try service.reloaded(
            Self.schema, enforcing: [.owner("Memo", claim: "username"), .group("Staff", "Memo")],
            transform: Self.versionTwo)
        service.context.revalidate(for: next.api)
        #expect((ann.ended == nil, bob.ended == nil) == (true, true))
        try create(next, #"id: "1""#, as: .ann)
        try service.deliver()
        #expect(try ids(ann) == "1")
        #expect(try ids(bob) == "")
        let closed = try service.reloaded(
            Self.schema, enforcing: [.group("Staff", "Memo")], transform: Self.versionTwo)
        service.context.revalidate(for: closed.api)
        #expect(ann.ended?.first?.message == "Not Authorized to access onCreateMemo on type Subscription")
    }

    // MARK: - Arguments

    private static func conjunctions(
        _ decision: EventDecision, owner: CoercedValue?, filtered: Bool
    ) -> String {
        let arguments = ArgumentValues(owner.map { [CoercedField(name: "owner", value: $0)] } ?? [])
        func rule(_ name: String) -> EventRule {
            EventRule(path: [name], operation: .eq, operands: [.text(ExactText(name))])
        }
        let equalities = owner.flatMap { EventValue($0) }.map {
            EventRule(path: ["owner"], operation: .eq, operands: [$0])
        }
        let groups = filtered ? [[rule("f")], [rule("g")]] : nil
        guard let made = decision.conjunctions(arguments, equalities: [equalities].compactMap { $0 }, groups: groups)
        else { return "refused" }
        return made.map { conjunction in
            conjunction.map { rule in
                let operands =
                    rule.texts?.texts
                    ?? rule.operands.map { if case .text(let text) = $0 { text.text } else { "\($0)" } }
                return "\(rule.path[0]) \(rule.operation) \(operands.joined(separator: ","))"
            }.joined(separator: " & ")
        }.joined(separator: " / ")
    }

    @Test("an argument for the owner must be the caller, and is compared only where nothing narrower is")
    func arguments() {
        let owner = EventDecision.Term(
            field: "owner", isList: false, values: TextSet(texts: ["s::ann", "ann"]),
            argumentValues: TextSet(texts: ["s::ann", "s", "ann"]))
        let team = EventDecision.Term(
            field: "teams", isList: true, values: TextSet(texts: ["red"]), argumentValues: nil)
        let ann = CoercedValue.string("ann")
        let cases:
            [(receivesAll: Bool, terms: [EventDecision.Term], owner: CoercedValue?, filtered: Bool, expected: String)] =
                [
                    (true, [], nil, false, ""), (true, [], .string("bob"), false, "owner eq bob"),
                    (true, [], .string("bob"), true, "f eq f / g eq g"),
                    (false, [owner], nil, false, "owner eq s::ann / owner eq ann"),
                    (false, [owner], .null, false, "owner eq s::ann / owner eq ann"),
                    (false, [owner], .string(""), false, "owner eq s::ann / owner eq ann"),
                    (false, [owner], ann, false, "owner eq ann"), (false, [owner], .string("bob"), false, "refused"),
                    (
                        false, [owner, team], ann, false, "owner eq s::ann / owner eq ann / teams containsAny red"
                    ),
                    (
                        false, [team], nil, true, "teams containsAny red & f eq f / teams containsAny red & g eq g"
                    ),
                    (
                        false, [owner], ann, true,
                        "owner eq s::ann & f eq f / owner eq s::ann & g eq g / owner eq ann & f eq f / owner eq ann & g eq g"
                    ),
                    (false, [], nil, false, "refused"),
                ]
        for (receivesAll, terms, owner, filtered, expected) in cases {
            let decision = EventDecision(receivesAll: receivesAll, terms: terms)
            #expect(Self.conjunctions(decision, owner: owner, filtered: filtered) == expected)
        }
    }
}
