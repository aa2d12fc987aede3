import JSON

extension Operation {
    /// ListDevices: the devices of a user (reference: auth, "User-pool operations").
    static let listDevices = Operation(
        "ListDevices", .token, [.accessToken, .limit, .string("PaginationToken")]
    ) { call throws(CognitoError) in
        let owner = try await call.tokenOwner()
        return try await call.listDevices(of: owner.user)
    }
}
