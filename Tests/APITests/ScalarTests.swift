import JSON
import Testing

@testable import API

@Suite("Scalars, lists and nested types, in and out", .bothExecutors) struct ScalarTests {
    static let schema = """
        enum Color { RED GREEN }
        type Sample @model {
          id: ID! str: String int: Int flt: Float bool: Boolean ref: ID date: AWSDate time: AWSTime
          dateTime: AWSDateTime stamp: AWSTimestamp email: AWSEmail json: AWSJSON url: AWSURL phone: AWSPhone
          ip: AWSIPAddress color: Color
          strs: [String] ints: [Int!] flts: [Float] bools: [Boolean] ids: [ID!] colors: [Color] jsons: [AWSJSON]
          dates: [AWSDate] box: Box boxes: [Box!]
        }
        type Box { name: String! size: Float depth: Int open: Boolean color: Color at: AWSDateTime inner: Box tags: [String!] }
        """

    /// A field, the JSON of a variable, and what is answered.
    static let values: [(field: String, value: String, answer: String)] = [
        ("str", #""""#, #""""#),
        ("str", #""Zoë ☕ \"q\" \\ \n\t\u0001 \u2028 𝄞""#, #""Zoë ☕ \"q\" \\ \n\t\u0001 \#u{2028} 𝄞""#),
        ("int", "0", "0"), ("int", "-2147483648", "-2147483648"), ("int", "2147483647", "2147483647"),
        ("flt", "0.30000000000000004", "0.30000000000000004"), ("flt", "1024.1", "1024.1"), ("flt", "-0.5", "-0.5"),
        ("flt", "1e300", "1e+300"), ("flt", "5e-324", "5e-324"), ("flt", "3", "3.0"),
        ("bool", "true", "true"), ("bool", "false", "false"),
        ("ref", #""a""#, #""a""#), ("ref", "7", #""7""#),
        ("date", #""2026-02-28""#, #""2026-02-28""#), ("date", #""2026-02-28Z""#, #""2026-02-28Z""#),
        ("date", #""2026-02-28+02:00""#, #""2026-02-28+02:00""#),
        ("time", #""12:30:24.500Z""#, #""12:30:24.500Z""#), ("time", #""12:30""#, #""12:30""#),
        ("dateTime", #""2026-02-28T12:30:24.500Z""#, #""2026-02-28T12:30:24.500Z""#),
        ("dateTime", #""2026-02-28T12:30:24+05:30""#, #""2026-02-28T12:30:24+05:30""#),
        ("stamp", "0", "0"), ("stamp", "1700000000", "1700000000"), ("stamp", "-5", "-5"),
        ("email", #""ada@example.com""#, #""ada@example.com""#),
        ("json", #""{\"a\":[1,2,{\"b\":null}]}""#, #""{\"a\":[1,2,{\"b\":null}]}""#),
        ("url", #""https://example.com/a?b=c#d""#, #""https://example.com/a?b=c#d""#),
        ("phone", #""+1-555-010-9999""#, #""+1-555-010-9999""#),
        ("ip", #""192.168.0.1""#, #""192.168.0.1""#), ("ip", #""2001:db8::1""#, #""2001:db8::1""#),
        ("color", #""GREEN""#, #""GREEN""#),
        ("strs", #"["a", null, ""]"#, #"["a",null,""]"#), ("strs", "[]", "[]"), ("strs", #""one""#, #"["one"]"#),
        ("ints", "[3, -1]", "[3,-1]"), ("flts", "[1.5, null, 2]", "[1.5,null,2.0]"),
        ("bools", "[true, null]", "[true,null]"),
        ("ids", #"["a", 5]"#, #"["a","5"]"#), ("colors", #"["RED", null]"#, #"["RED",null]"#),
        ("jsons", #"["[1]", "{}"]"#, #"["[1]","{}"]"#), ("dates", #"["2026-01-01"]"#, #"["2026-01-01"]"#),
    ]

    @Test("a value comes back as it was given, from the write and from a read")
    func roundTrip() throws {
        let service = try Service(Self.schema)
        for (index, (field, value, answer)) in Self.values.enumerated() {
            try service.expect(
                "mutation M($i: CreateSampleInput!) { createSample(input: $i) { \(field) } }",
                #"{"i": {"id": "s\#(index)", "\#(field)": \#(value)}}"#,
                data: #"{"createSample":{"\#(field)":\#(answer)}}"#)
            try service.expect(
                #"{ getSample(id: "s\#(index)") { \#(field) } }"#, data: #"{"getSample":{"\#(field)":\#(answer)}}"#)
        }
    }

    @Test("every field that was not given is null")
    func absent() throws {
        let service = try Service(Self.schema)
        let fields = Set(Self.values.map(\.field)).sorted()
        try service.seed(#"mutation { createSample(input: {id: "a"}) { id } }"#)
        try service.expect(
            "{ getSample(id: \"a\") { \(fields.joined(separator: " ")) box { name } boxes { name } } }",
            data: #"{"getSample":{"# + fields.map { "\"\($0)\":null," }.joined() + #""box":null,"boxes":null}}"#)
    }

    @Test(
        "a value that its scalar does not know is refused, as a variable and as a literal",
        arguments: [
            ("int", "2147483648"), ("int", "1.5"), ("flt", #""x""#), ("bool", "[true]"), ("date", #""2026-02-30""#),
            ("time", #""25:00""#), ("dateTime", #""2026-02-28""#), ("stamp", #""now""#), ("email", #""ada""#),
            ("json", #""{a""#),
            ("url", #""not a url""#), ("phone", #""x""#), ("ip", #""300.1.1.1""#), ("color", #""BLUE""#),
            ("ints", "[null]"),
            ("str", "{}"), ("boxes", "[{}]"), ("box", #"{"name": "n", "nosuch": 1}"#), ("box", #"{"name": null}"#),
        ])
    func refused(field: String, value: String) throws {
        let service = try Service(Self.schema)
        let byVariable = try service.run(
            "mutation M($i: CreateSampleInput!) { createSample(input: $i) { id } }",
            #"{"i": {"id": "a", "\#(field)": \#(value)}}"#)
        #expect(byVariable["data"] == .null)
        #expect(byVariable["errors"]?.arrayValue?.count == 1)
        let literal = value.replacing(/"(\w+)":/) { "\($0.1):" }
        let byLiteral = try service.run(#"mutation { createSample(input: {id: "a", \#(field): \#(literal)}) { id } }"#)
        #expect(byLiteral["data"] == .null)
        #expect(byLiteral["errors"]?.arrayValue?.isEmpty == false)
        try service.expect("{ listSamples { items { id } } }", data: #"{"listSamples":{"items":[]}}"#)
    }

    @Test("nested types go in and come out as objects, with only what is selected, in the order selected")
    func nested() throws {
        let service = try Service(Self.schema)
        try service.expect(
            """
            mutation { createSample(input: {id: "a", box: {name: "outer", size: 2, depth: 3, open: false, color: RED,
                at: "2026-01-01T00:00:00Z", tags: ["x"], inner: {name: "inner", inner: {name: "innermost", tags: []}}},
                boxes: [{name: "1"}, {name: "2", color: GREEN}]}) {
                    box { __typename at size depth open color tags alias: name inner { name tags inner { name tags inner { name } } } }
                    boxes { color name }
                } }
            """,
            data:
                #"{"createSample":{"box":{"__typename":"Box","at":"2026-01-01T00:00:00Z","size":2.0,"depth":3,"open":false,"#
                + #""color":"RED","tags":["x"],"alias":"outer","inner":{"name":"inner","tags":null,"inner":"#
                + #"{"name":"innermost","tags":[],"inner":null}}},"boxes":[{"color":null,"name":"1"},"#
                + #"{"color":"GREEN","name":"2"}]}}"#)
        try service.expect(
            #"{ getSample(id: "a") { box { inner { inner { name } } } boxes { name } } }"#,
            data: #"{"getSample":{"box":{"inner":{"inner":{"name":"innermost"}}},"boxes":[{"name":"1"},{"name":"2"}]}}"#
        )
    }
}
