import JSON

/// One step of a sign-in: what `InitiateAuth`, `RespondToAuthChallenge` and their Admin twins do
/// (reference: auth, "Authentication flows").
struct Authentication: Sendable {
    let pools: UserPools
    let pool: UserPool
    let client: UserPoolClient
    let caller: Caller
    let channel: SignInChannel
    let metadata: [String: String]

    var now: Int64 { pools.now }

    /// Throws if the user is disabled, or has a status that does not allow a sign-in.
    func checkState(of user: User) throws(CognitoError) {
        guard user.isEnabled else { throw .userIsDisabled }
        switch user.status {
        case .unconfirmed: throw .userIsNotConfirmed
        case .resetRequired: throw .resetRequired
        case .archived, .compromised, .unknown: throw .wrongCredentials
        case .confirmed, .forceChangePassword, .externalProvider: break
        }
    }

    /// Checks the user's status before a first factor is verified, but not for a client that prevents user existence errors:
    /// until the factor is verified, such a client gets the answer for an unknown user.
    func checkStateBeforeFactor(of user: User) throws(CognitoError) {
        if !client.preventsUserExistenceErrors { try checkState(of: user) }
    }

    /// The error for an unknown user.
    var unknownUser: CognitoError { client.preventsUserExistenceErrors ? .wrongCredentials : .userDoesNotExist }

    /// Calls PreAuthentication, for an unknown user only if the client prevents user existence errors.
    func callPreAuthentication(_ user: User?, named name: String? = nil) async throws(CognitoError) {
        guard user != nil || client.preventsUserExistenceErrors else { return }
        _ = try await pools.call(
            .preAuthentication, "PreAuthentication_Authentication", for: user, named: name, in: pool, client: client,
            request: [
                "userAttributes": user.map(UserPools.triggerAttributes) ?? [:],
                "validationData": UserPools.json(metadata), "userNotFound": .bool(user == nil),
            ], response: [:])
    }

    /// The state of a challenge that is issued now, to a user or to a name that no user has.
    func makeState(_ challenge: String, _ user: User) -> ChallengeState {
        pools.makeState(challenge, user, pool, client, channel)
    }

    func makeState(_ challenge: String, _ user: User?, named username: String) -> ChallengeState {
        // Derived for users too, so that both take the same time.
        let name = pools.decoyUsername(of: username, in: pool)
        // A user in memory, so that the session is as long as that of a known user.
        var nobody = User(
            poolID: pool.id, usernameKey: pool.usernameKey(name), username: name, sub: "", status: .unknown,
            created: now)
        nobody.sub = pools.nobodySub(of: nobody.reference)
        return makeState(challenge, user ?? nobody)
    }

    /// Continues after a successful first factor with the next step: new password, second factor, device, tokens.
    func continueAfterFirstFactor(_ user: User, deviceKey: String?) async throws(CognitoError) -> JSONObject {
        try checkState(of: user)
        if user.status == .forceChangePassword { return askForNewPassword(user, deviceKey: deviceKey) }
        return try await continueAfterPassword(user, deviceKey: deviceKey)
    }

    /// Continues after a password that does not have to be changed.
    func continueAfterPassword(
        _ user: User, deviceKey: String?, source: String = "TokenGeneration_Authentication"
    ) async throws(CognitoError) -> JSONObject {
        let device = try await device(deviceKey, of: user)
        if let device, device.verifier != nil, device.isRemembered || !isRememberedOnPrompt {
            if pool.deviceConfiguration?.challengeRequiredOnNewDevice == true || pool.mfaConfiguration == .off {
                return askForDevice(user, device)
            }
        }
        if let challenge = try await askForSecondFactor(user, deviceKey: deviceKey) { return challenge }
        if let device, device.verifier != nil { return askForDevice(user, device) }
        return try await finish(user, deviceKey: nil, source: source)
    }

    private var isRememberedOnPrompt: Bool { pool.deviceConfiguration?.deviceOnlyRememberedOnUserPrompt ?? false }

    /// The device with this key. An unknown device is an error: clients forget the device when they receive it.
    private func device(_ key: String?, of user: User) async throws(CognitoError) -> Device? {
        guard let key, pool.deviceConfiguration != nil else { return nil }
        guard let device = try await pools.records.get(Device.self, user.reference, key) else {
            throw .deviceDoesNotExist
        }
        return device
    }

    /// Completes a sign-in by issuing tokens.
    func finish(
        _ user: User, deviceKey: String?, source: String = "TokenGeneration_Authentication"
    ) async throws(CognitoError) -> JSONObject {
        _ = try await pools.call(
            .postAuthentication, "PostAuthentication_Authentication", for: user, in: pool, client: client,
            request: [
                "userAttributes": UserPools.triggerAttributes(user),
                "newDeviceUsed": .bool(pool.deviceConfiguration != nil && deviceKey == nil),
                "clientMetadata": UserPools.json(metadata),
            ], response: [:])
        // The hosted pages issue tokens later.
        if channel == .hosted { return ["HostedUser": .string(user.usernameKey)] }
        var signIn = UserPools.SignIn(pool: pool, client: client)
        (signIn.deviceKey, signIn.source, signIn.metadata) = (deviceKey, source, metadata)
        var newDevice: JSONValue?
        if pool.deviceConfiguration != nil, deviceKey == nil, channel != .administration {
            let device = try await makeDevice(of: user)
            signIn.deviceKey = device.deviceKey
            newDevice = ["DeviceKey": .string(device.deviceKey), "DeviceGroupKey": .string(device.groupKey)]
        }
        var result = try await pools.beginSession(of: user, signIn)
        if let newDevice { result["NewDeviceMetadata"] = newDevice }
        return ["AuthenticationResult": .object(result), "ChallengeParameters": [:]]
    }

    private func makeDevice(of user: User) async throws(CognitoError) -> Device {
        var device = Device(
            user: user.reference, deviceKey: "\(pool.region)_\(pools.randomness.uuid())",
            groupKey: "-" + pools.randomness.text(9, of: Randomness.alphanumeric), created: now)
        device.address = caller.address
        let known = try await pools.records.all(Device.self, of: user.reference)
        if known.count >= pools.limits.devicesPerUserMax,
            let oldest = known.min(by: { $0.lastAuthenticated < $1.lastAuthenticated })
        {
            _ = try await pools.records.delete(oldest)
        }
        guard try await pools.records.insert(device) else { throw .internalError }
        return device
    }
}
