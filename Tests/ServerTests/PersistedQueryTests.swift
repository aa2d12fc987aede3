import Foundation
import Testing

@Suite("Queries by their hash alone, as Apollo's clients send them")
struct PersistedQueryTests {
    private static let extensions = #"{"persistedQuery":{"version":1,"sha256Hash":"ecf4edb46db40b5132295c0291d62fb6"}}"#
    private static let refusal =
        #"{"errors":[{"message":"PersistedQueryNotSupported","extensions":{"code":"PERSISTED_QUERY_NOT_SUPPORTED"}}]}"#

    @Test("a hash without a query is answered with PersistedQueryNotSupported, by POST and by GET")
    func hashAlone() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            let posted = try client.ask(
                body: #"{"operationName":"Q","variables":{},"extensions":\#(Self.extensions)}"#)
            let escaped = try #require(
                Self.extensions.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let got = try client.ask("GET", "/graphql?operationName=Q&extensions=\(escaped)")
            for answer in [posted, got] {
                #expect(answer.status == 200 && answer.body == Self.refusal)
                #expect(answer["x-amzn-ErrorType"].isEmpty)
            }
        }
    }

    @Test("a query with its hash is executed, and what is neither stays malformed")
    func withQuery() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            let whole = #"{"query":"{ __typename }","extensions":\#(Self.extensions)}"#
            #expect(try client.ask(body: whole).body == #"{"data":{"__typename":"Query"}}"#)
            for body in [#"{"extensions":{}}"#, #"{"extensions":{"persistedQuery":1}}"#, #"{"extensions":1}"#, "{}"] {
                let answer = try client.ask(body: body)
                #expect(answer.status == 400 && answer.body.contains("Unable to parse GraphQL query."), "\(body)")
            }
        }
    }
}
