import JSON
import Testing

@testable import API

@Suite("Update and delete", .bothExecutors) struct UpdateTests {
    static let schema = """
        type Note @model { id: ID! title: String! body: String stars: Int tags: [String] place: Place }
        type Place { city: String street: String }
        type Entry @model { id: ID! text: String createdAt: AWSDateTime! }
        type Seat @model @key(fields: ["row", "number"]) { row: String! number: Int! guest: String }
        """
    static let all = "id title body stars tags place { city street } createdAt updatedAt"
    static let nullRefused =
        "An argument you marked as Non-Null is set to Null in the query or the body of your request."

    private func service() throws -> Service {
        let service = try Service(Self.schema)
        try service.seed(
            """
            mutation { createNote(input: {id: "a", title: "t", body: "b", stars: 3, tags: ["x", "y"],
                place: {city: "Rome", street: "Corso"}}) { id } }
            """)
        return service
    }

    private func stored(_ service: Service) throws -> String {
        try service.data(#"{ getNote(id: "a") { title body stars tags place { city street } } }"#)
    }

    @Test(
        "only what is present changes: absent stays, null removes, a value replaces the whole",
        arguments: [
            (#""#, #""title":"t","body":"b","stars":3,"tags":["x","y"],"place":{"city":"Rome","street":"Corso"}"#),
            (
                #"title: "u""#,
                #""title":"u","body":"b","stars":3,"tags":["x","y"],"place":{"city":"Rome","street":"Corso"}"#
            ),
            (
                #"body: null"#,
                #""title":"t","body":null,"stars":3,"tags":["x","y"],"place":{"city":"Rome","street":"Corso"}"#
            ),
            (
                #"stars: 0, body: """#,
                #""title":"t","body":"","stars":0,"tags":["x","y"],"place":{"city":"Rome","street":"Corso"}"#
            ),
            (
                #"tags: ["z"]"#,
                #""title":"t","body":"b","stars":3,"tags":["z"],"place":{"city":"Rome","street":"Corso"}"#
            ),
            (#"tags: []"#, #""title":"t","body":"b","stars":3,"tags":[],"place":{"city":"Rome","street":"Corso"}"#),
            (#"tags: null"#, #""title":"t","body":"b","stars":3,"tags":null,"place":{"city":"Rome","street":"Corso"}"#),
            (
                #"place: {city: "Oslo"}"#,
                #""title":"t","body":"b","stars":3,"tags":["x","y"],"place":{"city":"Oslo","street":null}"#
            ),
            (#"place: null"#, #""title":"t","body":"b","stars":3,"tags":["x","y"],"place":null"#),
        ])
    func partial(input: String, fields: String) throws {
        let service = try service()
        let selection = "title body stars tags place { city street }"
        try service.expect(
            #"mutation { updateNote(input: {id: "a" \#(input)}) { \#(selection) } }"#,
            data: #"{"updateNote":{\#(fields)}}"#)
        try service.expect(#"{ getNote(id: "a") { \#(selection) } }"#, data: #"{"getNote":{\#(fields)}}"#)
    }

    @Test("updatedAt is the moment of the update or what is given, createdAt stays or is what is given")
    func timestamps() throws {
        let service = try service()
        let first = "2023-11-14T22:13:20.001Z"
        try service.expect(
            #"mutation { updateNote(input: {id: "a", stars: 4}) { createdAt updatedAt } }"#,
            data: #"{"updateNote":{"createdAt":"\#(first)","updatedAt":"2023-11-14T22:13:20.002Z"}}"#)
        try service.seed(#"mutation { createEntry(input: {id: "a"}) { id } }"#)
        try service.expect(
            #"mutation { updateEntry(input: {id: "a", createdAt: "2001-01-01T00:00:00Z"}) { createdAt updatedAt } }"#,
            data: #"{"updateEntry":{"createdAt":"2001-01-01T00:00:00Z","updatedAt":"2023-11-14T22:13:20.004Z"}}"#)
    }

    @Test("an unset variable leaves its field alone, a null one removes it")
    func unsetVariable() throws {
        let service = try service()
        let mutation = """
            mutation ($body: String, $stars: Int) {
                updateNote(input: {id: "a", body: $body, stars: $stars}) { body stars }
            }
            """
        try service.expect(mutation, #"{"stars": 5}"#, data: #"{"updateNote":{"body":"b","stars":5}}"#)
        try service.expect(mutation, "{}", data: #"{"updateNote":{"body":"b","stars":5}}"#)
        try service.expect(mutation, #"{"body": null}"#, data: #"{"updateNote":{"body":null,"stars":5}}"#)
    }

    @Test("null for a required field is an error without a type, and nothing changes")
    func requiredNull() throws {
        let service = try service()
        let before = try stored(service)
        try service.expect(
            #"mutation { updateNote(input: {id: "a", title: null, body: "new"}) { id } }"#,
            data: #"{"updateNote":null}"#, errors: ["updateNote \(Self.nullRefused)"])
        // It comes before everything else: the item is not there.
        try service.expect(
            #"mutation { updateNote(input: {id: "nobody", title: null}) { id } }"#,
            data: #"{"updateNote":null}"#, errors: ["updateNote \(Self.nullRefused)"])
        #expect(try stored(service) == before)
    }

    @Test("a missing item is not made by an update, and not found by a delete")
    func missing() throws {
        let service = try service()
        try service.expect(
            #"mutation { updateNote(input: {id: "b", title: "u"}) { id } deleteNote(input: {id: "b"}) { id } }"#,
            data: #"{"updateNote":null,"deleteNote":null}"#,
            errors: [conditionFailed("updateNote"), conditionFailed("deleteNote")])
        try service.expect("{ listNotes { items { id } } }", data: #"{"listNotes":{"items":[{"id":"a"}]}}"#)
    }

    @Test("another key is another item, never a renaming")
    func changedKey() throws {
        let service = try Service(Self.schema)
        try service.seed(#"mutation { createSeat(input: {row: "A", number: 1, guest: "Ada"}) { row } }"#)
        try service.expect(
            #"mutation { updateSeat(input: {row: "A", number: 2, guest: "Ben"}) { row } }"#,
            data: #"{"updateSeat":null}"#, errors: [conditionFailed("updateSeat")])
        try service.expect(
            #"mutation { updateSeat(input: {row: "A", number: 1, guest: "Ben"}) { row number guest } }"#,
            data: #"{"updateSeat":{"row":"A","number":1,"guest":"Ben"}}"#)
        try service.expect(
            "{ listSeats { items { row number guest } } }",
            data: #"{"listSeats":{"items":[{"row":"A","number":1,"guest":"Ben"}]}}"#)
    }

    @Test("delete answers with the item as it was, and it is gone")
    func delete() throws {
        let service = try service()
        try service.expect(
            #"mutation { deleteNote(input: {id: "a"}) { id title tags place { city } __typename } }"#,
            data: #"{"deleteNote":{"id":"a","title":"t","tags":["x","y"],"place":{"city":"Rome"},"__typename":"Note"}}"#
        )
        try service.expect(#"{ getNote(id: "a") { id } }"#, data: #"{"getNote":null}"#)
        try service.expect(
            #"mutation { deleteNote(input: {id: "a"}) { id } }"#, data: #"{"deleteNote":null}"#,
            errors: [conditionFailed("deleteNote")])
        try service.expect(
            #"mutation { createNote(input: {id: "a", title: "again"}) { title body } }"#,
            data: #"{"createNote":{"title":"again","body":null}}"#)
    }

    @Test("an update that changes nothing, and writes that select no column")
    func nothing() throws {
        let service = try Service("type Plain @model(timestamps: null) { id: ID! text: String }")
        try service.expect(
            #"mutation { createPlain(input: {id: "a", text: "t"}) { __typename } }"#,
            data: #"{"createPlain":{"__typename":"Plain"}}"#)
        try service.expect(
            #"mutation { a: updatePlain(input: {id: "a"}) { text } b: updatePlain(input: {id: "a"}) { __typename } c: updatePlain(input: {id: "x"}) { id } }"#,
            data: #"{"a":{"text":"t"},"b":{"__typename":"Plain"},"c":null}"#, errors: [conditionFailed("c")])
        try service.expect(
            #"mutation { updatePlain(input: {id: "a"}, condition: {text: {eq: "no"}}) { id } }"#,
            data: #"{"updatePlain":null}"#,
            errors: [conditionFailed("updatePlain")])
        try service.expect(
            #"mutation { deletePlain(input: {id: "a"}) { __typename } }"#,
            data: #"{"deletePlain":{"__typename":"Plain"}}"#)
    }
}
