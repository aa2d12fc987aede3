import AsyncHTTPClient
import HTTP
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix
import Tables

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The operators' verbs: sent to the server that runs on the data folder, by its socket, or carried out under the folder's
/// lock where none runs.
public struct OperatorClient: Sendable {
    let configuration: Configuration
    /// Whether calls of user pools may create the data folder.
    private let createsFolder: Bool

    /// Time for a server to answer, in seconds. A backup takes as long as the disk.
    static let answerSeconds: Int64 = 24 * 3600
    /// Bytes of an answer.
    static let answerBytesMax = 16 << 20
    /// How long a folder that is locked is tried again, in milliseconds: a server that starts locks it before it listens.
    private static let startMilliseconds: Int64 = 5_000

    /// A client for the data folder of a configuration.
    ///
    /// - Parameter createsFolder: Whether a call of user pools may create the folder: to read one that is not there is an error.
    public init(_ configuration: Configuration, createsFolder: Bool = false) {
        (self.configuration, self.createsFolder) = (configuration, createsFolder)
    }

    /// Creates an operator and returns the token, which is not stored and cannot be shown again.
    public func createOperator(_ name: String, role: OperatorRole) async throws(ServerError) -> String {
        let answer = try await send(.createOperator(name: name, role: role))
        guard let token = answer["token"]?.stringValue else { throw Self.unreadableAnswer }
        return token
    }

    /// The operators in the order in which they were created.
    public func operators() async throws(ServerError) -> [(name: String, role: OperatorRole, created: String)] {
        let answer = try await send(.listOperators)
        return try Self.items(answer).map { item throws(ServerError) in
            guard let name = item["name"]?.stringValue, let role = item["role"]?.stringValue.flatMap(OperatorRole.init),
                let created = item["created"]?.stringValue
            else { throw Self.unreadableAnswer }
            return (name, role, created)
        }
    }

    /// Revokes an operator: the token is refused from the next request on.
    public func revokeOperator(_ name: String) async throws(ServerError) {
        // A name that none can have would not be a path.
        guard Operator.isName(name) else { throw OperatorProblem.unknownOperator(name).serverError }
        _ = try await send(.revokeOperator(name: name))
    }

    /// Copies the database to a file.
    ///
    /// - Parameter replaces: Whether a file of that name may be replaced; never one of the data folder.
    public func backUp(to file: String, replaces: Bool) async throws(ServerError) {
        // First, because a server would name its own path of the file.
        try Backups.check(file, of: configuration, replaces: replaces)
        _ = try await send(.backUp(file: Files.absolute(file), replaces: replaces))
    }

    /// The audit log from its beginning, a line of JSON an entry.
    public func audit(_ line: (String) -> Void) async throws(ServerError) {
        var last: Int64? = 0
        while let number = last {
            let answer = try await send(.listAudit(after: number, countMax: OperatorCall.listCountMax))
            for item in try Self.items(answer) { line(item.description) }
            last = answer["next"]?.intValue
        }
    }

    static let unreadableAnswer = ServerError(
        .failed, "The server's answer cannot be read: it may be of another version.", hint: "Restart the server.")

    static func items(_ answer: JSONValue) throws(ServerError) -> [JSONValue] {
        guard let items = answer["items"]?.arrayValue else { throw unreadableAnswer }
        return items
    }

    // MARK: - Sending

