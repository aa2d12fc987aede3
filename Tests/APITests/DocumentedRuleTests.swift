import Foundation
import JSON
import Testing
import Transformer

@testable import API

/// The table from "I want …" to the rule in docs/authorization.md: each row is served in both versions, with the rules that
/// the page shows.
@Suite("The documented rules do what their rows say")
struct DocumentedRuleTests {
    /// What a row needs beside its rules, and what must come of it.
    private struct Row {
        /// The schema; `RULES` stands for the rules of the page.
        var schema = "type Note @model @auth(rules: [RULES]) { id: ID! text: String }"
        /// The rules around those of the page, which stand for `…`.
        var rules = "…"
        /// By version; the second is that of both where there is one.
        var checks: [TransformOptions.TransformerVersion: [(Identity, String, String)]]

        init(
            schema: String? = nil, rules: String? = nil, _ both: [(Identity, String, String)] = [],
            v1: [(Identity, String, String)] = [], v2: [(Identity, String, String)] = []
        ) {
            if let schema { self.schema = schema }
            if let rules { self.rules = rules }
            checks = [.v1: both + v1, .v2: both + v2]
        }
    }

    private static let staff = Identity.user("sue", in: ["Staff"])
    private static let admin = Identity.user("ada", in: ["Admin"])
    private static let get = "getNote(id: '1')"
    private static let create = "createNote(input: {id: '1', text: 't'})"
    private static let update = "updateNote(input: {id: '1', text: 'u'})"

    private static func oidc(_ name: String) -> Identity {
        .oidc(
            IdentityToken(claims: JSONObject([("sub", .string("s-\(name)")), ("username", .string(name))])), claims: [])
    }

