import JSON

extension Operation {
    /// AdminRemoveUserFromGroup: takes a user out of a group (reference: auth, "User-pool operations").
    static let adminRemoveUserFromGroup = Operation(
        "AdminRemoveUserFromGroup", .signed, [.userPoolID, .username, .groupName]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let user = try await call.namedUser(pool)
        let group = try await call.group(pool)
        if let membership = try await call.records.get(Membership.self, user.reference, group.name) {
            _ = try await call.records.delete(membership)
        }
        return [:]
    }
}
