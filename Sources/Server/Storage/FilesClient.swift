import AsyncHTTPClient
import Buckets
import HTTP
import NIOCore
import NIOHTTP1
import Synchronization
import Tables
import Transformer

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

/// Requests to buckets from the command line: sent to the running server of the data folder through its socket, or executed
/// in this process, which locks the folder, if no server runs.
public final class FilesClient: Sendable {
    private enum Transport: Sendable {
        case server(HTTPClient, OperatorSocket)
        case folder(BucketService, any Store)
    }

    private let transport: Transport
    let configuration: Configuration

    /// The path prefix of the buckets on the socket.
    static let socketPath = "/operators/v1/storage"
    /// Bytes of a file that are read at a time.
    static let pieceBytes = 256 << 10
    /// Timeout of a request, in hours. It is long because the time of a large transfer depends on the disk.
    private static let requestHours: Int64 = 24

    private init(_ transport: Transport, _ configuration: Configuration) {
        (self.transport, self.configuration) = (transport, configuration)
    }

    /// Runs `body` with a client for the data folder of a configuration.
    public static func with<Value>(
        _ configuration: Configuration, _ body: (FilesClient) async throws -> Value
    ) async throws -> Value {
        let client = try await open(configuration)
        do {
            let value = try await body(client)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }

    private static func open(_ configuration: Configuration) async throws(ServerError) -> FilesClient {
        if configuration.data.isEphemeral { _ = try Operators.file(of: configuration) }
        let folder = configuration.data.folder
        if let client = try await connect(configuration) { return client }
        let store: any Store
        do throws(StoreError) {
            guard try LocalStore.inspect(folder: folder) != nil else {
                throw StoreError(.invalidRequest, "There is no database in the folder.")
            }
            store = try LocalStore.open(
                folder: folder, options: .init(durability: .full, limits: configuration.limits.store))
        } catch {
            throw ServerError(opening: folder, error)
        }
        do throws(ServerError) {
            let service = try await BucketService.start(
                configuration, mode: nil, store: store, dataFolder: folder, userPools: nil, clock: .system,
                log: Log(format: .text, level: .error))
            return FilesClient(.folder(service, store), configuration)
        } catch {
            store.close()
            throw error
        }
    }

    /// A client of the server that runs on the folder; nil if none does.
    private static func connect(_ configuration: Configuration) async throws(ServerError) -> FilesClient? {
        let folder = configuration.data.folder
        guard Files.exists(Files.path(OperatorSocket.name, in: folder)) else { return nil }
        var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
        settings.connectionPool.retryConnectionEstablishment = false
        let client = FilesClient(
            .server(
                HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings),
                try OperatorSocket(folder: folder)), configuration)
        do {
            try await client.perform("GET", "/")
            return client
        } catch {
            await client.close()
            // The socket of a killed server does not accept connections.
            if let error = error as? IOError, [ECONNREFUSED, ENOENT].contains(error.errnoCode) { return nil }
            throw client.serverError(error, nil)
        }
    }

    private func close() async {
        switch transport {
        case .server(let client, _): try? await client.shutdown()
        case .folder(let service, let store):
            await service.end()
            store.close()
        }
    }

    // MARK: Requests

    /// Sends a request and receives its answer, as `perform`.
    ///
    /// - Parameter subject: What a message about a refusal names, by S3's error; the path of the request if nil.
    @discardableResult
    func ask(
        _ method: String, _ path: FilesPath, query: String = "", headers: [(name: String, value: String)] = [],
        body: FilePieces? = nil, subject: (S3Refusal) -> FilesPath? = { _ in nil },
        receive: ([UInt8]) throws(Files.Failure) -> Void = { _ in }
    ) async throws(ServerError) -> [(name: String, value: String)] {
        do {
            return try await perform(
                method, path.encoded, query: query, headers: headers, body: body, receive: receive)
        } catch {
            guard let refusal = error as? S3Refusal else { throw serverError(error, path) }
            throw await withBucketNames(serverError(refusal, subject(refusal) ?? path), refusal)
        }
    }

    /// Sends a request and receives its answer.
    ///
    /// - Parameters:
    ///   - path: Percent-encoded.
    ///   - query: Percent-encoded.
    ///   - receive: Receives the next bytes of the response body, unless the response is an error.
    /// - Returns: The header fields of the response.
    /// - Throws: `S3Refusal`, `FilePieces.Failure` of the body, `Files.Failure` of `receive`, `ServerError`, or an error of the
    ///   connection.
    @discardableResult
    func perform(
        _ method: String, _ path: String, query: String = "", headers: [(name: String, value: String)] = [],
        body: FilePieces? = nil, receive: ([UInt8]) throws(Files.Failure) -> Void = { _ in }
    ) async throws -> [(name: String, value: String)] {
        switch transport {
        case .server(let client, let socket):
            try await perform(client, socket, method, path, query, headers, body, receive)
        case .folder(let service, _): try await perform(service, method, path, query, headers, body, receive)
        }
    }

