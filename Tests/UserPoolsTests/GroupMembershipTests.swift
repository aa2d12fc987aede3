import Foundation
import JSON
import Tables
import Testing

@testable import UserPools

@Suite("Memberships of groups")
struct GroupMembershipTests {
    private static func member(_ name: String, _ group: String, _ pool: String) -> JSONObject {
        ["UserPoolId": .string(pool), "GroupName": .string(group), "Username": .string(name)]
    }

    private static func groups(of name: String, in pool: String, _ stage: PoolStage) async throws -> [JSONValue?] {
        let listed = try await stage.get(
            "AdminListGroupsForUser", ["UserPoolId": .string(pool), "Username": .string(name)])
        return listed["Groups"]?.arrayValue?.map { $0["GroupName"] } ?? []
    }

    private static func members(of group: String, in pool: String, _ stage: PoolStage) async throws -> [JSONValue?] {
        let listed = try await stage.get(
            "ListUsersInGroup", ["UserPoolId": .string(pool), "GroupName": .string(group)])
        return listed["Users"]?.arrayValue?.map { $0["Username"] } ?? []
    }

    @Test("a membership that is left of a removed user or group is none of the next one of the name")
    func remains() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        let group: JSONObject = ["UserPoolId": .string(pool), "GroupName": "staff"]
        let records = stage.pools.records
        let jane = try await stage.makeUserWithoutPassword("jane", in: pool)
        try await stage.makeUserWithoutPassword("ada", in: pool)
        try await stage.get("CreateGroup", group)
        for name in ["jane", "ada"] { try await stage.get("AdminAddUserToGroup", Self.member(name, "staff", pool)) }
        #expect(try await Self.members(of: "staff", in: pool, stage) == ["ada", "jane"])

        // As a call leaves it that another one has overtaken.
        let stored = try #require(try await records.get(User.self, pool, "jane"))
        #expect(stored.sub == jane.sub)
        #expect(try await records.delete(stored))
        try await stage.makeUserWithoutPassword("jane", in: pool)
        #expect(try await Self.groups(of: "jane", in: pool, stage) == [])
        #expect(try await Self.members(of: "staff", in: pool, stage) == ["ada"])
        try await stage.get("AdminAddUserToGroup", Self.member("jane", "staff", pool))
        #expect(try await Self.groups(of: "jane", in: pool, stage) == ["staff"])

