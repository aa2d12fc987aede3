import Tables
import Testing
import Transformer

@testable import API

@Suite("What is noted of a request for operators", .bothExecutors) struct WorkNotesTests {
    private static let schema = """
        type Todo @model { id: ID! name: String owner: String }
        type Subscription { onTodo(name: String): Todo @aws_subscribe(mutations: ["createTodo"]) }
        """

    private func report(_ service: Service, _ query: String) throws -> AnswerReport {
        var options = AnswerOptions()
        options.notesWork = true
        return try service.send(body: Service.body(query, nil), options: options).kind.report
    }

    private func notes(_ service: Service, _ mutation: String) throws -> WorkNotes {
        try #require(try report(service, mutation).notes)
    }

    @Test("a request notes nothing unless its options ask for it")
    func off() throws {
        let service = try Service(Self.schema)
        let query = #"mutation { createTodo(input: {id: "a"}) { id } }"#
        let report = try service.send(body: Service.body(query, nil)).kind.report
        #expect(report.notes == nil && report.isPlanCached == nil && report.operation?.notedUseCount == 0)
    }

    @Test("a plan is cached from its second use on, also where the first use was not noted")
    func plans() throws {
        let service = try Service(Self.schema)
        let first = try report(service, "{ listTodos { items { id } } }")
        #expect(first.isPlanCached == false && first.operation?.notedUseCount == 1 && first.notes == nil)
        let other = "{ listTodos { items { name } } }"
        _ = try service.data(other)
        let second = try report(service, other)
        #expect(second.isPlanCached == true && second.operation?.notedUseCount == 1)
        _ = try report(service, other)
        #expect(second.operation?.notedUseCount == 2)
    }

    @Test("a write is noted with its statements, its version, and why it was not carried out")
    func writes() throws {
        for isVersioned in [false, true] {
            var options = TransformOptions()
            if isVersioned { options.conflictDetection = .version }
            let service = try Service(Self.schema, transform: options)
            let created = try notes(
                service, #"mutation { one: createTodo(input: {id: "a", name: "secret"}) { id name } }"#)
            let creation = try #require(created.writes.first)
            #expect(creation.path == "one" && creation.statement.table == "Todo" && creation.conflict == nil)
            #expect(creation.statement.sql.hasPrefix("INSERT INTO ") && !creation.statement.sql.contains("secret"))
            #expect(creation.version == (isVersioned ? 1 : nil) && creation.statement.conditionText == nil)

            let version = isVersioned ? ", _version: 1" : ""
            let updated = try notes(
                service,
                #"mutation { updateTodo(input: {id: "a", name: "n"\#(version)}, condition: {owner: {eq: "x"}}) { id } }"#
            )
            let update = try #require(updated.writes.first)
            #expect(update.conflict?.isEmpty == false && update.version == nil)
            #expect(update.statement.sql.hasPrefix("UPDATE ") && update.statement.conditionText?.isEmpty == false)

            let deleted = try notes(service, #"mutation { deleteTodo(input: {id: "a"\#(version)}) { id } }"#)
            let deletion = try #require(deleted.writes.first)
            #expect(deletion.conflict == nil && deletion.version == (isVersioned ? 2 : nil))
            // A versioned table keeps a tombstone.
            #expect(deletion.statement.sql.contains(isVersioned ? "UPDATE " : "DELETE FROM "))
        }
    }

    @Test("an event counts the subscriptions to its topic, and those that want it")
    func events() throws {
        let service = try Service(Self.schema)
        let create = { (id: String) in #"mutation { createTodo(input: {id: "\#(id)", name: "n"}) { id name } }"# }
        let unheard = try notes(service, create("a"))
        #expect(unheard.events.map(\.topic) == ["createTodo"] && unheard.isComplete)
        #expect(unheard.events.first?.counts?.subscriptions == 0)
        let subscribers = try [#"(name: "n")"#, "", #"(name: "other")"#].map {
            try service.subscribe("subscription { onTodo\($0) { id name } }")
        }
        let heard = try notes(service, create("b"))
        try service.loop.run { heard.isComplete }
        let counts = try #require(heard.events.first?.counts)
        #expect(counts.subscriptions == 3 && counts.delivered == 2)
        service.cancel(subscribers[0])
        let later = try notes(service, create("c"))
        try service.loop.run { later.isComplete }
        #expect(later.events.first?.counts?.subscriptions == 2)
    }
}
