import Testing

@testable import Server

@Suite("A schema over HTTP")
struct OverHTTPTests {
    @Test("every kind of query and mutation answers over HTTP")
    func lifeOfAnItem() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            let steps: [(query: String, answer: String)] = [
                (#"{ getUser(id: "ada") { id } }"#, #"{"data":{"getUser":null}}"#),
                (
                    #"mutation { createUser(input: {id: "ada", username: "Ada"}) { id username postcode } }"#,
                    #"{"data":{"createUser":{"id":"ada","username":"Ada","postcode":null}}}"#
                ),
                (
                    #"{ getUser(id: "ada") { username __typename } }"#,
                    #"{"data":{"getUser":{"username":"Ada","__typename":"User"}}}"#
                ),
                (
                    #"mutation { updateUser(input: {id: "ada", postcode: "SW1"}) { username postcode } }"#,
                    #"{"data":{"updateUser":{"username":"Ada","postcode":"SW1"}}}"#
                ),
                (
                    #"{ listUsers(filter: {postcode: {eq: "SW1"}}) { items { id } nextToken } }"#,
                    #"{"data":{"listUsers":{"items":[{"id":"ada"}],"nextToken":null}}}"#
                ),
                (
                    #"mutation { createMessage(input: {id: "m", room: "r", body: "hi", messageAuthorId: "ada", "#
                        + #"createdAt: "2026-01-01T00:00:00.000Z"}) { id } }"#,
                    #"{"data":{"createMessage":{"id":"m"}}}"#
                ),
                (
                    #"{ messagesByRoom(room: "r", createdAt: {beginsWith: "2026"}) "#
                        + #"{ items { body author { username } } } }"#,
                    #"{"data":{"messagesByRoom":{"items":[{"body":"hi","author":{"username":"Ada"}}]}}}"#
                ),
                (
                    #"{ getUser(id: "ada") { messages { items { body } } } }"#,
                    #"{"data":{"getUser":{"messages":{"items":[{"body":"hi"}]}}}}"#
                ),
                (
                    #"mutation { deleteUser(input: {id: "ada"}) { id } }"#,
                    #"{"data":{"deleteUser":{"id":"ada"}}}"#
                ),
                (#"{ listUsers { items { id } } }"#, #"{"data":{"listUsers":{"items":[]}}}"#),
            ]
            for (query, answer) in steps { #expect(try client.graphql(query) == answer, "\(query)") }
        }
    }

    @Test("an acknowledged write is read on another connection and another loop")
    func readYourWrite() async throws {
        try await TestServer.with { server in
            // Connections go to the loops in turn, so of two neighbours each has its own.
            let clients = [try server.connect(), try server.connect(), try server.connect()]
            for round in 0..<60 {
                let writer = clients[round % 3]
                let reader = clients[(round + 1) % 3]
                let created = try writer.graphql(
                    #"mutation { createUser(input: {id: "u\#(round)", username: "U"}) { id } }"#)
                #expect(created == #"{"data":{"createUser":{"id":"u\#(round)"}}}"#)
                let read = try reader.graphql(#"{ getUser(id: "u\#(round)") { id } }"#)
                #expect(read == #"{"data":{"getUser":{"id":"u\#(round)"}}}"#)
            }
        }
    }

    @Test("a read that is pipelined behind answered writes sees them, and answers keep their order")
    func pipelining() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            func request(_ query: String) -> String {
                Client.request(
                    "POST", "/graphql", headers: Client.usualHeaders, body: Client.envelope(query))
            }
            for round in 0..<20 {
                let id = "p\(round)"
                try client.send(
                    request(#"mutation { createUser(input: {id: "\#(id)", username: "A"}) { id } }"#)
                        + request("{ __typename }"))
                #expect(try client.receive().body == #"{"data":{"createUser":{"id":"\#(id)"}}}"#)
                try client.send(request(#"{ getUser(id: "\#(id)") { username } }"#))
                #expect(try client.receive().body == #"{"data":{"__typename":"Query"}}"#)
                #expect(try client.receive().body == #"{"data":{"getUser":{"username":"A"}}}"#)
            }
        }
    }

    @Test("a page token opens where it was made and nowhere else")
    func pageTokens() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            for id in 1...3 {
                _ = try client.graphql(#"mutation { createUser(input: {id: "\#(id)", username: "U"}) { id } }"#)
            }
            let first = try client.graphql("{ listUsers(limit: 2) { items { id } nextToken } }")
            let token = try #require(first.split(separator: "\"nextToken\":\"").last?.prefix { $0 != "\"" })
            let second = try client.graphql(
                #"{ listUsers(limit: 2, nextToken: "\#(token)") { items { id } nextToken } }"#)
            #expect(second == #"{"data":{"listUsers":{"items":[{"id":"3"}],"nextToken":null}}}"#)
            for query in [
                #"{ listUsers(limit: 2, nextToken: "x\#(token)") { items { id } } }"#,
                #"{ listMessages(limit: 2, nextToken: "\#(token)") { items { id } } }"#,
            ] {
                #expect(try client.graphql(query).contains("Invalid pagination token given."), "\(query)")
            }
        }
    }
}
