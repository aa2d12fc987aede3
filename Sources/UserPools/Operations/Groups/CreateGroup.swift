import JSON

extension Operation {
    /// CreateGroup: makes a group (reference: auth, "User-pool operations").
    static let createGroup = Operation(
        "CreateGroup", .signed,
        [
            .userPoolID, .groupName, .string("Description", 0...2_048), .string("RoleArn", 20...2_048),
            .integer("Precedence", 0...2_147_483_647),
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        try NamePattern.check(call.input.required("GroupName"), "groupName")
        var group = Group(poolID: pool.id, name: call.input.required("GroupName"), created: call.now)
        (group.description, group.roleARN) = (call.input.string("Description"), call.input.string("RoleArn"))
        group.precedence = call.input.integer("Precedence")
        guard
            try await call.records.query(
                Group.self, of: pool.id, limit: call.pools.limits.groupsPerPoolMax
            ).records.count < call.pools.limits.groupsPerPoolMax
        else { throw .limitExceeded }
        guard try await call.records.insert(group) else {
            throw CognitoError("GroupExistsException", "A group with the name already exists.")
        }
        return ["Group": .object(group.json)]
    }
}
