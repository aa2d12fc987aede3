import JSON

extension Operation {
    /// AdminListDevices: the devices of a user.
    static let adminListDevices = Operation(
        "AdminListDevices", .signed, [.userPoolID, .username, .limit, .string("PaginationToken")]
    ) { call throws(CognitoError) in
        let pool = try call.pool()
        return try await call.listDevices(of: try await call.namedUser(pool))
    }
}
