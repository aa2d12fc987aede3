import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Selective syncs", .bothExecutors) struct SelectiveSyncTests {
    /// Rooms of bookings, one in ten of them in room 3; some without a room, some deleted.
    private func stage(_ count: Int = 200) throws -> DataStoreStage {
        let stage = try DataStoreStage()
        for number in 0..<count {
            let room = number % 7 == 6 ? "" : ", roomID: \"r\(number % 10)\""
            _ = try stage.create("id: \"b\(number)\", title: \"t\(number % 3)\"\(room)")
        }
        for number in stride(from: 3, to: count, by: 40) { _ = try stage.delete("id: \"b\(number)\", _version: 1") }
        return stage
    }

    /// The ids on all pages of a base sync, and how many rows each page has read.
    private func pages(_ stage: DataStoreStage, _ filter: String, limit: Int) throws -> (ids: [[String]], rows: [Int]) {
        var (pages, rows, token): ([[String]], [Int], JSONValue) = ([], [], .null)
        repeat {
            let sent = try stage.service.send(
                body: Service.body(
                    """
                    query Q($t: String) { syncBookings(filter: \(filter), limit: \(limit), nextToken: $t) {
                      items { id _deleted } nextToken startedAt } }
                    """, "{\"t\": \(token.description)}"))
            let answer = try JSONReader.read(sent.text)
            guard let page = answer["data"]?["syncBookings"], let items = page["items"]?.arrayValue else {
                throw TestFailure(answer.description)
            }
            pages.append(items.map { $0["id"]?.stringValue ?? "?" })
            rows.append(sent.kind.report.work.rowCount)
            token = page["nextToken"] ?? .null
        } while token != .null && pages.count < 100
        return (pages, rows)
    }

    @Test(
        "a base by an indexed field reads the rows of the index, page by page, and finds what a walk over all would",
        arguments: [
            ("{roomID: {eq: \"r3\"}}", 20), ("{and: [{roomID: {eq: \"r3\"}}]}", 20),
            ("{and: [{or: [{roomID: {eq: \"r3\"}}]}, {title: {ne: \"t1\"}}]}", 20), ("{id: {eq: \"b14\"}}", 1),
        ])
    func index(filter: String, rowsMax: Int) throws {
        let stage = try stage()
        let all = try pages(stage, "{not: {not: \(filter)}}", limit: 100)
        #expect(all.rows.reduce(0, +) >= 200)
        for limit in [1, 3, 100] {
            let found = try pages(stage, filter, limit: limit)
            let ids = found.ids.flatMap { $0 }
            #expect(ids.count == Set(ids).count)
            #expect(Set(ids) == Set(all.ids.flatMap { $0 }))
            #expect(found.ids.allSatisfy { $0.count <= limit })
            #expect(found.rows.reduce(0, +) <= rowsMax, "\(found.rows)")
        }
    }

    @Test(
        "several values, or none, are no equality: such a base sync reads all items",
        arguments: [
            "{or: [{roomID: {eq: \"r3\"}}, {roomID: {eq: \"r4\"}}]}", "{not: {roomID: {eq: \"r3\"}}}",
            "{roomID: {eq: null}}",
            "{title: {eq: \"t1\"}}",
        ])
    func scan(filter: String) throws {
        let stage = try stage(60)
        #expect(try pages(stage, filter, limit: 100).rows == [60])
    }

    @Test("an item that lacks a sort key is found: its key is not read by unless every item has it")
    func partialIndex() throws {
        let service = try Service(
            """
            type Task @model { id: ID! list: ID @index(name: "byList", sortKeyFields: ["due"]) due: AWSDate
              board: ID @index(name: "byBoard", sortKeyFields: ["place"]) place: Int! }
            """,
            transform: TransformOptions(
                transformerVersion: .v2, conflictDetection: .version, conflictHandler: .automerge))
        for number in 0..<30 {
            let due = number % 2 == 0 ? "" : ", due: \"2024-01-01\""
            try service.seed(
                """
                mutation { createTask(input: {id: "\(number)", list: "l\(number % 3)"\(due), board: "b\(number % 3)",
                  place: \(100 - number)}) { id } }
                """)
        }
        func sync(_ filter: String) throws -> (ids: [String], rows: Int) {
            let sent = try service.send(
                body: Service.body("{ syncTasks(filter: \(filter)) { items { id } } }", nil))
            let items = try JSONReader.read(sent.text)["data"]?["syncTasks"]?["items"]?.arrayValue ?? []
            return (items.map { $0["id"]?.stringValue ?? "?" }, sent.kind.report.work.rowCount)
        }
        let byList = try sync(#"{list: {eq: "l1"}}"#)
        #expect(byList.ids.count == 10 && byList.rows == 30)
        let byBoard = try sync(#"{board: {eq: "b1"}}"#)
        #expect(Set(byBoard.ids) == Set(byList.ids) && byBoard.rows == 10)
        #expect(byBoard.ids.first == "28", "by the key's order")
    }
}
