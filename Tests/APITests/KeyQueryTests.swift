import JSON
import Testing

@testable import API

@Suite("Lists by a key and query fields", .bothExecutors) struct KeyQueryTests {
    static let schema = """
        enum Status { OPEN PAID }
        type Reading @model @key(fields: ["sensor", "at"]) { sensor: ID! at: Int! value: Float }
        type Order @model @key(fields: ["customer", "status", "number"])
          @key(name: "byDay", fields: ["day", "status", "number"], queryField: "ordersByDay")
          @key(name: "byShop", fields: ["shop"], queryField: "ordersByShop") {
          customer: ID! status: Status! number: Int! day: String shop: String
        }
        type Post @model @key(name: "byAuthor", fields: ["author", "title"], queryField: "postsByAuthor") {
          id: ID! author: String title: String likes: Int
        }
        """

    private func service() throws -> Service {
        let service = try Service(Self.schema)
        for (sensor, at) in [("s", 9), ("s", 100), ("s", 20), ("t", 1), ("s", -3)] {
            try service.seed(
                "mutation { createReading(input: {sensor: \"\(sensor)\", at: \(at), value: \(at).5}) { at } }")
        }
        for (status, number) in [("OPEN", 9), ("OPEN", 10), ("PAID", 1), ("OPEN", 100)] {
            try service.seed(
                """
                mutation { createOrder(input: {customer: "c", status: \(status), number: \(number), day: "mon", shop: "x"}) { number } }
                """)
        }
        try service.seed(
            """
            mutation {
              a: createPost(input: {id: "a", author: "ada", title: "b", likes: 1}) { id }
              b: createPost(input: {id: "b", author: "ada", title: "Z", likes: 2}) { id }
              c: createPost(input: {id: "c", author: "ada", title: "ba", likes: 3}) { id }
              d: createPost(input: {id: "d", author: "ben", title: "a"}) { id }
              e: createPost(input: {id: "e", author: "ada"}) { id }
              f: createPost(input: {id: "f", title: "a"}) { id }
            }
            """)
        return service
    }

    /// One field of each item on a page, joined by a space.
    private func column(_ name: String, _ query: String, at field: String, _ service: Service) throws -> String {
        guard let items = try service.value(query, at: field, "items")?.arrayValue else {
            return try service.text(query)
        }
        return items.map { $0[name]?.description ?? "?" }.joined(separator: " ")
    }

