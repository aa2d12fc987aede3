import JSON
import Testing

@testable import API

@Suite("Composite keys in mutations", .bothExecutors) struct CompositeKeyTests {
    static let schema = """
        enum Status { OPEN PAID }
        type Order @model @key(name: "byCustomer", fields: ["customer", "status", "day"], queryField: "ordersByCustomer") {
          id: ID! customer: String status: Status day: AWSDate note: String
        }
        type Visit @model @key(name: "byShop", fields: ["shop", "createdAt", "guest"], queryField: "visitsByShop") {
          id: ID! shop: String guest: String createdAt: AWSDateTime!
        }
        type Seat @model @key(fields: ["hall", "row", "number"]) { hall: ID! row: String! number: Int! guest: String }
        """

    private func message(_ verb: String, _ index: String, _ field: String) -> String {
        "When \(verb) any part of the composite sort key for @key '\(index)', you must provide all fields for the key. "
            + "Missing key: '\(field)'."
    }

    @Test(
        "on create, the parts of a sort key come together or not at all; the partition key is none of them",
        arguments: [
            ("", nil), (#"customer: "c""#, nil), (#"status: OPEN, day: "2026-01-01""#, nil),
            (#"customer: "c", status: OPEN, day: "2026-01-01""#, nil), ("status: OPEN, day: null", nil),
            ("status: null, day: null", nil),
            ("status: OPEN", "day"), (#"customer: "c", status: OPEN"#, "day"), (#"day: "2026-01-01""#, "status"),
            ("status: null", "day"),
        ] as [(String, String?)])
    func create(input: String, missing: String?) throws {
        let service = try Service(Self.schema)
        try service.expect(
            #"mutation { createOrder(input: {id: "a" \#(input)}) { id } }"#,
            data: missing == nil ? #"{"createOrder":{"id":"a"}}"# : #"{"createOrder":null}"#,
            errors: missing.map { ["createOrder \(message("creating", "byCustomer", $0))"] } ?? [])
    }

    @Test(
        "on update the same",
        arguments: [
            (#"note: "n""#, nil), (#"customer: "d""#, nil), (#"status: PAID, day: "2026-01-02""#, nil),
            ("status: PAID", "day"), (#"day: "2026-01-02", note: "n""#, "status"), ("status: null", "day"),
        ] as [(String, String?)])
    func update(input: String, missing: String?) throws {
        let service = try Service(Self.schema)
        try service.seed(
            #"mutation { createOrder(input: {id: "a", customer: "c", status: OPEN, day: "2026-01-01"}) { id } }"#)
        try service.expect(
            #"mutation { updateOrder(input: {id: "a", \#(input)}) { id } }"#,
            data: missing == nil ? #"{"updateOrder":{"id":"a"}}"# : #"{"updateOrder":null}"#,
            errors: missing.map { ["updateOrder \(message("updating", "byCustomer", $0))"] } ?? [])
    }

    @Test("the index follows the parts that changed, and untouched parts stay")
    func index() throws {
        let service = try Service(Self.schema)
        let ids = { (sort: String) in
            try service.ids(#"{ ordersByCustomer(customer: "c" \#(sort)) { items { id } } }"#, at: "ordersByCustomer")
        }
        try service.seed(
            #"mutation { createOrder(input: {id: "a", customer: "c", status: OPEN, day: "2026-01-02"}) { id } }"#,
            #"mutation { createOrder(input: {id: "b", customer: "c", status: OPEN, day: "2026-01-01"}) { id } }"#,
            #"mutation { createOrder(input: {id: "n", customer: "c"}) { id } }"#)
        #expect(try ids("") == "b a")
        try service.seed(#"mutation { updateOrder(input: {id: "b", note: "n"}) { id } }"#)
        #expect(try ids("") == "b a")
        try service.seed(#"mutation { updateOrder(input: {id: "b", status: PAID, day: "2026-01-01"}) { id } }"#)
        #expect(try ids("") == "a b")
        #expect(try ids(", statusDay: {beginsWith: {status: PAID}}") == "b")
        try service.seed(#"mutation { updateOrder(input: {id: "a", status: null, day: null}) { id } }"#)
        #expect(try ids("") == "b")
    }

    @Test("a timestamp that the service fills need not be given")
    func filledPart() throws {
        let service = try Service(Self.schema)
        try service.expect(
            #"mutation { createVisit(input: {id: "a", shop: "s", guest: "ada"}) { id } }"#,
            data: #"{"createVisit":{"id":"a"}}"#)
        #expect(try service.ids(#"{ visitsByShop(shop: "s") { items { id } } }"#, at: "visitsByShop") == "a")
    }

    @Test("a primary key of three: each part is needed, all make the item")
    func primary() throws {
        let service = try Service(Self.schema)
        try service.seed(
            #"mutation { createSeat(input: {hall: "h", row: "A", number: 10, guest: "x"}) { guest } }"#,
            #"mutation { createSeat(input: {hall: "h", row: "A", number: 9, guest: "y"}) { guest } }"#,
            // The same joined text, `A#1#1`, would be another item: the partition key is of its own.
            #"mutation { createSeat(input: {hall: "i", row: "A", number: 10, guest: "z"}) { guest } }"#)
        try service.expect(
            #"mutation { createSeat(input: {hall: "h", row: "A", number: 9}) { guest } }"#,
            data: #"{"createSeat":null}"#,
            errors: [conditionFailed("createSeat")])
        try service.expect(
            #"{ a: getSeat(hall: "h", row: "A", number: 9) { guest } b: getSeat(hall: "h", row: "B", number: 9) { guest } }"#,
            data: #"{"a":{"guest":"y"},"b":null}"#)
        try service.expect(
            #"mutation { deleteSeat(input: {hall: "h", row: "A", number: 9}) { hall row number guest } }"#,
            data: #"{"deleteSeat":{"hall":"h","row":"A","number":9,"guest":"y"}}"#)
        #expect(try service.errors(#"mutation { deleteSeat(input: {hall: "h", row: "A"}) { guest } }"#).count == 1)
        #expect(try service.errors(#"{ getSeat(hall: "h", row: "A") { guest } }"#).count == 1)
    }
}
