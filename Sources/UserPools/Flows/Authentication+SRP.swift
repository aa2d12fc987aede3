import BigInt
import Encodings
import JSON

extension Authentication {
    /// USER_SRP_AUTH: answers A with B (reference: auth, "Messages").
    func beginSRP(
        username: String, clientPublic hex: String, customResults: [JSONValue]? = nil
    ) async throws(CognitoError) -> JSONObject {
        let clientPublic = try Self.clientPublic(hex)
        let user = try await pools.findUser(username, in: pool)
        if user == nil, !client.preventsUserExistenceErrors { throw .userDoesNotExist }
        if let user { try checkStateBeforeFactor(of: user) }
        try pools.checkAttempts(of: pools.countedName(of: user, named: username, in: pool), from: caller)
        try await callPreAuthentication(user, named: username)
        // The answer for an unknown user looks the same; verification fails later.
        let name = pools.username(of: user, named: username, in: pool)
        let verifier = user.flatMap { pools.verifier(of: $0, in: pool) } ?? pools.fakeVerifier(of: name, in: pool)
        let server = SRPServer(clientPublic: clientPublic, verifier: verifier, randomness: pools.randomness)
        var exchange = SRPExchange(
            purpose: .password, poolID: pool.id, clientID: client.id,
            usernameKey: user?.usernameKey ?? pool.usernameKey(name), isFake: user == nil, id: pools.randomness.uuid(),
            expires: now + client.authSessionMinutes * 60_000,
            run: pools.run, channel: channel)
        // The values for an unknown user are as long as those of a known one.
        let nobodySub = pools.nobodySub(of: pools.decoyReference(of: username, in: pool))
        exchange.sub = user?.sub ?? nobodySub
        exchange.generation = user?.credentialGeneration ?? Int64.random(in: 1 << 51..<1 << 52)
        exchange.customResults = customResults
        let block = seal(exchange, server)
        return [
            "ChallengeName": "PASSWORD_VERIFIER",
            "ChallengeParameters": [
                "SALT": .string(Self.hex(verifier.salt)), "SECRET_BLOCK": .string(block),
                "SRP_B": .string(Self.hex(SRPGroup.bytes(server.serverPublic))), "USERNAME": .string(name),
                "USER_ID_FOR_SRP": .string(name),
            ],
        ]
    }

    /// Digits without leading zeros: clients read them as a number.
    static func hex(_ bytes: [UInt8]) -> String {
        let digits = Hexadecimal.text(of: bytes).drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }

    /// The number A in `SRP_A`.
    private static func clientPublic(_ hex: String) throws(CognitoError) -> BigUInt {
        guard let value = SRPGroup.publicValue(hex) else {
            throw .invalidParameter("SRP_A is not a valid public value.")
        }
        return value
    }

    private func seal(_ exchange: SRPExchange, _ server: SRPServer) -> String {
        var exchange = exchange
        exchange.secret = server.secret
        exchange.clientPublicRemainder = SRPGroup.bytes(server.clientPublic % SRPGroup.prime)
        exchange.clientPublicQuotient = SRPGroup.padded(server.clientPublic / SRPGroup.prime)
        exchange.serverPublic = SRPGroup.bytes(server.serverPublic)
        let text = pools.sealer.seal(Array(JSONValue.object(exchange.json).description.utf8), context: "srp")
        return Base64.encode(Array(text.utf8))
    }

    /// Opens a SECRET_BLOCK that this server made for this client.
    private func open(_ block: String) throws(CognitoError) -> (exchange: SRPExchange, bytes: [UInt8]) {
        guard let bytes = Base64.decode(block.utf8),
            let opened = pools.sealer.open(String(decoding: bytes, as: UTF8.self), context: "srp"),
            let exchange = (try? JSONReader.read(opened))?.objectValue.flatMap(SRPExchange.init),
            exchange.poolID == pool.id, exchange.clientID == client.id, exchange.expires > now,
            exchange.run == pools.run,
            channel.continues(exchange.channel)
        else { throw .wrongCredentials }
        return (exchange, bytes)
    }

