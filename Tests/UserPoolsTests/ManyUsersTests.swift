import Foundation
import JSON
import Testing

@testable import Tables
@testable import UserPools

@Suite("Many users")
struct ManyUsersTests {
    /// 5,000 in `make test`; `make users` lists 100,000.
    private static let count =
        ProcessInfo.processInfo.environment["SYNCLINE_USER_COUNT"].flatMap(Int.init) ?? 5_000

    /// A pool with that many users, written without passwords and by hundreds.
    private static func fill(_ stage: PoolStage, _ pool: String) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            let users = (start..<min(start + 100, count)).map { number in
                let name = name(number)
                var user = User(
                    poolID: pool, usernameKey: name, username: name, sub: "sub-\(name)",
                    status: number % 10 == 0 ? .unconfirmed : .confirmed, created: Int64(number))
                user.isEnabled = number % 100 != 0
                user.attributes = [
                    Attribute(name: "email", value: "\(name)@example.com"),
                    Attribute(name: "phone_number", value: "+1555\(1_000_000 + number)"),
                    Attribute(name: "preferred_username", value: "p\(name)"),
                    Attribute(name: "name", value: "Name \(number % 7)"),
                    Attribute(name: "given_name", value: "G\(name)"),
                    Attribute(name: "family_name", value: "F\(name)"),
                ]
                return RecordWrite.insert(user)
            }
            #expect(try await stage.pools.records.write(users))
        }
    }

    private static func name(_ number: Int) -> String { "u" + String(1_000_000 + number).dropFirst() }

    @Test("all users are listed, each once and in order, and found by each filter")
    func list() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await Self.fill(stage, pool)
        func names(_ filter: String?, pagesMax: Int = .max) async throws -> [String] {
            var (names, token, pages): ([String], JSONValue?, Int) = ([], nil, 0)
            repeat {
                var body: JSONObject = ["UserPoolId": .string(pool)]
                if let filter { body["Filter"] = .string(filter) }
                if let token { body["PaginationToken"] = token }
                let page = try await stage.get("ListUsers", body)
                names += page["Users"]?.arrayValue?.compactMap { $0["Username"]?.stringValue } ?? []
                token = page["PaginationToken"]
                pages += 1
            } while token != nil && pages < pagesMax
            return names
        }
        #expect(try await names(nil) == (0..<Self.count).map(Self.name))
        let last = Self.name(Self.count - 1)
        for filter in [
            #"username = "\#(last)""#, #"sub = "sub-\#(last)""#, #"email = "\#(last)@example.com""#,
            #"phone_number = "+1555\#(1_000_000 + Self.count - 1)""#, #"preferred_username = "p\#(last)""#,
            #"given_name = "G\#(last)""#, #"family_name ^= "F\#(last)""#,
        ] { #expect(try await names(filter) == [last], "\(filter)") }
        let named = (0..<Self.count).filter { $0 % 7 == 3 }.map(Self.name)
        #expect(try await names(#"name = "Name 3""#).sorted() == named)
        #expect(try await names(#"status = "Disabled""#).count == (Self.count + 99) / 100)
        #expect(try await names(#"cognito:user_status = "UNCONFIRMED""#).count == (Self.count + 9) / 10)
    }

    /// SQLite, "EXPLAIN QUERY PLAN": SEARCH visits a subset of the rows, SCAN all of them.
    @Test(
        "each filter, and each page after the first, begins at its place in an index",
        arguments: [
            nil, "username", "sub", "email", "phone_number", "preferred_username", "name", "given_name", "family_name",
            "status", "cognito:user_status",
        ])
    func plans(_ attribute: String?) async throws {
        let stage = try PoolStage()
        let (id, _) = try await stage.makePool()
        let pool = try #require(stage.pools.directory.pool(id))
        let table = try #require(stage.tables.first { $0.table.name == User.table.name })
        let connection = try Connection(
            path: DataFolder.database(in: stage.folder), mode: .reading, limits: StoreLimits())
        for isPrefix in attribute == nil ? [false] : [false, true] {
            let filter = try UserFilter(attribute.map { "\($0) \(isPrefix ? "^=" : "=") \"Enabled\"" } ?? "")
            let (access, sort) = Self.access(filter.condition(in: pool), table)
            for after in [nil, Position(sort: .text("x"), rowID: 1)] {
                let query = ItemQuery(
                    table: table, access: access, key: [.text(id)], sort: sort, after: after, limit: 61)
                let sql = query.makeFetch().sql
                let details = try connection.rows("EXPLAIN QUERY PLAN " + sql, columns: 4).map { row in
                    if case .text(let detail) = row.values[3] { detail } else { "" }
                }
                let reads = details.filter { $0.contains(" t") && !$0.hasPrefix("MERGE") }
                #expect(!reads.isEmpty && reads.allSatisfy { $0.hasPrefix("SEARCH t USING") }, "\(details) \(sql)")
                #expect(!details.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(details)")
                // Beside the pool a bound: the value, or the place where the page before ended.
                let isBound = sort != nil || after != nil
                #expect(!isBound || reads.allSatisfy { $0.contains(" AND ") }, "\(details) \(sql)")
            }
        }
    }

    private static func access(
        _ condition: UserFilter.Condition, _ table: StoredTable
    ) -> (Access, SortCondition?) {
        func sort(_ text: String, _ isPrefix: Bool) -> SortCondition {
            SortCondition(sortOperator: isPrefix ? .beginsWith : .eq, operands: [[.text(text)]])
        }
        switch condition {
        case .all, .none: return (.primaryKey, nil)
        case .username(let name): return (.primaryKey, sort(name, false))
        case .usernamePrefix(let prefix): return (.primaryKey, sort(prefix, true))
        case .index(let name, let text, let isPrefix):
            let index = table.table.indexes.firstIndex { $0.name == name } ?? -1
            return (.index(index), sort(text, isPrefix))
        }
    }
}
