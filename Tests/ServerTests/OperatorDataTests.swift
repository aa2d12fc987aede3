import Encodings
import Foundation
import JSON
import Tables
import Testing
import Transformer

@testable import Server

@Suite("Items and GraphQL by the operators' API")
struct OperatorDataTests {
    private static let schema = """
        type Room @model @auth(rules: [{allow: owner}]) {
          id: ID!
          name: String!
          price: Int
          tags: [String]
          place: Place
          kind: Kind
          open: Boolean
          note: String
          bookings: [Booking] @hasMany(indexName: "byRoom", fields: ["id"])
        }
        type Booking @model @auth(rules: [{allow: public, operations: [read]}]) {
          id: ID!
          roomID: ID! @index(name: "byRoom", sortKeyFields: ["day"], queryField: "bookingsByRoom")
          day: AWSDate!
          guest: String
        }
        type Seat @model @auth(rules: [{allow: public}]) {
          hall: ID! @primaryKey(sortKeyFields: ["row"])
          row: Int!
          guest: String
        }
        type Place { city: String street: Street }
        type Street { name: String number: Int }
        enum Kind { SINGLE DOUBLE }
        """

    /// A server with an operator of each role.
    struct Stage {
        let server: TestServer
        let client: Client
        let tokens: [OperatorRole: String]

        func ask(
            _ method: String, _ path: String, as role: OperatorRole = .editor, _ headers: [String: String] = [:],
            body: String = ""
        ) throws -> (status: Int, value: JSONValue) {
            let own = ["Authorization": "Bearer \(tokens[role] ?? "")", "Content-Type": "application/json"]
            let answer = try client.ask(
                method, "/operators/v1\(path)", headers: own.merging(headers) { $1 }, body: body)
            return (answer.status, try JSONReader.read(answer.body))
        }

        func create(_ model: String, _ values: String) throws -> JSONValue {
            let answer = try ask("POST", "/data/\(model)/items", body: values)
            try #require(answer.status == 201, "\(answer.value)")
            return answer.value
        }
    }

    private func with(
        schema: String = schema, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (Stage) async throws -> Void
    ) async throws {
        try await TestServer.withDataFolder(schema: schema, change) { server, client in
            var tokens: [OperatorRole: String] = [:]
            for role in OperatorRole.allCases {
                tokens[role] = try Operators.create(role.rawValue, role: role, of: server.configuration)
            }
            try await body(Stage(server: server, client: client, tokens: tokens))
        }
    }

    private func percent(_ text: String) -> String { Percent.encode(text) }