    /// Verifies the client's proof that it knows the password. Each exchange is single-use.
    private func verifyProof(
        _ claim: PasswordClaim, _ exchange: SRPExchange, block: [UInt8], _ verifier: SRPVerifier, group: String,
        user: String
    ) -> Bool {
        guard pools.singleUse.use(exchange.id, expires: exchange.expires, now: now) else { return false }
        let isTimely = SRPTimestamp.isValid(claim.timestamp, now: now / 1_000)
        let server = SRPServer(
            clientPublic: SRPGroup.number(exchange.clientPublicQuotient) * SRPGroup.prime
                + SRPGroup.number(exchange.clientPublicRemainder),
            serverPublic: SRPGroup.number(exchange.serverPublic), verifier: verifier, secret: exchange.secret)
        let signature = server.signature(group: group, user: user, secretBlock: block, timestamp: claim.timestamp)
        guard let given = Base64.decode(claim.signature.utf8) else { return false }
        return ConstantTime.isEqual(signature, given) && isTimely && !exchange.isFake
    }

    /// The answer to PASSWORD_VERIFIER.
    func verifyPassword(_ responses: [String: String]) async throws(CognitoError) -> JSONObject {
        let claim = try PasswordClaim(responses)
        guard responses["USERNAME"] != nil else { throw .missingParameter("USERNAME") }
        let (exchange, bytes) = try open(claim.secretBlock)
        guard exchange.purpose == .password else { throw .wrongCredentials }
        let counted = User.countedName(
            sub: exchange.sub, User.reference(poolID: pool.id, usernameKey: exchange.usernameKey))
        let user = try await user(of: exchange)
        // Nothing is awaited within an attempt, so that no more attempts run at one time than there are threads.
        try pools.beginAttempt(of: counted, from: caller)
        let verifier =
            user.flatMap { pools.verifier(of: $0, in: pool) } ?? pools.fakeVerifier(of: exchange.usernameKey, in: pool)
        let username = user?.username ?? exchange.usernameKey
        guard verifyProof(claim, exchange, block: bytes, verifier, group: pool.srpName, user: username), let user
        else {
            pools.countFailure(of: counted, from: caller)
            throw .wrongCredentials
        }
        pools.attempts.succeed(counted)
        try checkState(of: user)
        if pools.isExpired(temporaryPasswordOf: user, in: pool) { throw Self.temporaryPasswordExpired }
        if let results = exchange.customResults {
            let passed: JSONValue = [
                "challengeName": "PASSWORD_VERIFIER", "challengeResult": true, "challengeMetadata": nil,
            ]
            return try await continueCustom(user, results + [passed])
        }
        return try await continueAfterFirstFactor(user, deviceKey: responses["DEVICE_KEY"])
    }

    /// The user of an exchange; nil for an unknown user, and if the user was deleted, got another password or signed out
    /// everywhere since the exchange began.
    private func user(of exchange: SRPExchange) async throws(CognitoError) -> User? {
        guard let user = try await pools.records.get(User.self, pool.id, exchange.usernameKey),
            user.sub == exchange.sub, user.credentialGeneration == exchange.generation
        else { return nil }
        return user
    }

    // MARK: Devices

    /// DEVICE_SRP_AUTH (reference: auth, "Device SRP").
    func askForDevice(_ user: User, _ device: Device) -> JSONObject {
        var state = makeState("DEVICE_SRP_AUTH", user)
        state.deviceKey = device.deviceKey
        pools.deviceChallenges.add(device, for: state, now: now)
        return pools.ask(state, ["DEVICE_KEY": .string(device.deviceKey), "USERNAME": .string(user.username)])
    }

