public import JSON
import Synchronization
public import Tables

/// User pools and identity pools: the entry point of this target. `perform` carries out the operations of Cognito's
/// interface, `authenticate` says whom a token belongs to.
///
/// Operations compute and wait: they are to be called as tasks that run on threads of their own, never on an event loop.
public final class UserPools: Sendable {
    let records: RecordStore
    let directory = PoolDirectory()
    let sealer: Sealer
    let keys: SigningKeys
    let clock: WallClock
    let randomness: Randomness
    let limits: UserPoolLimits
    let services: UserPoolServices
    let rates = RateLimiter()
    let attempts = PasswordAttempts()
    let singleUse = SingleUse()
    /// Sessions of browsers that signed out, by their ids, until they expire. Forgotten when the server restarts.
    let endedBrowserSessions = SingleUse()
    let deviceChallenges = DeviceChallenges()
    let providers = ProviderCache()
    let userCounts = UserCounts()
    let reservations = NameReservations()
    let decoyCodes = DecoyCodes()
    let endedUsers = EndedUsers()
    /// Another one in each run of the server, which remembers what was used only while it runs.
    let run = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let accessKeys = Mutex<[String: AccessKey]>([:])
    private let accessKeyReplacements = Atomic<Int>(0)
    /// The base of the issuer of pools that calls make from now on: `publicURL`, or the address that is served.
    let issuerBase = Mutex<String?>(nil)
    /// `publicURL`; nil where none is configured.
    private let configuredURL = Mutex<String?>(nil)
    let outboxCount = Mutex<Int?>(nil)
    /// Up to where each identity pool was searched for unused guests.
    let guestPositions = Mutex<[String: Position]>([:])

    /// Opens the pools of a store.
    ///
    /// - Parameters:
    ///   - tables: The stored tables of `RecordTables.all`.
    ///   - executor: One thread that is none of an event loop's.
    ///   - keyStorage: Where keys are kept.
    public init(
        store: any Store, tables: [StoredTable], executor: any Executor, keyStorage: KeyStorage,
        services: UserPoolServices, limits: UserPoolLimits = UserPoolLimits(), clock: WallClock = .system,
        randomness: Randomness = .system
    ) throws(KeyStorage.Failure) {
        do {
            records = try RecordStore(store, tables: tables, executor: executor)
        } catch {
            throw KeyStorage.Failure(message: error.message)
        }
        sealer = try Sealer(in: keyStorage, randomness)
        keys = SigningKeys(keyStorage, randomness)
        var noting = services
        noting.endSessions = { [endedUsers] ended in
            if case .user(let sub) = ended { endedUsers.note(sub, now: clock.milliseconds()) }
            services.endSessions(ended)
        }
        (self.services, self.limits, self.clock, self.randomness) = (noting, limits, clock, randomness)
    }

    /// `publicURL`, which names this server for browsers; nil where none is configured.
    public var publicURL: String? { configuredURL.withLock { $0 } }

    var now: Int64 { clock.milliseconds() }

    /// How often the access keys were replaced: if it is the same before and after a signature was verified, the keys were.
    public var accessKeyReplacementCount: Int { accessKeyReplacements.load(ordering: .sequentiallyConsistent) }
}

// MARK: - Configuration

