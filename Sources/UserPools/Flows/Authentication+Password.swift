import Encodings
import JSON

extension Authentication {
    /// USER_PASSWORD_AUTH and ADMIN_USER_PASSWORD_AUTH: the password itself.
    func signIn(username: String, password: String, deviceKey: String?) async throws(CognitoError) -> JSONObject {
        var found = try await pools.findUser(username, in: pool)
        var isCounted = false
        if found == nil, pool.lambdaConfig[.userMigration] != nil {
            found = try await migrate(username, trying: password, isCounted: &isCounted)
        }
        guard let user = found else {
            // Takes as long as for a known user.
            try await callPreAuthentication(nil, named: username)
            // `isRight` counts the wrong password, which must be counted once.
            if isCounted { pools.withdrawNetworkFailure(from: caller) }
            _ = try pools.isRight(password: password, of: nil, named: username, in: pool, from: caller)
            throw unknownUser
        }
        try checkStateBeforeFactor(of: user)
        try await callPreAuthentication(user)
        guard try pools.isRight(password: password, of: user, named: username, in: pool, from: caller) else {
            throw .wrongCredentials
        }
        try checkState(of: user)
        if pools.isExpired(temporaryPasswordOf: user, in: pool) { throw Self.temporaryPasswordExpired }
        return try await continueAfterFirstFactor(user, deviceKey: deviceKey)
    }

    static let temporaryPasswordExpired = CognitoError.notAuthorized(
        "Temporary password has expired and must be reset by an administrator.")

    /// Migrates an unknown user who signs in. The function compares the password, so each call is an attempt like any other.
    ///
    /// - Parameter isCounted: Whether a failure of the caller's network is counted afterwards.
    /// - Returns: The user; nil if there is none with this password.
    private func migrate(
        _ username: String, trying password: String, isCounted: inout Bool
    ) async throws(CognitoError) -> User? {
        let reference = "migration:\(pools.decoyReference(of: username, in: pool))"
        try pools.beginAttempt(of: reference, from: caller)
        // Counted before the answer, so that attempts at the same time are bounded like sequential ones.
        pools.attempts.fail(reference, now: now)
        isCounted = pools.countNetworkFailure(from: caller)
        let migrated: User?
        do throws(CognitoError) {
            migrated = try await migrate(username, password: password)
        } catch {
            // A function that fails says nothing of the password.
            if isCounted { pools.withdrawNetworkFailure(from: caller) }
            throw error
        }
        guard let user = migrated else { return nil }
        pools.attempts.succeed(reference)
        if isCounted { pools.withdrawNetworkFailure(from: caller) }
        isCounted = false
        return user
    }

    /// Calls the UserMigration trigger for an unknown user, and creates the user from its response.
    ///
    /// It is called for unknown users alone, so its errors say that no user has the name. Clients that prevent user existence
    /// errors are answered as if it did not know the user; the server logs the error.
    ///
    /// - Parameter password: The password of the sign-in; nil if the user forgot it.
    func migrate(_ username: String, password: String?) async throws(CognitoError) -> User? {
        guard pool.lambdaConfig[.userMigration] != nil else { return nil }
        do throws(CognitoError) {
            return try await callUserMigration(username, password: password)
        } catch {
            guard client.preventsUserExistenceErrors, error.status < 500 else { throw error }
            pools.services.noteTriggerFailure("UserMigration", error.message ?? error.name)
            return nil
        }
    }

    private func callUserMigration(_ username: String, password: String?) async throws(CognitoError) -> User? {
        let source = password == nil ? "UserMigration_ForgotPassword" : "UserMigration_Authentication"
        var request: JSONObject = ["clientMetadata": UserPools.json(metadata)]
        if let password {
            (request["password"], request["validationData"]) = (.string(password), UserPools.json(metadata))
        }
        let response: TriggerResponse
        do throws(CognitoError) {
            response = try await pools.call(
                .userMigration, source, for: nil, named: username, in: pool, client: client, request: request,
                response: [
                    "userAttributes": nil, "finalUserStatus": nil, "messageAction": nil,
                    "desiredDeliveryMediums": nil, "forceAliasCreation": nil, "enableSMSMFA": nil,
                ])
        } catch {
            // By an error the function reports that it does not know the user.
            if error.name == "UserLambdaValidationException" { return nil }
            throw error
        }
        guard let members = try response.texts("userAttributes") else { return nil }
        let attributes = members.filter { $0.name != "username" && $0.name != "sub" }
            .map { Attribute(name: $0.name, value: $0.value) }
        let finalStatus = try response.text("finalUserStatus")
        guard [nil, "CONFIRMED", "RESET_REQUIRED"].contains(finalStatus) else { throw TriggerResponse.unrecognizable }
        // Without a password, the user has to set one by a code.
        let status = finalStatus == "RESET_REQUIRED" || password == nil ? User.Status.resetRequired : .confirmed
        return try await pools.makeUser(
            named: members.first { $0.name == "username" }?.value ?? username, attributes, password: password,
            status: status,
            in: pool,
            takesOver: try response.bool("forceAliasCreation") ?? false)
    }

