import JSON

extension Operation {
    /// UpdateGroup: changes a group (reference: auth, "User-pool operations").
    static let updateGroup = Operation(
        "UpdateGroup", .signed,
        [
            .userPoolID, .groupName, .string("Description", 0...2_048), .string("RoleArn", 20...2_048),
            .integer("Precedence", 0...2_147_483_647),
        ]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        let (input, now) = (call.input, call.now)
        let group = try await call.records.update(Group.self, pool.id, call.input.required("GroupName")) { group in
            if let text = input.string("Description") { group.description = text }
            if let text = input.string("RoleArn") { group.roleARN = text }
            if let number = input.integer("Precedence") { group.precedence = number }
            group.modified = now
        }
        guard let group else { throw .groupNotFound }
        return ["Group": .object(group.json)]
    }
}
