import JSON

extension Operation {
    /// DeleteGroup: removes a group; its members stay (reference: auth, "User-pool operations").
    static let deleteGroup = Operation(
        "DeleteGroup", .signed, [.userPoolID, .groupName]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let group = try await call.group(pool)
        _ = try await call.records.delete(group)
        let reference = Membership.groupReference(poolID: pool.id, group: group.name)
        for membership in try await call.records.all(Membership.self, "byGroup", of: reference) {
            _ = try await call.records.delete(membership)
        }
        return [:]
    }
}