    func send(_ call: OperatorCall) async throws(ServerError) -> JSONValue {
        if configuration.data.isEphemeral { _ = try Operators.file(of: configuration) }
        let end = ContinuousClock.now + .milliseconds(Self.startMilliseconds)
        while true {
            if let answer = try await sendBySocket(call) { return answer }
            let result: Result<JSONValue, ServerError>?
            do throws(StoreError) {
                result = try await carryOut(call)
            } catch {
                result = nil
                guard case .locked = error.code, ContinuousClock.now < end else {
                    throw ServerError(opening: configuration.data.folder, error)
                }
            }
            if let result { return try result.get() }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Carries out a call without a server; a folder in use is `locked`. What changes nothing needs no lock.
    private func carryOut(_ call: OperatorCall) async throws(StoreError) -> Result<JSONValue, ServerError> {
        let caller = OperatorCallHandler.Caller.commandLine
        var store: (any Store)?
        defer { store?.close() }
        if call.isOfAnalytics, try LocalStore.inspect(folder: configuration.data.folder) == nil {
            return .failure(.noData(in: configuration.data.folder))
        }
        if call.isOfUserPools, try LocalStore.inspect(folder: configuration.data.folder) == nil {
            guard createsFolder else { return .failure(.noData(in: configuration.data.folder)) }
            guard configuration.userPools.isConfigured else { return .failure(OperatorProblem.noUserPools.serverError) }
        }
        if call.needsStore {
            store = try LocalStore.open(
                folder: configuration.data.folder, options: .init(durability: .full, limits: configuration.limits.store)
            )
            PrivateFiles.secure(configuration.data.folder)
        }
        let opened = store
        var userPools: UserPoolService?
        if case .userPools = call, let store {
            do throws(ServerError) {
                userPools = try await UserPoolService.start(
                    configuration, mode: .serve, store: store, keyFolder: configuration.data.folder,
                    servedURL: configuration.address.baseURL("http", port: configuration.address.port),
                    isServing: false,
                    client: nil, clock: .system, log: Log(format: .text, level: .error))
            } catch {
                return .failure(error)
            }
        }
        var analytics: AnalyticsService?
        if call.isOfAnalytics, let store {
            do throws(ServerError) {
                analytics = try await AnalyticsService.start(
                    configuration, dataFolder: configuration.data.folder, makesApp: false, store: store, clock: .system)
            } catch {
                return .failure(error)
            }
        }
        let (service, events) = (userPools, analytics)
        let handler = OperatorCallHandler(
            configuration: configuration, userPools: { service }, analytics: { events }
        ) { entries throws(StoreError) in try opened?.addToAudit(entries)
        }
        let result: Result<JSONValue, ServerError> = await withCheckedContinuation { continuation in
            // It waits for the operation, which must not hold a thread of the tasks.
            NIOThreadPool.singleton.submit { _ in
                do throws(OperatorProblem) {
                    continuation.resume(returning: .success(try handler.answer(call, for: caller).body))
                } catch {
                    continuation.resume(returning: .failure(error.serverError))
                }
            }
        }
        await service?.end()
        await events?.end()
        return result
    }

    /// Sends a call to the server; nil when none listens.
    func sendBySocket(
        _ call: OperatorCall, seconds: Int64 = answerSeconds
    ) async throws(ServerError) -> JSONValue? {
        let folder = configuration.data.folder
        guard Files.exists(Files.path(OperatorSocket.name, in: folder)) else { return nil }
        let socket = try OperatorSocket(folder: folder)
        guard let url = URL(httpURLWithSocketPath: socket.path, uri: call.target) else { throw Self.unreadableAnswer }
        var clientConfiguration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        clientConfiguration.connectionPool.retryConnectionEstablishment = false
        let body = call.body.map { HTTPClient.Body.string($0.description) }
        // A socket's path is no host; RFC 9112 §3.2 wants one.
        var headers: HTTPHeaders = ["Host": "localhost"]
        if body != nil { headers.add(name: "Content-Type", value: "application/json") }
        let result = await Self.execute(
            try HTTPClient.Request(url: url, method: HTTPMethod(rawValue: call.method), headers: headers, body: body),
            clientConfiguration, seconds: seconds)
        withExtendedLifetime(socket) {}
        switch result {
        case .failure(let error as IOError) where [ECONNREFUSED, ENOENT].contains(error.errnoCode): return nil
        case .failure(let error):
            throw ServerError(.failed, "The server does not answer by \(folder)/\(OperatorSocket.name): \(error)")
        case .success(let response):
            let bytes = response.body.map { Array($0.readableBytesView) } ?? []
            guard let value = try? JSONReader.read(bytes) else { throw Self.unreadableAnswer }
            if (200...299).contains(response.status.code) { return value }
            throw OperatorProblem(value)?.serverError ?? Self.unreadableAnswer
        }
    }

    /// Sends a request by a client of its own.
    static func execute(
        _ request: @autoclosure () throws -> HTTPClient.Request, _ configuration: HTTPClient.Configuration,
        seconds: Int64, bytesMax: Int = answerBytesMax
    ) async -> Result<HTTPClient.Response, any Error> {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<HTTPClient.Response, any Error>
        do {
            let request = try request()
            let collector = ResponseAccumulator(request: request, maxBodySize: bytesMax)
            let deadline = NIODeadline.now() + .seconds(seconds)
            result = .success(
                try await client.execute(request: request, delegate: collector, deadline: deadline).get())
        } catch { result = .failure(error) }
        try? await client.shutdown()
        return result
    }
}

extension ServerError {
    fileprivate static func noData(in folder: String) -> ServerError {
        ServerError(
            .usage, "No data folder at \(folder).",
            hint: "Name the folder of the server with \(Setting.data.flag), or start the server once.")
    }
}