    private func perform(
        _ client: HTTPClient, _ socket: OperatorSocket, _ method: String, _ path: String, _ query: String,
        _ headers: [(name: String, value: String)], _ body: FilePieces?,
        _ receive: ([UInt8]) throws(Files.Failure) -> Void
    ) async throws -> [(name: String, value: String)] {
        let target = Self.socketPath + path + (query.isEmpty ? "" : "?\(query)")
        guard let url = URL(httpURLWithSocketPath: socket.path, uri: target) else {
            throw ServerError(.usage, "\(path) is no path of a URL.")
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = HTTPMethod(rawValue: method)
        // RFC 9112 §3.2 requires a host, and the path of a socket is none.
        request.headers.add(name: "Host", value: "localhost")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.body = .stream(body, length: .known(Int64(body.file.byteCount)))
        }
        let response = try await client.execute(request, timeout: .hours(Self.requestHours))
        var error: [UInt8] = []
        for try await buffer in response.body {
            if response.status.code < 400 {
                try receive(Array(buffer.readableBytesView))
            } else if error.count < 1 << 16 {
                error += buffer.readableBytesView
            }
        }
        guard response.status.code < 400 else { throw S3Refusal(Int(response.status.code), error) }
        return response.headers.map { ($0.name, $0.value) }
    }

    private func perform(
        _ service: BucketService, _ method: String, _ path: String, _ query: String,
        _ headers: [(name: String, value: String)], _ body: FilePieces?,
        _ receive: ([UInt8]) throws(Files.Failure) -> Void
    ) async throws -> [(name: String, value: String)] {
        let caller = OperatorCallHandler.Caller.commandLine
        let byteCount = body?.file.byteCount ?? 0
        let request = S3Request(
            method: method, path: path, query: query, host: "localhost",
            headers: headers + [("Host", "localhost"), ("Content-Length", String(byteCount))],
            id: caller.requestID, sourceAddress: caller.address)
        let pieces = body?.makeAsyncIterator()
        let failure = Mutex<FilePieces.Failure?>(nil)
        let s3Body = S3Body(byteCount: byteCount) {
            do throws(FilePieces.Failure) {
                guard let buffer = try pieces?.next() else { return .end }
                return .bytes(Array(buffer.readableBytesView))
            } catch {
                failure.withLock { $0 = error }
                return .failed
            }
        }
        let response = await service.perform { buckets in
            await service.audited(request, caller) {
                await buckets.respond(
                    to: buckets.route(request), from: .operator(accessKeyID: caller.name), body: s3Body)
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        switch response.body {
        case .bytes(let bytes) where response.status >= 400: throw S3Refusal(response.status, bytes)
        case .bytes(let bytes): try receive(bytes)
        case .head: break
        case .blob(let blob, let range):
            var offset = range.lowerBound
            while offset < range.upperBound {
                let bytes = try blob.read(at: offset, count: min(Self.pieceBytes, range.upperBound - offset))
                guard !bytes.isEmpty else { throw ServerError(.data, "The object is shorter than it should be.") }
                try receive(bytes)
                offset += bytes.count
            }
        }
        return response.headers
    }

    /// The error of a verb.
    ///
    /// - Parameter subject: What a message about a refusal names, as the user has written it.
    func serverError(_ error: any Error, _ subject: FilesPath?) -> ServerError {
        switch error {
        case let error as ServerError: error
        case let refusal as S3Refusal:
            refusal.problem?.serverError
                ?? ServerError(.failed, "\(subject.map { "\($0.text): " } ?? "")\(refusal.message)")
        case let failure as FilePieces.Failure:
            ServerError(.failed, "Cannot read \(failure.path): \(failure.reason).", hint: "No object was stored.")
        case let failure as Files.Failure: ServerError(.failed, failure.reason)
        default: ServerError(.failed, "The server does not answer: \(error)")
        }
    }

    /// Adds the names of the buckets to the error for an unknown one.
    private func withBucketNames(_ error: ServerError, _ refusal: S3Refusal) async -> ServerError {
        guard refusal.code == "NoSuchBucket" else { return error }
        let names = (try? await buckets()) ?? []
        let hint =
            names.isEmpty
            ? "There are no buckets; configure 'storage'." : "The buckets are: \(names.joined(separator: ", "))."
        return ServerError(error.code, error.diagnostics.map(\.message).joined(separator: "\n"), hint: hint)
    }

    /// The document in a response.
    static func document(_ bytes: [UInt8], _ root: String) throws(ServerError) -> XMLElement {
        do throws(S3Error) { return try XMLReader.read(bytes, root: root) } catch {
            throw ServerError(.failed, "The answer of the server is no \(root).")
        }
    }
}
