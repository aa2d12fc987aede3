import Foundation
import JSON
import Synchronization
import Tables
import Testing

@testable import UserPools

/// User pools over a store of their own, with a clock that the test sets and messages that it reads.
final class PoolStage: Sendable {
    let pools: UserPools
    let time: TestTime
    let messages: Messages
    let functions: TestFunctions
    let providers: TestProviders
    let administration: Administration
    let store: any Store
    /// Where the store is.
    let folder: String
    let tables: [StoredTable]
    let executor = QueueExecutor()

    /// What the clock shows.
    final class TestTime: Sendable {
        let milliseconds = Mutex<Int64>(1_800_000_000_000)
        func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }
        var seconds: Int64 { milliseconds.withLock { $0 / 1_000 } }
    }

    final class Messages: Sendable {
        let list = Mutex<[UserPoolServices.Message]>([])
        var lastCode: String { list.withLock { $0.last?.code ?? "" } }
        var count: Int { list.withLock { $0.count } }
    }

    /// What is entered in the audit log.
    final class Administration: Sendable {
        let list = Mutex<[UserPoolServices.Administration]>([])
        let isWritable = Mutex(true)
        var names: [String] { list.withLock { $0.map(\.name) } }
    }

    /// Functions by their names.
    final class TestFunctions: Sendable {
        typealias Function = @Sendable (JSONValue) -> UserPoolServices.FunctionAnswer
        let byName = Mutex<[String: Function]>([:])
        /// The triggers whose failures are logged.
        let failures = Mutex<[String]>([])
        func set(_ name: String, _ function: @escaping Function) { byName.withLock { $0[name] = function } }

        /// A function that answers its event with a response.
        func respond(_ name: String, _ response: @escaping @Sendable (JSONValue) -> JSONObject) {
            set(name) { event in
                var answer = event.objectValue ?? [:]
                answer["response"] = .object(response(event))
                return .value(.object(answer))
            }
        }
    }

    /// What answers requests to providers.
    final class TestProviders: Sendable {
        typealias Provider = @Sendable (UserPoolServices.ProviderRequest) async -> UserPoolServices.ProviderAnswer?
        let answer = Mutex<Provider?>(nil)
        let failures = Mutex<[String]>([])

        func ask(
            _ request: UserPoolServices.ProviderRequest
        ) async -> Result<UserPoolServices.ProviderAnswer, UserPoolServices.ProviderFailure> {
            let provider = answer.withLock { $0 }
            guard let answer = await provider?(request) else { return .failure(.init(reason: "there is no network")) }
            return .success(answer)
        }
    }

    final class QueueExecutor: Tables.Executor {
        private let queue = DispatchQueue(label: "records")
        /// How often records were read, or a write was answered.
        let count = Atomic(0)
        func execute(_ work: @escaping @Sendable () -> Void) {
            count.add(1, ordering: .relaxed)
            queue.async { work() }
        }
    }

    init(
        limits: UserPoolLimits = UserPoolLimits(), randomness: Randomness = .system,
        keyStorage: KeyStorage = TestKeys.storage
    ) throws {
        folder = NSTemporaryDirectory() + "/pools-\(UUID().uuidString)"
        var options = StoreOptions()
        options.durability = .off
        store = try LocalStore.open(folder: folder, options: options)
        tables = try store.carryOutMigration(
            to: RecordTables.all, renaming: [], allowing: .none, keepsIndexes: false
        ).tables
        let (time, messages, functions, providers) = (TestTime(), Messages(), TestFunctions(), TestProviders())
        let administration = Administration()
        self.administration = administration
        (self.time, self.messages, self.functions, self.providers) = (time, messages, functions, providers)
        pools = try UserPools(
            store: store, tables: tables, executor: executor, keyStorage: keyStorage,
            services: UserPoolServices(
                invokeFunction: { name, event in
                    functions.byName.withLock { $0[name] }?(event) ?? .unreachable
                },
                askProvider: { request in await providers.ask(request) },
                noteProviderFailure: { _, reason in providers.failures.withLock { $0.append(reason) } },
                noteTriggerFailure: { trigger, _ in functions.failures.withLock { $0.append(trigger) } },
                noteMessage: { message in messages.list.withLock { $0.append(message) } },
                endSessions: { _ in },
                noteAdministration: { action in
                    administration.list.withLock { $0.append(action) }
                    return administration.isWritable.withLock { $0 }
                }),
            limits: limits, clock: WallClock { time.milliseconds.withLock { $0 } }, randomness: randomness)
        pools.issuerBase.withLock { $0 = "http://127.0.0.1:20002" }
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Keys that all tests share: to make RSA keys takes tenths of a second.
    enum TestKeys {
        static let files = Mutex<[String: [UInt8]]>([:])
        static let made: [UInt8] = {
            let keys = [SigningKey.Use.id, .access].compactMap { try? SigningKey($0, .system) }
            return Array(JSONValue.object(["keys": .array(keys.map(\.entry))]).description.utf8)
        }()
        static let storage = KeyStorage(
            read: { name throws(KeyStorage.Failure) in name == "sealing.json" ? files.withLock { $0[name] } : made },
            write: { name, bytes throws(KeyStorage.Failure) in files.withLock { $0[name] = bytes } },
            remove: { name throws(KeyStorage.Failure) in files.withLock { $0[name] = nil } })
    }

    // MARK: Calls

    /// Calls an operation of user pools.
    func call(
        _ operation: String, _ body: JSONObject, isSigned: Bool = true, address: String = "127.0.0.1"
    ) async -> Result<JSONObject, CognitoError> {
        await pools.perform(
            "AWSCognitoIdentityProviderService.\(operation)", body,
            from: Caller(
                address: address, accessKeyID: isSigned ? "AKIA" : nil, requestID: "request",
                baseURL: "http://127.0.0.1:20002"))
    }

    /// Calls an operation that succeeds.
    @discardableResult
    func get(
        _ operation: String, _ body: JSONObject, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONObject {
        switch await call(operation, body) {
        case .success(let output): return output
        case .failure(let error):
            Issue.record("\(operation): \(error.name) \(error.message ?? "")", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Calls an operation that fails.
    func expect(
        _ name: String, _ message: String? = nil, _ operation: String, _ body: JSONObject,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        switch await call(operation, body) {
        case .success(let output): Issue.record("\(operation) succeeded: \(output)", sourceLocation: sourceLocation)
        case .failure(let error):
            #expect(error.name == name, "\(error.message ?? "")", sourceLocation: sourceLocation)
            if let message { #expect(error.message == message, sourceLocation: sourceLocation) }
        }
    }

    /// A pool and a client, both made by calls.
    func makePool(_ settings: JSONObject = [:], client: JSONObject = [:]) async throws -> (pool: String, client: String)
    {
        var settings = settings
        settings["PoolName"] = "test"
        let made = try await get("CreateUserPool", settings)
        guard let pool = made["UserPool"]?["Id"]?.stringValue else { throw Missing() }
        var clientSettings: JSONObject = [
            "UserPoolId": .string(pool), "ClientName": "app",
            "ExplicitAuthFlows": [
                "ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_ADMIN_USER_PASSWORD_AUTH",
                "ALLOW_CUSTOM_AUTH", "ALLOW_REFRESH_TOKEN_AUTH", "ALLOW_USER_AUTH",
            ],
        ]
        for (name, value) in client { clientSettings[name] = value }
        let madeClient = try await get("CreateUserPoolClient", clientSettings)
        guard let id = madeClient["UserPoolClient"]?["ClientId"]?.stringValue else { throw Missing() }
        return (pool, id)
    }

    struct Missing: Error {}

    /// A confirmed user with the password `Passw0rd!`.
    func makeUser(_ name: String, in pool: String, _ attributes: JSONValue = []) async throws {
        try await get(
            "AdminCreateUser",
            [
                "UserPoolId": .string(pool), "Username": .string(name), "UserAttributes": attributes,
                "MessageAction": "SUPPRESS",
            ])
        try await get(
            "AdminSetUserPassword",
            ["UserPoolId": .string(pool), "Username": .string(name), "Password": "Passw0rd!", "Permanent": true])
    }

    /// A confirmed user without a password, which takes a second in a debug build.
    @discardableResult
    func makeUserWithoutPassword(_ name: String, in pool: String) async throws -> User {
        let settings = try #require(pools.directory.pool(pool))
        let user = try await pools.makeUser(named: name, [], password: nil, status: .confirmed, in: settings)
        return try #require(user)
    }

    /// Signs in with the password itself.
    func signIn(_ name: String, _ client: String, password: String = "Passw0rd!") async -> Result<
        JSONObject, CognitoError
    > {
        await call(
            "InitiateAuth",
            [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": .string(client),
                "AuthParameters": ["USERNAME": .string(name), "PASSWORD": .string(password)],
            ])
    }

    /// The tokens of a sign-in that succeeds.
    func tokens(_ name: String, _ client: String, password: String = "Passw0rd!") async throws -> Tokens {
        try Tokens(try await signIn(name, client, password: password).get())
    }
}

/// What a sign-in ends with.
struct Tokens {
    let access: String
    let id: String
    let refresh: String

    init(_ output: JSONObject) throws {
        let result = try #require(output["AuthenticationResult"], "\(output)")
        access = try #require(result["AccessToken"]?.stringValue)
        id = try #require(result["IdToken"]?.stringValue)
        refresh = result["RefreshToken"]?.stringValue ?? ""
    }

    /// The claims of a token.
    static func claims(_ token: String) throws -> JSONObject { try #require(JSONWebToken(token)).claims }
}
