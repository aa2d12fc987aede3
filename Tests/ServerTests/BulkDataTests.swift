import API
import Encodings
import Foundation
import HTTP
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

@Suite("Many items by the operators' API: links, deletions, imports and exports")
struct BulkDataTests {
    private static let schema = """
        type Room @model @auth(rules: [{allow: public}]) {
          id: ID!
          name: String!
          city: String
          price: Int
          tags: [String]
          open: Boolean
          bookings: [Booking] @hasMany(indexName: "byRoom", fields: ["id"])
          labels: [Label] @manyToMany(relationName: "RoomLabel")
        }
        type Label @model @auth(rules: [{allow: public}]) {
          id: ID!
          title: String
          rooms: [Room] @manyToMany(relationName: "RoomLabel")
        }
        type Booking @model @auth(rules: [{allow: public}]) {
          id: ID!
          roomID: ID! @index(name: "byRoom", sortKeyFields: ["day"])
          day: AWSDate!
          room: Room @belongsTo(fields: ["roomID"])
        }

        """

    private func ended(_ answer: JSONValue, _ stage: OperatorStage) async throws -> JSONValue {
        let id = try #require(answer["job"]?["id"]?.stringValue, "\(answer)")
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let job = try stage.ask("GET", "/jobs/\(id)", as: .viewer).value
            if job["state"] != "running" { return job }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CancellationError()
    }

    private func create(_ model: String, _ values: JSONValue, _ stage: OperatorStage) throws {
        let answer = try stage.ask("POST", "/data/\(model)/items", as: .editor, values)
        try #require(answer.status == 201, "\(answer.value)")
    }

    private func importing(
        _ text: String, _ stage: OperatorStage, _ query: String = "", type: String = "text/csv", model: String = "Room"
    ) async throws -> JSONValue {
        let answer = try stage.send("POST", "/data/\(model)/import\(query)", as: .editor, type: type, body: text)
        try #require(answer.status == 202, "\(answer.body)")
        return try await ended(try JSONReader.read(answer.body), stage)
    }

