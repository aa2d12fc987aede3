@testable import API
import Foundation
import GraphQL
@testable import HTTP
import JSON

// Thirty-two lines with what operations have: variables, a fragment, directives, nested arguments.
let document = """
    query Articles(
      $owner: ID!
      $since: String
      $withBody: Boolean!
    ) {
      articlesByOwner(
        owner: $owner
        createdAt: { ge: $since }
        sortDirection: DESC
        limit: 20
        filter: {
          and: [
            { status: { eq: "published" } }
            { rank: { between: [1, 500] } }
          ]
        }
      ) {
        items {
          ...ArticleParts
          body @include(if: $withBody)
        }
        nextToken
      }
    }

    fragment ArticleParts on Article {
      id
      title
      status
      rank
      createdAt
    }
    """
precondition(
    document.split(separator: "\n", omittingEmptySubsequences: false).count == 32, "The document has 32 lines.")

let folder = CommandLine.arguments.dropFirst().first ?? ".."
let house = try House(schema: String(contentsOfFile: "\(folder)/schema.graphql", encoding: .utf8))
let fields = "id owner status topic rank title body createdAt"
let get = Array(
    """
    {"query":"query Get($id: ID!) { getArticle(id: $id) { \(fields) } }","variables":{"id":"article-42"}}
    """.utf8)
let list = Array(
    """
    {"query":"query List($owner: ID!) { articlesByOwner(owner: $owner, limit: 100) { items { \(fields) } nextToken } }",\
    "variables":{"owner":"owner"}}
    """.utf8)

// MARK: - Bodies

get.withUnsafeBytes { body in
    measure("JSON: read the body of a get") { use(try? house.context.readRequest(body, for: house.api)) }
}

// MARK: - Documents

let bytes = Array(document.utf8)
try measure("GraphQL: parse 32 lines", boundNanoseconds: 1_500) { use(try Parser.parse(Source(bytes))) }
let parsed = try Parser.parse(Source(bytes))
precondition(Validate.validate(parsed, house.schema).isEmpty, "The document is valid.")
measure("GraphQL: validate them") { use(Validate.validate(parsed, house.schema)) }

// MARK: - Plans

guard case .plan = house.context.plan(bytes, operationName: nil, madeBy: house.api) else { throw Problem("The document has no plan.") }
measure("API: plan cache hit, 32 lines", boundNanoseconds: 500) { use(house.context.plan(bytes, operationName: nil, madeBy: house.api)) }
let getDocument = Array("query Get($id: ID!) { getArticle(id: $id) { \(fields) } }".utf8)
_ = house.context.plan(getDocument, operationName: nil, madeBy: house.api)
measure("API: plan cache hit, a get", boundNanoseconds: 500) { use(house.context.plan(getDocument, operationName: nil, madeBy: house.api)) }
measure("API: parse, validate and plan 32 lines") { use(house.api.schema.plan(bytes, operationName: nil)) }

// MARK: - Answers

do {
    var writer = JSONWriter(capacity: 1 << 16)
    let keys = fields.split(separator: " ").map { Array("\"\($0)\":".utf8) }
    let value = Array("Some words that stand for the body of it.".utf8)
    value.withUnsafeBytes { value in
        measure("JSON: write 100 rows of 8 fields") {
            writer.reset()
            for row in 0..<100 {
                writer.append(row == 0 ? "{" : ",{")
                for (index, key) in keys.enumerated() {
                    if index > 0 { writer.append(UInt8(ascii: ",")) }
                    writer.append(key)
                    if index == 4 { writer.write(Int64(row)) } else { writer.writeString(value) }
                }
                writer.append("}")
            }
            use(writer)
        }
    }
}
try get.withUnsafeBytes { body in try measure("API: answer a get, body to bytes") { try house.answer(body) } }
try list.withUnsafeBytes { body in try measure("API: answer a list of 100, body to bytes") { try house.answer(body) } }

// MARK: - HTTP

let head = """
    POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:20002\r\nContent-Type: application/json\r\n\
    x-api-key: da2-fakeApiId123456\r\nContent-Length: \(get.count)\r\n\r\n
    """
var parser = RequestParser(limits: HTTPLimits())
(Array(head.utf8) + get).withUnsafeBytes { message in
    measure("HTTP: parse a POST of \(message.count) bytes") {
        parser.append(message)
        var event = parser.next()
        if case .head = event { event = parser.receiveBody(.collect()) }
        guard case .request = event else { preconditionFailure("The request is whole.") }
        _ = parser.takeRequest()
    }
}
