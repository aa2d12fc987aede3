import JSON
import Testing

@testable import API

@Suite("Pages and their tokens", .bothExecutors) struct PagingTests {
    static let schema = """
        type Item @model @key(name: "byGroup", fields: ["group", "rank"], queryField: "itemsByGroup")
          @key(name: "byShelf", fields: ["shelf"], queryField: "itemsByShelf") {
          id: ID! group: String rank: Int shelf: ID even: Boolean
        }
        type Shelf @model { id: ID! items: [Item] @connection(keyName: "byShelf", fields: ["id"]) }
        """

    /// Ten items, `0` to `9`, all on one shelf and in one group; ranks come in pairs, so that ties must page too.
    private func service(fillsPages: Bool = false, limits: APILimits = APILimits()) throws -> Service {
        let service = try Service(Self.schema, options: APIOptions(limits: limits, fillsPages: fillsPages))
        try service.seed(
            #"mutation { a: createShelf(input: {id: "s"}) { id } b: createShelf(input: {id: "t"}) { id } }"#)
        let creations = (0..<10).map {
            #"i\#($0): createItem(input: {id: "\#($0)", group: "g", rank: \#($0 / 2), shelf: "s", even: \#($0 % 2 == 0)}) { id }"#
        }
        try service.seed("mutation { \(creations.joined(separator: " ")) }")
        return service
    }

    /// Follows the tokens of a field to the end: the ids of each page.
    private func pages(_ field: String, limit: Int, _ arguments: String = "", _ service: Service) throws -> [String] {
        var pages: [String] = []
        var token = JSONValue.null
        repeat {
            let answer = try service.run(
                "query Q($t: String) { page: \(field)(limit: \(limit), nextToken: $t \(arguments)) { nextToken items { id } } }",
                #"{"t": \#(token)}"#)
            guard let page = answer["data"]?["page"], let items = page["items"]?.arrayValue else {
                throw TestFailure(answer.description)
            }
            pages.append(items.map { $0["id"]?.stringValue ?? "?" }.joined())
            token = page["nextToken"] ?? .null
            guard pages.count < 20 else { throw TestFailure("pages without end: \(pages)") }
        } while token != .null
        return pages
    }

    @Test(
        "every item once, in order; an exact last page has a token, and the page after it is empty",
        arguments: [
            ("listItems", 4, "", ["0123", "4567", "89"]), ("listItems", 5, "", ["01234", "56789", ""]),
            ("listItems", 10, "", ["0123456789", ""]), ("listItems", 11, "", ["0123456789"]),
            ("listItems", 1, "", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ""]),
            ("itemsByGroup", 3, #"group: "g""#, ["012", "345", "678", "9"]),
            ("itemsByGroup", 3, #"group: "g", sortDirection: ASC"#, ["012", "345", "678", "9"]),
            ("itemsByGroup", 3, #"group: "g", sortDirection: DESC"#, ["987", "654", "321", "0"]),
            ("itemsByGroup", 2, #"group: "g", rank: {between: [1, 3]}"#, ["23", "45", "67", ""]),
            ("itemsByGroup", 4, #"group: "g", rank: {lt: 3}, sortDirection: DESC"#, ["5432", "10"]),
            ("itemsByGroup", 2, #"group: "g", rank: {eq: 2}"#, ["45", ""]),
            ("itemsByGroup", 3, #"group: "none""#, [""]), ("itemsByShelf", 6, #"shelf: "s""#, ["012345", "6789"]),
        ])
    func pages(field: String, limit: Int, arguments: String, expected: [String]) throws {
        let service = try service()
        #expect(try pages(field, limit: limit, arguments.isEmpty ? "" : ", " + arguments, service) == expected)
    }

    @Test("limit counts before the filter, so pages are short or empty; full pages count behind it")
    func limitBeforeFilter() throws {
        let filter = ", filter: {even: {eq: true}}"
        let none = ", filter: {even: {attributeExists: false}}"
        let service = try service()
        #expect(try pages("listItems", limit: 4, filter, service) == ["02", "46", "8"])
        #expect(try pages("listItems", limit: 5, none, service) == ["", "", ""])
        #expect(try pages("itemsByGroup", limit: 3, #", group: "g""# + filter, service) == ["02", "4", "68", ""])
        let full = try self.service(fillsPages: true)
        #expect(try pages("listItems", limit: 4, filter, full) == ["0246", "8"])
        #expect(try pages("listItems", limit: 5, filter, full) == ["02468"])
        #expect(try pages("listItems", limit: 5, none, full) == [""])
        #expect(
            try pages("itemsByGroup", limit: 3, #", group: "g", sortDirection: DESC"# + filter, full) == ["864", "20"])
        #expect(try pages("listItems", limit: 4, "", full) == ["0123", "4567", "89"])
    }

    @Test("the last full page has no nextToken, whether the client asks for the items or not")
    func lastFullPage() throws {
        let full = try service(fillsPages: true)
        // Ten items: the fifth of a page is the last one, twice.
        for _ in 0..<2 {
            #expect(try pages("listItems", limit: 5, "", full) == ["01234", "56789"])
            #expect(try pages("itemsByGroup", limit: 5, #", group: "g", sortDirection: DESC"#, full).count == 2)
        }
        #expect(try pages("listItems", limit: 10, "", full) == ["0123456789"])
        #expect(try full.data("{ listItems(limit: 10) { nextToken } }") == #"{"listItems":{"nextToken":null}}"#)
        #expect(
            try full.data("{ listItems(limit: 5, filter: {even: {eq: true}}) { nextToken } }")
                == #"{"listItems":{"nextToken":null}}"#)
        #expect(
            try full.data("{ listItems(limit: 4, filter: {even: {eq: true}}) { nextToken } }")
                != #"{"listItems":{"nextToken":null}}"#)
        let short = try service()
        #expect(try pages("listItems", limit: 5, "", short) == ["01234", "56789", ""])
    }

    @Test("a connection pages per parent, and its token is of no use to another parent")
    func connection() throws {
        let service = try service()
        let query = """
            query Q($id: ID!, $t: String) { getShelf(id: $id) { items(limit: 6, nextToken: $t) { items { id } nextToken } } }
            """
        let token = try service.value(query, #"{"id": "s"}"#, at: "getShelf", "items", "nextToken")
        let second = try service.ids(query, #"{"id": "s", "t": \#(token ?? .null)}"#, at: "getShelf", "items")
        #expect(second == "6 7 8 9")
        try service.expect(
            query, #"{"id": "t", "t": \#(token ?? .null)}"#, data: #"{"getShelf":{"items":null}}"#,
            errors: ["getShelf/items BadRequest: Invalid pagination token given."])
    }

    @Test("by a composite sort key, whose order is that of the joined text")
    func composite() throws {
        let service = try Service(
            """
            type Step @model @key(fields: ["run", "phase", "number"]) { run: ID! phase: String! number: Int! id: String }
            """)
        for number in 1...12 {
            try service.seed(
                #"mutation { createStep(input: {run: "r", phase: "p", number: \#(number), id: "\#(number),"}) { id } }"#
            )
        }
        #expect(try pages("listSteps", limit: 5, #", run: "r""#, service) == ["1,10,11,12,2,", "3,4,5,6,7,", "8,9,"])
        #expect(
            try pages("listSteps", limit: 6, #", run: "r", sortDirection: DESC"#, service)
                == ["9,8,7,6,5,4,", "3,2,12,11,10,1,", ""])
        #expect(
            try pages(
                "listSteps", limit: 2, #", run: "r", phaseNumber: {beginsWith: {phase: "p", number: 1}}"#, service)
                == ["1,10,", "11,12,", ""])
    }

    @Test("the token is there whether items are selected before it, behind it, or not at all")
    func tokenAlone() throws {
        let service = try service()
        let tokens = try ["nextToken items { id }", "items { id } nextToken", "nextToken"].map { selection in
            try service.value("{ listItems(limit: 4) { \(selection) } }", at: "listItems", "nextToken")
        }
        #expect(tokens[0]?.stringValue != nil)
        #expect(tokens.allSatisfy { $0 == tokens[0] })
        #expect(try service.value("{ listItems(limit: 11) { nextToken } }", at: "listItems", "nextToken") == .null)
    }

    @Test("the page after a token may have another size")
    func otherLimit() throws {
        let service = try service()
        let token = try service.value("{ listItems(limit: 4) { nextToken } }", at: "listItems", "nextToken") ?? .null
        #expect(
            try service.ids("{ listItems(limit: 2, nextToken: \(token)) { items { id } } }", at: "listItems") == "4 5")
        #expect(
            try service.ids("{ listItems(nextToken: \(token)) { items { id } } }", at: "listItems") == "4 5 6 7 8 9")
    }

    @Test("a token that is tampered with, foreign, or of other arguments is refused")
    func refusedToken() throws {
        let service = try service()
        let token =
            try service.value(
                #"{ itemsByGroup(group: "g", limit: 2) { nextToken } }"#, at: "itemsByGroup", "nextToken")?.stringValue
            ?? ""
        #expect(
            try service.ids(
                #"{ itemsByGroup(group: "g", nextToken: "\#(token)") { items { id } } }"#, at: "itemsByGroup")
                == "2 3 4 5 6 7 8 9")
        let requests = [
            #"itemsByGroup(group: "g", nextToken: "")"#, #"itemsByGroup(group: "g", nextToken: "rubbish")"#,
            #"itemsByGroup(group: "g", nextToken: "\#(token)0")"#,
            #"itemsByGroup(group: "g", nextToken: "\#(token.dropLast())")"#,
            #"itemsByGroup(group: "h", nextToken: "\#(token)")"#,
            #"itemsByGroup(group: "g", sortDirection: DESC, nextToken: "\#(token)")"#,
            #"itemsByGroup(group: "g", rank: {gt: 0}, nextToken: "\#(token)")"#,
            #"itemsByGroup(group: "g", filter: {even: {eq: true}}, nextToken: "\#(token)")"#,
            #"itemsByShelf(shelf: "g", nextToken: "\#(token)")"#, #"listItems(nextToken: "\#(token)")"#,
            #"listShelfs(nextToken: "\#(token)")"#,
        ]
        for request in requests {
            let name = String(request.prefix { $0 != "(" })
            try service.expect(
                "{ \(request) { items { id } } }", data: #"{"\#(name)":null}"#,
                errors: ["\(name) BadRequest: Invalid pagination token given."])
        }
    }

    @Test("pages continue where they stopped although items before and after that place are added and removed")
    func stable() throws {
        let service = try service()
        let query =
            #"query Q($t: String) { itemsByGroup(group: "g", limit: 4, nextToken: $t) { items { id } nextToken } }"#
        let token = try service.value(query, at: "itemsByGroup", "nextToken") ?? .null
        try service.seed(
            """
            mutation {
              deleteItem(input: {id: "3"}) { id }
              a: createItem(input: {id: "a", group: "g", rank: -1}) { id }
              b: createItem(input: {id: "b", group: "g", rank: 3}) { id }
            }
            """)
        #expect(try service.ids(query, #"{"t": \#(token)}"#, at: "itemsByGroup") == "4 5 6 7")
    }

    @Test("a page without a limit has the default count, and a larger limit the largest")
    func bounds() throws {
        var limits = APILimits()
        limits.pageItemsDefault = 3
        limits.pageItemsMax = 5
        let service = try service(limits: limits)
        #expect(try service.ids("{ listItems { items { id } } }", at: "listItems") == "0 1 2")
        #expect(try service.ids("{ listItems(limit: null) { items { id } } }", at: "listItems") == "0 1 2")
        #expect(try service.ids("{ listItems(limit: 2147483647) { items { id } } }", at: "listItems") == "0 1 2 3 4")
        for limit in [0, -1] {
            let errors = try service.errors("{ listItems(limit: \(limit)) { items { id } } }")
            #expect(errors.count == 1)
            #expect(errors.first?.contains("greater than or equal to 1") == true)
        }
    }
}