    // MARK: NEW_PASSWORD_REQUIRED

    func askForNewPassword(_ user: User, deviceKey: String?) -> JSONObject {
        var state = makeState("NEW_PASSWORD_REQUIRED", user)
        state.deviceKey = deviceKey
        let attributes = JSONObject(user.attributes.map { ($0.name, JSONValue.string($0.value)) })
        let missing = pool.schema.filter { $0.isRequired && (user[$0.name] ?? "").isEmpty }
        let required = JSONValue.array(missing.map { .string("userAttributes.\($0.name)") })
        return pools.ask(
            state,
            [
                "USER_ID_FOR_SRP": .string(user.username), "requiredAttributes": .string(required.description),
                "userAttributes": .string(JSONValue.object(attributes).description),
            ])
    }

    /// The answer to NEW_PASSWORD_REQUIRED.
    func setNewPassword(
        _ state: ChallengeState, _ user: User, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        guard let password = responses["NEW_PASSWORD"] else { throw .missingParameter("NEW_PASSWORD") }
        try pool.passwordPolicy.check(password)
        let prefix = "userAttributes."
        var given = responses.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.map {
            Attribute(name: String($0.key.dropFirst(prefix.count)), value: $0.value)
        }
        try UserPools.check(given, in: pool, by: client, isNew: false)
        for schema in pool.schema where schema.isRequired && (user[schema.name] ?? "").isEmpty {
            guard given.contains(where: { $0.name == schema.name && !$0.value.isEmpty }) else {
                throw .invalidParameter("Invalid attributes given, \(schema.name) is missing")
            }
        }
        given.removeAll { (user[$0.name] ?? "").isExactly($0.value) }
        try checkGivenWithPassword(given, to: user)
        let kept = pool.attributesKeptUntilVerified
        var (immediate, pending): ([Attribute], [UserPools.Delivery]) = ([], [])
        for attribute in given {
            let old = user[attribute.name] ?? ""
            if kept.contains(attribute.name), !old.isEmpty, !attribute.value.isEmpty, !old.isExactly(attribute.value) {
                pending.append(UserPools.Delivery(attribute: attribute.name, address: attribute.value))
            } else {
                immediate.append(attribute)
            }
        }
        let changes = UserPools.normalized(immediate)
        try pools.use(state)
        let sealed = pools.seal(password: password, of: user, in: pool)
        let now = now
        let changed = try await pools.update(user, in: pool) { user throws(CognitoError) in
            guard user.status == .forceChangePassword else { throw .sessionUsed }
            user.change(changes)
            (user.password, user.passwordSetAt, user.status) = (sealed, now, .confirmed)
            user.passwordCount += 1
        }
        try await pools.sendCodes(
            toPending: pending, of: changed, in: pool, client: client, metadata: metadata, from: caller)
        return try await continueAfterPassword(
            changed, deviceKey: state.deviceKey, source: "TokenGeneration_NewPasswordChallenge")
    }

    /// Checks the attributes that change with a new password. The caller gives them with the temporary one, which proves
    /// nothing of a second factor.
    ///
    /// "In a NEW_PASSWORD_REQUIRED challenge response, you can't modify a required attribute that already has a value." (Amazon
    /// Cognito User Pools API Reference, "RespondToAuthChallenge".) The same applies to what users sign in with, and to the
    /// addresses of second factors: none is changed, and none is added beside a factor that is set up.
    private func checkGivenWithPassword(_ given: [Attribute], to user: User) throws(CognitoError) {
        let factors = Self.factors(of: user, in: pool)
        for attribute in given {
            let name = attribute.name
            let isRequired = pool.schema.contains { $0.name == name && $0.isRequired }
            let factor: Factor? = name == "email" ? .email : name == "phone_number" ? .sms : nil
            if !(user[name] ?? "").isEmpty {
                let isAddressOfFactor = factor.map(factors.contains) ?? false
                guard !isRequired, !isAddressOfFactor, !pool.signInAttributes.contains(name) else {
                    throw .invalidParameter("Cannot modify an already provided \(name)")
                }
            } else if !isRequired, !factors.isEmpty, let factor, pool.enabledMFAs.contains(factor) {
                guard !user.mfa.isOn(factor, isRequired: pool.mfaConfiguration == .on) else {
                    throw .invalidParameter(
                        "Cannot add \(name), which is the address of a second factor, before the second factor")
                }
            }
        }
    }
}
