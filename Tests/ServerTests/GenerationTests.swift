import JSON
import Testing
import Transformer

@testable import Server

@Suite("Generated items")
struct GenerationTests {
    private static let schema = """
        type Sample @model @auth(rules: [{allow: public}]) {
          id: ID!
          text: String! guest: String! city: String email: String
          count: Int! price: Float! flag: Boolean!
          day: AWSDate! hour: AWSTime! moment: AWSDateTime! stamp: AWSTimestamp!
          mail: AWSEmail! page: AWSURL! phone: AWSPhone! address: AWSIPAddress! extra: AWSJSON!
          kind: Kind! kinds: [Kind!]! place: Place! places: [Place] words: [String!]! days: [AWSDate]
          roomID: ID! @index(name: "byRoom")
          room: Room @belongsTo(fields: ["roomID"])
          previousID: ID
          previous: Sample @hasOne(fields: ["previousID"])
        }
        type Room @model @auth(rules: [{allow: public}]) {
          id: ID!
          name: String!
          samples: [Sample] @hasMany(indexName: "byRoom", fields: ["id"])
        }
        type Seat @model @auth(rules: [{allow: public}]) {
          hall: ID! @primaryKey(sortKeyFields: ["row"])
          row: Int!
        }
        type Quiet @model(mutations: null) @auth(rules: [{allow: public}]) { id: ID! }
        type Place { city: String! street: Street numbers: [Int!] }
        type Street { name: String number: Int! }
        enum Kind { SINGLE DOUBLE }

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

    private func generate(_ model: String, _ body: JSONValue, _ stage: OperatorStage) async throws -> JSONValue {
        let answer = try stage.ask("POST", "/data/\(model)/generate", as: .editor, body)
        try #require(answer.status == 202, "\(answer.value)")
        return try await ended(answer.value, stage)["result"] ?? .null
    }

    private func samples(_ model: String, _ body: JSONObject, _ stage: OperatorStage) throws -> [JSONValue] {
        var body = body
        body["dryRun"] = true
        let answer = try stage.ask("POST", "/data/\(model)/generate", as: .editor, .object(body))
        try #require(answer.status == 200, "\(answer.value)")
        return answer.value["samples"]?.arrayValue ?? []
    }

    @Test(
        "every scalar, enum, custom type, list and link is generated as the API accepts it, and a client reads all of it"
    )
    func everyType() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let lacking = try stage.ask("POST", "/data/Sample/generate", as: .editor, ["count": 1, "seed": 1])
            #expect(lacking.status == 409 && lacking.value["error"]?["field"] == "room", "\(lacking)")
            let rooms = try await generate("Room", ["count": 3, "seed": 7], stage)
            #expect(rooms["created"] == 3 && rooms["rejected"] == 0 && rooms["seed"] == 7, "\(rooms)")
            let first = try await generate("Sample", ["count": 70, "seed": 7], stage)
            #expect(first["created"] == 70 && first["rejected"] == 0, "\(first)")
            let query = """
                { listSamples(limit: 200) { items { id text guest city email count price flag day hour moment stamp mail page phone
                address extra kind kinds place { city street { name number } numbers } places { city } words days roomID
                room { id name } previousID previous { id } createdAt } } }
                """
            let answer = try JSONReader.read(try stage.client.graphql(query.replacing("\n", with: " ")))
            #expect(answer["errors"] == nil, "\(answer)")
            let items = try #require(answer["data"]?["listSamples"]?["items"]?.arrayValue)
            #expect(items.count == 70 && items.allSatisfy { $0["room"]?["name"]?.stringValue?.isEmpty == false })
            #expect(Set(items.compactMap { $0["roomID"]?.stringValue }).count == 3, "links are to all rooms")
            #expect(items.allSatisfy { $0["previous"] == .null }, "there was none before")
            #expect(Set(items.compactMap { $0["kind"]?.stringValue }) == ["SINGLE", "DOUBLE"])
            // The next ones have those before them to be linked with.
            _ = try await generate("Sample", ["count": 5, "seed": 8], stage)
            let linked = try JSONReader.read(try stage.client.graphql(query.replacing("\n", with: " ")))
            let all = linked["data"]?["listSamples"]?["items"]?.arrayValue ?? []
            #expect(linked["errors"] == nil && all.filter { $0["previous"]?["id"] != nil }.count == 5)
        }
    }

    @Test("the same seed makes the same items, whatever the number of them and whatever else is chosen")
    func seeds() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            _ = try await generate("Room", ["count": 4, "seed": 1], stage)
            let body: JSONObject = ["count": 50, "seed": 12]
            let first = try samples("Sample", body, stage)
            #expect(first.count == 10)
            #expect(try samples("Sample", body, stage) == first)
            #expect(try samples("Sample", ["count": 3, "seed": 12], stage) == Array(first.prefix(3)))
            #expect(try samples("Sample", ["count": 50, "seed": 13], stage) != first)
            let changed = try samples(
                "Sample", ["count": 50, "seed": 12, "fields": ["count": ["generator": "price"]]], stage)
            #expect(
                changed.map { $0["text"] } == first.map { $0["text"] }
                    && changed.map { $0["id"] } == first.map { $0["id"] })
            #expect(changed != first)
            #expect(try await generate("Sample", .object(body), stage)["created"] == 50)
            for sample in first {
                let id = try #require(sample["id"]?.stringValue)
                let values = try stage.ask("GET", "/data/Sample/items/\(id)", as: .viewer).value["values"]
                #expect(values?["text"] == sample["text"] && values?["roomID"] == sample["roomID"])
                #expect(values?["place"] == sample["place"] && values?["days"] == sample["days"])
            }
            let again = try await generate("Sample", ["count": 50, "seed": 12], stage)
            #expect(again["created"] == 0 && again["rejected"] == 50, "the items are there")
            #expect(
                again["rejects"]?.arrayValue?.first
                    == ["item": 1, "reason": "There is an item with this key already."], "\(again)")
            let own = try await generate("Room", ["count": 1], stage)
            #expect(own["seed"]?.intValue != nil && own["created"] == 1)
            let written = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.last
            #expect(written?["action"] == "data.generate", "\(String(describing: written))")
        }
    }

    @Test("no two items have the same key, as long as the generators have other values")
    func keys() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let fields: JSONValue = [
                "hall": ["generator": "constant", "value": "h"], "row": ["generator": "integer", "min": 1, "max": 90],
            ]
            let seats = try await generate("Seat", ["count": 60, "seed": 3, "fields": fields], stage)
            #expect(seats["created"] == 60, "\(seats)")
            let few: JSONValue = [
                "hall": ["generator": "constant", "value": "g"], "row": ["generator": "integer", "min": 1, "max": 2],
            ]
            let rest = try await generate("Seat", ["count": 5, "seed": 3, "fields": few], stage)
            #expect(rest["created"] == 2 && rest["rejected"] == 3, "\(rest)")
        }
    }

    @Test("each field has a generator by its type and name, and what it can be besides")
    func defaults() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let answer = try stage.ask("GET", "/data/Sample/generate", as: .editor).value["fields"]
            let names = answer?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
            #expect(!names.contains("id") && !names.contains("roomID") && !names.contains("createdAt"), "\(names)")
            #expect(answer?.element("room")?["generator"] == ["generator": "link"])
            #expect(answer?.element("room")?["choices"] == ["link"] && answer?.element("room")?["type"] == "Room")
            #expect(answer?.element("previous")?["choices"] == ["link", "none"])
            #expect(answer?.element("guest")?["generator"] == ["generator": "person"])
            #expect(answer?.element("city")?["generator"]?["generator"] == "city")
            #expect(answer?.element("price")?["generator"] == ["generator": "price", "min": 5, "max": 500])
            #expect(
                answer?.element("day")?["generator"] == ["generator": "date", "from": "2026-01-01", "to": "2026-12-31"])
            #expect(answer?.element("phone")?["choices"] == ["phone", "constant"])
            #expect(
                answer?.element("kinds")?["generator"]?["of"] == ["generator": "enum", "values": ["SINGLE", "DOUBLE"]])
            #expect(answer?.element("place")?["type"] == "Place")
            #expect(answer?.element("place")?["generator"]?["fields"]?["street"]?["generator"] == "custom")
            // What is shown is what is taken.
            for field in answer?.arrayValue ?? [] {
                let name = try #require(field["name"]?.stringValue)
                guard field["generator"]?["generator"] != "link" else { continue }
                let body: JSONValue = ["count": 2, "seed": 1, "dryRun": true, "fields": [:]]
                var object = try #require(body.objectValue)
                object["fields"] = .object(JSONObject([(name, field["generator"] ?? .null)]))
                let status = try stage.ask("POST", "/data/Sample/generate", as: .editor, .object(object)).value
                #expect(status["error"]?["field"] == "room", "only the room is missing: \(name) \(status)")
            }
        }
    }

    @Test("options are taken, and what does not fit the field is refused by its name")
    func options() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            _ = try await generate("Room", ["count": 2, "seed": 1], stage)
            let fields: JSONValue = [
                "text": ["generator": "sequence", "prefix": "Item ", "start": 5],
                "flag": ["generator": "boolean", "share": 1],
                "count": ["generator": "integer", "min": 3, "max": 4], "city": ["generator": "none"],
                "email": ["generator": "email", "absent": 1],
                "day": ["generator": "date", "from": "1999-12-31", "to": "1999-12-31"],
                "kind": ["generator": "enum", "values": ["DOUBLE"]],
                "words": ["generator": "list", "of": ["generator": "color"], "min": 2, "max": 2],
                "place": ["generator": "custom", "fields": ["city": ["generator": "constant", "value": "Nantes"]]],
                "extra": ["generator": "constant", "value": ["a": 1]],
                "roomID": ["generator": "constant", "value": "r"],
                "moment": ["generator": "dateTime", "from": "2020-02-29", "to": "2020-02-29T00:00:00.000Z"],
            ]
            let made = try samples("Sample", ["count": 3, "seed": 1, "fields": fields], stage)
            #expect(made.map { $0["text"] } == ["Item 5", "Item 6", "Item 7"])
            #expect(
                made.allSatisfy { $0["flag"] == true && $0["city"] == nil && $0["email"] == nil && $0["roomID"] == "r" }
            )
            #expect(
                made.allSatisfy {
                    $0["day"] == "1999-12-31" && $0["kind"] == "DOUBLE" && $0["words"]?.arrayValue?.count == 2
                })
            #expect(made.allSatisfy { $0["place"]?["city"] == "Nantes" && $0["place"]?["street"]?["number"] != nil })
            #expect(made.allSatisfy { $0["extra"] == #"{"a":1}"# && $0["moment"] == "2020-02-29T00:00:00.000Z" })
            #expect(made.allSatisfy { [3, 4].contains($0["count"]?.intValue ?? 0) })
            for (name, generator) in [
                ("nothing", ["generator": "word"]), ("text", ["generator": "date", "from": "2026-13-01"]),
                ("count", ["generator": "word"]), ("count", ["generator": "integer", "min": 5, "max": 1]),
                ("count", ["generator": "integer", "minimum": 5]), ("text", ["generator": "none"]),
                ("text", ["generator": "word", "absent": 0.5]), ("city", ["generator": "word", "absent": 2]),
                ("text", "word"),
                ("words", ["generator": "word"]), ("words", ["generator": "list", "of": ["generator": "integer"]]),
                ("words", ["generator": "list", "of": ["generator": "word"], "max": 101]),
                ("kind", ["generator": "enum", "values": ["TRIPLE"]]), ("kind", ["generator": "enum", "values": []]),
                ("room", ["generator": "none"]), ("room", ["generator": "word"]),
                ("flag", ["generator": "boolean", "share": 2]),
                ("price", ["generator": "float", "decimals": 9]),
                ("place", ["generator": "custom", "fields": ["town": ["generator": "city"]]]),
                ("updatedAt", ["generator": "dateTime"]), ("samples", ["generator": "link"]),
            ] as [(String, JSONValue)] {
                let fields = JSONObject([(name, generator)])
                let answer = try stage.ask(
                    "POST", "/data/Sample/generate", as: .editor, ["count": 1, "seed": 1, "fields": .object(fields)])
                #expect(answer.status == 422 && answer.value["error"]?["field"] == .string(name), "\(name) \(answer)")
            }
            let nested = try stage.ask(
                "POST", "/data/Sample/generate", as: .editor,
                [
                    "count": 1,
                    "fields": ["place": ["generator": "custom", "fields": ["city": ["generator": "integer"]]]],
                ])
            #expect(nested.value["error"]?["field"] == "place.city", "\(nested)")
            // The API's own validation looks at the first items before anything is written.
            let invalid = try stage.ask(
                "POST", "/data/Sample/generate", as: .editor,
                ["count": 5, "fields": ["mail": ["generator": "constant", "value": "nobody"]]])
            #expect(
                invalid.status == 422 && invalid.value["error"]?["message"]?.stringValue?.isEmpty == false, "\(invalid)"
            )
            #expect(try stage.ask("GET", "/data/Sample/count").value["value"] == 0)
            for body: JSONValue in [
                [:], ["count": 0], ["count": 10_001], ["count": "5"], ["count": 1, "seed": -1],
                ["count": 1, "seed": 0.5],
                ["count": 1, "fields": []], ["count": 1, "dryRun": 1],
            ] {
                #expect(try stage.ask("POST", "/data/Room/generate", as: .editor, body).status == 422, "\(body)")
            }
            #expect(try stage.ask("POST", "/data/Room/generate", as: .viewer, ["count": 1]).status == 403)
            #expect(try stage.ask("GET", "/data/Room/generate", as: .viewer).status == 403)
            #expect(try stage.ask("POST", "/data/Nothing/generate", as: .editor, ["count": 1]).status == 404)
            #expect(try stage.ask("POST", "/data/Quiet/generate", as: .editor, ["count": 1]).status == 409)
            let capabilities = try stage.ask("GET", "/session").value["capabilities"]?.arrayValue ?? []
            #expect(capabilities.contains("generate"))
        }
    }

    @Test("in version 1 a link sets the key that the connection has generated, which filters find")
    func versionOne() async throws {
        let schema = """
            type User @model { id: ID! username: String! messages: [Message] @connection(name: "UserMessages") }
            type Message @model { id: ID! content: String! author: User @connection(name: "UserMessages") }
            """
        try await OperatorStage.with(schema: schema) {
            $0.transform.transformerVersion = .v1
        } _: { stage in
            #expect(try await generate("User", ["count": 2, "seed": 1], stage)["created"] == 2)
            let fields = try stage.ask("GET", "/data/Message/generate", as: .editor).value["fields"]
            #expect(
                fields?.arrayValue?.compactMap { $0["name"]?.stringValue } == ["content", "author"],
                "\(String(describing: fields))")
            #expect(try await generate("Message", ["count": 20, "seed": 1], stage)["created"] == 20)
            let users = try stage.ask("GET", "/data/User/items").value["items"]?.arrayValue ?? []
            var total = 0
            for user in users {
                let id = try #require(user["key"]?.arrayValue?.first?.stringValue)
                let filter = #"{"messageAuthorId":{"eq":"\#(id)"}}"#
                let query = "?filter=\(filter.utf8.map { "%" + String($0, radix: 16) }.joined())"
                let count = try stage.ask("GET", "/data/Message/count\(query)", as: .viewer)
                let linked = try stage.ask("GET", "/data/User/items/\(id)/links/messages", as: .viewer)
                #expect(
                    count.status == 200 && count.value["value"] == linked.value["count"]?["value"], "\(count) \(linked)"
                )
                let list = try stage.ask("GET", "/data/Message/items\(query)", as: .viewer).value
                #expect(list["read"]?["index"] != .null, "an index serves the filter: \(list["read"] ?? .null)")
                total += Int(count.value["value"]?.intValue ?? 0)
            }
            #expect(total == 20)
            let all =
                #"{"or":[{"messageAuthorId":{"beginsWith":"x-"}},{"not":{"messageAuthorId":{"attributeExists":true}}}]}"#
            let none = try stage.ask(
                "GET", "/data/Message/count?filter=\(all.utf8.map { "%" + String($0, radix: 16) }.joined())",
                as: .viewer)
            #expect(none.value["value"] == 0, "\(none)")
            for wrong in [
                #"{"messageAuthorId":{"equals":"x"}}"#, #"{"messageAuthorId":"x"}"#, #"{"nothing":{"eq":"x"}}"#,
            ] {
                let answer = try stage.ask(
                    "GET", "/data/Message/count?filter=\(wrong.utf8.map { "%" + String($0, radix: 16) }.joined())",
                    as: .viewer)
                #expect(answer.status == 422, "\(wrong)")
            }
        }
    }
}
