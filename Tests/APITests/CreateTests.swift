import JSON
import Testing

@testable import API

@Suite("Create", .bothExecutors) struct CreateTests {
    static let schema = """
        type Note @model { id: ID! title: String! body: String stars: Int tags: [String] }
        type Entry @model { id: ID! text: String createdAt: AWSDateTime! }
        type Plain @model(timestamps: null) { id: ID! text: String }
        type Log @model(timestamps: {createdAt: "born", updatedAt: "changed"}) { id: ID! text: String }
        type Named @model @key(fields: ["name"]) { name: String! text: String }
        type Bare @model { title: String! }
        """
    /// The moment of the service's clock, which goes on by a millisecond each time it is asked.
    static let first = "2023-11-14T22:13:20.001Z"
    static let second = "2023-11-14T22:13:20.002Z"

    @Test("an id is made when none or null is given: a random UUID, version 4, in lower case")
    func makesID() throws {
        let service = try Service(Self.schema)
        for input in [#"{title: "a"}"#, #"{id: null, title: "a"}"#] {
            let id = try service.value(
                "mutation { createNote(input: \(input)) { id } }", at: "createNote", "id")?.stringValue
            #expect(id?.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        }
    }

    @Test("a model without a declared id gets one that can be selected")
    func undeclaredID() throws {
        let service = try Service(Self.schema)
        let id = try service.value(#"mutation { createBare(input: {title: "a"}) { id } }"#, at: "createBare", "id")
        #expect(id?.stringValue?.utf8.count == 36)
    }

    @Test(
        "the caller may choose any id, and a number is kept as its text",
        arguments: [
            (#""a""#, "a"), (#""Zoë  Müller ☕ \" \\ / \n""#, "Zoë  Müller ☕ \" \\ / \n"), ("1001", "1001"),
            (#"" ""#, " "),
        ])
    func chosenID(literal: String, id: String) throws {
        let service = try Service(Self.schema)
        let created = try service.value(
            "mutation { createNote(input: {id: \(literal), title: \"a\"}) { id } }", at: "createNote", "id")
        #expect(created?.stringValue == id)
        let found = try service.value("{ getNote(id: \(literal)) { id } }", at: "getNote", "id")
        #expect(found?.stringValue == id)
    }

    @Test("an empty id is refused, and nothing is written")
    func emptyID() throws {
        let service = try Service(Self.schema)
        let errors = try service.errors(#"mutation { createNote(input: {id: "", title: "a"}) { id } }"#)
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("DynamoDB:") == true)
        try service.expect("{ listNotes { items { id } } }", data: #"{"listNotes":{"items":[]}}"#)
    }

    @Test("both timestamps are one moment; what is given is kept, null is as absent")
    func timestamps() throws {
        let service = try Service(Self.schema)
        try service.expect(
            #"mutation { createNote(input: {id: "a", title: "a"}) { createdAt updatedAt } }"#,
            data: #"{"createNote":{"createdAt":"\#(Self.first)","updatedAt":"\#(Self.first)"}}"#)
        try service.expect(
            #"mutation { createEntry(input: {id: "a", createdAt: "2001-02-03T04:05Z"}) { createdAt updatedAt } }"#,
            data: #"{"createEntry":{"createdAt":"2001-02-03T04:05Z","updatedAt":"\#(Self.second)"}}"#)
        try service.expect(
            #"mutation { createEntry(input: {id: "b", createdAt: null}) { createdAt } }"#,
            data: #"{"createEntry":{"createdAt":"2023-11-14T22:13:20.003Z"}}"#)
        try service.expect(
            #"mutation { createLog(input: {id: "a"}) { born changed } }"#,
            data: #"{"createLog":{"born":"2023-11-14T22:13:20.004Z","changed":"2023-11-14T22:13:20.004Z"}}"#)
        try service.expect(
            #"mutation { createPlain(input: {id: "a", text: "b"}) { id text } }"#,
            data: #"{"createPlain":{"id":"a","text":"b"}}"#)
    }

    @Test(
        "a non-null date that the directive switches off is asked for in version 1, and filled in version 2",
        arguments: [
            "(timestamps: null)", "(timestamps: {createdAt: null, updatedAt: null})",
            "(timestamps: {createdAt: \"born\"})",
        ])
    func unnamedDates(arguments: String) throws {
        let type = "type Entry @model\(arguments) { id: ID! createdAt: AWSDateTime! edited: String }"
        let one = try Service(type)
        let errors = try one.errors(#"mutation { createEntry(input: {id: "a"}) { createdAt } }"#)
        #expect(errors.count == 1 && errors[0].contains("is missing required fields '[createdAt]'"), "\(errors)")
        try one.expect(#"{ getEntry(id: "a") { id } }"#, data: #"{"getEntry":null}"#)

        let two = try Service(type + " input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }")
        let dates = [
            ("a", "", Self.first), ("b", "createdAt: null", Self.second),
            ("c", #"createdAt: "2001-02-03T04:05:06Z""#, "2001-02-03T04:05:06Z"),
        ]
        for (id, date, expected) in dates {
            try two.expect(
                "mutation { createEntry(input: {id: \"\(id)\" \(date)}) { createdAt } }",
                data: #"{"createEntry":{"createdAt":"\#(expected)"}}"#)
        }
        for (id, _, expected) in dates {
            try two.expect(
                #"mutation { updateEntry(input: {id: "\#(id)", edited: "x"}) { createdAt } }"#,
                data: #"{"updateEntry":{"createdAt":"\#(expected)"}}"#)
        }
    }

    @Test("an item that is there is never overwritten")
    func duplicate() throws {
        let service = try Service(Self.schema)
        try service.seed(#"mutation { createNote(input: {id: "a", title: "first"}) { id } }"#)
        try service.expect(
            #"mutation { createNote(input: {id: "a", title: "second"}) { id } }"#, data: #"{"createNote":null}"#,
            errors: [conditionFailed("createNote")])
        try service.expect(#"{ getNote(id: "a") { title } }"#, data: #"{"getNote":{"title":"first"}}"#)
        try service.seed(#"mutation { createNamed(input: {name: "a"}) { name } }"#)
        try service.expect(
            #"mutation { createNamed(input: {name: "a", text: "b"}) { name } }"#, data: #"{"createNamed":null}"#,
            errors: [conditionFailed("createNamed")])
    }

    @Test("a null that was given, and an absent field, both read back as null")
    func nulls() throws {
        let service = try Service(Self.schema)
        try service.expect(
            #"mutation { createNote(input: {id: "a", title: "t", body: null, tags: null}) { body stars tags } }"#,
            data: #"{"createNote":{"body":null,"stars":null,"tags":null}}"#)
        try service.expect(
            #"{ getNote(id: "a") { body stars tags } }"#, data: #"{"getNote":{"body":null,"stars":null,"tags":null}}"#)
    }

    @Test("a missing item is null without an error")
    func missing() throws {
        let service = try Service(Self.schema)
        try service.expect(#"{ getNote(id: "nobody") { id } }"#, data: #"{"getNote":null}"#)
    }

    @Test(
        "a required field that is missing or null is refused before anything runs",
        arguments: [
            #"mutation { createNote(input: {id: "a"}) { id } }"#,
            #"mutation { createNote(input: {id: "a", title: null}) { id } }"#,
            #"mutation { createNote(input: {id: "a", title: 5}) { id } }"#,
            #"mutation { createNote(input: {id: "a", title: "t", nosuch: 1}) { id } }"#,
            #"mutation { createNote { id } }"#,
            #"mutation { createNote(input: {id: "a", title: "t"}) }"#,
        ])
    func refused(mutation: String) throws {
        let service = try Service(Self.schema)
        let answer = try service.run(mutation)
        #expect(answer["data"] == .null)
        #expect(answer["errors"]?.arrayValue?.isEmpty == false)
        try service.expect("{ listNotes { items { id } } }", data: #"{"listNotes":{"items":[]}}"#)
    }

    @Test(
        "the same, by variables",
        arguments: [
            (#"{}"#, "Variable 'i' has coerced Null value for NonNull type 'CreateNoteInput!'"),
            (#"{"i": null}"#, "Variable 'i' has coerced Null value for NonNull type 'CreateNoteInput!'"),
            (#"{"i": {"id": "a"}}"#, "Variable 'i' has coerced Null value for NonNull type 'String!'"),
            (#"{"i": {"title": null}}"#, "Variable 'i' has coerced Null value for NonNull type 'String!'"),
            (
                #"{"i": {"title": "t", "stars": "x"}}"#,
                "Variable 'stars' has an invalid value. Expected type 'Int' but was 'String'."
            ),
            (
                #"{"i": "t"}"#,
                "Variable 'i' has an invalid value. Expected type 'Map' but was 'String'. Variables for input objects must be an instance of type 'Map'."
            ),
            (
                #"{"i": {"title": "t", "foo": 1}}"#,
                "The variables input contains a field name 'foo' that is not defined for input object type 'CreateNoteInput' "
            ),
        ])
    func refusedVariables(variables: String, message: String) throws {
        let service = try Service(Self.schema)
        let mutation = "mutation M($i: CreateNoteInput!) { createNote(input: $i) { id } }"
        try service.expect(mutation, variables, data: "null", errors: [message])
        try service.expect("{ listNotes { items { id } } }", data: #"{"listNotes":{"items":[]}}"#)
    }
}