    private static let rows: [String: Row] = [
        "everyone with the API key": Row([(.apiKey, create, "ok"), (.apiKey, get, "ok"), (.ann, get, "U")]),
        "every signed-in user": Row([(.ann, create, "ok"), (.bob, get, "ok"), (.apiKey, get, "U")]),
        "the user who created an item, and nobody else": Row([
            (.ann, create, "ok"), (.ann, get, "ok"), (.bob, get, "U"), (.apiKey, get, "U"),
        ]),
        "everyone signed in reads, the owner writes": Row(
            [(.ann, create, "ok"), (.bob, get, "ok"), (.ann, update, "ok")], v1: [(.bob, update, "C")],
            v2: [(.bob, update, "U")]),
        "everyone with the API key reads, the owner writes": Row([
            (.ann, create, "ok"), (.apiKey, get, "ok"), (.apiKey, update, "U"), (.ann, update, "ok"),
        ]),
        "several owners of one item": Row(
            schema: "type Note @model @auth(rules: [RULES]) { id: ID! text: String editors: [String] }",
            [
                (.ann, "createNote(input: {id: '1', editors: ['ann', 'bob']})", "ok"), (.bob, update, "ok"),
                (.user("cy"), get, "U"),
            ]),
        "owners by another claim, such as the e-mail address": Row([
            (.user("ann", claims: ["email": "a@x"]), create, "ok"),
            (.user("other", claims: ["email": "a@x"]), get, "ok"),
            (.user("ann", claims: ["email": "b@x"]), get, "U"), (.accessToken("ann"), get, "U"),
        ]),
        "a group of users": Row([(staff, create, "ok"), (staff, get, "ok"), (.ann, get, "U")]),
        "groups that each item names": Row(
            schema: "type Note @model @auth(rules: [RULES]) { id: ID! text: String teams: [String] }",
            [
                (.user("ron", in: ["red"]), "createNote(input: {id: '1', teams: ['red']})", "ok"),
                (.user("rob", in: ["red"]), get, "ok"), (.user("gus", in: ["green"]), get, "U"),
            ]),
        "groups of a claim that is not the user pool's": Row([
            (.user("ann", claims: ["roles": ["Staff"]]), create, "ok"), (staff, get, "U"),
        ]),
        "users of another OpenID Connect provider": Row([
            (oidc("ann"), create, "ok"), (oidc("ann"), get, "ok"), (oidc("bob"), get, "U"), (.ann, get, "U"),
        ]),
        "signed-in identities of an identity pool": Row([
            (.signedIn, create, "ok"), (.signedIn, get, "ok"), (.guest, get, "Permission denied"), (.ann, get, "U"),
        ]),
        "guests of an identity pool": Row([(.guest, create, "ok"), (.guest, get, "ok"), (.ann, get, "U")]),
        "callers that a Lambda authorizer accepts": Row(v2: [
            (.lambda, create, "ok"), (.lambda, get, "ok"), (.ann, get, "U"),
        ]),
        "some operations only": Row(
            rules: "{allow: private, …}", [(.ann, create, "ok"), (.ann, update, "ok"), (.apiKey, create, "U")],
            v2: [(.ann, get, "U"), (.ann, "deleteNote(input: {id: '1'})", "U")]),
        "a field that fewer may read": Row(
            schema: """
                type Note @model @auth(rules: [{allow: private}]) {
                  id: ID!
                  text: String @auth(rules: [{allow: groups, groups: ["Staff"]}])
                }
                """,
            [(staff, create, "ok"), (staff, "getNote(id: '1') { text }", "{text:t}")]),
        "an owner that cannot be reassigned": Row(
            schema: """
                type Note @model @auth(rules: [{allow: owner}]) {
                  id: ID
                  text: String
                  owner: String @auth(rules: [RULES])
                }
                """,
            [(.ann, create, "ok"), (.ann, update, "ok")],
            v1: [
                (.ann, "updateNote(input: {id: '1', owner: 'bob'})", "U"), (.bob, get, "U"),
                (admin, "updateNote(input: {id: '1', owner: 'bob'})", "C"),
                (.ann, "deleteNote(input: {id: '1'})", "ok"),
            ],
            v2: [
                (.ann, "updateNote(input: {id: '1', owner: 'bob'})", "F[owner]"),
                (.ann, "updateNote(input: {id: '1', owner: null})", "F[owner]"), (.bob, get, "U"),
                (.ann, "deleteNote(input: {id: '1'})", "ok"),
            ]),
        "a field of `Query` for a group": Row(
            schema: """
                type Note @model @auth(rules: [{allow: private}]) { id: ID! }
                type Query { ping: String @auth(rules: [RULES]) }
                """,
            [(.ann, "ping", "U"), (staff, "ping", "null")]),
        "everything in development, without rules": Row(
            schema:
                "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } } type Note @model { id: ID! text: String }",
            v2: [(.apiKey, create, "ok"), (.apiKey, get, "ok"), (.ann, get, "U")]),
    ]

    /// The rows of the page: what one wants, and the cells of both versions.
    private static func table() throws -> [(want: String, cells: [TransformOptions.TransformerVersion: String])] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/authorization.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "| I want … | version 1 | version 2 |\n").last)
        return section.components(separatedBy: "\n").dropFirst().prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.components(separatedBy: " | ").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: "| "))
            }
            return (cells[0], [.v1: cells[1], .v2: cells[2].hasPrefix("the same") ? cells[1] : cells[2]])
        }
    }

    /// The first code of a cell that is about rules.
    private static func rules(_ cell: String) -> String? {
        let codes = cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        guard let code = codes.first(where: { $0.hasPrefix("{allow") || $0.hasPrefix("operations:") }) else {
            return nil
        }
        return code
    }

    @Test("each row of the table is served as it says, in both versions")
    func rows() throws {
        let table = try Self.table()
        #expect(Set(table.map(\.want)) == Set(Self.rows.keys))
        for (want, cells) in table {
            let row = try #require(Self.rows[want])
            for (version, cell) in cells {
                let checks = row.checks[version] ?? []
                guard !checks.isEmpty else { continue }
                let rules = Self.rules(cell)
                #expect(rules != nil || !row.schema.contains("RULES"), "\(want), \(version)")
                let schema = row.schema.replacing("RULES", with: row.rules.replacing("…", with: rules ?? ""))
                let stage = try RuledStage(schema, version)
                for (caller, field, expected) in checks {
                    let found = try stage.answer(caller, field, isScalar: field == "ping")
                    #expect(found == expected, "\(want), \(version): \(field) as \(caller.name)")
                }
            }
        }
    }
}