    @Test("items have the titles of those they belong to, links are listed, and filters name fields of related items")
    func links() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            for (id, city) in [("a", "Nantes"), ("b", "Brest")] {
                try create("Room", ["id": .string(id), "name": .string("Room \(id)"), "city": .string(city)], stage)
            }
            for (id, room) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "gone")] {
                try create(
                    "Booking", ["id": .string(id), "roomID": .string(room), "day": "2026-01-0\(id)".json], stage)
            }
            let first = try stage.ask("GET", "/data/Booking/items/1", as: .viewer).value
            #expect(first["links"]?["room"] == ["key": ["a"], "title": "Room a"])
            #expect(try stage.ask("GET", "/data/Booking/items/4").value["links"]?["room"]?["title"] == .null)
            let linked = try stage.ask("GET", "/data/Room/items/a/links/bookings?limit=1", as: .viewer)
            #expect(linked.status == 200 && linked.value["count"]?["value"] == 2 && linked.value["target"] == "Booking")
            let next = try #require(linked.value["next"]?.stringValue)
            let rest = try stage.ask("GET", "/data/Room/items/a/links/bookings?after=\(next)").value["items"]
            #expect(rest?.arrayValue?.map { $0["key"] } == [["2"]])
            #expect(try stage.ask("GET", "/data/Booking/items/3/links/room").value["items"]?.arrayValue?.count == 1)
            for path in ["/data/Room/items/a/links/bookings", "/data/Room/generate"] {
                let answer = try stage.send("HEAD", path)
                #expect(answer.status == 200, "\(path)")
            }
            #expect(try stage.ask("GET", "/data/Room/items/a/links/name").status == 404)
            #expect(try stage.ask("GET", "/data/Room/items/none/links/bookings").status == 404)
            func found(_ filter: String) throws -> [String] {
                let answer = try stage.ask("GET", "/data/Booking/items?filter=\(Percent.encode(filter))", as: .viewer)
                return answer.value["items"]?.arrayValue?.compactMap { $0["key"]?.arrayValue?[0].stringValue } ?? [
                    "\(answer)"
                ]
            }
            #expect(try found(#"{"room":{"city":{"eq":"Nantes"}}}"#) == ["1", "2"])
            #expect(try found(#"{"not":{"room":{"city":{"eq":"Nantes"}}}}"#) == ["3", "4"])
            #expect(try found(#"{"room":{"name":{"beginsWith":"Room"}},"day":{"gt":"2026-01-01"}}"#) == ["2", "3"])
            #expect(try found(#"{"room":{"city":{"eq":"Nowhere"}}}"#).isEmpty)
            try create("Room", ["id": "c", "name": "Room c", "city": "Nantes"], stage)
            try create("Booking", ["id": "5", "roomID": "c", "day": "2025-12-31"], stage)
            let byCity = Percent.encode(#"{"room":{"city":{"eq":"Nantes"}}}"#)
            let some = try stage.ask("GET", "/data/Booking/items?limit=2&filter=\(byCity)").value
            #expect(some["items"]?.arrayValue?.map { $0["key"] } == [["1"], ["2"]], "as they were created")
            #expect(some["read"]?["index"] == "byRoom" && some["read"]?["items"] == 3, "\(some)")
            #expect(some["count"] == ["value": 3, "exact": true])
            let later = try #require(some["next"]?.stringValue)
            let last = try stage.ask("GET", "/data/Booking/items?limit=2&filter=\(byCity)&after=\(later)").value
            #expect(last["items"]?.arrayValue?.map { $0["key"] } == [["5"]] && last["next"] == .null)
            let byKey = Percent.encode(#"{"room":{"id":{"eq":"a"}}}"#)
            let read = try stage.ask("GET", "/data/Booking/items?order=day&direction=desc&filter=\(byKey)").value
            #expect(read["items"]?.arrayValue?.map { $0["key"] } == [["2"], ["1"]], "\(read)")
            #expect(
                read["read"]?["index"] == "byRoom" && read["read"]?["items"] == 2 && read["read"]?["scan"] == false,
                "\(read)")
            try create("Label", ["id": "l", "title": "Quiet"], stage)
            let sources = try stage.ask("GET", "/data").value["items"]
            #expect(sources?.element("RoomLabel")?["kind"] == "join")
            try create("RoomLabel", ["id": "j", "roomId": "a", "labelId": "l"], stage)
            let labels = try stage.ask("GET", "/data/Room/items/a/links/labels", as: .viewer).value
            #expect(labels["target"] == "Label", "\(labels)")
            #expect(labels["items"]?.arrayValue?.first?["values"]?["title"] == "Quiet")
            #expect(labels["items"]?.arrayValue?.first?["join"] == ["model": "RoomLabel", "key": ["j"]])
        }
    }

    @Test("an offset, a filter and a condition on a related item reach items beyond what one page reads")
    func longTables() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            for id in 0..<12 {
                let values: JSONValue = [
                    "id": .string("r\(id)"), "name": .string("n\(id)"), "city": id == 10 ? "Oslo" : "Brest",
                ]
                try create("Room", values, stage)
                let booking: JSONValue = ["id": .string("b\(id)"), "roomID": .string("r\(id)"), "day": "2026-01-01"]
                try create("Booking", booking, stage)
            }
            let service = stage.server.service
            let endpoint = try #require(service.state.operatorEndpoint.withLock { $0 })
            let loop = service.server.loops[0]
            /// Some pages, each the `next` of the one before, where one read has so many rows at most.
            func pages(
                _ model: String, _ filter: JSONValue?, offset: Int, rowsPerPageMax: Int
            ) async throws -> [[String]] {
                let graphQL = OperatorGraphQL(
                    on: loop, service.loopServices[loop.index], service.backend.store, rowsPerPageMax: rowsPerPageMax)
                let pages: Result<[[String]], OperatorProblem> = await withCheckedContinuation { continuation in
                    let isTaken = endpoint.run(for: .commandLine) { handler in
                        var handler = handler
                        handler.graphQL = graphQL
                        let found = handler
                        continuation.resume(
                            returning: Result { () throws(OperatorProblem) in
                                try Self.pages(of: model, filter, offset: offset, found)
                            })
                    }
                    if !isTaken { continuation.resume(returning: .failure(.limited)) }
                }
                graphQL.end()
                return try pages.get()
            }
            #expect(try await pages("Room", nil, offset: 9, rowsPerPageMax: 4) == [["r9", "r10"], ["r11"]])
            #expect(try await pages("Room", nil, offset: 3, rowsPerPageMax: 200_000).first == ["r3", "r4"])
            #expect(try await pages("Room", nil, offset: 20, rowsPerPageMax: 4) == [[]])
            let last = try await pages("Room", nil, offset: 11, rowsPerPageMax: 1)
            #expect(last == [[], ["r11"]], "what is still to be skipped is part of next")
            let city: JSONValue = ["city": ["eq": "Oslo"]]
            #expect(try await pages("Room", city, offset: 0, rowsPerPageMax: 4) == [["r10"]])
            let others: JSONValue = ["city": ["ne": "Oslo"]]
            #expect(try await pages("Room", others, offset: 9, rowsPerPageMax: 5) == [["r9", "r11"]])
            #expect(try await pages("Booking", ["room": city], offset: 0, rowsPerPageMax: 4) == [["b10"]])
        }
    }

    /// The keys of all pages of two items from an offset.
    private static func pages(
        of model: String, _ filter: JSONValue?, offset: Int, _ handler: OperatorCallHandler
    ) throws(OperatorProblem) -> [[String]] {
        var pages: [[String]] = []
        var window = DataCall.Window(limit: 2, offset: offset)
        let selection = DataCall.Selection(model: model, filter: filter)
        while true {
            let body = try handler.run(DataCall.list(selection, window), for: .commandLine).body
            pages.append((body["items"]?.arrayValue ?? []).compactMap { $0["key"]?.arrayValue?.first?.stringValue })
            guard let next = body["next"]?.stringValue else { return pages }
            window = DataCall.Window(limit: 2, after: next)
        }
    }

    @Test("items are deleted by their keys or by a filter that finds as many as expected")
    func deletions() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            for id in 0..<120 {
                try create("Room", ["id": .string("r\(id)"), "name": .string(id < 100 ? "old" : "new")], stage)
            }
            let keys: JSONValue = [["r100"], ["r101"], ["none"]]
            let dry = try stage.ask("POST", "/data/Room/delete", as: .editor, ["keys": keys, "dryRun": true])
            #expect(
                dry.status == 200 && dry.value["count"]?["value"] == 2 && dry.value["samples"]?.arrayValue?.count == 2)
            let job = try await ended(
                try stage.ask("POST", "/data/Room/delete", as: .editor, ["keys": keys]).value, stage)
            #expect(
                job["state"] == "done" && job["result"]?["deleted"] == 2 && job["result"]?["rejected"] == 1, "\(job)")
            #expect(job["result"]?["rejects"]?.arrayValue?.first?["key"] == ["none"])
            var body: JSONObject = ["filter": ["name": ["eq": "old"]], "dryRun": true]
            let counted = try stage.ask("POST", "/data/Room/delete", as: .editor, .object(body)).value
            #expect(counted["count"]?["value"] == 100 && counted["samples"]?.arrayValue?.count == 10)
            body["dryRun"] = false
            #expect(try stage.ask("POST", "/data/Room/delete", as: .editor, .object(body)).status == 422)
            body["expectCount"] = 99
            let other = try stage.ask("POST", "/data/Room/delete", as: .editor, .object(body))
            #expect(other.status == 409 && other.value["error"]?["details"]?["count"]?["value"] == 100)
            body["expectCount"] = 100
            #expect(try stage.ask("POST", "/data/Room/delete", as: .viewer, .object(body)).status == 403)
            let all = try await ended(
                try stage.ask("POST", "/data/Room/delete", as: .editor, .object(body)).value, stage)
            #expect(all["result"]?["deleted"] == 100 && all["progress"]?["done"] == 100, "\(all)")
            #expect(try stage.ask("GET", "/data/Room/count?exact=true").value["value"] == 18)
            for bad: JSONValue in [["keys": []], ["keys": ["a"]], [:], ["filter": 1]] {
                #expect(try stage.ask("POST", "/data/Room/delete", as: .editor, bad).status == 422, "\(bad)")
            }
        }
    }

    @Test("rows are imported with the values of their types, and those that are none are rejected with line and reason")
    func imports() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let text =
                "\u{FEFF}id,Label,city,price,tags,open,createdAt\r\na,Sea,,120,\"[\"\"x\"\"]\",true,2026\r\n"
                + "b,\"Two\r\nlines\",\"\",,,false,\r\nc,Bad,,many,,,\r\n,Made,,,,,\r\na,Again,,,,,\r\nd,,,,,,\r\n"
            let columns = Percent.encode(#"{"Label":"name"}"#)
            for isDry in [true, false] {
                let job = try await importing(text, stage, "?columns=\(columns)&dryRun=\(isDry)")
                #expect(job["state"] == "done", "\(job)")
                #expect(job["result"]?["accepted"] == 3 && job["result"]?["rejected"] == 3, "\(job)")
                let lines = job["result"]?["rejects"]?.arrayValue?.compactMap { $0["line"]?.intValue }.sorted()
                #expect(lines == [5, 7, 8], "\(job)")
                let count = try stage.ask("GET", "/data/Room/count").value["value"]
                #expect(count == (isDry ? 0 : 3))
                let id = try #require(job["id"]?.stringValue)
                let file = try stage.send("GET", "/jobs/\(id)/rejects", as: .viewer)
                #expect(file.body.hasPrefix("line,reason,row\r\n") && file.body.contains("many"))
            }
            let room = try stage.ask("GET", "/data/Room/items/a").value["values"]
            #expect(room?["price"] == 120 && room?["tags"] == ["x"] && room?["open"] == true && room?["city"] == nil)
            let second = try stage.ask("GET", "/data/Room/items/b").value["values"]
            #expect(second?["name"] == "Two\r\nlines" && second?["city"] == "")
            let json = #"[{"id":"a","name":"Changed"},{"id":"z","name":"New"},{"id":"y"},{"id":"x","nothing":1},3]"#
            let skipped = try await importing(json, stage, "?mode=skip", type: "application/json")
            #expect(skipped["result"]?["skipped"] == 1 && skipped["result"]?["created"] == 1, "\(skipped)")
            #expect(skipped["result"]?["rejected"] == 3)
            let lines = "{\"id\":\"a\",\"name\":\"Changed\"}\n\n{\"id\":\"w\",\"name\":\"New\"}\nno\n"
            let changed = try await importing(lines, stage, "?mode=upsert", type: "application/x-ndjson")
            #expect(changed["result"]?["updated"] == 1 && changed["result"]?["created"] == 1, "\(changed)")
            #expect(try stage.ask("GET", "/data/Room/items/a").value["values"]?["name"] == "Changed")
            for (body, type) in [
                ("id,none\r\n", "text/csv"), ("{", "application/json"), ("{}", "application/json"), ("", "text/csv"),
            ] {
                let answer = try stage.send("POST", "/data/Room/import", as: .editor, type: type, body: body)
                #expect(answer.status == 422, "\(body)")
            }
            #expect(
                try stage.send("POST", "/data/Room/import", as: .editor, type: "text/plain", body: "id\r\n").status
                    == 422)
            #expect(
                try stage.send("POST", "/data/Room/import", as: .viewer, type: "text/csv", body: "id\r\n").status == 403
            )
        }
    }

    @Test("a file with a row that is too large, or with too many rows, is refused when it is read")
    func largeRows() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let cells = String(repeating: ",", count: BulkLimits.cellsMax)
            let text = String(repeating: "x", count: BulkLimits.rowBytesMax)
            let many = BulkLimits.rowsMax
            let (lines, elements) = (String(repeating: "1\n", count: many + 1), String(repeating: "1,", count: many))
            let cases: [(type: String, body: String, named: String)] = [
                ("text/csv", "\(cells)\r\n1", "line 1"), ("text/csv", "id,name\r\n\(cells)\r\n", "line 2"),
                ("text/csv", "id,name\r\na,\"\(text)\"\r\n", "line 2"),
                ("text/csv", "id\r\n\r\n\(text)x", "line 3"), ("text/csv", "id\n\(lines)", "rows"),
                ("application/json", "[1,\"\(text)\"]", "Element 2"), ("application/json", "[\(elements)1]", "rows"),
                ("application/x-ndjson", "{}\n\n\"\(text)\"", "Line 3"), ("application/x-ndjson", lines, "rows"),
            ]
            for (type, body, named) in cases {
                let answer = try stage.send(
                    "POST", "/data/Room/import?dryRun=true", as: .editor, type: type, body: body)
                #expect(answer.status == 413 && answer.body.contains(named), "\(body.prefix(50)): \(answer.body)")
            }
            let within = "id,name,,,\r\na,A,,,\r\n\r\n \n\r\n \nb,B\r\n"
            let columns = Percent.encode(#"{"":null}"#)
            let job = try await importing(within, stage, "?columns=\(columns)&dryRun=true")
            #expect(job["result"]?["accepted"] == 2 && job["result"]?["rejected"] == 2, "a space is a row")
        }
    }

    @Test("the bodies of all imports together have a bounded number of bytes")
    func heldBodies() throws {
        let share = ImportBody.Share(bytesMax: 10)
        var first: ImportBody? = try ImportBody([1, 2, 3, 4, 5, 6], in: share)
        #expect(throws: OperatorProblem.self) { try ImportBody([1, 2, 3, 4, 5], in: share) }
        let second = try ImportBody([1, 2, 3, 4], in: share)
        #expect(second.bytes == [1, 2, 3, 4] && first?.bytes.count == 6)
        first = nil
        #expect(try ImportBody([1, 2, 3, 4, 5, 6], in: share).bytes.count == 6)
    }

    @Test("records and lines are found where they are, and passing over records counts them")
    func records() {
        let text = "\u{FEFF}a,\"b\n\"\"c\"x,\r\n\r\n\"\"\r1,2"
        var (reader, counter) = (CSVRecords(Array(text.utf8)), CSVRecords(Array(text.utf8)))
        var records: [CSVRecords.Record] = []
        while let record = reader.next() {
            records.append(record)
            let isThere = counter.skip()
            #expect(isThere)
        }
        let isThere = counter.skip()
        #expect(!isThere && reader.largeLine == nil)
        #expect(records.map(\.line) == [1, 4, 5])
        #expect(records.map { $0.fields.map(\.text) } == [["a", "b\n\"cx", ""], [""], ["1", "2"]])
        let lines = Array("\n{}\r\n \r\n[\n1".utf8)
        var (reading, found) = (ImportLines(lines), [String]())
        while let line = reading.next() { found.append("\(line.number) \(line.range)") }
        #expect(found == ["2 1..<4", "4 8..<9", "5 10..<11"])
    }

    @Test("what a job keeps of rejected rows does not grow with their values, names of members or keys")
    func largeRejects() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let (large, name) = (String(repeating: "y", count: 100_000), String(repeating: "n", count: 100_000))
            let rows =
                #"[{"name":"a","price":"\#(large)"},{"name":"a","\#(name)":1},{"name":"a","price":{"\#(name)":1}}]"#
            for query in ["?dryRun=true", ""] {
                let job = try await importing(rows, stage, query, type: "application/json")
                let rejects = try #require(job["result"]?["rejects"]?.arrayValue)
                #expect(rejects.count == 3 && job["result"]?["rejected"] == 3, "\(job.description.prefix(1_000))")
                #expect(rejects.allSatisfy { $0.description.utf8.count < 2_000 })
                let list = try stage.ask("GET", "/jobs", as: .viewer).value["items"]?.arrayValue
                #expect(list?.allSatisfy { $0["result"]?["rejects"] == nil && $0["result"]?["rejected"] == 3 } == true)
            }
        }
        var list = RejectList(countMax: 100)
        for _ in 0..<100 { list.add([.string(String(repeating: "k", count: JobLimits.rejectBytesMax / 10))]) }
        #expect(list.isFull && list.elements.count == 9)
        #expect(RejectList.reason(String(repeating: "r", count: 1_000)).count == JobLimits.reasonCharactersMax + 1)
    }

    @Test(
        "an export has all items, page by page, and no cell that a spreadsheet takes for a formula; an import reads it back"
    )
    func exports() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let rows = (0..<1_203).map { "r\($0),Room \($0)" }.joined(separator: "\r\n")
            _ = try await importing("id,name\r\n\(rows)\r\n", stage)
            for (id, name) in [("f1", "=1+1"), ("f2", "-a"), ("f3", "@x"), ("f4", "+1"), ("f5", "a,\"b\"\nc")] {
                try create("Room", ["id": .string(id), "name": .string(name)], stage)
            }
            let csv = try stage.send("GET", "/data/Room/export?format=csv&fields=id,name,bookings", as: .viewer)
            #expect(csv.status == 200 && csv["Content-Type"] == ["text/csv;charset=UTF-8"])
            #expect(csv["Content-Disposition"] == ["attachment; filename=\"Room.csv\""])
            #expect(csv.body.hasPrefix("id,name\r\nr0,Room 0\r\n"))
            #expect(csv.body.contains("f1,\"'=1+1\"\r\n") && csv.body.contains("f5,\"a,\"\"b\"\"\nc\"\r\n"))
            #expect(!csv.body.split(separator: "\r\n").contains { $0.contains(",=") || $0.contains(",@") })
            let json = try JSONReader.read(try stage.send("GET", "/data/Room/export?format=json").body)
            #expect(json.arrayValue?.count == 1_208 && json.arrayValue?[1]["name"] == "Room 1")
            let filter = Percent.encode(#"{"id":{"beginsWith":"f"}}"#)
            let lines = try stage.send("GET", "/data/Room/export?format=jsonl&filter=\(filter)").body
            #expect(lines.split(separator: "\n").count == 5)
            #expect(try stage.send("GET", "/data/Room/export?format=xml").status == 422)
            #expect(try stage.send("GET", "/data/Room/export?fields=nothing").status == 422)
            let relations = try stage.ask("GET", "/data/Room/export?fields=bookings,labels", as: .viewer)
            #expect(relations.status == 422 && relations.value["error"]?["field"] == "fields", "not all fields")
            #expect(try stage.send("GET", "/data/None/export").status == 404)
            let deletion: JSONValue = ["filter": ["id": ["beginsWith": ""]], "expectCount": 1_208]
            _ = try await ended(try stage.ask("POST", "/data/Room/delete", as: .editor, deletion).value, stage)
            let back = try await importing(csv.body, stage)
            #expect(back["result"]?["created"] == 1_208, "\(back)")
            #expect(try stage.ask("GET", "/data/Room/items/f1").value["values"]?["name"] == "=1+1")
        }
    }

    @Test("an import gives back every text that an export has written")
    func textsOfCells() async throws {
        let texts = [
            "=x", "'=x", "''=x", "'", "''", "'tis", "'-1", "-1", "+", "@a", "\tx", "'\tx", "\rx", "'\r\nx", "'=\u{338}",
            "=\u{338}", "a'=x", " =x",
            "", "\"", "'\"=", ",", "'+,\"\n", "\n=x", "\n", "'\n", "\u{FF1D}1", "'\u{FF0B}1", "\u{FF0D}", "\u{FF20}x",
            "\u{FF1E}",
        ]
        for text in texts {
            let line = CSVWriter.line([CSVWriter.cell(text), "b"])
            var reader = CSVRecords(line)
            let cell = try #require(reader.next()?.fields.first)
            #expect(CSVWriter.text(ofCell: cell.text) == text, "\(text.debugDescription)")
            let isFormula = cell.text.unicodeScalars.first.map {
                "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0)
            }
            #expect(isFormula != true, "\(text.debugDescription)")
        }
        #expect(CSVWriter.text(ofCell: "=x") == "=x", "of another program's file")
        try await OperatorStage.with(schema: Self.schema) { stage in
            for (index, text) in texts.enumerated() {
                try create("Room", ["id": .string("r\(index)"), "name": .string(text), "tags": [.string(text)]], stage)
            }
            let csv = try stage.send("GET", "/data/Room/export?format=csv", as: .viewer).body
            let deletion: JSONValue = ["filter": ["id": ["beginsWith": "r"]], "expectCount": .number("\(texts.count)")]
            _ = try await ended(try stage.ask("POST", "/data/Room/delete", as: .editor, deletion).value, stage)
            #expect(try await importing(csv, stage)["result"]?["rejected"] == 0)
            for (index, text) in texts.enumerated() {
                let values = try stage.ask("GET", "/data/Room/items/r\(index)").value["values"]
                #expect(
                    values?["name"] == .string(text) && values?["tags"] == [.string(text)], "\(text.debugDescription)")
            }
        }
    }

    @Test("the rows of the rejects are those that were sent, letter by letter")
    func rejectedRows() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let rows = [
                "a,'=x,,many", "b,,\"\",many", "\"c\",\"Sea\",\"Two\r\nlines\",many",
                "d,\"say \"\"yes\"\"\",\"\",1,,,,,,",
                " e , Sea ,\"x\"y,many", "=f,Sea,,many", "é,''-1,\"a,b\",\"many\"",
            ]
            let ends = ["\r\n", "\n", "\r\n", "\r\n", "\r\n", "\r\n", ""]
            let text = "id,name,city,price\r\n" + zip(rows, ends).map { $0 + $1 }.joined()
            let job = try await importing(text, stage)
            #expect(job["result"]?["rejected"] == .number(String(rows.count)), "\(job)")
            let id = try #require(job["id"]?.stringValue)
            let file = try stage.send("GET", "/jobs/\(id)/rejects", as: .viewer)
            var reader = CSVRecords(file.bytes)
            #expect(reader.next()?.fields.map(\.text) == ["line", "reason", "row"])
            for row in rows {
                let cells = reader.next()?.fields.map { CSVWriter.text(ofCell: $0.text) }
                #expect(cells?.last == row, "\(file.body)")
            }
            #expect(reader.next() == nil)
        }
    }

    @Test("an item that stops meeting the filter before its deletion stays")
    func deletionsOfChangedItems() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            for id in ["a", "b"] { try create("Room", ["id": .string(id), "name": "old", "city": "Nantes"], stage) }
            for id in ["1", "2"] {
                try create("Booking", ["id": .string(id), "roomID": "a", "day": "2026-01-01"], stage)
            }
            let endpoint = try #require(stage.server.service.state.operatorEndpoint.withLock { $0 })
            let outcomes = await withCheckedContinuation { continuation in
                let isTaken = endpoint.run(for: .commandLine) { handler in
                    continuation.resume(
                        returning: Result { () throws(OperatorProblem) in
                            [
                                try outcome(
                                    of: "a", in: "Room", ["name": ["eq": "old"]],
                                    after: #"updateRoom(input: {id: "a", name: "new"})"#, handler),
                                try outcome(
                                    of: "b", in: "Room", ["name": ["eq": "old"]],
                                    after: #"updateRoom(input: {id: "b", city: "Brest"})"#, handler),
                                try outcome(
                                    of: "1", in: "Booking", ["room": ["city": ["eq": "Nantes"]]],
                                    after: #"updateBooking(input: {id: "1", roomID: "c", day: "2026-01-01"})"#, handler),
                                try outcome(
                                    of: "2", in: "Booking", ["room": ["name": ["eq": "new"]]],
                                    after: #"updateBooking(input: {id: "2", roomID: "a", day: "2026-01-02"})"#, handler),
                            ]
                        })
                }
                if !isTaken { continuation.resume(returning: .failure(.limited)) }
            }
            #expect(try outcomes.get() == ["conflict", "deleted", "conflict", "deleted"])
        }
    }

    /// What becomes of an item that a filter has found, if it is changed before it is deleted.
    private func outcome(
        of key: String, in model: String, _ filter: JSONValue, after change: String, _ handler: OperatorCallHandler
    ) throws(OperatorProblem) -> String {
        guard let graphQL = handler.graphQL else { throw .noConsole }
        let servedAPI = try graphQL.servedAPI()
        guard let source = servedAPI.dataSources[model],
            let condition = try handler.condition(of: filter, source, servedAPI),
            let item = try OperatorCallHandler.items([[.text(key)]], source, graphQL)[0]
        else { throw .unknownItem(model) }
        let envelope = JSONValue.object(["query": .string("mutation { \(change) { id } }")])
        _ = try graphQL.execute(Array(envelope.description.utf8), as: .administrator, allowsMutations: true)
        let outcomes = try BulkWriter(source: source, graphQL: graphQL).write(
            .deleteItem(model: source.place), [source.keyInput([.text(key)])], expecting: [condition.asMet(by: item)])
        switch outcomes[0] {
        case .written: return "deleted"
        case .conflict: return "conflict"
        case .rejected(let reason): return reason
        }
    }
}

extension String {
    fileprivate var json: JSONValue { .string(self) }
}