extension UserPools {
    /// Serves these pools beside those that calls have made; to be called at the start and when the configuration has changed.
    ///
    /// - Parameter configuration: What was configured; the pools' problems have been reported before.
    public func serve(_ configuration: UserPoolConfiguration) async throws(CognitoError) {
        issuerBase.withLock { $0 = configuration.publicURL ?? configuration.servedURL }
        configuredURL.withLock { $0 = configuration.publicURL }
        let before = directory.ids
        directory.replaceConfigured(configuration.pools, configuration.clients, configuration.identityPools)
        accessKeys.withLock { keys in
            keys = Dictionary(configuration.accessKeys.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            accessKeyReplacements.add(1, ordering: .sequentiallyConsistent)
        }
        let now = now
        for record in try await records.scan(StoredPool.self) {
            guard let settings = record.settings, directory.pool(record.id)?.isConfigured != true else { continue }
            directory.set(UserPool(stored: record, settings))
        }
        for record in try await records.scan(StoredClient.self)
        where directory.pool(record.poolID) != nil && directory.client(record.id) == nil {
            directory.set(UserPoolClient(stored: record, by: sealer))
        }
        for record in try await records.scan(StoredIdentityPool.self) where directory.identityPool(record.id) == nil {
            directory.set(IdentityPool(stored: record))
        }
        let after = directory.ids
        for id in before.pools.subtracting(after.pools) { services.endSessions(.pool(id)) }
        for id in before.clients.subtracting(after.clients) { services.endSessions(.client(id)) }
        for pool in directory.pools { try await keepIssuer(of: pool, configuration, now) }
        for pool in directory.pools { try await composeNames(in: pool) }
        for pool in configuration.pools { try await prepare(pool, now) }
        try await noteSealingKey()
        try await sealClearMessages()
    }

    /// Adds the issuer of the tokens that are signed from now on: `publicURL`, or the address that is served. The issuers
    /// before it stay, because their tokens are accepted until they expire (reference: auth, "Tokens").
    private func keepIssuer(
        of pool: UserPool, _ configuration: UserPoolConfiguration, _ now: Int64
    ) async throws(CognitoError) {
        var stored = try await records.get(StoredPool.self, pool.id)
        if stored == nil {
            var first = StoredPool(id: pool.id, settings: nil, created: now)
            first.issuers = [configuration.publicURL ?? configuration.servedURL]
            guard try await records.insert(first) else { throw .tooManyRequests }
            stored = first
        }
        guard let record = stored else { return }
        var issuers = record.issuers
        let last = configuration.isServing ? nil : issuers.last
        let base = configuration.publicURL ?? last ?? configuration.servedURL
        if issuers.last != base {
            issuers.removeAll { $0 == base }
            issuers.append(base)
            issuers.removeFirst(max(0, issuers.count - Self.issuersMax))
            _ = try await records.update(StoredPool.self, pool.id) { $0.issuers = issuers }
        }
        directory.set(issuers: issuers.reversed(), of: pool.id)
        if var known = directory.pool(pool.id), known.created == 0 {
            (known.created, known.modified) = (record.created, record.modified)
            directory.set(known)
        }
    }

    /// Issuers that are kept of a pool: a developer may start the server on another free port each time.
    static let issuersMax = 50

    /// Makes the configured groups and, once, in a pool that had no users yet, the configured users.
    private func prepare(_ pool: UserPool, _ now: Int64) async throws(CognitoError) {
        for settings in pool.groups {
            var group = Group(poolID: pool.id, name: settings.name, created: now)
            (group.description, group.precedence) = (settings.description, settings.precedence)
            group.roleARN = settings.roleARN
            if try await records.insert(group) { continue }
            _ = try await records.update(Group.self, pool.id, settings.name) { stored in
                (stored.description, stored.precedence) = (settings.description, settings.precedence)
                stored.roleARN = settings.roleARN
            }
        }
        if !pool.users.isEmpty { try await makeSeeds(of: pool) }
    }

    /// Makes the configured users. That it was done is stored, so that they do not come back after they were removed.
    private func makeSeeds(of pool: UserPool) async throws(CognitoError) {
        let seeding = try await records.get(StoredPool.self, pool.id)?.seeding ?? .none
        guard seeding != .done else { return }
        // What an interrupted start began is completed.
        let isEmpty = try await records.query(User.self, of: pool.id, limit: 1).records.isEmpty
        if isEmpty || seeding == .begun {
            _ = try await records.update(StoredPool.self, pool.id) { $0.seeding = .begun }
            for seed in pool.users { try await makeSeed(seed, in: pool) }
        }
        _ = try await records.update(StoredPool.self, pool.id) { $0.seeding = .done }
    }

    /// The base of a pool's issuer: what its addresses begin with.
    func baseURL(of poolID: String) -> String { directory.issuers(of: poolID).first ?? "" }

    /// The `iss` of a pool's tokens.
    func issuer(of poolID: String) -> String { "\(baseURL(of: poolID))/\(poolID)" }
}

// MARK: - Operations

extension UserPools {
    /// Whether an operation of this name is to be signed with an access key; nil where there is no such operation.
    public static func isSigned(_ target: String) -> Bool? {
        OperationTable.operation(target).map { $0.access == .signed }
    }

    /// Carries out the operation that `X-Amz-Target` names.
    public func perform(
        _ target: String, _ body: JSONObject, from caller: Caller
    ) async -> Result<JSONObject, CognitoError> {
        do throws(CognitoError) {
            guard let operation = OperationTable.operation(target) else {
                throw CognitoError("UnknownOperationException", nil)
            }
            try operation.checkSigner(caller, target, body)
            let input = try OperationInput(body, for: operation.members)
            let call = OperationCall(pools: self, input: input, caller: caller)
            return .success(try await perform(operation, call, target))
        } catch {
            return .failure(error)
        }
    }
}