    @Test(
        "a simple sort key: in its order, by number, under each operator",
        arguments: [
            (#"sensor: "s""#, "-3 9 20 100"), (#"sensor: "s", sortDirection: ASC"#, "-3 9 20 100"),
            (#"sensor: "s", sortDirection: DESC"#, "100 20 9 -3"), (#"sensor: "s", at: {eq: 20}"#, "20"),
            (#"sensor: "s", at: {lt: 20}"#, "-3 9"), (#"sensor: "s", at: {le: 20}"#, "-3 9 20"),
            (#"sensor: "s", at: {gt: 20}"#, "100"), (#"sensor: "s", at: {ge: 20}"#, "20 100"),
            (#"sensor: "s", at: {between: [9, 20]}"#, "9 20"),
            (#"sensor: "s", at: {between: [9, 20]}, sortDirection: DESC"#, "20 9"),
            (#"sensor: "s", at: {between: [20, 9]}"#, ""), (#"sensor: "s", at: {}"#, "-3 9 20 100"),
            (#"sensor: "s", at: {eq: null}"#, "-3 9 20 100"), (#"sensor: "s", at: {eq: null, gt: 9}"#, "20 100"),
            (#"sensor: "s", filter: {value: {gt: 10}}, limit: 3"#, "20.5"), (#"sensor: "none""#, ""),
            (#"sensor: null"#, "9 100 20 1 -3"), ("", "9 100 20 1 -3"),
        ])
    func simple(arguments: String, expected: String) throws {
        let service = try service()
        let list = arguments.isEmpty ? "listReadings" : "listReadings(\(arguments))"
        let name = expected.contains(".") ? "value" : "at"
        #expect(try column(name, "{ \(list) { items { at value } } }", at: "listReadings", service) == expected)
    }

    @Test(
        "a composite sort key compares the joined text: 10 comes before 9",
        arguments: [
            (#"customer: "c""#, "10 100 9 1"), (#"customer: "c", sortDirection: DESC"#, "1 9 100 10"),
            (#"customer: "c", statusNumber: {eq: {status: OPEN, number: 10}}"#, "10"),
            (#"customer: "c", statusNumber: {eq: {status: OPEN}}"#, ""),
            (#"customer: "c", statusNumber: {beginsWith: {status: OPEN}}"#, "10 100 9"),
            (#"customer: "c", statusNumber: {beginsWith: {status: OPEN, number: 1}}"#, "10 100"),
            (#"customer: "c", statusNumber: {lt: {status: OPEN, number: 9}}"#, "10 100"),
            (#"customer: "c", statusNumber: {le: {status: OPEN, number: 9}}"#, "10 100 9"),
            (#"customer: "c", statusNumber: {gt: {status: OPEN, number: 100}}"#, "9 1"),
            (#"customer: "c", statusNumber: {ge: {status: PAID}}"#, "1"),
            (
                #"customer: "c", statusNumber: {between: [{status: OPEN, number: 10}, {status: OPEN, number: 9}]}"#,
                "10 100 9"
            ),
            (#"customer: "c", statusNumber: {}"#, "10 100 9 1"),
            (#"customer: "c", statusNumber: {eq: null}"#, "10 100 9 1"),
        ])
    func composite(arguments: String, expected: String) throws {
        let service = try service()
        #expect(
            try column("number", "{ listOrders(\(arguments)) { items { number } } }", at: "listOrders", service)
                == expected)
        let byDay = arguments.replacing("customer: \"c\"", with: "day: \"mon\"")
        #expect(
            try column("number", "{ ordersByDay(\(byDay)) { items { number } } }", at: "ordersByDay", service)
                == expected)
    }

    @Test(
        "a query field reads its index, in order; items without a part of the key are not in it",
        arguments: [
            (#"author: "ada""#, "b a c"), (#"author: "ada", sortDirection: DESC"#, "c a b"),
            (#"author: "ada", title: {beginsWith: "b"}"#, "a c"), (#"author: "ada", title: {eq: "Z"}"#, "b"),
            (#"author: "ada", filter: {likes: {gt: 1}}"#, "b c"), (#"author: "ben""#, "d"), (#"author: "Ada""#, ""),
            (#"author: "ada", title: {between: ["Z", "b"]}, limit: 1"#, "b"),
        ])
    func queryField(arguments: String, ids: String) throws {
        let service = try service()
        #expect(try service.ids("{ postsByAuthor(\(arguments)) { items { id } } }", at: "postsByAuthor") == ids)
    }

    @Test("an index follows its item: changed, completed, taken out, deleted")
    func indexFollows() throws {
        let service = try service()
        let ids = { try service.ids(#"{ postsByAuthor(author: "ada") { items { id } } }"#, at: "postsByAuthor") }
        try service.seed(#"mutation { updatePost(input: {id: "e", title: "bb"}) { id } }"#)
        #expect(try ids() == "b a c e")
        try service.seed(#"mutation { updatePost(input: {id: "a", author: null}) { id } }"#)
        #expect(try ids() == "b c e")
        try service.seed(
            #"mutation { deletePost(input: {id: "c"}) { id } updatePost(input: {id: "d", author: "ada"}) { id } }"#)
        #expect(try ids() == "b d e")
    }

    @Test(
        "arguments that no key can serve",
        arguments: [
            (
                "ordersByShop(shop: \"x\", sortDirection: ASC)",
                "sortDirection is not supported for List operations without a Sort key defined."
            ),
            (
                "listReadings(sortDirection: DESC)",
                "When providing argument 'sortDirection' you must also provide argument 'sensor'."
            ),
            ("listReadings(at: {eq: 1})", "When providing argument 'at' you must also provide arguments sensor"),
            (
                "listOrders(statusNumber: {eq: {status: OPEN}})",
                "When providing argument 'statusNumber' you must also provide 'customer'."
            ),
            (
                #"listOrders(customer: "c", statusNumber: {gt: {status: OPEN}, lt: {status: PAID}})"#,
                "Argument statusNumber must specify at most one key condition operation."
            ),
            (
                #"listOrders(customer: "c", statusNumber: {beginsWith: {number: 1}})"#,
                "When providing argument 'statusNumber.beginsWith.number' you must also provide 'statusNumber.beginsWith.status'."
            ),
            (
                #"listOrders(customer: "c", statusNumber: {between: [{status: OPEN}, {number: 1}]})"#,
                "When providing argument 'statusNumber.between[1].number' you must also provide 'statusNumber.between[1].status'."
            ),
            (
                #"listOrders(customer: "c", statusNumber: {between: [{status: OPEN}]})"#,
                "Argument 'statusNumber.between' expects exactly two elements."
            ),
            (
                #"ordersByDay(day: "mon", statusNumber: {between: []})"#,
                "Argument 'statusNumber.between' expects exactly two elements."
            ),
        ])
    func refused(field: String, message: String) throws {
        let service = try service()
        let name = String(field.prefix { $0 != "(" })
        try service.expect(
            "{ \(field) { items { __typename } } }", data: #"{"\#(name)":null}"#,
            errors: ["\(name) InvalidArgumentsError: \(message)"])
    }

    @Test(
        "what DynamoDB itself refuses",
        arguments: [
            ("ordersByShop", "ordersByShop(shop: null)"), ("ordersByShop", "ordersByShop"),
            ("listReadings", #"listReadings(sensor: "s", at: {gt: 1, lt: 5})"#),
            ("listReadings", #"listReadings(sensor: "s", at: {between: [1]})"#),
            ("ordersByShop", #"ordersByShop(shop: "x", limit: 0)"#),
            ("ordersByShop", #"ordersByShop(shop: "x", limit: -1)"#),
        ])
    func refusedByStore(name: String, field: String) throws {
        let service = try service()
        let answer = try service.run("{ \(field) { items { __typename } } getPost(id: \"a\") { id } }")
        #expect(answer["data"]?.description == #"{"\#(name)":null,"getPost":{"id":"a"}}"#)
        let errorType = answer["errors"]?.arrayValue?.first?["errorType"]?.stringValue
        #expect(errorType == "DynamoDB:DynamoDbException")
    }
}