    @Test(
        "an item is created, read, changed and deleted as it is stored, whatever rules say, and the owner stays empty")
    func items() async throws {
        try await with { stage in
            let room = try stage.create(
                "Room",
                #"{"id":"a,b","name":"Sea","price":120,"tags":["x","y"],"open":false,"note":"","kind":"DOUBLE","#
                    + #""place":{"city":"Nantes","street":{"name":"Quai","number":3}}}"#)
            #expect(room["key"] == ["a,b"] && room["deleted"] == false)
            let values = try #require(room["values"])
            #expect(values["price"] == 120 && values["tags"] == ["x", "y"] && values["open"] == false)
            #expect(values["note"] == "" && values["kind"] == "DOUBLE")
            #expect(values["place"]?["street"]?["number"] == 3)
            #expect(room["absent"] == ["owner"], "\(room)")
            let path = "/data/Room/items/a%2Cb"
            #expect(try stage.ask("GET", path, as: .viewer).value == room)

            let changed = try stage.ask(
                "PATCH", path,
                body: #"{"set":{"price":130},"unset":["note","tags"],"expect":{"values":{"price":120,"note":""}}}"#
            )
            #expect(changed.status == 200, "\(changed.value)")
            #expect(changed.value["values"]?["price"] == 130)
            #expect(changed.value["absent"] == ["tags", "note", "owner"])
            let old = try stage.ask("PATCH", path, body: #"{"set":{"price":1},"expect":{"values":{"price":120}}}"#)
            #expect(old.status == 409 && old.value["error"]?["code"] == "conflict")
            #expect(old.value["error"]?["details"]?["changed"] == ["price"])
            #expect(old.value["error"]?["details"]?["item"]?["values"]?["price"] == 130)
            let set = try stage.ask("PATCH", path, body: #"{"set":{"note":"n"},"expect":{"values":{"note":null}}}"#)
            #expect(set.status == 200 && set.value["values"]?["note"] == "n")

            #expect(try stage.ask("DELETE", path, body: #"{"expect":{"values":{"note":null}}}"#).status == 409)
            #expect(try stage.ask("DELETE", path).status == 200)
            #expect(try stage.ask("GET", path).status == 404)
            #expect(try stage.ask("DELETE", path).status == 404)
            let actions = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.map {
                "\($0["action"]?.stringValue ?? "") \($0["target"]?.stringValue ?? "") \($0["fields"]?.arrayValue?.count ?? 0)"
            }
            #expect(actions?.first == "data.create Room 8" && actions?.contains("data.update Room a,b 3") == true)
        }
    }

    @Test("a call that failed has a second entry in the audit log")
    func failures() async throws {
        try await with { stage in
            _ = try stage.create("Room", #"{"id":"r","name":"n"}"#)
            #expect(try stage.ask("PATCH", "/data/Room/items/r", body: #"{"set":{"price":"x"}}"#).status == 422)
            #expect(try stage.ask("DELETE", "/data/Room/items/other").status == 404)
            let entries = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.map {
                "\($0["action"]?.stringValue ?? "") \($0["target"]?.stringValue ?? "")"
            }
            #expect(
                entries == [
                    "data.create Room", "data.update Room r", "data.update.failed Room r", "data.delete Room other",
                    "data.delete.failed Room other",
                ])
        }
    }

    @Test("only deleted items of a model without versions are refused, since it keeps none")
    func deletedWithoutVersions() async throws {
        try await with { stage in
            _ = try stage.create("Room", #"{"id":"r","name":"n"}"#)
            for path in ["/data/Room/items?deleted=only", "/data/Room/count?deleted=only"] {
                let answer = try stage.ask("GET", path)
                #expect(answer.status == 422 && answer.value["error"]?["field"] == "deleted", "\(path)")
            }
            #expect(try stage.ask("GET", "/data/Room/items?deleted=include").status == 200)
        }
    }

    @Test("numbers that a write expects are compared by their value, as a browser writes them")
    func expectedNumbers() async throws {
        let schema = """
            type Meter @model @auth(rules: [{allow: public}]) {
              id: ID!
              price: Float
              count: Int
              rates: [Float]
              at: AWSTimestamp
              data: AWSJSON
              spot: Spot
              note: String
            }
            type Spot { x: Float name: String }
            """
        try await with(schema: schema) { stage in
            let meter = try stage.create(
                "Meter",
                #"{"id":"m","price":2.0,"count":3,"rates":[1.0,2.5],"at":1700000000,"data":"{\"a\":1.0}","#
                    + #""spot":{"x":4.0,"name":"n"}}"#)
            #expect(meter["values"]?["price"]?.doubleValue == 2, "\(meter)")
            func status(expecting values: String) throws -> Int {
                let body = #"{"set":{"note":"n"},"expect":{"values":\#(values)}}"#
                return try stage.ask("PATCH", "/data/Meter/items/m", body: body).status
            }
            for values in [
                #"{"price":2}"#, #"{"price":2.0}"#, #"{"price":20e-1}"#, #"{"count":3}"#, #"{"rates":[1,2.5]}"#,
                #"{"rates":[1.0,2.50]}"#, #"{"at":1700000000}"#, #"{"spot":{"x":4,"name":"n"}}"#,
            ] {
                #expect(try status(expecting: values) == 200, "\(values)")
            }
            let data = JSONValue.object(["data": try #require(meter["values"]?["data"])])
            #expect(try status(expecting: data.description) == 200, "\(data)")
            for values in [
                #"{"price":2.5}"#, #"{"price":"2"}"#, #"{"price":null}"#, #"{"count":4}"#, #"{"rates":[1]}"#,
                #"{"rates":[2.5,1]}"#, #"{"at":1700000001}"#, #"{"spot":{"x":5,"name":"n"}}"#,
                #"{"spot":{"x":4,"name":"m"}}"#, #"{"data":"{\"a\":2}"}"#,
            ] {
                #expect(try status(expecting: values) == 409, "\(values)")
            }
        }
        #expect(!JSONValue.number("9007199254740993").isSame(as: .number("9007199254740992")))
    }

    @Test("of writes that expect the same item one is done, also where conflicts are merged and values are lists")
    func expectations() async throws {
        try await with {
            $0.transform.conflictDetection = .version
            $0.transform.conflictHandler = .automerge
        } _: { stage in
            for expect in ["values", "version"] {
                let path = "/data/Room/items/\(expect)"
                let room = try stage.create("Room", #"{"id":"\#(expect)","name":"n","tags":["0"]}"#)
                let first = room["version"]?.intValue ?? 0
                let (port, token) = (stage.server.port, stage.tokens[.editor] ?? "")
                let doneCount = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try Self.count(port, token, path, expectsVersion: expect == "version") }
                    }
                    return try await group.reduce(0, +)
                }
                let item = try stage.ask("GET", path).value
                #expect(item["values"]?["tags"] == [.string(String(doneCount))], "\(expect)")
                #expect(item["version"]?.intValue == first + Int64(doneCount), "\(expect)")
                let late = try stage.ask(
                    "PATCH", path, body: #"{"set":{"note":"x"},"expect":{"values":{"tags":["0"]}}}"#)
                #expect(late.status == 409 && late.value["error"]?["details"]?["changed"] == ["tags"])
                #expect(try stage.ask("DELETE", path).status == 200)
            }
        }
    }

    /// Raises the number in an item's list, if nobody else has since it was read.
    ///
    /// - Returns: How often it did.
    private static func count(
        _ port: Int, _ token: String, _ path: String, expectsVersion: Bool
    ) throws -> Int {
        let client = try Client(port: port)
        let headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        var count = 0
        for _ in 0..<20 {
            let item = try JSONReader.read(client.ask("GET", "/operators/v1\(path)", headers: headers).body)
            let number = item["values"]?["tags"]?.arrayValue?.first?.stringValue.flatMap { Int($0) } ?? -1
            let expected =
                expectsVersion
                ? #"{"version":\#(item["version"]?.intValue ?? -1)}"# : #"{"values":{"tags":["\#(number)"]}}"#
            let answer = try client.ask(
                "PATCH", "/operators/v1\(path)", headers: headers,
                body: #"{"set":{"tags":["\#(number + 1)"]},"expect":\#(expected)}"#)
            #expect(answer.status == 200 || answer.status == 409, "\(answer.body)")
            if answer.status == 200 { count += 1 }
        }
        return count
    }

    @Test("roles, unknown names and bad values are refused with the API's errors")
    func refusals() async throws {
        try await with { stage in
            _ = try stage.create("Room", #"{"id":"r","name":"Sea"}"#)
            for (method, path, role, body, status) in [
                ("POST", "/data/Room/items", OperatorRole.viewer, #"{"name":"x"}"#, 403),
                ("PATCH", "/data/Room/items/r", .viewer, #"{"set":{"price":1}}"#, 403),
                ("DELETE", "/data/Room/items/r", .viewer, "", 403),
                ("GET", "/data/Nothing/items", .viewer, "", 404), ("GET", "/data/Room/items/none", .viewer, "", 404),
                ("GET", "/data/Seat/items/h", .viewer, "", 404), ("GET", "/data/Seat/items/h,x", .viewer, "", 404),
                ("POST", "/data/Room/items", .editor, #"{"price":1}"#, 422),
                ("POST", "/data/Room/items", .editor, #"{"name":"x","price":"many"}"#, 422),
                ("POST", "/data/Room/items", .editor, #"{"id":"r","name":"again"}"#, 409),
                ("POST", "/data/Room/items", .editor, "[]", 422),
                ("PATCH", "/data/Room/items/r", .editor, #"{"set":{"id":"other"}}"#, 422),
                ("PATCH", "/data/Room/items/r", .editor, #"{"unset":["nothing"]}"#, 422),
                ("PATCH", "/data/Room/items/r", .editor, #"{"set":[]}"#, 422),
                ("GET", "/data/Room/items?filter=%7B", .viewer, "", 422),
                ("GET", "/data/Room/items?filter=\(percent(#"{"nothing":{"eq":1}}"#))", .viewer, "", 422),
                ("GET", "/data/Room/items?limit=501", .viewer, "", 422),
                ("GET", "/data/Room/items?after=x", .viewer, "", 422),
                ("GET", "/data/Room/items?order=price", .viewer, "", 409),
            ] {
                let answer = try stage.ask(method, path, as: role, body: body)
                #expect(answer.status == status, "\(method) \(path) \(body): \(answer.value)")
                #expect(answer.value["error"]?["message"]?.stringValue?.isEmpty == false)
            }
            #expect(
                try stage.ask("GET", "/data/Room/items?order=price").value["error"]?["code"] == "needs_scan")
        }
    }

    @Test("a filter that is nested too deep or has too many operators is the caller's mistake, before an export begins")
    func largeFilters() async throws {
        try await with { stage in
            func nested(_ depth: Int) -> String {
                String(repeating: #"{"not":"#, count: depth) + #"{"guest":{"eq":"a"}}"#
                    + String(repeating: "}", count: depth)
            }
            for path in ["items", "count", "export"] {
                let filter = percent(nested(55))
                let answer = try stage.ask("GET", "/data/Booking/\(path)?filter=\(filter)", as: .viewer)
                #expect(answer.status == 422, "\(path): \(answer.value)")
                #expect(answer.value["error"]?["field"] == "filter", "\(path): \(answer.value)")
            }
            let many = (0..<600).map { #"{"guest":{"eq":"g\#($0)"}}"# }.joined(separator: ",")
            let body = #"{"filter":{"or":[\#(many)]},"dryRun":true}"#
            let answer = try stage.ask("POST", "/data/Booking/delete", body: body)
            #expect(answer.status == 422 && answer.value["error"]?["field"] == "filter", "\(answer.value)")
            #expect(try stage.ask("GET", "/data/Booking/items?filter=\(percent(nested(10)))").status == 200)
        }
    }

    @Test("a list has pages, filters, the key it was read by, and a count that stops")
    func list() async throws {
        try await with { stage in
            for day in 1...9 {
                _ = try stage.create(
                    "Booking",
                    #"{"id":"b\#(day)","roomID":"r\#(day % 2)","day":"2026-12-0\#(day)","guest":"g\#(day % 3)"}"#)
            }
            func ids(_ query: String) throws -> (ids: [String], value: JSONValue) {
                let answer = try stage.ask("GET", "/data/Booking/items?\(query)", as: .viewer)
                try #require(answer.status == 200, "\(answer.value)")
                let items = answer.value["items"]?.arrayValue ?? []
                return (items.compactMap { $0["key"]?.arrayValue?.first?.stringValue }, answer.value)
            }
            let all = (1...9).map { "b\($0)" }
            let whole = try ids("")
            #expect(whole.ids == all && whole.value["next"]?.isNull == true)
            #expect(whole.value["count"] == ["value": 9, "exact": true])
            #expect(whole.value["read"]?["scan"] == false && whole.value["read"]?["index"]?.isNull == true)
            var (pages, after): ([[String]], String?) = ([], nil)
            repeat {
                let page = try ids("limit=4" + (after.map { "&after=\($0)" } ?? ""))
                pages.append(page.ids)
                after = page.value["next"]?.stringValue
                #expect(page.value["count"] == ["value": 9, "exact": true])
            } while after != nil
            #expect(pages == [["b1", "b2", "b3", "b4"], ["b5", "b6", "b7", "b8"], ["b9"]])
            #expect(try ids("offset=7").ids == ["b8", "b9"])

            let guests = try ids("limit=2&filter=\(percent(#"{"guest":{"eq":"g1"}}"#))")
            #expect(guests.ids == ["b1", "b4"] && guests.value["next"]?.stringValue != nil)
            #expect(guests.value["count"]?["value"] == 3 && guests.value["read"]?["scan"] == true)
            // As URLSearchParams writes the spaces of `{"guest": {"eq": "g1"}}`.
            let spaced = try ids("limit=2&filter=%7B%22guest%22%3A+%7B%22eq%22%3A+%22g1%22%7D%7D")
            #expect(spaced.ids == guests.ids)
            let room = try ids(
                "direction=desc&order=day&filter=\(percent(#"{"roomID":{"eq":"r1"},"guest":{"ne":"g0"}}"#))")
            #expect(room.ids == ["b7", "b5", "b1"])
            #expect(room.value["read"]?["index"] == "byRoom" && room.value["read"]?["scan"] == false)
            #expect(room.value["read"]?["items"] == 5)
            let one = try ids("filter=\(percent(#"{"id":{"eq":"b3"}}"#))")
            #expect(one.ids == ["b3"] && one.value["read"]?["index"] == "primary")
            let keys = percent(
                #"{"guest":{"ne":"g0"},"or":[{"id":{"eq":"b7"}},{"id":{"eq":"b3"}},{"id":{"eq":"b1"}},{"id":{"eq":"b"}}]}"#
            )
            let some = try ids("filter=\(keys)")
            #expect(some.ids == ["b1", "b7"] && some.value["next"]?.isNull == true)
            #expect(some.value["read"]?["index"] == "primary" && some.value["read"]?["scan"] == false)
            #expect(some.value["read"]?["items"] == 3 && some.value["count"] == ["value": 2, "exact": true])
            let first = try ids("limit=1&direction=desc&filter=\(keys)")
            let next = try #require(first.value["next"]?.stringValue)
            #expect(first.ids == ["b7"] && first.value["count"]?["value"] == 2)
            let last = try ids("limit=1&direction=desc&filter=\(keys)&after=\(next)")
            #expect(last.ids == ["b1"] && last.value["next"]?.isNull == true)
            #expect(try ids("offset=1&filter=\(keys)").ids == ["b7"])
            let count = try stage.ask("GET", "/data/Booking/count?filter=\(percent(#"{"roomID":{"eq":"r0"}}"#))")
            #expect(count.value == ["value": 4, "exact": true])

            _ = try stage.create("Seat", #"{"hall":"h","row":10}"#)
            _ = try stage.create("Seat", #"{"hall":"h","row":9}"#)
            let seats = try stage.ask("GET", "/data/Seat/items?order=row&filter=\(percent(#"{"hall":{"eq":"h"}}"#))")
            #expect(seats.value["items"]?.arrayValue?.map { $0["key"] } == [["h", "9"], ["h", "10"]])
            let named = percent(#"{"or":[{"hall":{"eq":"h"},"row":{"eq":9}},{"hall":{"eq":"i"},"row":{"eq":9}}]}"#)
            let seat = try stage.ask("GET", "/data/Seat/items?filter=\(named)")
            #expect(seat.value["items"]?.arrayValue?.map { $0["key"] } == [["h", "9"]])
            #expect(seat.value["read"]?["items"] == 1 && seat.value["read"]?["index"] == "primary")
            #expect(try stage.ask("GET", "/data/Seat/items/h,10").value["values"]?["row"] == 10)
        }
    }

    @Test("the data sources say what tables hold, with keys and fields, empty ones as well")
    func sources() async throws {
        try await with { stage in
            _ = try stage.create("Room", #"{"name":"Sea"}"#)
            let items = try #require(try stage.ask("GET", "/data", as: .viewer).value["items"]?.arrayValue)
            #expect(items.map { $0["name"] } == ["Room", "Booking", "Seat"])
            #expect(items.map { $0["count"]?["value"] } == [1, 0, 0])
            #expect(items[0]["title"] == ["name"] && items[1]["title"] == ["id"] && items[0]["kind"] == "model")
            #expect(
                items[1]["keys"]?.arrayValue?.last
                    == [
                        "name": "byRoom", "primary": false, "partition": "roomID", "sort": ["day"],
                        "queryField": "bookingsByRoom",
                    ])
            let fields = Dictionary(
                (items[0]["fields"]?.arrayValue ?? []).map { ($0["name"]?.stringValue ?? "", $0) }
            ) { first, _ in first }
            #expect(fields["kind"]?["kind"] == "enum" && fields["kind"]?["values"] == ["SINGLE", "DOUBLE"])
            #expect(fields["place"]?["kind"] == "custom" && fields["tags"]?["list"] == true)
            #expect(fields["bookings"]?["kind"] == "hasMany" && fields["bookings"]?["target"] == "Booking")
            #expect(fields["bookings"]?["keys"] == ["roomID"] && fields["bookings"]?["index"] == "byRoom")
            #expect(fields["name"]?["required"] == true && fields["createdAt"]?["readOnly"] == true)
        }
    }

    @Test("an item that lacks the sort key of an index is found by the partition key, and is not in the index's order")
    func lackingSortKeys() async throws {
        let schema = """
            type Note @model @auth(rules: [{allow: public}]) {
              id: ID!
              book: ID! @index(name: "byBook", sortKeyFields: ["page"])
              page: Int
            }
            """
        try await with(schema: schema) { stage in
            _ = try stage.create("Note", #"{"id":"a","book":"b","page":2}"#)
            _ = try stage.create("Note", #"{"id":"c","book":"b"}"#)
            let filter = percent(#"{"book":{"eq":"b"}}"#)
            let all = try stage.ask("GET", "/data/Note/items?filter=\(filter)", as: .viewer).value
            #expect(all["items"]?.arrayValue?.map { $0["key"] } == [["a"], ["c"]] && all["read"]?["scan"] == true)
            let ordered = try stage.ask("GET", "/data/Note/items?order=page&filter=\(filter)", as: .viewer).value
            #expect(ordered["items"]?.arrayValue?.map { $0["key"] } == [["a"]] && ordered["read"]?["index"] == "byBook")
        }
    }

    @Test("of two relations to the same model each has its own index and key")
    func relationsToOneModel() async throws {
        let schema = """
            type Person @model @auth(rules: [{allow: public}]) {
              id: ID!
              authored: [Post] @hasMany
              reviewed: [Post] @hasMany
            }
            type Post @model @auth(rules: [{allow: public}]) { id: ID! author: Person @belongsTo }
            """
        try await with(schema: schema) { stage in
            let sources = try #require(stage.ask("GET", "/data", as: .viewer).value["items"]?.arrayValue)
            let fields = sources.first?["fields"]?.arrayValue ?? []
            func member(_ name: String, of field: String) -> JSONValue? {
                fields.first { $0["name"] == .string(field) }?[name]
            }
            #expect(member("keys", of: "authored") == ["personAuthoredId"], "\(fields)")
            #expect(member("keys", of: "reviewed") == ["personReviewedId"], "\(fields)")
            for field in ["authored", "reviewed"] {
                let index = try #require(member("index", of: field))
                let key = sources.last?["keys"]?.arrayValue?.first { $0["name"] == index }
                #expect(key?["partition"] == member("keys", of: field)?.arrayValue?.first, "\(sources)")
            }
            _ = try stage.create("Person", #"{"id":"p"}"#)
            for (id, key) in [("a", "personAuthoredId"), ("b", "personReviewedId")] {
                _ = try stage.create("Post", #"{"id":"\#(id)","\#(key)":"p"}"#)
            }
            for (field, id) in [("authored", "a"), ("reviewed", "b")] {
                let links = try stage.ask("GET", "/data/Person/items/p/links/\(field)", as: .viewer).value["items"]
                #expect(links?.arrayValue?.map { $0["key"] } == [[.string(id)]], "\(field)")
            }
        }
    }

    @Test(
        "of a model with versions a write raises the version, an old one is a conflict, and a deletion leaves a tombstone"
    )
    func versions() async throws {
        let schema = "type Note @model { id: ID! text: String }"
        try await with(schema: schema) {
            $0.transform.conflictDetection = .version
        } _: { stage in
            let note = try stage.create("Note", #"{"id":"n","text":"one"}"#)
            #expect(note["version"] == 1 && note["changedAt"]?.stringValue?.hasSuffix("Z") == true)
            #expect(note["values"]?["_version"] == nil)
            let second = try stage.ask(
                "PATCH", "/data/Note/items/n", body: #"{"set":{"text":"two"},"expect":{"version":1}}"#)
            #expect(second.value["version"] == 2, "\(second.value)")
            let old = try stage.ask(
                "PATCH", "/data/Note/items/n", body: #"{"set":{"text":"x"},"expect":{"version":1}}"#)
            #expect(old.status == 409 && old.value["error"]?["details"]?["changed"] == ["_version"])
            #expect(try stage.ask("DELETE", "/data/Note/items/n", body: #"{"expect":{"version":2}}"#).status == 200)
            for (deleted, count) in [("exclude", 0), ("include", 1), ("only", 1)] {
                let items = try stage.ask("GET", "/data/Note/items?deleted=\(deleted)").value["items"]?.arrayValue
                #expect(items?.count == count, "\(deleted)")
                if count == 1 { #expect(items?.first?["deleted"] == true && items?.first?["version"] == 3) }
            }
        }
    }

    @Test("GraphQL runs as the administrator, as a key's caller, as a user and as nobody; a viewer may only read")
    func graphQL() async throws {
        try await with { stage in
            func run(
                _ query: String, as caller: String? = nil, role: OperatorRole = .editor
            ) throws -> (status: Int, value: JSONValue) {
                let body = JSONValue.object(["query": .string(query)]).description
                return try stage.ask(
                    "POST", "/graphql", as: role, caller.map { ["x-syncline-as": $0] } ?? [:], body: body)
            }
            let create = #"mutation { createBooking(input: {id: "b", roomID: "r", day: "2026-12-01"}) { id } }"#
            #expect(try run(create, role: .viewer).status == 403)
            #expect(
                try run(create, as: "key:default").value["errors"]?.arrayValue?.first?["errorType"] == "Unauthorized")
            let created = try run(create)
            #expect(created.status == 200 && created.value["data"]?["createBooking"]?["id"] == "b", "\(created.value)")
            let read = #"{ getBooking(id: "b") { id } listRooms { items { id } } }"#
            let asAdmin = try run(read, role: .viewer)
            #expect(asAdmin.value["errors"] == nil && asAdmin.value["data"]?["getBooking"]?["id"] == "b")
            let asKey = try run(read, as: "key:default", role: .viewer)
            #expect(asKey.value["data"]?["getBooking"]?["id"] == "b" && asKey.value["errors"] != nil)
            let asNobody = try run(read, as: "none", role: .viewer)
            #expect(asNobody.status == 401)
            #expect(asNobody.value["errors"]?.arrayValue?.first?["errorType"] == "UnauthorizedException")
            #expect(try run(read, as: "key:nothing").status == 404)
            #expect(try run(read, as: "root").status == 422)
            #expect(try run("{ nothing }").value["errors"]?.arrayValue?.count == 1)
            // The clients' own path knows no such header.
            let client = try stage.client.ask(
                headers: Client.usualHeaders.merging(["x-syncline-as": "admin"]) { $1 }, body: Client.envelope(create))
            #expect(client.body.contains("Unauthorized"))
            let actions = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.map { $0["target"] }
            #expect(actions == ["key:default", "admin"])
            let escaped = #"{"query":"\u006dutation { deleteBooking(input: {id: \"b\"}) { id } }"}"#
            let deleted = try stage.ask("POST", "/graphql", as: .editor, ["x-syncline-as": "admin"], body: escaped)
            #expect(deleted.value["data"]?["deleteBooking"]?["id"] == "b", "\(deleted.value)")
            let count = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.count
            #expect(count == 3, "each spelling of a mutation is entered")

            let pool = try #require(stage.server.service.signIn?.pools.first?.id)
            for (operation, body) in [
                ("AdminCreateUser", #"{"UserPoolId":"\#(pool)","Username":"ada","MessageAction":"SUPPRESS"}"#),
                (
                    "AdminSetUserPassword",
                    #"{"UserPoolId":"\#(pool)","Username":"ada","Password":"Secret-123","Permanent":true}"#
                ),
            ] {
                let answer = try stage.ask("POST", "/user-pools/\(operation)", as: .owner, body: body)
                try #require(answer.status == 200, "\(answer.value)")
            }
            let own = try run(#"mutation { createRoom(input: {id: "r", name: "n"}) { owner } }"#, as: "user:ada")
            #expect(own.value["data"]?["createRoom"]?["owner"]?.stringValue?.hasSuffix("ada") == true, "\(own.value)")
            #expect(try run(read, as: "user:ada").value["data"]?["listRooms"]?["items"]?.arrayValue?.count == 1)
            #expect(try run(read, as: "user:nobody").status == 404)
        }
    }

    @Test("GraphQL runs as a member of groups, as identities of an identity pool and, for owners, with any claims")
    func samples() async throws {
        let schema = """
            type Todo @model
              @auth(rules: [
                {allow: groups, groups: ["Staff"], operations: [read, create]}, {allow: owner, ownerField: "author"}
                {allow: private, provider: iam, operations: [read]}
              ]) { id: ID! author: String }
            type Page @model @auth(rules: [{allow: public, provider: iam, operations: [read]}]) { id: ID! }
            """
        try await with(schema: schema) {
            $0.authModes = [.apiKey, .userPools, .iam]
        } _: { stage in
            func run(_ query: String, as caller: String, _ role: OperatorRole = .editor) throws -> (Int, JSONValue) {
                let body = JSONValue.object(["query": .string(query)]).description
                let answer = try stage.ask("POST", "/graphql", as: role, ["x-syncline-as": caller], body: body)
                return (answer.status, answer.value)
            }
            func isAllowed(_ query: String, as caller: String, _ role: OperatorRole = .editor) throws -> Bool {
                let (status, value) = try run(query, as: caller, role)
                return status == 200 && value["errors"] == nil
            }
            let create = #"mutation { createTodo(input: {id: "a", author: "ada"}) { id } }"#
            let (todos, pages) = ("{ listTodos { items { id } } }", "{ listPages { items { id } } }")
            #expect(try !isAllowed(create, as: "group:Guests") && isAllowed(create, as: "group:Guests,Staff"))
            #expect(try isAllowed(todos, as: "iam:auth") && !isAllowed(todos, as: "iam:guest"))
            #expect(try isAllowed(pages, as: "iam:guest"))
            let claims = #"claims:{"sub":"1","username":"ada","cognito:username":"ada"}"#
            #expect(try run(todos, as: claims).0 == 403 && run(todos, as: claims, .viewer).0 == 403)
            let own = try run(todos, as: claims, .owner).1
            #expect(own["data"]?["listTodos"]?["items"]?.arrayValue?.count == 1, "\(own)")
            let other = try run(todos, as: #"claims:{"sub":"2","username":"ben"}"#, .owner).1
            #expect(other["data"]?["listTodos"]?["items"]?.arrayValue?.count == 0, "\(other)")
            for text in ["group:", "group:A,", "claims:", "claims:[]", "claims:x", "iam:", "iam:root"] {
                #expect(try run(todos, as: text, .owner).0 == 422, "\(text)")
            }
            let targets = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.map { $0["target"] }
            #expect(targets == ["group:Guests", "group:Guests,Staff"])
        }
        try await with { stage in
            let answer = try stage.ask(
                "POST", "/graphql", ["x-syncline-as": "iam:auth"], body: #"{"query":"{ __typename }"}"#)
            #expect(answer.status == 422, "the API has no such callers")
        }
    }

    @Test("the status says what runs, since when, and how much data there is")
    func status() async throws {
        try await with { stage in
            let value = try stage.ask("GET", "/status", as: .viewer).value
            #expect(value["mode"] == "dev" && value["version"]?.stringValue == BuildInformation.version)
            #expect((value["data"]?["bytes"]?.intValue ?? 0) > 0 && (value["connections"]?.intValue ?? 0) > 0)
            #expect(value["uptimeSeconds"]?.intValue != nil)
        }
    }

    @Test("a page goes on after more rows than one step reads, and a count stops at its bound")
    func manyItems() async throws {
        try await with { stage in
            let step = 50
            for start in stride(from: 0, to: 2_200, by: step) {
                let creates = (start..<start + step).map {
                    #"m\#($0): createSeat(input: {hall: "h\#($0)", row: \#($0), guest: "\#($0 == 2_150 ? "last" : "g")"}) { row }"#
                }
                _ = try stage.client.graphql("mutation { \(creates.joined(separator: " ")) }")
            }
            let filter = percent(#"{"guest":{"eq":"last"}}"#)
            let found = try stage.ask("GET", "/data/Seat/items?limit=1&filter=\(filter)").value
            #expect(found["items"]?.arrayValue?.first?["key"] == ["h2150", "2150"] && found["next"]?.isNull == true)
            #expect(found["read"]?["items"] == 2_200)
            #expect(try stage.ask("GET", "/data/Seat/items?offset=2199").value["items"]?.arrayValue?.count == 1)
            #expect(try stage.ask("GET", "/data/Seat/count").value == ["value": 2_200, "exact": true])
        }
    }
}
