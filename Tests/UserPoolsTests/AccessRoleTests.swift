import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("The roles of access keys, and the audit log of what they sign")
struct AccessRoleTests {
    private func call(
        _ stage: PoolStage, _ operation: String, _ body: JSONObject, as role: AccessRole,
        service: String = "AWSCognitoIdentityProviderService"
    ) async -> Result<JSONObject, CognitoError> {
        await stage.pools.perform(
            "\(service).\(operation)", body,
            from: Caller(address: "127.0.0.1", accessKeyID: "AKIA", role: role, requestID: "r", baseURL: "http://x"))
    }

    @Test("every signed operation has its role")
    func table() {
        func names(_ role: AccessRole) -> [String] {
            (OperationTable.userPools + IdentityOperations.all).filter { $0.access == .signed && $0.role == role }
                .map(\.name).sorted()
        }
        #expect(
            names(.viewer) == [
                "AdminGetDevice", "AdminGetUser", "AdminListDevices", "AdminListGroupsForUser", "DescribeIdentity",
                "DescribeIdentityPool", "DescribeUserPool", "DescribeUserPoolClient", "DescribeUserPoolDomain",
                "GetGroup", "GetIdentityPoolRoles", "GetUserPoolMfaConfig", "ListGroups", "ListIdentities",
                "ListIdentityPools", "ListUserPoolClients", "ListUserPools", "ListUsers", "ListUsersInGroup",
            ])
        #expect(
            names(.editor) == [
                "AdminAddUserToGroup", "AdminConfirmSignUp", "AdminCreateUser", "AdminDeleteUser",
                "AdminDeleteUserAttributes", "AdminDisableUser", "AdminEnableUser", "AdminForgetDevice",
                "AdminInitiateAuth", "AdminRemoveUserFromGroup", "AdminResetUserPassword",
                "AdminRespondToAuthChallenge", "AdminSetUserMFAPreference", "AdminSetUserPassword",
                "AdminUpdateUserAttributes", "AdminUserGlobalSignOut", "CreateGroup", "DeleteGroup", "UpdateGroup",
            ])
        #expect(
            names(.owner) == [
                "AddCustomAttributes", "CreateIdentityPool", "CreateUserPool", "CreateUserPoolClient",
                "CreateUserPoolDomain", "DeleteIdentityPool", "DeleteUserPool", "DeleteUserPoolClient",
                "DeleteUserPoolDomain", "SetIdentityPoolRoles", "SetUserPoolMfaConfig", "UpdateIdentityPool",
                "UpdateUserPool", "UpdateUserPoolClient",
            ])
        #expect(OperatorOperations.all.allSatisfy { $0.access == .signed })
    }

    @Test("a viewer reads, an editor changes users, an owner pools; others receive AccessDeniedException")
    func roles() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.makeUser("ada", in: pool)
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "ada"]
        let rows: [(operation: String, body: JSONObject, least: AccessRole)] = [
            ("AdminGetUser", user, .viewer), ("ListUsers", ["UserPoolId": .string(pool)], .viewer),
            ("DescribeUserPool", ["UserPoolId": .string(pool)], .viewer), ("AdminDisableUser", user, .editor),
            ("CreateGroup", ["UserPoolId": .string(pool), "GroupName": "staff"], .editor),
            ("UpdateUserPool", ["UserPoolId": .string(pool)], .owner),
        ]
        for (operation, body, least) in rows {
            for role in AccessRole.allCases {
                let error = await call(stage, operation, body, as: role).failureError
                #expect(
                    (error?.name == "AccessDeniedException") == (role < least), "\(operation) \(role) \(error as Any)")
            }
        }
        let denied = await call(stage, "AdminDeleteUser", user, as: .viewer).failureError
        #expect(
            denied?.message
                == "User: arn:aws:iam::000000000000:user/AKIA is not authorized to perform: cognito-idp:AdminDeleteUser "
                + "on resource: arn:aws:cognito-idp:us-east-1:000000000000:userpool/\(pool) because no identity-based "
                + "policy allows the cognito-idp:AdminDeleteUser action")
        #expect(denied?.status == 400)
        // Nor does a malformed body find out more.
        #expect(await call(stage, "AdminDeleteUser", [:], as: .viewer).failureError?.name == "AccessDeniedException")
        let made = await call(
            stage, "CreateIdentityPool", ["IdentityPoolName": "p", "AllowUnauthenticatedIdentities": true], as: .editor,
            service: "AWSCognitoIdentityService")
        #expect(made.failureError?.message?.contains("cognito-identity:CreateIdentityPool") == true)
    }

    @Test("signed operations are entered once, by name and target, before they are carried out; failures again")
    func audit() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool()
        try await stage.makeUser("ada", in: pool)
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "ada"]
        try await stage.get("AdminGetUser", user)
        _ = await stage.call("AdminDeleteUser", ["UserPoolId": .string(pool), "Username": "nobody"])
        _ = await stage.call("AdminDeleteUser", user, isSigned: false)
        _ = await call(stage, "AdminDeleteUser", user, as: .viewer)
        _ = await stage.call(
            "AdminInitiateAuth",
            [
                "UserPoolId": .string(pool), "ClientId": .string(client), "AuthFlow": "ADMIN_USER_PASSWORD_AUTH",
                "AuthParameters": ["USERNAME": "ada", "PASSWORD": "Passw0rd!"],
            ])
        let made = try await call(
            stage, "CreateIdentityPool", ["IdentityPoolName": "guests", "AllowUnauthenticatedIdentities": true],
            as: .owner, service: "AWSCognitoIdentityService"
        ).get()
        let id = try #require(made["IdentityPoolId"]?.stringValue)
        _ = try await call(
            stage, "SetIdentityPoolRoles", ["IdentityPoolId": .string(id), "Roles": [:]], as: .owner,
            service: "AWSCognitoIdentityService"
        ).get()
        let entries = stage.administration.list.withLock { $0 }
        #expect(
            entries.map { "\($0.name) \($0.target)" } == [
                "users.CreateUserPool test", "users.CreateUserPoolClient \(pool)/app",
                "users.AdminCreateUser \(pool)/ada", "users.AdminSetUserPassword \(pool)/ada",
                "users.AdminDeleteUser \(pool)/nobody", "users.AdminDeleteUser.failed \(pool)/nobody",
                "identities.CreateIdentityPool guests", "identities.SetIdentityPoolRoles \(id)",
            ])
        #expect(entries[3].fields == ["UserPoolId", "Username", "Password", "Permanent"])
        #expect(entries[3].caller.accessKeyID == "AKIA")
        // Operators' calls are entered by the server, which carries them out.
        let operators = Caller(address: "x", accessKeyID: "user 0", requestID: "r", baseURL: "")
        _ = try await stage.pools.performForOperator("AdminDisableUser", user, from: operators).get()
        #expect(stage.administration.names.count == entries.count)
    }

    @Test("what cannot be entered in the audit log is not done")
    func unwritable() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        try await stage.makeUser("ada", in: pool)
        stage.administration.isWritable.withLock { $0 = false }
        let user: JSONObject = ["UserPoolId": .string(pool), "Username": "ada"]
        await stage.expect("InternalErrorException", nil, "AdminDeleteUser", user)
        #expect(try await stage.get("AdminGetUser", user)["Enabled"] == true)
    }
}
