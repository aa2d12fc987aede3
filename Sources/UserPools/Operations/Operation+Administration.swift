public import JSON

extension Operation {
    /// Whether it changes nothing.
    var isRead: Bool { Self.isRead(name) }

    static func isRead(_ name: String) -> Bool {
        ["List", "AdminList", "Get", "AdminGet", "Describe"].contains(where: name.hasPrefix)
    }

    /// The least role whose access key may sign it: reading is for viewers, pools, their clients and identity pools are for
    /// owners, and users and groups for editors.
    var role: AccessRole {
        if isRead { return .viewer }
        let isSetUp = ["UserPool", "IdentityPool", "AddCustomAttributes"].contains { name.firstRange(of: $0) != nil }
        return isSetUp ? .owner : .editor
    }

    /// Whether it is entered in the audit log. A sign-in by a server is none of its administration.
    var isAudited: Bool {
        access == .signed && !isRead && !["AdminInitiateAuth", "AdminRespondToAuthChallenge"].contains(name)
    }

    /// Throws unless the caller signed with an access key whose role allows the operation
    /// (Cognito API Reference, "Common Errors": `AccessDeniedException`).
    func checkSigner(_ caller: Caller, _ target: String, _ body: JSONObject) throws(CognitoError) {
        guard access == .signed else { return }
        guard let id = caller.accessKeyID else {
            throw CognitoError(
                "UnrecognizedClientException", "The security token included in the request is invalid.")
        }
        guard caller.role < role else { return }
        let isIdentity = target.hasPrefix("AWSCognitoIdentityService.")
        let action = "\(isIdentity ? "cognito-identity" : "cognito-idp"):\(name)"
        let pool = body[isIdentity ? "IdentityPoolId" : "UserPoolId"]?.stringValue ?? "*"
        let region = pool.firstIndex { $0 == "_" || $0 == ":" }.map { String(pool[..<$0]) } ?? "*"
        let resource =
            isIdentity
            ? "arn:aws:cognito-identity:\(region):000000000000:identitypool/\(pool)"
            : "arn:aws:cognito-idp:\(region):000000000000:userpool/\(pool)"
        throw CognitoError(
            "AccessDeniedException",
            "User: \(caller.ownerARN ?? AccessKey.userARN(id)) is not authorized to perform: \(action) on resource: \(resource) "
                + "because no identity-based policy allows the \(action) action")
    }
}

extension UserPools {
    /// Whether an operation of this name changes nothing.
    public static func isRead(_ operation: String) -> Bool { Operation.isRead(operation) }

    /// What an operation with this body is done to, as the audit log names it: the pool, then the user, group, client,
    /// domain or device.
    public static func auditTarget(of body: JSONObject) -> String {
        let members = [
            "UserPoolId", "PoolName", "IdentityPoolId", "IdentityPoolName", "Username", "GroupName", "ClientId",
            "ClientName", "Domain", "DeviceKey",
        ]
        return members.compactMap { body[$0]?.stringValue }.joined(separator: "/")
    }

    /// Enters an administrative operation in the audit log and carries it out: what cannot be entered is not done. One that
    /// fails is entered again, with `.failed` at the end of its name.
    func perform(
        _ operation: Operation, _ call: OperationCall, _ target: String
    ) async throws(CognitoError) -> JSONObject {
        guard operation.isAudited else { return try await operation.run(call) }
        let service = target.hasPrefix("AWSCognitoIdentityService.") ? "identities" : "users"
        var action = UserPoolServices.Administration(
            name: "\(service).\(operation.name)", target: Self.auditTarget(of: call.input.object),
            fields: call.input.object.map(\.key), caller: call.caller)
        guard services.noteAdministration(action) else { throw .internalError }
        do throws(CognitoError) {
            return try await operation.run(call)
        } catch {
            action.name += ".failed"
            _ = services.noteAdministration(action)
            throw error
        }
    }
}