        // As a server leaves it that was stopped.
        #expect(try await records.delete(try #require(try await records.get(Group.self, pool, "staff"))))
        try await stage.get("CreateGroup", group)
        #expect(try await Self.members(of: "staff", in: pool, stage) == [])
        #expect(try await Self.groups(of: "ada", in: pool, stage) == [])
        try await stage.get("AdminAddUserToGroup", Self.member("ada", "staff", pool))
        #expect(try await Self.members(of: "staff", in: pool, stage) == ["ada"])
        try await stage.get("DeleteGroup", group)
        try await stage.get("CreateGroup", group)
        #expect(try await Self.members(of: "staff", in: pool, stage) == [])
    }

    @Test("a user who is deleted while others put the user into a group leaves no membership")
    func deletedUser() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.get("CreateGroup", ["UserPoolId": .string(pool), "GroupName": "staff"])
        for round in 0..<10 {
            let name = "user\(round)"
            let user = try await stage.makeUserWithoutPassword(name, in: pool)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask { _ = await stage.call("AdminAddUserToGroup", Self.member(name, "staff", pool)) }
                }
                tasks.addTask {
                    let deletion = await stage.call(
                        "AdminDeleteUser", ["UserPoolId": .string(pool), "Username": .string(name)])
                    #expect(deletion.failureError == nil)
                }
            }
            #expect(try await stage.pools.records.all(Membership.self, of: user.reference).isEmpty)
        }
    }

    @Test("a group that is deleted while users are put into it has no members when it is made again")
    func deletedGroup() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        let group: JSONObject = ["UserPoolId": .string(pool), "GroupName": "staff"]
        for number in 0..<12 { try await stage.makeUserWithoutPassword("user\(number)", in: pool) }
        for _ in 0..<5 {
            try await stage.get("CreateGroup", group)
            await withTaskGroup(of: Void.self) { tasks in
                for number in 0..<12 {
                    tasks.addTask {
                        _ = await stage.call("AdminAddUserToGroup", Self.member("user\(number)", "staff", pool))
                    }
                }
                tasks.addTask { #expect(await stage.call("DeleteGroup", group).failureError == nil) }
            }
            try await stage.get("CreateGroup", group)
            #expect(try await Self.members(of: "staff", in: pool, stage) == [])
            try await stage.get("DeleteGroup", group)
        }
    }

    @Test("a user has no more groups than the limit allows, however many calls come at one time")
    func limit() async throws {
        var limits = UserPoolLimits()
        limits.groupsPerUserMax = 5
        let stage = try PoolStage(limits: limits)
        let (pool, _) = try await stage.makePool()
        try await stage.makeUserWithoutPassword("jane", in: pool)
        for number in 0..<12 {
            try await stage.get("CreateGroup", ["UserPoolId": .string(pool), "GroupName": .string("group\(number)")])
        }
        let errors = await withTaskGroup(of: String?.self) { tasks in
            for number in 0..<12 {
                tasks.addTask {
                    await stage.call("AdminAddUserToGroup", Self.member("jane", "group\(number)", pool))
                        .failureError?.name
                }
            }
            return await tasks.reduce(into: [String]()) { if let error = $1 { $0.append(error) } }
        }
        #expect(errors == Array(repeating: "LimitExceededException", count: 7))
        #expect(try await Self.groups(of: "jane", in: pool, stage).count == 5)
    }

    @Test("memberships that an earlier version stored count")
    func earlierVersion() async throws {
        let folder = NSTemporaryDirectory() + "/pools-\(UUID().uuidString)"
        var options = StoreOptions()
        options.durability = .off
        let store = try LocalStore.open(folder: folder, options: options)
        defer {
            store.close()
            try? FileManager.default.removeItem(atPath: folder)
        }
        let earlier = RecordTables.all.map {
            $0.name == EarlierMembership.table.name ? EarlierMembership.storedTable : $0
        }
        func records(_ tables: [Table]) throws -> RecordStore {
            let migrated = try store.carryOutMigration(to: tables, renaming: [], allowing: .none, keepsIndexes: false)
            return try RecordStore(store, tables: migrated.tables, executor: PoolStage.QueueExecutor())
        }
        let user = User(
            poolID: "us-east-1_x", usernameKey: "jane", username: "jane", sub: "s", status: .confirmed, created: 0)
        var group = Group(poolID: "us-east-1_x", name: "staff", created: 0)
        group.generation = nil
        #expect(try await records(earlier).insert(EarlierMembership(user: user.reference, group: "staff")))
        let now = try records(RecordTables.all)
        let old = try #require(try await now.get(Membership.self, user.reference, "staff"))
        #expect(old.usernameKey == "jane" && old.isOf(user, in: group))
        #expect(try await now.delete(old))
        #expect(try await now.insert(Membership(user, group)))
        let new = try #require(try await now.get(Membership.self, user.reference, "staff"))
        #expect(new.isOf(user, in: group) && new.sub == "s")
        // A group of an earlier version has no generation, and the next one of the name has one.
        #expect(!new.isOf(user, in: Group(poolID: "us-east-1_x", name: "staff", created: 1)))
    }

    /// A membership as earlier versions stored it.
    private struct EarlierMembership: Record {
        var user: String
        var group: String
        var revision: Int64 = 0

        static let table = Table(
            system: "UserPools.Memberships", ["user", "group", "poolAndGroup", "poolID", "usernameKey"],
            key: ("user", "group"), indexes: [("byGroup", "poolAndGroup", "usernameKey")])

        init(user: String, group: String) { (self.user, self.group) = (user, group) }

        init?(_ row: [Value], revision: Int64) { return nil }

        var row: [Value] {
            [
                .text(user), .text(group), .text("us-east-1_x#\(group)"), .text("us-east-1_x"),
                .text(User.usernameKey(inReference: user)),
            ]
        }
    }
}
