import JSON
import Synchronization

extension UserPools {
    /// The region of pools that calls make: that of the first pool that is configured.
    var region: String { directory.pools.first(where: \.isConfigured)?.region ?? "us-east-1" }

    /// The issuers of a pool that is made now.
    var newIssuers: [String] { issuerBase.withLock { $0 }.map { [$0] } ?? [] }

    /// Removes a pool with all that it has.
    func remove(_ pool: UserPool) async throws(CognitoError) {
        let (clients, issuers) = (directory.clients(of: pool.id), directory.issuers(of: pool.id))
        // Nobody signs in from here on.
        directory.removePool(pool.id)
        services.endSessions(.pool(pool.id))
        do throws(CognitoError) {
            try await removeRecords(of: pool, clients)
        } catch {
            directory.set(pool)
            for client in clients { directory.set(client) }
            directory.set(issuers: issuers, of: pool.id)
            throw error
        }
    }

    /// The record of the pool goes last: a pool whose removal ended early is still there, and can be removed again.
    private func removeRecords(of pool: UserPool, _ clients: [UserPoolClient]) async throws(CognitoError) {
        while true {
            let users = try await records.query(User.self, of: pool.id, limit: 100).records
            if users.isEmpty { break }
            for user in users { try await remove(user, in: pool) }
        }
        for group in try await records.all(Group.self, of: pool.id) { _ = try await records.delete(group) }
        try await keys.remove(poolID: pool.id)
        for client in clients {
            if let record = try await records.get(StoredClient.self, client.id) { _ = try await records.delete(record) }
        }
        if let record = try await records.get(StoredPool.self, pool.id) { _ = try await records.delete(record) }
    }
}

extension UserPool {
    /// Sets the second factors as `SetUserPoolMfaConfig` says.
    mutating func setMFA(_ input: OperationInput) throws(CognitoError) {
        if let text = input.string("MfaConfiguration"), let configuration = MFAConfiguration(rawValue: text) {
            mfaConfiguration = configuration
        }
        func set(_ factor: MFAPreference.Factor, _ isEnabled: Bool?) {
            guard let isEnabled else { return }
            enabledMFAs.removeAll { $0 == factor }
            if isEnabled { enabledMFAs.append(factor) }
        }
        set(.softwareToken, input.object("SoftwareTokenMfaConfiguration")?["Enabled"]?.boolValue)
        set(.sms, input.object("SmsMfaConfiguration").map { !$0.isEmpty })
        set(.email, input.object("EmailMfaConfiguration").map { _ in true })
        let given = ["SoftwareTokenMfaConfiguration", "SmsMfaConfiguration", "EmailMfaConfiguration"].compactMap {
            input.object($0)
        }
        if mfaConfiguration == .off, given.contains(where: { !$0.isEmpty && $0["Enabled"]?.boolValue != false }) {
            throw .invalidParameter(
                "Invalid MFA configuration given, can't turn off MFA and configure an MFA together.")
        }
        if mfaConfiguration != .off, enabledMFAs.isEmpty, !given.isEmpty {
            throw .invalidParameter(
                "Invalid MFA configuration given, can't disable all MFAs with a required or optional configuration.")
        }
        if mfaConfiguration == .on, enabledMFAs.isEmpty { enabledMFAs = [.softwareToken] }
    }

    /// The second factors as `GetUserPoolMfaConfig` shows them.
    var mfaJSON: JSONObject {
        var object = JSONObject()
        if enabledMFAs.contains(.sms) {
            object["SmsMfaConfiguration"] = ["SmsAuthenticationMessage": "Your authentication code is {####}."]
        }
        object["SoftwareTokenMfaConfiguration"] = ["Enabled": .bool(enabledMFAs.contains(.softwareToken))]
        if enabledMFAs.contains(.email) { object["EmailMfaConfiguration"] = [:] }
        object["MfaConfiguration"] = .string(mfaConfiguration.rawValue)
        return object
    }
}

extension StoredClient {
    /// The sealed secret.
    var sealedSecret: String? { settings["ClientSecret"]?.stringValue }

    /// The secret; nil of a client without one, and when the key that sealed it is missing.
    func secret(by sealer: Sealer) -> String? {
        sealedSecret.flatMap { sealer.open($0, context: "client:\(id)") }.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension UserPoolClient {
    /// The client as it is stored, its secret sealed.
    func record(by sealer: Sealer) -> StoredClient {
        var settings = json
        if let secret {
            settings["ClientSecret"] = .string(sealer.seal(Array(secret.utf8), context: "client:\(id)"))
        }
        return StoredClient(id: id, poolID: poolID, settings: settings)
    }

    /// Reads what is stored.
    init(stored record: StoredClient, by sealer: Sealer) {
        let reader = SettingsReader(record.settings)
        self.init(id: record.id, poolID: record.poolID, reader, isConfiguration: false)
        // A client whose secret does not open must not become one without a secret.
        secret =
            record.secret(by: sealer)
            ?? reader.string("ClientSecret").map { _ in Randomness.system.text(51, of: Randomness.lowercase) }
        func moment(_ word: String) -> Int64 {
            reader.value(word)?.doubleValue.flatMap { Int64(exactly: ($0 * 1_000).rounded()) } ?? 0
        }
        (created, modified) = (moment("CreationDate"), moment("LastModifiedDate"))
    }
}