    private func verifier(of device: Device) -> SRPVerifier? {
        guard let sealed = device.verifier,
            let bytes = pools.sealer.open(sealed, context: device.context),
            bytes.count > 17
        else { return nil }
        let saltCount = Int(bytes[0])
        guard bytes.count == 1 + saltCount + SRPGroup.byteCount else { return nil }
        return SRPVerifier(salt: Array(bytes[1...saltCount]), verifier: Array(bytes[(1 + saltCount)...]))
    }

    /// Handles a response to DEVICE_SRP_AUTH without a `Session`, for a device that has a pending challenge.
    func beginDeviceSRP(_ responses: [String: String]) async throws(CognitoError) -> JSONObject {
        guard let user = try await pools.findUser(responses["USERNAME"] ?? "", in: pool),
            let key = responses["DEVICE_KEY"],
            let state = pools.deviceChallenges.take(user: user.reference, deviceKey: key, now: now),
            state.clientID == client.id, channel.continues(state.channel), state.sub == user.sub,
            state.generation == user.credentialGeneration
        else { throw .missingParameter("Session") }
        try checkState(of: user)
        return try await beginDeviceSRP(state, user, responses)
    }

    /// The answer to DEVICE_SRP_AUTH.
    func beginDeviceSRP(
        _ state: ChallengeState, _ user: User, _ responses: [String: String]
    ) async throws(CognitoError) -> JSONObject {
        guard let hex = responses["SRP_A"] else { throw .missingParameter("SRP_A") }
        let clientPublic = try Self.clientPublic(hex)
        guard let key = responses["DEVICE_KEY"] else { throw .missingParameter("DEVICE_KEY") }
        guard key == state.deviceKey, let device = try await pools.records.get(Device.self, user.reference, key),
            let verifier = verifier(of: device)
        else { throw .deviceDoesNotExist }
        try pools.use(state)
        let server = SRPServer(clientPublic: clientPublic, verifier: verifier, randomness: pools.randomness)
        var exchange = SRPExchange(
            purpose: .device, poolID: pool.id, clientID: client.id, usernameKey: user.usernameKey, isFake: false,
            id: pools.randomness.uuid(), expires: now + client.authSessionMinutes * 60_000, run: pools.run,
            channel: channel)
        (exchange.sub, exchange.generation) = (user.sub, user.credentialGeneration)
        exchange.deviceKey = key
        let next = makeState("DEVICE_PASSWORD_VERIFIER", user)
        return pools.ask(
            next,
            [
                "SALT": .string(Self.hex(verifier.salt)), "SECRET_BLOCK": .string(seal(exchange, server)),
                "SRP_B": .string(Self.hex(SRPGroup.bytes(server.serverPublic))), "DEVICE_KEY": .string(key),
                "USERNAME": .string(user.username),
            ])
    }

    /// The answer to DEVICE_PASSWORD_VERIFIER.
    func verifyDevice(_ responses: [String: String]) async throws(CognitoError) -> JSONObject {
        let claim = try PasswordClaim(responses)
        let (exchange, bytes) = try open(claim.secretBlock)
        guard exchange.purpose == .device, let user = try await user(of: exchange) else { throw .wrongCredentials }
        guard let key = exchange.deviceKey, responses["DEVICE_KEY"] == key,
            let device = try await pools.records.get(Device.self, user.reference, key),
            let verifier = verifier(of: device)
        else { throw .deviceDoesNotExist }
        try pools.beginAttempt(of: user.countedName, from: caller)
        guard verifyProof(claim, exchange, block: bytes, verifier, group: device.groupKey, user: device.deviceKey)
        else {
            pools.countFailure(of: user.countedName, from: caller)
            throw .wrongCredentials
        }
        pools.attempts.succeed(user.countedName)
        try checkState(of: user)
        let (now, address) = (now, caller.address)
        _ = try await pools.records.update(Device.self, user.reference, key) { device in
            (device.lastAuthenticated, device.address) = (now, address)
        }
        return try await finish(user, deviceKey: key, source: "TokenGeneration_AuthenticateDevice")
    }
}
