import JSON
import Testing

@testable import API

@Suite("Mutations, one after the other", .bothExecutors) struct SerialMutationTests {
    static let schema =
        "type Counter @model { id: ID! n: Int! log: [Entry] @connection(name: \"L\") } "
        + "type Entry @model { id: ID! text: String counter: Counter @connection(name: \"L\") }"

    @Test("each field of a mutation sees the writes of the fields before it, and not of those after it")
    func serial() throws {
        let service = try Service(Self.schema)
        try service.expect(
            """
            mutation {
              create: createCounter(input: {id: "c", n: 1}) { n log { items { text } } }
              e1: createEntry(input: {id: "1", text: "one", entryCounterId: "c"}) { counter { n log { items { text } } } }
              first: updateCounter(input: {id: "c", n: 2}, condition: {n: {eq: 1}}) { n }
              second: updateCounter(input: {id: "c", n: 3}, condition: {n: {eq: 2}}) { n log { items { counter { n } } } }
              e2: createEntry(input: {id: "2", text: "two", entryCounterId: "c"}) { counter { n log { items { text } } } }
            }
            """,
            data: #"{"create":{"n":1,"log":{"items":[]}},"e1":{"counter":{"n":1,"log":{"items":[{"text":"one"}]}}},"#
                + #""first":{"n":2},"second":{"n":3,"log":{"items":[{"counter":{"n":3}}]}},"#
                + #""e2":{"counter":{"n":3,"log":{"items":[{"text":"one"},{"text":"two"}]}}}}"#)
    }

    @Test("one that fails is null with its error, wherever it stands, and the others happen")
    func failingInBetween() throws {
        let service = try Service(Self.schema)
        try service.expect(
            """
            mutation {
              none: updateCounter(input: {id: "c", n: 0}) { n }
              a: createCounter(input: {id: "c", n: 1}) { n }
              twice: createCounter(input: {id: "c", n: 2}) { n }
              null: updateCounter(input: {id: "c", n: null}) { n }
              empty: createCounter(input: {id: "", n: 2}) { n }
              filter: deleteCounter(input: {id: "c"}, condition: {n: {between: [1]}}) { n }
              b: updateCounter(input: {id: "c", n: 5}) { n }
              gone: deleteCounter(input: {id: "x"}) { n }
            }
            """,
            data:
                #"{"none":null,"a":{"n":1},"twice":null,"null":null,"empty":null,"filter":null,"b":{"n":5},"gone":null}"#,
            errors: [
                conditionFailed("none"), conditionFailed("twice"), "null \(UpdateTests.nullRefused)",
                "empty DynamoDB:DynamoDbException: One or more parameter values are not valid. The AttributeValue for a key "
                    + "attribute cannot contain an empty string value. Key: id",
                "filter DynamoDB:DynamoDbException: Invalid operator used in FilterExpression: 'between' expects exactly two "
                    + "elements.",
                conditionFailed("gone"),
            ])
        try service.expect(
            "{ listCounters { items { id n } } }", data: #"{"listCounters":{"items":[{"id":"c","n":5}]}}"#)
    }

    @Test("equal fields are one write")
    func merged() throws {
        let service = try Service(Self.schema)
        try service.expect(
            #"mutation { createCounter(input: {id: "c", n: 1}) { id } createCounter(input: {id: "c", n: 1}) { n } }"#,
            data: #"{"createCounter":{"id":"c","n":1}}"#)
    }

    @Test("a read that follows an answered write sees it, on the same connection and on another")
    func readsItsWrite() throws {
        let service = try Service(Self.schema)
        let other = try service.onAnotherLoop()
        try service.seed(#"mutation { createCounter(input: {id: "c", n: 0}) { id } }"#)
        for n in 1...20 {
            try service.expect(
                #"mutation { updateCounter(input: {id: "c", n: \#(n)}) { n } }"#,
                data: #"{"updateCounter":{"n":\#(n)}}"#)
            for reader in [service, other] {
                try reader.expect(#"{ getCounter(id: "c") { n } }"#, data: #"{"getCounter":{"n":\#(n)}}"#)
            }
        }
    }

    @Test("a hundred fields in one document")
    func many() throws {
        let service = try Service(Self.schema)
        let fields = (0..<100).map { #"c\#($0): createCounter(input: {id: "\#($0)", n: \#($0)}) { n }"# }
        let answers = (0..<100).map { #""c\#($0)":{"n":\#($0)}"# }
        try service.expect("mutation { \(fields.joined(separator: " ")) }", data: "{\(answers.joined(separator: ","))}")
    }

    @Test("requests that are under way at once on one loop do not disturb each other")
    func interleaved() throws {
        let service = try Service(Self.schema)
        let bodies = (0..<60).map { number in
            switch number % 3 {
            case 0:
                Service.body(
                    """
                    mutation M($i: CreateCounterInput!) { a: createCounter(input: $i) { id n log { items { id } } }
                        b: createCounter(input: $i) { id } }
                    """, #"{"i": {"id": "\#(number)", "n": \#(number)}}"#)
            case 1:
                Service.body(
                    "query Q($id: ID!) { __typename none: getCounter(id: $id) { id } }", #"{"id": "no\#(number)"}"#)
            default: Service.body("{ nosuch }", nil)
            }
        }
        let answers = try service.send(bodies: bodies)
        for (number, answer) in answers.enumerated() {
            let data = try JSONReader.read(answer.text)["data"]?.description
            switch number % 3 {
            case 0: #expect(data == #"{"a":{"id":"\#(number)","n":\#(number),"log":{"items":[]}},"b":null}"#)
            case 1: #expect(data == #"{"__typename":"Query","none":null}"#)
            default: #expect(data == "null")
            }
        }
        // They were written in the order in which they came.
        let expected = stride(from: 0, to: 60, by: 3).map(String.init).joined(separator: " ")
        #expect(try service.ids("{ listCounters { items { id } } }", at: "listCounters") == expected)
    }
}
